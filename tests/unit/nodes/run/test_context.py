"""Run settings: what a client may send, what text sets, and what is refused in words."""

from __future__ import annotations

from typing import Any

import pytest

from trivium.graphs.keqing import graph
from trivium.kg.errors import ModelError, UsageError
from trivium.nodes.auto.context import AutoContext
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.oda.context import OdaContext
from trivium.nodes.run.context import Context, check_context, read_setting


def test_the_defaults_are_fine() -> None:
    Context().check()
    KeqingContext().check()
    assert KeqingContext(temperature=None, max_seconds=3) == KeqingContext(temperature=None, max_seconds=3.0)


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"max_llm_calls": "7"}, "max_llm_calls must be a whole number, not '7'"),
        ({"max_llm_calls": True}, "max_llm_calls must be a whole number, not True"),
        ({"max_llm_calls": -1}, "max_llm_calls must be at least 0, not -1"),
        ({"max_seconds": float("nan")}, "max_seconds must be a finite number, not nan"),
        ({"sure": float("inf")}, "sure must be at most 1, not inf"),
        ({"seconds": 0}, "seconds must be greater than 0, not 0"),
        ({"temperature": 2.5}, "temperature must be at most 2, not 2.5"),
        ({"kg": None}, "kg must be text, not None"),
        ({"supplement": "often"}, "supplement must be 'auto', 'always' or 'never', not 'often'"),
        ({"max_entities": 0}, "max_entities must be at least 1, not 0"),
        ({"revue": True}, "unknown setting 'revue': did you mean 'review'?"),
    ],
)
def test_what_a_client_may_not_set(settings: dict[str, Any], problem: str) -> None:
    with pytest.raises(UsageError) as refused:
        KeqingContext(**settings)
    assert str(refused.value) == problem


async def test_unknown_settings_are_refused_by_a_graph(kg_name: str) -> None:
    given: Any = {"kg": kg_name, "bogus": 1}  # a client's JSON
    with pytest.raises(UsageError, match="unknown setting 'bogus'"):
        await graph.ainvoke({"question": "who directed Heat?"}, context=given)


def test_each_method_gets_its_own_settings_from_a_router() -> None:
    given = AutoContext(kg="films", max_llm_calls=3, max_iterations=2)
    oda, keqing = OdaContext.of(given), KeqingContext.of(given)
    assert (oda.temperature, oda.completion_tokens) == (0.4, 500), "ODA's own, from the paper"
    assert (keqing.temperature, keqing.completion_tokens) == (0.0, None)
    assert (oda.max_iterations, oda.max_llm_calls, keqing.max_llm_calls, oda.kg) == (2, 3, 3, "films")
    warm = AutoContext(temperature=1.0)
    assert (OdaContext.of(warm).temperature, KeqingContext.of(warm).temperature) == (1.0, 1.0)
    assert OdaContext.of(None) == OdaContext()


async def test_a_model_is_checked_before_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    for name, problem in (("openai:any", "OPENAI_API_KEY"), ("any", "PROVIDER:NAME"), ("nobody:any", "nobody:any")):
        with pytest.raises(ModelError, match=problem):
            await check_context(Context(model=name))
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    await check_context(Context(model="openai:any"))


def test_text_sets_what_it_says() -> None:
    texts = ("max_llm_calls=5", "max_seconds=2", "temperature=none", "model=openai:a=b", "supplement=never")
    read = dict(read_setting(KeqingContext, text) for text in texts)
    assert read == {
        "max_llm_calls": 5, "max_seconds": 2.0, "temperature": None, "model": "openai:a=b", "supplement": "never",
    }  # fmt: skip
    for text in ("max_llm_calls", "max_llm_calls=1.5", "no_such=1", "=1"):
        with pytest.raises(UsageError):
            read_setting(KeqingContext, text)
