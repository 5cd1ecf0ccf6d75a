"""Which way round a sentence says a relation: names, agents, passives, and what the model makes of them."""

from __future__ import annotations

import numpy as np
import pytest

from trivium.kg.embedders.static import StaticEmbedder
from trivium.kg.types import Hop, RelationSchema
from trivium.policies.reader.chains.chain_search import ChainModel
from trivium.policies.reader.chains.decomposer import MASK
from trivium.policies.reader.chains.lexicon import lexicon, parse_asked, stem
from trivium.policies.reader.chains.schema_words import hop_words
from trivium.policies.reader.chains.segment_model import SegmentModel
from trivium.policies.reader.chains.voice import doers_of, is_passive, voice_of
from trivium.policies.reader.chains.wording import Wording


@pytest.mark.parametrize(
    ("names", "voice"),
    [
        (
            "http://ex.org/worksFor FOLLOWS ACTED_IN located_in REVIEWED belongs-to-class teachesCourse treats",
            1,
        ),
        ("directed_by SHIPPED_BY encodedBy /film/film/directed_by", -1),
        (
            "director place_of_birth people.person.lived_in genres hasGenre starred_actors /award/award/nominated_for",
            0,
        ),
    ],
)
def test_a_name_says_which_way_round_it_is_read(names: str, voice: int) -> None:
    assert {name: voice_of(name, lexicon()) for name in names.split()} == dict.fromkeys(names.split(), voice)


def test_who_does_a_deed() -> None:
    assert {"follower", "director", "supplier"} <= {
        noun for verb in ("follow", "direct", "suppli") for noun in doers_of(verb)
    }
    assert stem("followers") in doers_of(stem("FOLLOWS".lower()))


def test_by_makes_a_passive() -> None:
    words = ["films", "directed", "by", "[mask]", "and", "later", "shown", "by", "others"]
    assert [place for place in range(len(words)) if is_passive(words, place)] == [0, 1, 5, 6]


def test_asking_words_and_what_they_may_ask_for() -> None:
    asked = parse_asked(["who person people  # a comment", "who? company", "# nothing", "", "where city company"])
    assert asked["person"] == {"who": 1.0}
    assert asked["compani"] == {"who": 0.5, "where": 1.0}
    assert set(asked) == {"person", stem("people"), "compani", "citi"}


SCHEMA = [
    RelationSchema("REPORTS_TO", 8, 8, 4, ("Employee",), ("Employee",)),
    RelationSchema("WORKS_FOR", 9, 9, 3, ("Employee",), ("Company",)),
    RelationSchema("FOUNDED_BY", 3, 3, 3, ("Company",), ("Employee",)),
    RelationSchema("MANUFACTURES", 7, 3, 7, ("Company",), ("Product",)),
    RelationSchema("BASED_IN", 3, 3, 3, ("Company",), ("City",)),
    RelationSchema("LOCATED_IN", 3, 3, 2, ("City",), ("Country",)),
]


def _company() -> ChainModel:
    """A model of the schema alone, every hop following wherever types meet."""
    hops = tuple(sorted(Hop(each.name, inverse) for each in SCHEMA for inverse in (False, True)))
    types = {each.name: (each.head_types[0], each.tail_types[0]) for each in SCHEMA}
    ends = [types[hop.relation][::-1] if hop.inverse else types[hop.relation] for hop in hops]
    follows = np.array([[float(one[1] == two[0]) for two in ends] for one in ends], dtype=np.float32)
    words = hop_words(SCHEMA, lexicon(), hops, follows)
    return ChainModel(SegmentModel.of(words, hops, follows, StaticEmbedder()))


@pytest.fixture(scope="module")
def company() -> ChainModel:
    return _company()


@pytest.mark.parametrize(
    ("question", "chain"),
    [
        ("who reports to [mask]", "^REPORTS_TO"),
        ("who does [mask] report to", "REPORTS_TO"),
        ("who works for [mask]", "^WORKS_FOR"),
        ("where does [mask] work", "WORKS_FOR"),
        ("which company did [mask] found", "^FOUNDED_BY"),
        ("who founded [mask]", "FOUNDED_BY"),
        ("what was founded by [mask]", "^FOUNDED_BY"),
        ("who manufactures the [mask]", "^MANUFACTURES"),
        ("products manufactured by [mask]", "MANUFACTURES"),
        ("where is [mask] based", "BASED_IN"),
        ("in which country is [mask] based", "BASED_IN LOCATED_IN"),
        ("who works for the company that manufactures [mask]", "^MANUFACTURES ^WORKS_FOR"),
    ],
)
def test_direction_and_length_from_the_schema_alone(company: ChainModel, question: str, chain: str) -> None:
    words = tuple(question.split())
    found = company.best(Wording(words, words.index(MASK)), company.segments.hops, 3)
    assert " ".join(map(str, found[0].chain)) == chain
    assert found[0].score > found[1].score


def test_types_say_who_and_where_better_than_a_deeds_words() -> None:
    words = hop_words(SCHEMA, lexicon(), (), np.zeros((0, 0), np.float32))
    assert words[Hop("WORKS_FOR", True)].end["who"] > words[Hop("WORKS_FOR", False)].end["who"] > 0
    assert "wher" in words[Hop("BASED_IN", False)].end  # words are looked up by their stems
    assert "who" not in words[Hop("LOCATED_IN", False)].end
    untyped = hop_words([RelationSchema("directed_by", 1, 1, 1)], lexicon(), (), np.zeros((0, 0), np.float32))
    assert "who" in untyped[Hop("directed_by", False)].end


def test_without_types_word_order_alone_tells_people_from_people() -> None:
    schema = [RelationSchema("REPORTS_TO", 8, 8, 4), RelationSchema("FOUNDED_BY", 3, 3, 3)]
    hops = tuple(sorted(Hop(each.name, inverse) for each in schema for inverse in (False, True)))
    follows = np.ones((len(hops), len(hops)), dtype=np.float32)
    words = hop_words(schema, lexicon(), hops, follows)
    model = ChainModel(SegmentModel.of(words, hops, follows, StaticEmbedder()))
    for question, chain in (("who reports to [mask]", "^REPORTS_TO"), ("who does [mask] report to", "REPORTS_TO")):
        asked = tuple(question.split())
        assert " ".join(map(str, model.best(Wording(asked, asked.index(MASK)), hops, 1)[0].chain)) == chain


def test_the_order_of_types_does_not_matter() -> None:
    ends = [
        hop_words([RelationSchema("OWNED_BY", 1, 1, 1, (), types)], lexicon(), (), np.zeros((0, 0), np.float32))
        for types in (("Person", "Company"), ("Company", "Person"))
    ]
    assert [each[Hop("OWNED_BY", False)].end["who"] for each in ends] == [pytest.approx(0.9)] * 2
    assert all("peopl" in each[Hop("OWNED_BY", False)].end for each in ends)


def test_accents_fall_off_as_in_questions() -> None:
    words = hop_words([RelationSchema("dirigé_par", 1, 1, 1)], lexicon(), (), np.zeros((0, 0), np.float32))
    assert "dirige" in words[Hop("dirigé_par", False)].own or "dirig" in words[Hop("dirigé_par", False)].own
    assert not any("é" in word for word in words[Hop("dirigé_par", False)].own)
