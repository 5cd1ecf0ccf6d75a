"""Keqing (arXiv 2401.00426, figure 1): decompose, match templates, retrieve along their chains, reason, respond.

decompose -> link_entities -> match_template -> (review) -> retrieve (a wave in parallel) -> reason -> respond
                                                               ^______________(compute)________|

Where a run asks for it, `review` stops before the first `retrieve` for a human to edit the sub-questions. `compute`
runs the operators of a question that computes, each as soon as what it stands on is answered.
"""

from __future__ import annotations

from typing import Literal

from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

from trivium.graphs.routing import begin, kept, then
from trivium.nodes.keqing.compute import compute, ready
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.keqing.decompose import decompose
from trivium.nodes.keqing.link_entities import link_entities, unlinked
from trivium.nodes.keqing.match_template import match_template
from trivium.nodes.keqing.reason import reason
from trivium.nodes.keqing.respond import respond
from trivium.nodes.keqing.retrieve import retrieve, wave
from trivium.nodes.keqing.review import review
from trivium.nodes.keqing.state import KeqingState
from trivium.nodes.run.state import AnswerOutput, QuestionInput


def after_decompose(
    state: KeqingState, context: KeqingContext
) -> Literal["link_entities", "match_template", "respond"]:
    """The compact decomposer chooses mention and chain together and leaves nothing to link."""
    del context
    if not state["sub_questions"]:
        return "respond"
    return "link_entities" if unlinked(state) else "match_template"


def after_match(state: KeqingState, context: KeqingContext) -> list[Send] | Literal["review"]:
    """A human first, where the run asks for one; then the first wave."""
    return "review" if context.review else next_wave(state, context)


def after_review(state: KeqingState, context: KeqingContext) -> list[Send] | Literal["match_template"]:
    """Edited sub-questions are matched again."""
    return next_wave(state, context) if state["matches"] else "match_template"


def next_wave(state: KeqingState, context: KeqingContext) -> list[Send]:
    """What can be answered or computed now, in parallel; at first the sub-questions of the question's own entities."""
    tasks = [Send("retrieve", {**task, "settings": state.get("settings")}) for task in wave(state, context)]
    if state.get("operators"):
        tasks += [Send("compute", {**task, "settings": state.get("settings")}) for task in ready(state)]
    return tasks


def after_reason(state: KeqingState, context: KeqingContext) -> list[Send] | Literal["respond"]:
    """The next wave, where a sub-question or an operator is still open."""
    return next_wave(state, context) or "respond"


builder = StateGraph(KeqingState, context_schema=KeqingContext, input_schema=QuestionInput, output_schema=AnswerOutput)
builder.add_node(
    "decompose", begin(decompose, after_decompose), destinations=("link_entities", "match_template", "respond")
)
builder.add_node("link_entities", kept(link_entities))
builder.add_node("match_template", then(match_template, after_match), destinations=("review", "retrieve"))
builder.add_node("review", then(review, after_review), destinations=("match_template", "retrieve"))
builder.add_node("retrieve", kept(retrieve))
builder.add_node("reason", then(reason, after_reason), destinations=("retrieve", "compute", "respond"))
builder.add_node("compute", kept(compute))
builder.add_node("respond", kept(respond))
builder.add_edge(START, "decompose")
builder.add_edge("link_entities", "match_template")
builder.add_edge("retrieve", "reason")
builder.add_edge("compute", "reason")
builder.add_edge("respond", END)
graph = builder.compile(name="keqing")
