"""Models by name: what is refused before a run, what is opened once, and what importing costs."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest
from pydantic import BaseModel

from tests.fake_openai import FakeOpenAI
from trivium.kg.errors import ModelError
from trivium.nodes.model import Budget, check_model, close_models, open_model, structured

KEY = "planted-key-0123456789"


class Verdict(BaseModel):
    answer: str


@pytest.mark.parametrize("name", ["gpt-4o", "", ":", "openai:", "nobody:model", "anthropic:claude-x", "none:x"])
def test_a_name_that_no_run_can_use_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with pytest.raises(ModelError) as caught:
        check_model(name)
    assert KEY not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("key", [None, "", "  ", "schlüssel-0123456789", "two\nlines-0123456789"])
async def test_a_missing_or_impossible_key_is_refused(key: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    if key is None:
        monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    else:
        monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(ModelError, match="OPENAI_API_KEY") as caught:
        check_model("openai:gpt-4o-mini")
    with pytest.raises(ModelError, match="OPENAI_API_KEY"):
        await open_model("openai:gpt-4o-mini")
    assert "0123456789" not in str(caught.value)


def test_a_base_url_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for none in ("file:///etc/passwd", "http://[::bad", "http://local\nhost:8000/v1", "http://", "localhost:8000"):
        monkeypatch.setenv("OPENAI_BASE_URL", none)
        with pytest.raises(ModelError, match="not an HTTP address"):
            check_model("openai:gpt-4o-mini")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:8000/v1")
    check_model("openai:gpt-4o-mini")
    check_model("none")
    assert KEY not in repr(open_model)


async def test_a_model_is_opened_once_a_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert await open_model("none") is None
    first, second = await asyncio.gather(open_model("openai:fake"), open_model("openai:fake"))
    warm = await open_model("openai:fake", temperature=0.7)
    assert first is second
    assert warm is not first
    assert KEY not in repr(first)
    await close_models()
    assert await open_model("openai:fake") is not first
    await close_models()


def test_every_loop_has_its_own_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    async def once() -> str:
        model = await open_model("openai:fake")
        assert model is not None
        outcome = await structured(model, "who?", Verdict, stage="reason", budget=Budget())
        await close_models()
        return outcome.value.answer if outcome.value else str(outcome.reason)

    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with FakeOpenAI(['{"answer": "a"}', '{"answer": "b"}']) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        said = [asyncio.run(once()), asyncio.run(once())]
    assert said == ["a", "b"]
    assert server.count == 2


async def test_other_providers_come_from_langchain(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeOpenAI(['{"answer": "azure"}', {"status": 500, "times": 3}]) as server:
        monkeypatch.setenv("AZURE_OPENAI_API_KEY", KEY)
        monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", server.url.removesuffix("/v1"))
        monkeypatch.setenv("OPENAI_API_VERSION", "2025-01-01")
        check_model("azure_openai:mine")
        model = await open_model("azure_openai:mine", temperature=0.0)
        assert model is not None
        good = await structured(model, "who?", Verdict, stage="reason", budget=Budget())
        bad = await structured(model, "who?", Verdict, stage="reason", budget=Budget(calls=1))
        await close_models()
    assert good.value == Verdict(answer="azure")
    assert [each["event"] for each in bad.events] == ["llm_retry", "llm_budget"]
    assert server.count == 2
    assert KEY not in repr((model, good, bad))


def test_importing_costs_no_client_library() -> None:
    slow = {"openai", "langchain_openai", "langchain", "json_repair"}
    code = f"import sys, trivium.nodes.model, trivium.nodes.model.prompts; print(sorted({slow} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert done.stderr == ""
