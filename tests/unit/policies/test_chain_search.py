"""Beam and table against all chains counted out."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray

from kg.types import Hop, LogicalChain
from policies.chain_search import ChainTable, ScoredChain, best_chains
from policies.slot_model import SlotScores

HOPS = tuple(Hop(name, inverse) for name in "abc" for inverse in (False, True))
LONGEST = 3


def _random(seed: int) -> tuple[SlotScores, NDArray[np.bool_], list[Hop]]:
    random = np.random.default_rng(seed)
    count = len(HOPS)
    shapes = [(LONGEST, count + 1), (count,), (LONGEST,)]
    scores = SlotScores(*(np.log(random.dirichlet(np.ones(s[-1]), s[:-1])).astype(np.float32) for s in shapes))
    first = [hop for hop in HOPS if random.random() < 0.6] or [HOPS[0]]
    return scores, random.random((count, count)) < 0.5, first


def _feasible(follows: NDArray[np.bool_], first: list[Hop]) -> list[LogicalChain]:
    return [
        chain
        for length in range(1, LONGEST + 1)
        for chain in itertools.product(HOPS, repeat=length)
        if chain[0] in first and all(follows[HOPS.index(a), HOPS.index(b)] for a, b in itertools.pairwise(chain))
    ]


def _score(chain: LogicalChain, scores: SlotScores) -> float:
    slots = [HOPS.index(hop) for hop in chain] + [len(HOPS)] * (LONGEST - len(chain))
    positions = sum(float(scores.positions[k, code]) for k, code in enumerate(slots))
    return positions + float(scores.last[slots[len(chain) - 1]]) + float(scores.length[len(chain) - 1])


def _both(seed: int, limit: int) -> tuple[list[ScoredChain], list[ScoredChain], list[LogicalChain], SlotScores]:
    scores, follows, first = _random(seed)
    table = ChainTable.of(HOPS, follows, LONGEST)
    assert table is not None
    by_table = table.best(scores, [HOPS.index(hop) for hop in first], limit)
    return best_chains(scores, HOPS, first, follows, limit), by_table, _feasible(follows, first), scores


@pytest.mark.parametrize("seed", range(12))
def test_beam_and_table_find_the_best_chain_of_all(seed: int) -> None:
    beam, table, feasible, scores = _both(seed, 5)
    best = max(feasible, key=lambda chain: _score(chain, scores))
    assert beam[0].chain == table[0].chain == best
    assert beam[0].score == pytest.approx(_score(best, scores), abs=1e-4)
    assert table[0].score == pytest.approx(_score(best, scores), abs=1e-4)


@pytest.mark.parametrize("seed", range(12))
def test_the_table_is_exact_and_ordered(seed: int) -> None:
    _, table, feasible, scores = _both(seed, 10)
    exact = sorted((_score(chain, scores) for chain in feasible), reverse=True)[:10]
    assert [item.score for item in table] == pytest.approx(exact, abs=1e-4)
    assert len({item.chain for item in table}) == len(table)


@pytest.mark.parametrize("seed", range(12))
def test_infeasible_chains_never_appear(seed: int) -> None:
    beam, table, feasible, _ = _both(seed, 1_000)
    assert {item.chain for item in beam} <= set(feasible)
    assert {item.chain for item in table} == set(feasible)


def test_nothing_to_begin_with_and_nowhere_to_go() -> None:
    scores, _, _ = _random(0)
    closed = np.zeros((len(HOPS), len(HOPS)), dtype=bool)
    assert best_chains(scores, HOPS, [], closed) == []
    only = best_chains(scores, HOPS, [HOPS[2]], closed)
    assert [item.chain for item in only] == [(HOPS[2],)]
    table = ChainTable.of(HOPS, closed, LONGEST)
    assert table is not None
    assert [item.chain for item in table.best(scores, [2])] == [(HOPS[2],)]
    assert table.best(scores, []) == []


def test_a_schema_with_too_many_chains_has_no_table() -> None:
    many = tuple(Hop(f"r{i}", inverse=False) for i in range(40))
    everything = np.ones((40, 40), dtype=bool)
    assert ChainTable.of(many, everything, 3) is None
    small = ChainTable.of(many, everything, 2)
    assert small is not None
    assert len(small.chains) == 40 + 40 * 40
