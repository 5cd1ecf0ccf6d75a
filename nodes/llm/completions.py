"""OpenAI's chat completions as LangChain asks for them, without what costs the client most and changes nothing.

The client walks through each request by the types of its parameters, to write dates and files as JSON, and builds a
typed object of each answer, which LangChain takes apart again: a third of a call's work. A prompt of ours is JSON
already and LangChain reads answers as JSON, so the request is posted as it stands. Addresses, keys, errors and streams
are the client's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from httpx2 import Response
    from openai import AsyncOpenAI

_OF_THE_CALL = {"extra_headers", "extra_query", "timeout"}  # parameters that are no part of a request's body


@dataclass(frozen=True, slots=True)
class Completions:
    """Stands where LangChain has `client.chat.completions` of an `AsyncOpenAI` client."""

    client: AsyncOpenAI

    @property
    def with_raw_response(self) -> Self:
        """Answers come with their headers in any case."""
        return self

    async def create(self, **parameters: Any) -> Any:  # noqa: ANN401 - the client's own types, of which LangChain reads some
        """Send one request; an answer whose text and headers can be read, or a stream.

        Raises:
            openai.APIError: as the client does.
        """
        own = self.client.chat.completions
        if parameters.get("stream"):
            return await own.create(**parameters)
        if not _OF_THE_CALL.isdisjoint(parameters):
            return await own.with_raw_response.create(**parameters)
        from httpx2 import Response

        more = parameters.pop("extra_body", None) or {}
        body = {**parameters, **more}
        return Reply(await self.client.post("/chat/completions", cast_to=Response, body=body))


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer, read when asked for."""

    http_response: Response

    @property
    def headers(self) -> Any:  # noqa: ANN401 - as the HTTP client types them
        """The answer's headers."""
        return self.http_response.headers

    def parse(self) -> object:
        """The answer: JSON, or the text of what is none.

        Raises:
            ValueError: it says that it is JSON, and is not.
        """
        kind, *_ = self.http_response.headers.get("content-type", "").split(";")
        try:
            said = self.http_response.json()
        except ValueError:
            if kind.endswith("json"):
                raise
            return self.http_response.text
        return _typed(said) if _declines(said) else said


def _declines(said: object) -> bool:
    """Whether the model refused: LangChain looks for its words in a typed answer alone."""
    choices = said.get("choices") if isinstance(said, dict) else None
    messages = [choice.get("message") for choice in choices or () if isinstance(choice, dict)]
    return any(isinstance(message, dict) and message.get("refusal") for message in messages)


def _typed(said: dict[str, Any]) -> object:
    from openai.types.chat import ChatCompletion

    return ChatCompletion.construct(**said)
