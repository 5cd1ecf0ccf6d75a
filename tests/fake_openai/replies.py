"""What the scripted server answers, and which answer a request gets.

A script is a list; in JSON it may also be `{"replies": [...], "refuses": ["temperature"], "delay": 0.2}`. An entry is

- a text, said by the model;
- an object with one of `text`, `json`, `refusal`, `calls` (tools to call, `{name: arguments}`), `status` (with
  `message`, `code`, `retry_after`), `stall`, `malformed`, and as wished `delay` (seconds before anything is sent),
  `cut` (deltas or, unstreamed, bytes after which the connection is cut), `usage` (`[prompt, completion]`, or false
  for none), `finish`, `times`;
- a rule `{"match": REGEX, "reply": ENTRY}` for requests whose last message the expression is found in.

Rules come first and serve any number of requests (`times` limits them); other entries are consumed in order, each
`times` (1) times. A request that nothing is left for gets status 400, which no client retries.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

_NOTHING_LEFT = "the script has no reply for this request"


@dataclass(frozen=True)
class Reply:
    """One answer of the server; without any argument an empty text."""

    text: str = ""
    refusal: str | None = None
    calls: Mapping[str, Mapping[str, Any]] | None = None
    """Tools that the model calls, with their arguments; not streamed."""
    status: int = 200
    message: str = "scripted failure"
    """The error's message, where `status` is an error."""
    code: str | None = None
    """The error's code, such as `insufficient_quota`."""
    retry_after: float | str | None = None
    delay: float = 0.0
    stall: bool = False
    """Never answer; streamed, stop after the deltas of `cut`."""
    cut: int | None = None
    malformed: bool = False
    """Broken JSON in the body, or in the first event of a stream."""
    usage: tuple[int, int] | bool = True
    """Prompt and completion tokens; True estimates them by characters, False sends none."""
    finish: str | None = "stop"
    """The finish reason; None ends a stream without one."""
    times: int | None = 1

    def __str__(self) -> str:
        kind = (
            "stall"
            if self.stall
            else "malformed"
            if self.malformed
            else "refusal"
            if self.refusal
            else str(self.status)
        )
        return kind if self.cut is None else f"{kind}, cut"


Answering = Callable[[Mapping[str, Any]], Reply]
"""A reply that depends on the request's body; in Python scripts alone."""


@dataclass
class _Entry:
    reply: Reply | Answering
    left: int | None
    match: re.Pattern[str] | None = None

    def take(self, body: Mapping[str, Any]) -> Reply:
        if self.left is not None:
            self.left -= 1
        return self.reply if isinstance(self.reply, Reply) else self.reply(body)


@dataclass
class Script:
    """Replies in their order and by rule, and what the server does to every request."""

    entries: list[_Entry] = field(default_factory=list)
    refuses: tuple[str, ...] = ()
    """Parameters that are refused with status 400 wherever a request carries them."""
    delay: float = 0.0
    """Seconds before every reply."""

    @classmethod
    def of(cls, replies: Iterable[Any], *, refuses: Iterable[str] = (), delay: float = 0.0) -> Script:
        """A script from entries as in JSON, from `Reply` objects, and from functions of the body."""
        return cls([_entry(each) for each in replies], tuple(refuses), delay)

    def reply(self, body: Mapping[str, Any], last: str) -> Reply:
        """The answer to a request whose last message this is; consumes it."""
        for name in self.refuses:
            if name in body:
                return Reply(status=400, message=f"Unsupported parameter: '{name}' is not supported with this model.")
        live = [entry for entry in self.entries if entry.left is None or entry.left > 0]
        rules = [entry for entry in live if entry.match is not None and entry.match.search(last)]
        for entry in [*rules, *(entry for entry in live if entry.match is None)]:
            return entry.take(body)
        return Reply(status=400, message=_NOTHING_LEFT)


def read_script(text: str) -> Script:
    """A script from JSON."""
    data = json.loads(text)
    if isinstance(data, list):
        return Script.of(data)
    return Script.of(data["replies"], refuses=data.get("refuses", ()), delay=data.get("delay", 0.0))


def _entry(spec: object) -> _Entry:
    if isinstance(spec, Mapping) and "match" in spec:
        inner = _entry(spec["reply"])
        return _Entry(inner.reply, spec.get("times"), re.compile(spec["match"]))
    if isinstance(spec, Reply):
        return _Entry(spec, spec.times)
    if callable(spec):
        return _Entry(spec, None)
    if not isinstance(spec, str | Mapping):
        raise TypeError(f"no reply: {spec!r}")
    made = _reply(spec)
    return _Entry(made, made.times)


def _reply(spec: str | Mapping[str, Any]) -> Reply:
    if isinstance(spec, str):
        return Reply(text=spec)
    fields = dict(spec)
    if "json" in fields:
        fields["text"] = json.dumps(fields.pop("json"), ensure_ascii=False)
    if isinstance(fields.get("usage"), list):
        fields["usage"] = tuple(fields["usage"])
    return Reply(**fields)
