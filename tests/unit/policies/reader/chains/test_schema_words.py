"""Words for hops: from names of every shape, English beside them, types, neighbours, and a user's own."""

from __future__ import annotations

import numpy as np
import pytest

from trivium.kg.types import Hop, RelationSchema
from trivium.policies.reader.chains.lexicon import Lexicon, lexicon, parse_concepts, stem
from trivium.policies.reader.chains.schema_words import HopWords, hop_words, split_name


def _words(*schema: RelationSchema, synonyms: dict[str, list[str]] | None = None) -> dict[str, HopWords]:
    hops = sorted(Hop(relation.name, inverse) for relation in schema for inverse in (False, True))
    found = hop_words(schema, lexicon(), hops, np.zeros((len(hops), len(hops)), np.float32), synonyms)
    return {str(hop): words for hop, words in found.items()}


@pytest.mark.parametrize(
    ("words", "common"),
    [
        ("directed directs directing direct", "direct"),
        ("movies movie", "movi"),
        ("countries country", "countri"),
        ("employees employee", "employe"),
    ],
)
def test_endings_fall_off(words: str, common: str) -> None:
    assert {stem(word) for word in words.split()} == {common}
    assert (stem("was"), stem("日本の"), stem("class")) == ("was", "日本の", "class")


def test_a_name_that_ends_in_by_leads_to_the_doer() -> None:
    words = _words(RelationSchema("directed_by", 1, 1, 1))
    assert {"director", "filmmaker", "who"} <= set(words["directed_by"].end)
    assert {"film", "movi"} <= set(words["directed_by"].start)
    assert words["^directed_by"].end == words["directed_by"].start
    assert words["directed_by"].own["direct"] == 1.0


def test_a_path_is_read_as_type_and_property() -> None:
    name = "/film/actor/film./film/performance/film"
    assert split_name(name) == (["film"], ["actor"], ["film", "performanc"])
    words = _words(RelationSchema(name, 1, 1, 1))
    assert words[name].end["film"] == 1.0
    assert "movi" in words[name].end
    assert words[name].start["actor"] >= 0.8
    assert split_name("/a/b") == (["a", "b"], [], [])


def test_the_noun_for_what_a_deed_is_done_to_says_no_deed() -> None:
    names = ("/film/actor/film./film/performance/film", "/film/director/film", "/film/film/produced_by")
    words = _words(*(RelationSchema(name, 1, 1, 1) for name in names))
    played, directed, produced = (words[name] for name in names)
    assert "direct" in directed.own
    assert "direct" not in {*played.own, *played.start, *produced.own, *produced.start}
    assert {"movi", "film"} <= {*played.end} & {*produced.start}
    assert "direct" in _words(RelationSchema("film", 1, 1, 1))["film"].own, "a bare name may say the deed"


def test_a_path_with_dots_is_read_as_one_with_strokes() -> None:
    name = "/film/actor/film./film/performance/film"
    dotted = "http://rdf.freebase.com/ns/film.actor.film..film.performance.film"
    assert split_name(dotted) == split_name(name)
    assert _words(RelationSchema(dotted, 1, 1, 1))[dotted] == _words(RelationSchema(name, 1, 1, 1))[name]
    assert split_name("games.price") == (["gam", "pric"], [], []), "two parts are no path"
    assert split_name("Version 1.2.3") == split_name("version_1_2_3"), "nor are numbers"


def test_a_path_from_who_does_a_deed_to_what_it_is_done_to_is_said_by_the_deed() -> None:
    names = ("/film/actor/film./film/performance/film", "/film/director/film", "/film/actor/award", "/film/film/actor")
    words = _words(*(RelationSchema(name, 1, 1, 1) for name in names))
    played, directed, awarded, _ = (set(words[name].own) for name in names)
    assert {"plai", "appear", "act"} <= played & set(words[f"^{names[0]}"].own)
    assert "direct" in directed
    assert "plai" not in directed
    assert awarded.isdisjoint({"plai", "appear"})


def test_the_head_of_a_name_is_what_it_leads_to() -> None:
    words = _words(RelationSchema("place_of_birth", 1, 1, 1), RelationSchema("release_year", 1, 1, 1))
    assert words["place_of_birth"].end[stem("place")] == 1.0
    assert {stem("birth"), stem("where")} <= set(words["place_of_birth"].end)
    assert "when" in words["release_year"].end


def test_types_give_nouns_to_both_ends() -> None:
    words = _words(RelationSchema("p57", 1, 1, 1, ("animated movie",), ("sculptor",)))
    assert set(words["p57"].end) >= {"sculptor"}
    assert {"animat", "movi"} <= set(words["p57"].start)
    assert "sculptor" in words["^p57"].start


def test_where_asks_for_one_place_before_it_asks_for_many() -> None:
    several = _words(RelationSchema("state", 110, 100, 5), RelationSchema("district", 100, 20, 20))
    one = _words(RelationSchema("state", 1, 1, 1))["state"].end[stem("where")]
    assert several["state"].end[stem("where")] == one, "a few are in two"
    assert one > several["district"].end[stem("where")] > 0


def test_neighbours_lend_their_nouns() -> None:
    schema = [RelationSchema("directed_by", 1, 1, 1), RelationSchema("xyz", 1, 1, 1)]
    hops = sorted(Hop(relation.name, inverse) for relation in schema for inverse in (False, True))
    follows = np.zeros((4, 4), np.float32)
    follows[hops.index(Hop("xyz", True)), hops.index(Hop("directed_by", False))] = 1.0
    words = hop_words(schema, lexicon(), hops, follows)
    assert 0 < words[Hop("xyz", True)].end["movi"] < 1
    assert "movi" not in words[Hop("xyz", False)].end


def test_synonyms_of_one_direction_stay_there() -> None:
    relation = RelationSchema("parent", 1, 1, 1)
    both, one = _words(relation, synonyms={"parent": ["folks"]}), _words(relation, synonyms={"^parent": ["heirs"]})
    assert both["parent"].own["folk"] == both["^parent"].own["folk"] == 1.0
    assert "heir" in one["^parent"].own
    assert "heir" not in one["parent"].own


def test_the_lexicon_reads_compounds_and_its_own_lines() -> None:
    assert lexicon().parts("citytown") == ["citi", "town"]
    assert lexicon().parts("genre") == []
    (deed, noun) = parse_concepts(["direct > director > film movie  # a deed", "# nothing", "year date"])
    assert (deed.doers, noun.words) == (
        frozenset({"director"}),
        frozenset({"year", "date"} & {stem("year")} | {stem("date")}),
    )
    assert Lexicon((deed,)).about("director") == [deed]
    assert len(lexicon().concepts) > 100


def test_without_types_a_name_s_last_noun_says_which_asking_word_asks_for_it() -> None:
    where = stem("where")
    words = _words(*(RelationSchema(name, 1, 1, 1) for name in ("citytown", "time_zone", "tint")))
    assert words["citytown"].end[where] > words["time_zone"].end[where] > 0  # a time zone is asked for by "when", too
    assert where not in words["tint"].end
    value = RelationSchema("floor", 1, 1, 1, kind="number")
    assert where not in _words(value)["floor"].end, "a number is no place"
    typed = RelationSchema("drawn_by", 1, 1, 1, ("Map",), ("Person",))
    assert where not in _words(typed, RelationSchema("floor", 1, 1, 1))["floor"].end, "types say more"
