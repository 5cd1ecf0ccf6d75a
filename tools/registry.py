"""Trivium's tools as LangChain tools over one KG: typed arguments in, the contract's JSON out.

An entity argument is an id or a label. Results hold ids as in the KG.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Literal

from langchain_core.tools import StructuredTool
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from trivium.kg.errors import BadInputError, UnknownRelationError, UnknownToolError
from trivium.kg.knowledge_base import KnowledgeBase
from trivium.kg.types import Hop, ReasoningPath, chain_text, parse_chain
from trivium.knowledge.knowledge import open_knowledge
from trivium.tools.extract_paths import extract_paths
from trivium.tools.extract_subgraph import KEPT, extract_subgraph
from trivium.tools.find_entities import find_entities, resolve
from trivium.tools.follow_chain import follow_chains
from trivium.tools.observation import Limits
from trivium.tools.observe import observe
from trivium.tools.search_triples import search_triples
from trivium.tools.select_prompt import give_feedback, select_prompt

Result = dict[str, Any]
Count = Annotated[int, Field(ge=1, le=100_000)]


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid")


class FindEntitiesArguments(_Arguments):
    """Find entities by name: exact, without case and accents, with typos, else by meaning."""

    text: str = Field(min_length=1, description="a name, or words like one")
    limit: Count = Field(10, description="at most so many candidates")


class NeighborsArguments(_Arguments):
    """The triples around an entity."""

    entity: str = Field(min_length=1, description="id or label")
    relation: str | None = Field(None, description="only this relation")
    direction: Literal["out", "in", "both"] = Field("both", description="out: the entity is the head; in: the tail")
    limit: Count = Field(100, description="at most so many triples")


class FollowChainArguments(_Arguments):
    """Walk a logical chain from seed entities and return a path to each entity it reaches."""

    seed_entities: list[str] = Field(min_length=1, description="ids or labels")
    chain: list[str] = Field(min_length=1, description='relations in order, "^rel" walked from tail to head')
    limit: Count = Field(1_000, description="at most so many entities a hop, best supported first")


class FindPathsArguments(_Arguments):
    """Simple paths between two entities, shortest first."""

    source: str = Field(min_length=1, description="id or label")
    target: str = Field(min_length=1, description="id or label")
    max_hops: Annotated[int, Field(ge=1, le=6)] = Field(3, description="longest path")
    limit: Count = Field(20, description="at most so many paths")


class SearchTriplesArguments(_Arguments):
    """The triples around entities that are nearest in meaning to a question."""

    question: str = Field(min_length=1, description="the question in words")
    entities: list[str] = Field(min_length=1, description="ids or labels")
    limit: Count = Field(20, description="at most so many triples")


class MatchTemplatesArguments(_Arguments):
    """The KG's question templates nearest to a sub-question, with the logical chains they own."""

    sub_question: str = Field(min_length=1, description="words with [mask] for the entity")
    limit: Count = Field(3, description="at most so many templates")


class ObserveArguments(_Arguments):
    """ODA's observation: the triples around entities, some hops deep, that are nearest in meaning to a question."""

    question: str = Field(min_length=1, description="the question in words")
    entities: list[str] = Field(min_length=1, description="ids or labels")
    max_hops: Annotated[int, Field(ge=1, le=6)] = Field(3, description="turns, each from the best tails of the last")
    top_n: Annotated[int, Field(ge=1, le=1_000)] = Field(50, description="triples kept of a turn")
    top_p: Annotated[int, Field(ge=1, le=1_000)] = Field(
        10, description="triples whose tails the next turn starts from"
    )
    direction: Literal["out", "in", "both"] = Field("both", description="out: entities are heads; in: tails")
    hub_triples: Count = Field(10_000, description="triples looked at around one entity, of a hub an even sample")


class ExtractPathsArguments(_Arguments):
    """KnowGPT's paths from the entities of a question to those of all its candidate answers, with their rewards."""

    question: str = Field(min_length=1, description="the question in words")
    source_entities: list[str] = Field(min_length=1, description="entities of the question, ids or labels")
    target_entities: list[str] = Field(min_length=1, description="entities of all candidate answers, ids or labels")
    max_hops: Annotated[int, Field(ge=1, le=6)] = Field(3, description="longest path")
    beam_width: Annotated[int, Field(ge=1, le=1_000)] = Field(8, description="entities a pair looked around at a hop")
    paths_per_pair: Annotated[int, Field(ge=1, le=1_000)] = Field(3, description="at most so many paths of a pair")
    policy: Literal["learned", "structural", "random", "exact"] = Field(
        "learned", description="learned, else structural; random and exact to compare with"
    )


class ExtractSubgraphArguments(_Arguments):
    """KnowGPT's P_sub: entities of a question and of its candidates, bridges between them, and their triples."""

    question: str = Field(min_length=1, description="the question in words")
    source_entities: list[str] = Field(min_length=1, description="entities of the question, ids or labels")
    target_entities: list[str] = Field(min_length=1, description="entities of all candidate answers, ids or labels")
    limit: Annotated[int, Field(ge=1, le=10_000)] = Field(KEPT, description="entities kept, the most relevant")


class SelectPromptArguments(_Arguments):
    """How KnowGPT's bandit would show the KG to a chat model for a question, and what it expects of each way."""

    question: str = Field(min_length=1, description="the question in words")
    model: str = Field("none", min_length=1, description="the chat model that would answer")


class FeedbackArguments(_Arguments):
    """Tell KnowGPT's bandit whether a run's answer was right; a run counts once."""

    run: str = Field(min_length=1, description="the run's id, as its answer's step select_prompt names it")
    thumb: Literal["up", "down"] = Field(description="up: right; down: wrong")


async def _find_entities(base: KnowledgeBase, args: FindEntitiesArguments) -> Result:
    (hits,) = await find_entities(base, [args.text], args.limit)
    return {"entities": [{"id": h.id, "label": h.label, "score": h.score, "degree": h.degree} for h in hits]}


async def _neighbors(base: KnowledgeBase, args: NeighborsArguments) -> Result:
    (entity,) = await resolve(base, [args.entity])
    if args.relation is not None:
        await _check_relations(base, [args.relation])
    (found,) = await base.store.neighbors([entity], relation=args.relation, direction=args.direction, limit=args.limit)
    return {"triples": [_scored(step.head, step.relation, step.tail, 1.0) for step in found]}


async def _follow_chain(base: KnowledgeBase, args: FollowChainArguments) -> Result:
    chain = parse_chain(args.chain)
    await _check_relations(base, [hop.relation for hop in chain])
    result = await follow_chains(base.store, await resolve(base, args.seed_entities), [chain], args.limit)
    return {"paths": [path_result(item.path, item.id) for item in result.reached]}


async def _find_paths(base: KnowledgeBase, args: FindPathsArguments) -> Result:
    source, target = await resolve(base, [args.source, args.target])
    paths = await base.store.paths(source, target, max_hops=args.max_hops, limit=args.limit)
    return {"paths": [path_result(path, target) for path in paths]}


async def _search_triples(base: KnowledgeBase, args: SearchTriplesArguments) -> Result:
    found = await search_triples(base, args.question, await resolve(base, args.entities), args.limit)
    return {"triples": [_scored(*item.triple[:3], item.score) for item in found]}


async def _match_templates(base: KnowledgeBase, args: MatchTemplatesArguments) -> Result:
    (found,) = (await base.templates()).match([args.sub_question], args.limit)
    return {
        "templates": [
            {
                "template": match.template.text,
                "score": match.score,
                "chains": [chain_text(chain) for chain in match.template.chains],
            }
            for match in found
        ]
    }


async def _observe(base: KnowledgeBase, args: ObserveArguments) -> Result:
    limits = Limits(args.max_hops, args.top_n, args.top_p, args.direction, args.hub_triples)
    around = await observe(base, args.question, await resolve(base, args.entities), limits)
    scores: dict[tuple[str, str, str], float] = {}
    for each in (each for observation in around for each in observation):
        scores.setdefault(each.triple[:3], each.score)
    return {"triples": [_scored(*triple, score) for triple, score in scores.items()]}


async def _extract_paths(base: KnowledgeBase, args: ExtractPathsArguments) -> Result:
    sources = await resolve(base, args.source_entities)
    found = await extract_paths(
        base, args.question, sources, await resolve(base, args.target_entities), max_hops=args.max_hops,
        beam_width=args.beam_width, paths_per_pair=args.paths_per_pair, policy=args.policy,
    )  # fmt: skip
    paths = [{**path_result(each.path, each.target), "reward": each.reward} for each in found.paths]
    result: Result = {"paths": paths, "expanded": found.expanded, "policy": found.policy}
    return result | ({"events": list(found.events)} if found.events else {})


async def _extract_subgraph(base: KnowledgeBase, args: ExtractSubgraphArguments) -> Result:
    sources = await resolve(base, args.source_entities)
    targets = await resolve(base, args.target_entities)
    found = await extract_subgraph(base, args.question, sources, targets, limit=args.limit)
    score = dict(zip(found.entities, found.relevance, strict=True))
    return {"triples": [_scored(*t, min(score[t.head], score[t.tail])) for t in found.triples]}


async def _select_prompt(base: KnowledgeBase, args: SelectPromptArguments) -> Result:
    choice = (await select_prompt(base, args.question, args.model)).choice
    return {"arm": choice.arm.name, "reason": choice.reason, "arms": [each._asdict() for each in choice.estimates]}


async def _feedback(base: KnowledgeBase, args: FeedbackArguments) -> Result:
    return (await give_feedback(base, args.run, float(args.thumb == "up"))).as_result(args.run)


_Handler = Callable[[KnowledgeBase, Any], Awaitable[Result]]
_TOOLS: dict[str, tuple[type[_Arguments], _Handler]] = {
    "find_entities": (FindEntitiesArguments, _find_entities),
    "neighbors": (NeighborsArguments, _neighbors),
    "follow_chain": (FollowChainArguments, _follow_chain),
    "find_paths": (FindPathsArguments, _find_paths),
    "search_triples": (SearchTriplesArguments, _search_triples),
    "observe": (ObserveArguments, _observe),
    "match_templates": (MatchTemplatesArguments, _match_templates),
    "extract_paths": (ExtractPathsArguments, _extract_paths),
    "extract_subgraph": (ExtractSubgraphArguments, _extract_subgraph),
    "select_prompt": (SelectPromptArguments, _select_prompt),
    "feedback": (FeedbackArguments, _feedback),
}
TOOL_NAMES = tuple(_TOOLS)


def make_tools(kg: str) -> list[StructuredTool]:
    """All tools over the KG of that name, for an agent; each opens the KG on first use."""
    return [_as_langchain(name, kg) for name in _TOOLS]


def _as_langchain(name: str, kg: str) -> StructuredTool:
    arguments, handler = _TOOLS[name]

    async def run(**given: Any) -> Result:  # noqa: ANN401 - the arguments' types are those of the schema
        return await handler((await open_knowledge(kg)).base, arguments(**given))

    return StructuredTool.from_function(
        coroutine=run, name=name, description=arguments.__doc__ or name, args_schema=arguments
    )


def parse_call(name: str, arguments_json: str) -> _Arguments:
    """The typed arguments of a call given as JSON.

    Raises:
        UnknownToolError: no tool has that name.
        BadInputError: no JSON object, an argument is missing, unknown or out of range.
    """
    if name not in _TOOLS:
        raise UnknownToolError(f"no tool is named {name!r}; there are {', '.join(_TOOLS)}")
    try:
        given = json.loads(arguments_json)
    except ValueError as error:
        raise BadInputError(f"the arguments of {name} are no JSON ({error}): {arguments_json[:80]!r}") from error
    if not isinstance(given, dict):
        raise BadInputError(f"the arguments of {name} must be a JSON object, not {arguments_json[:80]!r}")
    try:
        return _TOOLS[name][0](**given)
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
        raise BadInputError(f"arguments of {name}: {problems}") from error


async def call_tool(name: str, arguments: _Arguments, base: KnowledgeBase) -> Result:
    """Call one tool with arguments that `parse_call` read."""
    return await _TOOLS[name][1](base, arguments)


def path_result(path: ReasoningPath, answer: str) -> Result:
    """A path as the contract has it: each triple as stored, `inverse` = walked from tail to head."""
    return {"triples": [step._asdict() for step in path], "answer": answer}


def _scored(head: str, relation: str, tail: str, score: float) -> Result:
    return {"head": head, "relation": relation, "tail": tail, "score": score}


async def _check_relations(base: KnowledgeBase, names: list[str]) -> None:
    """Refuse a relation that the KG has not; the message names similar ones."""
    known = {relation.name for relation in await base.store.schema()}
    for name in names:
        if name not in known:
            near = await _similar_relations(base, name)
            raise UnknownRelationError(f"no relation is named {name!r}; did you mean {', '.join(near)}?")


async def _similar_relations(base: KnowledgeBase, name: str) -> list[str]:
    index = await base.relations()
    _, (near,) = index.search(base.embedder.embed([Hop.parse(name).relation]), 3)
    return near
