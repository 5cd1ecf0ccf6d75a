"""Chains walked from seeds, several at once."""

from __future__ import annotations

from tests.films import walk
from trivium.kg.types import parse_chain
from trivium.knowledge.knowledge import Knowledge
from trivium.tools.follow_chain import follow_chain

MADE, PLAYED, WROTE = (parse_chain([hop]) for hop in ("^directed_by", "^starring", "^written_by"))


async def test_one_chain_is_the_stores_own_result(films: Knowledge, kg_name: str) -> None:
    chain = parse_chain(["^directed_by", "starring"])
    found = await follow_chain(kg_name, ["scott"], [chain])
    assert found == await films.store.follow(["scott"], chain)
    assert {item.id for item in found.reached} == walk(["scott"], ["^directed_by", "starring"])


async def test_support_of_several_chains_adds_up(kg_name: str) -> None:
    found = await follow_chain(kg_name, ["levinson", "deniro"], [MADE, WROTE, PLAYED])
    support = {item.id: item.support for item in found.reached}
    assert support == {"avalon": 2, "diner": 2, "heat": 1, "jackie": 1, "ronin": 1}
    assert [item.id for item in found.reached] == sorted(support, key=lambda key: (-support[key], key))
    assert all(item.path[-1].end == item.id for item in found.reached)


async def test_a_cap_is_told(kg_name: str) -> None:
    found = await follow_chain(kg_name, ["deniro"], [PLAYED, MADE], limit=1)
    assert found.truncated
    assert len(found.reached) == 1
    assert not (await follow_chain(kg_name, ["deniro"], [PLAYED, MADE], limit=5)).truncated


async def test_nowhere_to_go(kg_name: str) -> None:
    for seeds, chains in ((["deniro"], [MADE]), ([], [MADE, PLAYED]), (["nobody"], [MADE, PLAYED])):
        found = await follow_chain(kg_name, seeds, chains)
        assert found.reached == ()
        assert not found.truncated
