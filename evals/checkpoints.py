"""What a thread's checkpoints weigh: bytes that a turn writes, and what 50 turns leave, for each method.

    trivium eval checkpoints [--questions 100]

Counted as PostgreSQL and memory keep them: a channel's value once for each time that it changes, each checkpoint's own
record, and what its stages wrote. Questions of the bundled sample, without a model.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.state import CompiledStateGraph

import trivium
from trivium.graphs.methods import METHODS, close_all
from trivium.kg.catalog import SAMPLE
from trivium.kg.loaders import read_questions
from trivium.kg.sample import TRAIN_QUESTIONS
from trivium.nodes.run.context import Context

_TURNS = 50


async def measure(method: str, questions: Sequence[str]) -> dict[str, Any]:
    """Bytes of first turns, each on a thread of its own, and of one thread of 50 turns."""
    graph_module = __import__(METHODS[method].graph_module, fromlist=["builder"])
    context = METHODS[method].context(kg=SAMPLE)
    first = []
    for question in questions:
        saver = InMemorySaver()
        await _turn(graph_module.builder.compile(saver), question, context)
        first.append(_bytes(saver))
    saver = InMemorySaver()
    chat = graph_module.builder.compile(saver)
    for turn in range(_TURNS):
        await _turn(chat, questions[turn % len(questions)], context)
    values = (await chat.aget_state(_THREAD)).values
    return {
        "method": method, "questions": len(questions), "turn_mean": sum(first) // len(first), "turn_max": max(first),
        "turns": _TURNS, "all_checkpoints": _bytes(saver), "last_state": len(saver.serde.dumps_typed(values)[1]),
    }  # fmt: skip


_THREAD = RunnableConfig(configurable={"thread_id": "1"})


async def _turn(graph: CompiledStateGraph[Any, Any, Any, Any], question: str, context: Context) -> None:
    with trivium.own_runs():
        await graph.ainvoke({"messages": [HumanMessage(question)]}, _THREAD, context=context)


def _bytes(saver: InMemorySaver) -> int:
    blobs = sum(len(blob) for _, blob in saver.blobs.values())
    records = sum(
        len(packed[1])
        for spaces in saver.storage.values() for kept in spaces.values() for record in kept.values()
        for packed in record[:2]
    )  # fmt: skip
    return blobs + records + sum(len(write[2][1]) for writes in saver.writes.values() for write in writes.values())


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a JSON object for each method."""
    parser = argparse.ArgumentParser(prog="trivium eval checkpoints", description=__doc__.partition("\n")[0])
    parser.add_argument("--questions", type=int, default=100)
    given = parser.parse_args(arguments)
    questions = [each.question for each in read_questions(TRAIN_QUESTIONS)][: given.questions]

    async def run() -> None:
        for method in METHODS:
            print(json.dumps(await measure(method, questions)), flush=True)
        await close_all()

    asyncio.run(run())
    return 0
