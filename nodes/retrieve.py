"""Stage `retrieve`: candidates along the matched templates' chains, for all seeds at once (Keqing, section 3.2)."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from kg.types import ChainResult, parse_chain
from nodes.context import Context
from nodes.state import Found, KeqingState, Match, Retrieved, SubQuestionState
from policies.decomposer import NO_DEPENDENCY
from tools.follow_chain import follow_chains
from tools.knowledge import Knowledge, open_knowledge
from tools.search_triples import search_triples

_TOKEN_CHARACTERS = 4  # characters a token, by which budgets are estimated
_SUPPLEMENT = 50  # dense triples considered for the supplement


class RetrieveInput(TypedDict):
    """What one retrieval is sent: a sub-question, where it starts, its templates, and the entities already used."""

    sub_question: SubQuestionState
    seeds: list[str]
    matches: list[Match]
    used: list[str]


def ready(state: KeqingState) -> list[RetrieveInput]:
    """The sub-questions whose dependencies are answered and which are not answered themselves: one wave."""
    done = state["retrieved"]
    waiting = [sub for sub in state["sub_questions"] if str(sub["id"]) not in done]
    used = [links[0]["id"] for links in state["links"].values() if links]
    return [
        RetrieveInput(sub_question=sub, seeds=_seeds(sub, state), matches=state["matches"][str(sub["id"])], used=used)
        for sub in waiting
        if all(dep == NO_DEPENDENCY or str(dep) in done for dep in sub["dep"])
    ]


def alone(sub: SubQuestionState, state: KeqingState) -> bool:
    """Whether no other sub-question of the decomposition stands in the same wave."""
    wave: dict[int, int] = {NO_DEPENDENCY: -1}
    for each in state["sub_questions"]:
        wave[each["id"]] = 1 + max(wave[dep] for dep in each["dep"])
    return list(wave.values()).count(wave[sub["id"]]) == 1


def _seeds(sub: SubQuestionState, state: KeqingState) -> list[str]:
    """The linked entities of a sub-question's mentions, or the entities that all its dependencies found."""
    if sub["dep"] == [NO_DEPENDENCY]:
        return [links[0]["id"] for mention in sub["seed_entities"] if (links := state["links"].get(mention))]
    first, *others = [[item["id"] for item in state["retrieved"][str(dep)]["found"]] for dep in sub["dep"]]
    common = set(first).intersection(*others)
    return [key for key in first if key in common]


async def retrieve(task: RetrieveInput, runtime: Runtime[Context]) -> dict[str, Any]:
    """Follow the chains of the best template that leads anywhere, and add dense triples as the settings say."""
    knowledge = await open_knowledge(runtime.context.kg)
    sub, context = task["sub_question"], runtime.context
    excluded = [key for key in task["used"] if sub["excludes_used"]]
    match, result, found = None, ChainResult(()), list[Found]()
    for candidate in task["matches"]:
        chains = [parse_chain(chain) for chain in candidate["chains"]]
        result = await follow_chains(knowledge.store, task["seeds"], chains, context.max_entities)
        found = [
            Found(id=item.id, support=item.support, path=[tuple(step) for step in item.path])
            for item in result.reached
            if item.id not in excluded
        ]
        if found:
            match = candidate
            break
    done = Retrieved(
        id=sub["id"],
        seeds=task["seeds"],
        match=match,
        found=found,
        excluded=excluded,
        truncated=result.truncated,
        supplement=await _supplement(knowledge, task, found, context),
    )
    return {"retrieved": {str(sub["id"]): done}}


async def _supplement(
    knowledge: Knowledge, task: RetrieveInput, found: list[Found], context: Context
) -> list[tuple[str, str, str, float]]:
    """Dense triples while the token budget allows: what the chains' own triples leave of it."""
    if context.supplement == "never" or (context.supplement == "auto" and found) or not task["seeds"]:
        return []
    spent = sum(_tokens(step[:3]) for item in found for step in item["path"])
    out = []
    for triple, score in await search_triples(knowledge.base, task["sub_question"]["question"], task["seeds"], _SUPPLEMENT):
        spent += _tokens(triple[:3])
        if spent > context.supplement_tokens:
            break
        out.append((*triple[:3], score))
    return out


def _tokens(triple: tuple[str, ...]) -> int:
    """Tokens of a triple as a line of evidence, estimated by characters."""
    return -(-(sum(map(len, triple)) + 6) // _TOKEN_CHARACTERS)
