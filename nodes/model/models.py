"""Chat models by name: `none`, `openai:NAME` on any OpenAI-compatible server, and `provider:NAME` by LangChain.

Keys and base URLs come from the environment alone. A model is opened once an event loop and kept: its client pools
connections, and a pool belongs to its loop.

An error of a server holds no secret: its body is redacted.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from pydantic import SecretStr

from trivium.kg.errors import ModelError
from trivium.nodes.model.failures import client_errors
from trivium.nodes.model.redaction import brief, redact
from trivium.nodes.run.access import NO_MODEL

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

_OPENAI = "https://api.openai.com/v1"
_FIXED_TEMPERATURE = re.compile(r"(?:^|/)(?:o[1-9]\d*(?:-|$)|gpt-[5-9](?![\w.-]*chat))")
"""Names of reasoning models, which refuse `temperature`."""


@dataclass(eq=False)
class Model:
    """An open chat model, and the optional parameters that it turned out to refuse."""

    name: str
    chat: BaseChatModel
    client: HttpClient | None = None
    json_mode: bool = False
    refused: set[str] = field(default_factory=set)

    def parameters(self) -> str:
        """What an answer depends on besides its prompt, as one text; no secret is in it."""
        names = ("temperature", "max_tokens", "max_completion_tokens", "model_kwargs", "reasoning_effort")
        chosen = {name: value for name in names if (value := getattr(self.chat, name, None)) is not None}
        url = _openai_url() if self.name.startswith("openai:") else ""
        return json.dumps([self.name, url, self.json_mode, chosen], sort_keys=True, default=str)

    @cached_property
    def quiet(self) -> BaseChatModel:
        """The same model, never streamed: a structured answer is not a text for a chat window."""
        return self.chat.model_copy(update={"disable_streaming": True})

    def drop(self, parameter: str) -> None:
        """Do without this optional parameter from now on."""
        self.refused.add(parameter)
        self.__dict__.pop("quiet", None)  # made again from the changed model
        if parameter == "temperature":
            self.chat = self.chat.model_copy(update={"temperature": None})
        elif parameter in ("max_completion_tokens", "max_tokens"):
            self.chat = self.chat.model_copy(update={"max_tokens": None})
        elif parameter == "stream_options":
            self.chat = self.chat.model_copy(update={"stream_usage": False})

    @property
    def marks_end(self) -> bool:
        """Whether its streams say why they end, so that one which does not was cut."""
        return self.name.startswith("openai:") and not getattr(self.chat, "use_responses_api", False)

    def json_call(self) -> dict[str, Any]:
        """What a call adds so that the server itself holds the model to JSON; nothing where it cannot."""
        if not self.json_mode or "response_format" in self.refused or not self.name.startswith("openai:"):
            return {}
        return {"extra_body": {"response_format": {"type": "json_object"}}}

    async def aclose(self) -> None:
        """Close the client."""
        if self.client is not None:
            await self.client.aclose()


_opened: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[tuple[object, ...], Model]] = WeakKeyDictionary()


def check_model(name: str) -> None:
    """Refuse a model that no run can use; to be called before a run starts. Blocks: other providers are built for it.

    Raises:
        ModelError: the name is unknown, its package is not installed, or its key is missing.
    """
    if name == NO_MODEL:
        return
    provider, rest = _parts(name)
    if provider == "openai":
        _openai_key()
        _openai_url()
    else:
        _other(provider, rest, None, None)


async def open_model(
    name: str, *, temperature: float | None = None, completion_tokens: int | None = None, json_mode: bool = False
) -> Model | None:
    """The model of this name, opened or still open; None for `none`.

    Args:
        name: `none`, `openai:NAME`, or `provider:NAME`.
        temperature: sent where the model takes one; None leaves the server's default.
        completion_tokens: the longest answer; None leaves the server's default.
        json_mode: have the server hold the model to JSON (`response_format`), where it can; OpenAI-compatible alone.

    Raises:
        ModelError: as `check_model`.
    """
    if name == NO_MODEL:
        return None
    models = _opened.setdefault(asyncio.get_running_loop(), {})
    key = (
        name,
        temperature,
        completion_tokens,
        json_mode,
        *(os.environ.get(each) for each in ("OPENAI_BASE_URL", "OPENAI_API_BASE", "OPENAI_API_KEY")),
    )
    if key not in models:
        built = await asyncio.to_thread(_build, name, temperature, completion_tokens, json_mode=json_mode)
        if models.setdefault(key, built) is not built:
            await built.aclose()  # another task was faster
    return models[key]


def base_url_of(name: str) -> str | None:
    """The address of an OpenAI-compatible model's server; None for another provider's, which its package knows.

    Raises:
        ModelError: the name is no model's, or the address in the environment is none.
    """
    return _openai_url() if _parts(name)[0] == "openai" else None


async def close_models() -> None:
    """Close what this event loop opened; the end of a command or a test."""
    for model in _opened.pop(asyncio.get_running_loop(), {}).values():
        await model.aclose()


def _parts(name: str) -> tuple[str, str]:
    provider, _, rest = name.partition(":")
    if not provider or not rest.strip():
        raise ModelError(f"invalid model {brief(name)!r}: expected PROVIDER:NAME, such as openai:gpt-4o-mini, or none")
    return provider, rest


def _build(name: str, temperature: float | None, longest: int | None, *, json_mode: bool) -> Model:
    """A model; imports and reads certificates, so it belongs in a thread."""
    provider, rest = _parts(name)
    if _FIXED_TEMPERATURE.search(rest):
        temperature = None
    build = _openai if provider == "openai" else partial(_other, provider)
    chat, client = build(rest, temperature, longest)
    return Model(name, chat, client, json_mode)


def _openai(rest: str, temperature: float | None, longest: int | None) -> tuple[BaseChatModel, HttpClient | None]:
    try:
        from langchain_openai import ChatOpenAI
    except ImportError as error:
        raise ModelError(
            f"model 'openai:{rest}' needs langchain-openai: pip install langchain-openai ({error})"
        ) from None
    key, url, client = _openai_key(), _openai_url(), openai_client()
    chat = ChatOpenAI(
        model=rest,
        temperature=temperature,
        max_completion_tokens=longest,
        api_key=SecretStr(key),
        base_url=url,
        max_retries=0,  # ours are counted
        timeout=None,  # a stage has its own
        stream_chunk_timeout=None,
        stream_usage=True,
        use_responses_api=None if url == _OPENAI else False,
        http_client=_unused_client(),
        http_async_client=client,
    )
    chat.async_client = _AsTheyAre(chat.async_client)
    return chat, client


class _AsTheyAre:
    """The openai client's completions, with messages as LangChain made them.

    The client copies each by its type on the way, which is a fifth of its own time for a call; what is in `extra_body`
    it sends as it is.
    """

    def __init__(self, completions: Any) -> None:  # noqa: ANN401 - the client's own, raw or not
        self._completions = completions

    @property
    def with_raw_response(self) -> _AsTheyAre:
        """The same, for the client's raw responses."""
        return _AsTheyAre(self._completions.with_raw_response)

    async def create(self, **request: Any) -> Any:  # noqa: ANN401 - as the client types it
        """The answer, or its stream."""
        body = {**(request.get("extra_body") or {}), "messages": request["messages"]}
        return await self._completions.create(**{**request, "messages": (), "extra_body": body})


@cache
def _unused_client() -> object:
    """The synchronous client that LangChain wants besides; ours reads its certificates (40 ms) once."""
    from openai import DefaultHttpxClient

    return DefaultHttpxClient()


def _openai_key() -> str:
    key = os.environ.get("OPENAI_API_KEY", "").strip()
    if not key:
        raise ModelError(
            "OPENAI_API_KEY is not set: set it (a local server that asks for none takes any text), or use none"
        )
    if not key.isascii() or not key.isprintable():
        raise ModelError("OPENAI_API_KEY holds characters that no HTTP header can carry: set it again")
    return key


def _openai_url() -> str:
    url = (os.environ.get("OPENAI_BASE_URL") or os.environ.get("OPENAI_API_BASE") or _OPENAI).strip()
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0 and url.isprintable()
    except ValueError:  # a port or an IPv6 address that is none
        valid = False
    if not valid or " " in url:
        raise ModelError(f"OPENAI_BASE_URL is not an HTTP address: {brief(url)!r}")
    return url


def _other(
    provider: str, rest: str, temperature: float | None, longest: int | None
) -> tuple[BaseChatModel, HttpClient | None]:
    """A model by LangChain's own table of providers; which settings it takes is read from its class."""
    from langchain.chat_models import init_chat_model

    client: HttpClient | None = None
    try:
        kind = type(init_chat_model(rest, model_provider=provider))
        wished: dict[str, Any] = {"max_retries": 0, "temperature": temperature, "max_tokens": longest}
        if "stream_chunk_timeout" in kind.model_fields:  # one of langchain-openai's relatives, such as azure_openai
            client = openai_client()
            wished |= {"stream_chunk_timeout": None, "stream_usage": True, "http_async_client": client}
        taken = {key: value for key, value in wished.items() if key in kind.model_fields}
        return init_chat_model(rest, model_provider=provider, **taken), client
    except client_errors() as error:
        raise ModelError(f"model {brief(f'{provider}:{rest}')!r} cannot be opened: {brief(str(error))}") from None


# A pool looks through all its connections twice for every request, and asks the system about each that is idle: one
# with 50 costs more than the request itself.
_POOLS, _EACH = 64, 2
_FAILED = 400  # the HTTP status from which a response is an error
_OF_THE_BODY = {"content-length", "content-encoding", "transfer-encoding"}


class HttpClient(Protocol):
    """A client of ours that is to be closed."""

    async def aclose(self) -> None:
        """Close its connections."""


def openai_client() -> HttpClient:
    """A pool of connections for one event loop; LangChain's own is shared by all loops, and breaks with the first.

    Some servers repeat a wrong key in their error. LangChain hands the exception made of that to every tracer, before
    any code of ours sees it, so what is secret is taken out of the response itself.
    """
    from httpx2 import create_ssl_context  # what the openai client itself is built on, and installs
    from openai import DefaultAsyncHttpxClient

    certificates = create_ssl_context()  # 40 ms, once for all pools

    class Pooled(DefaultAsyncHttpxClient):
        """A client over several pools; a request goes to the first with a free place, and its error is redacted."""

        def __init__(self) -> None:
            super().__init__(timeout=None, verify=certificates)
            self._pools = list[DefaultAsyncHttpxClient]()
            self._busy = list[int]()

        async def aclose(self) -> None:
            """Close every pool."""
            await asyncio.gather(super().aclose(), *(pool.aclose() for pool in self._pools))

        async def send(self, request: Any, **how: Any) -> Any:  # noqa: ANN401 - as the client of openai's choice types it
            """The response, its body without secrets where it failed."""
            chosen = next((place for place, busy in enumerate(self._busy) if busy < _EACH), len(self._pools))
            if chosen == _POOLS:
                chosen = min(range(_POOLS), key=self._busy.__getitem__)
            elif chosen == len(self._pools):
                self._pools.append(DefaultAsyncHttpxClient(timeout=None, verify=certificates))
                self._busy.append(0)
            self._busy[chosen] += 1
            try:
                response = await self._pools[chosen].send(request, **how)
            finally:
                self._busy[chosen] -= 1
            if response.status_code < _FAILED:
                return response
            body = _redacted(await response.aread())
            headers = [(name, value) for name, value in response.headers.multi_items() if name not in _OF_THE_BODY]
            return type(response)(response.status_code, headers=headers, content=body, request=response.request)

    return Pooled()


def _redacted(body: bytes) -> bytes:
    """A response's body without secrets; text by text where it is JSON, which is JSON afterwards, too."""
    try:
        return json.dumps(_without_secrets(json.loads(body))).encode()
    except ValueError:
        return redact(body.decode(errors="replace")).encode()


def _without_secrets(value: object) -> object:
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, list):
        return [_without_secrets(item) for item in value]
    if isinstance(value, dict):
        return {key: _without_secrets(item) for key, item in value.items()}
    return value
