"""What Prometheus reads at `/metrics`, in the process's own registry, where LangGraph's server has its figures too."""

from __future__ import annotations

from collections.abc import Iterable

from prometheus_client import REGISTRY, CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.core import CounterMetricFamily, Metric
from prometheus_client.registry import Collector

from trivium.app.server.observe import Operation, outcome
from trivium.kg.errors import TriviumError
from trivium.knowledge.freshness import stale
from trivium.knowledge.knowledge import opened
from trivium.nodes.model.cache import cache_use
from trivium.nodes.run.spending import Spending, named_price

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)


class Metrics:
    """A sink of `trivium.app.server.observe` that counts.

    Args:
        registry: where the figures stand; another one for tests.
    """

    def __init__(self, registry: CollectorRegistry = REGISTRY) -> None:
        self._runs = Counter(
            "trivium_runs", "Runs by method, KG and how they ended: a stop reason, error, canceled or interrupted.",
            ("method", "kg", "outcome"), registry=registry,
        )  # fmt: skip
        self._going = Gauge("trivium_runs_in_progress", "Runs going on.", registry=registry)
        self._run_seconds = Histogram(
            "trivium_run_seconds", "Seconds of a run.", ("method",), buckets=_SECONDS, registry=registry
        )
        self._stage_seconds = Histogram(
            "trivium_stage_seconds", "Seconds of a stage.", ("method", "stage"), buckets=_SECONDS, registry=registry
        )
        self._requests = Counter(
            "trivium_llm_requests", "Requests to chat models.", ("model", "outcome"), registry=registry
        )
        self._llm_seconds = Histogram(
            "trivium_llm_seconds", "Seconds of a request to a chat model.", ("model",), buckets=_SECONDS,
            registry=registry,
        )  # fmt: skip
        self._tokens = Counter("trivium_llm_tokens", "Tokens of chat models.", ("model", "kind"), registry=registry)
        self._cost = Counter(
            "trivium_llm_cost", "What chat models cost, in the currency of [prices] in trivium.toml.", ("model",),
            registry=registry,
        )  # fmt: skip
        self._events = Counter(
            "trivium_events", "What happened on the way of runs: stale, llm_retry, edited, ...", ("event",),
            registry=registry,
        )  # fmt: skip
        self._stale = Gauge(
            "trivium_stale_artifacts", "1 for what was learned before the last change of a KG that is open.",
            ("kg", "artifact"), registry=registry,
        )  # fmt: skip
        self.draining = Gauge("trivium_draining", "1 once the server takes no more runs.", registry=registry)
        registry.register(_CacheUse())

    def began(self, operation: Operation) -> None:
        """Count what goes on."""
        if operation.is_whole:
            self._going.inc()

    def ended(self, operation: Operation) -> None:
        """Count what has ended."""
        if operation.kind == "stage":
            self._stage_seconds.labels(operation.method, operation.name).observe(operation.seconds)
        elif operation.kind == "chat":
            self._count_request(operation)
        elif operation.is_whole:
            self._going.dec()
            answer = operation.answer
            self._runs.labels(operation.method, answer["kg"] if answer else "", outcome(operation)).inc()
            self._run_seconds.labels(operation.method).observe(operation.seconds)
            for event in answer["events"] if answer else ():
                self._events.labels(str(event.get("event"))).inc()

    def _count_request(self, request: Operation) -> None:
        self._requests.labels(request.name, "error" if request.error else "answered").inc()
        self._llm_seconds.labels(request.name).observe(request.seconds)
        self._tokens.labels(request.name, "prompt").inc(request.prompt_tokens)
        self._tokens.labels(request.name, "completion").inc(request.completion_tokens)
        try:
            price = Spending(price=named_price(request.name))
            self._cost.labels(request.name).inc(price.cost(request.prompt_tokens, request.completion_tokens))
        except TriviumError:  # trivium.toml is being edited, or names a price that is none: tokens are counted still
            self._cost.labels(request.name).inc(0)

    async def look(self) -> None:
        """Bring what is only looked at, not counted, up to date: the freshness of the KGs that are open."""
        self._stale.clear()
        for kg in opened():
            try:
                for each in await stale(kg):
                    self._stale.labels(kg.name, each.what).set(1)
            except TriviumError:  # its database does not answer: /readyz says so
                continue


class _CacheUse(Collector):
    """Look-ups in the operator's cache of chat models' answers (`TRIVIUM_LLM_CACHE`)."""

    def collect(self) -> Iterable[Metric]:
        """The counts as they are now."""
        family = CounterMetricFamily(
            "trivium_llm_cache", "Look-ups in the cache of chat models' answers.", labels=("result",)
        )
        for result, count in cache_use().items():
            family.add_metric((result,), count)
        yield family
