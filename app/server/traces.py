"""Traces for OpenTelemetry by its conventions for generative AI: a run is an agent's, with stages, chats and tools.

They are sent where `OTEL_EXPORTER_OTLP_ENDPOINT` says (extra `otel`), or go to the tracer provider of the program that
embeds the graphs. No question, answer, prompt or label is in a span: names, counts, times, ids. LangSmith's own traces
(`LANGSMITH_TRACING=true`) hold the texts too, and need nothing of this.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from opentelemetry import trace
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer

from trivium.app.server.observe import Operation, outcome
from trivium.kg.errors import UsageError

ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
"""The environment variables by which an operator asks for traces."""


class Traces:
    """A sink of `trivium.app.server.observe` that makes spans.

    Args:
        tracer: what makes them.
    """

    tools = True
    """That calls of tools are told."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer
        self._spans: dict[int, Span] = {}  # by the id of an operation that goes on, which the observer holds

    def began(self, operation: Operation) -> None:
        """Start its span, within its parent's."""
        around = self._spans.get(id(operation.parent))
        context = trace.set_span_in_context(around) if around is not None else None
        kind = SpanKind.CLIENT if operation.kind == "chat" else SpanKind.INTERNAL
        start = int(operation.began * 1e9)
        self._spans[id(operation)] = self._tracer.start_span(_name(operation), context, kind, start_time=start)

    def ended(self, operation: Operation) -> None:
        """Say how it ended, and end its span."""
        span = self._spans.pop(id(operation), None)
        if span is None:
            return
        span.set_attributes(_attributes(operation))
        if operation.error:
            span.set_attribute("error.type", operation.error)
            span.set_status(Status(StatusCode.ERROR, operation.error))
        span.end(end_time=int((operation.began + operation.seconds) * 1e9))


def open_tracer(environment: Mapping[str, str] = os.environ) -> Tracer | None:
    """The tracer that the operator asked for, or that of the program around us; None where nobody wants traces.

    Raises:
        UsageError: traces are asked for, and the extra `otel` is not installed.
    """
    if not any(environment.get(name) for name in ENDPOINTS):
        return None
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        raise UsageError(f'{ENDPOINTS[0]} asks for traces: pip install "trivium[otel]"') from None
    if isinstance(trace.get_tracer_provider(), TracerProvider):  # somebody's already, with an exporter of his own
        return trace.get_tracer("trivium")
    service = {} if environment.get("OTEL_SERVICE_NAME") else {"service.name": "trivium"}
    provider = TracerProvider(resource=Resource.create(service))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider.get_tracer("trivium")


def _name(operation: Operation) -> str:
    if operation.kind == "run":
        return f"invoke_agent {operation.name}"
    if operation.kind == "chat":
        return f"chat {operation.name.partition(':')[2]}"
    return f"execute_tool {operation.name}" if operation.kind == "tool" else f"stage {operation.name}"


def _attributes(operation: Operation) -> dict[str, str | int | float | list[str]]:
    said: dict[str, str | int | float | list[str]] = {"trivium.run_id": operation.run}
    if operation.thread:
        said["gen_ai.conversation.id"] = operation.thread
    if operation.kind == "run":
        said |= {"gen_ai.operation.name": "invoke_agent", "gen_ai.provider.name": "trivium"}
        said |= {"gen_ai.agent.name": operation.name, "trivium.outcome": outcome(operation)}
        if operation.answer is not None:
            usage = operation.answer["usage"]
            said |= {"trivium.kg": operation.answer["kg"], "trivium.model": operation.answer["model"]}
            said |= {
                "gen_ai.usage.input_tokens": usage["prompt_tokens"],
                "gen_ai.usage.output_tokens": usage["completion_tokens"],
            }
    elif operation.kind == "chat":
        provider, _, model = operation.name.partition(":")
        said |= {"gen_ai.operation.name": "chat", "gen_ai.provider.name": provider, "gen_ai.request.model": model}
        said |= {
            "gen_ai.usage.input_tokens": operation.prompt_tokens,
            "gen_ai.usage.output_tokens": operation.completion_tokens,
        }
        if answered_by := operation.details.get("response_model"):
            said["gen_ai.response.model"] = answered_by
        if reason := operation.details.get("finish_reason"):
            said["gen_ai.response.finish_reasons"] = [reason]
    elif operation.kind == "tool":
        said |= {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": operation.name}
    else:
        said["trivium.stage"] = operation.name
    return said
