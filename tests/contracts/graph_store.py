"""The contract of `GraphStore` as tests: a backend subclasses `GraphStoreContract` and gives a `make_store` fixture."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Iterable
from typing import get_args

import pytest

from tests.contracts.naive import NaiveGraph, hash_triples, is_path, random_triples
from trivium.kg.store import GraphStore
from trivium.kg.types import Direction, Entity, QualifiedTriple, Statement, Triple, ValueText, parse_chain

MakeStore = Callable[[Iterable[Triple], Iterable[Entity]], Awaitable[GraphStore]]
"""Make an open store that holds these triples and named entities; the fixture closes it."""

FILMS = [
    Triple("Q1", "directed_by", "Q2"),
    Triple("Q3", "directed_by", "Q2"),
    Triple("Q1", "starred_actors", "Q4"),
    Triple("Q3", "starred_actors", "Q4"),
    Triple("Q3", "starred_actors", "Q5"),
    Triple("Q5", "knows", "Q5"),
]
NAMES = [
    Entity("Q1", "Alien", types=("film",)),
    Entity("Q2", "Ridley Scott", aliases=("Sir Ridley Scott", "R. Scott"), types=("director", "human")),
    Entity("Q3", "Amélie & Co.", types=("film",)),
    Entity("Q4", "John Smith", types=("human",)),
    Entity("Q5", "John Smith", types=("human",)),
]
SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 6))]


async def _has(store: GraphStore, relation: str) -> bool:
    return relation in [row.name for row in await store.schema()]


class GraphStoreContract:
    """Tests that every backend passes; the subclass provides the fixture `make_store`."""

    async def test_entities_in_the_order_asked_with_none_for_unknown(self, make_store: MakeStore) -> None:
        store = await make_store(FILMS, NAMES)
        found = await store.entities(["Q2", "nobody", "Q1"])
        assert found[1] is None
        assert found[2] == Entity("Q1", "Alien", (), ("film",))
        assert found[0] is not None
        assert (set(found[0].aliases), set(found[0].types)) == ({"Sir Ridley Scott", "R. Scott"}, {"director", "human"})

    async def test_labels_default_to_the_id(self, make_store: MakeStore) -> None:
        store = await make_store([*FILMS, Triple("Q1", "directed_by", "unnamed")], NAMES)
        assert await store.labels(["Q2", "unnamed", "nobody"]) == ["Ridley Scott", "unnamed", "nobody"]
        assert await store.labels([]) == []

    async def test_find_partial_takes_words_in_their_order(self, make_store: MakeStore) -> None:
        store = await make_store(FILMS, NAMES)
        scott, both, smith, turned, whole, part = await store.find_partial(
            ["scott", "Sir Scott", "smith", "Scott Ridley", "Ridley Scott", "mith"]
        )
        assert [(hit.id, hit.match) for hit in scott] == [("Q2", "partial")]
        assert [hit.id for hit in both] == ["Q2"]
        assert [hit.id for hit in smith] == ["Q5", "Q4"], "the better connected first"
        assert (turned, part) == ([], []), "other order, or half a word, is no part of a name"
        assert [hit.id for hit in whole] == ["Q2"], "part of an alias, though it is the whole label"
        assert 0.7 <= scott[0].score < whole[0].score < 0.9
        assert [len(hits) for hits in await store.find_partial(["smith", ""], limit=1)] == [1, 0]

    async def test_find_prefers_exact_over_folded_over_fuzzy(self, make_store: MakeStore) -> None:
        store = await make_store(FILMS, NAMES)
        exact, folded, fuzzy = await store.find(["Ridley Scott", "ridley  SCOTT", "Ridly Scot"])
        assert [(hit.id, hit.match, hit.score) for hit in exact] == [("Q2", "exact", 1.0)]
        assert [(hit.id, hit.match) for hit in folded] == [("Q2", "folded")]
        assert [(hit.id, hit.match) for hit in fuzzy] == [("Q2", "fuzzy")]
        assert 1.0 > folded[0].score > fuzzy[0].score > 0.5
        assert exact[0].label == "Ridley Scott"
        assert exact[0].degree == 2

    async def test_find_reads_ids_aliases_and_accents(self, make_store: MakeStore) -> None:
        store = await make_store(FILMS, NAMES)
        by_id, by_alias, by_fold = await store.find(["Q3", "R. Scott", "amelie co"])
        assert [(hit.id, hit.match) for hit in by_id] == [("Q3", "exact")]
        assert [(hit.id, hit.match) for hit in by_alias] == [("Q2", "exact")]
        assert [(hit.id, hit.match) for hit in by_fold] == [("Q3", "folded")]

    async def test_find_returns_all_of_an_ambiguous_name_by_degree(self, make_store: MakeStore) -> None:
        store = await make_store(FILMS, NAMES)
        (hits,) = await store.find(["John Smith"])
        # Q5's self-loop counts twice: once for each direction.
        assert [(hit.id, hit.degree) for hit in hits] == [("Q5", 3), ("Q4", 2)]
        assert len((await store.find(["John Smith"], limit=1))[0]) == 1

    async def test_find_without_fuzzy_and_without_a_match(self, make_store: MakeStore) -> None:
        store = await make_store(FILMS, NAMES)
        assert await store.find(["Ridly Scot"], fuzzy=False) == [[]]
        assert await store.find(["zzzzzzzzz", "", " "]) == [[], [], []]
        assert await store.find([]) == []

    async def test_find_takes_query_syntax_as_text(self, make_store: MakeStore) -> None:
        odd = 'a "quoted" AND (name)* OR label:x~2 \\'
        store = await make_store([Triple(odd, "is", "b")], [])
        assert [hit.id for hit in (await store.find([odd]))[0]] == [odd]
        assert [hit.id for hit in (await store.find([odd.replace("quoted", "quotd")]))[0]] == [odd]
        assert len(await store.find(['"', "*", "AND", "a:b", "'; DROP TABLE entities; --"])) == 5

    @pytest.mark.parametrize("seed", SEEDS)
    async def test_neighbors_are_those_of_the_definition(self, make_store: MakeStore, seed: int) -> None:
        triples = random_triples(seed)
        store, naive = await make_store(triples, []), NaiveGraph(triples)
        ids = sorted({triple.head for triple in triples})
        for direction in get_args(Direction):
            for relation in (None, "r1", "unknown"):
                found = await store.neighbors(ids, relation=relation, direction=direction)
                assert found == [naive.neighbors(id_, relation, direction) for id_ in ids]
                capped = await store.neighbors(ids, relation=relation, direction=direction, limit=3)
                assert capped == [steps[:3] for steps in found]

    @pytest.mark.parametrize("seed", SEEDS[:3])
    async def test_random_writes_leave_what_a_set_of_triples_holds(self, make_store: MakeStore, seed: int) -> None:
        rng = random.Random(seed)
        keys = [f"{letter}{number}" for letter in ("a", "B b ", "é") for number in range(5)]

        def drawn(count: int) -> list[Triple]:
            facts = [Triple(rng.choice(keys), "age", ValueText(str(rng.randrange(4)))) for _ in range(count // 3)]
            return facts + [Triple(rng.choice(keys), f"r{rng.randrange(3)}", rng.choice(keys)) for _ in range(count)]

        model = set(drawn(9))
        store = await make_store(sorted(model), [])
        for _ in range(8):
            if rng.random() < 0.5:
                new = drawn(4)
                assert await store.add(new) == len({*new} - model)
                model |= {*new}
            else:
                gone = [*rng.sample(sorted(model), min(5, len(model) - 1)), *drawn(1)]
                assert await store.delete(gone) == len({*gone} & model)
                model -= {*gone}
            assert {Triple(*row[:3]) async for batch in store.triples() for row in batch} == model
            info = await store.info()
            assert (info.triples, info.hash) == (len(model), hash_triples([sorted(model)]))
            naive = NaiveGraph(model)
            for key, found in zip(keys, await store.neighbors(keys), strict=True):
                assert {tuple(step) for step in found} == {tuple(step) for step in naive.neighbors(key, None, "both")}

    async def test_neighbors_of_a_self_loop_and_of_nobody(self, make_store: MakeStore) -> None:
        store = await make_store(FILMS, NAMES)
        cases: list[tuple[Direction, list[bool]]] = [("out", [False]), ("in", [True]), ("both", [False])]
        for direction, expected in cases:
            (loops, nobody) = await store.neighbors(["Q5", "nobody"], relation="knows", direction=direction)
            assert [step.inverse for step in loops] == expected
            assert nobody == []

    @pytest.mark.parametrize("seed", SEEDS[:2])
    async def test_labelled_neighbors_are_neighbors_with_labels(self, make_store: MakeStore, seed: int) -> None:
        triples = random_triples(seed)
        named = [Entity(f"e{number}", f"entity {number}", (f"alias {number}",)) for number in range(0, 30, 2)]
        store, labels = await make_store(triples, named), {entity.id: entity.label for entity in named}
        ids = [*sorted({triple.head for triple in triples}), "nobody"]
        for direction in get_args(Direction):
            for limit in (None, 3):
                found = await store.labelled_neighbors(ids, direction=direction, limit=limit)
                plain = await store.neighbors(ids, direction=direction, limit=limit)
                assert [[near.triple for near in around] for around in found] == plain
                assert all(near.label == labels.get(near.triple.end, near.triple.end) for a in found for near in a)
                assert found[-1] == []
        assert await store.labelled_neighbors([]) == []

    @pytest.mark.parametrize("seed", SEEDS)
    async def test_follow_counts_the_walks_of_the_definition(self, make_store: MakeStore, seed: int) -> None:
        triples, rng = random_triples(seed), random.Random(seed)
        store, naive = await make_store(triples, []), NaiveGraph(triples)
        ids = sorted({triple.head for triple in triples})
        for length in range(4):
            seeds = rng.sample(ids, rng.randint(1, 8))
            chain = parse_chain(rng.choice(["", "^"]) + f"r{rng.randrange(4)}" for _ in range(length))
            result = await store.follow(seeds, chain)
            assert {reached.id: reached.support for reached in result.reached} == dict(naive.follow(seeds, chain))
            assert await store.ends(seeds, chain) == {reached.id for reached in result.reached}
            order = [(-reached.support, naive.degree(reached.id), reached.id) for reached in result.reached]
            assert order == sorted(order)
            for reached in result.reached:
                start = reached.path[0].start if reached.path else reached.id
                assert start in seeds
                assert is_path(reached.path, start, reached.id, set(triples))
                assert [(step.relation, step.inverse) for step in reached.path] == list(chain)
            assert not result.truncated

    async def test_follow_without_hops_seeds_or_relation(self, make_store: MakeStore) -> None:
        store = await make_store(FILMS, NAMES)
        empty = await store.follow(["Q1", "nobody", "Q1"], ())
        assert [(reached.id, reached.support, reached.path) for reached in empty.reached] == [("Q1", 1, ())]
        assert (await store.follow(["nobody"], parse_chain(["knows"]))).reached == ()
        assert (await store.follow(["Q1"], parse_chain(["unknown", "knows"]))).reached == ()

    async def test_follow_keeps_the_best_supported_under_a_limit(self, make_store: MakeStore) -> None:
        store = await make_store(FILMS, NAMES)
        result = await store.follow(["Q1", "Q3"], parse_chain(["starred_actors"]), limit=1)
        best = await store.ends(["Q1", "Q3"], parse_chain(["starred_actors"]), limit=1)
        assert best == {reached.id for reached in result.reached}
        assert [(reached.id, reached.support) for reached in result.reached] == [("Q4", 2)]
        assert result.truncated
        whole = await store.follow(["Q1", "Q3"], parse_chain(["starred_actors"]), limit=2)
        assert not whole.truncated

    @pytest.mark.parametrize("seed", SEEDS)
    async def test_paths_are_all_simple_paths(self, make_store: MakeStore, seed: int) -> None:
        triples = random_triples(seed, entities=14, triples=36)
        store, naive = await make_store(triples, []), NaiveGraph(triples)
        ids = sorted({entity for triple in triples for entity in (triple.head, triple.tail)})
        for source, target in ((ids[0], ids[-1]), (ids[1], ids[2]), (ids[3], ids[3])):
            for hops in range(5):
                expected = naive.paths(source, target, hops)
                found = await store.paths(source, target, max_hops=hops, limit=10_000)
                assert set(found) == expected
                assert len(found) == len(expected)
                lengths = [len(path) for path in found]
                assert lengths == sorted(lengths)
                few = await store.paths(source, target, max_hops=hops, limit=2)
                assert [len(path) for path in few] == lengths[:2]
                assert set(few) <= expected

    async def test_paths_of_unknown_entities(self, make_store: MakeStore) -> None:
        store = await make_store(FILMS, NAMES)
        assert await store.paths("Q1", "nobody") == []
        assert await store.paths("Q1", "Q3", limit=0) == []

    async def test_contains(self, make_store: MakeStore) -> None:
        store = await make_store(FILMS, NAMES)
        absent = [Triple("Q2", "directed_by", "Q1"), Triple("Q1", "knows", "Q2"), Triple("x", "y", "z")]
        assert await store.contains([*FILMS, *absent]) == [True] * len(FILMS) + [False] * 3
        assert await store.contains([]) == []

    async def test_triples_without_qualifiers(self, make_store: MakeStore) -> None:
        store = await make_store(FILMS, NAMES)
        assert await store.qualifiers([*FILMS[:2], Triple("x", "y", "z")]) == [(), (), ()]
        assert await store.qualifiers([]) == []

    async def test_schema_counts_and_types(self, make_store: MakeStore) -> None:
        store = await make_store(FILMS, NAMES)
        schema = await store.schema()
        assert [(row.name, row.triples, row.heads, row.tails) for row in schema] == [
            ("starred_actors", 3, 2, 2),
            ("directed_by", 2, 2, 1),
            ("knows", 1, 1, 1),
        ]
        assert schema[1].head_types == ("film",)
        assert set(schema[1].tail_types) == {"director", "human"}

    async def test_triples_stream_in_batches(self, make_store: MakeStore) -> None:
        triples = random_triples(1)
        store = await make_store(triples, [])
        batches = [batch async for batch in store.triples(batch_size=7)]
        assert max(len(batch) for batch in batches) <= 7
        assert sorted(triple for batch in batches for triple in batch) == triples

    async def test_info_does_not_depend_on_order_or_repeats(self, make_store: MakeStore) -> None:
        triples = random_triples(2)
        one = await (await make_store(triples, [])).info()
        two = await (await make_store([*reversed(triples), *triples[:5]], [Entity("lonely", "Lonely")])).info()
        assert one == two
        assert one.hash == hash_triples([triples])
        assert one.triples == len(triples)
        assert one.entities == len({entity for triple in triples for entity in (triple.head, triple.tail)})
        assert one.relations == len({triple.relation for triple in triples})

    async def test_add_counts_the_new_ones_and_shows_them(self, make_store: MakeStore) -> None:
        store = await make_store(FILMS, NAMES)
        new = [Triple("Q6", "directed_by", "Q2"), FILMS[0], Triple("Q6", "directed_by", "Q2")]
        assert await store.add(new, [Entity("Q6", "Blade Runner", ("BR",), ("film",))]) == 1
        assert await store.contains(new[:1]) == [True]
        assert await store.entities(["Q6"]) == [Entity("Q6", "Blade Runner", ("BR",), ("film",))]
        assert (await store.find(["blade runner"]))[0][0].id == "Q6"
        info = await store.info()
        assert (info.triples, info.hash) == (len(FILMS) + 1, hash_triples([[*FILMS, new[0]]]))
        assert await store.add(new) == 0
        assert await store.info() == info

    async def test_what_was_looked_up_before_a_write_is_looked_up_again(self, make_store: MakeStore) -> None:
        """Names, schema, hops and the fingerprint: whatever a store remembers, a write is in the next answer."""
        store, new = await make_store(FILMS, NAMES), Triple("Q6", "financed_by", "Q7")

        async def seen() -> tuple[list[list[str]], list[str], list[str], bool, bool]:
            named = await store.find(["Blade Runner", "Alien"], fuzzy=False)
            typos = await store.find(["Blade Runer", "Aliem"])
            partial = await store.find_partial(["runner", "scott"])
            names = [[hit.id for hit in hits] for hits in (*named, *typos, *partial)]
            hops = sorted(map(str, (await store.hops(["Q6"]))[0]))
            left = {hop.relation for hop in await store.transitions()}
            return names, await store.labels(["Q6"]), hops, "financed_by" in left, await _has(store, "financed_by")

        before, first = await seen(), await store.fingerprint()
        assert before == ([[], ["Q1"], [], ["Q1"], [], ["Q2"]], ["Q6"], [], False, False)
        await store.add([new], [Entity("Q6", "Blade Runner")])
        names = [["Q6"], ["Q1"], ["Q6"], ["Q1"], ["Q6"], ["Q2"]]
        assert await seen() == (names, ["Blade Runner"], ["financed_by"], True, True)
        assert await store.fingerprint() != first
        await store.delete([new])
        assert await seen() == before
        assert await store.fingerprint() == first

    async def test_add_can_rename(self, make_store: MakeStore) -> None:
        store = await make_store(FILMS, NAMES)
        assert await store.add([], [Entity("Q1", "Alien (1979)"), Entity("Q4", "Q4")]) == 0
        assert await store.labels(["Q1", "Q4"]) == ["Alien (1979)", "John Smith"]
        assert [hit.id for hit in (await store.find(["alien 1979"]))[0]] == ["Q1"]

    async def test_a_triple_gives_a_type_where_types_came_so(self, make_store: MakeStore) -> None:
        store = await make_store(FILMS, NAMES)
        before = await store.info()
        told = [Triple("Q5", "is_a", "director"), Triple("Q1", "is_a", "film")]
        assert await store.add(told) == 1, "the other one is known"
        assert not await _has(store, "is_a")
        assert await store.contains(told) == [False, False]
        (found,) = await store.entities(["Q5"])
        assert found is not None
        assert (found.label, set(found.types)) == ("John Smith", {"director", "human"})
        assert await store.add(told) == 0
        assert await store.info() == before, "a type is no triple"
        assert await store.delete(told[:1]) == 1
        assert await store.entities(["Q5", "Q1"]) == [NAMES[4], NAMES[0]]
        assert await store.delete(told[:1]) == 0

    async def test_it_stays_a_relation_where_it_is_one_or_has_properties_or_there_are_no_types(
        self, make_store: MakeStore
    ) -> None:
        for known, names, row in (
            (FILMS, [], Triple("Q5", "is_a", "director")),
            ([*FILMS, Triple("Q4", "is_a", "star")], NAMES, Triple("Q5", "is_a", "director")),
            (FILMS, NAMES, QualifiedTriple("Q5", "is_a", "star", (Statement((("since", ValueText("1999")),)),))),
        ):
            store = await make_store(known, names)
            types = [each.types for each in await store.entities(["Q5"]) if each]
            assert await store.add([row]) == 1
            assert (await _has(store, "is_a"), await store.contains([row])) == (True, [True])
            assert [each.types for each in await store.entities(["Q5"]) if each] == types
            assert await store.delete([row]) == 1
            assert await store.contains([row]) == [False]

    async def test_delete_takes_lonely_entities_and_relations_along(self, make_store: MakeStore) -> None:
        store = await make_store(FILMS, NAMES)
        before = await store.info()
        gone = [Triple("Q3", "starred_actors", "Q5"), Triple("Q5", "knows", "Q5"), Triple("no", "such", "triple")]
        assert await store.delete(gone) == 2
        assert await store.entities(["Q5"]) == [None]
        assert [hit.id for hit in (await store.find(["John Smith"]))[0]] == ["Q4"]
        assert "knows" not in [row.name for row in await store.schema()]
        info = await store.info()
        assert (info.entities, info.relations, info.triples) == (4, 2, 4)
        assert await store.delete(gone) == 0
        assert await store.add(gone[:2], NAMES) == 2
        assert await store.info() == before

    async def test_everything_can_be_deleted(self, make_store: MakeStore) -> None:
        store = await make_store(FILMS, NAMES)
        assert await store.delete(FILMS) == len(FILMS)
        info = await store.info()
        assert (info.entities, info.relations, info.triples) == (0, 0, 0)
        assert await store.find(["Alien"]) == [[]]
        assert await store.neighbors(["Q1"]) == [[]]
        assert await store.schema() == []
        assert [batch async for batch in store.triples()] == []
        assert await store.add(FILMS[:1]) == 1

    async def test_names_in_any_script(self, make_store: MakeStore) -> None:
        triples = [
            Triple("東京", "capital_of", "日本"),
            Triple("Straße 1", "in", "Köln"),
            Triple("a\u0301", "is", "😀 smile"),
            Triple("it's", "a|b", 'say "hi"\t'),
        ]
        store = await make_store(triples, [Entity("Köln", "Köln", ("Cologne",))])
        assert sorted([triple async for batch in store.triples() for triple in batch]) == sorted(triples)
        hits = await store.find(["東京", "STRASSE 1", "koln", "cologne"])
        assert [[hit.id for hit in each] for each in hits] == [["東京"], ["Straße 1"], ["Köln"], ["Köln"]]
        assert await store.contains(triples) == [True] * 4

    async def test_close_twice(self, make_store: MakeStore) -> None:
        store = await make_store(FILMS, NAMES)
        await store.close()
        await store.close()
