"""Requests to a model: each is counted, limited in time and budget, retried where that can help, and noted."""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from langgraph.constants import TAG_NOSTREAM

from trivium.nodes.model.budget import Budget, prompt_tokens
from trivium.nodes.model.cache import CACHE_FILE, answer_cache, prompt_text
from trivium.nodes.model.failures import Failure, client_errors, failure
from trivium.nodes.model.models import Model
from trivium.nodes.model.outcome import Event, Kind, declined, event
from trivium.nodes.model.prompts import current
from trivium.nodes.model.redaction import brief
from trivium.nodes.run.usage import NO_USAGE, Usage, add_usage, estimate_tokens

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage, BaseMessage
    from langchain_core.messages.ai import UsageMetadata
    from langchain_core.outputs import ChatGeneration
    from langchain_core.runnables import RunnableConfig


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long a stage waits for its model, and how often it asks again; all times in seconds."""

    seconds: float = 150.0
    """For the whole stage: requests, waits between them, the repair turn."""
    request_seconds: float = 120.0
    """For one request; of a stream, for each of its pieces."""
    retries: int = 2
    """Requests beyond the first, after 429, 5xx, a lost connection or a request's time-out."""
    backoff: float = 0.5
    """Before the first retry, doubled for each further one, with jitter of half to one and a half."""
    longest_wait: float = 20.0
    """The longest wait, also where the server's Retry-After asks for more."""

    def wait(self, attempt: int, asked: float | None) -> float:
        """Seconds before the retry after this attempt (0 is the first): what the server asked for, or the back-off."""
        wished = self.backoff * 2**attempt * random.uniform(0.5, 1.5) if asked is None else asked
        return min(wished, self.longest_wait)


DEFAULT_RETRY = RetryPolicy()


class Exchange:
    """What one stage exchanges with its model.

    Attributes:
        events: what happened, in order.
        reason: why there is no answer, or why it broke off; None while all is well.
    """

    def __init__(self, model: Model, stage: str, budget: Budget, retry: RetryPolicy) -> None:
        self.events: list[Event] = []
        self.reason: str | None = None
        self.model, self.stage, self.retry = model, stage, retry
        self._budget = budget
        self._spent = NO_USAGE
        self._started = asyncio.get_running_loop().time()

    @property
    def usage(self) -> Usage:
        """What was spent so far, the time since the start among it."""
        spent = self._spent.copy()
        spent["seconds"] = round(self._elapsed(), 6)
        return spent

    def note(self, kind: Kind, message: str) -> None:
        """Record an event."""
        self.events.append(event(self.stage, kind, message))

    def give_up(self, kind: Kind, message: str) -> None:
        """Record why there is no (whole) answer."""
        self.reason = brief(message)
        self.note(kind, message)

    async def ask(self, messages: Sequence[BaseMessage]) -> AIMessage | None:
        """The model's answer, or what a cache keeps of it; None with a reason where there is none."""
        if (kept := await self._kept(messages)) is not None:
            return kept
        attempt = 0
        while self.allowed(messages):
            without = frozenset(self.model.refused)
            reply = await self._send(messages)
            if not isinstance(reply, Failure):
                self.count(messages, str(reply.text), reply.usage_metadata)
                await self._keep(messages, reply)
                return reply
            self.count(messages if reply.timeout else (), "")
            if not await self.again(reply, attempt, without):
                return None
            attempt += 1
        return None

    async def _kept(self, messages: Sequence[BaseMessage]) -> AIMessage | None:
        cache = await asyncio.to_thread(answer_cache) if os.environ.get(CACHE_FILE) else None
        found = await cache.alookup(prompt_text(messages), self.model.parameters()) if cache else None
        return cast("AIMessage", cast("ChatGeneration", found[0]).message) if found else None

    async def _keep(self, messages: Sequence[BaseMessage], reply: AIMessage) -> None:
        cache = answer_cache() if os.environ.get(CACHE_FILE) else None
        if cache and reply.text and not declined(reply):
            from langchain_core.outputs import ChatGeneration

            await cache.aupdate(prompt_text(messages), self.model.parameters(), [ChatGeneration(message=reply)])

    async def _send(self, messages: Sequence[BaseMessage]) -> AIMessage | Failure:
        limit = self.request_seconds()
        try:
            async with asyncio.timeout(limit):
                return await self.model.quiet.ainvoke(
                    list(messages), self.config(TAG_NOSTREAM), **self.model.json_call()
                )
        except TimeoutError:
            return timed_out(limit)
        except client_errors() as error:
            return failure(error)

    def config(self, *tags: str) -> RunnableConfig:
        """How the call is named in traces; the tag `nostream` keeps it out of what LangGraph streams as messages."""
        return {"run_name": self.stage, "tags": list(tags)}

    def allowed(self, messages: Sequence[BaseMessage]) -> bool:
        """Whether one more request may be sent; if not, the reason is recorded."""
        if (recorded := current()) is not None:
            recorded.sent.append("\n\n".join(str(message.text) for message in messages))
            self.give_up("llm_failed", "the prompt was recorded, not sent")
            return False
        if self._left() <= 0:
            self.give_up("llm_timeout", f"the stage's {self.retry.seconds:g} seconds are over")
            return False
        if reason := self._budget.after(self.usage).refusal(prompt_tokens(messages)):
            self.give_up("llm_budget", reason)
            return False
        return True

    def count(self, messages: Sequence[BaseMessage], text: str, usage: UsageMetadata | None = None) -> None:
        """Count one request that was sent, by the server's own numbers or, where it gave none, by an estimate."""
        prompt, completion = (usage["input_tokens"], usage["output_tokens"]) if usage else (0, 0)
        spent = Usage(
            llm_calls=1,
            prompt_tokens=prompt or prompt_tokens(messages),
            completion_tokens=completion or estimate_tokens(text),
            seconds=0.0,
        )
        self._spent = add_usage(self._spent, spent)

    async def again(self, lost: Failure, attempt: int, without: frozenset[str]) -> bool:
        """After a failure: whether to send the request again, having waited; if not, the reason is recorded.

        Args:
            lost: why the last request brought nothing.
            attempt: requests sent before it.
            without: the parameters that it went without already.
        """
        if lost.parameter is not None and lost.parameter not in without:
            self.model.drop(lost.parameter)
            self.note("llm_parameter", f"retried without {lost.parameter}: {lost.message}")
            return True
        wait = self.retry.wait(attempt, lost.wait)
        # A server that was silent once is asked once more, and not as often as one that said that it is busy.
        retries = min(self.retry.retries, 1) if lost.timeout else self.retry.retries
        if not lost.again or attempt >= retries or wait >= self._left():
            self.give_up(self.kind(lost, "llm_failed"), lost.message)
            return False
        if wait >= self._budget_left():
            self.give_up("llm_budget", f"the run's seconds for the model are used up: {lost.message}")
            return False
        self.note("llm_retry", f"retried after {wait:.1f} seconds: {lost.message}")
        await asyncio.sleep(wait)
        return True

    def kind(self, lost: Failure, other: Kind) -> Kind:
        """Which event ends the stage after this failure: whose time is over, or the other kind."""
        if not lost.timeout:
            return other
        return "llm_timeout" if self._budget_left() > 0 else "llm_budget"

    def request_seconds(self) -> float:
        """The longest that the next request, or a stream's next piece, may take."""
        return max(min(self.retry.request_seconds, self._left(), self._budget_left()), 0.0)

    def _elapsed(self) -> float:
        return asyncio.get_running_loop().time() - self._started

    def _left(self) -> float:
        return self.retry.seconds - self._elapsed()

    def _budget_left(self) -> float:
        return self._budget.seconds - self._elapsed()


def timed_out(limit: float) -> Failure:
    """The failure of a request that took longer than it may."""
    return Failure(f"the model's server was silent for {limit:.3g} seconds", again=True, timeout=True)
