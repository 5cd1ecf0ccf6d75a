"""ODA with a model, against the scripted server: what its prompts show, what it costs, and that it always ends."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.fake_openai import FakeOpenAI, Reply
from trivium.graphs.oda import graph
from trivium.kg.embedded import build
from trivium.kg.types import Triple
from trivium.knowledge.knowledge import close_all
from trivium.nodes.model import close_models
from trivium.nodes.model.prompts import PromptError
from trivium.nodes.oda import act as acting
from trivium.nodes.oda.context import OdaContext
from trivium.nodes.run.state import QuestionInput

CALL, FANG = "novel/the_call_of_the_wild", "novel/white_fang"
LONDON = "Where are both The Call of the Wild and White Fang set, the most two famous works of Jack London?"
ACTING = "choose one of these actions"
REFLECTING = "select related triples"
ANSWERING = "answers questions based on the reference memory"


@pytest.fixture(autouse=True)
async def closed(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    monkeypatch.setenv("OPENAI_API_KEY", "no-key")
    yield
    await close_models()


@pytest.fixture
def patch(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    return monkeypatch


def rule(words: str, reply: object, times: int | None = None) -> dict[str, Any]:
    return {"match": re.escape(words), "reply": {"json": reply, "times": times} if times else {"json": reply}}


def act(name: str, *entities: str) -> dict[str, Any]:
    return {"thought": "so it seems", "action": name, "entities": list(entities)}


async def run(
    server: FakeOpenAI,
    patch: pytest.MonkeyPatch,
    kg: str,
    question: str = LONDON,
    *topics: str,
    **settings: Any,
) -> dict[str, Any]:
    patch.setenv("OPENAI_BASE_URL", server.url)
    given: QuestionInput = {"question": question, "topic_entities": list(topics)}
    context = OdaContext(kg=kg, model="openai:fake", **settings)
    told: dict[str, Any] = (await graph.ainvoke(given, context=context))["answer"]
    assert told["stop_reason"]
    assert told["answer"]
    return told


def prompts(server: FakeOpenAI, words: str) -> list[str]:
    return [str(request.body["messages"][-1]["content"]) for request in server.requests if words in request.last]


def numbers(prompt: str, words: str) -> list[int]:
    """The numbers of the candidate triples that hold some words."""
    return [int(n) for n, text in re.findall(r"^(\d+)\. (.*)$", prompt, re.MULTILINE) if words in text]


PAPER = [
    {"match": f"{ACTING}[\\s\\S]*Action history[^\\n]*\\n\\(none\\)", "reply": {"json": act("GetNeighbor", CALL)}},
    {"match": f"{ACTING}[\\s\\S]*White Fang \\[{FANG}\\], set_in[\\s\\S]*Candidate", "reply": {"json": act("Answer")}},
    rule(ACTING, act("GetNeighbor", FANG)),
    rule(ANSWERING, {"answers": ["Canada [country/canada]", "yukon"]}),
]
"""The paper's second case (table 6): two neighbourhoods, then the answer; the reflections are added by each test."""
NEAREST = {"triples": [1, 2, 3]}
"""A reflection that keeps the first lines of its candidates, which are the nearest to the question."""


async def test_the_papers_second_case(sample: str, patch: pytest.MonkeyPatch) -> None:
    with FakeOpenAI([*PAPER, rule(REFLECTING, NEAREST)]) as server:
        told = await run(server, patch, sample)
        for prompt in prompts(server, REFLECTING):
            (line,) = numbers(prompt, "set_in")
            assert line in NEAREST["triples"]
            assert re.search(r"set_in, (Canada; Yukon|Yukon; Canada)\)", prompt)
    assert {item["id"] for item in told["answers"]} == {"country/canada", "territory/yukon"}
    assert told["stop_reason"] == "answered"
    assert told["usage"]["llm_calls"] == 6  # act, reflect, act, reflect, act, answer
    assert [step["name"] for step in told["steps"] if step["stage"] == "choose_action"] == [
        "GetNeighbor",
        "GetNeighbor",
        "Answer",
    ]
    assert all(step["by"] == "model" for step in told["steps"] if step["stage"] == "choose_action")
    assert not told["events"]


async def test_what_observation_is_for(sample: str, patch: pytest.MonkeyPatch) -> None:
    """Section 4.1: with the observation, the first action is chosen knowing of Yukon."""
    first: dict[bool, str] = {}
    for observation in (True, False):
        with FakeOpenAI([*PAPER, rule(REFLECTING, {"triples": [1]})]) as server:
            await run(server, patch, sample, observation=observation)
            first[observation] = prompts(server, ACTING)[0]
    both = "White Fang [novel/white_fang]; The Call of the Wild [novel/the_call_of_the_wild]"
    assert f"({both}, set_in, Yukon)" in first[True]
    assert "Yukon" not in first[False]


async def test_prompts_hold_what_tables_7_and_8_say(sample: str, patch: pytest.MonkeyPatch) -> None:
    with FakeOpenAI([*PAPER, rule(REFLECTING, NEAREST)]) as server:
        await run(server, patch, sample)
        acting, reflecting, answering = (prompts(server, words) for words in (ACTING, REFLECTING, ANSWERING))
        assert {request.body["temperature"] for request in server.requests} == {0.4}
        assert {request.body["max_completion_tokens"] for request in server.requests} == {500}
    assert "GetNeighbor(The Call of the Wild [novel/the_call_of_the_wild])" in acting[1]  # the history
    assert "set_in" in acting[1].partition("Memory:")[2].partition("Candidate")[0]  # the memory
    assert "Select at most 15 lines" in reflecting[0]
    assert LONDON in answering[0]
    for prompt in (*acting, *reflecting, *answering):
        for key in ("novel/white_fang", "territory/yukon", "person/jack_london"):
            assert not re.search(rf"(?<!\[){key}", prompt)  # no id without its label


async def test_one_request_an_iteration_where_both_are_asked_at_once(sample: str, patch: pytest.MonkeyPatch) -> None:
    both = {"triples": [1], "action": act("Answer")}
    script = [rule(REFLECTING, both), rule(ANSWERING, {"answers": ["yukon"]}), rule(ACTING, act("GetNeighbor", CALL))]
    with FakeOpenAI(script) as server:
        told = await run(server, patch, sample, combined=True)
    assert told["usage"]["llm_calls"] == 3  # act, reflect with the next action, answer
    assert [step["name"] for step in told["steps"] if step["stage"] == "choose_action"] == ["GetNeighbor", "Answer"]


GARBAGE: list[Any] = [Reply("no JSON at all", times=None)]
REFUSALS: list[Any] = [Reply(refusal="I would rather not", times=None)]
BUSY: list[Any] = [Reply(status=429, retry_after=0, times=None)]
BROKEN: list[Any] = [Reply(malformed=True, times=None)]


@pytest.mark.parametrize("script", [GARBAGE, REFUSALS, BUSY, BROKEN], ids=["garbage", "refusals", "429", "broken"])
async def test_a_model_that_is_of_no_use(sample: str, patch: pytest.MonkeyPatch, script: Sequence[Any]) -> None:
    with FakeOpenAI(script) as server:
        told = await run(server, patch, sample, stage_seconds=5.0)
    assert {item["id"] for item in told["answers"]} == {"country/canada", "territory/yukon"}  # without a model
    kinds = {event["event"] for event in told["events"]}
    assert {"action_replaced", "reflection_replaced", "answer_replaced"} <= kinds
    assert told["usage"]["llm_calls"] <= 32


async def test_an_entity_that_is_not_there(sample: str, patch: pytest.MonkeyPatch) -> None:
    script = [rule(ACTING, act("GetNeighbor", "Q42")), rule(REFLECTING, {"triples": [999]})]
    script += [rule("is not among the candidates", {"triples": [], **act("GetPath", CALL)}), *PAPER[-1:]]
    with FakeOpenAI(script) as server:
        told = await run(server, patch, sample)
        repairs = [request.last for request in server.requests if "This cannot be used" in request.last]
    assert any("'Q42' is not among the candidates" in repair for repair in repairs)
    replaced = [event for event in told["events"] if event["event"] == "action_replaced"]
    assert replaced
    assert told["stop_reason"] == "not_found"  # no triple was selected, so none supports what was answered


async def test_the_same_action_for_ever(sample: str, patch: pytest.MonkeyPatch) -> None:
    script = [rule(REFLECTING, {"triples": [1]}), rule(ANSWERING, {"answers": ["Yukon"]})]
    script += [rule("", act("GetNeighbor", CALL))]
    with FakeOpenAI(script) as server:
        told = await run(server, patch, sample, max_llm_calls=60)
        repairs = [request.last for request in server.requests if "was done already" in request.last]
    done = [
        tuple(step["entities"])
        for step in told["steps"]
        if step["stage"] == "choose_action" and step["name"] != "Answer"
    ]
    assert len(done) == len(set(done)) >= 2
    assert repairs
    assert told["stop_reason"] in ("answered", "not_found")


async def test_an_answer_at_once_is_the_models_own(sample: str, patch: pytest.MonkeyPatch) -> None:
    with FakeOpenAI([rule(ACTING, act("Answer")), rule(ANSWERING, {"answers": ["Alaska"]})]) as server:
        told = await run(server, patch, sample)
    assert (told["answers"], told["paths"], told["value"]) == ([], [], None)
    assert told["answer"] == "From the model's own knowledge, which no path proves: Alaska."
    assert told["stop_reason"] == "not_found"
    assert told["usage"]["llm_calls"] == 2


async def test_a_budget_of_three_calls(sample: str, patch: pytest.MonkeyPatch) -> None:
    with FakeOpenAI([*PAPER, rule(REFLECTING, {"triples": [1]})]) as server:
        told = await run(server, patch, sample, max_llm_calls=3)
        assert server.count == 3
    assert told["usage"]["llm_calls"] == 3
    assert "llm_budget" in {event["event"] for event in told["events"]}
    assert told["answers"]


async def test_how_many_are_counted_and_not_guessed(sample: str, patch: pytest.MonkeyPatch) -> None:
    books = {"answers": ["White Fang", "The Call of the Wild", "Martin Eden", "Iron Heel"]}
    script = [
        rule(REFLECTING, {"triples": list(range(1, 16))}),
        {"match": "Memory:\\n\\(none\\)[\\s\\S]*Candidate", "reply": {"json": act("GetNeighbor", "Jack London")}},
        rule(ACTING, act("Answer")),
        rule("a number was given", books),
        rule(ANSWERING, {"answers": [50]}),
    ]
    with FakeOpenAI(script) as server:
        told = await run(server, patch, sample, "How many novels did Jack London write?", "person/jack_london")
    assert told["value"] == len(told["answers"]) == 3  # one of the four is in no triple
    assert "Iron Heel" in told["answer"]
    assert told["events"][-1]["event"] == "own_knowledge"


async def test_a_fact_is_true_by_the_memory(sample: str, patch: pytest.MonkeyPatch) -> None:
    script = [
        rule(REFLECTING, {"triples": [1]}),
        {"match": "Memory:\\n\\(none\\)[\\s\\S]*Candidate", "reply": {"json": act("GetPath", "Yukon", FANG)}},
        rule(ACTING, act("Answer")),
        rule(ANSWERING, {"answers": [True]}),
    ]
    with FakeOpenAI(script) as server:
        told = await run(server, patch, sample, "Is White Fang set in Yukon?", FANG)
    assert told["value"] is True
    assert told["answer"].startswith("Yes. Evidence: ")
    assert told["paths"][0]["triples"][0]["relation"] == "set_in"


async def test_generated_facts_are_no_proof(sample: str, patch: pytest.MonkeyPatch) -> None:
    script = [
        rule("write down facts", {"facts": ["White Fang is set in Alaska."]}),
        {"match": "Alaska\\.[\\s\\S]*Candidate", "reply": {"json": act("Answer")}},
        rule(ACTING, act("GetNeighbor", FANG)),
        rule(ANSWERING, {"answers": ["Alaska"]}),
    ]
    with FakeOpenAI(script) as server:
        told = await run(server, patch, sample, "Where is White Fang set?", FANG, reflection="generated_fact")
        assert "White Fang is set in Alaska." in prompts(server, ANSWERING)[0]
    assert told["stop_reason"] == "not_found"
    assert told["steps"][4]["facts"] == ["White Fang is set in Alaska."]
    assert not told["paths"]


async def test_of_a_hub_every_relation_is_shown(patch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    patch.setattr(acting, "_NEIGHBORS", 40)
    hub = [Triple("hub", "a first relation", f"leaf {i}") for i in range(100)] + [Triple("hub", "the last", "it")]
    build(tmp_path / "kg", [hub])
    script = [rule(REFLECTING, {"triples": [1]}), rule(ACTING, act("GetNeighbor", "hub"), times=1)]
    script += [rule(ACTING, act("Answer")), rule(ANSWERING, {"answers": ["it"]})]
    try:
        with FakeOpenAI(script) as server:
            told = await run(server, patch, str(tmp_path / "kg"), "what is the last?", "hub")
            (shown,) = prompts(server, REFLECTING)
    finally:
        await close_all()
    assert numbers(shown, "the last, it") == [1]
    assert numbers(shown, "a first relation") == [2]
    (line,) = (text for text in shown.splitlines() if text.startswith("2. "))
    assert line.count("leaf ") == 20
    assert [item["id"] for item in told["answers"]] == ["it"]


async def test_an_operators_own_prompt_is_used(sample: str, patch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    patch.chdir(tmp_path)
    (tmp_path / "trivium.toml").write_text('[prompts]\nfolder = "."\n')
    (tmp_path / "oda_answer.txt").write_text("In a word: {question} {memory}")
    with FakeOpenAI([rule(ACTING, act("Answer")), rule("In a word: Where", {"answers": ["Alaska"]})]) as server:
        told = await run(server, patch, sample)
    assert "Alaska" in told["answer"]
    (tmp_path / "oda_answer.txt").write_text("In a word: {question}")
    with FakeOpenAI() as server, pytest.raises(PromptError, match=r"\{memory\} is missing"):
        await run(server, patch, sample)
    assert server.count == 0
