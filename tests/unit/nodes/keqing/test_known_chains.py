"""A sub-question whose chain the decomposer knows is followed by that chain; only free words are matched."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import pytest
from langgraph.runtime import Runtime

from trivium.kg.embedded import build
from trivium.kg.types import Triple
from trivium.knowledge.knowledge import close_all
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.keqing.link_entities import link_entities
from trivium.nodes.keqing.match_template import match_template
from trivium.nodes.keqing.retrieve import retrieve, wave
from trivium.nodes.keqing.state import KeqingState, SubQuestionState
from trivium.nodes.run.missing import Link
from trivium.tools.match_templates import match_templates

SHARED = "what is the works for of [mask]?"


@pytest.fixture
async def kg(tmp_path: Path) -> AsyncIterator[str]:
    """Two relations that read the same in words: templates give them one text with both chains."""
    triples = [Triple("ann", "works_for", "acme"), Triple("ann", "works-for", "red cross"), Triple("bo", "likes", "x")]
    build(tmp_path / "kg", [triples])
    yield str(tmp_path / "kg")
    await close_all()


async def _found(
    kg: str, context: KeqingContext, chain: list[str] | None = None
) -> tuple[set[str], list[dict[str, Any]]]:
    """What a sub-question in the shared words finds, and what it was matched to."""
    sub = SubQuestionState(id=0, question=SHARED, dep=[-1], seed_entities=["ann"], excludes_used=False)
    if chain:
        sub["chain"] = chain
    links = {"ann": [Link(id="ann", label="ann", score=1.0, degree=2, match="exact")]}
    state = cast("KeqingState", {"sub_questions": [sub], "links": links, "retrieved": {}})
    runtime = Runtime(context=context)
    state = cast("KeqingState", {**state, **await match_template(state, runtime)})
    (task,) = wave(state, context)
    done = (await retrieve(task, runtime))["retrieved"]["0"]
    return {item["id"] for item in done["found"]}, [dict(match) for match in state["matches"]["0"]]


async def test_two_relations_that_share_a_text_are_not_confused(kg: str) -> None:
    ((best, *_),) = await match_templates(kg, [SHARED])
    assert {chain[0].relation for chain in best.template.chains} == {"works_for", "works-for"}, "they share a text"
    context = KeqingContext(kg=kg)
    assert (await _found(kg, context, chain=["works_for"]))[0] == {"acme"}
    assert (await _found(kg, context, chain=["works-for"]))[0] == {"red cross"}
    assert (await _found(kg, context))[0] == {"acme", "red cross"}, "words alone do not tell them apart"


async def test_a_known_chain_that_leads_nowhere_is_not_replaced_by_a_similar_template(kg: str) -> None:
    found, matches = await _found(kg, KeqingContext(kg=kg), chain=["likes"])
    assert found == set()
    assert [match["chains"] for match in matches] == [[["likes"]]]


async def test_a_model_that_judges_gets_more_candidates_behind_the_known_chain(kg: str) -> None:
    context = KeqingContext(kg=kg, model="some:model", reason="llm")
    _, matches = await _found(kg, context, chain=["works_for"])
    assert matches[0]["chains"] == [["works_for"]]
    assert len(matches) == context.templates_per_sub_question
    assert len({match["template"] for match in matches}) == len(matches)


async def test_namesakes_are_told_apart_by_the_known_chain(kg_name: str) -> None:
    """Both a film and a band are called Avalon; the words fit neither, the chain fits one."""
    for chain, first in ((["has_member"], "band"), (["directed_by"], "avalon")):
        sub = SubQuestionState(
            id=0, question="[mask]?", dep=[-1], seed_entities=["Avalon"], excludes_used=False, chain=chain
        )
        state = cast("KeqingState", {"sub_questions": [sub], "links": {}})
        linked = await link_entities(state, Runtime(context=KeqingContext(kg=kg_name)))
        assert linked["links"]["Avalon"][0]["id"] == first
