"""A LangGraph supervisor that sends questions about the graph to Trivium, and writes the rest itself.

OPENAI_API_KEY=... python examples/supervisor.py [MODEL ["QUESTION" [KG]]]     MODEL such as openai:gpt-4o-mini
"""

import asyncio
import sys
from typing import Any, Literal

from langchain.chat_models import init_chat_model
from langchain_core.messages import AIMessage, SystemMessage
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode

from trivium import as_tool

given = sys.argv[1:]
model, question, kg = [*given, *["openai:gpt-4o-mini", "Who made Written on the Wind?", "sample"][len(given) :]]

researcher = as_tool(kg, name="researcher", description="Answers one question about films from the graph, with proof.")
chat = init_chat_model(model).bind_tools([researcher])
TASK = SystemMessage(
    "You lead a team. Ask the researcher for facts; never state one that it did not prove. Then write."
)


async def supervisor(state: MessagesState) -> dict[str, Any]:
    """Decides what to do next, or writes the answer."""
    return {"messages": [await chat.ainvoke([TASK, *state["messages"]])]}


def after_supervisor(state: MessagesState) -> Literal["researcher", "__end__"]:
    """The researcher while it is asked something."""
    last = state["messages"][-1]
    return "researcher" if isinstance(last, AIMessage) and last.tool_calls else END


builder = StateGraph(MessagesState)
builder.add_node("supervisor", supervisor)
builder.add_node("researcher", ToolNode([researcher]))
builder.add_edge(START, "supervisor")
builder.add_conditional_edges("supervisor", after_supervisor)
builder.add_edge("researcher", "supervisor")
team = builder.compile(name="team")

if __name__ == "__main__":
    told = asyncio.run(team.ainvoke({"messages": [("human", question)]}))
    for message in told["messages"]:
        message.pretty_print()
