"""Walks on arrays, against the definition in plain Python; hubs and caps."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from tests.contracts.naive import NaiveGraph, random_triples
from trivium.kg.embedded import EmbeddedStore, Snapshot, build
from trivium.kg.embedded import walk as walking
from trivium.kg.embedded.answers import simple_paths
from trivium.kg.embedded.walk import follow, leads, neighbors, row_of, step
from trivium.kg.types import Triple, parse_chain

HUB = [Triple("hub", f"r{i % 5}", f"x{i}") for i in range(5000)] + [
    Triple(f"x{i}", "to", "end") for i in range(0, 5000, 2)
]


def snapshot_of(path: Path, triples: list[Triple]) -> Snapshot:
    build(path, [triples])
    store = EmbeddedStore.open(path)
    found = store.snapshot
    store.close_now()
    return found


@pytest.fixture
def hub(tmp_path: Path) -> Snapshot:
    return snapshot_of(tmp_path / "hub", HUB)


@pytest.mark.parametrize("seed", range(5))
def test_neighbors_with_code_and_direction(tmp_path: Path, seed: int) -> None:
    triples = random_triples(seed)
    snapshot, rng = snapshot_of(tmp_path / "kg", triples), random.Random(seed)
    entities = np.array([rng.randrange(snapshot.entities) for _ in range(40)])
    whole = neighbors(snapshot, entities)
    for i, entity in enumerate(entities.tolist()):
        part = slice(int(whole.bounds[i]), int(whole.bounds[i + 1]))
        pairs = list(zip(whole.rel[part].tolist(), whole.dst[part].tolist(), strict=True))
        key = snapshot.keys[entity]
        out = [(snapshot.relation_codes[t.relation], snapshot.row(t.tail)) for t in triples if t.head == key]
        into = [
            (snapshot.relation_codes[t.relation] + snapshot.relations, snapshot.row(t.head))
            for t in triples
            if t.tail == key
        ]
        assert pairs == sorted(out + into)
        one = entities[i : i + 1]
        assert neighbors(snapshot, one, direction="out").dst.tolist() == [end for _, end in sorted(out)]
        assert neighbors(snapshot, one, direction="in").dst.tolist() == [end for _, end in sorted(into)]
        for code in range(2 * snapshot.relations):
            expected = [end for found, end in pairs if found == code]
            assert neighbors(snapshot, one, code=code).dst.tolist() == expected
            assert row_of(snapshot, entity, code).tolist() == expected
            reached, origin = step(snapshot, entities, code)
            assert reached[origin == i].tolist() == expected


@pytest.mark.parametrize("seed", range(5))
def test_a_trial_walk_knows_what_a_whole_one_knows_or_says_that_it_does_not(tmp_path: Path, seed: int) -> None:
    snapshot, rng = snapshot_of(tmp_path / "kg", random_triples(seed)), random.Random(seed)
    open_questions = 0
    for _ in range(300):
        start = rng.randrange(snapshot.entities)
        codes = [rng.randrange(-1, 2 * snapshot.relations) for _ in range(rng.randrange(4))]
        reached = set(follow(snapshot, np.array([start]), codes).layers[-1].entities.tolist())
        without = rng.sample(range(snapshot.entities), rng.randrange(3))
        assert leads(snapshot, start, codes, without, 10_000) == bool(reached - set(without))
        short = leads(snapshot, start, codes, without, 3)
        assert short in (None, bool(reached - set(without)))
        open_questions += short is None
    assert 0 < open_questions < 150


def test_a_trial_walk_from_a_hub_is_short(hub: Snapshot) -> None:
    codes = [hub.code(hop) for hop in parse_chain(["r1", "to"])]
    assert leads(hub, hub.row("hub"), codes, [], 2_000)
    assert leads(hub, hub.row("hub"), codes, [hub.row("end")], 32) is None
    assert leads(hub, hub.row("hub"), codes, [hub.row("end")], 2_000) is False


def test_neighbors_of_none(hub: Snapshot) -> None:
    empty = neighbors(hub, np.empty(0, dtype=np.int64), cap=3)
    assert (empty.bounds.tolist(), len(empty.dst)) == ([0], 0)


def test_a_cap_takes_the_first_or_spreads_over_the_row(hub: Snapshot) -> None:
    entities = hub.rows(["hub", "x1", "end"])
    first = neighbors(hub, entities, cap=10)
    assert np.diff(first.bounds).tolist() == [10, 1, 10]
    assert set(first.rel[:10].tolist()) == {hub.relation_codes["r0"]}
    spread = neighbors(hub, entities, cap=10, spread=True)
    assert np.diff(spread.bounds).tolist() == [10, 1, 10]
    assert {hub.relation_names[code] for code in spread.rel[:10].tolist()} == {f"r{i}" for i in range(5)}
    assert len(set(spread.dst[:10].tolist())) == 10


@pytest.mark.parametrize("gather", [0, 10**9])
@pytest.mark.parametrize("seed", range(4))
def test_follow_by_either_road(tmp_path: Path, seed: int, gather: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walking, "_GATHER_LIMIT", gather)
    triples = random_triples(seed, entities=200, triples=900)
    snapshot, naive, rng = snapshot_of(tmp_path / "kg", triples), NaiveGraph(triples), random.Random(seed)
    for length in (1, 2, 3, 4):
        chain = parse_chain(rng.choice(["", "^"]) + f"r{rng.randrange(4)}" for _ in range(length))
        seeds = np.array([rng.randrange(snapshot.entities) for _ in range(50)])
        walk = follow(snapshot, seeds, [snapshot.code(hop) for hop in chain])
        last = walk.layers[-1]
        reached = dict(zip(snapshot.keys.take(last.entities), last.support.astype(int).tolist(), strict=True))
        assert reached == dict(naive.follow(set(snapshot.keys.take(seeds)), chain))
        assert (np.diff(last.entities) > 0).all()
        for some in (seeds, seeds[:3], seeds[:1], seeds[:0]):
            ends = follow(snapshot, some, walk.codes).layers[-1].entities
            assert walking.reached(snapshot, some, walk.codes).tolist() == ends.tolist()
        for path in zip(*walk.trace(np.arange(len(last.entities))), strict=True):
            for start, end, code in zip(path, path[1:], walk.codes, strict=False):
                assert end in row_of(snapshot, start, code)


def test_follow_under_a_cap(hub: Snapshot) -> None:
    codes = [hub.relation_codes["r0"], hub.relation_codes["to"]]
    walk = follow(hub, hub.rows(["hub"]), codes, cap=100)
    assert walk.truncated
    assert len(walk.layers[1].entities) == 100
    assert walk.layers[2].entities.tolist() == [hub.row("end")]
    whole = follow(hub, hub.rows(["hub"]), codes)
    assert not whole.truncated
    assert whole.layers[2].support.tolist() == [500.0]


def test_follow_to_nowhere(hub: Snapshot) -> None:
    for codes in ([-1], [hub.relation_codes["to"], 0], [-1, 0]):
        walk = follow(hub, hub.rows(["hub"]), codes)
        assert len(walk.layers[-1].entities) == 0
        assert [len(column) for column in walk.trace(np.empty(0, dtype=np.int64))] == [0] * len(walk.layers)
    assert len(follow(hub, np.empty(0, dtype=np.int64), [0]).layers[-1].entities) == 0


def test_paths_through_a_hub_stop_at_their_limit(hub: Snapshot) -> None:
    source, target = hub.rows(["hub", "end"]).tolist()
    two = simple_paths(hub, source, target, 2, 100_000)
    assert Counter(len(codes) for _, codes in two) == {2: 2500}
    few = simple_paths(hub, source, target, 6, 7)
    assert [len(codes) for _, codes in few] == [2] * 7
    assert set(few) <= set(two)
    assert simple_paths(hub, source, target, 1, 10) == []


def test_paths_turn_round_when_walked_from_the_target(hub: Snapshot) -> None:
    leaf, source = hub.rows(["x1", "hub"]).tolist()
    there, back = simple_paths(hub, leaf, source, 3, 10), simple_paths(hub, source, leaf, 3, 10)
    assert there == [((leaf, source), (hub.relation_codes["r1"] + hub.relations,))]
    assert back == [((source, leaf), (hub.relation_codes["r1"],))]
    for entities, codes in simple_paths(hub, leaf, hub.row("end"), 4, 50):
        assert (entities[0], entities[-1]) == (leaf, hub.row("end"))
        for start, end, code in zip(entities, entities[1:], codes, strict=False):
            assert end in row_of(hub, start, code)
