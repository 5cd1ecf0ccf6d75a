"""What operators see: each run, stage, request and tool counted once, logged by its id, and traced as one tree."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from prometheus_client import CollectorRegistry

from tests.fake_openai import FakeOpenAI
from tests.fake_openai.replies import Script
from trivium.app.server import observe
from trivium.app.server.metrics import Metrics
from trivium.app.server.observe import Observer, Operation, RunLog
from trivium.app.server.operations import operations
from trivium.app.server.traces import Traces, open_tracer
from trivium.graphs.methods import METHODS, answer
from trivium.nodes.model import close_models

ROOT = Path(__file__).resolve().parents[4]
QUESTION = "who directed Heat?"
SUBS = [{"question": "who directed [mask]?", "id": 0, "dep": [-1], "args": {"seed_entities": ["Heat"]}}]
REPLIES = [
    {"match": "to several sub-questions", "reply": {"json": SUBS}},
    {"match": "Use the following pieces", "reply": {"json": {"questions": [{"id": 0, "answers": ["Michael Mann"]}]}}},
    {"match": "task execution logs", "reply": "Michael Mann directed the film Heat."},
]


class Watched:
    """A fresh observer's sinks, in place of the process's."""

    def __init__(self) -> None:
        self.registry, self.exporter = CollectorRegistry(), InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.metrics = Metrics(self.registry)
        self.observer = Observer(self.metrics, Traces(provider.get_tracer("test")), RunLog())

    def value(self, name: str, **labels: str) -> float:
        """A figure; 0 where nothing was counted."""
        return self.registry.get_sample_value(name, labels) or 0.0

    def spans(self) -> dict[str, ReadableSpan]:
        """The spans by name, the last of each."""
        return {span.name: span for span in self.exporter.get_finished_spans()}


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Iterator[Watched]:
    import trivium.app.server.observe as module

    made = Watched()
    assert module._watching is not None, "importing the operations watches the process"
    token = module._watching.set(made.observer)
    yield made
    module._watching.reset(token)
    del monkeypatch


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeOpenAI]:
    with FakeOpenAI() as fake:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        monkeypatch.setenv("OPENAI_BASE_URL", fake.url)
        yield fake


def _context(method: str, kg: str, **settings: object) -> Any:  # noqa: ANN401 - a method's settings
    return METHODS[method].context(kg=kg, **settings)


async def test_a_run_is_counted_once_with_its_stages(watched: Watched, kg_name: str) -> None:
    await answer("auto", QUESTION, _context("auto", kg_name))
    await answer("keqing", "who directed Wrong Film Nobody Made?", _context("keqing", kg_name))
    runs = {
        sample.labels["method"]: (sample.labels["outcome"], sample.value)
        for metric in watched.registry.collect()
        for sample in metric.samples
        if sample.name == "trivium_runs_total"
    }
    assert runs["auto"] == ("answered", 1.0), "the method's run under the router is not a second one"
    assert runs["keqing"][0] in ("unknown_entity", "not_understood", "not_found")
    assert watched.value("trivium_stage_seconds_count", method="keqing", stage="decompose") == 2
    assert watched.value("trivium_stage_seconds_count", method="auto", stage="plan_methods") == 1
    assert watched.value("trivium_stage_seconds_count", method="auto", stage="keqing") == 0, "that is the run itself"
    assert watched.value("trivium_runs_in_progress") == 0


async def test_tools_are_reported_to_whom_they_concern_alone(watched: Watched, kg_name: str) -> None:
    assert not watched.observer.ignore_agent, "its traces show tools"
    await answer("keqing", QUESTION, _context("keqing", kg_name))
    assert any(name.startswith("execute_tool ") for name in watched.spans())
    alone = Observer(watched.metrics, RunLog())
    assert alone.ignore_agent
    assert observe._watching is not None
    token, told = observe._watching.set(alone), list[str]()
    alone.on_tool_start = lambda *args, **kwargs: told.append("a tool")  # type: ignore[method-assign]
    try:
        await answer("keqing", QUESTION, _context("keqing", kg_name))
    finally:
        observe._watching.reset(token)
    assert told == []
    assert watched.value("trivium_runs_total", method="keqing", kg=kg_name, outcome="answered") == 2


async def test_a_failed_and_a_canceled_run_are_over(watched: Watched, kg_name: str) -> None:
    graph = METHODS["keqing"].graph()
    with pytest.raises(Exception, match="no question"):
        await graph.ainvoke({"messages": []}, context=_context("keqing", kg_name))
    seen: list[Operation] = []

    class Stop:
        def began(self, operation: Operation) -> None:
            if operation.kind == "stage":
                seen.append(operation)
                raised.cancel()

        def ended(self, operation: Operation) -> None: ...

    watched.observer._sinks += (Stop(),)
    raised = asyncio.create_task(answer("keqing", QUESTION, _context("keqing", kg_name)))
    with pytest.raises(asyncio.CancelledError):
        await raised
    assert seen
    assert watched.value("trivium_runs_total", method="keqing", kg="", outcome="error") == 1
    assert watched.value("trivium_runs_total", method="keqing", kg="", outcome="canceled") == 1
    assert (watched.observer.runs, watched.observer._operations, watched.observer._within) == (0, {}, {})


async def test_a_run_that_waits_for_a_human_is_interrupted_and_then_answered(watched: Watched, kg_name: str) -> None:
    from trivium.graphs.keqing import builder

    graph, thread = builder.compile(InMemorySaver(), name="keqing"), RunnableConfig(configurable={"thread_id": "t-1"})
    await graph.ainvoke({"question": QUESTION}, thread, context=_context("keqing", kg_name, review=True))
    assert watched.value("trivium_runs_total", method="keqing", kg="", outcome="interrupted") == 1
    await graph.ainvoke(Command(resume=True), thread)
    assert watched.value("trivium_runs_total", method="keqing", kg=kg_name, outcome="answered") == 1
    assert watched.observer._operations == {}


async def test_tokens_and_their_price_by_model(
    watched: Watched, kg_name: str, model: FakeOpenAI, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.script = Script.of(REPLIES)
    context = _context("keqing", kg_name, model="openai:scripted", decompose="llm", reason="llm")
    told = await answer("keqing", QUESTION, context)
    name = "openai:scripted"
    assert told["usage"]["llm_calls"] == 3
    assert watched.value("trivium_llm_requests_total", model=name, outcome="answered") == 3
    prompt = watched.value("trivium_llm_tokens_total", model=name, kind="prompt")
    completion = watched.value("trivium_llm_tokens_total", model=name, kind="completion")
    assert (prompt, completion) == (told["usage"]["prompt_tokens"], told["usage"]["completion_tokens"])
    assert watched.value("trivium_llm_cost_total", model=name) == 0, "no price is named"
    priced = tmp_path / "priced"
    priced.mkdir()
    (priced / "trivium.toml").write_text(f'[prices]\n"{name}" = "2/10"\n')
    monkeypatch.chdir(priced)
    request = Operation("chat", name, "r", "keqing", prompt_tokens=1_000_000, completion_tokens=100_000)
    watched.metrics.ended(request)
    assert watched.value("trivium_llm_cost_total", model=name) == pytest.approx(3.0)
    await close_models()


async def test_a_trace_is_one_tree_by_the_conventions(watched: Watched, kg_name: str, model: FakeOpenAI) -> None:
    model.script = Script.of(REPLIES)
    given: Any = {"messages": [HumanMessage(QUESTION)]}
    context = _context("keqing", kg_name, model="openai:scripted", decompose="llm", reason="llm")
    await METHODS["keqing"].graph().ainvoke(given, context=context)
    spans = watched.spans()
    run, chat = spans["invoke_agent keqing"], spans["chat scripted"]
    assert run.parent is None
    assert run.attributes is not None
    assert chat.attributes is not None
    assert run.attributes["gen_ai.operation.name"] == "invoke_agent"
    assert run.attributes["gen_ai.agent.name"] == "keqing"
    assert run.attributes["trivium.outcome"] == "answered"
    assert chat.attributes["gen_ai.operation.name"] == "chat"
    assert chat.attributes["gen_ai.provider.name"] == "openai"
    assert chat.attributes["gen_ai.request.model"] == "scripted"
    assert int(str(chat.attributes["gen_ai.usage.input_tokens"])) > 0
    assert chat.parent is not None
    assert spans["stage respond"].context is not None
    assert chat.parent.span_id == spans["stage respond"].context.span_id, "the last request words the answer"
    (trace_id,) = {span.context.trace_id for span in watched.exporter.get_finished_spans() if span.context}
    assert trace_id
    said = " ".join(span.to_json() for span in watched.exporter.get_finished_spans())
    for text in (QUESTION, "Michael Mann", "sk-test"):
        assert text not in said, "no text of a user, the graph or a key is in a span"
    await close_models()


async def test_a_failed_request_is_an_error_in_trace_and_metrics(
    watched: Watched, kg_name: str, model: FakeOpenAI
) -> None:
    model.script = Script.of([{"match": "", "reply": {"status": 400, "message": "no such model"}}])
    context = _context("keqing", kg_name, model="openai:scripted", decompose="llm")
    await answer("keqing", QUESTION, context)
    chat = watched.spans()["chat scripted"]
    assert not chat.status.is_ok
    assert chat.attributes is not None
    assert chat.attributes["error.type"]
    assert watched.value("trivium_llm_requests_total", model="openai:scripted", outcome="error") >= 1
    await close_models()


async def test_the_log_has_a_line_a_run_with_its_id_and_no_question(
    watched: Watched, kg_name: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "trivium.runs")
    run = "7b1d0a3e-5f0c-4a57-9a55-0d1f9b2c3d4e"
    config = RunnableConfig(metadata={"run_id": run, "thread_id": "t-9"})
    await METHODS["keqing"].graph().ainvoke({"question": QUESTION}, config, context=_context("keqing", kg_name))
    (record,) = caplog.records
    told = record.__dict__
    assert (told["run_id"], told["thread_id"], told["outcome"], told["kg"]) == (run, "t-9", "answered", kg_name)
    assert f"run_id={run}" in record.getMessage()
    assert "Heat" not in record.getMessage()
    assert watched.value("trivium_runs_total", method="keqing", kg=kg_name, outcome="answered") == 1


def test_traces_are_made_only_where_somebody_asks_for_them() -> None:
    assert open_tracer({}) is None
    assert operations.observer is not None


def test_the_dashboard_shows_metrics_that_there_are(watched: Watched) -> None:
    dashboard = json.loads((ROOT / "docs" / "how-to" / "grafana.json").read_text())
    asked = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    used = {name for expression in asked for name in re.findall(r"\btrivium_\w+", expression)}
    types = {metric.name: metric.type for metric in watched.registry.collect()}
    suffixes: dict[str, tuple[str, ...]] = {"counter": ("_total",), "histogram": ("_bucket", "_count", "_sum")}
    known = {f"{name}{suffix}" for name, kind in types.items() for suffix in suffixes.get(kind, ("",))}
    assert used <= known, f"unknown: {used - known}"
    whole = {name for name in types if not any(each.startswith(name) for each in used)}
    assert whole == set(), f"not shown: {whole}"
    assert len({panel["title"] for panel in dashboard["panels"]}) == len(dashboard["panels"])
