"""Which words of a question name an entity: span look-up, and a small model that tells right mentions from chance ones.

"Other" is a film and "what" nearly one ("What?"): look-up alone finds too much, so the mention is chosen together with
the chain (`policies.reader.chains.compact_decomposer`); what is learned here says how likely a span is meant at all.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from trivium.kg.store import GraphStore
from trivium.kg.text import Token, tokens
from trivium.kg.types import EntityHit
from trivium.policies.reader.english import classes

MAX_WORDS = 64
"""Words of a question that are searched for mentions; a longer question is searched in its last ones."""
MAX_SPAN = 12  # words of a name; longer names are found by their first words with typo-tolerant search

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Mention:
    """Words `start:stop` of a question and the entities that they may name, best first, never empty."""

    start: int
    stop: int
    text: str
    hits: tuple[EntityHit, ...]

    def overlaps(self, other: Mention) -> bool:
        """Whether the two share a word."""
        return self.start < other.stop and other.start < self.stop

    def inside(self, other: Mention) -> bool:
        """Whether the other one covers this one and more."""
        return other.start <= self.start and self.stop <= other.stop and self != other


@dataclass(frozen=True)
class SplitQuestion:
    """A question in folded words, with its mentions by their place."""

    text: str
    words: tuple[Token, ...]
    mentions: tuple[Mention, ...]

    @cached_property
    def plain(self) -> Sequence[str]:
        """The folded words alone, a list."""
        return [word.text for word in self.words]


def split_question(text: str) -> tuple[Token, ...]:
    """The folded words of a question that are read, the last `MAX_WORDS`."""
    return tuple(tokens(text)[-MAX_WORDS:])


def span_texts(words: Sequence[Token], text: str, known: Container[str] = ()) -> dict[tuple[int, int], str]:
    """Every span of words that could be a name, as it stands in the question; not one of `known` words alone."""
    capitals = _capital_places(words, text)
    unknown = [place for place, word in enumerate(words) if word.text not in known or place in capitals]
    starts, ends = [word.start for word in words], [word.end for word in words]
    spans = {}
    for i, start in enumerate(starts):
        while unknown and unknown[0] < i:
            del unknown[0]
        if not unknown:
            break
        for j in range(unknown[0] + 1, min(len(words), i + MAX_SPAN) + 1):
            spans[i, j] = text[start : ends[j - 1]]
    return spans


def _capital_places(words: Sequence[Token], text: str) -> set[int]:
    """Words written with a capital where most others are not: part of a name, whatever they mean."""
    places = {
        place
        for place, word in enumerate(words)
        if place and text[word.start].isupper() and word.text not in classes().function
    }
    return places if 2 * len(places) <= len(words) else set()


async def find_mentions(texts: Sequence[str], store: GraphStore, known: Container[str] = ()) -> list[SplitQuestion]:
    """The questions with the spans that name an entity but for case, accents and punctuation: one look-up for all.

    Spans of `known` words alone are passed over: words that questions are made of ("what", "the other") name films too.
    """
    split = [split_question(text) for text in texts]
    spans = [span_texts(words, text, known) for words, text in zip(split, texts, strict=True)]
    distinct = list(dict.fromkeys(span for found in spans for span in found.values()))
    hits = dict(zip(distinct, await store.find(distinct, fuzzy=False), strict=True))
    return [
        SplitQuestion(
            text,
            words,
            tuple(Mention(i, j, span, tuple(hits[span])) for (i, j), span in found.items() if hits[span]),
        )
        for text, words, found in zip(texts, split, spans, strict=True)
    ]


FEATURES = 14


def mention_features(question: SplitQuestion, known: Container[str], *, lowered: bool = False) -> Floats:
    """What tells a right mention from a chance one, without its letters: float64 [mentions, FEATURES].

    Words, their logarithm, not inside a longer mention, look-up score, spelt to the letter, capital first, share of
    its words in `known` (words of the questions' own phrasing), all of them known, words outside it that are unknown
    (any; how many), log degree, a part of a name (or by initials or a people), misspelt, right beside a name that is
    better connected ("cleveland ohio"). `lowered` reads the question as if it were typed without capitals.
    """
    plain = question.plain
    unknown_before = np.cumsum([0, *[word not in known for word in plain]])
    rows = []
    for mention in question.mentions:
        size = max(mention.stop - mention.start, 1)  # a topic that no word names has none
        inside = int(unknown_before[mention.stop] - unknown_before[mention.start])
        outside = int(unknown_before[-1]) - inside
        capital = mention.text[:1].isupper() and not lowered
        best = mention.hits[0]
        exact = best.match == "exact" and not (lowered and mention.text != mention.text.lower())
        covered = any(mention.inside(other) for other in question.mentions)
        degree = np.log1p(max(hit.degree for hit in mention.hits))
        similar = best.match in ("fuzzy", "partial")
        score = best.score if similar else 1.0
        shares = [1 - inside / size, inside == 0]
        kinds = [best.match == "partial", best.match == "fuzzy", _beside_a_greater(mention, question.mentions)]
        rows.append(
            [
                size / 4,
                np.log(size),
                not covered,
                score,
                exact,
                capital,
                *shares,
                outside > 0,
                outside / 3,
                degree,
                *kinds,
            ]
        )
    return np.array(rows, dtype=np.float64).reshape(-1, FEATURES)


def _beside_a_greater(mention: Mention, others: Sequence[Mention]) -> bool:
    """Whether a name that has more triples stands right before or after this one, found as well."""
    own = mention.hits[0]
    return any(
        (other.stop == mention.start or other.start == mention.stop)
        and other.hits[0].score >= own.score
        and other.hits[0].degree > own.degree
        for other in others
    )


@dataclass(frozen=True)
class MentionModel:
    """Log-linear choice among a question's spans: weights, means and deviations of the features, float64 [FEATURES]."""

    weights: Floats
    mean: Floats
    deviation: Floats

    def log_odds(self, features: Floats) -> Floats:
        """Unnormalised log-probability that each span is meant, float64 [n]."""
        out: Floats = ((features - self.mean) / self.deviation) @ self.weights
        return out


DEFAULT_MENTION_MODEL = MentionModel(
    np.array([0.4, 1.0, 0.7, 8.0, 0.5, 0.4, -2.0, -2.0, -0.6, -0.9, -0.05, 0.0, 0.0, 0.5]),
    np.zeros(FEATURES),
    np.ones(FEATURES),
)
"""For a KG without pairs, set by hand: long, well spelt names of words that no question is made of."""


def train_mention_model(features: Sequence[Floats], gold: Sequence[int], steps: int = 300) -> MentionModel:
    """Softmax regression over each question's spans; `gold[i]` is the place of the right one among `features[i]`.

    The weights set by hand are where it starts, and what few questions are drawn back to: n questions weigh n times
    as much as they do. So ten pairs do not unlearn what names look like.
    """
    stacked = np.vstack(features) if features else np.zeros((1, FEATURES))
    mean, deviation = stacked.mean(axis=0), stacked.std(axis=0) + 1e-3
    chosen = [(f, g) for f, g in zip(features, gold, strict=True) if len(f) > 1]
    prior = DEFAULT_MENTION_MODEL.weights * deviation
    weights = prior.copy()
    if chosen:
        padded, mask, target = _pad([((f - mean) / deviation, g) for f, g in chosen])
        for _ in range(steps):
            logits = np.where(mask, padded @ weights, -np.inf)
            share = np.exp(logits - logits.max(axis=1, keepdims=True))
            share /= share.sum(axis=1, keepdims=True)
            gradient = np.einsum("nkf,nk->f", padded, share - target) / len(padded)
            weights -= 0.5 * (gradient + (weights - prior) / len(padded))
    return MentionModel(weights, mean, deviation)


def _pad(questions: Sequence[tuple[Floats, int]]) -> tuple[Floats, NDArray[np.bool_], Floats]:
    """Features [n, k, FEATURES], which of the k spans exist, and the right one as one-hot [n, k]."""
    most = max(len(f) for f, _ in questions)
    padded, mask = np.zeros((len(questions), most, FEATURES)), np.zeros((len(questions), most), dtype=bool)
    target = np.zeros((len(questions), most))
    for row, (found, gold) in enumerate(questions):
        padded[row, : len(found)], mask[row, : len(found)], target[row, gold] = found, True, 1.0
    return padded, mask, target
