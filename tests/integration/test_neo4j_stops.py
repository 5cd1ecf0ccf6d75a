"""Whole runs whose Neo4j stops beneath them: each ends with a reason or a named error, and works after a restart."""

from __future__ import annotations

import asyncio
import json
import shutil
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.films import pairs
from tests.neo4j_server.install import missing
from tests.neo4j_server.server import Server, new_password, start, stop
from trivium.app.cli.batch import answer_file
from trivium.graphs import keqing, knowgpt, oda
from trivium.kg.catalog import cache_folder
from trivium.kg.embedded import EmbeddedStore
from trivium.kg.errors import StoreError
from trivium.kg.neo4j.address import Address
from trivium.kg.neo4j.artifacts import prepare
from trivium.kg.neo4j.client import Client, Row
from trivium.kg.neo4j.loading import load
from trivium.knowledge.knowledge import close_all
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.knowgpt.context import KnowGPTContext
from trivium.nodes.oda.context import OdaContext
from trivium.nodes.run.context import Context

pytestmark = pytest.mark.slow

WHO = "who starred in the films directed by Michael Mann?"
CHOICES = [{"id": "A", "text": "Jean Reno"}, {"id": "B", "text": "Al Pacino"}]
METHODS: dict[str, tuple[Any, type[Context], dict[str, Any]]] = {
    "keqing": (keqing.graph, KeqingContext, {"question": WHO}),
    "oda": (oda.graph, OdaContext, {"question": WHO}),
    "knowgpt": (
        knowgpt.graph,
        KnowGPTContext,
        {"question": "which actor played for Michael Mann?", "choices": CHOICES},
    ),
}
RIGHT = {"keqing": {"deniro", "pacino"}, "oda": {"deniro", "pacino"}, "knowgpt": {"B"}}
_PATIENCE = 60.0  # seconds after which a run counts as hanging: trying again takes 5, and a run asks some ten times


@dataclass
class Films:
    """The films in a Neo4j of their own, which can be stopped and started."""

    server: Server

    async def stop(self) -> None:
        assert await asyncio.to_thread(stop, self.server.pid, self.server.home)

    async def start(self) -> None:
        port = int(self.server.uri.rpartition(":")[2])
        again = {"port": port, "password": self.server.password, "short": True}
        self.server = await asyncio.to_thread(lambda: start(self.server.home, **again))  # type: ignore[arg-type] # as named


@pytest.fixture
async def films_there(tmp_path: Path, films_kg: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Films]:
    if lack := missing():
        pytest.skip(f"tests on a Neo4j server are left out: {lack}")
    password = new_password()
    there = Films(await asyncio.to_thread(lambda: start(tmp_path / "home", password=password, short=True)))
    monkeypatch.setenv("TRIVIUM_NEO4J_USER", "neo4j")
    monkeypatch.setenv("TRIVIUM_NEO4J_PASSWORD", password)
    address = Address(there.server.uri, None, "neo4j", password)
    client, source = Client(address), EmbeddedStore.open(films_kg)
    await load(client, source, lambda *_: None)
    await source.close()
    client.close_now()
    # What was learned of the films holds for the same triples in Neo4j.
    folder = prepare(cache_folder(), address)
    for learnt in ("keqing", "templates"):
        shutil.copytree(films_kg / learnt, folder / learnt)
    try:
        yield there
    finally:
        await close_all()
        stop(there.server.pid, there.server.home)


async def _asked(method: str, kg: str) -> set[str]:
    graph, context, given = METHODS[method]
    answer = (await graph.ainvoke(given, context=context(kg=kg)))["answer"]
    assert answer["stop_reason"] == "answered"
    assert answer["paths"]
    return {item["id"] for item in answer["answers"]} if method != "knowgpt" else {answer["choice"]}


async def _ends(run: Any) -> tuple[str, dict[str, Any]]:  # noqa: ANN401 - a stream of updates, in the middle
    """How a run ended: "answer" with it, or "error" with its name and message."""
    last: dict[str, Any] = {}
    try:
        async with asyncio.timeout(_PATIENCE):
            async for update in run:
                last = update
    except StoreError as error:
        return "error", {"name": type(error).__name__, "message": str(error)}
    (answered,) = last.values()
    return "answer", answered["answer"]


async def test_runs_in_every_stage_outlive_their_server(films_there: Films) -> None:
    kg = films_there.server.uri
    waiting: list[tuple[str, int, Any]] = []
    for method, (graph, context, given) in METHODS.items():
        assert await _asked(method, kg) == RIGHT[method]
        stages = [update async for update in graph.astream(given, context=context(kg=kg), stream_mode="updates")]
        assert len(stages) >= 4
        for done in range(1, len(stages)):
            run = graph.astream(given, context=context(kg=kg), stream_mode="updates")
            for _ in range(done):
                await anext(run)  # a stream that nobody reads on does not go on either: it stands between two stages
            waiting.append((method, done, run))
    await films_there.stop()

    began = time.monotonic()
    ends = await asyncio.gather(*(_ends(run) for *_, run in waiting))
    assert time.monotonic() - began < _PATIENCE
    told = [(method, done, *end) for (method, done, _), end in zip(waiting, ends, strict=True)]
    for method, done, how, what in told:
        if how == "error":
            assert what["name"] in {"UnreachableError", "StoreError"}, (method, done, what)
            assert "no server answers" in what["message"]
        elif what["stop_reason"] == "store_error":
            assert (what["answers"], what["choice"], what["paths"]) == ([], None, [])
            assert "no server answers" in what["answer"]
        else:  # all that it needed was read or remembered before
            assert what["stop_reason"] == "answered", (method, done, what)
    for method in METHODS:
        assert {how for name, _, how, _ in told if name == method}
        assert any(
            how == "error" or what["stop_reason"] == "store_error" for name, _, how, what in told if name == method
        ), f"no run of {method} noticed"
    for method, (graph, context, given) in METHODS.items():  # a run that begins now is refused by name
        with pytest.raises(StoreError, match="no server answers"):
            async with asyncio.timeout(_PATIENCE):
                await graph.ainvoke(given, context=context(kg=kg))
        assert method in RIGHT

    await films_there.start()
    for method in METHODS:
        assert await _asked(method, kg) == RIGHT[method]


async def test_a_batch_stops_and_goes_on_where_it_was(films_there: Films, tmp_path: Path) -> None:
    lines = [{"id": f"{turn}-{pair['id']}", "question": pair["question"]} for turn in range(2) for pair in pairs()]
    asked, told = tmp_path / "asked.jsonl", tmp_path / "told.jsonl"
    asked.write_text("".join(json.dumps(line) + "\n" for line in lines))
    context = KeqingContext(kg=films_there.server.uri)
    batch = asyncio.create_task(answer_file("keqing", asked, told, context))
    while not told.exists() or told.read_text().count("\n") < 3:
        await asyncio.sleep(0.02)
        assert not batch.done()
    await films_there.stop()
    with pytest.raises(StoreError):
        async with asyncio.timeout(_PATIENCE):
            await batch
    done = [json.loads(line) for line in told.read_text().splitlines()]
    assert 3 <= len(done) < len(lines)
    assert [line["id"] for line in done] == [line["id"] for line in lines[: len(done)]]
    assert "store_error" not in {line["stop_reason"] for line in done}, "a part of an answer is not kept"

    await films_there.start()
    await answer_file("keqing", asked, told, context)
    whole = [json.loads(line) for line in told.read_text().splitlines()]
    assert whole[: len(done)] == done
    assert [line["id"] for line in whole] == [line["id"] for line in lines]
    assert sum(line["stop_reason"] == "answered" for line in whole) > len(lines) * 0.9


async def test_a_query_that_the_server_refuses_ends_one_question_alone(
    films_there: Films, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    endless = "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b RETURN sum(a * b)"
    instead = {"mann": ("MATCH (", None), "deniro": (endless, 0.2)}
    read = Client.read

    async def spoilt(self: Client, text: str, seconds: float | None = None, /, **parameters: Any) -> list[Row]:
        said = str(parameters)
        text, seconds = next((other for name, other in instead.items() if name in said), (text, seconds))
        return await read(self, text, seconds, **parameters)

    monkeypatch.setattr(Client, "read", spoilt)
    asked, told = tmp_path / "asked.jsonl", tmp_path / "told.jsonl"
    names = ("Michael Mann direct", "Robert De Niro star in", "Jean Reno star in")
    lines = [{"id": each, "question": f"how many films did {each}?"} for each in names]
    asked.write_text("".join(json.dumps(line) + "\n" for line in lines))
    said = await answer_file("keqing", asked, told, KeqingContext(kg=films_there.server.uri))
    found = [json.loads(line) for line in told.read_text().splitlines()]
    assert [line["stop_reason"] for line in found] == ["store_error", "time_limit", "answered"], "the batch goes on"
    assert [line["events"][-1]["event"] for line in found[:2]] == ["QueryError", "TimeLimitError"]
    assert "SyntaxError" in found[0]["answer"]
    assert "1 question without an answer" in str(said)
