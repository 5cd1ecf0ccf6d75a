"""Carrying out an action: what a hub's relations give, and what a reflection is left to choose among."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, cast

import pytest
from langgraph.runtime import Runtime

from trivium.kg.embedded import build
from trivium.kg.types import Triple
from trivium.knowledge.knowledge import close_all
from trivium.nodes.oda import act as stage
from trivium.nodes.oda.act import act
from trivium.nodes.oda.context import OdaContext
from trivium.nodes.oda.state import Action, OdaState


def _state(name: str, *entities: str, hop: str | None = None) -> OdaState:
    action = cast(Action, {"name": name, "entities": list(entities), "thought": "", "by": "human", "hop": hop})
    return {"question": "who likes it?", "action": action, "history": [], "log": [], "iteration": 1}


async def _found(kg: str, state: OdaState, **settings: Any) -> list[list[Any]]:
    update = await act(state, Runtime(context=OdaContext(kg=kg, **settings)))
    assert update["history"] == [state["action"]]
    found: list[list[Any]] = update["result"]
    return found


@pytest.fixture
async def hub(tmp_path: Path) -> Any:  # noqa: ANN401 - a name, then nothing
    """A hub with 100 triples of a first relation, 30 of a second, 1 of a last, and 20 that lead to it."""
    triples = [Triple("hub", "a first", f"leaf {i}") for i in range(100)]
    triples += [Triple("hub", "b second", f"twig {i}") for i in range(30)]
    triples += [Triple("hub", "c last", "it"), *(Triple(f"fan {i}", "likes", "hub") for i in range(20))]
    build(tmp_path / "kg", [triples])
    yield str(tmp_path / "kg")
    await close_all()


async def test_a_hubs_relations_share_fairly(hub: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage, "_NEIGHBORS", 40)
    found = await _found(hub, _state("GetNeighbor", "hub"), candidate_triples=1_000)
    assert Counter(path[0][1] for path in found) == {"a first": 10, "b second": 10, "c last": 1, "likes": 10}
    outgoing = await _found(hub, _state("GetNeighbor", "hub"), candidate_triples=1_000, direction="out")
    assert Counter(path[0][1] for path in outgoing) == {"a first": 13, "b second": 13, "c last": 1}


async def test_of_many_triples_the_nearest_are_left(hub: str) -> None:
    found = await _found(hub, _state("GetNeighbor", "hub"), candidate_triples=10)
    assert {path[0][1] for path in found} == {"likes"}
    drawn = await _found(hub, _state("GetNeighbor", "hub"), candidate_triples=10, reflection="random")
    assert len(drawn) == 10
    assert len({path[0][1] for path in drawn}) > 1
    assert drawn == await _found(hub, _state("GetNeighbor", "hub"), candidate_triples=10, reflection="random")


async def test_a_promised_hop_alone_is_followed(hub: str) -> None:
    found = await _found(hub, _state("GetNeighbor", "hub", hop="c last"))
    assert found == [[("hub", "c last", "it", False)]]


async def test_paths_are_left_whole(hub: str) -> None:
    found = await _found(hub, _state("GetPath", "fan 3", "it"))
    assert found == [[("fan 3", "likes", "hub", False), ("hub", "c last", "it", False)]]


@pytest.mark.parametrize("name", ["Answer", None])
async def test_without_an_action_nothing_is_found(hub: str, name: str | None) -> None:
    state = _state(name or "Answer")
    if name is None:
        state["action"] = None
    assert await act(state, Runtime(context=OdaContext(kg=hub))) == {"result": []}
