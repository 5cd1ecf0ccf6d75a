"""The LLM-free action and reflection: by similarity, with the observation to look ahead (paper, section 4.2; ours)."""

from __future__ import annotations

from collections.abc import Sequence

from trivium.kg.types import Hop, LogicalChain, WalkedTriple
from trivium.nodes.oda.context import OdaContext
from trivium.nodes.oda.memory import chain_of, start_of, traces
from trivium.nodes.oda.state import Action, ActionName, OdaState
from trivium.nodes.oda.ways import Way, alternatives, candidates_of, explored, settled, ways_on
from trivium.tools.find_task_entities import question_kind


async def similar_action(state: OdaState, context: OdaContext) -> Action:
    """The action whose result promises most.

    GetPath where a fact about two entities is to be checked; GetNeighbor for a topic that nothing was found from yet,
    and for entities from which a way on says more of the question than what the memory holds; else Answer. A way says
    more only where each of its hops has a word of the question to itself, so the loop stops by itself.
    """
    if pair := _pair_to_join(state):
        return _chosen("GetPath", pair, "the fact is about both")
    done = explored(state)
    entities = [entity for entity in candidates_of(state) if entity not in done]
    ways = await ways_on(state, context, entities)
    held = await settled(state, context)
    better = [way for way in ways if way.topic not in held or way.score > held[way.topic][0]]
    # A topic that nothing was found from yet goes first, since the question named it for a reason.
    fresh = [way for way in better if not way.behind]
    best = next(iter(fresh or better), None)
    if best is None:
        return _chosen("Answer", [], "no relation onward is closer to the question")
    group = _group(state, entities, best)
    return _chosen("GetNeighbor", group, f"{best.hop} promises {best.score:.3f}", best.hop)


def _chosen(name: ActionName, entities: list[str], thought: str, hop: Hop | None = None) -> Action:
    return Action(name=name, entities=entities, thought=thought, by="similarity", hop=str(hop) if hop else None)


async def similar_triples(
    state: OdaState, context: OdaContext, action: Action, found: Sequence[WalkedTriple]
) -> list[WalkedTriple]:
    """What an LLM-free reflection keeps of the neighbors that an action found: the group with the best way on.

    A group is one relation, in one direction, around the entities to which one chain led; of a large one the triples
    nearest to the question, as `found` has them.
    """
    if action["hop"]:
        group, hop = action["entities"], Hop.parse(action["hop"])
    else:
        ways = await ways_on(state, context, action["entities"])
        if not ways:
            return []
        group, hop = _group(state, action["entities"], ways[0]), ways[0].hop
    kept = [
        triple
        for triple in found
        if triple.relation == hop.relation and triple.inverse == hop.inverse and triple.start in group
    ]
    return kept[: context.reflected_triples]


def best_paths(paths: Sequence[Sequence[WalkedTriple]], scores: Sequence[float], count: int) -> list[WalkedTriple]:
    """The triples of the best paths between two entities, path by path, at most `count`."""
    order = sorted(range(len(paths)), key=lambda place: -scores[place])
    kept: list[WalkedTriple] = []
    for place in order:
        # A path cut short proves nothing; a shorter one further down may still fit.
        if len(kept) + len(paths[place]) <= count:
            kept += paths[place]
    return kept


def _pair_to_join(state: OdaState) -> list[str] | None:
    """Two entities of a fact to check, before anything else was done."""
    both = list(dict.fromkeys([*state["topics"], *state["named"]]))[:2]
    return both if len(both) == 2 and not state["history"] and question_kind(state["question"]) == "fact" else None


def _group(state: OdaState, entities: Sequence[str], way: Way) -> list[str]:
    """The entities to which the memory leads as it does to where a way leaves: their names alone tell them apart."""
    ways, meant = traces(state["memory"], state["topics"]), set(alternatives(state))

    def is_like(entity: str) -> bool:
        behind: LogicalChain = chain_of(ways.get(entity, ()))
        if not behind and not way.behind:
            return {entity, way.entity} <= meant
        return bool(behind) and behind == way.behind and start_of(ways[entity], entity) == way.topic

    return [entity for entity in entities if entity == way.entity or is_like(entity)]
