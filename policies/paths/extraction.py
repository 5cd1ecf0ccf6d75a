"""The reasoning paths from a question's entities to its candidates' entities (KnowGPT, section 4.1).

All pairs are searched at once, by beam search under a policy: `learned` (`trivium learn knowgpt`), `structural` (the
untrained yardstick), `random`; or by `exact`, which reads all there is between two entities and is the ceiling. Where
the whole graph is at hand, exact search is cheap; a policy is for a small budget of expansions (docs/knowgpt-paths.md).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, NamedTuple

import numpy as np
from threadpoolctl import ThreadpoolController

from trivium.kg.embedded.columns import Int64
from trivium.kg.errors import EmbedderError, OutdatedError, StaleError
from trivium.kg.knowledge_base import KnowledgeBase
from trivium.kg.types import ReasoningPath, WalkedTriple
from trivium.policies.paths.live import LiveGraph, TextScorer, live_rewards, walk_live
from trivium.policies.paths.policy import LearnedScorer
from trivium.policies.paths.reward import PathRewards
from trivium.policies.paths.search import (
    PathQuery,
    PathRanking,
    PathScorer,
    RandomScorer,
    RankedPath,
    StructuralScorer,
    best_paths,
    walk_beam,
    walk_exactly,
)
from trivium.policies.paths.tables import PathTables, learned_policy, path_tables

_LIVE = (
    "this KG is searched live, through its store: neighbors are ranked by their labels. "
    "A snapshot of the graph brings learned, structural and exact paths"
)

_STALE = "the path policy was learned before this KG changed; trivium learn knowgpt renews it"

PolicyName = Literal["learned", "structural", "random", "exact"]
UsedPolicy = Literal["learned", "structural", "random", "exact", "text"]
"""`text` is what a live graph gets: neighbors ranked by their labels."""


class Note(NamedTuple):
    """An event: its kind, `policy` or `stale`, and what to say."""

    event: str
    message: str


class ExtractedPath(NamedTuple):
    """A path from a source to a target (ids) and its total reward (equations 2 to 4)."""

    source: str
    target: str
    path: ReasoningPath
    reward: float


@dataclass(frozen=True)
class Extraction:
    """What was extracted.

    Attributes:
        paths: pair by pair in the order of sources, then targets; the best of a pair first.
        expanded: entities whose neighbors were read, counted once a pair, over all pairs.
        policy: the one that was used.
        events: what a user should know: a policy that stood in for another, or that is older than the KG.
        trained: how a learned policy was trained, in words; else empty.
    """

    paths: tuple[ExtractedPath, ...]
    expanded: int
    policy: UsedPolicy
    events: tuple[Note, ...] = ()
    trained: str = ""


async def extract_paths(  # noqa: PLR0913 - the tool's arguments, one by one, as the contract names them
    base: KnowledgeBase,
    question: str,
    sources: Sequence[str],
    targets: Sequence[str],
    *,
    max_hops: int = 3,
    beam_width: int = 8,
    paths_per_pair: int = 3,
    policy: PolicyName = "learned",
) -> Extraction:
    """The best paths from each source to each target, by total reward; no entity twice on a path.

    Args:
        base: the KG.
        question: in words, the context of equation 3.
        sources: entity ids of the question; one that is not an entity of the KG has no path.
        targets: entity ids of all candidate answers, the wrong ones too. A pair of one entity has no path.
        max_hops: K, the longest path.
        beam_width: entities a pair expanded at each hop but the first; `exact` does not look at it.
        paths_per_pair: at most so many paths of a pair.
        policy: who ranks the steps; without a learned one `structural` stands in, and an event says so. On a live
            graph all but `random` become `text`.

    Raises:
        CorruptError, VersionError: the learned policy is damaged, or a newer Trivium wrote it.
    """
    tables = await path_tables(base)
    if tables is None:
        pairs = list(dict.fromkeys((a, b) for a in sources for b in targets if a != b))
        return await _extract_live(base, question, pairs, _Limits(max_hops, beam_width, paths_per_pair), policy)
    pairs = list(dict.fromkeys((a, b) for a in sources for b in targets if a != b))
    rows = tables.snapshot.rows([key for pair in pairs for key in pair]).reshape(-1, 2)
    known = np.flatnonzero((rows >= 0).all(axis=1))
    request = _Request(tables, question, rows[known], _Limits(max_hops, beam_width, paths_per_pair))
    ranked, used, events = await asyncio.to_thread(_search_alone, request, policy)
    named = [pairs[place] for place in known.tolist()]
    paths = tuple(ExtractedPath(*named[path.pair], _as_triples(tables, path), path.reward) for path in ranked.paths)
    learned = await asyncio.to_thread(learned_policy, tables) if used == "learned" else None
    return Extraction(paths, int(ranked.expanded.sum()), used, events, learned.trained if learned else "")


class _Limits(NamedTuple):
    max_hops: int
    beam_width: int
    paths_per_pair: int


@dataclass(frozen=True)
class _Request:
    tables: PathTables
    question: str
    pairs: Int64
    limits: _Limits


async def _extract_live(
    base: KnowledgeBase, question: str, pairs: list[tuple[str, str]], limits: _Limits, policy: PolicyName
) -> Extraction:
    """The same through the store; whatever policy is asked for, but for `random`, labels rank the neighbors."""
    graph = LiveGraph(base)
    known = set(await graph.start([key for pair in pairs for key in pair]))
    pairs = [pair for pair in pairs if known.issuperset(pair)]
    rows = graph.rows([key for pair in pairs for key in pair]).reshape(-1, 2)
    contexts = await asyncio.to_thread(base.embedder.embed, [question])
    query = PathQuery(rows[:, 0], rows[:, 1], np.zeros(len(rows), np.int64), contexts)
    scorer: PathScorer = RandomScorer() if policy == "random" else TextScorer(graph)
    found, expanded = await walk_live(graph, scorer, query, (limits.beam_width, limits.max_hops))
    ranked = best_paths(found, live_rewards(graph), query, limits.paths_per_pair)
    paths = tuple(ExtractedPath(*pairs[path.pair], _live_triples(graph, path), path.reward) for path in ranked)
    used: UsedPolicy = "random" if policy == "random" else "text"
    return Extraction(paths, int(expanded.sum()), used, () if policy == "random" else (Note("policy", _LIVE),))


def _live_triples(graph: LiveGraph, path: RankedPath) -> ReasoningPath:
    """A path in ids, each triple as stored."""
    steps = []
    for start, end, code in zip(path.entities, path.entities[1:], path.codes, strict=False):
        backwards = bool(code % 2)
        head, tail = (graph.ids[end], graph.ids[start]) if backwards else (graph.ids[start], graph.ids[end])
        steps.append(WalkedTriple(head, graph.relations[code // 2], tail, backwards))
    return tuple(steps)


@cache
def _libraries() -> ThreadpoolController:
    """The numeric libraries of this process; finding them costs milliseconds, so once."""
    return ThreadpoolController()


def _search_alone(request: _Request, policy: PolicyName) -> tuple[PathRanking, PolicyName, tuple[Note, ...]]:
    """Search on one thread: with small matrices two BLAS threads that wait for each other took 20 times as long."""
    with _libraries().limit(limits=1, user_api="blas"):
        return _search(request, policy)


def _search(request: _Request, policy: PolicyName) -> tuple[PathRanking, PolicyName, tuple[Note, ...]]:
    """Search all pairs; the policy used, and what stood in for what."""
    tables, limits = request.tables, request.limits
    contexts = tables.features.contexts(tables.embedder, [request.question])
    query = PathQuery(request.pairs[:, 0], request.pairs[:, 1], np.zeros(len(request.pairs), np.int64), contexts)
    rewards, scorer, used, events = _policy(tables, policy)
    affinity = rewards.affinity(contexts)
    if scorer is None:
        found, expanded = walk_exactly(tables.graph, query, affinity, limits.max_hops)
    else:
        found, expanded = walk_beam(tables.graph, scorer, query, affinity, (limits.beam_width, limits.max_hops))
    return PathRanking(best_paths(found, rewards, query, limits.paths_per_pair), expanded), used, events


def _policy(
    tables: PathTables, policy: PolicyName
) -> tuple[PathRewards, PathScorer | None, PolicyName, tuple[Note, ...]]:
    """Rewards, scorer (None: exact search), the policy used, events."""
    try:
        learned, why = learned_policy(tables), "no path policy was learned on this KG"
    except (EmbedderError, OutdatedError, StaleError) as error:
        learned, why = None, str(error)
    # Every policy is judged by the same rewards: with W as it was learned, where it was.
    rewards = tables.rewards() if learned is None else learned.rewards
    events: tuple[Note, ...] = ()
    if policy == "learned":
        if learned is not None:
            if learned.stale:
                events = (Note("stale", _STALE),)
            return rewards, LearnedScorer(learned.model), policy, events
        policy = "structural"
        events = (Note("policy", f"{why}: the structural policy is used instead (trivium learn knowgpt)"),)
    if policy == "random":
        return rewards, RandomScorer(), policy, events
    if policy == "exact":
        return rewards, None, policy, events
    structure = tables.structure(lambda *_: None)
    return rewards, StructuralScorer(structure.walks, tables.features.log_degree), policy, events


def _as_triples(tables: PathTables, path: RankedPath) -> ReasoningPath:
    """A path in ids, each triple as stored."""
    keys = tables.snapshot.keys.take(np.array(path.entities))
    steps = []
    for start, end, code in zip(keys, keys[1:], path.codes, strict=False):
        hop = tables.snapshot.hop(code)
        head, tail = (end, start) if hop.inverse else (start, end)
        steps.append(WalkedTriple(head, hop.relation, tail, hop.inverse))
    return tuple(steps)
