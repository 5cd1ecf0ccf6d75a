"""KnowGPT (arXiv 2312.06185, figure 2): link, let the bandit choose a prompt, extract, put in words, answer.

link_entities -> select_prompt -> extract -> verbalize -> answer

Where a run asks for it, `select_prompt` stops and shows the arms, for a human to choose another.
"""

from __future__ import annotations

from typing import Literal

from langgraph.graph import END, START, StateGraph

from trivium.graphs.routing import begin, kept
from trivium.nodes.knowgpt.answer import answer
from trivium.nodes.knowgpt.context import KnowGPTContext
from trivium.nodes.knowgpt.extract import extract
from trivium.nodes.knowgpt.link_entities import link_entities
from trivium.nodes.knowgpt.select_prompt import select_prompt
from trivium.nodes.knowgpt.state import KnowGPTInput, KnowGPTState
from trivium.nodes.knowgpt.verbalize import verbalize
from trivium.nodes.run.state import AnswerOutput


def after_linking(state: KnowGPTState, context: KnowGPTContext) -> Literal["select_prompt"]:
    """Always on; the stage that begins a run needs a router."""
    del state, context
    return "select_prompt"


builder = StateGraph(KnowGPTState, context_schema=KnowGPTContext, input_schema=KnowGPTInput, output_schema=AnswerOutput)
builder.add_node("link_entities", begin(link_entities, after_linking), destinations=("select_prompt",))
builder.add_node("select_prompt", kept(select_prompt))
builder.add_node("extract", kept(extract))
builder.add_node("verbalize", kept(verbalize))
builder.add_node("answer", kept(answer))
builder.add_edge(START, "link_entities")
builder.add_edge("select_prompt", "extract")
builder.add_edge("extract", "verbalize")
builder.add_edge("verbalize", "answer")
builder.add_edge("answer", END)
graph = builder.compile(name="knowgpt")
