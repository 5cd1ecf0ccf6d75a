"""Stage `retrieve`: candidates along the matched templates' chains, for all seeds at once (Keqing, section 3.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NotRequired

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from trivium.kg.plans.codec import from_json
from trivium.kg.plans.plan import Entities, nodes
from trivium.kg.plans.sub_questions import sub_questions
from trivium.kg.types import ChainResult, LogicalChain, parse_chain
from trivium.nodes.keqing.conditions import dated
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.keqing.state import Found, KeqingState, MatchedTemplate, Retrieved, SubQuestionState
from trivium.nodes.run.clock import clock_of
from trivium.nodes.run.usage import estimate_tokens
from trivium.tools.decompose_question import NO_DEPENDENCY
from trivium.tools.describe_entities import describe_entities
from trivium.tools.follow_chain import follow_chain
from trivium.tools.get_labels import get_labels
from trivium.tools.run_plan import run_plan
from trivium.tools.search_triples import search_triples

_SUPPLEMENT = 50  # dense triples considered for the supplement
_MORE = 100  # candidates that each further template adds for a model to choose from


class RetrieveInput(TypedDict):
    """What one retrieval is sent: a line of sub-questions, each starting from the one before.

    `seeds` are where the first one starts, `matches` the templates of each, `used` the entities already used. `plan`
    is the question's plan, which answers all of them in one query.
    """

    line: list[SubQuestionState]
    seeds: list[str]
    matches: list[list[MatchedTemplate]]
    used: list[str]
    plan: NotRequired[dict[str, Any]]


def wave(state: KeqingState, context: KeqingContext) -> list[RetrieveInput]:
    """The sub-questions whose dependencies are answered and which are not answered themselves, as parallel tasks.

    Where no model chooses among a sub-question's candidates, the next one that starts from it alone is walked in the
    same task; where answers intersect, and where a model is to choose, a new wave begins.
    """
    done = state["retrieved"]
    if plan := state.get("plan"):
        matches = [state["matches"][str(sub["id"])] for sub in state["sub_questions"]]
        return (
            [] if done else [RetrieveInput(line=state["sub_questions"], seeds=[], matches=matches, used=[], plan=plan)]
        )
    used = [links[0]["id"] for links in state["links"].values() if links]
    return [
        RetrieveInput(
            line=line,
            seeds=_seeds(line[0], state),
            matches=[state["matches"][str(sub["id"])] for sub in line],
            used=used,
        )
        for first in state["sub_questions"]
        if str(first["id"]) not in done and all(dep == NO_DEPENDENCY or str(dep) in done for dep in first["dep"])
        for line in [_line(first, state, context)]
    ]


def is_judged(sub: SubQuestionState, matches: list[MatchedTemplate], context: KeqingContext) -> bool:
    """Whether a model is to choose among a sub-question's candidates; where a condition decides, there is no choice."""
    return "only" not in sub and context.judges(matches[0]["score"] if matches else 0.0)


def _line(first: SubQuestionState, state: KeqingState, context: KeqingContext) -> list[SubQuestionState]:
    """A sub-question and those after it, as long as each is the only one that starts from the one before."""
    line = [first]
    while not is_judged(line[-1], state["matches"][str(line[-1]["id"])], context):
        after = [sub for sub in state["sub_questions"] if line[-1]["id"] in sub["dep"]]
        if len(after) != 1 or len(after[0]["dep"]) != 1:
            break
        line.append(after[0])
    return line


def _seeds(sub: SubQuestionState, state: KeqingState) -> list[str]:
    """The linked entities of a sub-question's mentions, or the entities that all its dependencies found."""
    if sub["dep"] == [NO_DEPENDENCY]:
        return [links[0]["id"] for mention in sub["seed_entities"] if (links := state["links"].get(mention))]
    first, *others = [[item["id"] for item in state["retrieved"][str(dep)]["found"]] for dep in sub["dep"]]
    common = set(first).intersection(*others)
    return [key for key in first if key in common]


async def retrieve(state: RetrieveInput, runtime: Runtime[KeqingContext]) -> dict[str, Any]:
    """Answer a line of sub-questions, each from the candidates of the one before."""
    if "plan" in state:
        left = max(0.001, clock_of(runtime).left(runtime.context))
        return await _run(state, state["plan"], runtime.context, min(left, runtime.context.seconds))
    seeds, retrieved = state["seeds"], dict[str, Retrieved]()
    for sub, matches in zip(state["line"], state["matches"], strict=True):
        excluded = [*(state["used"] if sub["excludes_used"] else []), *_besides(sub)]
        done = await _retrieve_one(sub, seeds, matches, excluded, runtime.context)
        retrieved[str(sub["id"])] = done
        seeds = [item["id"] for item in done["found"]]
    return {"retrieved": retrieved}


async def _run(state: RetrieveInput, plan: dict[str, Any], context: KeqingContext, seconds: float) -> dict[str, Any]:
    """Compute the question's plan as one query, in what is left of its time; the log says how much each step found."""
    read = from_json(plan)
    labels = {each: each for node in nodes(read) if isinstance(node, Entities) for each in node.ids}
    parts = [step.part for step in sub_questions(read, lambda _: None, labels)]
    done = await run_plan(context.kg, read, parts=parts, seconds=seconds, limit=context.max_entities)
    retrieved = {
        str(sub["id"]): Retrieved(
            id=sub["id"],
            seeds=sub["seed_entities"],
            match=matches[0] if matches else None,
            found=[],
            excluded=[],
            truncated=False,
            supplement=[],
            counted=count,
        )
        for sub, matches, count in zip(state["line"], state["matches"], done.found, strict=True)
    }
    outcome = done.result.to_json()
    given = max(len(outcome["answers"]), len(outcome["values"]))
    cut = {"stage": "retrieve", "event": "truncated", "kept": given, "total": done.result.total}
    events = [cut] if given and done.result.total > given else []
    return {"retrieved": retrieved, "outcome": {**outcome, "query": done.query}, "events": events}


async def _retrieve_one(
    sub: SubQuestionState,
    seeds: list[str],
    matches: list[MatchedTemplate],
    excluded: list[str],
    context: KeqingContext,
) -> Retrieved:
    """Follow the chains of the best template that leads anywhere, and add dense triples as the settings say.

    Where a model is to choose, the other templates' candidates come along (the paper's figure 5: more of them give the
    answer more chances); without one they would be noise.
    """
    match, found, more, truncated = None, list[Found](), dict[str, Found](), False
    judged = is_judged(sub, matches, context)
    for candidate in matches:
        chains = [parse_chain(chain) for chain in candidate["chains"]]
        result = await follow_chain(context.kg, seeds, chains, context.max_entities)
        reached = await _kept(sub, seeds, chains, result, excluded, context.kg)
        if found:
            more |= {item["id"]: item for item in reached[:_MORE]}
        elif reached:
            match, found, truncated = candidate, reached, result.truncated
        if found and not judged:
            break
    done = Retrieved(
        id=sub["id"],
        seeds=seeds,
        match=match,
        found=found,
        excluded=excluded,
        truncated=truncated,
        supplement=await _supplement(sub, seeds, found, context),
    )
    if judged:
        best = {item["id"] for item in found}
        done["more"] = [item for key, item in more.items() if key not in best]
    return done


async def _kept(
    sub: SubQuestionState,
    seeds: list[str],
    chains: Sequence[LogicalChain],
    result: ChainResult,
    excluded: list[str],
    kg: str,
) -> list[Found]:
    """What a chain reached, without what is excluded, and as the sub-question's condition allows."""
    only = sub.get("only")
    if only is not None and only["op"] != "among" and only["op"] != "besides":
        return [Found(id=key, support=1, path=path) for key, path in await dated(only, seeds, chains, kg)]
    allowed = set(only["ids"]) if only is not None and only["op"] == "among" else None
    kept = [
        Found(id=item.id, support=item.support, path=[(*step,) for step in item.path])
        for item in result.reached
        if item.id not in excluded and (allowed is None or item.id in allowed)
    ]
    return await _of_type(sub["asked_type"], kept, kg) if "asked_type" in sub else kept


def _besides(sub: SubQuestionState) -> list[str]:
    """What a follow-up asks for others than ("what other films did he direct?")."""
    only = sub.get("only")
    return only["ids"] if only is not None and only["op"] == "besides" else []


async def _of_type(kind: str, found: list[Found], kg: str) -> list[Found]:
    """Those of the type that is asked for ("which mountains"); all of them where none has it, or its types."""
    entities = await describe_entities(kg, [item["id"] for item in found], relations=False)
    return [item for item, entity in zip(found, entities, strict=True) if entity and kind in entity.types] or found


async def _supplement(
    sub: SubQuestionState, seeds: list[str], found: list[Found], context: KeqingContext
) -> list[tuple[str, str, str, float]]:
    """Dense triples while the token budget allows: what the chains' own triples leave of it."""
    if context.supplement == "never" or (context.supplement == "auto" and found) or not seeds or "only" in sub:
        return []
    dense = await search_triples(context.kg, sub["question"], seeds, _SUPPLEMENT)
    walked = [step[:3] for item in found for step in item["path"]]
    ids = sorted({key for triple in (*walked, *(triple[:3] for triple, _ in dense)) for key in (triple[0], triple[2])})
    labels = dict(zip(ids, await get_labels(context.kg, ids), strict=True))

    def tokens(head: str, relation: str, tail: str) -> int:  # as the prompt shows it, by names
        return _tokens((labels[head], relation, labels[tail]))

    spent, out = sum(tokens(*triple) for triple in walked), []
    for triple, score in dense:
        spent += tokens(*triple[:3])
        if spent > context.evidence_tokens:
            break
        out.append((*triple[:3], score))
    return out


def _tokens(triple: tuple[str, ...]) -> int:
    """Tokens of a triple as a line of evidence."""
    return estimate_tokens(f"({', '.join(triple)})")
