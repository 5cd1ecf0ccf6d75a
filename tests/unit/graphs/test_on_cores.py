"""Many questions at a time: in order, none held up by a slow one, and on several processes as on one."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, cast

import pytest

from trivium.graphs import on_cores
from trivium.graphs.methods import answer_in_order, answer_many, close_all, method_named, one_of_many
from trivium.graphs.on_cores import _Other, answer_on_cores, processes
from trivium.kg.loaders import Question
from trivium.nodes.run.answer_record import Answer
from trivium.nodes.run.context import Context
from trivium.nodes.run.operator import own_runs

FILMS = ("Heat", "Ronin", "Alien", "Gladiator")
ASKED = [Question(str(number), f"who directed {FILMS[number % 4]}?") for number in range(12)]


def test_another_process_is_started_where_it_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3}, raising=False)
    assert processes(16, 1_000, model=True) == 1, "one process waits for 16 calls"
    assert processes(50, 1_000, model=True) == 2
    assert processes(500, 1_000, model=True) == 4, "no more than there are cores"
    assert processes(50, 20, model=True) == 1, "it would start for longer than it works"
    assert processes(1, 1_000, model=False) == 1
    assert processes(2, 1_000, model=False) == 2, "without a model each question keeps a core busy"


async def test_a_slow_question_holds_up_no_others_and_the_order_stays() -> None:
    slow, most, running, heard = asyncio.Event(), 0, 0, list[str]()

    async def ask(question: Question) -> Answer:
        nonlocal most, running
        running += 1
        most = max(most, running)
        if question.id == "0":
            await slow.wait()
        else:
            await asyncio.sleep(0)
        running -= 1
        return cast("Answer", {"id": question.id})

    def done(found: Answer) -> None:
        heard.append(found["id"])
        if len(heard) == 5:  # of 3 at a time twice as many may be ahead: the first, and five after it
            slow.set()

    told = [each["id"] async for each in answer_in_order(ASKED, 3, ask, done)]
    assert told == [each.id for each in ASKED]
    assert heard[:6] == ["1", "2", "3", "4", "5", "0"]
    assert most == 3


async def test_processes_answer_as_one_does_in_order(films_kg: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    context = method_named("keqing").context(kg=str(films_kg))
    others, here = _another(monkeypatch)
    with own_runs():
        alone = [each async for each in answer_many("keqing", ASKED, context)]
        heard = list[str]()
        together = answer_on_cores("keqing", ASKED, context, 4, count=12, done=lambda each: heard.append(each["id"]))
        told = [each async for each in together]
    await close_all()
    assert [_said(each) for each in told] == [_said(each) for each in alone]
    assert alone[0]["answers"], "they are answered"
    assert sorted(heard) == sorted(each.id for each in ASKED)
    assert len(here) < 12, "the other one answers some of them"
    assert len(here) + sum(each.told for each in others) == 12, "each is asked once"
    assert not multiprocessing.active_children()


@pytest.mark.slow
async def test_what_a_killed_process_was_asked_is_answered_here(
    films_kg: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = method_named("keqing").context(kg=str(films_kg))
    others, here = _another(monkeypatch)
    monkeypatch.setattr(Connection, "send", _killed)
    with own_runs():
        told = [each async for each in answer_on_cores("keqing", ASKED, context, 2, count=12)]
    await close_all()
    assert [each["id"] for each in told] == [each.id for each in ASKED]
    assert len(here) == 12
    assert others[0].told == 1, "it is asked no more"
    assert not others[0].ready


def _killed(*_: object) -> None:
    """In place of sending a question: whom it goes to is killed, which is seen by the pipe alone."""
    for process in multiprocessing.active_children():
        process.kill()


class _Noted(_Other):
    """Another process, with the number of questions that it was asked, and an event for when it is there."""

    told = 0

    def __init__(self, method: str, context: Context) -> None:
        self.there = asyncio.Event()
        super().__init__(method, context)

    def _hear(self, said: tuple[int, Answer | None] | None) -> None:
        super()._hear(said)
        self.there.set()

    async def ask(self, question: Question) -> Answer | None:
        self.told += 1
        return await super().ask(question)


def _another(monkeypatch: pytest.MonkeyPatch) -> tuple[list[_Noted], list[str]]:
    """One process beside this one, which answers nothing before it is there; and the ids that this one is asked."""
    others, here = list[_Noted](), list[str]()

    def start(method: str, context: Context) -> _Noted:
        others.append(_Noted(method, context))
        return others[-1]

    async def once_it_is_there(method: str, question: Question, context: Context) -> Answer:
        here.append(question.id)
        for each in others:
            await each.there.wait()
        return await one_of_many(method, question, context)

    monkeypatch.setattr(on_cores, "processes", lambda *_, **__: 2)
    monkeypatch.setattr(on_cores, "_Other", start)
    monkeypatch.setattr(on_cores, "one_of_many", once_it_is_there)
    return others, here


def _said(answer: Answer) -> dict[str, Any]:
    return {name: value for name, value in answer.items() if name != "usage"}
