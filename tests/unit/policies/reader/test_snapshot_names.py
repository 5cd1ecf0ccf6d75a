"""Names of an embedded KG for the reader: exact, folded, partial, misspelled."""

from __future__ import annotations

import asyncio
from pathlib import Path

from trivium.kg.embedded import EmbeddedStore, build
from trivium.kg.types import Entity, Triple
from trivium.policies.linking import SnapshotNames


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
