"""Trivium's server as one node of another LangGraph application.

python examples/remote_graph.py [URL ["QUESTION"]]     after `make serve` in another terminal
"""

import asyncio
import sys

from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.pregel.remote import RemoteGraph
from langgraph_sdk import get_client

given = sys.argv[1:]
url, question = [*given, *["http://127.0.0.1:2024", "who directed Written on the Wind?"][len(given) :]]


def shorten(state: MessagesState) -> dict[str, list[tuple[str, str]]]:
    """Stand for whatever the application does with an answer."""
    return {"messages": [("ai", f"In short: {state['messages'][-1].text.split('.')[0]}")]}


async def main() -> None:
    """Ask through the application, and print its chat."""
    async with get_client(url=url) as client:
        builder = StateGraph(MessagesState)
        builder.add_node("trivium", RemoteGraph("keqing", client=client))
        builder.add_node(shorten)
        builder.add_edge(START, "trivium")
        builder.add_edge("trivium", "shorten")
        builder.add_edge("shorten", END)
        told = await builder.compile().ainvoke({"messages": [("human", question)]})
    for message in told["messages"]:
        message.pretty_print()


asyncio.run(main())
