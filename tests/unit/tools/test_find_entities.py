"""Entities by name, with typos, by meaning, and names resolved to ids."""

from __future__ import annotations

from pathlib import Path

import pytest

from trivium.kg.embedded import build
from trivium.kg.errors import UnknownEntityError
from trivium.kg.types import Entity, Triple
from trivium.knowledge.knowledge import close_all
from trivium.tools.find_entities import find_entities
from trivium.tools.resolve_entities import resolve_entities


async def test_names_come_before_meaning(kg_name: str) -> None:
    exact, folded, fuzzy = await find_entities(kg_name, ["Blade Runner", "amelie", "Sigourney Weever"])
    assert [(hit.id, hit.match) for hit in exact] == [("runner", "exact")]
    assert folded[0].id == "amelie"
    assert (fuzzy[0].id, fuzzy[0].match) == ("weaver", "fuzzy")
    assert exact[0].score == 1.0 > fuzzy[0].score


async def test_by_meaning_where_no_name_is_like_it(kg_name: str) -> None:
    named, meant, nothing = await find_entities(kg_name, ["Heat", "brown jackie trousers", "xqzzyv"])
    assert named[0].id == "heat"
    assert meant[0].id == "jackie"
    assert {hit.match for hit in meant} == {"embedding"}, "no name is within a few typos of the text"
    assert all(0.5 <= hit.score <= 1 for hit in meant)
    assert await find_entities(kg_name, ["brown jackie trousers"], fuzzy=False) == [[]]
    assert nothing == []


async def test_an_ambiguous_name_gives_all_up_to_the_limit(kg_name: str) -> None:
    (all_of_them,) = await find_entities(kg_name, ["Solaris"])
    assert {hit.id for hit in all_of_them} == {"solaris72", "solaris02"}
    assert [len(hits) for hits in await find_entities(kg_name, ["Solaris", "Avalon"], limit=1)] == [1, 1]
    assert await find_entities(kg_name, []) == []


async def test_names_resolve_to_ids(kg_name: str) -> None:
    assert await resolve_entities(kg_name, ["Blade Runner", "heat", "amelie"]) == ["runner", "heat", "amelie"]
    with pytest.raises(UnknownEntityError, match="'1982'"):
        await resolve_entities(kg_name, ["1982"])  # a value of release_year
    degrees = {hit.id: hit.degree for hit in (await find_entities(kg_name, ["Avalon"]))[0]}
    assert await resolve_entities(kg_name, ["Avalon"]) == [max(degrees, key=lambda key: degrees[key])]


async def test_an_unknown_name_is_refused_with_similar_ones(kg_name: str) -> None:
    with pytest.raises(UnknownEntityError, match=r"Blade Runner \(runner\)") as caught:
        await resolve_entities(kg_name, ["Heat", "Blade Runer"])
    assert "'Blade Runer'" in str(caught.value)
    with pytest.raises(UnknownEntityError, match=r"no entity is named 'xqzzyv'; trivium kg find looks for another$"):
        await resolve_entities(kg_name, ["xqzzyv"])


async def test_an_exact_id_wins_over_a_better_connected_label(tmp_path: Path) -> None:
    """Two entities: one has the id "x"; the other, better connected, has the label "x"."""
    triples = [Triple("x", "likes", "a")] + [Triple("y", "likes", f"b{n}") for n in range(5)]
    build(tmp_path / "kg", [triples], [Entity("x", "Xavier"), Entity("y", "x")])
    kg = str(tmp_path / "kg")
    degrees = {hit.id: hit.degree for hit in (await find_entities(kg, ["x"]))[0]}
    assert degrees["y"] > degrees["x"], "the label's entity must be the better connected one"
    assert await resolve_entities(kg, ["x", "Xavier", "y"]) == ["x", "x", "y"]
    await close_all()
