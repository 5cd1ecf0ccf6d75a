"""Stopping for a human, the same for every stage that offers a review.

A run's interrupt is a request in the form of LangChain's human-in-the-loop middleware, which agent-chat-ui, Agent Inbox
and Studio show and edit: one of `action_requests` with its `review_configs`, and beside them what the stage knows.
It is resumed with `{"decisions": [{"type": "approve" | "edit" | "reject" | "respond", ...}]}`, with `true`, or with the
action's arguments, edited. A reply that cannot be used stops the run again, with `error` saying why.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from langgraph.runtime import Runtime
from langgraph.types import interrupt

from trivium.kg.errors import UnknownEntityError, UsageError
from trivium.kg.types import Json
from trivium.nodes.run.abstain import Stop
from trivium.nodes.run.markdown import plain

T = TypeVar("T")

_DECISIONS = ("approve", "edit", "reject")
_SAME = {"accept": "approve", "ignore": "reject", "response": "respond"}  # Agent Inbox's first names for them


@dataclass(frozen=True, slots=True)
class Reviewed(Generic[T]):
    """What a human decided: an edit, a rejection with its reason, or neither: approved.

    Attributes:
        edit: what the reply was read as.
        rejected: the reason, "" where none was given; None unless rejected.
    """

    edit: T | None = None
    rejected: str | None = None

    @property
    def stopped(self) -> Stop:
        """What the state keeps of a rejection: the run ends and claims nothing."""
        why = f": {self.rejected}" if self.rejected else ""
        message = f"A person who reviewed this run rejected its next step{why}"
        return Stop(error="rejected", problem=message, reason="not_understood", message=f"{message.rstrip('.')}.")


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be reviewed.

    Attributes:
        action: its name.
        args: what may be edited, as JSON.
        lines: what a human should know of it, shown as a list.
        how: what a reply may be.
        schema: of the arguments, as JSON schema.
        more: further values of the interrupt.
    """

    action: str
    args: Mapping[str, Any]
    lines: list[str]
    how: str
    schema: Mapping[str, Any]
    more: Mapping[str, Any]

    def value(self, wrong: str | None) -> dict[str, Any]:
        """The interrupt's value; `wrong` is what is the matter with the last reply."""
        said = [f"**{plain(wrong)}**\n"] if wrong else []
        text = "\n".join([*said, *(f"- {plain(line)}" for line in self.lines)])
        config = {"action_name": self.action, "allowed_decisions": list(_DECISIONS), "args_schema": dict(self.schema)}
        return {
            "action_requests": [{"name": self.action, "args": dict(self.args), "description": text}],
            "review_configs": [config],
            **self.more,
            "error": wrong,
            "how": self.how,
        }


async def reviewed(runtime: Runtime[Any], request: Request, read: Callable[[Any], Awaitable[T]]) -> Reviewed[T]:
    """Stop until a human has decided.

    Args:
        runtime: the run's.
        request: what is shown.
        read: the edit out of the arguments of a reply; raises `UsageError` or `UnknownEntityError` to ask again.

    Raises:
        UsageError: the run has no thread, so that nobody could resume it.
    """
    if runtime.execution_info is None or runtime.execution_info.thread_id is None:
        raise UsageError("review stops a run to be resumed, which needs a thread: leave `review` out, or use a server")
    wrong = None
    # The stage starts anew at each resumption, and `interrupt` then returns the replies before it at once.
    while True:
        reply = interrupt(request.value(wrong))
        try:
            kind, said = _decision(reply, request.args)
            if kind == "approve":
                return Reviewed()
            if kind == "reject":
                return Reviewed(rejected=str(said or ""))
            return Reviewed(await read(said))
        except (UsageError, UnknownEntityError) as error:
            wrong = str(error)


def _decision(reply: object, args: Mapping[str, Any]) -> tuple[str, Any]:
    """The kind of a reply, and its arguments or message; raises `UsageError` for a decision that is none."""
    reply = _data(reply)
    if isinstance(reply, dict) and isinstance(reply.get("decisions"), list):
        reply = reply["decisions"]
    if isinstance(reply, list) and len(reply) == 1 and isinstance(reply[0], dict) and "type" in reply[0]:
        reply = reply[0]
    if reply in (True, None, {}):
        return "approve", None
    if reply is False:
        return "reject", ""
    if not isinstance(reply, dict) or "type" not in reply:
        return "edit", reply
    kind = _SAME.get(str(reply["type"]), reply["type"])
    if kind not in (*_DECISIONS, "respond"):
        raise UsageError(f"a decision's type is one of {', '.join(_DECISIONS)}, not {str(reply['type'])[:80]!r}")
    if kind == "edit":
        edited = reply.get("edited_action", reply.get("args"))
        given = edited.get("args") if isinstance(edited, dict) else None
        if not isinstance(given, dict):
            raise UsageError('an edit is {"type": "edit", "edited_action": {"name": ..., "args": {...}}}')
        # Clients with a text field for each argument send text.
        return kind, {key: value if isinstance(args.get(key), str) else _data(value) for key, value in given.items()}
    message = reply.get("message", reply.get("args"))
    return ("edit", _data(message)) if kind == "respond" else (kind, message)


def _data(reply: object) -> Json:
    """A reply as data: Studio and text fields send what was typed, JSON or not."""
    if not isinstance(reply, str):
        return reply
    try:
        return json.loads(reply)
    except ValueError:
        return reply
