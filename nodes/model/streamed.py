"""A text from a model as it is said: the pieces, and in the end what it cost and whether it is whole."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from trivium.nodes.model.budget import Budget
from trivium.nodes.model.calls import DEFAULT_RETRY, Exchange, RetryPolicy, timed_out
from trivium.nodes.model.failures import Failure, client_errors, failure
from trivium.nodes.model.models import Model
from trivium.nodes.model.outcome import ModelReply, declined
from trivium.nodes.model.parsing import without_thoughts

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
    from langchain_core.messages.ai import UsageMetadata


@dataclass
class _Heard:
    """What one request's stream said."""

    pieces: list[str] = field(default_factory=list)
    usage: UsageMetadata | None = None
    finish: str | None = None
    refusal: str | None = None
    message_id: str | None = None
    lost: Failure | None = None

    def take(self, chunk: AIMessageChunk) -> str:
        """Note a chunk; its text."""
        self.usage = chunk.usage_metadata or self.usage
        self.finish = chunk.response_metadata.get("finish_reason") or self.finish
        self.refusal = declined(chunk) or self.refusal
        self.message_id = self.message_id or chunk.id
        text = str(chunk.text)
        self.pieces.append(text)
        return text

    def take_whole(self, reply: AIMessage) -> str:
        """Note an answer that came in one; its text."""
        self.finish, self.refusal = reply.response_metadata.get("finish_reason"), declined(reply)
        self.message_id = reply.id
        self.pieces.append(str(reply.text))
        return self.text

    @property
    def text(self) -> str:
        """What has come so far."""
        return "".join(self.pieces)


class Streamed:
    """Iterate over it for the pieces of the text; `outcome` tells the end, `whole` does both.

    A text that breaks off keeps what was said: the outcome then has a value and a reason. A request is retried only
    while nothing was said. Iterate once.
    """

    def __init__(self, exchange: Exchange, messages: list[BaseMessage], *, live: bool = True) -> None:
        self._exchange, self._messages, self._live = exchange, messages, live
        self._heard = _Heard()

    @property
    def message_id(self) -> str | None:
        """The id under which LangGraph streams the pieces as a message; None before the first."""
        return self._heard.message_id

    @property
    def outcome(self) -> ModelReply[str]:
        """What was said so far, as the value; None where that is nothing but blanks."""
        said = without_thoughts(self._heard.text)
        return ModelReply(said.strip() or None, self._exchange.reason, self._exchange.usage, self._exchange.events)

    async def whole(self) -> ModelReply[str]:
        """Listen to the end."""
        async for _ in self:
            pass
        return self.outcome

    async def __aiter__(self) -> AsyncGenerator[str]:
        if not self._live:
            if (reply := await self._exchange.ask(self._messages)) is not None:
                yield self._heard.take_whole(reply)
                self._end()
            return
        exchange, attempt = self._exchange, 0
        while exchange.allowed(self._messages):
            without = frozenset(exchange.model.refused)
            async with aclosing(self._request()) as pieces:
                async for piece in pieces:
                    yield piece
            lost = self._heard.lost
            if lost is None or self._heard.text:
                self._end()
                return
            if not await exchange.again(lost, attempt, without):
                return
            attempt += 1

    async def _request(self) -> AsyncGenerator[str]:
        """The pieces of one request, which is counted however it ends."""
        heard = self._heard = _Heard()
        chunks = self._exchange.model.chat.astream(self._messages, self._exchange.config())
        try:
            async with aclosing(cast("AsyncGenerator[AIMessageChunk]", chunks)):
                chunk = await self._next(chunks)
                while not (chunk is None or isinstance(chunk, Failure)):
                    if piece := heard.take(chunk):
                        yield piece
                    chunk = await self._next(chunks)
                heard.lost = chunk
        finally:
            answered = heard.lost is None or heard.lost.timeout or bool(heard.text)
            self._exchange.count(self._messages if answered else (), heard.text, heard.usage)

    async def _next(self, chunks: AsyncIterator[AIMessageChunk]) -> AIMessageChunk | Failure | None:
        """The next chunk; None at the end. The time-out holds for the wait alone, not for who listens."""
        limit = self._exchange.request_seconds()
        try:
            async with asyncio.timeout(limit):
                return await anext(chunks, None)
        except TimeoutError:
            return timed_out(limit)
        except client_errors() as error:
            return failure(error)

    def _end(self) -> None:
        """Judge a stream that said something, or that ended in good order."""
        heard, exchange = self._heard, self._exchange
        if heard.lost is not None:
            exchange.give_up(exchange.kind(heard.lost, "llm_cut"), f"broke off: {heard.lost.message}")
        elif heard.refusal is not None:
            exchange.give_up("llm_refused", f"the model declined: {heard.refusal}")
        elif not without_thoughts(heard.text).strip():
            exchange.give_up("llm_failed", "the model said nothing, which is an empty answer or a refusal")
        elif heard.finish == "length":
            exchange.give_up("llm_truncated", "the model stopped at its length limit")
        elif heard.finish is None and exchange.model.marks_end:
            exchange.give_up("llm_cut", "broke off: the stream ended without its end mark")


def streamed(
    model: Model,
    messages: Sequence[BaseMessage] | str,
    *,
    stage: str,
    budget: Budget,
    retry: RetryPolicy = DEFAULT_RETRY,
    live: bool = True,
) -> Streamed:
    """Ask for a text, piece by piece; the request is sent once the result is iterated over.

    Args:
        model: an open model.
        messages: the prompt.
        stage: the stage's name, for events and traces.
        budget: what the run has left.
        retry: the stage's times and retries.
        live: False asks for the text in one piece, for half the work; where nobody listens to the pieces.
    """
    from langchain_core.messages import HumanMessage

    prompt: list[BaseMessage] = [HumanMessage(messages)] if isinstance(messages, str) else list(messages)
    return Streamed(Exchange(model, stage, budget, retry), prompt, live=live)
