"""KnowGPT without a model: choices scored by their paths, open questions, the arms, review, what state keeps."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from trivium.graphs.knowgpt import builder, graph
from trivium.kg.errors import UnknownEntityError, UsageError
from trivium.kg.types import Triple
from trivium.knowledge.knowledge import Knowledge, open_knowledge
from trivium.nodes.knowgpt.context import KnowGPTContext
from trivium.nodes.knowgpt.state import ChoiceInput, KnowGPTInput
from trivium.policies.bandit.bandit import ARMS
from trivium.policies.bandit.serving import give_feedback, open_bandit

MERMAID = """\
graph TD;
	__start__ --> link_entities;
	link_entities --> select_prompt;
	select_prompt --> extract;
	extract --> verbalize;
	verbalize --> answer;
	answer --> __end__;
"""
THREAD = RunnableConfig(configurable={"thread_id": "1"})
WHO = "who directed Heat?"
CHOICES: list[ChoiceInput] = [
    {"id": "A", "text": "Ridley Scott"},
    {"id": "B", "text": "Michael Mann"},
    {"id": "C", "text": "nobody"},
]


async def ask(kg: str, question: str = WHO, choices: Any = (), topics: Any = (), **settings: Any) -> dict[str, Any]:  # noqa: ANN401 - settings are of KnowGPTContext's types
    given: KnowGPTInput = {"question": question, "choices": list(choices), "topic_entities": list(topics)}
    told: dict[str, Any] = (await graph.ainvoke(given, context=KnowGPTContext(kg=kg, **settings)))["answer"]
    return told


def stage(told: dict[str, Any], name: str) -> dict[str, Any]:
    return next(step for step in told["steps"] if step["stage"] == name)


def test_the_drawing() -> None:
    drawn = graph.get_graph().draw_mermaid(with_styles=False)
    assert sorted(drawn.splitlines()) == sorted(MERMAID.splitlines())
    assert graph.name == "knowgpt"


async def test_a_choice_is_made_by_its_paths_and_proved_by_them(kg: str) -> None:
    told = await ask(kg, choices=CHOICES)
    assert told["choice"] == "B"
    assert [item["label"] for item in told["answers"]] == ["Michael Mann"]
    assert told["stop_reason"] == "answered"
    assert told["answer"].startswith("Michael Mann. Evidence: Heat -directed_by-> Michael Mann")
    assert told["usage"]["llm_calls"] == 0
    walked = [Triple(t["head"], t["relation"], t["tail"]) for path in told["paths"] for t in path["triples"]]
    base = Knowledge.open(kg)
    assert all(await base.store.contains(walked))
    await base.close()
    for path in told["paths"]:
        assert path["answer"] == "B"
        ends = [(t["tail"], t["head"]) if t["inverse"] else (t["head"], t["tail"]) for t in path["triples"]]
        assert ends[0][0] == "heat"
        assert ends[-1][1] == "mann"
        assert all(before[1] == after[0] for before, after in pairwise(ends))


@pytest.mark.parametrize("arm", ["rl/sentences", "sub/triples"])
@pytest.mark.parametrize(
    ("question", "right", "wrong", "relation"),
    [
        ("who directed Written on the Wind?", "Douglas Sirk", "Ridley Scott", "directed_by"),
        ("who wrote Written on the Wind?", "George Zuckerman", "Douglas Sirk", "written_by"),
        ("who starred in Blade Runner?", "Harrison Ford", "Matt Damon", "starring"),
        ("who composed the music of Blade Runner?", "Vangelis", "Frank Skinner", "composed_by"),
    ],
)
async def test_a_direct_fact_wins_over_shared_surroundings(
    sample: str, question: str, right: str, wrong: str, relation: str, arm: str
) -> None:
    """Wrong choices are tied to the question by three paths or more: a shared country, a shared year."""
    told = await ask(sample, question, [{"id": "A", "text": wrong}, {"id": "B", "text": right}], prompt=arm)
    assert told["choice"] == "B", told["steps"][-1]
    assert relation in {triple["relation"] for triple in told["paths"][0]["triples"]}


async def test_targets_are_all_candidates_whichever_is_right(kg: str) -> None:
    told = await ask(kg, choices=CHOICES)
    turned = await ask(kg, choices=CHOICES[::-1])
    linked = stage(told, "link_entities")
    assert linked["proposed_by"] == "choices"
    assert [each["entities"] for each in linked["candidates"]] == [["scott"], ["mann"], []]
    assert turned["choice"] == told["choice"]
    assert stage(turned, "answer")["scores"] == stage(told, "answer")["scores"]


async def test_a_choice_without_a_path_says_so(kg: str) -> None:
    told = await ask(kg, choices=[{"id": "x", "text": "a banana"}, {"id": "y", "text": "a director"}])
    assert told["choice"] == "y"
    assert (told["paths"], told["stop_reason"]) == ([], "answered")
    assert "No path in the knowledge graph leads to it" in told["answer"]


async def test_an_open_question_gets_its_candidates_from_the_kg(kg: str) -> None:
    told = await ask(kg, "who directed Heat?")
    assert stage(told, "link_entities")["proposed_by"] == "kg"
    assert told["choice"] is None
    (answer,) = told["answers"]
    assert answer["id"] in {each["id"] for each in stage(told, "link_entities")["candidates"]}
    assert {path["answer"] for path in told["paths"]} == {answer["id"]}


async def test_a_question_about_nothing_in_the_kg_gets_no_answer(kg: str) -> None:
    told = await ask(kg, "how do magnets work?")
    assert (told["answers"], told["paths"], told["stop_reason"]) == ([], [], "not_understood")
    assert told["answer"].startswith('This graph has nothing on "magnets". This graph knows: ')


@pytest.mark.parametrize("arm", [arm.name for arm in ARMS])
async def test_every_arm_gives_lines_that_are_traced_to_triples_of_the_kg(kg: str, arm: str) -> None:
    told = await ask(kg, choices=CHOICES, prompt=arm)
    assert stage(told, "select_prompt")["arm"] == arm
    lines = stage(told, "verbalize")["lines"]
    assert lines
    base = Knowledge.open(kg)
    assert all(await base.store.contains([Triple(*triple) for line in lines for triple in line["triples"]]))
    for line in lines:
        for head, _, tail in line["triples"]:
            named = await base.store.labels([head, tail])
            assert all(label in line["text"] for label in named)
    await base.close()
    assert told["choice"] == "B"
    assert told["paths"]


async def test_a_token_budget_keeps_the_best_lines(kg: str) -> None:
    wide = [*CHOICES, {"id": "D", "text": "thriller"}, {"id": "E", "text": "Robert De Niro"}]
    whole = stage(await ask(kg, choices=wide, prompt="rl/triples"), "verbalize")["lines"]
    short = stage(await ask(kg, choices=wide, prompt="rl/triples", evidence_tokens=16), "verbalize")["lines"]
    assert 0 < len(short) < len(whole)
    assert short == [line for line in whole if line in short]
    assert "(Heat, directed_by, Michael Mann)" in [line["text"] for line in whole]
    assert sum(len(line["text"]) for line in short) <= 16 * 4
    assert stage(await ask(kg, choices=CHOICES, evidence_tokens=0), "verbalize")["lines"] == []


async def test_feedback_by_the_runs_id_reaches_its_arm(own_kg: str) -> None:
    told = await ask(own_kg, choices=CHOICES, prompt="sub/graph")
    run, base = stage(told, "select_prompt")["run"], await open_knowledge(own_kg)
    assert (await give_feedback(base, run, 1.0)).arm == "sub/graph"
    assert not (await give_feedback(base, run, 1.0)).new
    report = (await open_bandit(base, "none")).report()
    assert {arm.arm: arm.pulls for arm in report.arms if arm.pulls} == {"sub/graph": 1}
    assert (await open_bandit(base, "openai:other")).report().rounds == 0
    with pytest.raises(UsageError, match="no run 'x'"):
        await give_feedback(base, "x", 1.0)


async def test_a_log_that_cannot_be_read_costs_an_event_and_no_answer(own_kg: str) -> None:
    (Path(own_kg) / "knowgpt").mkdir(exist_ok=True)
    (Path(own_kg) / "knowgpt" / "bandit.db").write_bytes(b"damaged" * 1_000)
    told = await ask(own_kg, choices=CHOICES)
    assert told["choice"] == "B"
    assert [event["event"] for event in told["events"] if event["stage"] == "select_prompt"] == ["no_bandit"]


async def test_a_human_sees_the_arms_and_chooses_another(kg: str) -> None:
    threaded = builder.compile(InMemorySaver())
    context = KnowGPTContext(kg=kg, review=True)
    given: KnowGPTInput = {"question": WHO, "choices": CHOICES}
    stopped = await threaded.ainvoke(given, THREAD, context=context)
    shown = stopped["__interrupt__"][0].value
    assert [each["arm"] for each in shown["estimates"]] == [arm.name for arm in ARMS]
    assert shown["error"] is None
    again = await threaded.ainvoke(Command(resume={"arm": "rl/poem"}), THREAD)
    assert "unknown arm 'rl/poem'" in again["__interrupt__"][0].value["error"]
    told = (await threaded.ainvoke(Command(resume='{"arm": "sub/triples"}'), THREAD))["answer"]
    assert (stage(told, "select_prompt")["arm"], told["choice"]) == ("sub/triples", "B")
    assert [event["event"] for event in told["events"] if event["stage"] == "select_prompt"] == ["edited"]
    with pytest.raises(UsageError, match="needs a thread"):
        await ask(kg, choices=CHOICES, review=True)


async def test_a_threads_next_question_starts_anew_and_its_state_stays_small(kg: str) -> None:
    threaded = builder.compile(InMemorySaver())
    given: KnowGPTInput = {"question": WHO, "choices": CHOICES}
    told, sizes = {}, list[int]()
    for _ in range(3):
        told = (await threaded.ainvoke(given, THREAD, context=KnowGPTContext(kg=kg)))["answer"]
        sizes.append(len(json.dumps(threaded.get_state(THREAD).values, default=str)))
    assert max(sizes) - min(sizes) < 200
    assert max(sizes) < 30_000
    assert told["choice"] == "B"
    opened = (await threaded.ainvoke({"question": WHO}, THREAD, context=KnowGPTContext(kg=kg)))["answer"]
    assert stage(opened, "link_entities")["proposed_by"] == "kg"


@pytest.mark.parametrize(
    ("choices", "part"),
    [
        ([{"id": "A", "text": "x"}, {"id": "A", "text": "y"}], "two choices have the id 'A'"),
        ([{"id": "A", "text": " "}], "a choice is"),
        ([{"text": "x"}], "a choice is"),
        ([{"id": str(n), "text": "x"} for n in range(101)], "at most 100 choices, not 101"),
    ],
)
async def test_choices_that_cannot_be_told_apart_are_refused(kg: str, choices: Any, part: str) -> None:  # noqa: ANN401 - as a client may send them
    with pytest.raises(UsageError, match=part):
        await ask(kg, choices=choices)


async def test_bad_input_is_refused_by_name(kg: str) -> None:
    with pytest.raises(UnknownEntityError, match="no entity is named 'Nowhere'"):
        await ask(kg, choices=CHOICES, topics=["Nowhere"])
    with pytest.raises(UsageError, match="asks a model"):
        await ask(kg, choices=CHOICES, prompt="direct")
    with pytest.raises(UsageError, match="max_hops must be at most 6, not 7"):
        await ask(kg, choices=CHOICES, max_hops=7)
    with pytest.raises(UsageError, match="prompt must be 'auto'"):
        await ask(kg, choices=CHOICES, prompt="rl/poem")
    with pytest.raises(UsageError, match="discount"):
        await ask(kg, choices=CHOICES, discount=0.0)
