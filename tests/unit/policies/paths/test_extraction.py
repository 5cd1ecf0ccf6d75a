"""Paths and subgraphs extracted for a question: against a search that looks everywhere, budgets, what has no path."""

from __future__ import annotations

from itertools import pairwise, product
from pathlib import Path

import pytest

from tests.films import TRIPLES
from trivium.knowledge.knowledge import Knowledge
from trivium.policies.paths.extraction import Extraction, PolicyName, extract_paths
from trivium.policies.paths.subgraph import extract_subgraph

QUESTION = "which actor played for the director of Heat?"
SOURCES, TARGETS = ["heat", "mann"], ["deniro", "reno", "weaver", "scott"]
POLICIES: list[PolicyName] = ["structural", "random", "exact"]


async def _extract(base: Knowledge, policy: PolicyName, width: int = 8, count: int = 3) -> Extraction:
    return await extract_paths(base, QUESTION, SOURCES, TARGETS, beam_width=width, paths_per_pair=count, policy=policy)


@pytest.mark.parametrize("policy", POLICIES)
async def test_paths_are_triples_that_join_up(films: Knowledge, policy: PolicyName) -> None:
    found = await _extract(films, policy)
    assert found.policy == policy
    assert not found.events
    stored = set(TRIPLES)
    for source, target, path, reward in found.paths:
        assert {tuple(step[:3]) for step in path} <= stored
        assert all(before.end == after.start for before, after in pairwise(path))
        assert (path[0].start, path[-1].end) == (source, target)
        assert len({path[0].start, *(step.end for step in path)}) == len(path) + 1 <= 4
        assert 1 / 3 - 1 <= reward - 1 <= 2
    keys = [(SOURCES.index(p.source), TARGETS.index(p.target), -p.reward) for p in found.paths]
    assert keys == sorted(keys)
    assert len({p.path for p in found.paths}) == len(found.paths)


async def test_exact_finds_all_there_is(films: Knowledge) -> None:
    found = await _extract(films, "exact", count=1_000)
    for source, target in product(SOURCES, TARGETS):
        stored = await films.store.paths(source, target, max_hops=3, limit=1_000)
        walked = {(path[0].start, *(step.end for step in path)) for path in stored}
        mine = [p for p in found.paths if (p.source, p.target) == (source, target)]
        assert {(p.source, *(step.end for step in p.path)) for p in mine} == walked
        assert len(mine) == len(walked)  # of parallel relations one is walked


async def test_no_policy_beats_exact_and_a_budget_is_kept(films: Knowledge) -> None:
    best = {(p.source, p.target): p.reward for p in reversed((await _extract(films, "exact")).paths)}
    pairs = len(SOURCES) * len(TARGETS)
    for policy, width in product(POLICIES[:2], (1, 2, 8)):
        found = await _extract(films, policy, width)
        assert all(p.reward <= best[p.source, p.target] + 1e-5 for p in found.paths)
        assert pairs <= found.expanded <= pairs * (1 + 2 * width)
    assert len({(p.source, p.target) for p in (await _extract(films, "structural")).paths}) == len(best)


async def test_without_a_learnt_policy_the_structural_one_stands_in(films: Knowledge) -> None:
    found = await _extract(films, "learned")
    assert found.policy == "structural"
    assert found.events[0].event == "policy"
    assert "trivium learn knowgpt" in found.events[0].message
    assert found.paths == (await _extract(films, "structural")).paths


@pytest.mark.parametrize("policy", [*POLICIES, "learned"])
async def test_what_has_no_path(films: Knowledge, policy: PolicyName) -> None:
    for sources, targets in (
        (["heat"], ["heat"]),
        (["nobody"], ["heat"]),
        (["band"], ["heat"]),
        ([], []),
        (["heat"], []),
    ):
        found = await extract_paths(films, QUESTION, sources, targets, policy=policy)
        assert found.paths == ()
    assert (await extract_paths(films, "", ["heat"], ["mann"], policy=policy)).paths


async def test_longer_paths_on_demand(films: Knowledge) -> None:
    """Two actors who meet over two films: four hops."""
    short = await extract_paths(films, QUESTION, ["pacino"], ["grier"], policy="exact", max_hops=3)
    far = await extract_paths(films, QUESTION, ["pacino"], ["grier"], policy="exact", max_hops=4, paths_per_pair=50)
    assert not short.paths
    assert ["heat", "deniro", "jackie", "grier"] in [[step.end for step in p.path] for p in far.paths]
    stored = await films.store.paths("pacino", "grier", max_hops=4, limit=1_000)
    assert {tuple(step.end for step in p.path) for p in far.paths} == {tuple(s.end for s in path) for path in stored}
    walked = await extract_paths(films, QUESTION, ["pacino"], ["grier"], policy="structural", max_hops=4)
    assert walked.paths


class _Live(Knowledge):
    """A KG that has no adjacency at hand, as a live Neo4j graph."""

    def snapshot(self) -> None:
        return None


async def test_a_live_graph_is_expanded_through_its_store(films_kg: Path) -> None:
    base = _Live.open(films_kg)
    exact = await _extract(Knowledge.open(films_kg), "exact", count=100)
    walked = {(p.source, p.target, tuple(step.end for step in p.path)) for p in exact.paths}
    for policy, width in product(POLICIES, (2, 30)):
        found = await _extract(base, policy, width, count=100)
        assert found.policy == ("random" if policy == "random" else "text")
        assert all({tuple(step[:3]) for step in p.path} <= set(TRIPLES) for p in found.paths)
        mine = {(p.source, p.target, tuple(step.end for step in p.path)) for p in found.paths}
        assert mine <= walked
        if width == 30:  # wide enough to see everything: every pair is joined
            assert {key[:2] for key in mine} == {key[:2] for key in walked}
    assert not (await extract_paths(base, QUESTION, ["nobody", "heat"], ["heat"])).paths
    around = await extract_subgraph(base, QUESTION, ["heat"], ["ronin"])
    usual = await extract_subgraph(Knowledge.open(films_kg), QUESTION, ["heat"], ["ronin"])
    assert set(around.entities) == set(usual.entities)
    assert set(around.triples) == set(usual.triples)


async def test_a_subgraph_of_linked_entities_and_bridges(films: Knowledge) -> None:
    found = await extract_subgraph(films, QUESTION, ["heat"], ["ronin"])
    neighbours = {
        k: {t for h, _, t in TRIPLES if h == k} | {h for h, _, t in TRIPLES if t == k} for k in ("heat", "ronin")
    }
    assert set(found.entities) == {"heat", "ronin"} | (neighbours["heat"] & neighbours["ronin"])
    assert found.entities[:2] in (("heat", "ronin"), ("ronin", "heat"))
    kept = set(found.entities)
    assert {tuple(t) for t in found.triples} == {t for t in TRIPLES if t[0] in kept and t[2] in kept}
    small = await extract_subgraph(films, QUESTION, ["heat"], ["ronin"], limit=1)
    assert len(small.entities) == 1
    assert small.triples == ()
