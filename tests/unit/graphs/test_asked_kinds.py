"""A noun that is asked for, and what is given: a city is a town, and no hospital."""

from __future__ import annotations

import pytest

from trivium.app.cli.main import run
from trivium.graphs.methods import METHODS, answer
from trivium.knowledge.knowledge import close_all

PEOPLE = {"Ines Brandt": "Weiden", "Karl Moser": "Passau", "Lena Vogt": "Weiden"}


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> str:
    """People with their city of birth and day of birth, learned from the schema alone."""
    folder = tmp_path_factory.mktemp("people")
    born = [f"{name}\tborn_in\t{city}\n{name}\ttype\tperson\n{city}\ttype\tcity\n" for name, city in PEOPLE.items()]
    years = [f"{name}\tyear_of_birth\t{1950 + place}\n" for place, name in enumerate(PEOPLE)]
    (folder / "people.tsv").write_text("".join([*born, *years]))
    assert run(["kg", "build", "--out", str(folder / "kg"), str(folder / "people.tsv")]) == 0
    assert run(["learn", "keqing", "--kg", str(folder / "kg")]) == 0
    return str(folder / "kg")


@pytest.mark.parametrize(
    ("question", "given"),
    [
        ("in which city was Ines Brandt born?", ["Weiden"]),
        ("in which town was Ines Brandt born?", ["Weiden"]),
        ("in which place was Karl Moser born?", ["Passau"]),
        ("in which hospital was Ines Brandt born?", []),
        ("in which street was Karl Moser born?", []),
        ("in which month was Lena Vogt born?", []),
        ("in which year was Lena Vogt born?", ["1952"]),
    ],
)
async def test_another_kind_of_thing_than_is_asked_for_is_not_given(
    people: str, question: str, given: list[str]
) -> None:
    try:
        told = await answer("auto", question, METHODS["auto"].context(kg=people))
    finally:
        await close_all()
    assert [each["label"] for each in told["answers"]] == given, told["confidence"]


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("How many persons were born in Weiden?", 2),
        ("How many people were born in Weiden?", 2),
        ("How many concerts were born in Weiden?", None),
        ("How many invoices were born in Weiden?", None),
        ("What is the number of persons born in rivers?", None),
    ],
)
async def test_other_things_are_not_counted(people: str, question: str, value: int | None) -> None:
    try:
        told = await answer("auto", question, METHODS["auto"].context(kg=people))
    finally:
        await close_all()
    assert told["value"] == value, told["confidence"]
