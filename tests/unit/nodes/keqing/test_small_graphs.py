"""Graphs of a dozen triples, from the schema alone: what they answer, and what they must not claim."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest

from trivium.graphs.keqing import graph
from trivium.kg.embedded import build
from trivium.kg.types import Triple
from trivium.knowledge.knowledge import Knowledge, close_all
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.run.answer_record import Answer
from trivium.policies.reader.chains.teaching import teach

COMPANY = """\
Ann works_for Acme, Bob works_for Acme, Cleo works_for Initech, Dan works_for Initech,
Ann lives_in Oslo, Bob lives_in Bergen, Cleo lives_in Oslo, Dan lives_in Paris, Ann knows Cleo, Bob knows Dan"""
FAMILY = """\
Maria mother_of Tom, Maria mother_of Lisa, Peter father_of Tom, Peter father_of Lisa,
Maria born_in 1960, Peter born_in 1958, Tom born_in 1988, Lisa born_in 1991,
Tom married_to Julia, Maria has_pet Rex, Lisa has_pet Minka"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """Both graphs, learned from their schema alone."""
    folder = tmp_path_factory.mktemp("small")
    for name, text in {"company": COMPANY, "family": FAMILY}.items():
        build(folder / name, [[Triple(*fact.split()) for fact in text.split(",")]])
        with Knowledge.open(folder / name) as base:
            asyncio.run(teach(base, None, lambda *_: None))
    return {name: folder / name for name in ("company", "family")}


@pytest.fixture
async def graphs(built: Mapping[str, Path]) -> AsyncIterator[Mapping[str, Path]]:
    yield built
    await close_all()


async def _ask(kg: Path, question: str) -> Answer:
    found: Answer = (await graph.ainvoke({"question": question}, context=KeqingContext(kg=str(kg))))["answer"]
    return found


async def test_answers(graphs: Mapping[str, Path]) -> None:
    asked = [
        ("company", "who works for Acme?", ["Ann", "Bob"]),
        ("company", "what is Bob's employer?", ["Acme"]),
        ("company", "what company does Cleo work at?", ["Initech"]),
        ("family", "who is Tom's wife?", ["Julia"]),
        ("family", "when was Maria born?", ["1960"]),
    ]
    for kg, question, answers in asked:
        found = await _ask(graphs[kg], question)
        said = sorted(entity["label"] for entity in found["answers"]) or [str(found["value"])]
        assert said == answers, question


async def test_yes_and_no(graphs: Mapping[str, Path]) -> None:
    asked = [
        ("company", "does Ann live in Oslo?", True),
        ("company", "does Bob live in Oslo?", False),
        ("company", "is Dan working for Acme?", False),
        ("family", "is Tom married to Julia?", True),
        ("family", "is Lisa married to Julia?", False),
    ]
    for kg, question, yes in asked:
        found = await _ask(graphs[kg], question)
        assert (found["value"], found["answers"]) == (yes, []), question


async def test_claims_nothing_that_is_not_there(graphs: Mapping[str, Path]) -> None:
    asked = [
        ("company", "who is Bob's dentist?"),
        ("company", "who is Ann married to?"),
        ("company", "is Acme a good employer?"),  # not a list of those who work there
        ("company", "who founded Acme?"),
        ("company", "who owns Acme?"),  # one relation is all that Acme has: no reason to take it
        ("company", "where is Acme?"),
        ("company", "who does Eve work for?"),
        ("family", "where was Tom born?"),  # a year is no place
        ("family", "what is Julia's job?"),
        ("family", "when did Maria die?"),
    ]
    for kg, question in asked:
        found = await _ask(graphs[kg], question)
        assert (found["answers"], found["value"]) == ([], None), question
        assert found["stop_reason"] in ("not_found", "not_understood", "unknown_entity"), question
