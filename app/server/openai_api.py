"""OpenAI's chat API over the methods, for every client that speaks it: `/v1/models` and `/v1/chat/completions`.

A model's name is a method, or METHOD/KG (`keqing/films`). The last message of the user is the question. The graph runs
in this process, without LangGraph's queue. Settings of the run stand in `context` (`extra_body` of the openai client);
the typed answer comes back as the message's `trivium`, and web addresses of its entities as `annotations`. What a chat
product asks about a chat for itself (its title, tags, follow-ups) is no question to the graph and starts no run.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from trivium.app.server.feedback import COMPLETION
from trivium.app.server.gate import KEY
from trivium.app.server.keys import LOCAL, Key
from trivium.app.server.turns import RETRY_AFTER, turns_of
from trivium.graphs.methods import METHODS, RUN_ID, TEXT, stages
from trivium.graphs.methods import answer as answer_of
from trivium.kg.catalog import SETTINGS_FILE
from trivium.kg.errors import OverloadedError, RequestError, TriviumError, UsageError
from trivium.kg.memory import Memory
from trivium.nodes.keqing.decompose.follow_up import last_answers, remember
from trivium.nodes.run.access import NO_MODEL, read_policy
from trivium.nodes.run.answer_record import Answer
from trivium.nodes.run.context import Context
from trivium.nodes.run.markdown import chat_text

_told: Memory[tuple[str, str], dict[str, Any]] = Memory(
    10_000_000, lambda key, kept: 2 * len(key[1]) + 2 * len(str(kept))
)
"""What was answered, by key and text."""

_STARTED = int(time.time())


async def models(request: Request) -> Response:
    """`GET /v1/models`: each method, and each method with each KG.

    ---
    summary: Methods, and methods with KGs, as OpenAI lists models
    tags: [Trivium]
    responses: {200: {description: a list}}
    """
    key: Key = request.scope.get(KEY, LOCAL)
    names = [*METHODS, *(f"{method}/{kg}" for method in METHODS for kg in _kgs(key))]
    listed = [{"id": name, "object": "model", "created": _STARTED, "owned_by": "trivium"} for name in names]
    return JSONResponse({"object": "list", "data": listed})


async def chat_completions(request: Request) -> Response:
    """`POST /v1/chat/completions`, streamed or not.

    ---
    summary: Ask by chat messages, as with OpenAI
    tags: [Trivium]
    responses: {200: {description: a completion, or its chunks}}
    """
    try:
        asked = json.loads(await request.body())
    except (ValueError, RecursionError):
        return _refusal(400, "the body is not JSON")
    try:
        key: Key = request.scope.get(KEY, LOCAL)
        method, context, question = _read(asked, key)
        if (title := _chat_title(question)) is not None:
            return _about_chat(title, str(asked["model"]), streamed=bool(asked.get("stream")))
        chat, gone = _Chat(key.name, asked["messages"]), request.is_disconnected
        run = _Completion(method, context, question, str(asked["model"]), chat, gone)
        if asked.get("stream"):
            more = isinstance(options := asked.get("stream_options"), dict) and options.get("include_usage") is True
            first = await anext(parts := run.parts())  # what is refused is refused before the stream begins
            return StreamingResponse(run.events(first, parts, usage=more), media_type="text/event-stream")
        async for _ in run.parts():
            pass
    except _GoneError:
        return Response(status_code=499)
    except TriviumError as error:
        return _refusal_of(error)
    return JSONResponse(run.whole())


routes = [
    Route("/v1/models", models),
    Route("/v1/chat/completions", chat_completions, methods=["POST"]),
]


class _NoModelError(UsageError):
    """No model of that name is offered."""


class _GoneError(Exception):
    """The client left while its run waited for a turn."""


class _Completion:
    """One answer to one request."""

    def __init__(
        self, method: str, context: Context, question: str, model: str, chat: _Chat, gone: Callable[[], Awaitable[bool]]
    ) -> None:
        self._method, self._context, self._question, self._chat, self._gone = method, context, question, chat, gone
        self._run = uuid.uuid4()
        self._about = {"id": f"{COMPLETION}{self._run.hex}", "created": int(time.time()), "model": model}
        self._answer: Answer | None = None
        self._text = ""

    async def parts(self) -> AsyncIterator[str]:
        """The answer's text, piece by piece; an empty one as soon as the run has begun. It waits for its turn."""
        async with turns_of(self._context.model).turn():
            if await self._gone():
                raise _GoneError
            run = self._method, self._question, self._context
            RUN_ID.set(self._run)
            if self._context.model == NO_MODEL:  # nothing is worded by pieces: no stream within, which costs a third
                self._answer = await answer_of(*run, previous=self._chat.previous())
            else:
                async with aclosing(stages(*run, previous=self._chat.previous())) as stream:
                    async for name, found in stream:
                        if name == TEXT:
                            self._text += found["text"]
                            yield found["text"]
                        elif "answer" in found:
                            self._answer = found["answer"]
                        else:
                            yield ""
        if self._answer is None:
            raise UsageError("the run ended without an answer")
        async for part in self._said(self._answer):
            yield part

    async def _said(self, answer: Answer) -> AsyncIterator[str]:
        """What is left to say of an answer, behind what a model said of it."""
        worded = bool(self._text) and answer["answer"].startswith(self._text)
        said = await chat_text(answer, self._context.kg, by_model=worded)
        rest = said.removeprefix(self._text) if worded else f"\n\n{said}" if self._text else said
        self._text += rest
        self._chat.remember(self._text, answer)
        yield rest

    def whole(self) -> dict[str, Any]:
        """The completion object."""
        message = {"role": "assistant", "content": self._text, "refusal": None, **self._proof()}
        choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
        return {**self._about, "object": "chat.completion", "choices": [choice], "usage": self._usage()}

    async def events(self, first: str, parts: AsyncIterator[str], *, usage: bool) -> AsyncIterator[str]:
        """Server-sent events: the text in chunks, then the proof with the end, and the usage where it was asked for."""
        yield self._event({"role": "assistant", "content": first})
        try:
            async for part in parts:
                if part:
                    yield self._event({"content": part})
        except TriviumError as error:
            said = str(error) if isinstance(error, RequestError) else type(error).__name__
            yield f"data: {json.dumps({'error': {'message': said, 'type': 'server_error'}})}\n\n"
            return
        yield self._event(self._proof(), "stop")
        if usage:
            yield _line({**self._about, "object": "chat.completion.chunk", "choices": [], "usage": self._usage()})
        yield "data: [DONE]\n\n"

    def _event(self, delta: Mapping[str, Any], end: str | None = None) -> str:
        choice = {"index": 0, "delta": dict(delta), "finish_reason": end, "logprobs": None}
        return _line({**self._about, "object": "chat.completion.chunk", "choices": [choice]})

    def _proof(self) -> dict[str, Any]:
        answer = self._answer
        assert answer is not None, "the run has ended"
        cited = [
            {"type": "url_citation", "url_citation": {"url": item["id"], "title": item["label"], **_NOWHERE}}
            for item in answer["answers"]
            if item["id"].startswith(("http://", "https://"))
        ]
        return {"annotations": cited, "trivium": answer}

    def _usage(self) -> dict[str, int]:
        spent = self._answer["usage"] if self._answer else {"prompt_tokens": 0, "completion_tokens": 0}
        prompt, completion = int(spent["prompt_tokens"]), int(spent["completion_tokens"])
        return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


_NOWHERE = {"start_index": 0, "end_index": 0}


def _read(asked: object, key: Key) -> tuple[str, Context, str]:
    """Method, settings and question of a request; raises `UsageError`."""
    if not isinstance(asked, dict) or not isinstance(asked.get("model"), str):
        raise UsageError('a request is {"model": ..., "messages": [...]}')
    name, slash, kg = asked["model"].partition("/")
    if name not in METHODS or (slash and kg not in _kgs(key)):
        raise _NoModelError(f"no model is named {asked['model'][:80]!r}: see /v1/models")
    given = asked.get("context", {})
    if not isinstance(given, dict):
        raise UsageError("context must be an object of settings")
    if unknown := set(given) - METHODS[name].setting_names():
        raise UsageError(f"{name} has no setting {min(map(str, unknown))[:80]!r}")
    if given.get("review"):
        raise UsageError("review stops a run to be resumed, which this API cannot: use the API of threads and runs")
    context = METHODS[name].context(**given, **({"kg": kg} if slash else {}))
    if key.kgs is not None and context.kg not in key.kgs:
        raise UsageError(f"this key may ask the KGs {', '.join(key.kgs)}: name one, as in {name}/{key.kgs[0]}")
    if key.models is not None and context.model not in key.models:
        raise UsageError(f"this key may use the models {', '.join(key.models)}")
    return name, context, _question(asked.get("messages"))


def _question(messages: object) -> str:
    """The text of the last message, which is the user's; raises `UsageError`."""
    last = messages[-1] if isinstance(messages, list) and messages else None
    if not isinstance(last, dict) or last.get("role") != "user":
        raise UsageError("messages must end with one of the user")
    content = last.get("content")
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
        content = " ".join(text for text in texts if isinstance(text, str))
    if not isinstance(content, str):
        raise UsageError("the last message has no text")
    return content.strip()


def _chat_title(question: str) -> str | None:
    """The first question of a chat that Open WebUI sends to have a title, tags or the like; None of a question.

    It appends the chat to a prompt that begins with `### Task:`, whatever an operator makes of the rest.
    """
    head, history, said = question.partition("<chat_history>")
    if not history or not head.startswith("### Task:"):
        return None
    asked = said.partition("USER:")[2].partition("\nASSISTANT:")[0]
    return " ".join(asked.split())[:80]


def _about_chat(title: str, model: str, *, streamed: bool) -> Response:
    """What a chat product asked for itself: of each kind the key that it reads, as JSON."""
    said = json.dumps({"title": title, "tags": [], "follow_ups": [], "queries": []}, ensure_ascii=False)
    about = {"id": f"{COMPLETION}{uuid.uuid4().hex}", "created": int(time.time()), "model": model}
    message = {"role": "assistant", "content": said}
    choice = {"index": 0, "finish_reason": "stop", "logprobs": None}
    if streamed:
        chunk = {**about, "object": "chat.completion.chunk", "choices": [{**choice, "delta": message}]}
        return Response(f"{_line(chunk)}data: [DONE]\n\n", media_type="text/event-stream")
    usage = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    whole = {"object": "chat.completion", "choices": [{**choice, "message": {**message, "refusal": None}}]}
    return JSONResponse({**about, **whole, "usage": usage})


class _Chat:
    """A key's chat: a client sends it back as texts alone, and may follow up on the last answer."""

    def __init__(self, owner: str, messages: Sequence[Any]) -> None:
        self._owner, self._messages = owner, messages

    def previous(self) -> dict[str, Any] | None:
        """What a follow-up is about: the last of the assistant's messages that this process remembers an answer behind.

        A message that claims nothing and names nothing says the same in every chat, so nothing is kept for it.
        """
        said = [each.get("content") for each in self._messages if isinstance(each, dict) and each.get("role") == _OURS]
        texts = [text for text in said[-_BACK:] if isinstance(text, str)]
        known = (_told.get((self._owner, text)) for text in reversed(texts))
        return next((kept for kept in known if kept is not None), None) or None

    def remember(self, text: str, answer: Answer) -> None:
        """Keep what a follow-up needs of an answer; nothing to follow up on, where it names nothing."""
        if last := last_answers({"previous": answer}):
            _told.put((self._owner, text), remember(last))
        elif answer["stop_reason"] == "answered":
            _told.put((self._owner, text), {})


_OURS, _BACK = "assistant", 5  # messages


def _kgs(key: Key) -> Sequence[str]:
    """The KGs that a key may name."""
    offered = read_policy(Path(SETTINGS_FILE)).kgs
    return [kg for kg in offered if key.kgs is None or kg in key.kgs]


def _refusal_of(error: TriviumError) -> Response:
    """An error as OpenAI's clients know it; of one that is not about the request its class alone."""
    match error:
        case OverloadedError():
            return _refusal(503, str(error), kind="server_error", retry_after=RETRY_AFTER)
        case _NoModelError():
            return _refusal(404, str(error), "model_not_found")
        case RequestError():
            return _refusal(400, str(error))
        case _:
            return _refusal(500, type(error).__name__, kind="server_error")


def _refusal(
    status: int, message: str, code: str | None = None, kind: str = "invalid_request_error", retry_after: int = 0
) -> Response:
    headers = {"retry-after": str(retry_after)} if retry_after else None
    return JSONResponse({"error": {"message": message, "type": kind, "code": code, "param": None}}, status, headers)


def _line(value: Mapping[str, Any]) -> str:
    return f"data: {json.dumps(value, ensure_ascii=False, default=str)}\n\n"
