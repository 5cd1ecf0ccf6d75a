"""Stage `link_entities`: mentions that the decomposer left open are looked up by name, then by meaning."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from langgraph.runtime import Runtime

from trivium.kg.text import fold_name
from trivium.kg.types import EntityHit
from trivium.knowledge.knowledge import Knowledge, open_knowledge
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.keqing.state import KeqingState, Link, SubQuestionState
from trivium.tools.find_entities import find_entities

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
    """Link what is open; a mention that nothing is like stays without an entity, and its sub-question finds nothing."""
    mentions = unlinked(state)
    knowledge = await open_knowledge(runtime.context.kg)
    found = await find_entities(knowledge.base, mentions, _CANDIDATES)
    linked = {mention: [link(hit) for hit in hits] for mention, hits in zip(mentions, found, strict=True)}
    k = runtime.context.templates_per_sub_question
    for sub in state["sub_questions"]:
        for mention in sub["seed_entities"]:
            if len(linked.get(mention, ())) > 1:
                linked[mention] = await _feasible_first(linked[mention], sub["question"], k, knowledge)
    return {"links": {**state["links"], **linked}}


async def _feasible_first(links: list[Link], sub_question: str, k: int, knowledge: Knowledge) -> list[Link]:
    """Of entities with one name, first those that the best template's chains can leave: a band has members, no film."""
    # Only namesakes change places: one that the text resembles less stays behind, whatever it could answer.
    name = fold_name(links[0]["label"])
    same = [each for each in links if fold_name(each["label"]) == name]
    hops = await knowledge.store.hops([each["id"] for each in same])
    templates = await knowledge.base.templates()
    (matches,) = await asyncio.to_thread(templates.match, [sub_question], k)
    for match in matches:
        starts = {chain[0] for chain in match.template.chains}
        able = [each for each, leaving in zip(same, hops, strict=True) if starts & leaving]
        if able:
            return [*able, *(each for each in links if each not in able)]
    return links
