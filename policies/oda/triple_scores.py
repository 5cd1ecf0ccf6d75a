"""Cosines of triples with a question: "relation end" in words, exact and fast where the embedder's vectors add up.

With the static embedder the vector of "relation tail" is the sum of both vectors, so every triple is scored exactly by
two look-ups and no vector per triple is computed (design: "mean-pooled static vectors add up").
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from trivium.kg.embedders import additive
from trivium.kg.indexes import relation_words
from trivium.kg.knowledge_base import KnowledgeBase
from trivium.kg.types import ValueText, WalkedTriple

_INLINE = 64  # triples scored in the event loop where vectors add up: a millisecond


class ScoredTriple(NamedTuple):
    """A triple and the cosine of "relation end" with the question, in [-1, 1]."""

    triple: WalkedTriple
    score: float


async def rank(base: KnowledgeBase, question: str, triples: Sequence[WalkedTriple], limit: int) -> list[ScoredTriple]:
    """These triples, each once, by their cosine with the question, best first, at most `limit`; ties as they came."""
    triples = list(dict.fromkeys(triples))
    if not triples:
        return []
    # Rows are half floats: quick for a hub's triples, exact to 4 digits; a few triples are scored to the last one.
    scores = _by_rows(base, question, triples) if len(triples) > _INLINE else None
    if scores is None:
        scores = await _by_words(base, question, triples)
    order = np.argsort(-scores, kind="stable")[:limit]
    return [ScoredTriple(triples[i], float(scores[i])) for i in order]


def _by_rows(base: KnowledgeBase, question: str, triples: Sequence[WalkedTriple]) -> npt.NDArray[np.float32] | None:
    """Cosines by the rows of entities and relations, float32 [n]; None where there are none, or not for all triples."""
    vectors = base.additive_vectors()
    if vectors is None:
        return None
    snapshot = vectors.snapshot
    keys = [triple.end for triple in triples]
    ends = snapshot.rows(keys)
    codes = np.array([snapshot.relation_codes.get(triple.relation, -1) for triple in triples])
    values = np.array([place for place, key in enumerate(keys) if isinstance(key, ValueText)], dtype=np.int64)
    ends[values] = snapshot.value_rows(codes[values], [keys[place] for place in values.tolist()])
    if ends.min() < 0 or codes.min() < 0:  # of a live database, newer than its snapshot
        return None
    (asked,) = base.embedder.embed([question])
    return vectors.cosines(asked, codes, ends)


async def _by_words(base: KnowledgeBase, question: str, triples: Sequence[WalkedTriple]) -> npt.NDArray[np.float32]:
    """Cosines of the triples in words, float32 [n]."""
    ends = await base.store.labels([triple.end for triple in triples])
    words = [relation_words(triple.relation) for triple in triples]
    if len(triples) <= _INLINE and additive(base.embedder):
        return triple_cosines(base, question, words, ends)
    return await asyncio.to_thread(triple_cosines, base, question, words, ends)


def triple_cosines(
    base: KnowledgeBase, question: str, relations: Sequence[str], ends: Sequence[str]
) -> npt.NDArray[np.float32]:
    """Cosine of the question with each "relation end", float32 [n]; relations and ends in words, [n] each."""
    (asked,) = base.embedder.embed([question])
    sums = additive(base.embedder)
    if sums is None:
        phrases = [f"{r} {e}" for r, e in zip(relations, ends, strict=True)]
        place = {text: number for number, text in enumerate(dict.fromkeys(phrases))}
        vectors = base.embedder.embed(list(place)) @ asked
        return np.asarray(vectors[[place[text] for text in phrases]], dtype=np.float32)
    texts = list(dict.fromkeys([*relations, *ends]))
    row = {text: place for place, text in enumerate(texts)}
    table = sums.token_sums(texts)
    added = table[[row[r] for r in relations]] + table[[row[e] for e in ends]]
    lengths = np.maximum(np.linalg.norm(added, axis=1), np.float32(1e-9))
    cosines: npt.NDArray[np.float32] = (added @ asked / lengths).astype(np.float32)
    return cosines
