"""Who is let through: keys, this machine alone without them, sizes, rates, settings by name."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.types import Receive, Scope, Send

from tests.unit.app.server.conftest import KEYS, http
from trivium.app.server.budgets import Budgets
from trivium.app.server.gate import MAX_BODY, Gate, may_ask_model
from trivium.app.server.keys import Key, hash_of, identify, new_key, read_keys
from trivium.app.server.observe import Operation
from trivium.kg.errors import BadInputError
from trivium.knowledge.knowledge import close_all

ASKED = {"model": "keqing", "messages": [{"role": "user", "content": "who directed Heat?"}]}


@pytest.fixture(autouse=True)
async def closed() -> Any:  # noqa: ANN401 - a generator
    yield
    await close_all()


@pytest.mark.usefixtures("operator_folder")
async def test_without_keys_it_answers_this_machine_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    async with http() as local, http("10.0.0.5") as remote, http("localhost") as named:
        assert (await local.get("/v1/models")).status_code == 200
        assert (await remote.get("/health")).status_code == 200  # a probe needs no key
        refused = await remote.get("/v1/models")
        assert (refused.status_code, "[server.auth]" in refused.text) == (403, True)
        # A browser that was led here by another host's name (DNS rebinding).
        for host in ("evil.example", "evil.example:2024", "127.0.0.1.evil.example", "[::1].evil"):
            assert (await local.get("/v1/models", headers={"host": host})).status_code == 403, host
        for host in ("localhost:2024", "127.0.0.1", "[::1]:2024"):
            assert (await local.get("/v1/models", headers={"host": host})).status_code == 200, host
        monkeypatch.setenv("TRIVIUM_OPEN", "1")
        assert (await remote.get("/v1/models")).status_code == 200
        del named


@pytest.mark.usefixtures("keys")
async def test_with_keys_every_request_needs_one() -> None:
    async with http("10.0.0.5") as client:
        for headers in (
            {},
            {"x-api-key": "wrong"},
            {"authorization": "Bearer wrong"},
            {"x-api-key": hash_of("tv-alice")},
        ):
            told = await client.get("/v1/models", headers=headers)
            assert (told.status_code, told.headers["www-authenticate"]) == (401, "Bearer")
        for headers in ({"x-api-key": "tv-alice"}, {"authorization": "Bearer tv-alice"}):
            assert (await client.get("/v1/models", headers=headers)).status_code == 200


@pytest.mark.usefixtures("keys")
async def test_a_key_uses_what_it_may() -> None:
    async with http(key=KEYS["alice"]) as alice, http(key=KEYS["root"]) as root:
        names = [model["id"] for model in (await alice.get("/v1/models")).json()["data"]]
        assert "keqing/films" in names
        assert "keqing/others" not in names
        assert (await alice.post("/v1/chat/completions", json=ASKED)).status_code == 200  # the default KG is the films
        other = await alice.post("/v1/chat/completions", json={**ASKED, "context": {"kg": "others"}})
        assert (other.status_code, "films" in other.json()["error"]["message"]) == (400, True)
        assert (await alice.post("/v1/chat/completions", json={**ASKED, "model": "keqing/others"})).status_code == 404
        assert (await root.post("/v1/chat/completions", json={**ASKED, "model": "keqing/others"})).status_code == 200


@pytest.mark.usefixtures("keys")
async def test_a_key_has_its_rate() -> None:
    async with http(key=KEYS["bob"]) as bob:
        codes = [(await bob.post("/v1/chat/completions", json=ASKED)).status_code for _ in range(5)]
    assert codes == [200, 200, 200, 429, 429]


def test_idle_users_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    async def nobody(scope: Scope, receive: Receive, send: Send) -> None:
        del scope, receive, send

    gated, now = Gate(nobody), 1_000.0
    for number in range(20_000):  # ten a second, each once
        now += 0.1
        with monkeypatch.context() as patch:
            patch.setattr("trivium.app.server.gate.time.monotonic", lambda: now)  # noqa: B023 - called at once
            gated._count(Key(f"user-{number}"))
    assert 600 <= len(gated._asked) < 5_000
    assert f"user-{19_999}" in gated._asked


REFUSED: list[tuple[str, dict[str, Any], int]] = [
    ("/runs/wait", {"assistant_id": "keqing", "context": {"revue": True}}, 422),
    ("/runs/wait", {"assistant_id": "oda", "context": {"templates_per_sub_question": 2}}, 422),  # another method's
    ("/runs/batch", {"assistant_id": "5a", "context": {"path": "/etc"}}, 422),
    ("/runs/wait", {"assistant_id": "keqing", "context": {"kg": "others"}}, 403),
    ("/runs/wait", {"assistant_id": "keqing", "config": {"configurable": {"kg": "others"}}}, 403),
    ("/runs/wait", {"assistant_id": "keqing", "context": {"kg": "films", "model": "openai:gpt"}}, 403),
    ("/runs/wait", {"assistant_id": "keqing", "input": {"question": "x"}}, 403),  # the default may be any KG
    ("/threads/1/runs", {"assistant_id": "keqing", "command": {"update": {"settings": {"kg": "others"}}}}, 403),
    ("/threads/1/state", {"values": {"settings": {"kg": "others"}}}, 403),
    ("/a2a/1", {"jsonrpc": "2.0", "method": "message/send", "id": 1}, 403),
    ("/runs/wait", {"assistant_id": "keqing", "input": {"question": "x", "kg": "films"}}, 403),  # chooses nothing
    ("/threads/1/runs", {"assistant_id": "keqing", "command": {"goto": "decompose"}}, 403),
    ("/threads/1/runs", {"assistant_id": "keqing", "command": {"resume": 1, "update": {"question": "x"}}}, 403),
    ("/threads/1/commands", {"id": 1, "method": "run.start", "params": {"assistant_id": "keqing"}}, 403),
    ("/threads/1/commands", {"id": 1, "method": "run.start", "params": {"context": {"revue": True}}}, 422),
    ("/runs/wait", {"assistant_id": "keqing", "method": "x", "params": {"assistant_id": "oda", "kg": "films"}}, 403),
]


@pytest.mark.usefixtures("keys")
@pytest.mark.parametrize(("path", "body", "status"), REFUSED)
async def test_what_langgraphs_routes_would_take_is_checked_before(
    path: str, body: dict[str, Any], status: int
) -> None:
    async with http(key=KEYS["alice"]) as alice:
        assert (await alice.post(path, json=body)).status_code == status
        allowed = {"assistant_id": "keqing", "context": {"kg": "films", "review": True}}
        assert (await alice.post("/runs/wait", json=allowed)).status_code == 404  # let through: no such route here
        goes_on = {"assistant_id": "keqing", "command": {"resume": {"decisions": [{"type": "approve"}]}, "goto": None}}
        assert (await alice.post("/threads/1/runs", json=goes_on)).status_code == 404


@pytest.mark.usefixtures("operator_folder")
async def test_bodies_are_bounded_and_handed_on_whole() -> None:
    seen: list[bytes] = []

    async def echo(scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401 - ASGI
        message = await receive()
        seen.append(message["body"])
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    transport = httpx2.ASGITransport(Gate(echo))
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:

        async def chunks(size: int) -> Any:  # noqa: ANN401 - a generator
            for _ in range(size // 1_000):
                yield b"x" * 1_000

        whole = json.dumps("x" * (MAX_BODY - 2)).encode()
        assert (await client.post("/runs", content=whole)).status_code == 200
        assert seen.pop() == whole
        for fine in (b'"\\\\u0000 is written so"', b'"\\ud83d\\ude00"', b"[1e99, -2.5]"):
            assert (await client.post("/runs", content=fine)).status_code == 200
            assert seen.pop() == fine
        assert (await client.post("/runs", content=b"x" * (MAX_BODY + 1))).status_code == 413
        assert (await client.post("/runs", content=chunks(MAX_BODY + 1_000))).status_code == 413
        # What the gate cannot read it hands to nobody: another parser might.
        odd = (b"NaN", b"[1e999]", b"-Infinity", b'"\\u0000"', b'"\\ud800"', b'{"\\udc00\\ud800": 1}')
        for unread in (b"[" * 100_000, b"[" * 990 + b"]" * 990, b"1" * 5_000, b"\xff", b"x", *odd):
            assert (await client.post("/runs", content=unread)).status_code == 422
        assert (await client.post("/runs", content=b"x", headers={"content-length": "-1"})).status_code == 413
        assert not seen


async def _by_websocket(key: str, sent: list[str], **headers: str) -> tuple[list[str], list[int]]:
    """What of these messages an application behind the gate hears, and with which codes its websocket was closed."""
    heard, closed = list[str](), list[int]()
    messages = iter([{"type": "websocket.receive", "text": text} for text in sent])

    async def app(scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401 - ASGI
        del scope, send
        while (message := await receive())["type"] == "websocket.receive":
            heard.append(message["text"])

    async def receive() -> Any:  # noqa: ANN401 - ASGI
        return next(messages, {"type": "websocket.disconnect", "code": 1000})

    async def send(message: Any) -> None:  # noqa: ANN401 - ASGI
        closed.append(message["code"])

    given = {"host": "127.0.0.1:2024", "x-api-key": key, **headers}
    scope = {
        "type": "websocket", "path": "/threads/1/stream/events", "root_path": "", "server": ("127.0.0.1", 2024),
        "headers": [(name.encode(), value.encode()) for name, value in given.items()],
    }  # fmt: skip
    await Gate(app)(scope, receive, send)
    return heard, closed


def _start(**context: str) -> str:
    params = {"assistant_id": "keqing", "input": {"question": "x"}, "config": {"configurable": context}}
    return json.dumps({"id": 1, "method": "run.start", "params": params})


@pytest.mark.usefixtures("keys")
async def test_a_websocket_is_no_way_round() -> None:
    right = _start(kg="films")
    assert await _by_websocket(KEYS["alice"], [right]) == ([right], [])
    for wrong in (_start(kg="others"), _start(), "[" * 2_000, "{", json.dumps({"x": "y" * MAX_BODY})):
        assert await _by_websocket(KEYS["alice"], [right, wrong, right]) == ([right], [1008]), wrong[:80]
    assert await _by_websocket("tv-nobody", [right]) == ([], [1008])
    heard, closed = await _by_websocket(KEYS["bob"], [right] * 5)
    assert (len(heard), closed) == (3, [1008]), "its rate holds for messages"


async def test_a_web_page_of_another_origin_opens_no_websocket(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = [_start(kg="films")]
    monkeypatch.setenv("CORS_CONFIG", json.dumps({"allow_origins": ["http://localhost:3000"]}))
    for origin in ("http://127.0.0.1:2024", "http://localhost:3000"):
        assert await _by_websocket("", sent, origin=origin) == (sent, [])
    for origin in ("https://evil.example", "http://127.0.0.1:3001", "null"):
        assert await _by_websocket("", sent, origin=origin) == ([], [1008]), origin


@pytest.mark.usefixtures("operator_folder")
async def test_a_web_page_of_another_origin_starts_nothing_where_nobody_needs_a_key() -> None:
    """A browser posts a page's text without asking first, and only keeps the answer from it."""
    text = {"content-type": "text/plain"}
    async with http() as local:
        for origin, status in (
            ("https://evil.example", 403), ("null", 403), ("http://127.0.0.1:3001", 403),
            ("http://127.0.0.1", 200), ("https://smith.langchain.com", 200),
        ):  # fmt: skip
            headers = {**text, "origin": origin}
            told = await local.post("/v1/chat/completions", content=json.dumps(ASKED), headers=headers)
            assert told.status_code == status, origin
        assert (await local.get("/v1/models", headers={"origin": "https://evil.example"})).status_code == 200


def test_keys_are_kept_as_hashes(tmp_path: Path) -> None:
    key, lines = new_key("alice")
    assert key not in lines
    path = tmp_path / "trivium.toml"
    path.write_text(lines + 'kgs = ["films"]\n')
    keys = read_keys(path)
    assert identify({"x-api-key": key}, keys) == Key("alice", kgs=("films",))
    assert identify({"authorization": f"Bearer {key}"}, keys) == Key("alice", kgs=("films",))
    assert identify({"x-api-key": key[:-1]}, keys) is None


@pytest.mark.parametrize(
    "text",
    [
        "[server]\nauth = 5",
        "[server.auth]\nalice = 'secret'",
        "[server.auth.alice]\nsha256 = 'secret'",
        f"[server.auth.alice]\nsha256 = '{'0' * 64}'\nkgs = 'films'",
        f"[server.auth.alice]\nsha256 = '{'0' * 64}'\noperatr = true",
        f"[server.auth.alice]\nsha256 = '{'0' * 64}'\nper_minute = true",
    ],
)
def test_keys_that_cannot_be_read_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "trivium.toml"
    path.write_text(text)
    with pytest.raises(BadInputError, match=r"server\.auth"):
        read_keys(path)


async def test_settings_that_cannot_be_read_let_nobody_in(operator_folder: Callable[[str], None]) -> None:
    operator_folder("[server.auth.alice]\nsha256 = 'x'\n")
    async with http() as client:
        told = await client.post("/v1/chat/completions", json=ASKED)
    assert told.status_code == 500
    assert json.loads(told.text)["error"]["message"] == "the server's trivium.toml cannot be read"


@pytest.mark.parametrize(
    ("path", "asked", "may"),
    [
        ("/runs/wait", {"assistant_id": "keqing"}, False),
        ("/runs/wait", {"assistant_id": "keqing", "context": {"model": "none"}}, False),
        ("/runs/wait", {"assistant_id": "keqing", "context": {"model": "openai:x"}}, True),
        ("/runs/wait", {"assistant_id": "keqing", "config": {"configurable": {"model": "openai:x"}}}, True),
        ("/runs/wait", {"assistant_id": "an-operator's-own"}, True),
        ("/runs/wait", {"assistant_id": "an-operator's-own", "context": {"model": "none"}}, False),
        ("/threads/1/runs", {"assistant_id": "keqing", "command": {"resume": True}}, True),
        ("/threads/1/runs", {"assistant_id": "keqing", "checkpoint": {"checkpoint_id": "1"}}, True),
        ("/runs/batch", [{"assistant_id": "keqing"}, {"assistant_id": "oda", "context": {"model": "openai:x"}}], True),
        ("/v1/chat/completions", {"model": "keqing"}, False),
        ("/v1/chat/completions", {"model": "keqing", "context": {"model": "openai:x"}}, True),
        ("/mcp", {"method": "tools/call"}, False),
        ("/runs/wait", "no JSON", False),
    ],
)
def test_which_runs_may_ask_a_model(path: str, asked: object, may: bool) -> None:
    assert may_ask_model(path, b"{" if asked == "no JSON" else json.dumps(asked).encode()) is may


async def test_what_was_spent_outlasts_the_process(operator_folder: Callable[[str], None], tmp_path: Path) -> None:
    keys = "".join(f'[server.auth.{n}]\nsha256 = "{hash_of(n)}"\ntokens_per_day = 100\n' for n in ("a", "b"))
    operator_folder(keys)
    spent = Operation("chat", "openai:x", "1", "keqing", prompt_tokens=70, completion_tokens=20)
    spent.details["key"] = "a"
    for number in (1, 2, 3):
        made = Budgets()  # as after a restart
        made.ended(spent)
        left = [await made.left(Key(name, tokens_per_day=100)) for name in ("a", "b")]
        assert left == [100 - 90 * number, 100]
    assert await Budgets().left(Key("c")) == float("inf")
    assert (tmp_path / "budgets.db").is_file()
