"""Questions for the first of some, for all in an order, and for those within bounds: mills, their grain and a race."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from tests.shop import outcome
from trivium.kg.embedders.static import StaticEmbedder
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.execute import Executor, Listed
from trivium.kg.plans.plan import Top, Value
from trivium.kg.plans.survey import profile_of
from trivium.policies.reader.english import english
from trivium.policies.reader.english.clauses import plain
from trivium.policies.reader.english.sorting import ALL, split_order
from trivium.policies.reader.opening import names_of, open_reader
from trivium.policies.reader.reader import Reader
from trivium.policies.reader.readings import Reading

_MILLS = {  # height in meters, age, visitors, year, first grain ground, last repair, roof, class
    "Alder Mill": (21, 180, 900, 1840, "1841-03-01", "1999-05-01", "thatch", "post mill"),
    "Brook Mill": (14, 160, 2400, 1860, "1861-04-01", "2004-06-01", "slate", "tower mill"),
    "Crag Mill": (27, 150, 300, 1870, "1871-05-01", "2010-07-01", "slate", "tower mill"),
    "Dune Mill": (18, 120, 1500, 1900, "1901-06-01", "2015-08-01", "slate", "tower mill"),
}
_GROUND = [("Alder Mill", "rye", 40), ("Alder Mill", "oats", 90), ("Brook Mill", "rye", 120), ("Crag Mill", "rye", 75)]
_HARVESTS = [(2001, 410, 12), (2002, 380, 15), (2003, 520, 9), (2004, 610, 21)]
_RACES = [
    ("Ida Holm", 2001, "02:31:10", "women"),
    ("Ida Holm", 2002, "02:29:55", "women"),
    ("Jon Vik", 2001, "02:12:40", "men"),
    ("Per Moe", 2002, "02:15:05", "men"),
    ("Ida Holm", 2003, "02:33:00", "women"),
    ("Per Moe", 2003, "02:11:20", "men"),
    ("Eva Lund", 2003, "01:50:00", "rowing women"),
]


@cache
def _mills() -> tuple[GraphColumns, Reader]:
    entities: list[Any] = [
        (
            name,
            ["mill"],
            {
                "height_m": float(height),
                "current_age": float(age),
                "visitors": float(visitors),
                "year": float(year),
                "dates_first_grain": Value("date", ground),
                "dates_last_repair": Value("date", repaired),
                "roof": roof,
            },
        )
        for name, (height, age, visitors, year, ground, repaired, roof, _) in _MILLS.items()
    ]
    entities += [(kind, ["category"], {}) for kind in ("post mill", "tower mill")]
    entities += [(grain, ["grain"], {}) for grain in ("rye", "oats")]
    entities += [(sex, ["race class"], {}) for sex in ("women", "men", "rowing women")]
    edges: list[Any] = [(name, "category", values[-1], {}) for name, values in _MILLS.items()]
    edges += [(mill, "grinds", grain, {"bushels": float(amount)}) for mill, grain, amount in _GROUND]
    for number, (year, tons, farms) in enumerate(_HARVESTS):
        figures = {"year": float(year), "tons": float(tons), "farms": float(farms)}
        entities.append((f"harvest/row{number}", ["harvest"], figures))
    for number, (runner, year, time, sex) in enumerate(_RACES):
        values = {"runner": runner, "year": float(year), "time": Value("time", time)}
        entities.append((f"win/row{number}", ["win"], values))
        edges.append((f"win/row{number}", "race_class", sex, {}))
    graph = GraphColumns.of(entities, edges)
    return graph, open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())


def _read(question: str) -> Reading:
    graph, reader = _mills()
    executor = Executor(graph)
    return reader.read(question, executor=lambda each: outcome(executor, each), seconds=30)[0]


def _ask(question: str) -> object:
    """The answer: a number or text, a set of labels or first cells; None where a word is left unread or unused."""
    graph, _ = _mills()
    found = _read(question)
    if found.unread or found.unused:
        return None
    answer = Executor(graph).answer(found.plan)
    if isinstance(answer, Value):
        return answer.value
    if isinstance(answer, Listed):
        column = answer.columns[0]
        return {graph.ids[int(column.key[at])] if column.kind[at] == -1 else column.text(at) for at in answer.at[:, 0]}
    return None if answer is None else {graph.ids[row] for row in answer.tolist()}


@pytest.mark.parametrize(
    "question",
    [
        "rank the mills by visitors",
        "mills in order of height",
        "list all the mills from tallest to shortest",
        "show me the mills sorted by year, newest first",
        "mills ordered by first grain",
        "sort the mills by roof",
        "list the mills by visitors, descending",
        "mills in chronological order",
    ],
)
def test_all_of_something_in_an_order(question: str) -> None:
    found = _read(question)
    assert isinstance(found.plan, Top)
    assert found.plan.limit is None
    assert not found.unread
    assert not found.unused
    assert _ask(question) == {*_MILLS}


@pytest.mark.parametrize(
    ("question", "descending"),
    [
        ("rank the mills by visitors", True),
        ("mills sorted by visitors", False),
        ("mills sorted by visitors, most first", True),
        ("mills in ascending order of visitors", False),
        ("mills ranked by visitors (ascending)", False),
        ("mills from tallest to shortest", True),
        ("the mills, shortest first", False),
    ],
)
def test_directions(question: str, descending: bool) -> None:
    plan = _read(question).plan
    assert isinstance(plan, Top)
    assert (plan.descending, plan.limit) == (descending, None)


def test_what_is_in_no_order_is_not_read_as_if_it_were() -> None:
    assert split_order("mills that grind rye by hand", english()) is None
    assert split_order("the three oldest mills in order of height", english()) is None, "which three is another matter"
    assert _ask("mills ranked by beauty") is None
    assert _ask("mills ordered by rye") is None
    listed = split_order("rank the mills by how many grains they have", english())
    assert listed is not None
    assert listed.rest == f"top {ALL} mills by number of grains"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("the first three mills, in order of visitors", {"Brook Mill", "Dune Mill", "Alder Mill"}),
        ("which mill comes second by visitors?", {"Dune Mill"}),
        ("which mill ranks first in visitors?", {"Brook Mill"}),
        ("the first two mills by visitors", {"Brook Mill", "Dune Mill"}),
        ("the first two mills by year", {"Alder Mill", "Brook Mill"}),
        ("the last two mills to get a repair", {"Crag Mill", "Dune Mill"}),
        ("the first mill to have its first grain", {"Alder Mill"}),
        ("what is the biggest category?", {"tower mill"}),
        ("top 2 roof types by number of mills", {"slate", "thatch"}),
        ("the least used roof", {"thatch"}),
        ("the top 2 oldest mills", {"Alder Mill", "Brook Mill"}),
        ("the top 2 mills by visitors", {"Brook Mill", "Dune Mill"}),
        ("top 2 mills of 1840 by visitors", {"Alder Mill"}),
    ],
)
def test_the_first_of_some(question: str, answer: object) -> None:
    assert _ask(question) == answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("mills from 1850 to 1880", {"Brook Mill", "Crag Mill"}),
        ("mills between 1850 and 1880", {"Brook Mill", "Crag Mill"}),
        ("mills with a height from 15 to 20", {"Dune Mill"}),
        ("mills with 1000 to 2500 visitors", {"Brook Mill", "Dune Mill"}),
        ("mills 20 meters or taller", {"Alder Mill", "Crag Mill"}),
        ("mills that are 160 years old or older", {"Alder Mill", "Brook Mill"}),
        ("mills aged 150 or younger", {"Crag Mill", "Dune Mill"}),
        ("mills of 1860 or older", {"Alder Mill", "Brook Mill"}),
        ("mills that grind more than 80 bushels of rye", {"Brook Mill"}),
        ("mills that grind between 30 and 80 bushels of rye", {"Alder Mill", "Crag Mill"}),
        ("mills with 75 bushels of rye or more", {"Brook Mill", "Crag Mill"}),
        ("mills with visitors above the average", {"Brook Mill", "Dune Mill"}),
        ("mills with above-average visitors", {"Brook Mill", "Dune Mill"}),
        ("roofs with more than 1 mill", {"slate"}),
        ("the two oldest mills by age", {"Alder Mill", "Brook Mill"}),
        ("mills with at least 75 bushels of rye", {"Brook Mill", "Crag Mill"}),
    ],
)
def test_bounds(question: str, answer: object) -> None:
    assert _ask(question) == answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("which year had the most tons?", {"2004"}),
        ("in which two years were there the fewest farms?", {"2001", "2003"}),
        ("how many years had more than 400 tons?", 3),
        ("which years had between 10 and 20 farms?", {"2001", "2002"}),
        ("what was the second highest number of farms?", {"15"}),
        ("who has the fastest win?", {"Eva Lund"}),
        ("which runner won most often?", {"Ida Holm"}),
        ("which runners won at least twice?", {"Ida Holm", "Per Moe"}),
        ("how many runners won?", 4),
        ("wins faster than 2:12", {"Eva Lund", "Per Moe"}),
        ("the 2 slowest wins of men", {"Jon Vik", "Per Moe"}),
        ("the slowest win among the women's rowing", {"Eva Lund"}),
        ("the fastest woman", {"Ida Holm"}),
        ("wins with a time of 2:15 or faster", {"Eva Lund", "Jon Vik", "Per Moe"}),
    ],
)
def test_rows_without_names(question: str, answer: object) -> None:
    assert _ask(question) == answer


@pytest.mark.parametrize(
    "question",
    [
        "the three spookiest mills",  # no column says so
        "the highest roof",  # nothing is the highest by the alphabet
        "the tallest Dutch mills",  # which of them are Dutch is not known
        "the tallest mill per roof",  # one each
        "the median height",  # is not computed
        "the top 3 mills",  # by whatever
    ],
)
def test_what_is_not_measured(question: str) -> None:
    assert _ask(question) is None


def test_a_thing_is_not_asked_for_by_its_own_name() -> None:
    assert _ask("which rye has more than 2 mills?") != {"rye"}


@pytest.mark.parametrize(
    ("question", "plainer"),
    [
        ("flights from 9 to 5", "flights from 9 to 5"),
        ("open from 9:00 to 17:00", "open from 9:00 to 17:00"),
        ("who won 3-5 with 2 to 1 odds?", "who won 3-5 with 2 to 1 odds?"),
        ("rooms from 20 euros to 30 euros", "rooms between 20 euros and 30 euros"),
        ("rooms with 2-4 beds free", "rooms with between 2 and 4 beds free"),
        ("built from 1970-01-01 to 1972-12-31", "built between 1970-01-01 and 1972-12-31"),
        ("list the rooms in alphabetical order", "list the rooms"),
        ("who was first in class?", "who has the foremost class?"),
        ("average rent per town, highest first", "average rent per town, highest first"),
        ("towns within 5 km of Wick", "towns at most 5 km from Wick"),
        ("the last mill to close", "the last mill by close?"),
        ("towns of more than 20k", "towns of more than 20 thousand"),
        ("at least half a million", "at least 0.5 million"),
        ("the 10k race", "the 10k race"),
    ],
)
def test_plainer_words(question: str, plainer: str) -> None:
    assert plain(question) == plainer


@cache
def _repairs() -> tuple[GraphColumns, Reader]:
    """Repairs whose costs and times are nodes without names."""
    entities: list[Any] = []
    edges: list[Any] = []
    for number, (name, cost, day) in enumerate(
        [("new sails", 700, "1999"), ("new cap", 900, "2004"), ("oiling", 20, "")]
    ):
        entities += [(name, ["repair"], {}), (f"_:c{number}", ["MonetaryAmount"], {"value": float(cost)})]
        times = {"begin": Value("date", f"{day}-01-01")} if day else {"end": Value("date", "2001-01-01")}
        entities.append((f"_:t{number}", ["TimeSpan"], times))
        edges += [(name, "dimension", f"_:c{number}", {}), (name, "span", f"_:t{number}", {})]
    graph = GraphColumns.of(entities, edges)
    return graph, open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())


def test_nameless_parts_are_ranked_by() -> None:
    graph, reader = _repairs()
    executor = Executor(graph)
    (best, *_) = reader.read("the two most expensive repairs", executor=lambda each: outcome(executor, each))
    rows = executor.answer(best.plan)
    assert not isinstance(rows, Value | Listed | None)
    assert {graph.ids[row] for row in rows.tolist()} == {"new sails", "new cap"}
    assert not best.unsaid | best.guessed
    (latest, *_) = reader.read("the latest repair", executor=lambda each: outcome(executor, each))
    assert latest.unused, "some have a begin, others an end"


@cache
def _carters() -> tuple[GraphColumns, Reader]:
    """Carters who delivered sacks to mills, which lie near towns."""
    entities: list[Any] = [(name, ["Carter"], {"height_cm": 170.0 + place}) for place, name in enumerate("ABC")]
    entities = [(f"Carter {name}", *rest) for name, *rest in entities]
    entities += [(name, ["Mill"], {"sails": sails, "rent": rent}) for name, sails, rent in _RENTED]
    entities += [(name, ["Town"], {}) for name in ("Ford", "Wick")]
    edges: list[Any] = [
        (f"Carter {who}", "DELIVERED_TO", mill, {"sacks": float(sacks), "on": Value("date", day)})
        for who, mill, sacks, day in [
            ("A", "Elm Mill", 12, "1890-03-01"),
            ("B", "Elm Mill", 30, "1890-09-01"),
            ("C", "Fen Mill", 45, "1891-02-01"),
        ]
    ]
    edges += [
        ("Elm Mill", "CLOSE_TO", "Ford", {"distanceKm": 0.8}),
        ("Fen Mill", "CLOSE_TO", "Wick", {"distanceKm": 3.0}),
    ]
    edges += [
        (f"Carter {who}", "WORKS_FOR", "Elm Mill", {"salary": pay}) for who, pay in (("A", 5.0), ("B", 9.0), ("C", 7.0))
    ]
    graph = GraphColumns.of(entities, edges)
    return graph, open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())


_RENTED = [("Elm Mill", 4.0, 800.0), ("Fen Mill", 6.0, 1200.0)]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("which carters delivered more than 20 sacks?", {"Carter B", "Carter C"}),
        ("carters who delivered after 1890-06-01", {"Carter B", "Carter C"}),
        ("which carters delivered before 1890-06-01?", {"Carter A"}),
        ("mills within 1 km of a town", {"Elm Mill"}),
        ("mills more than 2 km from a town", {"Fen Mill"}),
        ("the two best paid carters", {"Carter B", "Carter C"}),
        ("mills under 1000 with at least 4 sails", {"Elm Mill"}),
    ],
)
def test_figures_of_relationships(question: str, answer: set[str]) -> None:
    graph, reader = _carters()
    executor = Executor(graph)
    (best, *_) = reader.read(question, executor=lambda each: outcome(executor, each), seconds=30)
    rows = executor.answer(best.plan)
    assert not best.unread
    assert not isinstance(rows, Value | Listed | None)
    assert {graph.ids[row] for row in rows.tolist()} == answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("mortars with more than 3 buckets of lime", {"strong mortar"}),
        ("which mortars have 3 buckets of lime or more?", {"plain mortar", "strong mortar"}),
        ("mortars with 3 buckets of lime", {"plain mortar"}),
        ("mortars with between 2 and 4 buckets of lime", {"plain mortar"}),
    ],
)
def test_amounts_beside_their_unit(question: str, answer: set[str]) -> None:
    entities: list[Any] = [(f"{kind} mortar", ["Mortar"], {}) for kind in ("plain", "strong", "fine")]
    entities += [("lime", ["Ingredient"], {}), ("sand", ["Ingredient"], {})]
    parts = [("plain", "lime", 3, "buckets"), ("strong", "lime", 5, "buckets"), ("fine", "lime", 9, "spoons")]
    parts += [("plain", "sand", 9, "buckets"), ("strong", "sand", 8, "buckets")]
    edges: list[Any] = [
        (f"{kind} mortar", "ingredient", what, {"amount": float(amount), "unit": unit})
        for kind, what, amount, unit in parts
    ]
    graph = GraphColumns.of(entities, edges)
    reader, executor = open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder()), Executor(graph)
    (best, *_) = reader.read(question, executor=lambda each: outcome(executor, each), seconds=30)
    rows = executor.answer(best.plan)
    assert not isinstance(rows, Value | Listed | None)
    assert ({graph.ids[row] for row in rows.tolist()}, best.unread, best.unused) == (answer, (), ())


def test_results_that_lead_to_whom_they_are_of() -> None:
    entities: list[Any] = [(name, ["rower"], {}) for name in ("Ada", "Bo", "Cy")]
    entities += [(f"win/row{number}", ["win"], {"year": 2000.0 + number}) for number in range(4)]
    edges: list[Any] = [
        (f"win/row{number}", "rower", name, {}) for number, name in enumerate(["Ada", "Bo", "Ada", "Cy"])
    ]
    graph = GraphColumns.of(entities, edges)
    reader, executor = open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder()), Executor(graph)
    for question in ("who won most often?", "who has won at least twice?"):
        (best, *_) = reader.read(question, executor=lambda each: outcome(executor, each), seconds=30)
        rows = executor.answer(best.plan)
        assert isinstance(rows, Listed)
        assert [graph.ids[int(rows.columns[0].key[at])] for at in rows.at[:, 0]] == ["Ada"]
        assert not best.unread + best.unused


def test_millions_of_a_column_that_counts_in_them() -> None:
    entities: list[Any] = [
        (f"year/row{at}", ["sum"], {"year": 2000.0 + at, "raised": 40.5 + 9 * at}) for at in range(4)
    ]
    graph = GraphColumns.of(entities, [])
    reader, executor = open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder()), Executor(graph)
    (best, *_) = reader.read("which years raised more than 55 million?", executor=lambda each: outcome(executor, each))
    rows = executor.answer(best.plan)
    assert isinstance(rows, Listed)
    assert [rows.columns[0].text(at) for at in rows.at[:, 0]] == ["2002", "2003"]
