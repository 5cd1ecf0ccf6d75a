"""Chat in and out, the same for every method: the question out of the messages, and the answer as a message.

A method's first stage reads `question_of(state)` and hands on what `begun` says; its last one adds `reply` to what it
writes. A run that was given its `question` writes no message, so that a command line pays nothing for the chat.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast
from uuid import uuid4

from trivium.kg.errors import UsageError
from trivium.nodes.run.answer_record import Answer
from trivium.nodes.run.markdown import chat_text, chat_ui
from trivium.nodes.run.path_text import path_texts
from trivium.nodes.run.state import RunState
from trivium.nodes.run.usage import fresh_channels

if TYPE_CHECKING:
    from langchain_core.messages import AnyMessage

MAX_CHARACTERS = 10_000
"""The longest question that is read."""

MAX_TOPICS = 100
"""The most entities that a client may name for a question."""

NO_OPTIONS = "This method does not choose among options: ask by auto or knowgpt, or ask without them."
"""What a method says that takes no choices to a question that lists some."""

_OPTION = re.compile(r"(?<![\w.])\(?([A-Ha-h])[).:]\s+")
_GAP = re.compile(r"\s{4,}")  # says nothing, and costs patterns over a text the square of its length
_NOTE = "trivium_review"
_REVIEW = "Before I go on: approve this, edit it, or reject it."
_SHOWN = 5  # paths that a message shows beside those in its text; `answer` has them all


def check_question(question: object) -> None:
    """Refuse a question that cannot be read; raises `UsageError`."""
    if not isinstance(question, str):
        raise UsageError(f"the question must be text, not {str(question)[:80]!r}")
    if not question.strip():
        raise UsageError("the question is empty: ask in words, such as 'who directed Written on the Wind?'")
    if len(question) > MAX_CHARACTERS:
        raise UsageError(
            f"the question has {len(question):,} characters, at most {MAX_CHARACTERS:,} are read: shorten it"
        )


def question_of(state: RunState) -> str:
    """The question that a run is to answer: a human message that nothing follows, else `question`.

    Raises:
        UsageError: neither is there, it holds no text, or it is too long.
    """
    last = _last_human(state)
    if last is None and "question" not in state:
        raise UsageError("the request contains no question: send a human message, or a `question`")
    question = state["question"] if last is None else str(last.text).strip()
    check_question(question)
    return _GAP.sub(" ", question)


def topics_of(state: RunState) -> list[str]:
    """The entities that the client says the question is about; raises `UsageError` for what is not a list of names."""
    given: Any = state.get("topic_entities") or []
    if not isinstance(given, list) or not all(isinstance(name, str) and name.strip() for name in given):
        raise UsageError(f"topic_entities must be a list of ids or labels, not {str(given)[:80]!r}")
    if len(given) > MAX_TOPICS:
        raise UsageError(f"topic_entities may name at most {MAX_TOPICS} entities, not {len(given):,}")
    topics: list[str] = given
    return topics


def choices_in(question: str) -> tuple[str, list[str]]:
    """A question that lists its options, as "Which? A) one B) two", without them, and their texts; else itself, none.

    Options begin with A behind a question mark, a colon or a line's end, and follow the alphabet; two at least.
    """
    options: list[re.Match[str]] = []
    for match in _OPTION.finditer(question):
        if match[1].upper() == chr(ord("A") + len(options)):
            options.append(match)
    words = question[: options[0].start()].rstrip(" \t") if len(options) > 1 else ""
    if not words.endswith(("?", ":", "\n")):
        return question, []
    ends = [*(match.start() for match in options[1:]), len(question)]
    texts = [question[match.end() : end].strip(" \n\t,;") for match, end in zip(options, ends, strict=True)]
    return (words.strip(), texts) if words.strip() and all(texts) else (question, [])


def asked(state: RunState, question: str) -> dict[str, Any]:
    """What the first stage writes, so that the stages behind it find the question in `question`."""
    return {} if state.get("question") == question else {"question": question}


def begun(state: Mapping[str, Any], question: str | None = None) -> dict[str, Any]:
    """What a method's first stage writes, also where it fails: the question, and nothing of a thread's last run.

    Args:
        state: the run's.
        question: as it is to be answered; without one that of the state.
    """
    run = cast(RunState, state)
    question = question_of(run) if question is None else question
    again = {"follow_up": None} if state.get("follow_up") else {}
    return {**asked(run, question), **fresh_channels(run), **again, "started": time.time(), "topic_entities": []}


async def reply(state: Mapping[str, Any], answer: Answer, kg: str, *, message_id: str | None = None) -> dict[str, Any]:
    """What the last stage writes to `messages` and `ui`: the answer with its evidence, and its paths to be drawn.

    Nothing without a chat.

    Args:
        state: the run's; it was asked by a message if its last message is a human's.
        answer: the typed result.
        kg: the KG, for the labels of the paths.
        message_id: of the message whose tokens were streamed, so that a client sees one message and not two.
    """
    if not is_chat(state):
        return {}
    # Here, since a run without a chat need not import the message classes.
    from langchain_core.messages import AIMessage

    about = {key: answer[key] for key in ("method", "model", "kg", "stop_reason")}
    content = await chat_text(answer, kg, by_model=message_id is not None)
    said = AIMessage(content, id=message_id or str(uuid4()), name=answer["method"], response_metadata=about)
    return {"messages": [*struck(state), said], "ui": await chat_ui(answer, kg, str(said.id))}


def is_chat(state: Mapping[str, Any]) -> bool:
    """Whether a message asks, so that a message is to answer."""
    return _last_human(state) is not None


def review_note(state: Mapping[str, Any]) -> dict[str, Any]:
    """What a run that is to be reviewed writes to `messages` first: nothing where no message asks.

    Chat products show what is to be reviewed below the assistant's last message. The answer takes this one's place.
    """
    messages = state.get("messages")
    if not messages or messages[-1].type != "human":
        return {}
    from langchain_core.messages import AIMessage

    return {"messages": [AIMessage(_REVIEW, id=str(uuid4()), response_metadata={_NOTE: True})]}


def struck(state: Mapping[str, Any]) -> list[Any]:
    """The removal of a review's note, where one is the last message."""
    messages = state.get("messages")
    if not messages or not _is_note(messages[-1]):
        return []
    from langchain_core.messages import RemoveMessage

    return [RemoveMessage(id=messages[-1].id)]


async def prose(answer: Answer, kg: str) -> str:
    """For agents: the answer's text and, below it, a path for each of the first answers that the text does not show."""
    first = {path["answer"]: path for path in reversed(answer["paths"])}  # of several paths to an answer, the first
    wanted = [first[item["id"]] for item in answer["answers"][:_SHOWN] if item["id"] in first]
    shown = await path_texts(wanted, kg)
    lines = [f"- {line}" for line in shown if line not in answer["answer"]]
    return "\n".join([answer["answer"], "", "Evidence:", *lines]) if lines else answer["answer"]


def _last_human(state: Mapping[str, Any]) -> AnyMessage | None:
    """The last message but for a review's note, if it is a human's: one that was answered is another run's question."""
    messages = state.get("messages") or []
    if messages and _is_note(messages[-1]):
        messages = messages[:-1]
    return messages[-1] if messages and messages[-1].type == "human" else None


def _is_note(message: AnyMessage) -> bool:
    return message.type == "ai" and _NOTE in message.response_metadata
