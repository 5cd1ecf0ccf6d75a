"""Training data of the path policy: pairs of entities from questions, and demonstrations of good paths between them.

Which answer is right is never looked at where a question has choices: the gold would leak into the targets, and a
policy trained on it would need what it cannot know. A line without choices names its candidates by its answers.

DeepPath, the paper's base method, warms up on paths of breadth-first search, which are good for nothing but reaching.
Here all simple paths of a pair are ranked by their total reward: a neighbor's share is a softmax over the best reward
of a path through it, so that a state may have several good answers (docs/deviations.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trivium.kg.embedded.columns import Int64
from trivium.kg.errors import BadInputError
from trivium.kg.loaders import Question
from trivium.kg.store import GraphStore
from trivium.kg.text import Token, tokens
from trivium.kg.types import Progress
from trivium.policies.paths.env import PathTask
from trivium.policies.paths.exact import all_paths, as_found
from trivium.policies.paths.graph import Floats
from trivium.policies.reader.english import classes

MAX_SOURCES = 8
"""Entities of a question that are started from, the first."""
_SPAN = 5  # words of a name that is looked for
_SHORT = 3  # letters below which a single word names nothing
_BATCH = 20_000  # spans looked up at once


class PairExamples(NamedTuple):
    """n pairs of q questions: pairs int64 [n, 2] by entity number, question int64 [n]; texts of the questions."""

    pairs: Int64
    question: Int64
    texts: list[str]


async def link_texts(store: GraphStore, texts: Sequence[str]) -> list[list[str]]:
    """The entities that each text names, in order, each once: the longest names first, from left to right.

    Exact but for case, accents and punctuation. A text that as a whole is a name gives that entity alone.
    """
    split = [tokens(text) for text in texts]
    spans = {span for words, text in zip(split, texts, strict=True) for _, _, span in _spans(words, text)}
    named: dict[str, str] = {}
    distinct = sorted(spans)
    for start in range(0, len(distinct), _BATCH):
        part = distinct[start : start + _BATCH]
        for span, hits in zip(part, await store.find(part, limit=1, fuzzy=False), strict=True):
            if hits:
                named[span] = hits[0].id
    return [_chosen(words, text, named) for words, text in zip(split, texts, strict=True)]


def _spans(words: Sequence[Token], text: str) -> list[tuple[int, int, str]]:
    """Spans of up to five words, and the whole text, as (first word, word after, text)."""
    sizes = range(1, _SPAN + 1)
    found = [(i, i + n, text[words[i].start : words[i + n - 1].end]) for n in sizes for i in range(len(words) - n + 1)]
    if len(words) > _SPAN:
        found.append((0, len(words), text[words[0].start : words[-1].end]))
    return [span for span in found if span[1] - span[0] > 1 or len(words) == 1 or _tells(words[span[0]].text)]


def says_little(name: str) -> bool:
    """Whether a concept is made of words that tell nothing apart ("someone", "need to"), so that no path shows much."""
    words = tokens(name)
    return bool(words) and all(word.text in classes().empty for word in words)


def _tells(word: str) -> bool:
    return len(word) >= _SHORT and word not in classes().no_topic


def _chosen(words: Sequence[Token], text: str, named: dict[str, str]) -> list[str]:
    """Longest spans first; of equally long ones the leftmost; none that overlaps one chosen before."""
    found = [(i, j, named[span]) for i, j, span in _spans(words, text) if span in named]
    taken: set[int] = set()
    chosen: list[tuple[int, str]] = []
    for i, j, entity in sorted(found, key=lambda span: (span[0] - span[1], span[0])):
        if taken.isdisjoint(range(i, j)):
            taken.update(range(i, j))
            chosen.append((i, entity))
    return list(dict.fromkeys(entity for _, entity in sorted(chosen)))


async def make_examples(store: GraphStore, questions: Sequence[Question], number: dict[str, int]) -> PairExamples:
    """The pairs of all questions; `number` gives an entity's row. A question that names nothing has none.

    Raises:
        BadInputError: no question names an entity of the KG and a candidate that is one.
    """
    asked = await link_texts(store, [question.question for question in questions])
    offered = [[choice.text for choice in q.choices] or list(q.answers) for q in questions]
    flat = [text for texts in offered for text in texts]
    linked = iter(await link_texts(store, flat))
    pairs, of = list[tuple[int, int]](), list[int]()
    for place, (question, sources, texts) in enumerate(zip(questions, asked, offered, strict=True)):
        given = [key for key in question.topic_entities if key in number]
        begins = list(dict.fromkeys([*given, *sources]))[:MAX_SOURCES]
        # An answer may be an id; a choice is a text, of which the first entity counts.
        ends = [text if text in number else (found or [""])[0] for text in texts for found in (next(linked),)]
        made = {(number[a], number[b]) for a in begins for b in ends if a in number and b in number and a != b}
        pairs += sorted(made)
        of += [place] * len(made)
    if not pairs:
        raise BadInputError(
            "no question names an entity of this KG together with a candidate answer that is one: "
            'add "topic_entities", and "choices" (or "answers") whose texts are names in the KG'
        )
    return PairExamples(np.array(pairs, dtype=np.int64), np.array(of, dtype=np.int64), [q.question for q in questions])


_PAIRS = 4_096  # searched at once


@dataclass(frozen=True, slots=True)
class DemonstrationSettings:
    """Which paths are demonstrated, and how sharply."""

    max_hops: int = 3
    """K."""
    window: float = 0.25
    """Paths whose reward is further below their pair's best than this are left out."""
    temperature: float = 0.05
    """Of the softmax over rewards; at 0.02 only near-optimal neighbors count, and fewer pairs connect at beam 1."""
    shortest: bool = False
    """Only a pair's shortest paths, all alike, as breadth-first search finds them: DeepPath's way."""


class Demonstrations(NamedTuple):
    """S states with their good neighbors.

    pair, current, before, left int64 [S]: the pair of the task, where the walker is, the entity before it (-1 at the
    source), steps that remain after this one. bounds int64 [S + 1] into entity int64 [Z] and share float32 [Z], which
    adds up to 1 in each state. `connected` bool [pairs]: which of the pairs any path joins.
    """

    pair: Int64
    current: Int64
    before: Int64
    left: Int64
    bounds: Int64
    entity: Int64
    share: Floats
    connected: NDArray[np.bool_]


class _Choices(NamedTuple):
    """n choices of paths: the state's pair, entity, entity before and steps left, the neighbor, the path's reward."""

    pair: Int64
    current: Int64
    before: Int64
    left: Int64
    entity: Int64
    reward: Floats


def demonstrate(task: PathTask, settings: DemonstrationSettings, progress: Progress) -> Demonstrations:
    """All demonstrations of a task, without the last step into the target, which any search takes.

    About 30 s a 100,000 pairs of ConceptNet on one core.
    """
    chosen, connected = list[_Choices](), np.zeros(len(task.pairs), dtype=bool)
    for start in range(0, len(task.pairs), _PAIRS):
        rows = np.arange(start, min(start + _PAIRS, len(task.pairs)))
        found, reached = _choices(task, rows, settings)
        chosen += found
        connected[rows] = reached
        progress("demonstrations", start + len(rows), len(task.pairs))
    chosen = [part for part in chosen if len(part.pair)]
    if not chosen:
        nothing = np.zeros(0, dtype=np.int64)
        none = np.zeros(0, dtype=np.float32)
        return Demonstrations(nothing, nothing, nothing, nothing, np.zeros(1, np.int64), nothing, none, connected)
    return _states(_joined(chosen), settings, connected)


def _joined(parts: Sequence[_Choices]) -> _Choices:
    """All parts, one after the other."""
    return _Choices(
        np.concatenate([part.pair for part in parts]),
        np.concatenate([part.current for part in parts]),
        np.concatenate([part.before for part in parts]),
        np.concatenate([part.left for part in parts]),
        np.concatenate([part.entity for part in parts]),
        np.concatenate([part.reward for part in parts]),
    )


def _rows(all_: _Choices, rows: NDArray[Any]) -> _Choices:
    """Some of them, by place or by mask."""
    return _Choices(
        all_.pair[rows], all_.current[rows], all_.before[rows], all_.left[rows], all_.entity[rows], all_.reward[rows]
    )


def _choices(task: PathTask, rows: Int64, settings: DemonstrationSettings) -> tuple[list[_Choices], NDArray[np.bool_]]:
    """The choices on good paths of some pairs, and which of the pairs a path joins."""
    pairs = task.pairs[rows]
    best = np.full(len(rows), -np.inf, dtype=np.float32)
    batches = []
    for entities, pair in all_paths(task.graph, pairs[:, 0], pairs[:, 1], settings.max_hops):
        found = as_found(task.graph, entities, pair, task.affinity, task.question[rows])
        rewards = task.rewards.totals(found.entities, found.codes, task.contexts[task.question[rows[pair]]])
        if settings.shortest:
            rewards = np.full(len(pair), -entities.shape[1], dtype=np.float32)
        np.maximum.at(best, pair, rewards)
        batches.append((entities, pair, rewards))
    out = []
    for entities, pair, rewards in batches:
        good = np.flatnonzero(rewards >= best[pair] - settings.window)
        for j in range(entities.shape[1] - 2):
            before = entities[good, j - 1] if j else np.full(len(good), -1)
            left = np.full(len(good), settings.max_hops - j - 1)
            out.append(
                _Choices(rows[pair[good]], entities[good, j], before, left, entities[good, j + 1], rewards[good])
            )
    return out, np.isfinite(best)


def _states(found: _Choices, settings: DemonstrationSettings, connected: NDArray[np.bool_]) -> Demonstrations:
    """Group choices by state, keep each neighbor's best reward, and share by softmax."""
    order = np.lexsort((-found.reward, found.entity, found.before, found.current, found.left, found.pair))
    found = _rows(found, order)
    new_state = _changes(found.pair, found.left, found.current, found.before)
    kept = new_state | _changes(found.entity)
    found, new_state = _rows(found, kept), new_state[kept]
    starts = np.flatnonzero(new_state)
    state = np.cumsum(new_state) - 1
    best = np.maximum.reduceat(found.reward, starts)
    share = np.exp((found.reward - best[state]) / np.float32(settings.temperature))
    share /= np.add.reduceat(share, starts)[state]
    first = _rows(found, starts)
    bounds = np.append(starts, len(state)).astype(np.int64)
    share = share.astype(np.float32)
    return Demonstrations(first.pair, first.current, first.before, first.left, bounds, found.entity, share, connected)


def _changes(*columns: Int64) -> NDArray[np.bool_]:
    """Bool [n]: where any column differs from the row before; the first row does."""
    out = np.ones(len(columns[0]), dtype=bool)
    out[1:] = False
    for column in columns:
        out[1:] |= column[1:] != column[:-1]
    return out
