"""What goes into a database's queries without a database: quoting, full-text syntax, values, views, addresses."""

from __future__ import annotations

import re
from dataclasses import asdict, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.kg.errors import BadInputError
from trivium.kg.naming import Naming
from trivium.kg.neo4j import administration as admin
from trivium.kg.neo4j import cypher
from trivium.kg.neo4j.address import Address, address_of, is_uri
from trivium.kg.neo4j.names import part, phrase, similar
from trivium.kg.neo4j.patterns import any_of, arrows, is_forward, quote, stated, text, values_of
from trivium.kg.neo4j.reading import kind_of
from trivium.kg.neo4j.values import aliases_of, is_element, key_of, label_of, own_name, to_entity
from trivium.kg.neo4j.view import MADE, Literal, View, to_view
from trivium.kg.types import Entity, Hop, parse_chain

OWN = View(
    made=False,
    relations=("DIRECTED", "KNOWS", "SOLD BY"),
    names=(Naming("Film", ("title",)), Naming("Order", ("number",), prefix=True), Naming("", ("name", "surname"))),
    literals=(Literal("year", "year", ("Film",)), Literal("tags", "tags", ())),
    qualifiers={"KNOWS": ("since",)},
    reversed=("SOLD BY",),
    symmetric=("KNOWS",),
)
_ESCAPE = re.compile(r"\\u([0-9A-Fa-f]{4})")


def read_by_cypher(query: str) -> str:
    r"""What Cypher sees: it replaces `\uXXXX` anywhere before it reads anything else."""
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), query)


@given(st.text())
def test_a_quoted_name_cannot_close_its_quotes(name: str) -> None:
    seen = read_by_cypher(quote(name))
    assert (seen[0], seen[-1]) == ("`", "`")
    assert seen[1:-1].replace("``", "") == seen[1:-1].replace("`", ""), "every backtick inside is doubled"
    assert seen[1:-1].replace("``", "`") == name


@given(st.text())
def test_a_string_literal_cannot_be_left(value: str) -> None:
    seen = read_by_cypher(text(value))[1:-1]
    assert re.fullmatch(r"(?:[^'\\]|\\\\|\\')*", seen, re.DOTALL), "quotes and backslashes are all escaped"
    assert re.sub(r"\\(.)", r"\1", seen, flags=re.DOTALL) == value


@given(st.text(alphabet='ab +-&|!(){}[]^"~*?:\\/<>=AND', max_size=40))
def test_no_word_of_a_text_is_full_text_syntax(name: str) -> None:
    folded = name.lower()
    bare = re.compile(r'(?<!\\)(?:\\\\)*[+\-!(){}\[\]^"*?:/&|<>=]')
    for word in similar(folded).split():
        assert not bare.search(re.sub(r"~[12]$", "", word)), word
    for word in part(folded).split():
        assert word.startswith("+")
        assert not bare.search(word[1:]), word
    inside = phrase(folded)[1:-1]
    assert re.sub(r"\\(.)", r"\1", inside) == folded
    assert not re.search(r'(?<!\\)(?:\\\\)*"', inside)


def test_typos_are_allowed_by_the_length_of_a_word() -> None:
    assert similar("of an alien starship") == "of an alien~1 starship~2"
    assert similar(" ".join("abcdefghijklmnop")).count(" ") == 11, "of a long text the first twelve words"
    assert similar("") == part("") == ""
    assert part("sir scott") == "+sir +scott"


@pytest.mark.parametrize(
    ("type_name", "kind"),
    [
        ("INTEGER NOT NULL", "number"), ("FLOAT NOT NULL", "number"), ("STRING NOT NULL", "text"),
        ("BOOLEAN NOT NULL", "boolean"), ("DATE NOT NULL", "date"), ("ZONED DATETIME NOT NULL", "datetime"),
        ("LOCAL DATETIME NOT NULL", "datetime"), ("LOCAL TIME NOT NULL", "time"), ("DURATION NOT NULL", "duration"),
        ("POINT NOT NULL", "point"), ("LIST<DATE NOT NULL> NOT NULL", "date"), ("LIST<NOTHING> NOT NULL", "text"),
        ("LIST<INTEGER NOT NULL | FLOAT NOT NULL> NOT NULL", "number"),
        ("LIST<INTEGER NOT NULL | STRING NOT NULL> NOT NULL", "text"),
    ],
)  # fmt: skip
def test_types_of_cypher_are_kinds_of_values(type_name: str, kind: str) -> None:
    assert kind_of(type_name) == kind


@given(st.text(max_size=40))
def test_any_short_text_is_its_own_key(written: str) -> None:
    assert key_of(written) == written


def test_ids_too_long_for_an_index_have_a_digest_for_a_key() -> None:
    long = "ü" * 3_000  # 6,000 bytes
    assert key_of(long).startswith("sha256:")
    assert key_of(long) != key_of(long + "x")
    assert key_of("\ud800") == "\ud800"
    assert is_element("4:007e947d-fb2d-41c5-85fc-4b17bdf0a408:12")
    assert not is_element("4:007e947d-fb2d-41c5-85fc-4b17bdf0a408:12 OR 1=1")


def test_a_node_is_named_by_the_first_of_its_properties_else_by_type_and_number() -> None:
    id_ = "4:007e947d-fb2d-41c5-85fc-4b17bdf0a408:12"
    # title, number, name, surname
    assert own_name(OWN, ["Alien", None, "other", None], ["Film"]) == "Alien"
    assert own_name(OWN, ["Alien", None, "Ridley", " Scott "], ["Person"]) == "Ridley Scott", (
        "a title names films alone"
    )
    assert own_name(OWN, [None, "10248", None, None], ["Order"]) == "Order 10248"
    assert own_name(OWN, [" ", None, None, None], ["Film"]) is None
    assert label_of(OWN, id_, [None] * 4, ["Person", "Actor"]) == "Actor 12"
    assert label_of(OWN, id_, [None] * 4, []) == "node 12"
    assert (aliases_of("Tom &amp; Jerry"), aliases_of("R&B"), aliases_of("Alien")) == (("Tom & Jerry",), (), ())
    assert to_entity(OWN, id_, ["Tom &amp; Jerry", None, None, None], None, ["Film"]).aliases == ("Tom & Jerry",)
    assert label_of(OWN, "1999", [None] * 4, None) == "1999", "a value is its own label"
    assert label_of(MADE, "Q1", None, []) == "Q1"
    assert to_entity(MADE, "Q1", "Alien", ["b", "a"], None) == Entity("Q1", "Alien", ("a", "b"), ())


def test_patterns_run_with_the_arrow_against_it_or_both_ways() -> None:
    assert arrows(MADE, (), inverse=False) == ["-[r]->"]
    assert arrows(MADE, ["a b"], inverse=True) == ["<-[r:`a b`]-"]
    assert arrows(OWN, ["DIRECTED"], inverse=False) == ["-[r:`DIRECTED`]->"]
    assert arrows(OWN, ["SOLD BY"], inverse=False) == arrows(replace(OWN, reversed=()), ["SOLD BY"], inverse=True)
    assert arrows(OWN, ["KNOWS"], inverse=True) == arrows(OWN, ["KNOWS"], inverse=False) == ["-[r:`KNOWS`]-"]
    assert len(arrows(OWN, OWN.relations, inverse=False)) == 3
    assert arrows(OWN, [], inverse=False) == [], "without a relation there is nothing to walk, not everything"
    assert "CASE" not in is_forward(OWN, "h"), "Neo4j 5.26 takes false OR CASE … THEN false END for true"
    assert stated(MADE) == "(h)-[r]->(t) WHERE type(r) = row[1]"
    assert any_of([]) == ""


@pytest.mark.parametrize(
    ("chain", "may"),
    [
        (["DIRECTED", "^DIRECTED", "year"], True),
        (["year"], True),
        (["year", "^year"], False),  # equal values are unrelated
        (["year", "DIRECTED"], False),  # nothing leaves a value
        (["^year"], False),  # a value is no entity that a chain starts from
        (["unknown"], False),
        ([], True),
    ],
)
def test_chains_end_at_a_value(chain: list[str], may: bool) -> None:
    assert cypher.walkable(OWN, parse_chain(chain)) is may


def test_what_the_schema_does_not_hold_is_asked_in_a_query_that_finds_nothing() -> None:
    bare = View(made=False)
    assert "LIMIT 0" in cypher.neighbors(bare, None, "both")
    assert values_of(bare.literals, "n") == "[]"
    assert not bare.knows(Hop("x", inverse=False))
    assert OWN.literal("year") == OWN.literals[0]
    assert OWN.literal("KNOWS") is None


def test_a_view_is_kept_as_json_and_read_again() -> None:
    assert to_view(asdict(OWN)) == OWN
    assert (OWN.way("KNOWS"), OWN.way("SOLD BY"), OWN.way("DIRECTED")) == ("symmetric", "reversed", "stored")
    with pytest.raises(KeyError):
        to_view({key: value for key, value in asdict(OWN).items() if key != "symmetric"})
    assert "2 * count(r)" in admin.sampled_counts(OWN, "KNOWS")
    assert "1 * count(r)" in admin.sampled_counts(OWN, "DIRECTED")


@pytest.mark.parametrize("uri", ["bolt://h", "neo4j+s://h:1", "BOLT+SSC://h"])
def test_uris_of_neo4j_are_told_from_paths(uri: str) -> None:
    assert is_uri(uri)
    assert not is_uri(f"./{uri.partition('://')[2]}")
    assert not is_uri("http://h")


def test_an_address_is_written_one_way_and_shows_no_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIVIUM_NEO4J_PASSWORD", "planted")
    monkeypatch.setenv("TRIVIUM_NEO4J_USER", "me")
    monkeypatch.setenv("TRIVIUM_NEO4J_DATABASE", "films")
    monkeypatch.setenv("SHOP_PASSWORD", "other")
    found = address_of("BOLT://Host/")
    assert (found.uri, found.database, found.user, found.password) == ("bolt://host:7687", "films", "me", "planted")
    assert "planted" not in repr(found) + str(found)
    shop = address_of("bolt://h:1", "mine", "NO_SUCH_USER", "SHOP_PASSWORD")
    assert shop == Address("bolt://h:1", "mine", None, "other")
    assert found.folder_name == address_of("bolt://host:7687", user_variable="NO_SUCH_USER").folder_name
    assert found.folder_name != address_of("bolt://host:7687", "other").folder_name
    assert address_of("bolt://[::1]:5").uri == "bolt://[::1]:5"


@pytest.mark.parametrize(
    ("uri", "said"),
    [
        ("bolt://me:planted@host", "must not hold user and password"),
        ("bolt://", "not a Neo4j URI"),
        ("bolt://host/films", "TRIVIUM_NEO4J_DATABASE"),
        ("bolt://host?x=1", "not a Neo4j URI"),
        ("bolt://host:port", "cannot be read"),
        ("bolt://[::1", "cannot be read"),
    ],
)
def test_a_bad_uri_is_told_without_its_password(uri: str, said: str) -> None:
    with pytest.raises(BadInputError, match=said) as refused:
        address_of(uri)
    assert "planted" not in str(refused.value)
