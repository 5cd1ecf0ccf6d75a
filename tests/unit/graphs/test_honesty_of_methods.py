"""What a graph does not know, no method without a model claims: the same assessment for Keqing, ODA and KnowGPT."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.films import build_films
from trivium import own_runs
from trivium.graphs.methods import METHODS, answer
from trivium.kg.embedded import build
from trivium.kg.types import Triple
from trivium.knowledge.knowledge import Knowledge, close_all
from trivium.nodes.run.answer_record import Answer
from trivium.policies.reader.chains.teaching import teach


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The films, learned from the schema alone."""
    folder, _ = build_films(tmp_path_factory.mktemp("alone"))
    kg = Knowledge.open(folder)
    try:
        asyncio.run(teach(kg, None, lambda *_: None))
    finally:
        kg.store.close_now()
    return folder


@pytest.fixture
async def kg_name(alone: Path) -> AsyncIterator[str]:
    yield str(alone)
    await close_all()


ALL = pytest.mark.parametrize("method", ["keqing", "oda", "knowgpt"])
MISSING = {
    "unknown relation": "what is the shoe size of Harrison Ford?",
    "missing fact": "who wrote Gladiator?",
    "unknown name": "who directed Zorbamania?",
    "near miss": "Who directed Heat 3?",
    "small talk": "hello there",
}


async def _ask(method: str, question: str, kg: str) -> Answer:
    with own_runs():
        return await answer(method, question, METHODS[method].context(kg=kg))


def _claims(told: Answer) -> bool:
    return bool(told["answers"] or told["values"]) or told["value"] is not None or told["choice"] is not None


@ALL
@pytest.mark.parametrize("question", MISSING.values(), ids=MISSING)
async def test_what_is_not_there_is_not_claimed(kg_name: str, method: str, question: str) -> None:
    told = await _ask(method, question, kg_name)
    assert not _claims(told), told["answer"]
    assert told["stop_reason"] in {"not_found", "not_understood", "unknown_entity", "out_of_scope"}
    assert told["answer"]


@ALL
async def test_what_is_there_is_claimed(kg_name: str, method: str) -> None:
    told = await _ask(method, "who directed Heat?", kg_name)
    assert told["stop_reason"] == "answered"
    assert told["answers"][0]["id"] == "mann"
    assert told["confidence"] is not None
    assert told["confidence"] >= 0.5


@ALL
async def test_of_namesakes_none_is_chosen_in_silence(kg_name: str, method: str) -> None:
    told = await _ask(method, "who directed Solaris?", kg_name)
    found = {item["id"] for item in told["answers"]} | {item["id"] for item in told["suggestions"]}
    assert not _claims(told) or found >= {"tarkovsky", "soderbergh"}


@ALL
async def test_a_graph_with_nothing_in_it_claims_nothing(tmp_path: Path, method: str) -> None:
    triples = [Triple("Heat", "directed_by", "Michael Mann")]
    build(tmp_path / "kg", [triples])
    kg = Knowledge.open(tmp_path / "kg")
    try:
        await teach(kg, None, lambda *_: None)
        await kg.store.delete(triples)
    finally:
        await kg.close()
    told = await _ask(method, "who directed Heat?", str(tmp_path / "kg"))
    assert not _claims(told)
