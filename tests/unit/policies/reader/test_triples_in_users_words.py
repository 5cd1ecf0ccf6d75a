"""Questions in users' own words over a small graph of triples without types: a club that lends boats."""

from __future__ import annotations

from functools import cache, partial

import pytest

from tests.shop import outcome
from trivium.kg.embedders.static import StaticEmbedder
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.execute import Executor
from trivium.kg.plans.plan import Value
from trivium.kg.plans.result import item_label, materialize
from trivium.kg.plans.survey import profile_of
from trivium.policies.reader.opening import names_of, open_reader
from trivium.policies.reader.reader import Reader

BOATS = {
    # boat class, berth row, cover, length in m, "£" a day, trips, minutes a trip
    "Lark": ("Dinghy", "North Row", True, "4.2 m", "£25", 3, 40),
    "Petrel": ("Dinghy", "North Row", False, "5 m", "£30", 2, 90),
    "Heron": ("Canoe", "South Row", True, "3.5 m", "£12", 5, 60),
}
SINCE = {"Ann": "2011-03-01", "Bob": "2015-06-30", "Cleo": "2019-01-15"}
BORN = {"Ann": 1980, "Bob": 2001, "Cleo": 1992}
TOWNS = {"Ashby": 1_200_000, "Corwen": 4_000, "Delft": 700_000}


@cache
def _club() -> tuple[GraphColumns, Reader]:
    things: dict[str, dict[str, Value]] = {}
    edges = []
    for name, (sort, row, cover, length, price, trips, minutes) in BOATS.items():
        numbers = {"length": length, "day_hire": price, "trips": str(trips), "minutes_per_trip": str(minutes)}
        things[name] = {key: Value("number", float(text.strip("£m "))) for key, text in numbers.items()}
        things[name]["has_cover"] = Value("boolean", cover)
        edges += [(name, "boat_class", sort), (name, "moored_in", row)]
    for who, day in SINCE.items():
        things[who] = {"memberSince": Value("date", day), "birth_year": Value("number", float(BORN[who]))}
        edges += [(who, "sails", boat) for boat in list(BOATS)[: 1 + (who == "Ann")]]
        edges.append((who, "home", list(TOWNS)[list(SINCE).index(who)]))
    things |= {town: {"population": Value("number", float(people))} for town, people in TOWNS.items()}
    edges += [(town, "lies_in", "Wales") for town in TOWNS]
    names = dict.fromkeys([*things, *(tail for _, _, tail in edges)])
    graph = GraphColumns.of([(name, [], dict(things.get(name, {}))) for name in names], edges)
    units = {"day_hire": "£", "length": "m"}
    return graph, open_reader(graph, profile_of(graph, units=units), names_of(graph), StaticEmbedder())


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Boats in the North Row with a cover?", ["Lark"]),
        ("Which boats have no cover?", ["Petrel"]),
        ("Which dinghy has the most trips?", ["Lark"]),
        ("How many dinghies are there?", ["2"]),
        ("What is the cheapest boat?", ["Heron"]),
        ("Which boat is the longest?", ["Petrel"]),
        ("Is Lark or Petrel longer?", ["Petrel"]),
        ("Which member has been with us the longest?", ["Ann"]),
        ("which towns have more than a million people", ["Ashby"]),
        ("Which boats have more than 50 minutes per trip?", ["Heron", "Petrel"]),
        ("Boats with a cover under 2000 pounds", ["Heron", "Lark"]),
        ("covered boats under 20 pounds", ["Heron"]),
        ("Who was born in 2001?", ["Bob"]),
        ("Which boats cost less than 28 pounds?", ["Heron", "Lark"]),
        ("anyone born after 1990?", ["Bob", "Cleo"]),
        ("Can I put a cover on Petrel?", ["false"]),
        ("Can you list the boats with a cover?", ["Heron", "Lark"]),
    ],
)
def test_what_names_of_relations_and_units_say(question: str, answer: list[str]) -> None:
    graph, reader = _club()
    best, *_ = reader.read(question)
    found = materialize(Executor(graph), best.plan)
    if found.value is not None:
        assert [item_label(found.value)] == answer
    else:
        rows = [item_label(cell) for row in found.rows for cell in row]
        assert sorted(rows or (each.label for each in found.entities)) == answer


def test_what_is_known_of_a_thing_stands_behind_the_plans_that_words_lead_to() -> None:
    graph, reader = _club()
    readings = reader.read("What has Ann been raving about?", executor=partial(outcome, Executor(graph)), most=40)
    named = [{each.label for each in materialize(Executor(graph), reading.plan).entities} for reading in readings]
    assert named[0] == {"Ann"}
    assert {"Lark", "Petrel"} in named[1:]


@pytest.mark.parametrize("question", ["Is the most common boat class a Dinghy?", "Is Lark or Heron in the South Row?"])
def test_whatever_is_asked_for_yes_or_no_can_be_run(question: str) -> None:
    graph, reader = _club()
    for reading in reader.read(question, executor=partial(outcome, Executor(graph)), most=40):
        materialize(Executor(graph), reading.plan)


_SEATS = {"Ida Falk": ("Moor Ward", "Finance Committee"), "Otto Rye": ("Hill Ward", "Parks Committee")}
_SEATS |= {"Ulla Ness": ("Quay Ward", "Parks Committee")}
_WARDS = {"Moor Ward": 2_400, "Hill Ward": 9_100, "Quay Ward": 700}
_MOTIONS = [("Clean Air", "Ida Falk", "Motion 24/01"), ("Night Bus", "Ulla Ness", "Motion 24/02")]


def _council() -> tuple[GraphColumns, Reader]:
    edges = [
        edge
        for who, (ward, committee) in _SEATS.items()
        for edge in ((who, "stands_for", ward), (who, "sits_on", committee))
    ]
    edges += [("Finance Committee", "led_by", "Otto Rye"), ("Parks Committee", "led_by", "Ida Falk")]
    edges += [edge for title, who, key in _MOTIONS for edge in ((key, "moved_by", who), (key, "about", title))]
    edges += [("Motion 24/01", "leads_to", "Motion 24/02")]
    names = dict.fromkeys([*(head for head, _, _ in edges), *(tail for _, _, tail in edges)])
    own = {ward: {"population": Value("number", float(people))} for ward, people in _WARDS.items()}
    graph = GraphColumns.of([(name, [], dict(own.get(name, {}))) for name in names], edges)
    return graph, open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which committees is Ulla Ness on?", ["Parks Committee"]),
        ("Which ward is Otto Rye in?", ["Hill Ward"]),
        ("how many committees are there?", ["2"]),
        ("Which ward has the most people?", ["Hill Ward"]),
        ("Which ward has fewer people, Moor Ward or Quay Ward?", ["Quay Ward"]),
        ("Is there a connection from Motion 24/01 to Motion 24/02?", ["true"]),
        ("Is there a connection from Motion 24/02 to Motion 24/01?", ["false"]),
    ],
)
def test_roles_are_called_as_their_names_say(question: str, answer: list[str]) -> None:
    graph, reader = _council()
    (best, *_) = reader.read(question, executor=partial(outcome, Executor(graph)))
    found = materialize(Executor(graph), best.plan)
    cells = [found.value] if found.value else [cell for row in found.rows for cell in row] or found.entities
    assert (sorted(map(item_label, cells)), best.unread) == (answer, ())


def test_a_noun_in_some_names_alone_is_no_kind() -> None:
    """One of three councillors' names ends in "Rye", which names no kind of things."""
    _, reader = _council()
    called = {word for role in reader.schema.types for words in role.words for word in words}
    assert {"committee", "ward", "motion"} <= called
    assert called.isdisjoint({"rye", "ida", "air", "night"})


@cache
def _league() -> Reader:
    squad = {"Ann": ("Ajax", "Keeper", "Peru"), "Bea": ("Ajax", "Winger", "Mali"), "Cleo": ("Celta", "Keeper", "Mali")}
    edges = [
        edge
        for who, (club, place, country) in squad.items()
        for edge in ((who, "plays_in_club", club), (who, "plays_position", place), (who, "plays_for_country", country))
    ]
    edges += [("Ajax", "is_in_country", "Peru"), ("Celta", "is_in_country", "Mali")]
    names = dict.fromkeys([*squad, *(tail for _, _, tail in edges)])
    graph = GraphColumns.of([(name, [], {}) for name in names], edges)
    return open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("which footballer plays for the club Ajax?", ()),  # "plays" is no noun after "footballer"
        ("which Mali footballer plays for the club Ajax?", ()),  # the club tells who they are
        ("which Mali footballer is with Ajax?", ("footballer",)),  # no word says how they are joined to either
    ],
)
def test_what_is_said_of_them_tells_who_an_unknown_noun_means(question: str, left: tuple[str, ...]) -> None:
    best = _league().read(question)[0]
    assert (best.kinds, best.unread) == (("footballer",), left)


@pytest.mark.parametrize(
    ("question", "unread"),
    [
        ("How many gadgets in the North Row do we have?", ()),
        ("How many gadgets in the North Row do leak?", ("gadgets", "leak")),
    ],
)
def test_what_one_has_says_nothing_of_a_kind(question: str, unread: tuple[str, ...]) -> None:
    _, reader = _club()
    best, *_ = reader.read(question)
    assert (best.unread, best.kinds) == (unread, ("gadgets",))
