"""`preset="paper"`: what it sets, what comes first, and what a run without a model leaves out."""

from __future__ import annotations

from typing import Any

import pytest

from trivium.api import aask
from trivium.graphs.methods import METHODS
from trivium.nodes.auto.context import AutoContext
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.knowgpt.context import KnowGPTContext
from trivium.nodes.oda.context import OdaContext
from trivium.nodes.run.context import Context, read_setting


@pytest.mark.parametrize("kind", [KeqingContext, KnowGPTContext, OdaContext])
def test_a_preset_sets_what_the_method_has_and_gives_way_to_the_run(kind: type[Context]) -> None:
    preset = kind.paper
    everything = preset.chosen(model=True)
    made = kind(preset="paper", model="openai:any")
    assert everything
    assert {name: getattr(made, name) for name in everything} == everything
    name, value = read_setting(kind, "preset=paper")
    assert (name, value) == ("preset", "paper")
    for name in everything:  # the method's default, set by the run itself, stands
        default = kind.model_fields[name].default
        own: dict[str, Any] = {"preset": "paper", "model": "openai:any", name: default}
        assert getattr(kind(**own), name) == default
    assert kind(**made.chosen()) == made, "a resumed run has the same settings"


def test_what_the_papers_name() -> None:
    keqing = KeqingContext(preset="paper", model="openai:any")
    assert (keqing.decompose, keqing.reason, keqing.supplement, keqing.match) == ("llm", "llm", "always", "cosine")
    assert keqing.judges(1.0), "the model chooses also where a sub-question has a template's very words"
    oda = OdaContext(preset="paper")
    assert (oda.direction, oda.hub_triples, oda.memory) == ("out", 300, "paper")
    assert not oda.combined, "an action and a reflection are two requests"
    assert KnowGPTContext(preset="paper").bandit == "paper"


def test_each_method_of_the_router_has_its_own_preset() -> None:
    given = AutoContext(preset="paper", model="openai:any", top_p=7)
    oda, keqing = OdaContext.of(given), KeqingContext.of(given)
    assert (oda.temperature, oda.completion_tokens, oda.direction, oda.top_p) == (0.4, 500, "out", 7)
    assert (keqing.temperature, keqing.completion_tokens, keqing.decompose) == (0.0, None, "llm")
    assert KnowGPTContext.of(given).description == "llm"


async def test_without_a_model_what_needs_one_is_left_out_with_a_word(kg_name: str) -> None:
    answer = await aask("who directed Heat?", kg=kg_name, method="keqing", preset="paper")
    assert [item["id"] for item in answer["answers"]] == ["mann"]
    (event,) = [event for event in answer["events"] if event["event"] == "preset"]
    assert event["message"].endswith("left out: decompose=llm, reason=llm, respond=llm")
    oda = await aask("who directed Heat?", kg=kg_name, method="oda", preset="paper")
    assert not [event for event in oda["events"] if event["event"] == "preset"], "nothing of ODA's needs a model"


def test_every_method_takes_the_preset() -> None:
    for method in METHODS.values():
        assert method.context(preset="paper").preset == "paper"
