"""Follow-ups in the methods that read a question as a whole, ODA and KnowGPT; and each method as a node of a graph."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any
from uuid import uuid4

import pytest
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.state import CompiledStateGraph

from tests.fake_openai import FakeOpenAI
from tests.films import walk
from tests.unit.graphs.test_follow_ups import BY_SCOTT, OUTSIDE, ids, read
from trivium.graphs.methods import METHODS, method_named
from trivium.kg.errors import UsageError
from trivium.nodes.model import close_models

THREAD: RunnableConfig = {"configurable": {"thread_id": "chat"}}
CHOICES = [{"id": "A", "text": "Ridley Scott"}, {"id": "B", "text": "Michael Mann"}]

Say = Callable[..., Awaitable[dict[str, Any]]]
Right = Callable[[dict[str, Any], set[str]], bool]


@pytest.fixture(params=["oda", "knowgpt"])
def method(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(params=["learned", "unlearned"])
def graph_of_films(request: pytest.FixtureRequest, kg_name: str, kg: str) -> str:
    """The films' KG; one that has learned nothing has no decomposer to read a follow-up with."""
    return kg_name if request.param == "learned" else kg


@cache
def chat(method: str) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The method's graph with a memory of threads."""
    compiled: CompiledStateGraph[Any, Any, Any, Any] = import_module(f"trivium.graphs.{method}").builder.compile(
        checkpointer=InMemorySaver()
    )
    return compiled


@pytest.fixture
async def say(graph_of_films: str, method: str) -> AsyncIterator[Say]:
    """Ask one question after the other on one thread."""
    thread: RunnableConfig = {"configurable": {"thread_id": str(uuid4())}}

    async def run(question: str, *, settings: Mapping[str, Any] | None = None, **more: Any) -> dict[str, Any]:
        context = method_named(method).context(**{"kg": graph_of_films, **(settings or {})})
        given = {"question": question, **more}
        told: dict[str, Any] = (await chat(method).ainvoke(given, thread, context=context))["answer"]
        assert told["question"] == question, "as it was asked"
        return told

    yield run
    await close_models()


@pytest.fixture
def right(method: str) -> Right:
    """Whether ODA found all of these and no other, and KnowGPT, which chooses one candidate, one of them."""
    if method == "oda":
        return lambda told, wanted: ids(told) == wanted
    return lambda told, wanted: len(ids(told)) == 1 and ids(told) <= wanted


async def test_about_one_and_then_about_all_of_its_answers(say: Say, right: Right) -> None:
    assert ids(await say("who directed Blade Runner?")) == {"scott"}
    films = await say("which films did he direct?")
    assert right(films, BY_SCOTT)
    assert read(films) == ["read as 'which films did Ridley Scott direct?'"]
    stars = await say("and who starred in them?")
    assert right(stars, walk(BY_SCOTT, ["starring"]))
    assert {path["triples"][0]["head"] for path in stars["paths"]} <= ids(films), "paths begin at what is meant"
    assert read(await say("who directed Heat?")) == []


async def test_what_the_last_question_was_about(say: Say) -> None:
    await say("who starred in Heat?")
    assert ids(await say("who directed it?")) == {"mann"}
    assert ids(await say("what about Ronin?")) == {"frank"}, "that of which the last question made whole speaks"
    asked = await say("how about alien?")
    assert ids(asked) == ids(await say("who directed Alien?"))


async def test_what_about_something_asks_nothing_by_itself(say: Say) -> None:
    told = await say("what about Ronin?")
    assert (ids(told), told["stop_reason"]) == (set(), "not_understood")
    assert told["answer"] == 'The question does not say what is asked about "Ronin".'


async def test_among_the_last_answers(say: Say, method: str) -> None:
    before = ids(await say("which films did Robert De Niro act in?"))
    both = walk(["deniro"], ["^starring"]) & walk(["pacino"], ["^starring"])
    told = await say("which of them star Al Pacino?")
    assert ids(told) == before & both
    if method == "oda":
        assert ids(told) == both == {"heat"}
        await say("which films did Robert De Niro act in?")
        assert (await say("how many of them star Al Pacino?"))["value"] == 1
    await say("which films did Robert De Niro act in?")
    assert ids(await say("which of those did Ridley Scott direct?")) == set()


async def test_others_than_those_that_were_spoken_of(say: Say, method: str) -> None:
    for film, scott in (("alien", BY_SCOTT), ("heat", {"heat"})):
        await say(f"who directed {film}?", topic_entities=[film])
        told = await say("what other films did he direct?")
        assert ids(told) == (scott - {film} if method == "oda" else set())
        assert ("looks for no others" in told["answer"]) == (method == "knowgpt")


async def test_one_of_the_last_answers_by_its_place(say: Say) -> None:
    films = [{"id": key} for key in ("gladiator", "alien", "runner")]
    last = {"question": "which films did Ridley Scott direct?", "stop_reason": "answered", "answers": films}
    for nth, label in (("first", "Gladiator"), ("second", "Alien"), ("last", "Blade Runner")):
        assert read(await say(f"which genre has the {nth} one?", previous=last)) == [
            f"read as 'which genre has {label}?'"
        ]
    told = await say("which genre has the fifth one?", previous=last)
    assert (ids(told), told["stop_reason"]) == (set(), "not_understood")


async def test_what_a_method_cannot_ask_is_said_and_nothing_claimed(say: Say, method: str) -> None:
    await say("which films did Ridley Scott direct?")
    for wording, said in (
        ("only those before 1980", "does not narrow the last answers down by a year"),
        *([("did they star Harrison Ford?", "yes or no about one thing at a time")] if method == "oda" else []),
    ):
        told = await say(wording)
        assert (ids(told), told["value"], told["stop_reason"]) == (set(), None, "not_understood"), wording
        assert said in told["answer"]


async def test_a_chat_goes_on_behind_what_had_no_answer(say: Say) -> None:
    await say("who directed Heat?")
    assert (await say("thanks!"))["answers"] == []
    assert ids(await say("who starred in it?")) <= {"deniro", "pacino"}
    await say("who directed Heat?")
    await say("what is his phone number?")
    assert ids(await say("who directed it?")) == {"mann"}


@pytest.mark.parametrize("question", [*OUTSIDE, "and who directed it?"])
async def test_what_neither_the_question_nor_the_chat_names_is_not_claimed(say: Say, question: str) -> None:
    told = await say(question)
    assert (ids(told), told["value"], told["stop_reason"]) == (set(), None, "not_understood")
    assert told["answer"].startswith(f'The question does not say what "{OUTSIDE.get(question, "it")}" stands for')


async def test_a_question_that_speaks_for_itself_is_no_follow_up(say: Say) -> None:
    for question in ("who directed Ronin?", "and who directed Ronin?", "who directed Ronin and who starred in it?"):
        fresh = await say(question, previous=None)
        await say("which films did Ridley Scott direct?")
        told = await say(question)
        assert (read(told), ids(told), told["answer"]) == ([], ids(fresh), fresh["answer"])


async def test_topics_and_previous_answers_of_a_client(say: Say) -> None:
    before = {"question": "who directed Heat?", "answers": [{"id": "mann"}], "stop_reason": "answered"}
    assert ids(await say("which films did he direct?", previous=before)) == {"heat"}
    assert ids(await say("who directed it?", topic_entities=["Ronin"])) == {"frank"}, "it is what the client says"
    with pytest.raises(UsageError, match="previous must be an answer"):
        await say("who directed it?", previous={"answers": 5})


async def test_methods_take_turns_on_one_thread(kg_name: str) -> None:
    """As on the page, where each question may be asked of another method."""
    saver = InMemorySaver()
    chats = {name: import_module(f"trivium.graphs.{name}").builder.compile(checkpointer=saver) for name in METHODS}

    async def ask(name: str, question: str) -> dict[str, Any]:
        context = method_named(name).context(kg=kg_name)
        told: dict[str, Any] = (await chats[name].ainvoke({"question": question}, THREAD, context=context))["answer"]
        assert (told["question"], told["method"] in {name, "keqing"}) == (question, True)
        return told

    assert ids(await ask("keqing", "who directed Blade Runner?")) == {"scott"}
    assert ids(await ask("oda", "which films did he direct?")) == BY_SCOTT
    assert ids(await ask("auto", "which of them star Harrison Ford?")) == {"runner"}
    assert ids(await ask("auto", "who directed Heat?")) == {"mann"}
    assert ids(await ask("auto", "what about Ronin?")) == {"frank"}, "not of ODA's question of three turns before"
    assert ids(await ask("keqing", "which films did he direct?")) == {"ronin"}
    assert ids(await ask("oda", "who starred in it?")) == {"deniro", "reno"}
    assert (await ask("keqing", "how many films did Ridley Scott direct?"))["value"] == 3
    assert ids(await ask("auto", "who directed Heat?")) == {"mann"}
    told = await ask("keqing", "thanks!")
    assert (told["value"], told["answers"], told["stop_reason"] == "answered") == (None, [], False), "no older outcome"


async def test_an_option_that_was_chosen_is_what_is_meant(kg_name: str) -> None:
    context = method_named("knowgpt").context(kg=kg_name)

    async def ask(**given: Any) -> dict[str, Any]:
        told: dict[str, Any] = (await chat("knowgpt").ainvoke(given, THREAD, context=context))["answer"]
        return told

    assert (await ask(question="who directed Heat?", choices=CHOICES))["choice"] == "B"
    assert ids(await ask(question="which films did he direct?")) == {"heat"}
    told = await ask(question="Which of these directed it?", choices=CHOICES)
    assert told["choice"] in {"A", "B"}, "these are the options, no last answers"


@pytest.mark.parametrize("name", METHODS)
async def test_options_in_the_words_are_chosen_from_or_said_to_be_none_of_the_methods(name: str, kg_name: str) -> None:
    graph, context = method_named(name).graph(), method_named(name).context(kg=kg_name)
    asked = "Who directed Heat? A) Ridley Scott B) Michael Mann"
    told = (await graph.ainvoke({"question": asked}, context=context))["answer"]
    if name in {"auto", "knowgpt"}:
        assert told["choice"] == "B"
    else:
        assert (ids(told), told["stop_reason"]) == (set(), "not_understood")
        assert told["answer"].startswith("This method does not choose among options: ask by auto or knowgpt")


async def test_a_name_is_no_answer_to_how_many(kg_name: str) -> None:
    told = (
        await import_module("trivium.graphs.knowgpt").graph.ainvoke(
            {"question": "how many films did Ridley Scott direct?"}, context=method_named("knowgpt").context(kg=kg_name)
        )
    )["answer"]
    assert (ids(told), told["value"]) == (set(), None)


async def test_a_model_reads_the_whole_question(say: Say, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The names of all that are meant stand in every prompt, and no word that points back."""
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    replies: dict[str, list[dict[str, Any]]] = {
        "oda": [
            {"match": "choose one of these actions", "reply": {"json": {"action": "Answer", "entities": []}}},
            {"match": "answers questions based on", "reply": {"json": {"answers": ["Sigourney Weaver"]}}},
        ],
        "knowgpt": [
            {"match": "short candidate answers", "reply": {"json": {"candidates": ["Sigourney Weaver", "Al Pacino"]}}},
            {"match": "choosing exactly one", "reply": {"json": {"choice": "weaver", "why": "She did."}}},
        ],
    }
    before = [{"id": key} for key in sorted(BY_SCOTT)]
    last = {"question": "which films did Ridley Scott direct?", "answers": before, "stop_reason": "answered"}
    with FakeOpenAI(replies[method]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        told = await say("and who starred in them?", previous=last, settings={"model": "openai:fake"})
        prompts = [request.last for request in server.requests]
    asked = [re.search(r"who starred in (.*)\?", prompt) for prompt in prompts]
    assert asked
    for names in asked:
        assert names is not None
        assert set(re.split(", | and ", names[1])) == {"Alien", "Blade Runner", "Gladiator"}
    assert not any("who starred in them" in prompt for prompt in prompts)
    assert len(read(told)) == 1
    if method == "knowgpt":
        assert ids(told) == {"weaver"}


async def test_a_model_is_not_asked_what_nobody_named(say: Say, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with FakeOpenAI([]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        told = await say("which films did he direct?", settings={"model": "openai:fake"})
        assert server.count == 0
    assert (ids(told), told["stop_reason"], told["usage"]["llm_calls"]) == (set(), "not_understood", 0)


@pytest.mark.parametrize("name", METHODS)
async def test_as_a_node_of_another_graph(name: str, kg_name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a memory of its own the node follows up; without one, and without `previous`, it claims nothing."""
    monkeypatch.setenv("TRIVIUM_DEFAULT_KG", kg_name)
    builder = import_module(f"trivium.graphs.{name}").builder

    async def ask(remembers: bool | None) -> str:
        outer = StateGraph(MessagesState)
        outer.add_node("trivium", builder.compile(checkpointer=remembers))
        outer.add_edge(START, "trivium")
        outer.add_edge("trivium", END)
        chat = outer.compile(checkpointer=InMemorySaver())
        said = []
        for question in ("who directed Blade Runner?", "which films did he direct?"):
            told = await chat.ainvoke({"messages": [HumanMessage(question)]}, THREAD)
            said.append(str(told["messages"][-1].text))
        assert said[0].startswith("Ridley Scott")
        return said[1]

    films = {"Alien", "Blade Runner", "Gladiator"}
    named = {film for film in films if film in await ask(remembers=True)}
    assert named if name == "knowgpt" else named == films
    assert (await ask(remembers=None)).startswith('The question does not say what "he" stands for')
