"""Chat in and out, the same for every method: the question out of the messages, and the answer as a message.

A method's first stage reads `question_of(state)` and hands on what `asked` says; its last one adds `reply` to what it
writes. A run that was given its `question` writes no message, so that a command line pays nothing for the chat.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from trivium.kg.errors import UsageError
from trivium.kg.store import GraphStore
from trivium.nodes.run.answer_record import Answer
from trivium.nodes.run.path_text import path_text
from trivium.nodes.run.state import RunState

if TYPE_CHECKING:
    from langchain_core.messages import AnyMessage

MAX_CHARACTERS = 10_000
"""The longest question that is read."""

_SHOWN = 5  # paths that a message shows beside those in its text; `answer` has them all


def question_of(state: RunState) -> str:
    """The question that a run is to answer: a human message that nothing follows, else `question`.

    Raises:
        UsageError: neither is there, or the message holds no text.
    """
    last = _last_human(state)
    if last is not None:
        text = str(last.text).strip()
        if not text:
            raise UsageError("the message holds no text: ask in words, such as 'who directed Written on the Wind?'")
        return text
    if "question" not in state:
        raise UsageError("nothing was asked: send a human message, or a `question`")
    return state["question"]


def check_question(question: str) -> None:
    """Refuse a question that cannot be read; raises `UsageError`."""
    if not question.strip():
        raise UsageError("the question is empty: ask in words, such as 'who directed Written on the Wind?'")
    if len(question) > MAX_CHARACTERS:
        raise UsageError(
            f"the question has {len(question):,} characters, at most {MAX_CHARACTERS:,} are read: shorten it"
        )


def asked(state: RunState, question: str) -> dict[str, Any]:
    """What the first stage writes, so that the stages behind it find the question in `question`."""
    return {} if state.get("question") == question else {"question": question}


async def reply(
    state: Mapping[str, Any], answer: Answer, store: GraphStore, *, message_id: str | None = None
) -> dict[str, Any]:
    """What the last stage writes to `messages`: the answer in prose with its evidence; nothing without a chat.

    Args:
        state: the run's; it was asked by a message if its last message is a human's.
        answer: the typed result.
        store: where the labels of the paths are.
        message_id: of the message whose tokens were streamed, so that a client sees one message and not two.
    """
    if not state.get("messages") or state["messages"][-1].type != "human":
        return {}
    # Here, since a run without a chat need not import the message classes.
    from langchain_core.messages import AIMessage

    about = {key: answer[key] for key in ("method", "model", "kg", "stop_reason")}
    content = await prose(answer, store)
    return {"messages": [AIMessage(content, id=message_id, name=answer["method"], response_metadata=about)]}


async def prose(answer: Answer, store: GraphStore) -> str:
    """The answer's text and, below it, a path for each of the first answers that the text does not show."""
    first = {path["answer"]: path for path in reversed(answer["paths"])}  # of several paths to an answer, the first
    wanted = [first[item["id"]] for item in answer["answers"][:_SHOWN] if item["id"] in first]
    shown = [await path_text(path, store) for path in wanted]
    lines = [f"- {line}" for line in shown if line not in answer["answer"]]
    return "\n".join([answer["answer"], "", "Evidence:", *lines]) if lines else answer["answer"]


def _last_human(state: RunState) -> AnyMessage | None:
    """The last message, if it is a human's: one that the assistant has answered was another run's question."""
    messages = state.get("messages")
    return messages[-1] if messages and messages[-1].type == "human" else None
