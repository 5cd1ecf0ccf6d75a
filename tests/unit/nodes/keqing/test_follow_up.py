"""Follow-up questions by their words alone: what points back, and what the sub-questions start from then."""

from __future__ import annotations

from dataclasses import replace

import pytest

from trivium.kg.errors import UsageError
from trivium.kg.types import EntityHit
from trivium.knowledge.knowledge import close_all
from trivium.nodes.keqing.decompose.follow_up import (
    LastAnswers,
    Resolved,
    from_all,
    hits_of,
    last_answers,
    points_back,
    resolve,
)
from trivium.policies.reader.chains.decomposer import Decomposition, SubQuestion

HEAT, RONIN = (EntityHit(key, key.title(), 1.0, 2, "exact") for key in ("heat", "ronin"))


@pytest.mark.parametrize(
    "question",
    [
        "and who starred in them?", "But when?", "who directed it?", "only those before 1960", "what about Heat?",
        "which of them star Al Pacino?", "Who were their writers?", "just the ones after 1990", "ok, and the years?",
        "They came out when?", "how about Ronin", "whose films are these",
    ],
)  # fmt: skip
def test_words_that_point_back(question: str) -> None:
    assert points_back(question)


@pytest.mark.parametrize(
    "question",
    [
        "who directed Heat?", "Who starred in Her?", "who wrote It?", "is Them a film?", "the iterator", "",
        "who directed The Only Thrill?", "was Andorra there?",
    ],
)  # fmt: skip
def test_words_that_do_not(question: str) -> None:
    assert not points_back(question), "a capital within a question makes a pronoun a title"


def test_last_answers_are_those_of_the_state_with_what_their_question_was_about() -> None:
    answer = {"question": "who directed Heat?", "answers": [{"id": f"e{i}"} for i in range(150)]}
    links = {"Heat": [{"id": "heat"}, {"id": "heat2"}], "Nobody": []}
    last = last_answers({"answer": answer, "links": links})
    assert last is not None
    assert (last.question, dict(last.topics)) == ("who directed Heat?", {"Heat": "heat"})
    assert (last.ids[0], len(last.ids)) == ("e0", 100), "the best, and no more than a run can start from"
    assert last_answers({}) is None
    for forged in ({"answer": "Mallory", "answers": [{"id": "x"}]}, {"question": 5, "answers": []}, "x", [5]):
        with pytest.raises(UsageError, match="the thread's answer must be an answer"):
            last_answers({"answer": forged})
    assert last_answers({"answer": {**answer, "answers": []}}) is None
    assert last_answers({"answer": answer}) == replace(last, topics={})


def test_sub_questions_that_start_from_one_answer_start_from_all() -> None:
    first = SubQuestion(0, "who starred in [mask]?", (-1,), ("Heat",))
    second = SubQuestion(1, "[mask] was born when?", (0,), ("<GENERATED>-0",))
    other = SubQuestion(2, "who directed [mask]?", (-1,), ("Alien",))
    found = Decomposition((first, second, other), {"Heat": (HEAT,), "Alien": ()}, 0.9)
    for one in ("heat", "Heat"):  # by the id that a mention was linked to, or by the mention itself
        told = from_all(found, one, [HEAT, RONIN])
        assert [sub.seed_entities for sub in told.sub_questions] == [("Heat", "Ronin"), ("<GENERATED>-0",), ("Alien",)]
        assert set(told.links) == {"Alien", "Heat", "Ronin"}
        assert told.links["Ronin"] == (RONIN,)
        assert told.confidence == 0.9
    assert from_all(found, "elsewhere", [HEAT, RONIN]) is found


async def test_answers_of_one_name_are_told_apart_by_their_ids(kg_name: str) -> None:
    hits = await hits_of(["solaris72", "heat", "solaris02"], kg_name)
    assert [hit.label for hit in hits] == ["Solaris [solaris72]", "Heat", "Solaris [solaris02]"]
    assert [hit.id for hit in hits] == ["solaris72", "heat", "solaris02"]


LAST = LastAnswers("who directed Heat?", {"Heat": "heat"}, ("mann",))
YES = LastAnswers("did Michael Mann direct Heat?", {"Heat": "heat"}, ())
FILMS = LastAnswers("which films star Robert De Niro?", {"Robert De Niro": "deniro"}, ("heat", "ronin", "jackie"))


@pytest.mark.parametrize(
    ("question", "last", "texts"),
    [
        ("which films did he direct?", LAST, ["which films did Michael Mann direct?", "which films did Heat direct?"]),
        ("and who starred in them?", FILMS, [f"who starred in {name}?" for name in ("Heat", "Ronin", "Jackie Brown")]),
        ("Who were their writers?", FILMS, ["Who were Heat's writers?"]),
        ("who starred in these films?", FILMS, ["who starred in Heat?", "who starred in the films Heat?"]),
        ("what about Ronin?", LAST, ["who directed Ronin?"]),
        ("when was it released?", YES, ["when was Heat released?"]),
        ("and who starred in them?", YES, []),
        ("which of them star Al Pacino?", YES, []),
        ("who directed Alien?", FILMS, []),
        ("what about the weather?", LastAnswers("who?", {}, ("mann",)), []),
        ("what about Ronin?", LastAnswers("who directed it with Heat?", {"Heat": "heat"}, ("mann",)), []),
        ("when was it released?", LastAnswers("when was Heat released?", {}, ("1995",)), []),
    ],
)
async def test_a_follow_up_is_worded_about_the_last_answers(
    kg_name: str, question: str, last: LastAnswers, texts: list[str]
) -> None:
    found = await resolve(question, last, kg_name)
    assert isinstance(found, list)
    said = [wording.text for wording in found]
    assert said[: len(texts)] == texts
    assert bool(said) == bool(texts)
    assert all(wording.one in {hit.id for hit in wording.meant} for wording in found if wording.one)


async def test_of_many_answers_the_note_says_how_many(kg_name: str) -> None:
    found = await resolve("and who starred in them?", FILMS, kg_name)
    assert isinstance(found, list)
    assert found[0].note == "read as 'who starred in Heat?', and 2 more like it"


async def test_conditions_of_a_follow_up(kg_name: str) -> None:
    for words, op, year in (
        ("before", "before", 1996), ("prior to", "before", 1996), ("after", "after", 1996), ("since", "after", 1995),
        ("until", "before", 1997), ("up to the year", "before", 1997), ("in", "in", 1996), ("from", "in", 1996),
    ):  # fmt: skip
        found = await resolve(f"only those {words} 1996", FILMS, kg_name)
        assert isinstance(found, Resolved)
        assert found.only == {0: {"op": op, "year": 1996 if op == "in" else year}}
        assert set(found.found.sub_questions[0].seed_entities) == {"Heat", "Ronin", "Jackie Brown"}
    among = await resolve("which of them star Al Pacino?", FILMS, kg_name)
    assert isinstance(among, Resolved)
    assert [condition["op"] for condition in among.only.values()] == ["among"]
    assert "narrowed down to the 3 last answers" in among.note
    await close_all()
