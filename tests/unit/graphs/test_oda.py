"""ODA's graph without a model: its shape, the paper's own cases, kinds of answers, ablations, and a human's edit."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, cast

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from trivium.graphs.oda import builder, graph
from trivium.kg.errors import ModelError, UnknownEntityError, UsageError
from trivium.kg.types import Triple
from trivium.knowledge import knowledge
from trivium.knowledge.knowledge import Knowledge
from trivium.nodes.oda.context import OdaContext
from trivium.nodes.run.state import QuestionInput

MERMAID = """\
graph TD;
	__start__ --> link_task_entities;
	act --> reflect;
	choose_action -.-> act;
	choose_action -.-> answer;
	choose_action -.-> review_action;
	link_task_entities -.-> answer;
	link_task_entities -.-> observe;
	observe --> choose_action;
	reflect -.-> answer;
	reflect -.-> observe;
	review_action -.-> act;
	review_action -.-> answer;
	answer --> __end__;
"""
LONDON = "Where are both The Call of the Wild and White Fang set, the most two famous works of Jack London?"


async def ask(
    question: str,
    kg: str,
    topics: Sequence[str] = (),
    **settings: Any,
) -> dict[str, Any]:
    given: QuestionInput = {"question": question, "topic_entities": list(topics)}
    told: dict[str, Any] = (await graph.ainvoke(given, context=OdaContext(kg=kg, **settings)))["answer"]
    await check_paths(told, kg)
    return told


async def check_paths(told: dict[str, Any], kg: str) -> None:
    """Every path is in the KG, joins up and ends at what it supports; every answer has one."""
    base = Knowledge.open(kg)
    try:
        for path in told["paths"]:
            stored = [Triple(t["head"], t["relation"], t["tail"]) for t in path["triples"]]
            assert all(await base.store.contains(stored))
            ends = [(t["tail"], t["head"]) if t["inverse"] else (t["head"], t["tail"]) for t in path["triples"]]
            assert all(one[1] == two[0] for one, two in pairwise(ends))
            assert ends[-1][1] == path["answer"]
        assert {item["id"] for item in told["answers"]} <= {path["answer"] for path in told["paths"]}
    finally:
        await base.close()


def ids(told: dict[str, Any]) -> set[str]:
    return {item["id"] for item in told["answers"]}


def actions(told: dict[str, Any]) -> list[str]:
    return [step["name"] for step in told["steps"] if step["stage"] == "choose_action"]


def test_the_drawing() -> None:
    drawn = graph.get_graph().draw_mermaid(with_styles=False)
    assert sorted(drawn.splitlines()) == sorted(MERMAID.splitlines())
    assert graph.name == "oda"


async def test_the_papers_first_case(sample: str) -> None:
    told = await ask("What is the capital of the prefecture Tokyo?", sample)
    assert ids(told) == {"city/shinjuku"}
    assert told["paths"][0]["triples"][0]["head"] == "prefecture/tokyo"  # not the city of that name
    assert actions(told) == ["GetNeighbor", "Answer"]
    assert (told["method"], told["stop_reason"], told["usage"]["llm_calls"]) == ("oda", "answered", 0)


async def test_the_papers_second_case(sample: str) -> None:
    told = await ask(LONDON, sample)
    assert ids(told) == {"territory/yukon", "country/canada"}
    assert {path["triples"][0]["head"] for path in told["paths"]} == {"novel/the_call_of_the_wild", "novel/white_fang"}
    stages = [step["stage"] for step in told["steps"]]
    assert stages[:5] == ["link_task_entities", "observe", "choose_action", "act", "reflect"]
    assert len(stages) <= 1 + 4 * 8


@pytest.mark.parametrize(
    ("question", "topics", "answers", "value"),
    [
        ("Who directed Written on the Wind?", [], {"person/douglas_sirk"}, None),
        ("Where was the director of Written on the Wind born?", [], {"city/hamburg"}, None),
        ("In which year was Written on the Wind released?", ["Written on the Wind"], {"1956"}, 1956),
        ("How many novels did Jack London write?", [], None, 4),
        ("Is Shinjuku the capital of the prefecture Tokyo?", [], {"prefecture/tokyo"}, True),
        ("Is Kyoto the capital of Japan?", ["country/japan"], set(), False),
    ],
)
async def test_kinds_of_answers(
    sample: str, question: str, topics: list[str], answers: set[str] | None, value: object
) -> None:
    told = await ask(question, sample, topics)
    assert told["value"] == value
    assert type(told["value"]) is type(value)
    if answers is None:
        assert len(ids(told)) == value
    else:
        assert ids(told) == answers
    assert told["paths"]


async def test_a_list_is_whole_though_a_reflection_keeps_few(sample: str) -> None:
    question = "Which films have the genre drama?"
    whole = await ask(question, sample, ["genre/drama"])
    few = await ask(question, sample, ["genre/drama"], reflected_triples=2)
    assert len(ids(whole)) > 15
    assert ids(few) == ids(whole)
    assert max(len(step["kept"]) for step in few["steps"] if step["stage"] == "reflect") == 2
    assert max(len(step["kept"]) for step in whole["steps"] if step["stage"] == "reflect") == 15


async def test_nothing_to_start_from_and_nothing_found(sample: str) -> None:
    told = await ask("what is the airspeed of an unladen swallow?", sample)
    assert (told["stop_reason"], told["answers"], told["value"]) == ("not_understood", [], None)
    assert told["answer"].startswith('This graph has nothing on "airspeed", "unladen swallow". This graph knows: ')
    with pytest.raises(UnknownEntityError, match="nobody at all"):
        await ask("who is it?", sample, ["nobody at all"])


@pytest.mark.parametrize("reflection", ["similarity", "random"])
async def test_ablations_of_the_reflection(sample: str, reflection: str) -> None:
    topics = ["film/written_on_the_wind"]
    told = await ask("Who directed Written on the Wind?", sample, topics, reflection=reflection)
    again = await ask("Who directed Written on the Wind?", sample, topics, reflection=reflection)
    assert told["steps"] == again["steps"]
    kept = next(step["kept"] for step in told["steps"] if step["stage"] == "reflect")
    assert len({relation for _, relation, _ in kept}) > 1  # no group: the triples as they rank, or as they are drawn
    assert told["steps"][4]["reflection"] == f"{reflection}, by similarity"


async def test_other_seeds_draw_other_triples(sample: str) -> None:
    drawn = []
    for seed in (0, 1):
        told = await ask("What is it?", sample, ["genre/drama"], reflection="random", seed=seed)
        drawn.append(next(step["kept"] for step in told["steps"] if step["stage"] == "reflect"))
    assert drawn[0] != drawn[1]
    assert len(drawn[0]) == len(drawn[1]) == 15


async def test_without_observation(sample: str) -> None:
    told = await ask(LONDON, sample, observation=False)
    assert all(step["observed"] == 0 for step in told["steps"] if step["stage"] == "observe")
    assert ids(told) == {"territory/yukon", "country/canada"}


async def test_the_loop_ends_at_its_limit(sample: str) -> None:
    told = await ask(LONDON, sample, max_iterations=1)
    assert actions(told) == ["GetNeighbor"]
    assert [event["event"] for event in told["events"]] == ["iterations_spent"]
    assert ids(told) == {"territory/yukon", "country/canada"}


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"max_iterations": 0}, "max_iterations must be at least 1"),
        ({"path_hops": 9}, "path_hops must be at most 6"),
        ({"reflection": "guess"}, "reflection must be 'observed', 'similarity'"),
        ({"reflection": "generated_fact"}, "has a model write the facts"),
        ({"completion_tokens": 0}, "completion_tokens must be at least 1"),
    ],
)
async def test_settings_that_no_run_can_have(sample: str, settings: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        await ask("who?", sample, **settings)
    with pytest.raises(ModelError):
        await ask("who?", sample, model="nonsense")


async def test_a_human_may_edit_an_action_before_it_is_done(sample: str) -> None:
    thread = builder.compile(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "1"}}
    context = OdaContext(kg=sample, review=True)
    given: QuestionInput = {"question": "Who directed it?", "topic_entities": ["film/written_on_the_wind"]}
    stopped = cast("dict[str, Any]", await thread.ainvoke(given, config, context=context))
    (shown,) = [each.value for each in stopped["__interrupt__"]]
    assert shown["action"] == {"action": "GetNeighbor", "entities": ["film/written_on_the_wind"]}
    assert shown["candidates"] == {"film/written_on_the_wind": "Written on the Wind"}
    assert not (await thread.aget_state(config)).values["history"]  # nothing was done yet

    wrong: Command[Any] = Command(resume={"action": "GetPath", "entities": ["Lured"]})
    refused = cast("dict[str, Any]", await thread.ainvoke(wrong, config, context=context))
    assert "GetPath takes 2 entities" in refused["__interrupt__"][0].value["error"]

    edit: Command[Any] = Command(resume='{"action": "GetNeighbor", "entities": ["Lured"]}')
    state = cast("dict[str, Any]", await thread.ainvoke(edit, config, context=context))
    (done,) = (await thread.aget_state(config)).values["history"]
    assert (done["entities"], done["by"]) == (["film/lured"], "human")
    while "__interrupt__" in state:
        go_on: Command[Any] = Command(resume=True)
        state = cast("dict[str, Any]", await thread.ainvoke(go_on, config, context=context))
    assert [event["event"] for event in state["answer"]["events"]] == ["edited"]
    assert state["answer"]["stop_reason"] == "answered"


async def test_a_review_needs_a_thread(sample: str) -> None:
    with pytest.raises(UsageError, match="which needs a thread"):
        await ask("Who directed Lured?", sample, review=True)


async def test_a_thread_starts_each_question_anew(sample: str) -> None:
    thread = builder.compile(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "1"}}
    for question, answer in (("Who directed Lured?", "person/douglas_sirk"), ("Who wrote White Fang?", None)):
        given: QuestionInput = {"question": question}
        await thread.ainvoke(given, config, context=OdaContext(kg=sample))
        state = (await thread.aget_state(config)).values
        assert len([step for step in state["log"] if step["stage"] == "link_task_entities"]) == 1
        assert ids(state["answer"]) == {answer or "person/jack_london"}
        assert state["topic_entities"] == []


async def test_the_stages_stream(sample: str) -> None:
    given: QuestionInput = {"question": "Who directed Lured?"}
    seen = [
        name
        async for update in graph.astream(given, context=OdaContext(kg=sample), stream_mode="updates")
        for name in cast("dict[str, Any]", update)
    ]
    assert seen == [
        "link_task_entities",
        "observe",
        "choose_action",
        "act",
        "reflect",
        "observe",
        "choose_action",
        "answer",
    ]


async def test_a_misspelt_name_is_found(sample: str) -> None:
    told = await ask("who directed Writen on the Wnd?", sample)
    assert told["steps"][0]["topics"] == ["film/written_on_the_wind"]
    assert ids(told) == {"person/douglas_sirk"}


@pytest.mark.parametrize(
    ("question", "topics", "value"),
    [
        ("Is Tokyo the capital of Japan?", ["city/tokyo"], True),  # not the prefecture of that name, which is found too
        ("Is Jack London a friend of Canada?", [], None),  # the KG says nothing of friends
        ("Is Lured good?", [], None),  # nothing to check it against
        ("Is Jack London the capital of Japan?", ["country/japan"], None),  # no capital of anything
    ],
)
async def test_facts_that_are_true_and_facts_that_the_kg_says_nothing_about(
    sample: str, question: str, topics: list[str], value: bool | None
) -> None:
    told = await ask(question, sample, topics)
    assert told["value"] is value
    assert bool(told["answers"]) == (value is True)


async def test_an_answer_by_relations_that_are_hardly_like_the_question_is_withheld(sample: str) -> None:
    told = await ask("Tell me about Tokyo.", sample)
    assert (told["answers"], told["stop_reason"]) == ([], "not_understood")
    assert "About Tokyo it knows: located in, " in told["answer"]


async def test_an_answer_that_no_reading_can_judge_says_that_it_is_unsure(
    sample: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(knowledge, "_TRIPLES_LEARNT", 3)
    told = await ask("Tell me about Tokyo.", sample)
    assert told["answer"].startswith("Unsure: ")
    assert [event["event"] for event in told["events"]] == ["unsure"]
    assert told["answers"][0]["score"] < 0.1
