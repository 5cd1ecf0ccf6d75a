"""Whether what a reading leads to is what the question asks for."""

from __future__ import annotations

import numpy as np
import pytest

from trivium.kg.embedders.opening import HashingEmbedder
from trivium.kg.types import EntityHit, Hop
from trivium.policies.reader.chains.chain_search import ChainModel
from trivium.policies.reader.chains.mentions import DEFAULT_MENTION_MODEL, Mention, SplitQuestion, split_question
from trivium.policies.reader.chains.open_world import support
from trivium.policies.reader.chains.readings import ChainReader, ChainReading, Topic
from trivium.policies.reader.chains.schema_words import HopWords
from trivium.policies.reader.chains.segment_model import SegmentModel
from trivium.policies.reader.chains.wording import KnownWords
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
