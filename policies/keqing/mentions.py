"""Which words of a question name an entity: span look-up, and a small model that tells right mentions from chance ones.

"Other" is a film and "what" nearly one ("What?"): look-up alone finds too much, so the mention is chosen together with
the chain (`policies.keqing.compact_decomposer`), and what is learned here says how likely a span is meant at all.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kg.store import GraphStore
from kg.text import Token, fold_name, tokens
from kg.types import EntityHit
from policies.keqing.naming import countries
from policies.keqing.question_words import FUNCTION_WORDS

MAX_WORDS = 64
"""Words of a question that are searched for mentions; a longer question is searched in its last ones."""
_MAX_SPAN = 12  # words of a name; longer names are found by their first words with typo-tolerant search
_FUZZY_SPANS = 20  # windows that are searched with typos
_SHORT = 0.85  # the score of an entity that is named by initials, of a country that is named by its people

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


@dataclass(frozen=True, slots=True)
class Question:
    """A question in folded words, with its mentions by their place."""

    text: str
    words: tuple[Token, ...]
    mentions: tuple[Mention, ...]

    @property
    def plain(self) -> list[str]:
        """The folded words alone."""
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
        for j in range(unknown[0] + 1, min(len(words), i + _MAX_SPAN) + 1):
            spans[i, j] = text[start : ends[j - 1]]
    return spans


def _capital_places(words: Sequence[Token], text: str) -> set[int]:
    """Words written with a capital where most others are not: part of a name, whatever they mean."""
    places = {
        place
        for place, word in enumerate(words)
        if place and text[word.start].isupper() and word.text not in FUNCTION_WORDS
    }
    return places if 2 * len(places) <= len(words) else set()


async def find_mentions(texts: Sequence[str], store: GraphStore, known: Container[str] = ()) -> list[Question]:
    """The questions with the spans that name an entity but for case, accents and punctuation: one look-up for all.

    Spans of `known` words alone are passed over: words that questions are made of ("what", "the other") name films too.
    """
    split = [split_question(text) for text in texts]
    spans = [span_texts(words, text, known) for words, text in zip(split, texts, strict=True)]
    distinct = list(dict.fromkeys(span for found in spans for span in found.values()))
    hits = dict(zip(distinct, await store.find(distinct, fuzzy=False), strict=True))
    return [
        Question(
            text,
            words,
            tuple(Mention(i, j, span, tuple(hits[span])) for (i, j), span in found.items() if hits[span]),
        )
        for text, words, found in zip(texts, split, spans, strict=True)
    ]


async def find_similar(
    question: Question, known: Container[str], store: GraphStore, initials: Mapping[str, Sequence[str]] | None = None
) -> tuple[Mention, ...]:
    """Mentions that no name is to the letter: parts of names, peoples for their countries, initials, then typos.

    Windows that begin and end with a word outside `known` are searched, the longest first; typos only in what is
    longer than all else that fits, since ordinary words resemble names too ("dominant", Dominica).
    """
    plain = question.plain
    unknown = [i for i, word in enumerate(plain) if word not in known]
    names = {(i, j + 1) for i in unknown for j in unknown if i <= j < i + _MAX_SPAN}
    # One more word on either side may belong to the name, though questions hold it too: "united states".
    wider = names | {(i - 1, j) for i, j in names if i and plain[i - 1] not in FUNCTION_WORDS}
    wider |= {(i, j + 1) for i, j in wider if j < len(plain) and plain[j] not in FUNCTION_WORDS}
    windows = sorted(wider, key=lambda w: (w[0] - w[1], w[0]))[:_FUZZY_SPANS]
    spans = {w: question.text[question.words[w[0]].start : question.words[w[1] - 1].end] for w in windows}
    partial = await store.find_partial(list(spans.values()))
    found = [
        [*await _short_for(span, store, initials or {}), *hits]
        for span, hits in zip(spans.values(), partial, strict=True)
    ]
    longest = max((j - i for (i, j), hits in zip(windows, found, strict=True) if hits), default=0)
    misspelt = [place for place, (i, j) in enumerate(windows) if j - i > longest and (i, j) in names]
    for place, hits in zip(misspelt, await store.find([list(spans.values())[i] for i in misspelt]), strict=True):
        found[place] = hits
    return tuple(
        Mention(i, j, span, tuple(hits)) for ((i, j), span), hits in zip(spans.items(), found, strict=True) if hits
    )


async def with_initials(question: Question, store: GraphStore, initials: Mapping[str, Sequence[str]]) -> Question:
    """The question with what its mentions are the initials of as further candidates: "UK" is a currency too."""
    mentions = []
    for mention in question.mentions:
        keys = initials.get(fold_name(mention.text), ()) if mention.stop - mention.start == 1 else ()
        found = [hit for hits in await store.find(keys, limit=1, fuzzy=False) for hit in hits] if keys else []
        known = {hit.id for hit in mention.hits}
        more = [replace(hit, score=_SHORT, match="partial") for hit in found if hit.id not in known]
        mentions.append(replace(mention, hits=(*mention.hits, *sorted(more, key=lambda hit: -hit.degree))))
    return replace(question, mentions=tuple(mentions))


async def _short_for(span: str, store: GraphStore, initials: Mapping[str, Sequence[str]]) -> list[EntityHit]:
    """The entities of these initials, and the country whose people or language a single word names."""
    folded = fold_name(span)
    whole = [hit for hits in await store.find(initials.get(folded, ()), limit=1, fuzzy=False) for hit in hits]
    whole.sort(key=lambda hit: -hit.degree)
    names = countries(folded) if " " not in folded else []
    people = [hit for hits in await store.find(names, limit=1, fuzzy=False) for hit in hits][:1] if names else []
    return [replace(hit, score=_SHORT, match="partial") for hit in (*whole, *people)]


FEATURES = 11


def mention_features(question: Question, known: Container[str], *, lowered: bool = False) -> Floats:
    """What tells a right mention from a chance one, without its letters: float64 [mentions, FEATURES].

    Words, their logarithm, not inside a longer mention, look-up score, spelt to the letter, capital first, share of
    its words in `known` (words of the questions' own phrasing), all of them known, words outside it that are unknown
    (any; how many), log degree. `lowered` reads the question as if it were typed without capitals.
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
        rows.append(
            [size / 4, np.log(size), not covered, score, exact, capital, *shares, outside > 0, outside / 3, degree]
        )
    return np.array(rows, dtype=np.float64).reshape(-1, FEATURES)


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
    np.array([0.4, 1.0, 0.7, 8.0, 0.5, 0.4, -2.0, -2.0, -0.6, -0.9, -0.05]),
    np.zeros(FEATURES),
    np.ones(FEATURES),
)
"""For a KG without pairs, set by hand: long, well spelt names of words that no question is made of."""


def train_mention_model(features: Sequence[Floats], gold: Sequence[int], steps: int = 300) -> MentionModel:
    """Softmax regression over each question's spans; `gold[i]` is the place of the right one among `features[i]`.

    Without a question of two spans or more there is nothing to choose, and the weights stay zero.
    """
    stacked = np.vstack(features) if features else np.zeros((1, FEATURES))
    mean, deviation = stacked.mean(axis=0), stacked.std(axis=0) + 1e-3
    chosen = [(f, g) for f, g in zip(features, gold, strict=True) if len(f) > 1]
    weights = np.zeros(FEATURES)
    if chosen:
        padded, mask, target = _pad([((f - mean) / deviation, g) for f, g in chosen])
        for _ in range(steps):
            logits = np.where(mask, padded @ weights, -np.inf)
            share = np.exp(logits - logits.max(axis=1, keepdims=True))
            share /= share.sum(axis=1, keepdims=True)
            gradient = np.einsum("nkf,nk->f", padded, share - target) / len(padded)
            weights -= 0.5 * (gradient + 1e-3 * weights)
    return MentionModel(weights, mean, deviation)


def _pad(questions: Sequence[tuple[Floats, int]]) -> tuple[Floats, NDArray[np.bool_], Floats]:
    """Features [n, k, FEATURES], which of the k spans exist, and the right one as one-hot [n, k]."""
    most = max(len(f) for f, _ in questions)
    padded, mask = np.zeros((len(questions), most, FEATURES)), np.zeros((len(questions), most), dtype=bool)
    target = np.zeros((len(questions), most))
    for row, (found, gold) in enumerate(questions):
        padded[row, : len(found)], mask[row, : len(found)], target[row, gold] = found, True, 1.0
    return padded, mask, target
