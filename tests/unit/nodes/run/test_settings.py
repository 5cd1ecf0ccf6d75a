"""Run settings: what a client may send, what text sets, and what is refused in words."""

from __future__ import annotations

import pytest

from trivium.kg.errors import ModelError, UsageError
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.run.context import Context, check_context
from trivium.nodes.run.settings import read_setting


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
        ({"max_seconds": float("nan")}, "max_seconds must be at least 0, not nan"),
        ({"temperature": 2.5}, "temperature must be at most 2, not 2.5"),
        ({"kg": None}, "kg must be a text, not None"),
        ({"supplement": "often"}, "supplement must be one of auto, always, never, not 'often'"),
        ({"max_entities": 0}, "max_entities must be at least 1, not 0"),
    ],
)
def test_what_a_client_may_not_set(settings: dict[str, object], problem: str) -> None:
    given = KeqingContext(**settings)  # type: ignore[arg-type]  # what arrives as JSON is not typed
    with pytest.raises(UsageError) as refused:
        given.check()
    assert str(refused.value) == problem


async def test_a_model_is_checked_before_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    for name, problem in (("openai:any", "OPENAI_API_KEY"), ("any", "no provider:name"), ("nobody:any", "nobody:any")):
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
