"""What pairs taught beside what the schema says: added where pairs have shown it, held back where they have not."""

from __future__ import annotations

import numpy as np
import pytest

from trivium.kg.embedders.hashing import HashingEmbedder
from trivium.kg.types import Hop
from trivium.policies.keqing import chain_search
from trivium.policies.keqing.chain_search import ChainModel, TaughtSlots
from trivium.policies.keqing.decomposer import MASK
from trivium.policies.keqing.schema_words import HopWords
from trivium.policies.keqing.segment_model import SegmentModel
from trivium.policies.keqing.slot_model import SlotSettings, train_slot_model
from trivium.policies.keqing.wording import Encoder, Vocabulary, Wording

BUCKETS = 512
A, B, C = (Hop(name, False) for name in ("alpha", "beta", "gamma"))
HOPS = tuple(sorted(Hop(hop.relation, inverse) for hop in (A, B, C) for inverse in (False, True)))
SEGMENTS = SegmentModel.of(
    {hop: HopWords({hop.relation: 1.0}, {}, {}) for hop in HOPS}, HOPS, np.ones((6, 6), np.float32), HashingEmbedder()
)


def _wording(text: str) -> Wording:
    words = tuple(text.split())
    return Wording(words, words.index(MASK))


def _taught(pairs: dict[str, tuple[Hop, ...]]) -> ChainModel:
    wordings = [_wording(text) for text in pairs]
    words = {word for wording in wordings for word in wording.words} - {MASK}
    encoder = Encoder(Vocabulary.learn(sorted(words), HashingEmbedder()), BUCKETS)
    settings = SlotSettings(feature_dropout=0.0, epochs=60)
    encoded, chains = [encoder.encode(wording) for wording in wordings], list(pairs.values())
    slots = train_slot_model(encoded, chains, [1.0] * len(pairs), BUCKETS, settings, lambda *_: None)
    return ChainModel(SEGMENTS, TaughtSlots(slots, encoder, frozenset(map(len, chains)), len(pairs)))


def test_pairs_teach_words_that_the_schema_has_not() -> None:
    wording = _wording("qqq xyzzy [mask]")
    untaught = ChainModel(SEGMENTS).best(wording, [A, B], 2)
    assert abs(untaught[0].score - untaught[1].score) < 0.1, "the schema's words know no difference"
    taught = _taught({"qqq xyzzy [mask]": (B,), "qqq plugh [mask]": (A,)})
    assert [taught.best(_wording(f"qqq {word} [mask]"), [A, B], 1)[0].chain for word in ("xyzzy", "plugh")] == [
        (B,),
        (A,),
    ]


def test_what_is_kept_of_wordings_is_bounded_and_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    wordings = [_wording(f"which {word} is the alpha of [mask]") for word in ("one", "two", "three", "four")]
    plenty, few = ChainModel(SEGMENTS), ChainModel(SEGMENTS)
    said = [plenty.best(wording, [A, B], 5) for wording in wordings]
    monkeypatch.setattr(chain_search, "_REMEMBERED", 1)
    assert [few.best(wording, [A, B], 5) for wording in wordings] == said
    assert (len(plenty._whole), len(few._whole)) == (4, 1)
    assert plenty.best(wordings[0], [B], 1)[0].chain[0] == B, "what is kept serves other first hops"


def test_a_relation_that_no_pair_has_is_found_by_its_own_words() -> None:
    taught = _taught({"qqq xyzzy [mask]": (B,), "qqq plugh [mask]": (A,), "qqq xyzzy of [mask]": (B,)})
    best = taught.best(_wording("qqq gamma of [mask]"), [A, B, C], 3)
    assert best[0].chain == (C,)
    assert best[0].score > best[1].score


def test_a_wording_that_says_nothing_that_pairs_say_is_left_to_the_schema() -> None:
    taught = _taught({"qqq xyzzy [mask]": (B,), "who xyzzy the qqq [mask]": (B,), "qqq plugh [mask]": (A,)})
    strange, half_known = _wording("who gamma the wibble [mask]"), _wording("xyzzy wibble [mask]")
    assert taught.best(strange, [A, B, C], 6) == ChainModel(SEGMENTS).best(strange, [A, B, C], 6)
    assert taught.taught is not None
    trust = [taught.taught.trust(wording) for wording in (strange, half_known, _wording("qqq xyzzy [mask]"))]
    assert trust[0] == 0.0
    assert trust[2] == pytest.approx(2 * trust[1])


def test_lengths_that_no_pair_has_are_decided_by_the_schema() -> None:
    taught = _taught({"alpha of [mask]": (A,), "beta of [mask]": (B,)})
    wording = _wording("alpha of beta of [mask]")
    assert taught.best(wording, [A, B], 1)[0].chain == ChainModel(SEGMENTS).best(wording, [A, B], 1)[0].chain == (B, A)


def test_scores_fall_and_the_limit_holds() -> None:
    for model in (ChainModel(SEGMENTS), _taught({"alpha of [mask]": (A,), "beta alpha [mask]": (A, B)})):
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
    taught = _taught({"qqq xyzzy [mask]": (B,), "alpha of beta of [mask]": (B, A)})
    firsts = [[A], [B, C], list(HOPS)]
    for model in (taught, ChainModel(SEGMENTS)):
        for text in ("alpha of beta of [mask]", "qqq gamma [mask]", "beta [mask]"):
            whole = [model.best(_wording(text), first, 20) for first in firsts]
            with monkeypatch.context() as patch:
                patch.setattr("trivium.policies.keqing.chain_search._SMALL", 0)
                each = [model.best(_wording(text), first, 20) for first in firsts]
            assert whole == each
            assert {scored.chain[0] for scored in whole[0]} == {A}
