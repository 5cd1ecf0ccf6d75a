"""Hops, transitions, shares, schema and parts of names, beside their definitions in plain Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contracts.naive import random_triples
from trivium.kg.embedded import EmbeddedStore, build
from trivium.kg.embedded.answers import hops_of
from trivium.kg.similarity import EXACT, FOLDED, FUZZY, part_score, similarities, similarity, sorted_words
from trivium.kg.types import Direction, Entity, Hop, Triple
from trivium.policies.reader.chains.learning import follow_shares

Open = Callable[[Iterable[Triple], Iterable[Entity]], EmbeddedStore]


@pytest.fixture
async def opened(tmp_path: Path) -> AsyncIterator[Open]:
    stores: list[EmbeddedStore] = []

    def open_it(triples: Iterable[Triple], entities: Iterable[Entity] = ()) -> EmbeddedStore:
        path = tmp_path / f"kg{len(stores)}"
        build(path, [list(triples)], entities)
        stores.append(EmbeddedStore.open(path))
        return stores[-1]

    yield open_it
    for store in stores:
        await store.close()


def leaving(triples: Iterable[Triple]) -> dict[str, set[Hop]]:
    out: dict[str, set[Hop]] = {}
    for head, relation, tail in triples:
        out.setdefault(head, set()).add(Hop(relation, False))
        out.setdefault(tail, set()).add(Hop(relation, True))
    return out


async def test_an_entity_whose_first_hop_is_the_last_one_of_the_entity_before(opened: Open) -> None:
    store = opened([Triple("p", "s", "u"), Triple("q", "s", "u"), Triple("q", "t", "u")], ())
    away, back = {Hop("s", False), Hop("t", False)}, {Hop("s", True), Hop("t", True)}
    assert await store.transitions() == {hop: frozenset(back) for hop in away} | {hop: frozenset(away) for hop in back}


@pytest.mark.parametrize("seed", range(3))
async def test_hops_transitions_and_shares_are_those_of_the_definition(opened: Open, seed: int) -> None:
    triples = random_triples(seed)
    # More relations than a word has bits, so that sets of hops take several; and a hub whose row is read by arrays.
    triples += [Triple("hub", f"rare{i}", f"e{i % 30}") for i in range(150)]
    triples += [Triple("hub", "r0", f"leaf{i}") for i in range(120)]
    store, naive = opened(triples, ()), leaving(triples)
    assert await store.hops([*naive, "nobody"]) == [*(frozenset(hops) for hops in naive.values()), frozenset()]
    following: dict[Hop, set[Hop]] = {}
    for held in naive.values():
        for hop in held:
            following.setdefault(Hop(hop.relation, not hop.inverse), set()).update(held)
    assert await store.transitions() == {hop: frozenset(after) for hop, after in following.items()}
    hops, shares = await follow_shares(store)
    assert list(hops) == sorted(following)
    assert (shares > 0).tolist() == [[after in following[hop] for after in hops] for hop in hops]
    reach = Counter(Hop(hop.relation, not hop.inverse) for held in naive.values() for hop in held)
    both = Counter(
        (Hop(hop.relation, not hop.inverse), after) for held in naive.values() for hop in held for after in held
    )
    for i, hop in enumerate(hops):
        for j, after in enumerate(hops):
            assert shares[i, j] == pytest.approx(both[hop, after] / reach[hop], abs=1e-6)
    assert hops_of(store.snapshot, [-1]) == [frozenset()]


@pytest.mark.parametrize("seed", range(2))
async def test_the_schema_counts_what_is_there(opened: Open, seed: int) -> None:
    triples = random_triples(seed)
    store = opened(triples, [Entity(f"e{i}", f"e{i}", types=("even",) if i % 2 == 0 else ("odd",)) for i in range(30)])
    for row in await store.schema():
        mine = [triple for triple in triples if triple.relation == row.name]
        assert (row.triples, row.heads, row.tails) == (
            len(mine), len({triple.head for triple in mine}), len({triple.tail for triple in mine}),
        )  # fmt: skip
        assert set(row.head_types) <= {"even", "odd"}
    counts = [row.triples for row in await store.schema()]
    assert counts == sorted(counts, reverse=True)


async def test_a_limit_shows_the_beginning_of_what_there_is(opened: Open) -> None:
    # Values stand by what they mean (9, 10, 100), and show by their texts (10, 100, 9); loops show once.
    facts = [Triple("hub", "size", each) for each in ("9", "10", "100", "8.5")]
    facts += [Triple(f"e{i}", "size", str(i)) for i in range(40)]
    facts += [Triple("hub", f"r{i % 3}", f"e{i}") for i in range(12)] + [Triple(f"e{i}", "r1", "hub") for i in range(9)]
    store = opened([*facts, *(Triple("hub", f"r{i}", "hub") for i in range(3))], ())
    assert store.snapshot.values
    directions: tuple[Direction, ...] = ("in", "out", "both")
    for direction in directions:
        for relation in (None, "size", "r1"):
            (whole,) = await store.neighbors(["hub"], relation=relation, direction=direction)
            assert len(whole) == len(set(whole))
            for limit in range(len(whole) + 2):
                (found,) = await store.neighbors(["hub"], relation=relation, direction=direction, limit=limit)
                assert found == whole[:limit]


WORDS = st.lists(st.sampled_from(["harry", "s", "truman", "house", "of", "cards", "the"]), min_size=1, max_size=5)


@given(WORDS, WORDS)
def test_a_part_of_a_name_is_its_words_in_their_order(words: list[str], name: list[str]) -> None:
    rest = iter(name)
    inside = all(word in rest for word in words)
    score = part_score(words, " ".join(name))
    assert bool(score) == (inside and len(words) < len(name))
    assert score == 0.0 or 0.7 <= score < 0.9


def test_a_code_that_ends_a_name_is_more_of_it() -> None:
    names = ["geforce rtx 4090", "geforce rtx 4090 d", "geforce rtx 4090 max q"]
    whole, *others = [part_score(["rtx", "4090"], name) for name in names]
    assert whole > max(others) + 0.05
    assert part_score(["ti"], "rtx 4090 ti") < 0.8, "a word alone is no code"


@settings(max_examples=60)
@given(WORDS, st.integers(0, 20), st.sampled_from("qxz"))
def test_a_typo_is_a_little_less_alike_and_order_hardly_matters(words: list[str], place: int, letter: str) -> None:
    name = " ".join(words)
    typo = name[: place % (len(name) + 1)] + letter + name[place % (len(name) + 1) :]
    score = similarity(typo, sorted_words(typo), name)
    names = [name, typo, " ".join(reversed(words)), f"{name} more"]
    assert similarities(typo, names) == [similarity(typo, sorted_words(typo), each) for each in names]
    assert 0.0 <= score <= 1.0
    assert similarity(name, sorted_words(name), name) == 1.0 >= score
    if len(name) >= 8:
        assert score > 0.7
    assert EXACT > FOLDED > FUZZY > 0.5


async def test_parts_of_names_in_a_large_kg_are_found_with_their_rarest_words(opened: Open) -> None:
    triples = [Triple(f"n{i}", "is", "x") for i in range(400)]
    names = [Entity(f"n{i}", f"the house of {i:03} cards", ("The Big House",) if i == 7 else ()) for i in range(400)]
    store = opened(triples, names)
    by_number, alias, many, nothing, short = await store.find_partial(["house 123", "big", "the cards", "villa", "o"])
    assert [hit.id for hit in by_number] == ["n123"]
    assert [hit.id for hit in alias] == ["n7"]
    assert len(many) == 10, "as many as asked for"
    assert (nothing, short) == ([], [])
    assert len((await store.find_partial(["the cards"], limit=400))[0]) == 400
