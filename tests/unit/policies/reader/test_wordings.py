"""What people say for the words that schemas use, and never the reverse; the form of the list of these."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from tests.shop import outcome
from trivium.kg.embedders.static import StaticEmbedder
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.execute import Executor
from trivium.kg.plans.survey import profile_of
from trivium.kg.plans.text import write
from trivium.policies.reader.english import FOLDER, english
from trivium.policies.reader.matching import in_words
from trivium.policies.reader.opening import names_of, open_reader
from trivium.policies.reader.reader import Reader

_HALLS = {"Alma": (90.0, "oak", "aft"), "Bente": (40.0, "ash", "bow"), "Corin": (65.0, "oak", "aft")}
_FIRMS = {"Norrvik": ("Moss", "Hov", 8.0), "Sundal": ("Leir", "Moss", 9.0)}


@cache
def _opened() -> tuple[GraphColumns, Reader]:
    entities: list[Any] = [
        (name, ["hall"], {"capacity": seats, "material": wood, "hold": part, "capacity_rule": "plan"})
        for name, (seats, wood, part) in _HALLS.items()
    ]
    entities += [
        (name, ["firm"], {"headquarters": seat, "birth_town": town, "sticker_price": price})
        for name, (seat, town, price) in _FIRMS.items()
    ]
    edges: list[Any] = [("Norrvik", "supplier", "Sundal", {}), ("Norrvik", "supplier_of_last_year", "Sundal", {})]
    graph = GraphColumns.of(entities, edges)
    return graph, open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())


def _asked_for(said: str) -> dict[str, float]:
    matcher = _opened()[1].matcher
    return {in_words(each.element, matcher.schema): each.score for each in matcher.wordings(said.split())}


def _plan(question: str) -> str:
    graph, reader = _opened()
    executor = Executor(graph)
    found = reader.read(question, executor=lambda plan: outcome(executor, plan), seconds=30)[0]
    return write(found.plan).replace("`", "") if not (found.unread or found.unused) else f"unread: {found.unread}"


def test_a_schemas_words_are_asked_for_by_what_people_say_and_not_the_reverse() -> None:
    assert list(_asked_for("fits")) == ["hall.capacity"]  # and no `capacity_rule`
    assert _asked_for("go for") == {"firm.sticker_price": pytest.approx(0.8 * 0.88)}
    assert "hall.hold" not in _asked_for("capacity")
    assert not _asked_for("fits in which")


def test_a_relation_is_asked_for_by_all_of_its_name() -> None:
    assert list(_asked_for("gets from")) == ["supplier"]


def test_a_wording_is_less_sure_than_a_concept() -> None:
    (own, *_), (like, *_), (said, *_) = map(_opened()[1].matcher.word, ("capacity", "accommodates", "fits"))
    assert own.element == like.element == said.element
    assert own.score > like.score > said.score


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("how many people does Alma fit?", 'ids "Alma" | values capacity'),
        ("where is Norrvik based?", 'ids "Norrvik" | values headquarters'),
        ("how much does Sundal go for?", 'ids "Sundal" | values sticker_price'),
        ("who does Norrvik get goods from?", "unread"),  # nothing is called by "goods"
    ],
)
def test_questions_in_the_words_of_people(question: str, plan: str) -> None:
    assert _plan(question).startswith(plan)


def test_the_form_of_the_list() -> None:
    """A line a word of schemas, in the order of the alphabet; what says nothing or something else has no entry."""
    language, words = english(), []
    for line in (FOLDER / "wordings.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        word, colon, said = line.partition(": ")
        phrases = said.split(", ")
        words.append(word)
        assert colon, line
        assert word.isalpha(), line
        assert phrases == sorted(set(phrases)), line
        stems = [tuple(map(language.stem, each.split())) for each in phrases]
        assert len(set(stems)) == len(stems), line
        assert (language.stem(word),) not in stems, line
        alone = {each for each in phrases if " " not in each}
        assert alone.isdisjoint(language.stop), line
        assert language.generic.isdisjoint(map(language.stem, alone)), line
        own = language.concepts.get(language.stem(word), frozenset())
        assert all(own.isdisjoint(language.concepts.get(language.stem(each), frozenset())) for each in alone), line
    assert words == sorted(words)
    assert len(set(map(language.stem, words))) == len(words)


def test_what_asks_for_times_and_places_alike_is_no_wording() -> None:
    """ "When did it take place?" asks for no `venue`: the asking word says it."""
    language = english()
    said = {
        kind: {
            phrase
            for phrase, words in language.wordings.items()
            if any(language.asked.get(word, {}).get(kind, 0.0) >= 1 for word in words)
        }
        for kind in ("when", "where")
    }
    assert said["when"]
    assert said["where"]
    assert said["when"].isdisjoint(said["where"])
