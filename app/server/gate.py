"""The checks that every request passes first: its key, its size, and whether it can be parsed.

- With keys (`trivium.app.server.keys`) a request without a known one is refused (401), and one too many, or one for a
  chat model whose tokens of today are used up (429).
- Without keys the server answers this machine alone, by its own name: another machine's request, and one that a
  browser was led to send under another host's name, is refused (403). TRIVIUM_OPEN=1 lifts that, where something else
  asks who is there.
- Bodies are at most `MAX_BODY` (413). Settings of a run that no method has, and KGs and models that the key may not
  use, are refused by name (422, 403): LangGraph's server itself drops what it does not know.
"""

from __future__ import annotations

import json
import math
import os
import re
import secrets
import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from difflib import get_close_matches
from functools import cache
from ipaddress import ip_address
from typing import Any

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from trivium.app.server.budgets import OWNER, budgets, seconds_to_midnight
from trivium.app.server.keys import LOCAL, Key, who
from trivium.graphs.methods import METHODS
from trivium.kg.errors import BadInputError
from trivium.nodes.run.access import NO_MODEL
from trivium.nodes.run.context import Context

OPEN = "TRIVIUM_OPEN"
"""The environment variable that lets a server without keys answer other machines."""

MAX_BODY = 1_000_000
"""Bytes of a request."""

KEY = "trivium.key"
"""Where a request's scope keeps its `Key`."""

INSIDE = "x-trivium-inside"
"""The header by which our own routes' calls of this server's API go past the rate of the key for which they call."""

INSIDE_PROOF = secrets.token_hex(32)
"""What it holds: known to this process alone."""

_FREE = re.compile(r"/((ok|healthz?|readyz?)/?|app(/[\w.-]*)?)")  # probes, and the page's files, have no key
_AGENTS = re.compile(r"/(mcp|a2a)\b")  # where a request names no KG
# What starts no run.
_NO_RUN = re.compile(
    r".*/(search|count|history|cancel|state|state/checkpoint|prune)/?|/feedback|/assistants(/.*)?|/threads/?|/store/.*"
)
_STUDIO = "https://smith.langchain.com"  # as in langgraph.json and aegra.json
_MINUTE = 60.0
_NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_POLICY = 1008  # how a websocket is closed that asks for what it may not
_SWEPT = 1_000  # keys whose last minutes are kept before the idle ones are dropped


_SPENT = "this key has used its {:,} tokens of today (UTC); without a model (model 'none' in the context) it may go on"


class Gate:
    """The middleware."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._asked: dict[str, deque[float]] = {}
        self._running: dict[str, int] = {}
        self._sweep_at = _SWEPT

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer why not."""
        # `/noauth` cannot come from outside: the server's own calls carry it.
        inside = scope["type"] == "lifespan" or str(scope.get("root_path", "")).startswith("/noauth")
        if inside or scope.get("method") == "OPTIONS":
            await self.app(scope, receive, send)
            return
        if _FREE.fullmatch(scope["path"]):
            with suppress(_RefusedError):  # nobody needs a key here; who has one may be told more
                scope[KEY] = _who(scope)
            await self.app(scope, receive, send)
            return
        try:
            key = scope[KEY] = _who(scope)
            if scope["path"] == "/metrics" and not key.operator:  # here: LangGraph's own route comes before ours
                raise _RefusedError(403, "metrics are for operators: name a key with operator = true")
            if scope["type"] == "websocket":
                if problem := _foreign(Headers(scope=scope)):
                    raise _RefusedError(403, problem)
                OWNER.set(key.name)
                await self.app(scope, self._each_checked(scope, receive, send, key), send)
                return
            if scope["method"] in ("GET", "HEAD"):
                await self.app(scope, receive, send)
                return
            headers = Headers(scope=scope)
            if not secrets.compare_digest(headers.get(INSIDE, "").encode(), INSIDE_PROOF.encode()):
                self._count(key)
            body = await _body(headers, receive)
            await _check(scope, body, key)
        except _RefusedError as refused:
            await _refuse(scope, receive, send, refused)
            return
        self._running[key.name] = self._running.get(key.name, 0) + 1
        OWNER.set(key.name)
        try:
            await self.app(scope, _replayed(body, receive), send)
        finally:
            self._running[key.name] -= 1
            if not self._running[key.name]:
                del self._running[key.name]

    def _each_checked(self, scope: Scope, receive: Receive, send: Send, key: Key) -> Receive:
        """`receive` of a websocket: each message is checked as a request's body is, and one that is refused ends it."""

        async def checked() -> Message:
            message = await receive()
            if message["type"] != "websocket.receive":
                return message
            body = message.get("bytes") or (message.get("text") or "").encode(errors="surrogatepass")
            try:
                if len(body) > MAX_BODY:
                    raise _RefusedError(413, f"a message has at most {MAX_BODY:,} bytes")
                self._count(key)
                await _check(scope, body, key)
            except _RefusedError as refused:
                await _refuse(scope, receive, send, refused)
                return {"type": "websocket.disconnect", "code": _POLICY}
            return message

        return checked

    def _count(self, key: Key) -> None:
        """Count a key's request; raises `_RefusedError` for one too many."""
        if self._running.get(key.name, 0) >= key.at_once:
            raise _RefusedError(429, f"this key may have {key.at_once} requests at a time")
        if key is LOCAL:
            return
        asked, now = self._asked.setdefault(key.name, deque()), time.monotonic()
        while asked and asked[0] < now - _MINUTE:
            asked.popleft()
        if len(asked) >= key.per_minute:
            raise _RefusedError(429, f"this key may send {key.per_minute} requests a minute")
        asked.append(now)
        if len(self._asked) > self._sweep_at:  # logins of another kind may have any number of users
            self._asked = {name: times for name, times in self._asked.items() if times and times[-1] >= now - _MINUTE}
            self._sweep_at = 2 * len(self._asked) + _SWEPT


def starts_run(scope: Scope) -> bool:
    """Whether a request may start a run."""
    if scope["type"] == "websocket":
        return True
    return scope["type"] == "http" and scope["method"] == "POST" and not _NO_RUN.fullmatch(scope["path"])


class _RefusedError(Exception):
    """A request that is not let through: the status and the reason."""

    def __init__(self, status: int, message: str, retry_after: int = 10) -> None:
        super().__init__(message)
        self.status, self.retry_after = status, retry_after


def _who(scope: Scope) -> Key:
    """The key of a request; raises `_RefusedError`."""
    headers = Headers(scope=scope)
    try:
        key = who(headers)
    except BadInputError:
        raise _RefusedError(500, "the server's trivium.toml cannot be read") from None
    if key is None:
        raise _RefusedError(401, "a valid API key is needed: x-api-key, or authorization: Bearer")
    if key is LOCAL and (problem := _not_here(scope, headers)):
        raise _RefusedError(403, problem)
    return key


async def _check(scope: Scope, body: bytes, key: Key) -> None:
    """Raise `_RefusedError` for what a key may not ask, or may ask no more today."""
    if not scope["path"].startswith("/v1/"):  # which says itself what is wrong
        check_request(scope["path"], body, key)
    bounded = key.tokens_per_day is not None and starts_run(scope) and may_ask_model(scope["path"], body)
    if bounded and await budgets.left(key) <= 0:
        raise _RefusedError(429, _SPENT.format(key.tokens_per_day), seconds_to_midnight())


def _foreign(headers: Headers) -> str | None:
    """Why a web page's request is not answered: its origin is neither this server's nor one that may call it; or None.

    Browsers ask for leave (CORS) before they show a page an answer, but not before they open a websocket or post text.
    """
    origin = headers.get("origin")
    if origin is None or origin == _STUDIO or origin.partition("://")[2] == headers.get("host"):
        return None
    for name in ("CORS_CONFIG", "LANGGRAPH_HTTP"):  # as LangGraph's server reads them
        with suppress(ValueError, AttributeError, TypeError):
            settings = json.loads(os.environ.get(name) or "{}")
            if origin in settings.get("cors", settings).get("allow_origins", []):
                return None
    return f"web pages of {origin[:80]!r} may not call this server: see --origin"


async def _refuse(scope: Scope, receive: Receive, send: Send, refused: _RefusedError) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": _POLICY, "reason": str(refused)[:100]})
        return
    told: dict[str, Any] = {"detail": str(refused)}
    if scope["path"].startswith("/v1/"):
        told = {"error": {"message": str(refused), "type": "invalid_request_error", "code": None, "param": None}}
    extra = {401: {"www-authenticate": "Bearer"}, 429: {"retry-after": str(refused.retry_after)}}.get(refused.status)
    await JSONResponse(told, refused.status, extra)(scope, receive, send)


def check_request(path: str, body: bytes, key: Key) -> None:
    """Refuse settings that no run has, and what a key may not use, wherever a request writes them."""
    if (key.kgs is not None or key.models is not None) and (agents := _AGENTS.match(path)):
        given = Context()  # these name neither: they ask the default KG, without a model
        allowed = given.kg in (key.kgs or (given.kg,)) and given.model in (key.models or (given.model,))
        if agents[1] != "mcp" or not allowed:
            raise _RefusedError(403, "this key is limited: ask through /v1 or the API of runs, and name the kg")
        return
    try:
        asked = _parsed(body) if body else {}
        for each in _requests(asked):
            _check_settings(each)
            _check_allowed(each, key)
    # What cannot be read here is not handed on: another parser might read settings in it.
    except ValueError:
        raise _RefusedError(422, "the body is not JSON") from None
    except RecursionError:
        raise _RefusedError(422, "the body is nested too deeply") from None


def _parsed(body: bytes) -> object:
    """A body as JSON; raises `ValueError` also for what Python takes for JSON and a database refuses.

    That is a number which is none or has no end, a NUL, and half of a pair of code units.
    """
    asked = json.loads(body, parse_constant=_finite, parse_float=_finite)
    if _NUL.search(body):
        raise ValueError("NUL")
    if _SURROGATE.search(body):
        json.dumps(asked, ensure_ascii=False).encode()
    return asked


def _finite(number: str) -> float:
    read = float(number)
    if not math.isfinite(read):
        raise ValueError(number)
    return read


def may_ask_model(path: str, body: bytes) -> bool:
    """Whether a run that a request starts may ask a chat model: unless it names none, or asks a method by default."""
    if _AGENTS.match(path):
        return False  # these run without
    try:
        asked = json.loads(body) if body else {}
    except (ValueError, RecursionError):
        return False
    if path.startswith("/v1/"):
        context = asked.get("context") if isinstance(asked, dict) else None
        return isinstance(context, dict) and context.get("model", NO_MODEL) != NO_MODEL
    return any(map(_names_model, _requests(asked)))


def _requests(asked: object) -> Iterator[dict[str, Any]]:
    """What a body asks for: one request, several of a batch, or a command and what it is about."""
    for each in asked if isinstance(asked, list) else [asked]:
        if isinstance(each, dict):
            yield each
            if isinstance(params := each.get("params"), dict):
                yield params


def _names_model(asked: Mapping[str, Any]) -> bool:
    if chosen := list(_chosen(asked, "model")):
        return any(each != NO_MODEL for each in chosen)
    if isinstance(asked.get("params"), dict) and "assistant_id" not in asked:
        return False  # a command: its params are looked at by themselves
    # What goes on, and an operator's assistant, have settings of their own.
    return asked.get("assistant_id") not in METHODS or bool(asked.get("command") or asked.get("checkpoint"))


def _check_settings(asked: Mapping[str, Any]) -> None:
    context = asked.get("context")
    known = fields_of(str(asked.get("assistant_id") or asked.get("graph_id") or ""))
    for name in context if isinstance(context, dict) else ():
        if name not in known:
            near = get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"choose one of {', '.join(sorted(known))}"
            raise _RefusedError(422, f"unknown setting {str(name)[:80]!r}: {hint}")


def _check_allowed(asked: Mapping[str, Any], key: Key) -> None:
    for name, allowed in (("kg", key.kgs), ("model", key.models)):
        if allowed is not None and any(each not in allowed for each in _chosen(asked, name)):
            raise _RefusedError(403, f"this key may use {name} {', '.join(allowed)}")
    if key.kgs is not None and "assistant_id" in asked and not (_names_kg(asked) or _only_resumes(asked)):
        raise _RefusedError(403, f"name a kg in the run's context: this key may use {', '.join(key.kgs)}")


def _names_kg(asked: Mapping[str, Any]) -> bool:
    """Whether a run's settings name a KG, where they are read; elsewhere a name chooses nothing."""
    config = asked.get("config")
    places = (asked.get("context"), config.get("configurable") if isinstance(config, dict) else None)
    return any(isinstance(place, dict) and "kg" in place for place in places)


def _only_resumes(asked: Mapping[str, Any]) -> bool:
    """Whether a run goes on after an interrupt, with the settings with which it began."""
    command = asked.get("command")
    return isinstance(command, dict) and {name for name, value in command.items() if value is not None} == {"resume"}


def _chosen(value: object, name: str) -> Iterator[object]:
    """All values under a name in the settings that a request writes, wherever it writes them."""
    if isinstance(value, dict):
        for key, each in value.items():
            if key == name:
                yield each
            elif key not in ("metadata", "messages", "question"):
                yield from _chosen(each, name)
    elif isinstance(value, list):
        for each in value:
            yield from _chosen(each, name)


@cache
def fields_of(assistant: str) -> frozenset[str]:
    """The settings that an assistant's runs may have: those of its method, or of any where it is one of a client's."""
    chosen = [METHODS[assistant]] if assistant in METHODS else list(METHODS.values())
    return frozenset(name for method in chosen for name in method.setting_names())


def _not_here(scope: Scope, headers: Headers) -> str | None:
    """Why a server without keys does not answer this request."""
    if os.environ.get(OPEN) == "1":
        return None
    server = scope.get("server")
    if not server or not _is_local(str(server[0])):
        return "this server has no keys, and answers its own machine alone: see [server.auth] in its documentation"
    name = re.sub(r":\d+$", "", headers.get("host", ""))
    if not _is_local(name.strip("[]")):
        return f"this server has no keys, and answers to localhost alone, not to {name[:80]!r}"
    return None if scope.get("method") in ("GET", "HEAD") else _foreign(headers)


def _is_local(name: str) -> bool:
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"


async def _body(headers: Headers, receive: Receive) -> bytes:
    """A request's body; raises `_RefusedError` where it is too long."""
    too_long = _RefusedError(413, f"a request has at most {MAX_BODY:,} bytes")
    length = headers.get("content-length", "0")
    if not length.isdecimal() or len(length) > 12 or int(length) > MAX_BODY:
        raise too_long
    parts, size, more = [], 0, True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            break
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > MAX_BODY:
            raise too_long
        more = message.get("more_body", False)
    return b"".join(parts)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """`receive` for who comes after: the body once, then what the client still says."""
    told = False

    async def again() -> Message:
        nonlocal told
        if told:
            return await receive()
        told = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again
