"""What of a graph other than its entities is called by a text, and that it is not said to be unknown."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from trivium.kg.embedded import build
from trivium.kg.types import Triple
from trivium.knowledge.knowledge import close_all
from trivium.nodes.run.missing import absent_names
from trivium.tools.find_values import FoundValue, find_values

CARS = """\
V1 type Vehicle, V2 type Vehicle, V3 type Vehicle, V4 type Vehicle, V5 type Vehicle, V6 type Vehicle,
V1 plate AX1, V2 plate BX2, V3 plate CX3, V4 plate DX4, V5 plate EX5, V6 plate FX6,
V1 make Buick, V2 make Daihatsu, V3 make Buick, V4 make Buick, V5 make Buick, V6 make Daihatsu,
Ann type Person, Bob type Person, Ann owns V1, Bob owns V2"""


@pytest.fixture
async def cars(tmp_path: Path) -> AsyncIterator[str]:
    build(
        tmp_path / "kg",
        [[Triple(*fact.split()) for fact in CARS.split(",")]],
        natures={"make": "text", "plate": "text"},
    )
    yield str(tmp_path / "kg")
    await close_all()


async def test_values_and_words_of_the_schema(cars: str) -> None:
    value, column, kind, entity, nothing = await find_values(cars, ["Buick", "the make", "Vehicles", "V1", "Prosecco"])
    assert value == [FoundValue("Vehicle.make", "Buick")]
    assert FoundValue("Vehicle.make", None) in column
    assert kind == [FoundValue("Vehicle", None)]
    assert entity == nothing == []


async def test_what_the_graph_has_is_no_unknown_name(cars: str) -> None:
    names = ["Daihatsu", "Vehicle", "Ann", "Opel", "Vehicle Works"]
    assert await absent_names(names, cars) == ["Opel", "Vehicle Works"]
