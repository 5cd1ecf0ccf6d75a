"""The beam and the exact search over small graphs, against a search in plain Python that looks everywhere."""

from __future__ import annotations

import numpy as np
import pytest

from tests.unit.policies.paths.worlds import grid, random_graph, vectors
from trivium.kg.embedded.columns import Int64
from trivium.policies.paths.exact import walk_exactly
from trivium.policies.paths.graph import PathGraph
from trivium.policies.paths.policy import (
    FoundPaths,
    PathQuery,
    RandomScorer,
    StructuralScorer,
    best_entities,
    first_of_each,
    walk_beam,
)
from trivium.policies.paths.reward import PathRewards, best_paths


def neighbours(graph: PathGraph, entity: int) -> list[int]:
    found: list[int] = graph.neighbors[graph.indptr[entity] : graph.indptr[entity + 1]].tolist()
    return found


def simple_paths(graph: PathGraph, source: int, target: int, hops: int) -> set[tuple[int, ...]]:
    """Every path without an entity twice, as its definition says."""
    found: set[tuple[int, ...]] = set()
    open_: list[tuple[int, ...]] = [(source,)]
    for _ in range(hops):
        grown = [(*path, end) for path in open_ for end in neighbours(graph, path[-1]) if end not in path]
        found |= {path for path in grown if path[-1] == target}
        open_ = [path for path in grown if path[-1] != target]
    return found


def asked(pairs: list[tuple[int, int]]) -> PathQuery:
    columns = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return PathQuery(columns[:, 0], columns[:, 1], np.zeros(len(pairs), np.int64), vectors(1, seed=9))


def walked(found: list[FoundPaths]) -> dict[int, set[tuple[int, ...]]]:
    out: dict[int, set[tuple[int, ...]]] = {}
    for batch in found:
        for pair, entities in zip(batch.pair.tolist(), batch.entities.tolist(), strict=True):
            assert tuple(entities) not in out.setdefault(pair, set()), "no path twice"
            out[pair].add(tuple(entities))
    return out


def rewards_of(graph: PathGraph) -> PathRewards:
    return PathRewards(vectors(graph.entities), vectors(graph.relations, seed=2))


PAIRS = [(1, 2), (0, 7), (12, 50), (6, 5), (33, 0), (59, 58)]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("hops", [1, 2, 3, 4])
def test_the_exact_search_finds_every_simple_path(seed: int, hops: int) -> None:
    graph = random_graph(seed=seed)
    query = asked(PAIRS)
    affinity = query.contexts @ rewards_of(graph).directions.T
    found, expanded = walk_exactly(graph, query, affinity, hops)
    told = walked(found)
    for number, (source, target) in enumerate(PAIRS):
        assert told.get(number, set()) == simple_paths(graph, source, target, hops)
    assert (expanded >= min(hops, 2)).all()


@pytest.mark.parametrize("seed", range(3))
def test_a_beam_that_is_wide_enough_is_exact_and_a_narrow_one_keeps_its_budget(seed: int) -> None:
    graph = random_graph(seed=seed)
    query = asked(PAIRS)
    affinity = query.contexts @ rewards_of(graph).directions.T
    for width in (1, 2, 5, 1_000):
        found, expanded = walk_beam(graph, RandomScorer(seed), query, affinity, (width, 3))
        told = walked(found)
        for number, (source, target) in enumerate(PAIRS):
            everything = simple_paths(graph, source, target, 3)
            assert told.get(number, set()) <= everything
            if width == 1_000:
                assert {path[-2] for path in told.get(number, set())} <= {path[-2] for path in everything}
                assert bool(told.get(number)) == bool(everything), "a pair that can be joined is"
        assert (expanded <= 1 + 2 * width).all(), "one entity at the first hop, `width` at each one after"


def test_the_same_seed_walks_the_same_and_another_another_way() -> None:
    graph = random_graph()
    query = asked(PAIRS)
    affinity = query.contexts @ rewards_of(graph).directions.T
    first, again, other = (
        walked(walk_beam(graph, RandomScorer(seed), query, affinity, (2, 4))[0]) for seed in (3, 3, 4)
    )
    assert first == again
    assert first != other


def test_codes_lead_from_entity_to_entity_and_the_nearest_of_parallel_relations_is_walked() -> None:
    graph = random_graph()  # 5 -> 6 by relations 0 and 3
    query = asked([(5, 6)])
    rewards = rewards_of(graph)
    affinity = query.contexts @ rewards.directions.T
    (batch,) = [batch for batch in walk_beam(graph, RandomScorer(), query, affinity, (1, 1))[0] if len(batch.pair)]
    assert batch.codes.tolist() == [[max((0, 3), key=lambda code: affinity[0, code])]]


def test_structure_leads_through_a_grid() -> None:
    """The structural scorer with coordinates for structure goes straight to the corner."""
    side = 5
    graph = grid(side)
    cells = np.arange(side * side)
    angles = np.arctan2(1 + cells // side, 1 + cells % side) / 2
    ring = (cells % side + cells // side) / (2 * side) * np.pi / 2
    structure = np.stack((np.cos(ring), np.sin(ring) * np.cos(angles), np.sin(ring) * np.sin(angles)), 1)
    scorer = StructuralScorer(structure.astype(np.float32), np.zeros(side * side, np.float32))
    query = asked([(0, side * side - 1)])
    affinity = query.contexts @ rewards_of(graph).directions.T
    found, expanded = walk_beam(graph, scorer, query, affinity, (1, 2 * (side - 1)))
    assert [len(path) for path in walked(found)[0]] == [2 * side - 1]
    assert expanded.tolist() == [2 * (side - 1)]


def test_the_best_paths_of_each_pair_by_reward_then_length() -> None:
    graph = random_graph()
    query, rewards = asked(PAIRS), rewards_of(graph)
    found, _ = walk_exactly(graph, query, query.contexts @ rewards.directions.T, 3)
    whole = best_paths(found, rewards, query, 1_000)
    few = best_paths(found, rewards, query, 2)
    for number in range(len(PAIRS)):
        mine = [path for path in whole if path.pair == number]
        assert [path.reward for path in mine] == sorted((path.reward for path in mine), reverse=True)
        assert [path for path in few if path.pair == number] == mine[:2]
    assert [path.pair for path in whole] == sorted(path.pair for path in whole)
    assert best_paths([], rewards, query, 3) == []


def test_the_best_entities_of_a_pair_take_a_place_each() -> None:
    pair: Int64 = np.array([0, 0, 0, 0, 1, 1])
    entity: Int64 = np.array([4, 4, 2, 3, 9, 8])
    scores = np.array([0.9, 0.1, 0.5, 0.5, 0.3, 0.3], dtype=np.float32)
    assert best_entities(pair, entity, scores, 1).tolist() == [0, 1, 5], "both ways to 4; of equals the smaller entity"
    assert sorted(best_entities(pair, entity, scores, 2).tolist()) == [0, 1, 2, 4, 5]
    assert best_entities(pair[:0], entity[:0], scores[:0], 2).tolist() == []
    assert first_of_each(np.array([3, 3, 3, 7, 8, 8]), 2).tolist() == [0, 1, 3, 4, 5]
    assert first_of_each(pair[:0], 2).tolist() == []
