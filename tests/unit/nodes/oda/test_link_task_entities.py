"""Stage `link_task_entities` on the films: where a run of ODA starts, and what a run that begins has not done yet."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest
from langgraph.runtime import Runtime

from trivium.kg.embedded import build
from trivium.kg.errors import UnknownEntityError, UsageError
from trivium.kg.loaders import read_triples
from trivium.nodes.oda.context import OdaContext
from trivium.nodes.oda.link_task_entities import link_task_entities
from trivium.nodes.oda.state import OdaState


async def begun(kg: str, question: str, **given: Any) -> dict[str, Any]:
    state = cast("OdaState", {"question": question, **given})
    return await link_task_entities(state, Runtime(context=OdaContext(kg=kg)))


@pytest.mark.parametrize(
    ("question", "topics"),
    [
        ("who directed Heat?", ["heat"]),
        ("which films star both Robert De Niro and Al Pacino?", ["deniro", "pacino"]),
        ("WHO DIRECTED amelie?", ["amelie"]),
        ("who directed Gladiatr?", ["gladiator"]),
        ("who is a member of Avalon?", ["band"]),
        ("who directed Avalon?", ["avalon"]),
        ("what is the airspeed of an unladen swallow?", []),
    ],
)
async def test_topics_are_found_by_name_in_the_questions_order(kg_name: str, question: str, topics: list[str]) -> None:
    told = await begun(kg_name, question)
    assert told["topics"] == told["task_entities"] == topics
    (step,) = told["log"].value
    links = step.pop("links", {})
    assert step == {"stage": "link_task_entities", "topics": topics, "named": [], "given": False}
    assert [hit["id"] for hits in links.values() for hit in hits] == topics
    near = {mention: hits[0]["label"] for mention, hits in links.items() if hits[0]["match"] != "exact"}
    assert near == ({"Gladiatr": "Gladiator"} if "Gladiatr" in question else {})


async def test_a_word_of_the_schema_is_no_topic_beside_a_name(tmp_path: Path) -> None:
    lines = ["heat\tdirected_by\tMichael Mann", "heat\tstarred_actors\tAl Pacino", "treasure\thas_tags\tactors"]
    (tmp_path / "t.tsv").write_text("\n".join(lines) + "\n")
    build(tmp_path / "kg", read_triples(tmp_path / "t.tsv"))
    kg = str(tmp_path / "kg")
    assert (await begun(kg, "who are the actors in films by Michael Mann?"))["topics"] == ["Michael Mann"]
    assert (await begun(kg, "what is about actors?"))["topics"] == ["actors"], "where nothing else is named"


async def test_given_topics_are_taken_and_no_other(kg_name: str) -> None:
    told = await begun(kg_name, "who directed Heat?", topic_entities=["Ronin", "alien", "ronin"])
    assert told["topics"] == ["ronin", "alien"], "by label or id, each once"
    assert told["named"] == []
    assert told["topic_entities"] == [], "a thread's next question starts without this one's"


async def test_a_fact_is_checked_against_what_else_it_names(kg_name: str) -> None:
    told = await begun(kg_name, "is Michael Mann the director of Heat?", topic_entities=["heat"])
    assert (told["topics"], told["named"]) == (["heat"], ["mann"])


async def test_namesakes_are_kept(kg_name: str) -> None:
    told = await begun(kg_name, "who directed Solaris?")
    (topic,) = told["topics"]
    assert set(told["namesakes"][topic]) == {"solaris72", "solaris02"}
    assert (await begun(kg_name, "who directed Heat?"))["namesakes"] == {}


async def test_a_run_begins_with_nothing_done(kg_name: str) -> None:
    told = await begun(kg_name, "who directed Heat?", memory=[["x"]], history=["y"], facts=["z"], iteration=5)
    assert (told["memory"], told["history"], told["facts"], told["iteration"]) == ([], [], [], 0)
    assert (told["action"], told["proposed"]) == (None, None)


@pytest.mark.parametrize(
    ("question", "given", "error", "said"),
    [
        ("who directed it?", ["Nobody Atall"], UnknownEntityError, "no entity is named 'Nobody Atall'"),
        ("who directed it?", ["Gladiatr"], UnknownEntityError, "did you mean Gladiator"),
        ("", [], UsageError, "the question is empty"),
        ("   ", [], UsageError, "the question is empty"),
        ("x" * 100_000, [], UsageError, "letters|long|characters"),
    ],
)
async def test_what_cannot_be_asked(
    kg_name: str, question: str, given: list[str], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        await begun(kg_name, question, topic_entities=given)
