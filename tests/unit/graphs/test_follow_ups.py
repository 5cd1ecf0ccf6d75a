"""Follow-up questions on a thread: about the last answers, narrowing them down, or about something else after all."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver

from tests.fake_openai import FakeOpenAI
from tests.films import walk
from trivium.graphs.keqing import builder
from trivium.kg.types import Triple
from trivium.kg.values import year_of
from trivium.knowledge.knowledge import Knowledge
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.keqing.decompose.follow_up import points_back, points_outside
from trivium.nodes.model import close_models
from trivium.nodes.run.state import QuestionInput
from trivium.policies.reader.chains.teaching import teach

Say = Callable[..., Awaitable[dict[str, Any]]]

BY_SCOTT = walk(["scott"], ["^directed_by"])


CHAT = builder.compile(checkpointer=InMemorySaver())


@pytest.fixture
async def say(kg_name: str) -> AsyncIterator[Say]:
    """Ask one question after the other on one thread."""
    thread: RunnableConfig = {"configurable": {"thread_id": str(uuid4())}}

    async def run(question: str, **settings: Any) -> dict[str, Any]:
        given: QuestionInput = {"question": question}
        context = KeqingContext(**{"kg": kg_name, **settings})
        told: dict[str, Any] = (await CHAT.ainvoke(given, config=thread, context=context))["answer"]
        return told

    yield run
    await close_models()


def ids(told: dict[str, Any]) -> set[str]:
    return {item["id"] for item in told["answers"]}


def read(told: dict[str, Any]) -> list[str]:
    return [event["message"] for event in told["events"] if event["event"] == "follow_up"]


@pytest.mark.parametrize("wording", ["and who starred in them?", "who starred in those films?", "Who acted in these?"])
async def test_a_question_about_the_last_answers(say: Say, films: Knowledge, wording: str) -> None:
    assert ids(await say("which films did Ridley Scott direct?")) == BY_SCOTT
    told = await say(wording)
    assert ids(told) == walk(BY_SCOTT, ["starring"])
    assert len(read(told)) == 1
    assert {path["triples"][0]["head"] for path in told["paths"]} <= BY_SCOTT, "paths begin at the last answers"
    walked = [Triple(t["head"], t["relation"], t["tail"]) for path in told["paths"] for t in path["triples"]]
    assert all(await films.store.contains(walked))


async def test_one_after_the_other(say: Say) -> None:
    await say("who directed Blade Runner?")
    assert ids(await say("which films did he direct?")) == BY_SCOTT
    thrillers = await say("when were they released?")
    assert ids(thrillers) == walk(BY_SCOTT, ["release_year"])


async def test_only_those_of_some_years(say: Say) -> None:
    asked = "which films did Ridley Scott direct?"
    for wording, kept in (
        ("only those before 1980", {"alien"}),
        ("which of them came out after 1981?", {"runner", "gladiator"}),
        ("those since 1982", {"runner", "gladiator"}),
        ("only the ones from 2000", {"gladiator"}),
        ("only those before 1900", set()),
    ):
        await say(asked)
        told = await say(wording)
        assert ids(told) == kept, wording
        assert [path["answer"] for path in told["paths"]] == [path["triples"][0]["head"] for path in told["paths"]]
        assert {path["triples"][-1]["relation"] for path in told["paths"]} <= {"release_year"}


async def test_one_of_them_by_its_place(say: Say) -> None:
    films = [item["id"] for item in (await say("which films did Robert De Niro act in?"))["answers"]]
    assert len(films) == 3
    for nth, place in (("first", 0), ("second", 1), ("last", -1)):
        await say("which films did Robert De Niro act in?")
        told = await say(f"who directed the {nth} one?")
        assert (ids(told), len(read(told))) == (walk([films[place]], ["directed_by"]), 1), nth
    await say("which films did Robert De Niro act in?")
    assert (await say("who directed the fourth one?"))["answers"] == [], "there are three"


async def test_others_than_those_that_were_spoken_of(say: Say, taught_sample: str) -> None:
    """By chains on a graph without types, by a plan on one with them; where there are no others, there are none."""
    await say("who directed Alien?")
    told = await say("what other films did he direct?")
    assert (ids(told), len(read(told))) == (BY_SCOTT - {"alien"}, 1)
    assert told["query"] is None or "alien" in told["query"]["cypher"], "the query says it too"
    await say("who starred in Heat?")
    assert ids(await say("who else starred in it?")) == set()
    await say("did Alfred Hitchcock direct Rear Window?", kg=taught_sample)
    films = ids(await say("which other films did he direct?", kg=taught_sample))
    assert (len(films), "film/rear_window" in films) == (8, False)
    await say("did Alfred Hitchcock direct Rear Window?", kg=taught_sample)
    assert (await say("how many other films did he direct?", kg=taught_sample))["value"] == 8


async def test_which_of_them(say: Say) -> None:
    await say("which films did Robert De Niro act in?")
    told = await say("which of them star Al Pacino?")
    assert ids(told) == walk(["deniro"], ["^starring"]) & walk(["pacino"], ["^starring"])
    assert ids(await say("which of those did Michael Mann direct?")) == {"heat"}
    assert ids(await say("which of those did Ridley Scott direct?")) == set()


async def test_how_many_of_them(say: Say) -> None:
    await say("which films did Ridley Scott direct?")
    told = await say("how many of them star Harrison Ford?")
    assert (told["value"], len(read(told))) == (1, 1)
    assert {path["answer"] for path in told["paths"]} == {"runner"}
    await say("who directed Alien?")
    assert (await say("how many films did he direct?"))["value"] == len(BY_SCOTT)


@pytest.fixture(scope="module")
def taught_sample(sample_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The bundled sample, learned from its schema alone."""
    folder = tmp_path_factory.mktemp("taught") / "sample"
    shutil.copytree(sample_folder, folder)
    with Knowledge.open(folder) as base:
        asyncio.run(teach(base, None, lambda *_: None))
    return str(folder)


async def test_the_first_and_the_last_of_them(say: Say, taught_sample: str) -> None:
    """Of the last answers, not of all that the graph has, whose oldest film is Metropolis of 1927."""
    for wording, kept in (
        ("which of them was released first?", {"film/final_chord"}),
        ("which of those is the most recent?", {"film/imitation_of_life_1959"}),
    ):
        assert len(ids(await say("which films did Douglas Sirk direct?", kg=taught_sample))) == 16
        told = await say(wording, kg=taught_sample)
        assert (ids(told), len(read(told))) == (kept, 1), wording
        assert told["confidence"] > 0.5, wording
    await say("which films did Douglas Sirk direct?", kg=taught_sample)
    told = await say("which of them is the most beautiful?", kg=taught_sample)
    assert (told["answers"], told["value"], told["stop_reason"]) == ([], None, "not_understood")
    # Without types nothing says what a first one is; and the oldest film of all is none of Scott's.
    await say("which films did Ridley Scott direct?")
    assert ids(await say("which of them was released first?")) <= {"alien"}


async def test_the_last_question_about_something_else(say: Say) -> None:
    await say("who directed Heat?")
    assert ids(await say("what about Amélie?")) == {"jeunet"}
    await say("who starred in Heat?")
    told = await say("who directed it?")
    assert ids(told) == {"mann"}, "one thing, where two were the answer: what the question was about"


async def test_one_thing_that_a_yes_or_a_number_was_about(say: Say, taught_sample: str) -> None:
    """The sample has a novel "It" of 1986, and both the film and its director have a year."""
    asked = "did Alfred Hitchcock direct Rear Window?"
    for wording, right in (("when was it released?", "1954"), ("when was he born?", "1899")):
        assert (await say(asked, kg=taught_sample))["value"] is True
        told = await say(wording, kg=taught_sample)
        assert (ids(told), len(read(told))) == ({right}, 1), wording
    assert (await say("how many films did Alfred Hitchcock direct?", kg=taught_sample))["value"] == 9
    assert ids(await say("when was he born?", kg=taught_sample)) == {"1899"}


async def test_what_the_last_question_was_about_where_the_graph_lacks_the_fact(say: Say) -> None:
    assert (await say("who wrote Ronin?"))["stop_reason"] == "not_found"
    assert ids(await say("who directed it?")) == {"frank"}


async def test_what_no_reading_of_a_follow_up_fits_is_not_claimed(say: Say, taught_sample: str) -> None:
    """Each was answered by the nearest relation: a phone number by films, a car by a year of birth."""
    for wording in (
        "what is his phone number?", "does he own a car?", "who hates it?", "when did he die?", "how much did it cost?",
    ):  # fmt: skip
        assert ids(await say("who directed Rear Window?", kg=taught_sample)) == {"person/alfred_hitchcock"}
        told = await say(wording, kg=taught_sample)
        assert (ids(told), told["value"], len(read(told))) == (set(), None, 1), wording
        assert told["stop_reason"] != "answered", wording


async def test_it_is_no_person_and_he_is_one(say: Say, taught_sample: str) -> None:
    for wording, right in (("when was it made?", "1954"), ("when was he born?", "1899")):
        await say("who directed Rear Window?", kg=taught_sample)
        assert ids(await say(wording, kg=taught_sample)) == {right}, wording
    assert ids(await say("and who directed it?", kg=taught_sample)) == set(), "1899 is nothing that is directed"
    await say("when was Rear Window made?", kg=taught_sample)
    told = await say("did he direct Rebecca?", kg=taught_sample)
    assert (told["value"], read(told)) == (None, []), "no film is he: 'did Rear Window direct Rebecca?' was a yes"


async def test_what_asks_nothing_of_what_is_meant_claims_nothing(say: Say, taught_sample: str) -> None:
    """Each was answered: films of the director, a count of directors for "what about Casablanca?"."""
    for first, then in (
        ("who directed Rear Window?", "her"),
        ("who directed Rear Window?", "this"),
        ("which films did Alfred Hitchcock direct?", "the first one"),
        ("which films did Alfred Hitchcock direct?", "which of those did she direct?"),
        ("how many films did Alfred Hitchcock direct?", "what about Casablanca?"),
    ):
        assert (await say(first, kg=taught_sample))["stop_reason"] == "answered"
        told = await say(then, kg=taught_sample)
        assert (ids(told), told["value"], told["stop_reason"] == "answered") == (set(), None, False), (first, then)


async def test_a_count_of_something_else(say: Say, taught_sample: str) -> None:
    assert (await say("how many films did Alfred Hitchcock direct?", kg=taught_sample))["value"] == 9
    assert (await say("what about Fritz Lang?", kg=taught_sample))["value"] == 2


async def test_a_chat_goes_on_behind_what_had_no_answer(say: Say, taught_sample: str) -> None:
    await say("who directed Rear Window?", kg=taught_sample)
    for unanswered in ("thanks!", "what is the airspeed of an unladen swallow?"):
        assert (await say(unanswered, kg=taught_sample))["stop_reason"] != "answered"
    assert ids(await say("when was it made?", kg=taught_sample)) == {"1954"}


async def test_many_things_are_not_what_a_yes_was_about(say: Say, taught_sample: str) -> None:
    assert (await say("did Alfred Hitchcock direct Rear Window?", kg=taught_sample))["value"] is True
    told = await say("and who starred in them?", kg=taught_sample)
    assert (ids(told), read(told)) == (set(), [])


@pytest.mark.parametrize(
    "question",
    [
        "who directed Ronin?",
        "and who directed Ronin?",
        "who directed Ronin and who starred in it?",
        "which films did Barry Levinson direct?",
    ],
)
async def test_a_question_that_speaks_for_itself_is_no_follow_up(say: Say, question: str) -> None:
    fresh = await say(question)
    await say("which films did Ridley Scott direct?")
    told = await say(question)
    assert read(told) == []
    assert (ids(told), told["steps"][0]) == (ids(fresh), fresh["steps"][0])


async def test_without_last_answers_nothing_is_read_into_a_question(say: Say) -> None:
    told = await say("and who starred in them?")
    assert (ids(told), read(told)) == (set(), [])
    await say("what is the airspeed of an unladen swallow")
    told = await say("and who starred in them?")
    assert (ids(told), read(told)) == (set(), [])


OUTSIDE = {
    "who directed it?": "it",
    "who starred in them?": "them",
    "which films did he direct?": "he",
    "how many films did he direct?": "he",
    "did he direct Heat?": "he",
    "is it by Michael Mann?": "it",
    "is it a film that he directed?": "it",
    "was it released after the film that Michael Mann directed?": "it",
    "which films star him?": "him",
    "what are their genres?": "their",
    "list his films": "his",
    "in which year was it released?": "it",
    "who directed this?": "this",
    "who starred in this film?": "this",
    "who directed the first one?": "the first one",
    "and who directed the last one?": "the last one",
}
INSIDE = [
    "who directed Ronin and who starred in it?",
    "which director starred in a film he directed?",
    "who starred in films that they directed?",
    "which directors wrote films they directed?",
    "which films were released this year?",
    "which directors wrote their own films?",
    "what do they call Heat?",
    "is it true that Michael Mann directed Heat?",
    "those who directed Heat",
    "which films have an alien in them?",
    "which directors have their seat in Paris?",
    "top directors by number of films made by them",
    "who directed Heat?",
    "who directed Her?",
    "what do they speak in the country where Quimbre is?",
    "where is she from, Shakira?",
    "who was the first one to direct Heat?",
    "is Heat the first one?",
    "was it Heat or Ronin that was released later?",
    "is it Michael Mann who directed Heat?",
]


async def test_a_question_about_what_it_does_not_name_is_not_answered_from_all_that_there_is(say: Say) -> None:
    for question, word in OUTSIDE.items():
        told = await say(question)
        assert (ids(told), told["value"], told["stop_reason"]) == (set(), None, "not_understood"), question
        assert told["answer"].startswith(f'The question does not say what "{word}" stands for'), question


@pytest.mark.parametrize("question", INSIDE)
def test_what_a_question_names_itself_is_not_asked_for(question: str) -> None:
    assert points_outside(question, [name for name in ("Heat", "Ronin", "Michael Mann") if name in question]) == ""


async def test_a_model_is_told_the_last_answers(say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    sub = {"question": "who starred in [mask]?", "id": 0, "args": {"seed_entities": ["<ANSWERS>"]}}
    years = {"question": "when was [mask] released?", "id": 0, "args": {"seed_entities": "<ANSWERS>"}}
    early = {**years, "only": {"op": "before", "year": 1980}}
    among = {"question": "films starring [mask]", "id": 0, "args": {"seed_entities": ["Harrison Ford"]}}
    turns = [
        ("und wer spielte mit?", [sub], walk(BY_SCOTT, ["starring"])),
        ("nur die vor 1980", [early], {"alien"}),
        ("welche davon mit Harrison Ford?", [{**among, "only": {"op": "among"}}], {"runner"}),
    ]
    for words, subs, right in turns:
        await say("which films did Ridley Scott direct?")
        with FakeOpenAI([{"match": "sub-questions", "reply": {"json": subs}}]) as server:
            monkeypatch.setenv("OPENAI_BASE_URL", server.url)
            told = await say(words, model="openai:fake", decompose="llm", reason="chains", respond="rules")
            prompt = server.requests[0].last
        assert ids(told) == right, words
        assert "<before>which films did Ridley Scott direct?</before>" in prompt
        assert "Blade Runner" in prompt.split("<told>")[1].split("</told>")[0]
    yearless = {"json": [{**early, "only": {"op": "before"}}]}
    with FakeOpenAI([{"match": "sub-questions|cannot be used", "reply": yearless}]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        told = await say("und davor?", model="openai:fake", decompose="llm", respond="rules")
    assert "needs a year" in told["events"][-1]["message"]


def test_years_and_pronouns_are_told_apart() -> None:
    assert [year_of(text) for text in ("1956", "1956-12-25", "-44", "1956 film", "", "19567")] == [
        1956, 1956, -44, None, None, None,
    ]  # fmt: skip
    assert points_back("and who starred in them?")
    assert points_back("What about Heat?")
    assert not points_back("who directed Her?")
    assert not points_back("which films that Michael Mann made are thrillers?")
