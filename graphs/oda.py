"""ODA (arXiv 2404.07677, figure 2): observe, act, reflect, round and round until the action is to answer.

link_task_entities -> observe -> act -> (review_action) -> reflect -> observe ...
                                  |                            |
                                  +---------> answer <---------+  after the last iteration

Where a run asks for it, `review_action` stops before each action for a human to approve or edit it.
"""

from __future__ import annotations

from typing import Literal

from langgraph.graph import END, START, StateGraph

from trivium.graphs.routing import begin, kept, then
from trivium.nodes.oda.act import act
from trivium.nodes.oda.answer import answer
from trivium.nodes.oda.context import OdaContext
from trivium.nodes.oda.link_task_entities import link_task_entities
from trivium.nodes.oda.observe import observe
from trivium.nodes.oda.reflect import reflect
from trivium.nodes.oda.review_action import review_action
from trivium.nodes.oda.state import OdaState
from trivium.nodes.run.state import AnswerOutput, QuestionInput


def after_linking(state: OdaState, context: OdaContext) -> Literal["observe", "answer"]:
    """A question about no entity of the KG has nothing to observe."""
    del context
    return "observe" if state["topics"] else "answer"


def after_act(state: OdaState, context: OdaContext) -> Literal["review_action", "reflect", "answer"]:
    """A human first, where the run asks for one."""
    return "review_action" if context.review else after_review(state, context)


def after_review(state: OdaState, context: OdaContext) -> Literal["reflect", "answer"]:
    """Answering ends the loop."""
    del context
    return "reflect" if state["action"] and state["action"]["name"] != "Answer" else "answer"


def after_reflect(state: OdaState, context: OdaContext) -> Literal["observe", "answer"]:
    """Another round, while there is one left."""
    return "observe" if state["iteration"] < context.max_iterations else "answer"


builder = StateGraph(OdaState, context_schema=OdaContext, input_schema=QuestionInput, output_schema=AnswerOutput)
builder.add_node("link_task_entities", begin(link_task_entities, after_linking), destinations=("observe", "answer"))
builder.add_node("observe", kept(observe))
builder.add_node("act", then(act, after_act), destinations=("review_action", "reflect", "answer"))
builder.add_node("review_action", then(review_action, after_review), destinations=("reflect", "answer"))
builder.add_node("reflect", then(reflect, after_reflect), destinations=("observe", "answer"))
builder.add_node("answer", kept(answer))
builder.add_edge(START, "link_task_entities")
builder.add_edge("observe", "act")
builder.add_edge("answer", END)
graph = builder.compile(name="oda")
