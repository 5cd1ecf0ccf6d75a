"""What pairs taught beside what the schema says: added where pairs have shown it, held back where they have not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from trivium.kg.embedders.opening import HashingEmbedder
from trivium.kg.types import EntityHit, Hop, LogicalChain
from trivium.policies.reader.chains.chain_search import ChainModel
from trivium.policies.reader.chains.decomposer import MASK
from trivium.policies.reader.chains.mentions import Mention, SplitQuestion, split_question
from trivium.policies.reader.chains.schema_words import HopWords
from trivium.policies.reader.chains.scoring.examples import ChainExample
from trivium.policies.reader.chains.scoring.learn import HeldOut
from trivium.policies.reader.chains.scoring.loglinear import train_log_linear
from trivium.policies.reader.chains.scoring.scorer import ChainCandidates, LearnedReader, Mix
from trivium.policies.reader.chains.segment_model import SegmentModel
from trivium.policies.reader.chains.wording import Wording

A, B, C = (Hop(name, False) for name in ("alpha", "beta", "gamma"))
HOPS = tuple(sorted(Hop(hop.relation, inverse) for hop in (A, B, C) for inverse in (False, True)))
SEGMENTS = SegmentModel.of(
    {hop: HopWords({hop.relation: 1.0}, {}, {}) for hop in HOPS}, HOPS, np.ones((6, 6), np.float32), HashingEmbedder()
)
EVERY = frozenset(HOPS)
MIX = Mix(0.3, 1.0)


def _wording(text: str) -> Wording:
    words = tuple(text.split())
    return Wording(words, words.index(MASK))


def _taught(pairs: dict[str, LogicalChain], mix: Mix = MIX) -> LearnedReader:
    examples = [
        ChainExample(_wording(text), tuple(SEGMENTS.number[hop] for hop in chain))
        for text, chain in pairs.items()
        for _ in range(4)
    ]
    words: dict[str, frozenset[str]] = {}
    for text, chain in pairs.items():
        for word in set(text.split()) - {MASK}:
            words[word] = words.get(word, frozenset()) | {hop.relation for hop in chain}
    scorer = train_log_linear(examples, SEGMENTS, HashingEmbedder(), lambda *_: None)
    lengths = frozenset(len(chain) for chain in pairs.values() if chain)
    shown = {chain: frozenset(text for text, other in pairs.items() if other == chain) for chain in pairs.values()}
    return LearnedReader(ChainCandidates(ChainModel(SEGMENTS), scorer, words, lengths, len(pairs), shown), mix)


def _best(taught: LearnedReader, text: str) -> LogicalChain:
    return _readings(taught, text.replace(MASK, "zork"), ("zork",))[0]


def _readings(taught: LearnedReader, text: str, names: Sequence[str]) -> list[LogicalChain]:
    """The chains of the best reading of a question with these names."""
    words = split_question(text)
    plain = [word.text for word in words]
    mentions = tuple(
        Mention(plain.index(name), plain.index(name) + 1, name, (EntityHit(name, name, 1.0, 3, "exact"),))
        for name in names
    )
    found = taught.readings(
        SplitQuestion(text, words, mentions), np.zeros(len(names)), dict.fromkeys(names, EVERY), taught.candidates.words
    )
    return [chain for _, chain in max(found, key=lambda reading: reading.score).topics]


def test_pairs_teach_words_that_the_schema_has_not() -> None:
    taught = _taught({"qqq xyzzy [mask]": (B,), "qqq plugh [mask]": (A,)})
    assert [_best(taught, f"qqq {word} [mask]") for word in ("xyzzy", "plugh")] == [(B,), (A,)]


def test_a_relation_that_no_pair_has_is_found_by_its_own_words() -> None:
    taught = _taught({"qqq xyzzy [mask]": (B,), "qqq plugh [mask]": (A,), "qqq xyzzy of [mask]": (B,)}, Mix(1.0, 0.4))
    assert _best(taught, "qqq gamma of [mask]") == (C,)


def test_a_new_word_for_a_relation_that_no_pair_has_outweighs_the_words_that_pairs_have() -> None:
    pairs: dict[str, LogicalChain] = {
        f"which {noun} does {MASK} play for ?": (A,) for noun in ("side", "eleven", "squad")
    }
    taught = _taught(pairs, Mix(0.1, 1.0))
    assert _best(taught, f"which squad does {MASK} play for ?") == (A,)
    assert _best(taught, f"which gamma does {MASK} play for ?") == (C,)
    shown = _taught(
        {**pairs, f"the gamma of {MASK} ?": (C,), f"which beta does {MASK} play for ?": (A,)}, Mix(0.1, 1.0)
    )
    assert _best(shown, f"which beta does {MASK} play for ?") == (A,)  # a word that pairs have means what they say


def test_a_wording_that_says_nothing_that_pairs_say_is_left_to_the_schema() -> None:
    taught = _taught({"qqq xyzzy [mask]": (B,), "who xyzzy the qqq [mask]": (B,), "qqq plugh [mask]": (A,)})
    strange = "who gamma the wibble [mask]"
    assert _best(taught, strange) == ChainModel(SEGMENTS).best(_wording(strange), HOPS, 1)[0].chain
    trusted = [
        taught.candidates.of(_wording(text), EVERY).trust
        for text in (strange, "xyzzy wibble [mask]", "qqq xyzzy [mask]")
    ]
    assert trusted == [0.0, 0.5, 1.0]


def test_lengths_that_no_pair_has_are_decided_by_the_schema() -> None:
    taught = _taught({"alpha of [mask]": (A,), "beta of [mask]": (B,)})
    text = "alpha of beta of [mask]"
    assert _best(taught, text) == ChainModel(SEGMENTS).best(_wording(text), [A, B], 1)[0].chain == (B, A)


def test_names_that_pairs_show_as_topics_are_intersected_and_others_are_not() -> None:
    taught = _taught(
        {
            "xyzzy [mask] with plugh <name>": (A,),
            "xyzzy <name> with plugh [mask]": (B,),
            "qqq [mask] in wibble <name>": (C,),
            "qqq <name> in wibble [mask]": (),
        }
    )
    assert _readings(taught, "xyzzy zork with plugh frob", ("zork", "frob")) == [(A,), (B,)]
    assert _readings(taught, "qqq zork in wibble frob", ("zork", "frob")) == [(C,)]


def test_a_wording_is_shown_as_it_stands_whatever_its_other_names_are() -> None:
    taught = _taught({"qqq [mask] in wibble <name>": (A,), "qqq wibble [mask]": (B,)}).candidates
    assert taught.shows(_wording("qqq [mask] in wibble <name> <name>"), (A,))
    assert not taught.shows(_wording("qqq [mask] in wibble <name>"), (B,))
    for other in ("qqq [mask] wibble", "qqq in wibble [mask]", "when qqq wibble [mask]"):
        assert not taught.shows(_wording(other), (B,))


def test_a_wording_that_pairs_show_is_read_as_they_show_it_however_little_they_count_beside_the_schema() -> None:
    pairs: dict[str, LogicalChain] = {"gamma of [mask]": (A,), "beta of [mask]": (B,), "the beta of [mask] now": (B, C)}
    taught = _taught(pairs, Mix(1.0, 0.05))
    assert ChainModel(SEGMENTS).best(_wording("gamma of [mask]"), HOPS, 1)[0].chain == (C,)
    assert [_best(taught, text) for text in pairs] == list(pairs.values())
    assert _best(taught, "gamma for [mask]") == (C,)  # another wording is not shown
    left = taught.candidates.of(_wording("gamma of [mask]"), EVERY - {A})
    assert not left.shown  # nor is the wording, of what the shown chain cannot leave


def test_a_schema_that_lost_a_relation_is_read_all_the_same() -> None:
    taught = _taught({"qqq xyzzy [mask]": (B,), "qqq plugh [mask]": (A,)})
    hops = tuple(hop for hop in HOPS if hop.relation != "alpha")
    words = {hop: HopWords({hop.relation: 1.0}, {}, {}) for hop in hops}
    smaller = ChainModel(SegmentModel.of(words, hops, np.ones((4, 4), np.float32), HashingEmbedder()))
    moved = taught.on(smaller)
    assert _best(moved, "qqq xyzzy [mask]") == (B,)
    assert _best(moved, "qqq plugh [mask]")[0] in hops


def test_a_probability_follows_the_share() -> None:
    plain, unsure = Mix(), Mix(scale=0.5, shift=-0.5)
    assert plain.probability(0.8) == pytest.approx(0.8)
    assert unsure.probability(0.5) < 0.5 < unsure.probability(0.95) < 0.95
    assert 0 < plain.probability(0.0) < plain.probability(1.0) < 1


def test_an_interval_holds_its_figure() -> None:
    held = HeldOut(50, 0.8, 1.0, used=True, mix=Mix())
    low, high = held.interval(held.before)
    assert (round(low, 2), round(high, 2)) == (0.67, 0.89)
    assert held.interval(1.0)[0] < 1
