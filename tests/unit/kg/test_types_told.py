"""A relation of plain triples that says what kind of thing each entity is gives types; a mere attribute does not."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from trivium.kg.embedded import EmbeddedStore, build
from trivium.kg.embedded.verify import verify
from trivium.kg.embedded.write import add_triples, delete_triples
from trivium.kg.errors import BadInputError
from trivium.kg.types import QualifiedTriple, Statement, Triple, ValueText

FARM = [
    *(Triple(f"cow{i}", "type", "Cow") for i in range(4)),
    *(Triple(f"field{i}", "type", "Field") for i in range(3)),
    *(Triple(f"cow{i}", "grazes_on", f"field{i % 3}") for i in range(4)),
    *(Triple(f"field{i}", "soil", soil) for i, soil in enumerate(("clay", "loam", "clay"))),
]


async def types(folder: Path) -> dict[str, int]:
    store = EmbeddedStore.open(folder)
    found = {each.name: each.entities for each in (await store.profile()).types if each.name}
    await store.close()
    return found


async def relations(folder: Path) -> set[str]:
    store = EmbeddedStore.open(folder)
    found = {each.name for each in await store.schema()}
    await store.close()
    return found


async def test_types_are_told_by_triples(tmp_path: Path) -> None:
    info = build(tmp_path / "kg", [FARM])
    assert await types(tmp_path / "kg") == {"Cow": 4, "Field": 3}
    assert await relations(tmp_path / "kg") == {"grazes_on", "soil"}
    assert info.triples == 7
    assert verify(tmp_path / "kg") == []


@pytest.mark.parametrize("called", ["is_a", "instance of", "rdf:type", "Type", "entityType", "item_type"])
async def test_by_other_names(tmp_path: Path, called: str) -> None:
    build(tmp_path / "kg", [[Triple(h, called if r == "type" else r, t) for h, r, t in FARM]])
    assert await types(tmp_path / "kg") == {"Cow": 4, "Field": 3}


@pytest.mark.parametrize("called", ["kind", "category", "class"])
async def test_what_is_called_as_an_attribute_stays_a_relation(tmp_path: Path, called: str) -> None:
    build(tmp_path / "kg", [[Triple(h, called if r == "type" else r, t) for h, r, t in FARM]])
    assert await types(tmp_path / "kg") == {}  # "which category is cow1?" has an answer


async def test_sorts_of_one_kind_are_types_where_kinds_are_told_apart(tmp_path: Path) -> None:
    ships = {f"ship{i}": ("Tanker", "Ferry")[i % 2] for i in range(6)}
    lines = {f"line{i}": "Company" for i in range(3)}
    rows = [
        *(Triple(name, "type", sort) for name, sort in (ships | lines).items()),
        *(Triple(ship, "operated_by", f"line{i % 3}") for i, ship in enumerate(ships)),
        *(Triple(ship, "home_port", f"port{i % 2}") for i, ship in enumerate(ships)),
        *(Triple(line, "seat", "Bergen") for line in lines),
    ]
    build(tmp_path / "kg", [rows])
    assert await types(tmp_path / "kg") == {"Tanker": 3, "Ferry": 3, "Company": 3}
    # Of ships alone, tankers and ferries are an attribute.
    build(tmp_path / "ships", [[row for row in rows if row.head in ships]])
    assert await types(tmp_path / "ships") == {}


def attribute() -> Sequence[Triple]:
    """Monsters of five types, which have the same relations whatever their type is."""
    rng = random.Random(0)
    kinds = ("fire", "water", "grass", "rock", "ghost")
    return [
        Triple(f"m{i}", relation, tail)
        for i in range(40)
        for relation, tail in (
            ("type", kinds[i % 5]),
            ("lives_in", f"cave{rng.randrange(6)}"),
            ("beats", f"m{rng.randrange(40)}"),
        )
    ]


@pytest.mark.parametrize(
    ("triples", "why"),
    [
        (attribute(), "an attribute: whatever the type, the relations are the same"),
        ([*FARM, Triple("Cow", "eats", "grass")], "a type has facts of its own"),
        ([*FARM, *(Triple(f"x{i}", "soil", "sand") for i in range(20))], "most entities have none"),
        (FARM[:7], "nothing else is said"),
        (
            [
                Triple(h, "type", t) if r == "soil" else Triple(h, "sort", t) if r == "type" else Triple(h, r, t)
                for h, r, t in FARM
            ],
            "few have one",
        ),
    ],
)
async def test_what_tells_no_kinds_stays_a_relation(tmp_path: Path, triples: Sequence[Triple], why: str) -> None:
    build(tmp_path / "kg", [triples])
    assert await types(tmp_path / "kg") == {}, why
    assert "type" in await relations(tmp_path / "kg")


async def test_the_user_decides(tmp_path: Path) -> None:
    build(tmp_path / "kept", [FARM], natures={"type": "entity"})
    assert await types(tmp_path / "kept") == {}
    build(tmp_path / "taken", [attribute()], natures={"type": "type"})
    assert set(await types(tmp_path / "taken")) == {"fire", "water", "grass", "rock", "ghost"}
    typed = [Triple(h, "sort", ValueText(t)) if r == "type" else Triple(h, r, t) for h, r, t in FARM]
    build(tmp_path / "values", [typed], natures={"sort": "type"})
    assert await types(tmp_path / "values") == {"Cow": 4, "Field": 3}
    with pytest.raises(BadInputError, match="kinds"):
        build(tmp_path / "none", [FARM], natures={"kinds": "number"})


async def test_they_come_and_go_as_triples(tmp_path: Path) -> None:
    build(tmp_path / "kg", [FARM])
    new = [Triple("cow9", "type", "Cow"), Triple("cow9", "grazes_on", "field1")]
    assert add_triples(tmp_path / "kg", new) == 2
    assert add_triples(tmp_path / "kg", new) == 0
    assert (await types(tmp_path / "kg"))["Cow"] == 5
    assert "type" not in await relations(tmp_path / "kg")
    assert delete_triples(tmp_path / "kg", [Triple("cow0", "type", "Cow")]) == 1
    assert (await types(tmp_path / "kg"))["Cow"] == 4
    assert delete_triples(tmp_path / "kg", [Triple("cow0", "type", "Cow")]) == 0
    assert verify(tmp_path / "kg") == []


async def test_a_kg_without_types_gets_none_by_adding(tmp_path: Path) -> None:
    build(tmp_path / "kg", [[Triple("a", "likes", "b")]])
    assert add_triples(tmp_path / "kg", [Triple("a", "type", "Cat")]) == 1
    assert await relations(tmp_path / "kg") == {"likes", "type"}


async def test_a_relation_with_properties_of_its_own_gives_no_types(tmp_path: Path) -> None:
    stated = [QualifiedTriple(*FARM[0], (Statement((("since", ValueText("1990", "number")),)),)), *FARM[1:]]
    build(tmp_path / "kg", [stated])
    assert await types(tmp_path / "kg") == {}
    with pytest.raises(BadInputError, match="properties of its own"):
        build(tmp_path / "forced", [stated], natures={"type": "type"})
