"""Names of an embedded KG for the reader: exact, folded, partial, misspelled."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from trivium.kg.embedded import EmbeddedStore, build
from trivium.kg.types import Entity, Triple
from trivium.policies.linking import MemoryNames, SnapshotNames


def names(folder: Path) -> SnapshotNames:
    triples = [Triple("p/1", "lives_in", "c/1"), Triple("p/2", "lives_in", "c/1")]
    entities = [
        Entity("p/1", "Harry S. Truman", types=("person",)),
        Entity("p/2", "Zoë Baird", types=("person", "lawyer")),
        Entity("c/1", "Independence", types=("city",)),
    ]
    build(folder, [triples], entities)
    store = EmbeddedStore.open(folder)
    try:
        return SnapshotNames(store.snapshot, asyncio.run(store.columns()))
    finally:
        store.close_now()


def test_names_of_a_snapshot(tmp_path: Path) -> None:
    index = names(tmp_path / "kg")
    exact, folded, nothing = index.find(["Independence", "zoe baird", "Springfield"])
    assert [(hit.id, hit.types, hit.match) for hit in exact] == [("c/1", ("city",), "exact")]
    assert [(hit.id, set(hit.types)) for hit in folded] == [("p/2", {"person", "lawyer"})]
    assert nothing == []
    assert [hit.id for hit in index.find_near("Harry Truman")] == ["p/1"]
    assert [hit.id for hit in index.find_near("Independance")] == ["c/1"]
    assert index.find_near("Dependance") == [], "another name, which may be offered and is not read"


@pytest.mark.parametrize(
    ("said", "name", "read"),
    [
        ("Wakanda", "Rwanda", False),
        ("Slovakia", "Slovenia", False),
        ("Gambia", "Zambia", False),
        ("Atlantis", "Atlanta", False),
        ("Armnia", "Armenia", True),
        ("Armenias", "Armenia", True),
        ("Elena Petrva", "Elena Petrova", True),
        ("Petrova", "Dr Elena Petrova", True),
    ],
)
def test_a_name_is_read_in_part_and_with_a_typo_and_not_where_it_is_only_spelt_alike(
    said: str, name: str, read: bool, tmp_path: Path
) -> None:
    memory = MemoryNames([("e/1", name, (), (), 1)])
    build(tmp_path / "kg", [[Triple("e/1", "near", "e/2")]], [Entity("e/1", name), Entity("e/2", "Elsewhere")])
    store = EmbeddedStore.open(tmp_path / "kg")
    try:
        indexes = memory, SnapshotNames(store.snapshot, asyncio.run(store.columns()))
    finally:
        store.close_now()
    for index in indexes:
        assert [hit.id for hit in index.find_near(said)] == ["e/1"] * read
