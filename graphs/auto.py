"""The router: the method that suits the KG and the question, and the next one where it ends without evidence.

plan_methods -> keqing | oda | knowgpt -> judge_answer -> the next method, or the end

Each method is its own graph, run with its own settings; its stages are streamed, and its interrupts pass through.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Literal

from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from trivium.graphs import keqing, knowgpt, oda
from trivium.graphs.stage import route, stage, state_checked
from trivium.nodes.auto.context import CONTEXTS, AutoContext
from trivium.nodes.auto.judge_answer import judge_answer
from trivium.nodes.auto.plan_methods import plan_methods
from trivium.nodes.auto.state import AutoState
from trivium.nodes.knowgpt.state import KnowGPTInput
from trivium.nodes.run.context import context_of
from trivium.nodes.run.state import AnswerOutput

Graph = CompiledStateGraph[Any, Any, Any, Any]


def method(name: str, graph: Graph) -> Callable[..., Awaitable[dict[str, Any]]]:
    """A node that answers the question by a method's graph, with that method's own settings."""

    async def node(state: AutoState) -> dict[str, Any]:
        with state_checked(AutoState, state):
            context = context_of(AutoContext, state)
            given = {key: value for key, value in state.items() if key in _GIVEN}
            given["previous"] = state.get("remembered")
            # All channels, so that who streams the subgraphs sees what each stage found.
            keys = graph.stream_channels_list
            found = await graph.ainvoke(given, context=CONTEXTS[name].of(context), output_keys=keys)
            said = found["messages"][-1] if found.get("messages") else None
            return {"tried": [*state["tried"], found["answer"]], "said": said}

    return node


_GIVEN = ("messages", "question", "topic_entities", "choices")


@route
def first_method(state: AutoState) -> Literal["keqing", "oda", "knowgpt", "judge_answer"]:
    """The first method of the plan."""
    if state.get("stopped"):
        return "judge_answer"
    return state["plan"][0]["method"]


@route
def next_method(state: AutoState) -> Literal["keqing", "oda", "knowgpt", "__end__"]:
    """The next method of the plan, until an answer stands or there is none left to try."""
    return "__end__" if state.get("stopped") or not state["plan"] else state["plan"][0]["method"]


builder = StateGraph(AutoState, context_schema=AutoContext, input_schema=KnowGPTInput, output_schema=AnswerOutput)
builder.add_node("plan_methods", stage(plan_methods, first=True))
builder.add_node("keqing", method("keqing", keqing.graph))
builder.add_node("oda", method("oda", oda.graph))
builder.add_node("knowgpt", method("knowgpt", knowgpt.graph))
builder.add_node("judge_answer", stage(judge_answer, last="auto"))
builder.add_edge(START, "plan_methods")
builder.add_conditional_edges("plan_methods", first_method)
builder.add_edge("keqing", "judge_answer")
builder.add_edge("oda", "judge_answer")
builder.add_edge("knowgpt", "judge_answer")
builder.add_conditional_edges("judge_answer", next_method)
graph = builder.compile(name="auto")
