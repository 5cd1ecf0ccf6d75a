"""After a write: the next question sees it, what is stale stays in use and says so, and one call renews everything."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.films import build_films
from trivium.graphs.keqing import graph
from trivium.kg.embedded import add_triples, build, delete_triples, verify
from trivium.kg.types import Entity, Triple
from trivium.knowledge import knowledge
from trivium.knowledge.freshness import renew, stale
from trivium.knowledge.knowledge import Knowledge, close_all, open_knowledge
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.run.answer_record import Answer
from trivium.policies.reader.chains.artifact import CURRENT, DECOMPOSER
from trivium.policies.reader.chains.teaching import teach

PEOPLE = [
    Triple("Ann", "works_for", "Acme"),
    Triple("Bob", "works_for", "Acme"),
    Triple("Bob", "born_in", "Bergen"),
    Triple("Acme", "located_in", "Lyon"),
]


def _quiet(*_: object) -> None:
    """No progress."""


@pytest.fixture
async def people(tmp_path: Path) -> AsyncIterator[Path]:
    """A KG that Keqing has learned from its schema alone."""
    build(tmp_path / "people", [PEOPLE])
    with Knowledge.open(tmp_path / "people") as base:
        await teach(base, None, _quiet)
    yield tmp_path / "people"
    await close_all()


@pytest.fixture
async def taught(films_kg: Path, tmp_path: Path, without_torch: None) -> AsyncIterator[Path]:
    """A KG that Keqing has learned from pairs."""
    shutil.copytree(films_kg, tmp_path / "films")
    yield tmp_path / "films"
    await close_all()


async def _ask(kg: Path, question: str) -> Answer:
    found: Answer = (await graph.ainvoke({"question": question}, context=KeqingContext(kg=str(kg))))["answer"]
    return found


def _labels(answer: Answer) -> list[str]:
    return sorted(entity["label"] for entity in answer["answers"])


def _stale_events(answer: Answer) -> list[str]:
    return [event["message"] for event in answer["events"] if event["event"] == "stale"]


async def test_a_running_process_answers_with_a_relation_that_another_one_has_just_written(people: Path) -> None:
    assert _labels(await _ask(people, "where was Bob born?")) == ["Bergen"]
    add_triples(people, [Triple("Ann", "born_in", "Oslo"), Triple("Ann", "married_to", "Dan")])
    for question, answer in (("where was Ann born?", "Oslo"), ("who is Ann married to?", "Dan")):
        found = await _ask(people, question)
        assert (_labels(found), _stale_events(found)) == ([answer], [])
    delete_triples(people, [Triple("Ann", "married_to", "Dan")])
    assert "Dan" not in _labels(await _ask(people, "who is Ann married to?"))


async def test_what_is_brought_up_to_date_is_kept_for_other_processes_and_taken_back_by_learning(people: Path) -> None:
    add_triples(people, [Triple("Ann", "married_to", "Dan")])
    with Knowledge.open(people) as first:
        made = await first.decomposer()
        stamp = CURRENT.stamp(first.learnt)
        assert stamp != (0, 0, 0)
        assert {hop.relation for hop in made.phrases} >= {"married_to"}
    with Knowledge.open(people) as second:
        assert {hop.relation for hop in (await second.decomposer()).phrases} >= {"married_to"}
        assert CURRENT.stamp(second.learnt) == stamp, "read, not made again"
        assert verify(people) == []
        await teach(second, None, _quiet)
        assert not CURRENT.exists(second.learnt)
    assert verify(people) == []


async def test_what_pairs_taught_stays_in_use_with_an_event_until_it_is_renewed(taught: Path) -> None:
    question = "what other movies were made by the director of Gladiator"
    before, pairs = await _ask(taught, question), DECOMPOSER.head(taught / "keqing").data["pairs"]
    assert _stale_events(before) == []
    add_triples(taught, [Triple("dune", "directed_by", "scott")], [Entity("dune", "Dune")])
    after = await _ask(taught, question)
    assert _labels(after) == sorted([*_labels(before), "Dune"])
    (message,) = _stale_events(after)
    assert f"trivium learn --renew --kg {taught}" in message
    opened = await open_knowledge(str(taught))
    assert [each.what for each in await stale(opened)] == ["keqing"]
    assert ("keqing", True) in [(each.what, each.done) for each in await renew(opened, _quiet)]
    again = await _ask(taught, question)
    assert (_labels(again), _stale_events(again)) == (_labels(after), [])
    assert DECOMPOSER.head(taught / "keqing").data["pairs"] == pairs > 100
    assert verify(taught) == []


async def test_pairs_that_were_not_kept_are_asked_for(taught: Path) -> None:
    shutil.rmtree(taught / "examples")
    add_triples(taught, [Triple("dune", "directed_by", "scott")])
    pairs = DECOMPOSER.head(taught / "keqing").data["pairs"]
    renewed = await renew(await open_knowledge(str(taught)), _quiet)
    (left,) = [each for each in renewed if each.what == "keqing"]
    assert not left.done
    assert "--questions" in left.message
    assert DECOMPOSER.head(taught / "keqing").data["pairs"] == pairs, "what it had is not thrown away"


async def test_of_a_large_graph_the_schema_alone_is_brought_up_to_date(
    people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(knowledge, "_CHEAP_TRIPLES", 0)
    opened = await open_knowledge(str(people))
    index = await opened.entities()
    first = await opened.decomposer()
    add_triples(people, [Triple("Ann", "born_in", "Oslo")])
    assert await opened.decomposer() is first, "its words are still those of the schema"
    assert await opened.entities() is index
    assert [each.what for each in await stale(opened)] == ["keqing", "entities"]
    assert _stale_events(await _ask(people, "where was Ann born?"))
    add_triples(people, [Triple("Ann", "married_to", "Dan")])
    assert _labels(await _ask(people, "who is Ann married to?")) == ["Dan"]
    assert all(each.done for each in await renew(opened, _quiet))
    assert await stale(opened) == []
    assert "Dan" in (await opened.entities()).keys


async def test_an_older_trivium_s_decomposer_gives_way_to_the_schema_with_an_event(people: Path) -> None:
    path = people / "keqing" / "decomposer.json"
    path.write_text('{"format": 4, "arrays": "decomposer-0.safetensors"}')
    found = await _ask(people, "where was Bob born?")
    assert _labels(found) == ["Bergen"]
    assert "older Trivium" in _stale_events(found)[0]
    assert [each.done for each in await renew(await open_knowledge(str(people)), _quiet)] == [True]
    assert _stale_events(await _ask(people, "where was Bob born?")) == []


async def test_nothing_learned_is_nothing_stale(tmp_path: Path) -> None:
    folder, _ = build_films(tmp_path)
    with Knowledge.open(folder) as opened:
        await opened.derive()
        add_triples(folder, [Triple("dune", "directed_by", "scott")])
        assert await stale(opened) == []
        assert await renew(opened, _quiet) == []
