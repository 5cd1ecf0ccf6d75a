"""Keqing (arXiv 2401.00426, figure 1): decompose, match templates, retrieve along their chains, reason, respond.

decompose -> link_entities -> match_template -> (review) -> retrieve (a wave in parallel) -> reason -> respond
                                                               ^_______________________________|

Where a run asks for it, `review` stops before the first `retrieve` for a human to edit the sub-questions.
"""

from __future__ import annotations

from typing import Literal

from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

from trivium.graphs.stage import route, stage
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.keqing.decompose import decompose
from trivium.nodes.keqing.link_entities import link_entities, unlinked
from trivium.nodes.keqing.match_template import match_template
from trivium.nodes.keqing.reason import reason
from trivium.nodes.keqing.respond import respond
from trivium.nodes.keqing.retrieve import retrieve, wave
from trivium.nodes.keqing.review import review
from trivium.nodes.keqing.state import KeqingState
from trivium.nodes.run.context import context_of
from trivium.nodes.run.state import AnswerOutput, QuestionInput


@route
def after_decompose(state: KeqingState) -> Literal["link_entities", "match_template", "respond"]:
    """The compact decomposer chooses mention and chain together and leaves nothing to link.

    A reading that is withheld is not followed.
    """
    assessed = state.get("assessed")
    if state.get("stopped") or not state["sub_questions"] or (assessed and assessed["withheld"]):
        return "respond"
    if state.get("plan"):
        return "match_template"
    return "link_entities" if unlinked(state) else "match_template"


@route
def after_match(state: KeqingState) -> list[Send] | Literal["review", "respond"]:
    """A human first, where the run asks for one; then the first wave."""
    context = context_of(KeqingContext, state)
    return "review" if context.review else next_wave(state, context) or "respond"


@route
def after_review(state: KeqingState) -> list[Send] | Literal["match_template", "respond"]:
    """Edited sub-questions are matched again."""
    if not state["matches"]:
        return "match_template"
    return next_wave(state, context_of(KeqingContext, state)) or "respond"


@route
def after_reason(state: KeqingState) -> list[Send] | Literal["respond"]:
    """The next wave, where a sub-question or an operator is still open."""
    return next_wave(state, context_of(KeqingContext, state)) or "respond"


def next_wave(state: KeqingState, context: KeqingContext) -> list[Send]:
    """What can be answered now, in parallel; at first the sub-questions of the question's own entities."""
    if state.get("stopped"):
        return []
    settings = state["settings"]
    return [Send("retrieve", {**task, "settings": settings}) for task in wave(state, context)]


builder = StateGraph(KeqingState, context_schema=KeqingContext, input_schema=QuestionInput, output_schema=AnswerOutput)
builder.add_node("decompose", stage(decompose, first=True))
builder.add_node("link_entities", stage(link_entities))
builder.add_node("match_template", stage(match_template))
builder.add_node("review", stage(review))
builder.add_node("retrieve", stage(retrieve))
builder.add_node("reason", stage(reason))
builder.add_node("respond", stage(respond, last="keqing"))
builder.add_edge(START, "decompose")
builder.add_conditional_edges("decompose", after_decompose)
builder.add_edge("link_entities", "match_template")
builder.add_conditional_edges("match_template", after_match, ["review", "retrieve", "respond"])
builder.add_conditional_edges("review", after_review, ["match_template", "retrieve", "respond"])
builder.add_edge("retrieve", "reason")
builder.add_conditional_edges("reason", after_reason, ["retrieve", "respond"])
builder.add_edge("respond", END)
graph = builder.compile(name="keqing")
