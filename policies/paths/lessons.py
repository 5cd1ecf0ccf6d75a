"""From questions to the pairs a path policy learns on: entities of the question, and of all its candidate answers.

Which answer is right is never looked at where a question has choices: the gold would leak into the targets, and a
policy trained on it would be asked for what it cannot know. A line without choices names its candidates by its answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from trivium.kg.embedded.columns import Int64
from trivium.kg.errors import BadInputError
from trivium.kg.loaders import Question
from trivium.kg.store import GraphStore
from trivium.kg.text import Token, tokens

MAX_SOURCES = 8
"""Entities of a question that are started from, the first."""
_SPAN = 5  # words of a name that is looked for
_SHORT = 3  # letters below which a single word names nothing
_BATCH = 20_000  # spans looked up at once

# fmt: off
_FUNCTION_WORDS = frozenset({
    "about", "all", "and", "any", "are", "been", "but", "can", "could", "did", "does", "for", "from", "had", "has",
    "have", "her", "him", "his", "how", "its", "may", "might", "not", "off", "one", "our", "out", "own", "she",
    "should", "some", "such", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this",
    "those", "too", "very", "was", "were", "what", "when", "where", "which", "who", "whom", "whose", "why", "will",
    "with", "would", "you", "your",
})
# fmt: on
"""Words that a commonsense KG may well name ("which", "off") and that no question is about."""


class Lessons(NamedTuple):
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


def _tells(word: str) -> bool:
    return len(word) >= _SHORT and word not in _FUNCTION_WORDS


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


async def make_lessons(store: GraphStore, questions: Sequence[Question], number: dict[str, int]) -> Lessons:
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
    return Lessons(np.array(pairs, dtype=np.int64), np.array(of, dtype=np.int64), [q.question for q in questions])
