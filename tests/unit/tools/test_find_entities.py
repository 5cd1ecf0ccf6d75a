"""Entities by name, with typos, by meaning, and names resolved to ids."""

from __future__ import annotations

import pytest

from trivium.kg.errors import UnknownEntityError
from trivium.kg.knowledge_base import KnowledgeBase
from trivium.tools.find_entities import find_entities, resolve


async def test_names_come_before_meaning(films: KnowledgeBase) -> None:
    exact, folded, fuzzy = await find_entities(films, ["Blade Runner", "amelie", "Sigourney Weever"])
    assert [(hit.id, hit.match) for hit in exact] == [("runner", "exact")]
    assert folded[0].id == "amelie"
    assert (fuzzy[0].id, fuzzy[0].match) == ("weaver", "fuzzy")
    assert exact[0].score == 1.0 > fuzzy[0].score


async def test_by_meaning_where_no_name_is_like_it(films: KnowledgeBase) -> None:
    named, meant, nothing = await find_entities(films, ["Heat", "brown jackie trousers", "xqzzyv"])
    assert named[0].id == "heat"
    assert meant[0].id == "jackie"
    assert meant[0].match in ("fuzzy", "embedding")
    assert all(0.5 <= hit.score <= 1 for hit in meant)
    assert nothing == []


async def test_an_ambiguous_name_gives_all_up_to_the_limit(films: KnowledgeBase) -> None:
    (all_of_them,) = await find_entities(films, ["Solaris"])
    assert {hit.id for hit in all_of_them} == {"solaris72", "solaris02"}
    assert [len(hits) for hits in await find_entities(films, ["Solaris", "Avalon"], limit=1)] == [1, 1]
    assert await find_entities(films, []) == []


async def test_names_resolve_to_ids(films: KnowledgeBase) -> None:
    assert await resolve(films, ["Blade Runner", "heat", "amelie", "1982"]) == ["runner", "heat", "amelie", "1982"]
    degrees = {hit.id: hit.degree for hit in (await find_entities(films, ["Avalon"]))[0]}
    assert await resolve(films, ["Avalon"]) == [max(degrees, key=lambda key: degrees[key])]


async def test_an_unknown_name_is_refused_with_similar_ones(films: KnowledgeBase) -> None:
    with pytest.raises(UnknownEntityError, match=r"Blade Runner \(runner\)") as caught:
        await resolve(films, ["Heat", "Blade Runer"])
    assert "'Blade Runer'" in str(caught.value)
    with pytest.raises(UnknownEntityError, match=r"no entity is named 'xqzzyv'; trivium kg find looks for another$"):
        await resolve(films, ["xqzzyv"])
