"""Questions that compute on the films, through the compiled graph: values, entities, and the triples behind them."""

from __future__ import annotations

from typing import Any

import pytest
from langgraph.checkpoint.memory import MemorySaver

from tests.films import walk
from trivium.graphs.keqing import builder, graph
from trivium.kg.types import Triple
from trivium.knowledge.knowledge import Knowledge
from trivium.nodes.keqing.context import KeqingContext


async def _ask(question: str, kg: str) -> dict[str, Any]:
    told: dict[str, Any] = (await graph.ainvoke({"question": question}, context=KeqingContext(kg=kg)))["answer"]
    return told


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("how many films did Ridley Scott direct?", 3),
        ("what is the number of films starring Robert De Niro?", 3),
        ("how many films did Ridley Scott direct before 1990?", 2),
        ("how many films did Ridley Scott direct before 1950?", 0),
        ("how many films did Ridley Scott or Michael Mann direct?", 4),
        ("did Alien come out before Heat?", True),
        ("was Ronin released before Heat?", False),
        ("did Ridley Scott direct more films than Barry Levinson?", True),
        ("when did the first film directed by Ridley Scott come out?", 1979),
    ],
)
async def test_values(kg_name: str, question: str, value: object) -> None:
    told = await _ask(question, kg_name)
    assert told["value"] == value
    assert type(told["value"]) is type(value)
    assert told["stop_reason"] == "answered"
    said = {True: "Yes", False: "No"}.get(value, str(value)) if isinstance(value, bool) else str(value)
    assert told["answer"].startswith(f"{said}.")


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("which films directed by Ridley Scott were released before 1990?", {"alien", "runner"}),
        ("which films starring Robert De Niro came out between 1996 and 1997?", {"jackie"}),
        ("which films did Ridley Scott direct in the 1980s?", {"runner"}),
        ("what is the oldest film directed by Ridley Scott?", {"alien"}),
        ("which of the films starring Robert De Niro came out last?", {"ronin"}),
        ("which films were directed by Michael Mann or Barry Levinson?", {"heat", "avalon", "diner"}),
        ("which films starring Robert De Niro do not star Al Pacino?", {"ronin", "jackie"}),
        ("which came out first, Alien or Heat?", {"alien"}),
        ("who directed more films, Ridley Scott or Michael Mann?", {"scott"}),
    ],
)
async def test_entities_with_evidence(films: Knowledge, kg_name: str, question: str, answers: set[str]) -> None:
    told = await _ask(question, kg_name)
    assert {item["id"] for item in told["answers"]} == answers
    assert told["value"] is None
    assert answers <= {path["answer"] for path in told["paths"]}
    walked = [Triple(t["head"], t["relation"], t["tail"]) for path in told["paths"] for t in path["triples"]]
    assert walked
    assert all(await films.store.contains(walked))


async def test_what_was_counted_and_compared_is_evidence(kg_name: str) -> None:
    told = await _ask("how many films did Ridley Scott direct?", kg_name)
    assert {path["answer"] for path in told["paths"]} == walk(["scott"], ["^directed_by"])
    told = await _ask("did Alien come out before Heat?", kg_name)
    years = {(t["head"], t["tail"]) for path in told["paths"] for t in path["triples"]}
    assert ("alien", "1979") in years
    told = await _ask("what is the oldest film directed by Ridley Scott?", kg_name)
    walked = [(t["head"], t["relation"], t["tail"]) for path in told["paths"] for t in path["triples"]]
    assert ("alien", "release_year", "1979") in walked
    assert told["plan"]
    assert "top" in told["query"]["cypher"].lower() or "limit" in told["query"]["cypher"].lower()


async def test_what_appears_most_counts_every_walk(kg_name: str) -> None:
    told = await _ask("what genre do most of Ridley Scott's films have?", kg_name)
    assert [item["id"] for item in told["answers"]] == ["sci-fi"]
    assert told["plan"]


async def test_a_computation_that_fails_is_told(kg_name: str) -> None:
    told = await _ask("which band has the most members, Avalon?", kg_name)
    assert told["value"] is None
    told = await _ask("is Ridley Scott older than Michael Mann?", kg_name)  # this KG has no births
    assert told["value"] is None
    assert any(event["event"] == "unread_name" and "older" in event["mention"] for event in told["events"])


async def test_threads_forget_what_was_computed(kg_name: str) -> None:
    chat = builder.compile(checkpointer=MemorySaver())
    thread: Any = {"configurable": {"thread_id": "1"}}
    context = KeqingContext(kg=kg_name)
    counted = await chat.ainvoke({"question": "how many films did Ridley Scott direct?"}, thread, context=context)
    assert counted["answer"]["value"] == 3
    plain = await chat.ainvoke({"question": "who directed Heat?"}, thread, context=context)
    assert plain["answer"]["value"] is None
    assert [item["id"] for item in plain["answer"]["answers"]] == ["mann"]
