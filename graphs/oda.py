"""ODA (arXiv 2404.07677, figure 2): observe, act, reflect, round and round until the action is to answer.

link_task_entities -> observe -> choose_action -> (review_action) -> act -> reflect -> observe ...
                                      |                                       |
                                      +---------------> answer <--------------+  after the last iteration

`choose_action` chooses what the paper's action step does, `act` carries it out, `reflect` keeps what matters of its
result. Where a run asks for it, `review_action` stops before each action for a human to approve or edit it.
"""

from __future__ import annotations

from typing import Literal

from langgraph.graph import END, START, StateGraph

from trivium.graphs.stage import route, stage
from trivium.nodes.oda.act import act
from trivium.nodes.oda.answer import answer
from trivium.nodes.oda.choose_action import choose_action
from trivium.nodes.oda.context import OdaContext
from trivium.nodes.oda.link_task_entities import link_task_entities
from trivium.nodes.oda.observe import observe
from trivium.nodes.oda.reflect import reflect
from trivium.nodes.oda.review_action import review_action
from trivium.nodes.oda.state import OdaState
from trivium.nodes.run.context import context_of
from trivium.nodes.run.state import AnswerOutput, QuestionInput


@route
def after_linking(state: OdaState) -> Literal["observe", "answer"]:
    """A question about no entity of the KG has nothing to observe."""
    return "observe" if not state.get("stopped") and state["topics"] else "answer"


@route
def after_choice(state: OdaState) -> Literal["review_action", "act", "answer"]:
    """A human first, where the run asks for one."""
    return (
        "review_action"
        if context_of(OdaContext, state).review and not state.get("stopped")
        else after_review.func(state)
    )


@route
def after_review(state: OdaState) -> Literal["act", "answer"]:
    """Answering ends the loop."""
    return "act" if not state.get("stopped") and state["action"] and state["action"]["name"] != "Answer" else "answer"


@route
def after_reflect(state: OdaState) -> Literal["observe", "answer"]:
    """Another round, while there is one left."""
    more = state["iteration"] < context_of(OdaContext, state).max_iterations
    return "observe" if more and not state.get("stopped") else "answer"


builder = StateGraph(OdaState, context_schema=OdaContext, input_schema=QuestionInput, output_schema=AnswerOutput)
builder.add_node("link_task_entities", stage(link_task_entities, first=True))
builder.add_node("observe", stage(observe))
builder.add_node("choose_action", stage(choose_action))
builder.add_node("review_action", stage(review_action))
builder.add_node("act", stage(act))
builder.add_node("reflect", stage(reflect))
builder.add_node("answer", stage(answer, last="oda"))
builder.add_edge(START, "link_task_entities")
builder.add_conditional_edges("link_task_entities", after_linking)
builder.add_edge("observe", "choose_action")
builder.add_conditional_edges("choose_action", after_choice)
builder.add_conditional_edges("review_action", after_review)
builder.add_edge("act", "reflect")
builder.add_conditional_edges("reflect", after_reflect)
builder.add_edge("answer", END)
graph = builder.compile(name="oda")
