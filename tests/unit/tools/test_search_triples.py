"""Dense triples around entities: the two look-ups give what embedding every "relation end" would."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from trivium.kg.embedders import CachedEmbedder, additive
from trivium.kg.embedders.base import FloatArray
from trivium.kg.embedders.static import StaticEmbedder
from trivium.kg.indexes import relation_words
from trivium.knowledge.knowledge import Knowledge
from trivium.tools.search_triples import search_triples


class WholeTexts:
    """A static embedder that does not say that its vectors add up."""

    def __init__(self) -> None:
        self._inner = StaticEmbedder()
        self.name, self.dimensions = self._inner.name, self._inner.dimensions
        self.fingerprint = self._inner.fingerprint

    def embed(self, texts: Sequence[str]) -> FloatArray:
        return self._inner.embed(texts)


QUESTION = "which actors starred in it"


async def test_the_additive_score_is_the_cosine_of_relation_and_tail(films: Knowledge, kg_name: str) -> None:
    found = await search_triples(kg_name, QUESTION, ["heat", "alien"], 50)
    ends = await films.store.labels([item.triple.end for item in found])
    texts = [f"{relation_words(item.triple.relation)} {end}" for item, end in zip(found, ends, strict=True)]
    exact = films.embedder.embed(texts) @ films.embedder.embed([QUESTION])[0]
    np.testing.assert_allclose([item.score for item in found], exact, atol=1e-5)
    assert len(found) == 12


async def test_an_embedder_without_sums_gives_the_same(films: Knowledge) -> None:
    whole = Knowledge(films.path, films.store, CachedEmbedder(WholeTexts()))
    assert additive(whole.embedder) is None
    quick, general = [await search_triples.operation(base, QUESTION, ["heat"], 20) for base in (films, whole)]
    assert {item.triple for item in quick} == {item.triple for item in general}
    assert [item.score for item in quick] == pytest.approx([item.score for item in general], abs=1e-5)


async def test_best_first_and_no_more_than_asked(kg_name: str) -> None:
    found = await search_triples(kg_name, QUESTION, ["heat"], 2)
    assert [item.triple.relation for item in found] == ["starring", "starring"]
    everything = await search_triples(kg_name, QUESTION, ["heat"], 100)
    assert everything[:2] == found
    scores = [item.score for item in everything]
    assert scores == sorted(scores, reverse=True)


async def test_a_triple_between_two_of_the_entities_counts_once_a_direction(kg_name: str) -> None:
    found = await search_triples(kg_name, QUESTION, ["heat", "heat", "deniro"], 100)
    triples = [item.triple for item in found]
    assert len(triples) == len(set(triples))
    assert {triple.start for triple in triples} == {"heat", "deniro"}
    assert await search_triples(kg_name, QUESTION, ["nobody"]) == []
