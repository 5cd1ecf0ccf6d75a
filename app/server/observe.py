"""What runs, and how it ends: one LangChain callback that watches every run of a process, and hands it to sinks.

LangGraph and LangChain report to it what they report to LangSmith: graphs, their nodes, tools, chat models. Whatever
serves the graphs (`langgraph dev`, another server, our own routes) is watched without a word in the graphs
themselves. The sinks are the log (`run_log`), the metrics (`trivium.app.server.metrics`) and the traces
(`trivium.app.server.traces`).
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import BaseMessage
from langchain_core.outputs import LLMResult
from langchain_core.tracers.context import register_configure_hook
from langgraph.errors import GraphBubbleUp

from trivium.graphs.methods import METHODS
from trivium.nodes.model.budget import prompt_tokens
from trivium.nodes.run.answer_record import Answer
from trivium.nodes.run.usage import estimate_tokens

Kind = Literal["run", "stage", "chat", "tool"]

log = logging.getLogger("trivium.runs")

_STAGE_TAG = "graph:step:"  # LangGraph's, of a node's run


@dataclass(slots=True)
class Operation:
    """Something that runs, or has run.

    Attributes:
        kind: a method's run, one of its stages, a request to a chat model, a tool's call.
        name: of the method, the stage, the model (`PROVIDER:NAME`) or the tool.
        run: the id of the run it belongs to, the server's own where it has one.
        method: the run's method; of the router's run the router.
        parent: what it is part of; None of a run that nothing else of ours started.
        thread: the thread's id; "" without one.
        began: `time.time`.
        seconds: how long it took; 0 while it runs.
        answer: of a run that gave one.
        error: the class of the exception that ended it; "" of one that ended well or stopped for a human.
        prompt_tokens, completion_tokens: of a request to a model, by its own count or, without one, by an estimate.
        details: of a request: `response_model`, `finish_reason`.
    """

    kind: Kind
    name: str
    run: str
    method: str
    parent: Operation | None = None
    thread: str = ""
    began: float = field(default_factory=time.time)
    seconds: float = 0.0
    answer: Answer | None = None
    error: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    details: dict[str, str] = field(default_factory=dict)
    clock: float = field(default_factory=time.perf_counter)
    prompt: Sequence[BaseMessage] = ()

    @property
    def is_whole(self) -> bool:
        """Whether this is a run as a client asked for it, not a method's under the router."""
        return self.kind == "run" and self.parent is None


class Sink(Protocol):
    """Receives operations; it must not block, and sees nothing of what they read or write except a run's answer.

    Calls of tools are told where one of a process's sinks has `tools = True`.
    """

    def began(self, operation: Operation) -> None:
        """An operation begins."""

    def ended(self, operation: Operation) -> None:
        """It has ended, well or not."""


class Observer(BaseCallbackHandler):
    """The callback. `watch` makes every run of the process report to it."""

    only_measures = True  # `trivium.tools.call.MEASURES`
    run_inline = True  # in the event loop, in order; LangChain would start a thread for each call
    raise_error = False

    def __init__(self, *sinks: Sink) -> None:
        self._sinks = sinks
        self._tools = any(getattr(sink, "tools", False) for sink in sinks)
        self._operations: dict[UUID, Operation] = {}
        self._within: dict[UUID, Operation | None] = {}  # every chain, ours or not: what it runs in
        self.last_ended = time.monotonic()

    @property
    def ignore_agent(self) -> bool:
        """Whether no sink wants tools: LangChain then reports none, which costs a question 0.3 ms."""
        return not self._tools

    @property
    def runs(self) -> int:
        """Runs going on now."""
        return sum(operation.is_whole for operation in list(self._operations.values()))

    def on_chain_start(
        self,
        serialized: dict[str, Any],
        inputs: dict[str, Any],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        tags: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        **kwargs: object,
    ) -> None:
        """A graph, a node, or something in between begins."""
        del serialized, inputs
        parent, name = self._within.get(parent_run_id) if parent_run_id else None, str(kwargs.get("name") or "")
        metadata = metadata or {}
        kind: Kind | None = None
        if any(tag.startswith(_STAGE_TAG) for tag in tags or ()):
            kind = "stage" if parent is not None else None
        elif (name in METHODS and metadata.get("langgraph_node") in (None, name)) or (
            name in METHODS and parent is None
        ):
            kind = "run"
        if kind is None:
            self._within[run_id] = parent
            return
        if kind == "stage" and name in METHODS:  # the router's node of a method: the method's run says it all
            self._within[run_id] = parent
            return
        whole = parent.run if parent else str(metadata.get("run_id") or run_id)
        method = name if kind == "run" else parent.method if parent else ""
        thread = parent.thread if parent else str(metadata.get("thread_id") or "")
        self._begin(run_id, Operation(kind, name, whole, method, parent, thread))

    def on_chain_end(self, outputs: object, *, run_id: UUID, **kwargs: object) -> None:
        """It has ended."""
        del kwargs
        operation = self._operations.get(run_id)
        if operation is not None and operation.kind == "run" and isinstance(outputs, Mapping):
            answer = outputs.get("answer")
            operation.answer = answer if isinstance(answer, dict) and "stop_reason" in answer else None  # type: ignore[assignment]
        self._end(run_id)

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **kwargs: object) -> None:
        """It has failed, was canceled, or waits for a human."""
        del kwargs
        self._end(run_id, error)

    def on_chat_model_start(
        self,
        serialized: dict[str, Any],
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: dict[str, Any] | None = None,
        **kwargs: object,
    ) -> None:
        """A request is sent to a chat model."""
        del serialized, kwargs
        known = metadata or {}
        name = f"{known.get('ls_provider', 'unknown')}:{known.get('ls_model_name', 'unknown')}"
        operation = self._part("chat", name, parent_run_id)
        if operation is not None:
            operation.prompt = messages[0] if messages else ()
            self._begin(run_id, operation)

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **kwargs: object) -> None:
        """A chat model has answered."""
        del kwargs
        if (operation := self._operations.get(run_id)) is not None:
            _count(operation, response)
        self._end(run_id)

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **kwargs: object) -> None:
        """A request has failed; one that was canceled on its way costs its prompt."""
        del kwargs
        if isinstance(error, asyncio.CancelledError) and (operation := self._operations.get(run_id)) is not None:
            operation.prompt_tokens = prompt_tokens(operation.prompt)
        self._end(run_id, error)

    def on_tool_start(
        self,
        serialized: dict[str, Any],
        input_str: str,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **kwargs: object,
    ) -> None:
        """A tool is called."""
        del input_str
        name = str(kwargs.get("name") or (serialized or {}).get("name") or "tool")
        if (operation := self._part("tool", name, parent_run_id)) is not None:
            self._begin(run_id, operation)

    def on_tool_end(self, output: object, *, run_id: UUID, **kwargs: object) -> None:
        """It has answered."""
        del output, kwargs
        self._end(run_id)

    def on_tool_error(self, error: BaseException, *, run_id: UUID, **kwargs: object) -> None:
        """It has failed."""
        del kwargs
        self._end(run_id, error)

    def _part(self, kind: Kind, name: str, parent_run_id: UUID | None) -> Operation | None:
        """A part of one of our runs; None where it is another program's."""
        parent = self._within.get(parent_run_id) if parent_run_id else None
        return None if parent is None else Operation(kind, name, parent.run, parent.method, parent, parent.thread)

    def _begin(self, run_id: UUID, operation: Operation) -> None:
        self._operations[run_id] = self._within[run_id] = operation
        for sink in self._sinks:
            sink.began(operation)

    def _end(self, run_id: UUID, error: BaseException | None = None) -> None:
        self._within.pop(run_id, None)
        operation = self._operations.pop(run_id, None)
        if operation is None:
            return
        operation.seconds = time.perf_counter() - operation.clock
        operation.prompt = ()
        if error is not None and not isinstance(error, GraphBubbleUp):
            operation.error = "canceled" if isinstance(error, asyncio.CancelledError) else type(error).__name__
        if operation.is_whole:
            self.last_ended = time.monotonic()
        for sink in self._sinks:
            sink.ended(operation)


def outcome(run: Operation) -> str:
    """How a run ended: its answer's stop reason, else `error`, `canceled`, or `interrupted` (it waits for a human)."""
    if run.answer is not None:
        return run.answer["stop_reason"]
    return "interrupted" if not run.error else run.error if run.error == "canceled" else "error"


class RunLog:
    """A line of the log for every run: its id, thread, method, KG, model, how it ended, what it cost. No question."""

    def began(self, operation: Operation) -> None:
        """Nothing is said yet."""

    def ended(self, operation: Operation) -> None:
        """One line, whose fields a JSON log has by name."""
        if not operation.is_whole:
            return
        told: dict[str, object] = {"run_id": operation.run, "method": operation.method, "outcome": outcome(operation)}
        if operation.thread:
            told["thread_id"] = operation.thread
        if operation.error:
            told["error"] = operation.error
        if (answer := operation.answer) is not None:
            told |= {"kg": answer["kg"], "model": answer["model"], "answered_by": answer["method"]}
            told |= {name: value for name, value in answer["usage"].items() if value and name != "seconds"}
        told["seconds"] = round(operation.seconds, 4)
        log.info("run ended %s", " ".join(f"{name}={value}" for name, value in told.items()), extra=told)


def _count(operation: Operation, response: LLMResult) -> None:
    """Tokens and the like of a model's answer."""
    generation = response.generations[0][0] if response.generations and response.generations[0] else None
    message = getattr(generation, "message", None)
    usage = getattr(message, "usage_metadata", None) or {}
    said = str(getattr(message, "text", ""))
    operation.prompt_tokens = usage.get("input_tokens") or prompt_tokens(operation.prompt)
    operation.completion_tokens = usage.get("output_tokens") or estimate_tokens(said)
    known = getattr(message, "response_metadata", {})
    pairs = (("response_model", known.get("model_name")), ("finish_reason", known.get("finish_reason")))
    operation.details |= {name: str(value) for name, value in pairs if value}


_watching: ContextVar[Observer | None] | None = None


def watch(observer: Observer) -> None:
    """Let every run of this process report to the observer; one a process.

    Raises:
        RuntimeError: another one watches already.
    """
    global _watching  # noqa: PLW0603 - LangChain's hooks are the process's too, and cannot be taken back
    if _watching is not None:
        raise RuntimeError("an observer watches this process already")
    _watching = ContextVar("trivium_observer", default=observer)
    register_configure_hook(_watching, inheritable=True)
