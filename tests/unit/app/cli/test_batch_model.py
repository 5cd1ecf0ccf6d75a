"""`trivium ask --batch` with a chat model: many at a time, in order, from a cache, within a price."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fake_openai import FakeOpenAI
from tests.unit.app.cli.running import Trivium, refused
from trivium.graphs import methods
from trivium.nodes.model.cache import CACHE_FILE, SqliteCache

FILMS = ("Heat", "Ronin", "Alien", "Gladiator")


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "any")
    monkeypatch.setenv(CACHE_FILE, "")  # what --cache sets is undone with the test
    path = tmp_path / "asked.jsonl"
    lines = [{"id": film, "question": f"who directed {film}?"} for film in FILMS]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeOpenAI]:
    reply = {"match": "task execution logs", "reply": {"text": "So it was.", "usage": [1_000, 500]}}
    with FakeOpenAI([reply]) as model:
        monkeypatch.setenv("OPENAI_BASE_URL", model.url)
        yield model


def _ask(trivium: Trivium, asked: Path, out: str, kg: Path, *more: object) -> tuple[list[dict[str, Any]], str]:
    settings = ("--set", "decompose=trained", "--set", "reason=chains", "--method", "keqing")
    said = trivium("ask", "--batch", asked, "--out", out, "--kg", kg, "--model", "openai:fake", *settings, *more)
    assert said.code == 0, said.err
    return [json.loads(line) for line in Path(out).read_text().splitlines()], said.err


def test_questions_are_under_way_together_and_written_in_order(
    trivium: Trivium, films_kg: Path, asked: Path, server: FakeOpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner, running, most, three = methods.answer, set[str](), list[int](), asyncio.Event()

    async def held(method: str, question: str, *args: Any) -> Any:  # noqa: ANN401 - the very answer
        running.add(question)
        most.append(len(running))
        if len(running) == 3:
            three.set()
        await three.wait()  # the first ones wait for one another: one at a time would never end
        found = await inner(method, question, *args)
        running.discard(question)
        return found

    monkeypatch.setattr(methods, "answer", held)
    told, said = _ask(trivium, asked, "out.jsonl", films_kg, "--jobs", 3)
    assert [line["id"] for line in told] == list(FILMS)
    assert max(most) == 3
    assert "4 calls, 4,000 prompt and 2,000 completion tokens" in said
    assert server.count == 4


def test_a_model_is_asked_once_for_what_the_cache_keeps(
    trivium: Trivium, films_kg: Path, asked: Path, server: FakeOpenAI
) -> None:
    first, _ = _ask(trivium, asked, "first.jsonl", films_kg, "--cache", "answers.db")
    again, said = _ask(trivium, asked, "again.jsonl", films_kg, "--cache", "answers.db")
    assert server.count == 4
    assert "0 calls" in said
    assert [line["answer"] for line in again] == [line["answer"] for line in first] == ["So it was."] * 4
    assert Path("answers.db").stat().st_mode & 0o077 == 0, "it holds users' questions"
    _ask(trivium, asked, "other.jsonl", films_kg, "--cache", "answers.db", "--set", "temperature=0.5")
    assert server.count == 8, "other parameters are another answer"
    Path("text.db").write_text("no database at all, but long enough to be read as one" * 20)
    words = ("--out", "x.jsonl", "--kg", films_kg, "--model", "openai:fake", "--cache", "text.db")
    refused(trivium("ask", "--batch", asked, *words), "BadInputError", "text.db", code=1)


def test_a_price_that_is_reached_ends_the_batch_which_goes_on_later(
    trivium: Trivium, films_kg: Path, asked: Path, server: FakeOpenAI
) -> None:
    Path("trivium.toml").write_text('[prices]\n"openai:fake" = "1000/2000"\n')  # 2 a question
    told, said = _ask(trivium, asked, "out.jsonl", films_kg, "--jobs", 1, "--max-cost", 3)
    assert len(told) == server.count == 2
    assert "cost 4.0000; stopped at --max-cost 3; run again to go on" in said
    told, said = _ask(trivium, asked, "out.jsonl", films_kg, "--max-cost", 100)
    assert [line["id"] for line in told] == list(FILMS)
    assert "cost 4.0000" in said
    assert "stopped" not in said


def test_without_fallback_a_run_whose_model_fails_is_refused(
    trivium: Trivium, films_kg: Path, asked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeOpenAI([{"match": "", "reply": {"refusal": "I would rather not"}}]) as model:
        monkeypatch.setenv("OPENAI_BASE_URL", model.url)
        told, _ = _ask(trivium, asked, "with.jsonl", films_kg)
        assert {line["stop_reason"] for line in told} == {"answered"}
        told, _ = _ask(trivium, asked, "without.jsonl", films_kg, "--set", "fallback=false")
    assert all(line["answers"] == [] and "I would rather not" in line["answer"] for line in told)
    assert told[0]["events"][0]["event"] == "ModelError"


async def test_a_cache_is_langchains(tmp_path: Path) -> None:
    cache = SqliteCache(tmp_path / "a.db")
    assert await cache.alookup("p", "m") is None
    from langchain_core.messages import AIMessage
    from langchain_core.outputs import ChatGeneration

    await cache.aupdate(
        "p", "m", [ChatGeneration(message=AIMessage("yes", response_metadata={"finish_reason": "stop"}))]
    )
    found = SqliteCache(tmp_path / "a.db").lookup("p", "m")
    assert found is not None
    assert [each.text for each in found] == ["yes"]
    assert cache.lookup("p", "another model") is None
    cache.clear()
    assert cache.lookup("p", "m") is None
