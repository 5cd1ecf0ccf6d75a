"""Properties in a KG directory: which relations are, what their values are, and that a value is no entity."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trivium.kg.embedded import EmbeddedStore, build, verify
from trivium.kg.embedded.build import read_input
from trivium.kg.embedded.graph import graph_columns
from trivium.kg.embedded.record import RECORD, meta_of, read_meta, read_tables, reading
from trivium.kg.embedded.search import find
from trivium.kg.embedded.upgrade import read_upgrade, write_upgrade
from trivium.kg.embedded.write import add_triples, delete_triples
from trivium.kg.errors import BadInputError
from trivium.kg.loaders import GraphWriter, read_triples
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.survey import profile_of
from trivium.kg.types import Entity, PropertyKind, QualifiedTriple, Statement, Triple, ValueText, parse_chain

YEARS = [Triple(f"film {i}", "year", str(1990 + i % 7)) for i in range(20)]
FILMS = [*YEARS, Triple("film 1", "sequel_of", "2012"), Triple("2012", "year", "1992")]


def kinds(
    triples: list[Triple], entities: list[Entity] | None = None, **natures: str
) -> dict[str, PropertyKind | None]:
    tables = read_input([triples], entities or [], lambda *_: None, natures)
    return dict(zip(tables.relations, tables.kinds, strict=True))


def test_a_relation_of_typed_tails_is_a_property() -> None:
    assert kinds(FILMS) == {"year": "number", "sequel_of": None}
    dates = [Triple(f"p{i}", "born", f"19{i}0-01-0{i}") for i in range(1, 9)]
    assert kinds([*dates, Triple("p9", "born", "unknown")])["born"] == "date"
    assert kinds([*dates, Triple("p9", "born", "in Rome")])["born"] is None, "one text, and it leads to entities"


def test_numbers_that_are_heads_or_have_names_are_entities() -> None:
    ids = [Triple(str(i), "knows", str(i + 1)) for i in range(30)]
    assert kinds(ids) == {"knows": None}
    listed = [Entity(str(1990 + i), f"the year {i}") for i in range(7)]
    assert kinds(YEARS, listed) == {"year": None}, "an entities file names them"
    bare = [Entity(str(1990 + i), str(1990 + i)) for i in range(7)]
    assert kinds(YEARS, bare) == {"year": "number"}, "listed by their ids alone"


def test_what_is_declared_goes_before_the_guess() -> None:
    assert kinds(FILMS, year="entity") == {"year": None, "sequel_of": None}
    assert kinds(FILMS, year="date")["year"] == "date"
    assert kinds(FILMS, sequel_of="text")["sequel_of"] == "text"
    assert kinds(FILMS, sequel_of="property")["sequel_of"] == "number"
    with pytest.raises(BadInputError, match="unknown relation 'yaer'; closest: 'year'"):
        kinds(FILMS, yaer="number")
    with pytest.raises(BadInputError, match="unknown kind 'int'"):
        kinds(FILMS, year="int")


async def test_a_value_is_no_entity(tmp_path: Path) -> None:
    build(tmp_path / "kg", [FILMS])
    store = EmbeddedStore.open(tmp_path / "kg")
    info = await store.info()
    assert (info.entities, info.triples) == (21, 22)
    assert await store.entities(["1990", "2012"]) == [None, Entity("2012", "2012")]
    assert [hit.id for hits in await store.find(["1990", "2012", "1992"]) for hit in hits] == ["2012"]
    assert await store.find_partial(["1990"]) == [[]]
    assert [len(around) for around in await store.neighbors(["1990", "film 0"])] == [0, 1]
    assert [hop.relation for hop in (await store.hops(["1990"]))[0]] == []
    (reached,) = (await store.follow(["film 0"], parse_chain(["year"]))).reached
    assert (reached.id, reached.path[0].tail) == ("1990", "1990")
    assert isinstance(reached.id, ValueText)
    for chain in (["^year"], ["year", "^year"]):
        assert (await store.follow(["film 0", "1990"], parse_chain(chain))).reached == (), "no chain passes through it"
    assert await store.paths("film 0", "film 7") == [], "of one year, and not related"
    assert not any(
        hop.relation == "year" and hop.inverse for hops in (await store.transitions()).values() for hop in hops
    )
    assert await store.contains([Triple("film 0", "year", "1990"), Triple("film 0", "year", "1991")]) == [True, False]
    assert [row.kind for row in await store.schema()] == ["number", None]
    assert [entity.id async for batch in store.all_entities() for entity in batch if entity.id.startswith("19")] == []
    await store.close()


def test_values_are_sorted_by_what_they_mean_and_have_their_owners(tmp_path: Path) -> None:
    heights = ["9", "10", "-3", "1e2", "unknown", "10.5"]
    build(tmp_path / "kg", [[Triple(f"m{i}", "height", text) for i, text in enumerate(heights)]])
    store = EmbeddedStore.open(tmp_path / "kg")
    snapshot = store.snapshot
    assert snapshot.keys.slice(snapshot.entities, snapshot.size) == ["-3", "9", "10", "10.5", "1e2", "unknown"]
    columns = graph_columns(snapshot)
    numbers, texts = columns.properties["height"]
    assert (numbers.kind, list(numbers.keys)) == ("number", [-3.0, 9.0, 10.0, 10.5, 100.0])
    assert [columns.ids[row] for row in numbers.owners[numbers.starts[1] :]] == ["m0", "m1", "m5", "m3"]
    assert (texts.kind, list(texts.texts)) == ("text", ["unknown"])
    (height,) = profile_of(columns).types[0].properties
    assert (height.kind, height.kinds, height.minimum, height.maximum) == ("number", ("number", "text"), "-3", "1e2")
    assert (height.entities, height.distinct, height.unique, height.lists) == (6, 6, True, False)
    store.close_now()


def test_later_additions_keep_a_relations_nature(tmp_path: Path) -> None:
    path = tmp_path / "kg"
    build(path, [FILMS])
    assert add_triples(path, [Triple("film 3", "year", "Easter"), Triple("film 4", "sequel_of", "1993")]) == 2
    assert add_triples(path, [Triple("film 3", "length", "90 min"), Triple("film 4", "length", "100 min")]) == 2
    store = EmbeddedStore.open(path)
    snapshot = store.snapshot
    assert dict(zip(snapshot.relation_names, snapshot.relation_kinds, strict=True)) == {
        "length": "number", "sequel_of": None, "year": "number",
    }  # fmt: skip
    assert snapshot.row("1993") >= 0
    assert snapshot.row("Easter") == -1
    assert delete_triples(path, [Triple("film 3", "year", "Easter"), Triple("film 3", "year", "1")]) == 1
    assert verify(path) == []
    assert store.snapshot.value_rows(np.array([2]), ["Easter"]).tolist() == [-1]
    store.close_now()


ACTED = Statement((("lines", ValueText("80", "number")), ("role", ValueText("Neo", "text"))), "r7")
OTHER = Statement((("role", ValueText("Other", "text")),))


async def test_relationships_have_properties_of_their_own(tmp_path: Path) -> None:
    path, plain = tmp_path / "kg", Triple("a", "knows", "m")
    acted = QualifiedTriple("a", "acted", "m", (ACTED, OTHER))
    whole = build(path, [[plain, acted, Triple("b", "acted", "m")]])
    store = EmbeddedStore.open(path)
    assert await store.qualifiers([acted, plain]) == [({"lines": "80", "role": "Neo"}, {"role": "Other"}), ()]
    found = [triple async for batch in store.triples(batch_size=1) for triple in batch]
    assert [getattr(triple, "statements", ()) for triple in found] == [(ACTED, OTHER), (), ()]
    statements = graph_columns(store.snapshot).statements["acted"]
    assert len(statements.heads) == 3, "two parallel relationships, and one without properties"
    (lines,) = statements.properties["lines"]
    assert (lines.kind, list(lines.keys)) == ("number", [80.0])
    (acting,) = (each for each in profile_of(graph_columns(store.snapshot)).relationships if each.relation == "acted")
    assert [(each.name, each.entities) for each in acting.properties] == [("lines", 1), ("role", 2)]
    without = build(tmp_path / "other", [[plain, Triple(*acted), Triple("b", "acted", "m")]])
    assert (without.triples, without.hash != whole.hash) == (whole.triples, True)
    assert delete_triples(path, [Triple(*acted)]) == 1
    assert add_triples(path, [QualifiedTriple("a", "acted", "m", (OTHER,)), acted]) == 1
    assert (await store.info()) == whole
    assert verify(path) == []
    await store.close()


@pytest.mark.parametrize("seed", range(3))
def test_counts_and_hashes_follow_random_changes_of_values(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    pool = [Triple(f"e{rng.randrange(9)}", f"p{rng.randrange(3)}", str(rng.randrange(20))) for _ in range(120)]
    pool += [Triple(f"e{rng.randrange(9)}", "r", f"e{rng.randrange(9)}") for _ in range(30)]
    pool = list(dict.fromkeys(pool))
    path, held = tmp_path / "kg", set(pool[:60])
    build(path, [held])
    for _ in range(10):
        some = rng.sample(pool, 25)
        if rng.random() < 0.5:
            assert add_triples(path, some) == len(set(some) - held)
            held |= set(some)
        else:
            assert delete_triples(path, some) == len(held & set(some))
            held -= set(some)
        with reading(path / RECORD) as connection:
            meta = read_meta(connection, path / RECORD)
            assert meta == meta_of(read_tables(connection), meta.version, meta.stamp)
        assert meta.content.triples == len(held)
    assert verify(path) == []


NAME = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=12)
TEXT = st.one_of(NAME, st.integers().map(str), st.floats(allow_nan=False).map(repr), st.dates().map(str))
DATATYPE = st.sampled_from(["", "text", "number", "date", "@de", "http://www.w3.org/2001/XMLSchema#decimal"])
VALUE = st.builds(ValueText, TEXT, DATATYPE)
STATEMENTS = st.lists(
    st.builds(
        lambda given, id_: Statement(tuple(sorted(given.items())), id_),
        st.dictionaries(NAME, VALUE, min_size=1, max_size=3),
        st.sampled_from(["", "r1", "r2"]),
    ),
    min_size=1, max_size=2, unique_by=lambda each: str(each.properties),
).map(tuple)  # fmt: skip
RELATION = NAME.filter(lambda name: not name.startswith("^"))
TRIPLE = st.one_of(
    st.builds(Triple, NAME, RELATION, st.one_of(NAME, VALUE)),
    st.builds(QualifiedTriple, NAME, RELATION, NAME, STATEMENTS),
)


@given(st.lists(TRIPLE, min_size=1, max_size=12), st.sampled_from(["ntriples", "jsonl"]))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=8)
def test_exports_lose_nothing(tmp_path: Path, triples: list[Triple], form: str) -> None:
    folder = Path(__import__("tempfile").mkdtemp(dir=tmp_path))
    first = build(folder / "kg", [triples])
    store = EmbeddedStore.open(folder / "kg")
    file = folder / ("kg.nt" if form == "ntriples" else "kg.jsonl")

    def rows(opened: EmbeddedStore) -> list[object]:
        from trivium.kg.embedded.answers import triples as stream

        snapshot = opened.snapshot
        return [
            (tuple(row), isinstance(row.tail, ValueText), getattr(row, "statements", ()))
            for batch in stream(snapshot, 1000)
            for row in batch
        ]

    from trivium.kg.embedded.answers import triples as stream

    with GraphWriter(file, form) as out:  # type: ignore[arg-type]
        for batch in stream(store.snapshot, 1000):
            out.write(batch)
    again = build(folder / "again", read_triples(file))
    other = EmbeddedStore.open(folder / "again")
    assert again == first
    assert rows(other) == rows(store)
    store.close_now()
    other.close_now()


def _as_before(path: Path) -> None:
    """Turn the record of a KG without values into one of format 1, as version 0.1 wrote it."""
    with closing(sqlite3.connect(path / RECORD)) as connection:
        for table, columns in (
            ("meta", ("statements_low", "statements_high", "statements", "base", "base_version")),
            ("relations", ("kind",)),
        ):
            for column in columns:
                connection.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
        connection.execute("DROP TABLE literals")
        connection.execute("DROP TABLE statements")
        connection.execute("DROP TABLE changes")
        connection.execute("UPDATE meta SET format = 1")
        connection.commit()


@pytest.mark.parametrize("written", [False, True])
async def test_an_older_directory_is_read_as_it_was_until_it_is_upgraded(tmp_path: Path, written: bool) -> None:
    path = tmp_path / "kg"
    before = build(path, [FILMS], natures={"year": "entity"})
    _as_before(path)
    store = EmbeddedStore.open(path)
    assert await store.info() == before
    assert [hit.id for hit in (await store.find(["1990"]))[0]] == ["1990"]
    await store.close()
    if written:
        assert add_triples(path, [Triple("film 3", "year", "2001"), Triple("film 3", "cost", "5")]) == 2
        assert verify(path) == []
    done = read_upgrade(path)
    assert done is not None
    assert done.properties == ["year (number)"], "what was added since is decided already"
    after = write_upgrade(tmp_path / "new", done, lambda *_: None)
    assert (after.triples, after.entities) == (before.triples + 2 * written, 21)
    assert verify(tmp_path / "new") == []
    assert read_upgrade(tmp_path / "new") is None
    assert read_upgrade(tmp_path / "new", {"year": "number"}) is None
    back = read_upgrade(tmp_path / "new", {"year": "entity"})
    assert back is not None
    assert back.entities == ["year"]
    with pytest.raises(BadInputError, match="unknown relation 'yeer'"):
        read_upgrade(tmp_path / "new", {"yeer": "entity"})


def test_hundreds_of_types_and_properties_are_profiled(tmp_path: Path) -> None:
    entities = [Entity(f"e{i}", f"e {i}", (), (f"type `{i % 300}`", "thing")) for i in range(600)]
    facts = [Triple(f"e{i}", f"p{i % 300}", ValueText(str(i), "number")) for i in range(600)]
    facts += [Triple(f"e{i}", "next", f"e{i + 1}") for i in range(599)]
    build(tmp_path / "kg", [facts], entities)
    store = EmbeddedStore.open(tmp_path / "kg")
    profile = profile_of(graph_columns(store.snapshot))
    assert len(profile.types) == 301
    assert profile.types[0].name == "thing"
    assert len(profile.types[0].properties) == 300
    assert sum(each.triples for each in profile.relationships if each.head_type == each.tail_type == "thing") == 599
    store.close_now()


def test_a_property_has_the_unit_that_its_values_share(tmp_path: Path) -> None:
    values = {"length": ("12 km", "30 km"), "size": ("3 m", "4 ft"), "age": ("3", "5 years")}
    facts = [
        Triple(head, name, ValueText(text, "number"))
        for name, texts in values.items()
        for head, text in zip("ab", texts, strict=True)
    ]
    build(tmp_path / "kg", [facts], [Entity(head, head, (), ("road",)) for head in "ab"])
    store = EmbeddedStore.open(tmp_path / "kg")
    (road,) = profile_of(graph_columns(store.snapshot)).types
    assert {each.name: each.unit for each in road.properties} == {"length": "km", "size": "", "age": ""}
    store.close_now()


def test_what_only_repeats_a_relationship_is_marked(tmp_path: Path) -> None:
    def number(value: int) -> ValueText:
        return ValueText(str(value), "number")

    facts = [Triple(f"c{i}", "categoryID", number(i)) for i in range(8)]
    for i in range(30):
        facts += [Triple(f"p{i}", "categoryID", number(i % 8)), Triple(f"p{i}", "price", number(i % 8))]
        facts.append(Triple(f"p{i}", "in_category", f"c{i % 8}"))
    types = [*(Entity(f"p{i}", f"p{i}", (), ("product",)) for i in range(30)),
             *(Entity(f"c{i}", f"c{i}", (), ("category",)) for i in range(8))]  # fmt: skip
    build(tmp_path / "kg", [facts], types)
    store = EmbeddedStore.open(tmp_path / "kg")
    profile = profile_of(graph_columns(store.snapshot))
    marked = {(kind.name, each.name) for kind in profile.types for each in kind.properties if each.foreign_key}
    assert marked == {("product", "categoryID")}, "the price equals the key by chance, and is called otherwise"
    store.close_now()


def test_what_labels_repeat_names_a_type_and_a_key_of_its_own_is_no_foreign_key() -> None:
    entities: list[tuple[str, list[str], dict[str, object]]] = [
        (f"c{i}", ["Case"], {"key": float(1000 + i), "note": f"n {i % 3}"}) for i in range(20)
    ]
    entities += [(f"t{i}", ["Therapy"], {"key": float(1000 + i)}) for i in range(8)]
    entities += [(f"p{i}", ["Person"], {"first": f"Ann{i % 5}", "last": f"Lee{i}"}) for i in range(9)]
    labels = {f"c{i}": f"Case {1000 + i}" for i in range(20)} | {f"p{i}": f"Ann{i % 5} Lee{i}" for i in range(9)}
    graph = GraphColumns.of(entities, [(f"c{i}", "received", f"t{i}") for i in range(8)], labels=labels)
    found = {kind.name: kind for kind in profile_of(graph).types}
    assert found["Person"].naming == ("first", "last")
    assert found["Case"].naming == (), "a label that holds more than the value is no name of that property"
    marked = {(kind.name, each.name) for kind in found.values() for each in kind.properties if each.foreign_key}
    assert marked == {("Therapy", "key")}, "twelve cases without a therapy have the key too"


def test_entities_without_labels_are_named_by_a_property(tmp_path: Path) -> None:
    def text(value: str) -> ValueText:
        return ValueText(value, "text")

    facts = [Triple(f"o{i}", "orderID", ValueText(str(10_248 + i), "number")) for i in range(4)]
    facts += [Triple(f"o{i}", "customer", text("Around the Horn")) for i in range(4)]
    for i, (first, last) in enumerate((("Ann", "Lee"), ("Bob", "Lee"), ("Ann", "Orr &amp; Sons"))):
        facts += [Triple(f"p{i}", "firstname", text(first)), Triple(f"p{i}", "lastname", text(last))]
    facts += [Triple(f"m{i}", "title", text(title)) for i, title in enumerate(("Alien", "Heat", "Ronin"))]
    kinds = {"o": "Order", "p": "Person", "m": "Film"}
    entities = [Entity(head, head, (), (kinds[head[0]],)) for head in dict.fromkeys(row.head for row in facts)]
    build(tmp_path / "kg", [facts], [*entities, Entity("m1", "Heat (1995)", (), ("Film",))])
    store = EmbeddedStore.open(tmp_path / "kg")
    snapshot = store.snapshot
    assert snapshot.naming == {"Film": ["title"], "Person": ["firstname", "lastname"], "Order": ["orderID"]}
    rows = snapshot.rows(["o0", "p1", "p2", "m0", "m1"])
    assert snapshot.names(rows) == ["Order 10248", "Bob Lee", "Ann Orr &amp; Sons", "Alien", "Heat (1995)"]
    found = find(snapshot, ["order 10249", "Ann Orr & Sons", "Around the Horn"], fuzzy=False)
    assert [[hit.id for hit in hits] for hits in found] == [["o1"], ["p2"], []]
    assert verify(tmp_path / "kg") == []
    store.close_now()


def test_where_else_a_thing_is_described_is_no_thing() -> None:
    match, near = "http://www.w3.org/2004/02/skos/core#exactMatch", "http://www.w3.org/2004/02/skos/core#closeMatch"
    same = "http://www.w3.org/2002/07/owl#sameAs"
    rows = [
        Triple("http://ex.org/meter", match, "http://dbpedia.org/resource/Metre"),
        Triple("http://ex.org/rod", match, "http://dbpedia.org/resource/Rod"),
        Triple("http://ex.org/rod", near, "perch"),
        Triple("http://ex.org/rod", same, "http://ex.org/pole"),
        Triple("http://ex.org/pole", "http://ex.org/used_in", "http://dbpedia.org/resource/Kent"),
    ]
    tables = read_input([rows], [], lambda *_: None)
    kinds = dict(zip(tables.relations, tables.kinds, strict=True))
    assert kinds == {match: "text", near: None, same: None, "http://ex.org/used_in": None}
    assert "http://dbpedia.org/resource/Metre" not in tables.keys
    kept = read_input([rows], [], lambda *_: None, {match: "entity"})
    assert "http://dbpedia.org/resource/Metre" in kept.keys


def _untyped(relation: str, *texts: str, datatype: str = "") -> PropertyKind | None:
    return kinds([Triple(f"e{n}", relation, ValueText(text, datatype)) for n, text in enumerate(texts)])[relation]


def test_values_without_a_datatype_are_what_a_column_of_them_would_be() -> None:
    assert _untyped("birth-year", "1957", "1888") == "number"
    assert _untyped("http://a.org/latitude", "30.3", "-71") == "number"
    assert _untyped("born", "1957-01-02", "unknown") == "date"
    assert _untyped("open", "yes", "no") == "boolean"
    assert _untyped("code", "007", "114") == "text", "written with a zero before it"
    assert _untyped("zip", "10115", "20095") == _untyped("has phone", "5551234", "5551235") == "text"
    assert _untyped("dc:identifier", "12", "13") == _untyped("http://a.org/playerID", "12", "13") == "text"
    assert _untyped("atomic number", "12", "13") == "number"
    assert _untyped("title", "1984", "Emma") == "text"
    assert _untyped("day", "31/12/2020", "30/12/2020") == "text", "values are kept as they are written"
    assert _untyped("year", "1957", "1888", datatype="text") == "text", "a datatype says what they are"
    heights = [str(n) for n in range(150, 190)]
    mostly = [Triple(f"e{n}", "height", ValueText(text)) for n, text in enumerate([*heights, *heights, "side spec"])]
    assert kinds(mostly)["height"] == "number"


def test_values_without_a_datatype_are_as_those_beside_them() -> None:
    year = "http://www.w3.org/2001/XMLSchema#gYear"
    dated = [Triple("a", "born", ValueText("1957", year)), Triple("b", "born", ValueText("1888"))]
    assert kinds(dated) == {"born": "date"}
    spoken = [Triple("a", "motto", ValueText("Go", "@en")), Triple("b", "motto", ValueText("1888"))]
    assert kinds(spoken) == {"motto": "text"}


def test_values_without_a_datatype_that_are_added_later(tmp_path: Path) -> None:
    path = tmp_path / "kg"
    build(path, [[Triple("a", "knows", "b"), Triple("a", "born", ValueText("1957"))]])
    titles = [Triple("a", "wrote", ValueText("Emma")), Triple("b", "wrote", ValueText("1984"))]
    assert add_triples(path, [*titles, Triple("b", "born", ValueText("1888")), Triple("b", "weighs", ValueText("70"))])
    with reading(path / RECORD) as connection:
        tables = read_tables(connection)
    found = dict(zip(tables.relations, tables.kinds, strict=True))
    assert found == {"born": "number", "knows": None, "weighs": "number", "wrote": "text"}


def test_texts_that_look_like_something_else_come_back_as_texts(tmp_path: Path) -> None:
    facts = [Triple("a", "title", ValueText("1984", "text")), Triple("b", "title", ValueText("none", "text"))]
    with GraphWriter(tmp_path / "a.nt", "ntriples") as out:
        out.write(facts)
    read = [each for batch in read_triples(tmp_path / "a.nt") for each in batch]
    assert [(each, each.tail.datatype) for each in read if isinstance(each.tail, ValueText)] == [
        (each, "text") for each in facts
    ]
