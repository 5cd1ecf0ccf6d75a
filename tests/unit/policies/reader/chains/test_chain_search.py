"""Chains by the schema's words: ranked, bounded in memory, the same whether a schema is scored whole or in parts."""

from __future__ import annotations

import numpy as np
import pytest

from trivium.kg.embedders.opening import HashingEmbedder
from trivium.kg.types import Hop
from trivium.policies.reader.chains import chain_search
from trivium.policies.reader.chains.chain_search import ChainModel
from trivium.policies.reader.chains.decomposer import MASK
from trivium.policies.reader.chains.schema_words import HopWords
from trivium.policies.reader.chains.segment_model import SegmentModel
from trivium.policies.reader.chains.wording import Wording

A, B, C = (Hop(name, False) for name in ("alpha", "beta", "gamma"))
HOPS = tuple(sorted(Hop(hop.relation, inverse) for hop in (A, B, C) for inverse in (False, True)))
SEGMENTS = SegmentModel.of(
    {hop: HopWords({hop.relation: 1.0}, {}, {}) for hop in HOPS}, HOPS, np.ones((6, 6), np.float32), HashingEmbedder()
)


def _wording(text: str) -> Wording:
    words = tuple(text.split())
    return Wording(words, words.index(MASK))


def test_what_is_kept_of_wordings_is_bounded_and_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    wordings = [_wording(f"which {word} is the alpha of [mask]") for word in ("one", "two", "three", "four")]
    plenty, few = ChainModel(SEGMENTS), ChainModel(SEGMENTS)
    said = [plenty.best(wording, [A, B], 5) for wording in wordings]
    monkeypatch.setattr(chain_search, "_REMEMBERED", plenty._whole.bytes // 2)
    assert [few.best(wording, [A, B], 5) for wording in wordings] == said
    assert len(plenty._whole) == 4
    assert 1 <= len(few._whole) < 4
    assert plenty.best(wordings[0], [B], 1)[0].chain[0] == B, "what is kept serves other first hops"


def test_given_chains_have_the_scores_that_they_are_ranked_by() -> None:
    model, wording = ChainModel(SEGMENTS), _wording("alpha of beta of [mask]")
    found, kept = model.scored(wording, model.codes(HOPS))
    ranked = model.ranked(found, kept, 30)
    assert found.scores([chain for _, chain in ranked]).tolist() == [score for score, _ in ranked]
    assert found.scores([(0, 1, 2, 3)]) == [float(found.words.min())], "longer than any"


def test_scores_fall_and_the_limit_holds() -> None:
    model = ChainModel(SEGMENTS)
    found = model.best(_wording("alpha of beta [mask]"), [A, B, C], 12)
    assert len(found) == 12
    assert [item.score for item in found] == sorted((item.score for item in found), reverse=True)
    assert len({item.chain for item in found}) == 12
    assert all(item.chain[0] in (A, B, C) for item in found)
    assert model.best(_wording("alpha [mask]"), [], 5) == []


@pytest.mark.parametrize(("word", "explained"), [("alpha", True), ("zebra", False)])
def test_words_that_are_like_none_are_told(word: str, explained: bool) -> None:
    assert ChainModel(SEGMENTS).explains(word) is explained


def test_a_small_schema_scored_whole_says_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    model, firsts = ChainModel(SEGMENTS), [[A], [B, C], list(HOPS)]
    for text in ("alpha of beta of [mask]", "qqq gamma [mask]", "beta [mask]"):
        whole = [model.best(_wording(text), first, 20) for first in firsts]
        with monkeypatch.context() as patch:
            patch.setattr("trivium.policies.reader.chains.chain_search._SMALL", 0)
            each = [model.best(_wording(text), first, 20) for first in firsts]
        assert whole == each
        assert {scored.chain[0] for scored in whole[0]} == {A}
