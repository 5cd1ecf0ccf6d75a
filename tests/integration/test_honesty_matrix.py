"""What is not in the graph is not claimed: each kind of missing evidence, every method, with and without a model, on
both stores."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.fake_openai import FakeOpenAI, Reply
from tests.films import build_films
from tests.neo4j_server.server import Server
from trivium.app.cli.main import run
from trivium.evals.metrics import claims
from trivium.graphs.methods import METHODS, answer
from trivium.knowledge.knowledge import close_all
from trivium.nodes.model import close_models
from trivium.nodes.run.answer_record import Answer

INVENTED = "Carlo Invented"
MISSING = {
    "unknown relation": "what is the shoe size of Harrison Ford?",
    "missing fact": "who wrote Gladiator?",
    "unknown name": "who directed Zorbamania?",
    "near miss": "who directed Heat 3?",
    "opinion": "is Heat a good film?",
    "small talk": "hello there",
}
REASONS = {"not_found", "not_understood", "unknown_entity", "ambiguous", "out_of_scope"}


def _says(body: Mapping[str, Any]) -> Reply:
    """A model that picks no plan of the graph's, and has an answer of its own for everything."""
    last = str(body["messages"][-1]["content"])
    if "choose one of these actions" in last:
        return Reply(text=json.dumps({"thought": "I know it", "action": "Answer", "entities": []}))
    own = {
        "pick": 0,
        "answers": [INVENTED],
        "candidates": [INVENTED],
        "choice": "none",
        "why": "I know it",
        "triples": [],
    }
    return Reply(text=json.dumps(own))


def _run(*words: object) -> None:
    assert run([str(word) for word in words]) == 0


@pytest.fixture(scope="module", params=["embedded", pytest.param("neo4j", marks=pytest.mark.slow)])
def copied(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Path], str]]:
    """Puts a KG in a folder into the store that is tested, and learns its schema there; gives its name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRIVIUM_CACHE", str(tmp_path_factory.mktemp("cache")))
        server: Server | None = request.getfixturevalue("neo4j_server") if request.param == "neo4j" else None
        for name, value in (server.environment if server else {}).items():
            patch.setenv(name, value)

        def copy(folder: Path) -> str:
            name = str(folder)
            if server is not None:
                name = server.uri
                _run("kg", "copy", folder, name, "--replace")
            _run("learn", "keqing", "--kg", name)
            return name

        if server is not None:
            server.empty()
        yield copy


@pytest.fixture(scope="module")
def films(copied: Callable[[Path], str], tmp_path_factory: pytest.TempPathFactory) -> str:
    return copied(build_films(tmp_path_factory.mktemp("films"))[0])


@pytest.fixture(scope="module")
def nothing(copied: Callable[[Path], str], tmp_path_factory: pytest.TempPathFactory) -> str:
    """A graph whose last fact was removed."""
    folder = tmp_path_factory.mktemp("nothing")
    facts = folder / "facts.tsv"
    facts.write_text("Heat\tdirected_by\tMichael Mann\n")
    _run("kg", "build", "--out", folder / "kg", facts)
    kg = copied(folder / "kg")
    _run("kg", "remove", kg, facts)
    return kg


@pytest.fixture(params=["none", "openai:scripted"])
def model(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """No model, or one that always has an answer of its own."""
    with FakeOpenAI([_says]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "no-key")
        yield str(request.param)


def _ask(method: str, model: str, question: str, kg: str) -> Answer:
    async def once() -> Answer:
        try:
            return await answer(method, question, METHODS[method].context(kg=kg, model=model))
        finally:
            await close_models()
            await close_all()

    return asyncio.run(once())


def _check(told: Answer) -> None:
    assert not claims(told), (told["answers"], told["value"], told["confidence"])
    assert told["stop_reason"] in REASONS
    assert told["answer"]


ALL = pytest.mark.parametrize("method", sorted(METHODS))


@ALL
@pytest.mark.parametrize("question", MISSING.values(), ids=MISSING)
def test_what_is_not_there_is_not_claimed(films: str, method: str, model: str, question: str) -> None:
    _check(_ask(method, model, question, films))


@ALL
def test_of_namesakes_none_is_chosen_in_silence(films: str, method: str, model: str) -> None:
    told = _ask(method, model, "who directed Solaris?", films)
    found = {item["id"] for item in told["answers"]} | {item["id"] for item in told["suggestions"]}
    assert not claims(told) or found >= {"tarkovsky", "soderbergh"}


@ALL
def test_what_is_there_is_claimed_without_a_model(films: str, method: str) -> None:
    told = _ask(method, "none", "who directed Heat?", films)
    assert [item["id"] for item in told["answers"]] == ["mann"]


@ALL
def test_a_graph_with_nothing_in_it_claims_nothing(nothing: str, method: str, model: str) -> None:
    _check(_ask(method, model, "who directed Heat?", nothing))
