"""Stages `link_entities` and `match_template` on the films, each alone: which Avalon is meant, by which template."""

from __future__ import annotations

from typing import Any, cast

import pytest
from langgraph.runtime import Runtime

from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.keqing.link_entities import link_entities, mentions_of, unlinked
from trivium.nodes.keqing.match_template import match_template
from trivium.nodes.keqing.state import KeqingState, SubQuestionState
from trivium.nodes.run.missing import Link


def sub(number: int, question: str, *seeds: str, dep: tuple[int, ...] = (-1,)) -> SubQuestionState:
    return SubQuestionState(id=number, question=question, dep=list(dep), seed_entities=list(seeds), excludes_used=False)


def state(*subs: SubQuestionState, **links: list[Link]) -> KeqingState:
    return cast("KeqingState", {"sub_questions": list(subs), "links": links})


def settings(kg: str, **more: Any) -> Runtime[KeqingContext]:
    return Runtime(context=KeqingContext(kg=kg, **more))


async def linked(kg: str, given: KeqingState) -> dict[str, list[str]]:
    told = (await link_entities(given, settings(kg)))["links"]
    return {mention: [link["id"] for link in links] for mention, links in told.items()}


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("who is a member of [mask]?", "band"),
        ("who directed [mask]?", "avalon"),
        ("when was [mask] released?", "avalon"),
    ],
)
async def test_of_namesakes_the_one_that_can_answer_comes_first(kg_name: str, question: str, first: str) -> None:
    found = await linked(kg_name, state(sub(0, question, "Avalon")))
    assert found["Avalon"][0] == first
    assert set(found["Avalon"]) == {"avalon", "band"}, "the other is kept: it may be meant all the same"


async def test_mentions_are_found_by_name_and_with_typos_and_nothing_is_forced(kg_name: str) -> None:
    asked = state(sub(0, "who directed [mask]?", "heat", "Gladiatr"), sub(1, "who wrote [mask]?", "Qwxyz Vbnm"))
    found = await linked(kg_name, asked)
    assert (found["heat"][0], found["Gladiatr"][0]) == ("heat", "gladiator")
    assert found["Qwxyz Vbnm"] == []


async def test_what_was_linked_before_stays_as_it_is(kg_name: str) -> None:
    known = Link(id="ronin", label="Heat", score=0.3, degree=1, match="fuzzy")
    given = state(sub(0, "who directed [mask]?", "Heat", "Alien"), Heat=[known])
    assert unlinked(given) == ["Alien"]
    told = (await link_entities(given, settings(kg_name)))["links"]
    assert told["Heat"] == [known]
    assert [link["id"] for link in told["Alien"]][:1] == ["alien"]


def test_names_are_those_of_sub_questions_that_depend_on_none() -> None:
    subs = [sub(0, "[mask]?", "Heat", "Alien"), sub(1, "[mask]?", "<GENERATED>-0", dep=(0,)), sub(2, "[mask]?", "Heat")]
    assert mentions_of(subs) == ["Heat", "Alien"]
    assert mentions_of([]) == []


async def test_each_sub_question_has_its_nearest_templates_with_their_chains(kg_name: str) -> None:
    asked = state(sub(0, "who directed [mask]?", "Heat"), sub(7, "when was [mask] released?", dep=(0,)))
    told = (await match_template(asked, settings(kg_name, templates_per_sub_question=2)))["matches"]
    assert {key: len(matches) for key, matches in told.items()} == {"0": 2, "7": 2}
    assert ["directed_by"] in told["0"][0]["chains"]
    assert ["release_year"] in told["7"][0]["chains"]
    for matches in told.values():
        scores = [match["score"] for match in matches]
        assert scores == sorted(scores, reverse=True)
        assert -1.0 <= scores[-1] <= scores[0] <= 1.0 + 1e-6
    assert (await match_template(state(), settings(kg_name)))["matches"] == {}
