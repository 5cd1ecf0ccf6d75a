"""KnowGPT's stage `extract`: knowledge between the question's entities and the candidates', by the arm's extraction.

P_RL gives paths with their rewards (section 4.1), P_sub the triples of a 2-hop subgraph with their relevance (appendix
B.1). Both are ordered by it, and cut to a number of triples, since state holds short paths and no subgraphs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langgraph.runtime import Runtime

from trivium.kg.types import Triple
from trivium.nodes.knowgpt.context import KnowGPTContext
from trivium.nodes.knowgpt.state import EvidencePath, KnowGPTState
from trivium.nodes.run.state import Step
from trivium.tools.extract_paths import extract_paths
from trivium.tools.extract_subgraph import extract_subgraph


async def extract(state: KnowGPTState, runtime: Runtime[KnowGPTContext]) -> dict[str, Any]:
    """Extract by the chosen arm; nothing where the question or the candidates name no entity, or for `direct`."""
    context, sources = runtime.context, state["sources"]
    targets = list(dict.fromkeys(entity for candidate in state["candidates"] for entity in candidate["entities"]))
    arm = state["chosen"]["arm"]
    if arm == "direct" or not sources or not targets:
        return {"evidence": [], "expanded": 0, "walked_by": ""}
    if arm.startswith("sub/"):
        found = await extract_subgraph(context.kg, state["question"], sources, targets)
        relevance = dict(zip(found.entities, found.relevance, strict=True))
        return {
            "evidence": among(found.triples, relevance, sources, targets, context),
            "expanded": len(found.entities),
            "walked_by": "",
        }
    walked = await extract_paths(
        context.kg, state["question"], sources, targets, max_hops=context.max_hops, beam_width=context.beam_width,
        paths_per_pair=context.paths_per_pair, policy=context.policy,
    )  # fmt: skip
    paths = [
        EvidencePath(
            steps=[(s.head, s.relation, s.tail, s.inverse) for s in each.path],
            reward=round(each.reward, 6),
            target=each.target,
        )
        for each in walked.paths
    ]
    noted = [{"stage": "extract", "event": note.event, "message": note.message} for note in walked.events]
    kept = best_first(paths, context.max_triples)
    walked_by = f"{walked.policy}: {walked.trained}" if walked.trained else walked.policy
    more = {"events": noted} if noted else {}
    return {"evidence": kept, "expanded": walked.expanded, "walked_by": walked_by, **more}


def best_first(evidence: Sequence[EvidencePath], max_triples: int) -> list[EvidencePath]:
    """The evidence of the largest reward, as far as it adds triples to at most so many; the best one in any case.

    Every target's best path comes before any target's second one: a candidate is judged by what speaks for it.
    """
    rank: dict[str | None, int] = {}
    order = []
    for each in sorted(evidence, key=lambda item: -item["reward"]):
        place = rank.get(each["target"], 0)
        rank[each["target"]] = place + 1
        order.append((place if each["target"] else 0, each))
    seen: set[tuple[str, str, str]] = set()
    kept = list[EvidencePath]()
    for _, each in sorted(order, key=lambda item: item[0]):
        new = {step[:3] for step in each["steps"]} - seen
        if kept and len(seen) + len(new) > max_triples:
            break
        seen |= new
        kept.append(each)
    return sorted(kept, key=lambda item: -item["reward"])


def among(
    triples: Sequence[Triple],
    relevance: dict[str, float],
    sources: Sequence[str],
    targets: Sequence[str],
    context: KnowGPTContext,
) -> list[EvidencePath]:
    """A subgraph as evidence: the shortest path in it from a source to each target, then single triples.

    A triple is as relevant as the less relevant of its two ends; a path as its least relevant triple. Paths are what
    proves an answer, and come first within the cut.
    """
    worth = {triple: round(min(relevance[triple.head], relevance[triple.tail]), 6) for triple in triples}
    paths = []
    for target, steps in _shortest(triples, sources, set(targets), context.max_hops).items():
        reward = min(worth[Triple(*step[:3])] for step in steps)
        paths.append(EvidencePath(steps=steps, reward=reward, target=target))
    singles = [EvidencePath(steps=[(*triple, False)], reward=value, target=None) for triple, value in worth.items()]
    kept = best_first(paths, context.max_triples)
    shown = {step[:3] for each in kept for step in each["steps"]}
    room = max(context.max_triples - len(shown), 0)
    others = [each for each in sorted(singles, key=lambda item: -item["reward"]) if each["steps"][0][:3] not in shown]
    return [*kept, *others[:room]]


def _shortest(triples: Sequence[Triple], sources: Sequence[str], targets: set[str], hops: int) -> dict[str, list[Step]]:
    """A shortest path within the triples from the nearest source to each target that they reach in so many hops."""
    around: dict[str, list[tuple[str, Step]]] = {}
    for head, relation, tail in triples:
        around.setdefault(head, []).append((tail, (head, relation, tail, False)))
        around.setdefault(tail, []).append((head, (head, relation, tail, True)))
    reached: dict[str, list[Step]] = {source: [] for source in sources}
    front, found = list(sources), dict[str, list[Step]]()
    for _ in range(hops):
        following = []
        for entity in front:
            for end, step in around.get(entity, ()):
                if end not in reached:
                    reached[end] = [*reached[entity], step]
                    following.append(end)
                    if end in targets:
                        found[end] = reached[end]
        front = following
    return found
