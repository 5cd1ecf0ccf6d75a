"""From what a person typed to an entity or a relation: the id first, then names; what else it may be is said."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from trivium.app.cli.kg.walk import check_relation, resolve_entity
from trivium.kg.embedded import EmbeddedStore, build
from trivium.kg.errors import UnknownEntityError, UnknownRelationError
from trivium.kg.types import Entity, Triple

TRIPLES = [
    Triple("alien", "directed_by", "scott"), Triple("alien", "starred_actors", "weaver"),
    Triple("ghosts84", "starred_actors", "weaver"), Triple("ghosts84", "release_year", "1984"),
    Triple("ghosts16", "release_year", "2016"), Triple("Alien", "covers", "scott"),
]  # fmt: skip
NAMES = [
    Entity("alien", "Alien"), Entity("ghosts84", "Ghostbusters"), Entity("ghosts16", "Ghostbusters"),
    Entity("scott", "Ridley Scott", ("Sir Ridley Scott",)), Entity("weaver", "Sigourney Weaver"),
]  # fmt: skip


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[EmbeddedStore]:
    build(tmp_path / "kg", [TRIPLES], NAMES)
    opened = EmbeddedStore.open(tmp_path / "kg")
    yield opened
    await opened.close()


async def test_an_id_stands_above_a_label(store: EmbeddedStore, capsys: pytest.CaptureFixture[str]) -> None:
    assert await resolve_entity(store, "alien") == "alien"
    assert await resolve_entity(store, "Alien") == "Alien", "there is an entity of that very id"
    assert await resolve_entity(store, "RIDLEY scott") == "scott"
    assert await resolve_entity(store, "Sir Ridley Scott") == "scott"
    assert capsys.readouterr().err == ""


async def test_of_namesakes_the_better_connected_is_taken_and_the_other_named(
    store: EmbeddedStore, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await resolve_entity(store, "Ghostbusters") == "ghosts84"
    told = capsys.readouterr().err
    assert "Ghostbusters names 2 entities" in told
    assert "taken: ghosts84 (2 triples), not: ghosts16 (1 triples)" in told


async def test_what_is_unknown_is_refused_with_what_is_like_it(store: EmbeddedStore) -> None:
    with pytest.raises(UnknownEntityError, match="did you mean 'Sigourney Weaver'") as near:
        await resolve_entity(store, "Sigourny Weever")
    assert "'Sigourny Weever'" in str(near.value)
    with pytest.raises(UnknownEntityError) as far:
        await resolve_entity(store, "zzzzzz")
    assert "did you mean" not in str(far.value)
    with pytest.raises(UnknownEntityError) as long:
        await resolve_entity(store, "x" * 5_000)
    assert len(str(long.value)) < 200, "a message holds the start of a long text"


async def test_relations(store: EmbeddedStore) -> None:
    await check_relation(store, "directed_by")
    for typed in ("Directed_By", "^directedby", "directed"):
        with pytest.raises(UnknownRelationError, match="did you mean 'directed_by'"):
            await check_relation(store, typed)
    with pytest.raises(UnknownRelationError) as unlike:
        await check_relation(store, "q")
    assert str(unlike.value) == "no relation is named 'q'"
