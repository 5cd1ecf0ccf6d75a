"""The contract of properties as tests: typed values are no entities, and count, hash and stream like other tails.

A backend subclasses `PropertyContract` and gives a `make_store` fixture, as for `GraphStoreContract`.
"""

from __future__ import annotations

import random

import pytest

from tests.contracts.graph_store import MakeStore
from tests.contracts.naive import hash_triples
from trivium.kg.types import Entity, QualifiedTriple, Statement, Triple, ValueText, parse_chain

NUMBER, DATE, TEXT = "number", "date", "text"
FACTS = [
    Triple("alien", "directed_by", "scott"),
    Triple("runner", "directed_by", "scott"),
    Triple("alien", "year", ValueText("1979", NUMBER)),
    Triple("runner", "year", ValueText("1982", NUMBER)),
    Triple("diner", "year", ValueText("1982", NUMBER)),
    Triple("alien", "seats", ValueText("1982", NUMBER)),
    Triple("alien", "seen_on", ValueText("2015-01-02", DATE)),
    Triple("alien", "seen_on", ValueText("2014-12-31", DATE)),
    Triple("diner", "tagline", ValueText('Suddenly, "life" was more than french fries; \\ | `gravy`', TEXT)),
    Triple("2012", "year", ValueText("2009", NUMBER)),
    Triple("2012", "directed_by", "emmerich"),
    Triple("late", "year", ValueText("2012", NUMBER)),
]
NAMED = [Entity("alien", "Alien", ("1979 film",), ("film",)), Entity("diner", "Diner", (), ("film",))]
ROLES = (
    Statement((("lines", ValueText("80", NUMBER)), ("role", ValueText("Ash", TEXT))), ""),
    Statement((("role", ValueText("Kane", TEXT)),), ""),
)


class PropertyContract:
    """Tests that every backend passes; the subclass provides the fixture `make_store`."""

    async def test_counts_leave_values_out_and_the_hash_does_not(self, make_store: MakeStore) -> None:
        info = await (await make_store(FACTS, NAMED)).info()
        assert (info.entities, info.relations, info.triples) == (7, 5, len(FACTS))
        assert info.hash == hash_triples([FACTS])
        assert (await (await make_store(list(reversed(FACTS)), [])).info()) == info

    async def test_a_value_has_no_name_and_no_neighbors(self, make_store: MakeStore) -> None:
        store = await make_store(FACTS, NAMED)
        assert [hit.id for hits in await store.find(["1979", "1982", "2012"]) for hit in hits] == ["2012"]
        assert await store.find_partial(["french fries"]) == [[]]
        assert await store.entities(["1982", "2012"]) == [None, Entity("2012", "2012")]
        assert await store.neighbors(["1982", "2015-01-02"]) == [[], []]
        assert await store.hops(["1982"]) == [frozenset()]
        streamed = [entity.id async for batch in store.all_entities() for entity in batch]
        assert sorted(streamed) == ["2012", "alien", "diner", "emmerich", "late", "runner", "scott"]

    async def test_a_value_is_a_tail(self, make_store: MakeStore) -> None:
        store = await make_store(FACTS, NAMED)
        (around,) = await store.neighbors(["alien"])
        assert [(step.relation, step.tail, step.inverse) for step in around] == [
            ("directed_by", "scott", False), ("seats", "1982", False), ("seen_on", "2014-12-31", False),
            ("seen_on", "2015-01-02", False), ("year", "1979", False),
        ]  # fmt: skip
        assert [isinstance(step.tail, ValueText) for step in around] == [False, True, True, True, True]
        (dates,) = await store.neighbors(["alien"], relation="seen_on", direction="out", limit=1)
        assert [step.tail for step in dates] == ["2014-12-31"]
        assert await store.neighbors(["alien"], direction="in") == [[]]
        asked = [
            Triple("alien", "year", "1979"), Triple("alien", "year", ValueText("1979")),
            Triple("alien", "year", "1982"), Triple("late", "year", "2012"), Triple("alien", "seats", "1982"),
        ]  # fmt: skip
        assert await store.contains(asked) == [True, True, False, True, True]
        assert await store.labels(["1979", ValueText("alien")]) == ["1979", "alien"]

    async def test_a_chain_ends_in_a_value_and_never_passes_it(self, make_store: MakeStore) -> None:
        store = await make_store(FACTS, NAMED)
        years = (await store.follow(["scott"], parse_chain(["^directed_by", "year"]))).reached
        assert [(found.id, found.support) for found in years] == [("1979", 1), ("1982", 1)]
        assert all(isinstance(found.id, ValueText) for found in years)
        for chain in (["year", "^year"], ["seats", "^year"], ["^year"], ["year", "directed_by"]):
            assert (await store.follow(["alien", "1982", "1979", "late"], parse_chain(chain))).reached == ()
        assert await store.paths("runner", "diner", max_hops=3) == [], "of one year, and not related"
        assert await store.paths("late", "2012") == [], "the year 2012 is not the film 2012"
        (path,) = await store.paths("runner", "1979", max_hops=3)
        assert [(step.relation, step.inverse) for step in path] == [
            ("directed_by", False), ("directed_by", True), ("year", False),
        ]  # fmt: skip
        after = await store.transitions()
        assert not any(hop.inverse and hop.relation in ("year", "seats") for hops in after.values() for hop in hops)

    async def test_the_schema_says_what_is_a_property(self, make_store: MakeStore) -> None:
        rows = {row.name: row for row in await (await make_store(FACTS, NAMED)).schema()}
        assert {name: row.kind for name, row in rows.items()} == {
            "year": "number", "directed_by": None, "seen_on": "date", "seats": "number", "tagline": "text",
        }  # fmt: skip
        assert (rows["year"].triples, rows["year"].heads, rows["year"].tails) == (5, 5, 4)

    async def test_values_stream_with_their_kinds(self, make_store: MakeStore) -> None:
        store = await make_store(FACTS, NAMED)
        rows = [triple async for batch in store.triples(batch_size=4) for triple in batch]
        assert sorted(rows) == sorted(FACTS)
        kinds = {(row.relation, getattr(row.tail, "datatype", None)) for row in rows}
        assert kinds == {
            ("directed_by", None), ("year", "number"), ("seats", "number"), ("seen_on", "date"), ("tagline", "text"),
        }  # fmt: skip

    async def test_values_come_and_go(self, make_store: MakeStore) -> None:
        store = await make_store(FACTS, NAMED)
        before = await store.info()
        new = [Triple("alien", "year", "2003"), Triple("runner", "rating", "8.1"), Triple("diner", "rating", "7")]
        assert await store.add(new) == 3
        assert await store.entities(["2003", "8.1"]) == [None, None], "a property's new values, and a new property"
        assert {row.name: row.kind for row in await store.schema()}["rating"] == "number"
        info = await store.info()
        assert (info.entities, info.triples, info.hash) == (7, len(FACTS) + 3, hash_triples([[*FACTS, *new]]))
        assert await store.delete([*new, Triple("alien", "year", "1111")]) == 3
        assert await store.info() == before
        assert await store.delete([Triple("late", "year", "2012")]) == 1
        assert await store.entities(["late", "2012"]) == [None, Entity("2012", "2012")]

    async def test_relationships_have_properties(self, make_store: MakeStore) -> None:
        played = QualifiedTriple("holm", "played_in", "alien", ROLES)
        store = await make_store([*FACTS, played, Triple("hurt", "played_in", "alien")], NAMED)
        told = await store.qualifiers([Triple(*played), Triple("hurt", "played_in", "alien"), FACTS[0]])
        assert sorted(told[0], key=str) == [{"lines": "80", "role": "Ash"}, {"role": "Kane"}]
        assert told[1:] == [(), ()]
        info = await store.info()
        assert info.hash == hash_triples([[*FACTS, played, Triple("hurt", "played_in", "alien")]])
        assert info.hash != hash_triples([[*FACTS, Triple(*played), Triple("hurt", "played_in", "alien")]])
        rows = [triple async for batch in store.triples() for triple in batch if triple.head == "holm"]
        assert [
            tuple(each.properties for each in row.statements) for row in rows if isinstance(row, QualifiedTriple)
        ] == [tuple(each.properties for each in ROLES)]

    async def test_odd_values_load_and_are_found(self, make_store: MakeStore) -> None:
        odd = {
            "blank": " x ", "quotes": "a \"b\" 'c' `d`", "unicode": "Łódź 東京 😀", "long": "word " * 20_000,
            "number": "1e400", "not a number": "NaN", "huge": "9" * 400, "line": "two\nlines",
            "code": "'; DROP TABLE x; --",
        }  # fmt: skip
        facts = [Triple("thing", f"has {name}", ValueText(text, TEXT)) for name, text in odd.items()]
        kinds = (("7", NUMBER), ("2001-01-01", DATE), ("seven", TEXT), ("true", "boolean"), ("PT1H", "duration"))
        facts += [Triple("thing", "mixed", ValueText(text, kind)) for text, kind in kinds]
        facts += [Triple("thing", "knows", "thing"), Triple("thing", "knows `it`", 'other "thing"')]
        store = await make_store(facts, [])
        assert await store.contains(facts) == [True] * len(facts)
        (around,) = await store.neighbors(["thing"], direction="out")
        assert {(step.relation, step.tail) for step in around} == {(row.relation, row.tail) for row in facts}
        assert (await store.info()).hash == hash_triples([facts])

    @pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (2, 3))])
    async def test_random_graphs_with_values(self, make_store: MakeStore, seed: int) -> None:
        rng = random.Random(seed)
        facts = {Triple(f"e{rng.randrange(12)}", f"r{rng.randrange(3)}", f"e{rng.randrange(12)}") for _ in range(40)}
        facts |= {
            Triple(f"e{rng.randrange(12)}", f"p{rng.randrange(3)}", ValueText(str(rng.randrange(9)), NUMBER))
            for _ in range(40)
        }
        store = await make_store(sorted(facts), [])
        ids = sorted({fact.head for fact in facts})
        for relation in ("p0", "p1", "r0"):
            steps = await store.neighbors(ids, relation=relation, direction="out")
            for id_, found in zip(ids, steps, strict=True):
                wanted = sorted(str(fact.tail) for fact in facts if fact.head == id_ and fact.relation == relation)
                assert [str(step.tail) for step in found] == wanted
            reached = await store.follow(ids, parse_chain([relation]))
            supports: dict[str, int] = {}
            for fact in facts:
                if fact.relation == relation:
                    supports[str(fact.tail)] = supports.get(str(fact.tail), 0) + 1
            assert {str(found.id): found.support for found in reached.reached} == supports
            two = await store.follow(ids, parse_chain(["r0", relation]))
            assert all(len(found.path) == 2 for found in two.reached)
