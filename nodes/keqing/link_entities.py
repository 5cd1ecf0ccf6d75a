"""Stage `link_entities`: mentions that the decomposer left open are looked up by name, then by meaning."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from langgraph.runtime import Runtime

from trivium.kg.text import fold_name
from trivium.kg.types import EntityHit, Hop
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.keqing.state import KeqingState, SubQuestionState
from trivium.nodes.run.missing import Link
from trivium.tools.describe_entities import describe_entities
from trivium.tools.find_entities import find_entities
from trivium.tools.match_templates import match_templates

_CANDIDATES = 5


def link(hit: EntityHit) -> Link:
    """A hit as state."""
    return Link(id=hit.id, label=hit.label, score=hit.score, degree=hit.degree, match=hit.match)


def mentions_of(subs: Iterable[SubQuestionState]) -> list[str]:
    """The names from which sub-questions start, each once, in order."""
    mentions = [m for sub in subs if sub["dep"] == [-1] for m in sub["seed_entities"]]
    return list(dict.fromkeys(mentions))


def unlinked(state: KeqingState) -> list[str]:
    """Mentions among the seed entities that have no entity yet, in order."""
    return [mention for mention in mentions_of(state["sub_questions"]) if mention not in state["links"]]


async def link_entities(state: KeqingState, runtime: Runtime[KeqingContext]) -> dict[str, Any]:
    """Link what is open; a mention that no entity resembles gets none, and its sub-question finds nothing."""
    context = runtime.context
    mentions = unlinked(state)
    found = await find_entities(context.kg, mentions, _CANDIDATES)
    linked = {mention: [link(hit) for hit in hits] for mention, hits in zip(mentions, found, strict=True)}
    for sub in state["sub_questions"]:
        for mention in sub["seed_entities"]:
            if len(linked.get(mention, ())) > 1:
                linked[mention] = await _feasible_first(linked[mention], sub, context)
    return {"links": {**state["links"], **linked}}


async def _feasible_first(links: list[Link], sub: SubQuestionState, context: KeqingContext) -> list[Link]:
    """Of entities with one name, first those that the sub-question's chain can leave: a band has members, no film."""
    # Only namesakes change places: one that the text resembles less stays behind, whatever it could answer.
    name = fold_name(links[0]["label"])
    same = [each for each in links if fold_name(each["label"]) == name]
    described = await describe_entities(context.kg, [each["id"] for each in same])
    for starts in await _first_hops(sub, context):
        able = [each for each, entity in zip(same, described, strict=True) if entity and starts & entity.hops]
        if able:
            return [*able, *(each for each in links if each not in able)]
    return links


async def _first_hops(sub: SubQuestionState, context: KeqingContext) -> list[set[Hop]]:
    """The hops with which the sub-question's chain begins, or those of each of its nearest templates."""
    if "chain" in sub:
        return [{Hop.parse(sub["chain"][0])}]
    (matches,) = await match_templates(context.kg, [sub["question"]], context.templates_per_sub_question)
    return [{chain[0] for chain in match.template.chains} for match in matches]
