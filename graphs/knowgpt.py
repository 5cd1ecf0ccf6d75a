"""KnowGPT (arXiv 2312.06185, figure 2): link, let the bandit choose a prompt, extract, put in words, answer.

link_entities -> select_prompt -> extract -> verbalize -> answer

Where a run asks for it, `select_prompt` stops and shows the arms, for a human to choose another.
"""

from __future__ import annotations

from langgraph.graph import END, START, StateGraph

from trivium.graphs.stage import stage
from trivium.nodes.knowgpt.answer import answer
from trivium.nodes.knowgpt.context import KnowGPTContext
from trivium.nodes.knowgpt.extract import extract
from trivium.nodes.knowgpt.link_entities import link_entities
from trivium.nodes.knowgpt.select_prompt import select_prompt
from trivium.nodes.knowgpt.state import KnowGPTInput, KnowGPTState
from trivium.nodes.knowgpt.verbalize import verbalize
from trivium.nodes.run.state import AnswerOutput

builder = StateGraph(KnowGPTState, context_schema=KnowGPTContext, input_schema=KnowGPTInput, output_schema=AnswerOutput)
builder.add_node("link_entities", stage(link_entities, first=True))
builder.add_node("select_prompt", stage(select_prompt))
builder.add_node("extract", stage(extract))
builder.add_node("verbalize", stage(verbalize))
builder.add_node("answer", stage(answer, last="knowgpt"))
builder.add_edge(START, "link_entities")
builder.add_edge("link_entities", "select_prompt")
builder.add_edge("select_prompt", "extract")
builder.add_edge("extract", "verbalize")
builder.add_edge("verbalize", "answer")
builder.add_edge("answer", END)
graph = builder.compile(name="knowgpt")
