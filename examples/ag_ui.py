"""AG-UI's events (CopilotKit) from a run: stages as steps, the answer as a message, its proof as state.

python examples/ag_ui.py ["QUESTION" [KG]]     prints the events as server-sent events; a route would stream them
"""

import asyncio
import json
import sys
import uuid
from collections.abc import AsyncIterator
from typing import Any

from trivium import own_runs
from trivium.graphs.keqing import graph
from trivium.nodes.keqing.context import KeqingContext


async def events(question: str, kg: str, thread: str) -> AsyncIterator[dict[str, Any]]:
    """The events of one run."""
    run, message = str(uuid.uuid4()), str(uuid.uuid4())
    yield {"type": "RUN_STARTED", "threadId": thread, "runId": run}
    try:
        asked: Any = {"messages": [{"role": "user", "content": question}]}
        found: dict[str, Any] = {}
        with own_runs():
            stream = graph.astream(asked, context=KeqingContext(kg=kg), stream_mode=["tasks", "values"])
            async for mode, part in stream:
                if mode == "values":
                    found = part
                elif "input" in part:
                    yield {"type": "STEP_STARTED", "stepName": part["name"]}
                else:
                    yield {"type": "STEP_FINISHED", "stepName": part["name"]}
        yield {"type": "TEXT_MESSAGE_START", "messageId": message, "role": "assistant"}
        yield {"type": "TEXT_MESSAGE_CONTENT", "messageId": message, "delta": found["messages"][-1].text}
        yield {"type": "TEXT_MESSAGE_END", "messageId": message}
        yield {"type": "STATE_SNAPSHOT", "snapshot": {"answer": found["answer"]}}
        yield {"type": "RUN_FINISHED", "threadId": thread, "runId": run}
    except Exception as error:  # noqa: BLE001 - whatever ends the run, the front end is told
        yield {"type": "RUN_ERROR", "message": type(error).__name__}


async def main(question: str, kg: str) -> None:
    """Print them as they would be streamed."""
    async for event in events(question, kg, str(uuid.uuid4())):
        print(f"data: {json.dumps(event, ensure_ascii=False, default=str)}\n")


if __name__ == "__main__":
    given = sys.argv[1:]
    asyncio.run(main(*[*given, *["who directed Written on the Wind?", "sample"][len(given) :]][:2]))
