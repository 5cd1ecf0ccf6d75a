"""Trivium as a tool of another agent, with any chat model that calls tools.

OPENAI_API_KEY=... python examples/agent_tool.py [MODEL ["QUESTION" [KG]]]     MODEL such as openai:gpt-4o-mini
"""

import asyncio
import sys

from langchain.agents import create_agent

from trivium import as_tool

given = sys.argv[1:]
model, question, kg = [*given, *["openai:gpt-4o-mini", "Who made Written on the Wind?", "sample"][len(given) :]]

films = as_tool(kg, name="ask_films", description="Answers questions about films, their people and genres.")
agent = create_agent(model, tools=[films], system_prompt="Answer from the tools alone, and say what proves it.")

told = asyncio.run(agent.ainvoke({"messages": [("human", question)]}))
for message in told["messages"]:
    message.pretty_print()
