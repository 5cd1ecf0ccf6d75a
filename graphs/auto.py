"""`--method auto`: one of the methods by what the KG and the question offer, the next where one ends without evidence.

    choices given                                KnowGPT
    Keqing has learnt this KG, and is sure enough of its reading of the question      Keqing
    else                                         ODA, then KnowGPT with proposed candidates

The answer's events say which were tried, and why.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from trivium.graphs.methods import METHODS, parts
from trivium.knowledge.knowledge import Knowledge, open_knowledge
from trivium.nodes.run.access import NO_MODEL
from trivium.nodes.run.answer_record import Answer
from trivium.nodes.run.context import Context
from trivium.nodes.run.usage import add_usage
from trivium.policies.keqing.artefact import has_decomposer

SURE = 0.2
"""Keqing's confidence in its reading, in [0, 1], below which its templates are not said to match well."""

Tried = tuple[str, str]
"""A method, and why it is tried."""


def plan(given: dict[str, Any], knowledge: Knowledge, context: Context) -> Iterator[Tried]:
    """The methods to try, in order."""
    if given.get("choices"):
        yield "knowgpt", "the question has choices"
        return
    learnt = has_decomposer(knowledge.learnt)
    if learnt:
        yield "keqing", "Keqing has learnt this KG"
    elif context.model != NO_MODEL:
        yield "keqing", "the model decomposes, though Keqing has not learnt this KG"
    yield "oda", "no template matched the question well" if learnt else "Keqing has not learnt this KG"
    yield "knowgpt", "nothing before it ended with evidence: candidates are proposed"


async def auto_stages(given: dict[str, Any], context: Context) -> AsyncIterator[tuple[str, dict[str, Any]]]:
    """The stages of every method that is tried, each begun by `auto`; the last one holds the answer that stands.

    Raises:
        TriviumError: the request cannot be run.
    """
    knowledge = await open_knowledge(context.kg)
    events, tried = list[dict[str, Any]](), list[Answer]()
    last = ""
    for method, why in plan(given, knowledge, context):
        events.append({"stage": "auto", "event": "method", "method": method, "message": why})
        yield "auto", events[-1]
        found: Answer | None = None
        async for stage, added in parts(METHODS[method].graph(), given, settings_for(method, context)):
            if "answer" in added:
                found, last = added["answer"], stage
            else:
                yield stage, added
        if found is not None:
            tried.append(found)
            if stands(found):
                break
    yield last, {"answer": whole(tried, events)}


async def auto_answer(given: dict[str, Any], context: Context) -> Answer:
    """The answer that stands; raises as `auto_stages`."""
    knowledge = await open_knowledge(context.kg)
    events, tried = list[dict[str, Any]](), list[Answer]()
    for method, why in plan(given, knowledge, context):
        events.append({"stage": "auto", "event": "method", "method": method, "message": why})
        found = await METHODS[method].graph().ainvoke(given, context=settings_for(method, context))
        tried.append(found["answer"])
        if stands(tried[-1]):
            break
    return whole(tried, events)


def settings_for(method: str, context: Context) -> Context:
    """The run's settings as those of a method, which leaves out what it does not have."""
    return METHODS[method].context(**vars(context))


def stands(answer: Answer) -> bool:
    """Whether an answer ends the search: it has evidence, and Keqing's reading is one it is sure enough of."""
    if not answer["paths"] or not (answer["answers"] or answer["value"] is not None):
        return False
    sure = answer["steps"][0].get("confidence", 1.0) if answer["method"] == "keqing" else 1.0
    decomposed_by_model = bool(answer["steps"][0].get("by"))
    return decomposed_by_model or sure >= SURE


def whole(tried: list[Answer], events: list[dict[str, Any]]) -> Answer:
    """The answer that stands, else the first with evidence, else the first; with what all that were tried cost."""
    supported = [answer for answer in tried if answer["paths"]]
    chosen = next((answer for answer in tried if stands(answer)), (supported or tried)[0]).copy()
    spent = chosen["usage"]
    for answer in tried:
        if answer["usage"] is not chosen["usage"]:
            spent = add_usage(spent, answer["usage"])
    chosen["usage"] = spent
    chosen["events"] = [*events, *chosen["events"]]
    return chosen
