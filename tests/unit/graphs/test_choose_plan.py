"""The reader's plans before a chat model: it picks, writes or refuses; what it writes is checked, run and repaired."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fake_openai import FakeOpenAI
from trivium.graphs.keqing import graph
from trivium.kg.embedded import build
from trivium.kg.types import Entity, Triple
from trivium.knowledge.knowledge import close_all
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.model import close_models
from trivium.nodes.run.usage import estimate_tokens

PRICES = {"Oak Desk": "250", "Pine Desk": "180", "Reading Lamp": "45", "Brass Lamp": "60"}
CHOOSE, REPAIR = "read it into query plans", "cannot be used"
QUESTION = "what is the cheapest product?"

Ask = Callable[..., Any]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shop") / "kg"
    facts = [Triple(name, "price", price) for name, price in PRICES.items()]
    facts += [Triple(name, "in_category", name.split()[1]) for name in PRICES]
    kinds = [Entity(name, name, types=("product",)) for name in PRICES]
    build(folder, [facts], [*kinds, *(Entity(name, name, types=("category",)) for name in ("Desk", "Lamp"))])
    return folder


@pytest.fixture
async def ask(shop: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Ask]:
    monkeypatch.setenv("OPENAI_API_KEY", "any")

    async def run(server: FakeOpenAI, question: str = QUESTION, **settings: object) -> dict[str, Any]:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        given: dict[str, Any] = {"kg": str(shop), "model": "openai:fake", "respond": "rules", "plan": "llm"} | settings
        told: dict[str, Any] = (await graph.ainvoke({"question": question}, context=KeqingContext(**given)))["answer"]
        return told

    yield run
    await close_models()
    await close_all()


def _says(reply: object, match: str = CHOOSE, times: int | None = None) -> dict[str, Any]:
    return {"match": match, "reply": {"json": reply}} | ({"times": times} if times else {})


async def test_the_plan_that_it_picks_is_run(ask: Ask) -> None:
    with FakeOpenAI([_says({"pick": 1})]) as server:
        told = await ask(server)
        prompt = server.requests[0].last
    assert [item["id"] for item in told["answers"]] == ["Reading Lamp"]
    assert (told["usage"]["llm_calls"], told["steps"][0]["by"], told["confidence"]) == (1, "llm", None)
    assert "1. type product | bottom 1 by price" in prompt
    assert "product: price (number 45..250)" in prompt
    assert "product in_category → category" in prompt


async def test_the_plan_that_it_writes_is_run(ask: Ask) -> None:
    line = 'type product | where in_category/ = (ids "Desk") | top 1 by price'
    with FakeOpenAI([_says({"plan": line})]) as server:
        told = await ask(server)
    assert [item["id"] for item in told["answers"]] == ["Oak Desk"]
    as_json = {"node": "of_type"}
    with FakeOpenAI([_says({"plan": as_json}, times=1), _says({"pick": 1}, REPAIR)]) as server:
        told = await ask(server)
        assert server.count == 2, "JSON that is no plan goes back with the reason"
    assert [item["id"] for item in told["answers"]] == ["Reading Lamp"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("type product | bottom 1 by weight", "weight"),
        ("type product | where price > 1000", "it gives nothing"),
        ("type product | cheapest", "character"),
    ],
)
async def test_what_it_writes_goes_back_with_the_reason(ask: Ask, line: str, reason: str) -> None:
    with FakeOpenAI([_says({"pick": 1}, REPAIR), _says({"plan": line})]) as server:
        told = await ask(server)
        assert server.count == 2
        assert reason in server.requests[1].last
    assert [item["id"] for item in told["answers"]] == ["Reading Lamp"]


async def test_none_of_them_is_no_answer(ask: Ask) -> None:
    with FakeOpenAI([_says({"pick": 0})]) as server:
        told = await ask(server)
        assert server.count == 1
    assert told["answers"] == []
    assert told["stop_reason"] in ("not_found", "not_understood")


async def test_a_model_that_fails_leaves_the_readers_plan(ask: Ask) -> None:
    with FakeOpenAI([{"match": CHOOSE, "reply": "%%%"}, {"match": REPAIR, "reply": "%%%"}]) as server:
        told = await ask(server)
    assert [item["id"] for item in told["answers"]] == ["Reading Lamp"]
    assert [event["event"] for event in told["events"]] == ["llm_failed"]


async def test_the_reader_alone_is_asked_where_the_settings_say_so_or_it_is_sure(ask: Ask) -> None:
    with FakeOpenAI([_says({"pick": 0})]) as server:
        for settings in ({"plan": "trained", "decompose": "trained"}, {"plan": "auto", "sure": 0.0}):
            told = await ask(server, **settings)
            assert [item["id"] for item in told["answers"]] == ["Reading Lamp"]
        assert server.count == 0


async def test_a_large_schema_is_shown_in_part_and_the_best_plan_always(tmp_path: Path, ask: Ask) -> None:
    things = [f"{kind}{number}" for kind in ("warehouse", "supplier", "contract", "delivery") for number in range(12)]
    facts = [
        Triple(f"{thing} {item}", f"average_{column}_of_{thing}", str(100 + item))
        for thing in things
        for column in ("price", "weight", "rating", "distance")
        for item in range(3)
    ]
    build(tmp_path / "kg", [facts], [Entity(f"{t} {n}", f"{t} {n}", types=(t,)) for t in things for n in range(3)])
    with FakeOpenAI([_says({"pick": 1})]) as server:
        told = await ask(server, "which supplier7 has the lowest average price?", kg=str(tmp_path / "kg"))
        prompt = server.requests[0].last
    assert told["steps"][0]["by"] == "llm"
    assert "1. type supplier7 | bottom 1 by average_price_of_supplier7" in prompt
    assert "supplier7: average_" in prompt
    assert "warehouse11" not in prompt, "what the question is not about is left out"
    assert 1_000 <= estimate_tokens(prompt) <= 1_200
