"""Whether what a reading leads to is what the question asks for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from trivium.kg.embedders.opening import HashingEmbedder
from trivium.kg.types import EntityHit, Hop, LogicalChain
from trivium.policies.reader.chains.chain_search import ChainModel
from trivium.policies.reader.chains.decomposer import MASK
from trivium.policies.reader.chains.mentions import DEFAULT_MENTION_MODEL, Mention, SplitQuestion, split_question
from trivium.policies.reader.chains.open_world import support
from trivium.policies.reader.chains.readings import ChainReader, ChainReading, Topic
from trivium.policies.reader.chains.schema_words import HopWords
from trivium.policies.reader.chains.scoring.examples import ChainExample
from trivium.policies.reader.chains.scoring.loglinear import train_log_linear
from trivium.policies.reader.chains.scoring.scorer import ChainCandidates, LearnedReader, Mix
from trivium.policies.reader.chains.segment_model import SegmentModel
from trivium.policies.reader.chains.wording import KnownWords, Wording
from trivium.policies.reader.english import classes

SPOUSE, YEAR, TOWN = (Hop(name, False) for name in ("spouse", "year", "town"))
_ENDS = {SPOUSE: "who", YEAR: "when", TOWN: "where"} | {Hop(f"thing{n}", False): "what" for n in range(6)}
HOPS = tuple(sorted([*_ENDS, *(Hop(hop.relation, True) for hop in _ENDS)]))
SEGMENTS = SegmentModel.of(
    {hop: HopWords({hop.relation: 1.0}, {_ENDS[hop]: 1.0} if hop in _ENDS else {}, {}) for hop in HOPS},
    HOPS,
    np.ones((len(HOPS), len(HOPS)), np.float32),
    HashingEmbedder(),
)
READER = ChainReader(
    ChainModel(SEGMENTS), KnownWords(classes().question, frozenset(SEGMENTS.stems)), DEFAULT_MENTION_MODEL
)


@pytest.mark.parametrize(
    ("text", "hop", "misfit"),
    [
        ("when did zork marry ?", SPOUSE, True),
        ("who did zork marry ?", SPOUSE, False),
        ("when did zork marry ?", YEAR, False),
        ("what of zork ?", SPOUSE, False),
        ("when was zork ?", Hop("thing0", False), False),  # nothing is known of what it leads to
        ("who knows when zork was ?", TOWN, False),  # two question words
    ],
)
def test_a_person_is_no_answer_to_when(text: str, hop: Hop, misfit: bool) -> None:
    words = split_question(text)
    place = [word.text for word in words].index("zork")
    name = Mention(place, place + 1, "zork", (EntityHit("zork", "zork", 1.0, 3, "exact"),))
    reading = ChainReading(0.0, (Topic(name, (hop,)),))
    assert support(SplitQuestion(text, words, (name,)), reading, [reading], READER).misfit is misfit


@pytest.mark.parametrize(
    ("shown", "chain", "misfit"),
    [
        ("who does [mask] belong to ?", (TOWN,), False),  # pairs ask for a town with this very word
        ("who does [mask] belong to ?", (SPOUSE, TOWN), False),
        ("where is [mask] ?", (TOWN,), True),
        ("who does [mask] belong to ?", (TOWN, SPOUSE), True),  # there it asks for a spouse
        ("whose town is [mask] ?", (TOWN,), True),
    ],
)
def test_what_pairs_ask_for_with_a_word_is_an_answer_to_it(shown: str, chain: LogicalChain, misfit: bool) -> None:
    text = "who does zork supply ?"
    words = split_question(text)
    name = Mention(2, 3, "zork", (EntityHit("zork", "zork", 1.0, 3, "exact"),))
    reading = ChainReading(0.0, (Topic(name, (TOWN,)),))
    asked = tuple(shown.split())
    example = ChainExample(Wording(asked, asked.index(MASK)), tuple(SEGMENTS.number[hop] for hop in chain))
    scorer = train_log_linear([example], SEGMENTS, HashingEmbedder(), lambda *_: None)
    known = ChainCandidates(ChainModel(SEGMENTS), scorer, {}, frozenset({len(chain)}), 1, {chain: frozenset({shown})})
    assert support(SplitQuestion(text, words, (name,)), reading, [reading], READER).misfit
    taught = replace(READER, learned=LearnedReader(known, Mix(0.3, 1.0)))
    assert support(SplitQuestion(text, words, (name,)), reading, [reading], taught).misfit is misfit


@pytest.mark.parametrize(
    ("text", "detour"),
    [
        ("what year for zork ?", True),  # what the spouse has; no word says the spouse
        ("what year for the spouse of zork ?", False),
    ],
)
def test_a_longer_chain_is_a_detour_where_no_word_says_what_it_adds(text: str, detour: bool) -> None:
    words = split_question(text)
    place = [word.text for word in words].index("zork")
    name = Mention(place, place + 1, "zork", (EntityHit("zork", "zork", 1.0, 3, "exact"),))
    chosen = ChainReading(0.0, (Topic(name, (SPOUSE, YEAR)),))
    shorter = ChainReading(1.0, (Topic(name, (YEAR,)),))
    assert support(SplitQuestion(text, words, (name,)), chosen, [shorter, chosen], READER).detour is detour


@pytest.mark.parametrize(
    ("text", "misfit"),
    [
        ("which town did zork marry ?", True),  # the word speaks for another relation than the one that was chosen
        ("who is the town of zork ?", True),
        ("who is the quux of the spouse of zork ?", True),  # and nothing is known of quuxes
        ("who is the spouse of zork ?", False),
        ("who is the quux of zork ?", False),  # the word may be another one for the relation
    ],
)
def test_what_is_asked_for_has_to_be_said_by_the_chain(text: str, misfit: bool) -> None:
    words = split_question(text)
    place = [word.text for word in words].index("zork")
    name = Mention(place, place + 1, "zork", (EntityHit("zork", "zork", 1.0, 3, "exact"),))
    reading = ChainReading(0.0, (Topic(name, (SPOUSE,)),))
    assert support(SplitQuestion(text, words, (name,)), reading, [reading], READER).misfit is misfit
