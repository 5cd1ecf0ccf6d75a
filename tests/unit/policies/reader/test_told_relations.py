"""Roles that stand as values: credits of people for films with a job, roles in time of agents for articles."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from tests.opened import best as _best
from tests.opened import opened
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.execute import Executor
from trivium.kg.plans.result import item_label, materialize
from trivium.kg.plans.text import write
from trivium.policies.reader.reader import Reader

_CREDITS = {  # film: people by job
    "Dune Sea": {"Director": ["Ada Reed"], "Writer": ["Bo Lund", "Cy Marsh"], "Editor": ["Di Frost"]},
    "Ice Road": {"Director": ["Ada Reed"], "Writer": ["Bo Lund"], "Editor": ["Di Frost"]},
    "Long Night": {"Director": ["Ed Moor"], "Writer": ["Ada Reed"], "Choreographer": ["Cy Marsh"]},
    "Red Moor": {"Director": ["Ed Moor"], "Writer": ["Cy Marsh"], "Editor": ["Ed Moor"]},
    "Tall Ship": {"Director": ["Ed Moor"], "Writer": ["Bo Lund"], "Choreographer": ["Di Frost"]},
}
_YEARS = dict(zip(_CREDITS, range(1990, 1995), strict=True))
_ROLES = {  # article: agents by role
    "On Tides": {"author": ["Ada Reed", "Bo Lund"], "publisher": ["Marsh Press"]},
    "On Winds": {"author": ["Bo Lund"], "publisher": ["Marsh Press"]},
    "On Rain": {"author": ["Cy Marsh"], "publisher": ["Hill Press"]},
}


def _listed() -> list[tuple[str, str, str]]:
    return [(film, job, name) for film, jobs in _CREDITS.items() for job, names in jobs.items() for name in names]


def _people() -> list[Any]:
    return [(name, ["person"], {"born": 1950 + place}) for place, name in enumerate({name for *_, name in _listed()})]


def _films() -> list[Any]:
    return [(film, ["film"], {"year": year}) for film, year in _YEARS.items()]


@cache
def _table(kind: str = "job") -> tuple[GraphColumns, Reader]:
    """Rows of credits that lead to a film, a person and a job."""
    jobs: list[Any] = [(job, [kind], {}) for job in dict.fromkeys(job for _, job, _ in _listed())]
    rows = [(f"credit {place}", ["credit"], {"fee": 100 + place}) for place, _ in enumerate(_listed())]
    edges: list[Any] = []
    for place, (film, job, name) in enumerate(_listed()):
        edges += [(f"credit {place}", "film", film, {}), (f"credit {place}", "person", name, {})]
        edges += [(f"credit {place}", kind, job, {})]
    return opened([*_people(), *_films(), *jobs, *rows], edges)


@cache
def _column() -> tuple[GraphColumns, Reader]:
    """The same with the job as a text of each row."""
    rows = [(f"credit {place}", ["credit"], {"job": job}) for place, (_, job, _) in enumerate(_listed())]
    edges: list[Any] = []
    for place, (film, _, name) in enumerate(_listed()):
        edges += [(f"credit {place}", "film", film, {}), (f"credit {place}", "person", name, {})]
    return opened([*_people(), *_films(), *rows], edges)


@cache
def _relationships() -> tuple[GraphColumns, Reader]:
    """The same as relationships that have the job."""
    return opened([*_people(), *_films()], [(film, "credits", name, {"job": job}) for film, job, name in _listed()])


@cache
def _nodes() -> tuple[GraphColumns, Reader]:
    """Articles whose roles in time are nodes, as the SPAR ontologies have them."""
    entities: list[Any] = [(title, ["Article"], {"pages": 3 + place}) for place, title in enumerate(_ROLES)]
    entities += [(name, ["Agent"], {}) for name in ("Ada Reed", "Bo Lund", "Cy Marsh", "Marsh Press", "Hill Press")]
    entities += [("author", [], {}), ("publisher", [], {})]
    edges: list[Any] = []
    held = [(title, role, name) for title, roles in _ROLES.items() for role, names in roles.items() for name in names]
    for place, (title, role, name) in enumerate(held, 7001):
        entities += [(str(place), ["RoleInTime"], {})]
        edges += [(title, "isDocumentContextFor", str(place), {}), (str(place), "isHeldBy", name, {})]
        edges += [(str(place), "withRole", role, {})]
    return opened(entities, edges)


def _answer(graph: tuple[GraphColumns, Reader], question: str) -> list[str]:
    """The cells of the best reading's answer, sorted."""
    found = materialize(Executor(graph[0]), _best(graph, question).plan)
    cells = [found.value] if found.value else [cell for row in found.rows for cell in row] or found.entities
    return sorted(map(item_label, cells))


_ASKED = [
    ("Who directed Dune Sea?", ["Ada Reed"]),
    ("Who wrote Long Night?", ["Ada Reed"]),
    ("Who were the writers of Dune Sea?", ["Bo Lund", "Cy Marsh"]),
    ("Who is the director of Long Night?", ["Ed Moor"]),
    ("Who choreographed Tall Ship?", ["Di Frost"]),
    ("How many films did Ed Moor direct?", ["3"]),
    ("How many films did Bo Lund direct?", ["0"]),
    ("Which films were written by Bo Lund and directed by Ed Moor?", ["Tall Ship"]),
    ("Which films were not directed by Ada Reed?", ["Long Night", "Red Moor", "Tall Ship"]),
    ("Which films did Ed Moor direct after 1993?", ["Tall Ship"]),
    ("Which film has more writers, Dune Sea or Ice Road?", ["Dune Sea"]),
    ("Which films have more than one writer?", ["Dune Sea"]),
    ("Did Ada Reed write Dune Sea?", ["false"]),
    ("Did Ada Reed direct Dune Sea?", ["true"]),
    ("number of films per director", ["2", "3", "Ada Reed", "Ed Moor"]),
    ("who directed the most films?", ["Ed Moor"]),
    ("how many directors are there?", ["2"]),
    ("which director directed the most films?", ["Ed Moor"]),
]


@pytest.mark.parametrize(("question", "answer"), _ASKED)
@pytest.mark.parametrize("graph", [_table, _column, _relationships])
def test_a_job_of_credits_is_a_relation_from_the_film_to_the_person(
    graph: Callable[[], tuple[GraphColumns, Reader]], question: str, answer: list[str]
) -> None:
    assert _answer(graph(), question) == answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who wrote On Tides?", ["Ada Reed", "Bo Lund"]),
        ("Who is the author of On Rain?", ["Cy Marsh"]),
        ("Who published On Tides?", ["Marsh Press"]),
        ("Which articles were published by Marsh Press?", ["On Tides", "On Winds"]),
        ("How many articles did Bo Lund write?", ["2"]),
        ("Did Ada Reed write On Winds?", ["false"]),
        ("What is the average number of authors of the articles?", ["1.3333333333333333"]),
        ("Who are the agents of On Rain?", ["Cy Marsh", "Hill Press"]),
    ],
)
def test_a_role_node_is_a_relation_from_the_article_to_the_agent(question: str, answer: list[str]) -> None:
    assert _answer(_nodes(), question) == answer


@pytest.mark.parametrize("question", ["Who edited On Rain?", "Who translated On Rain?", "Who directed On Rain?"])
def test_a_deed_that_nobody_has_a_role_for_is_not_read(question: str) -> None:
    assert _best(_nodes(), question).unread


def test_nothing_is_in_a_role_only_because_somebody_has_it() -> None:
    assert _answer(_table(), "Who edited Long Night?") == []


def test_things_without_a_word_for_a_role_are_joined_as_before() -> None:
    plan = write(_best(_table(), "Which people are there for Ice Road?").plan)
    assert "Director" not in plan
    assert _answer(_table(), "Which people are there for Ice Road?") == ["Ada Reed", "Bo Lund", "Di Frost"]


def _told(graph: tuple[GraphColumns, Reader]) -> list[str]:
    return [each.name for each in graph[1].schema.told.values()]


def test_a_relation_of_the_graph_keeps_its_deed() -> None:
    entities = [*_people(), *_films()]
    edges: list[Any] = [(film, "credits", name, {"job": job}) for film, job, name in _listed()]
    edges += [("Dune Sea", "directed_by", "Cy Marsh", {})]
    graph = opened(entities, edges)
    assert _told(graph) == ["Writer", "Editor", "Choreographer"]
    assert _answer(graph, "Who directed Dune Sea?") == ["Cy Marsh"]


def test_who_plays_a_character_and_what_is_played_are_told_by_the_same_relationships() -> None:
    cast = [("Ice Road", "Bo Lund", "actor", "Finn"), ("Red Moor", "Bo Lund", "actor", "Hart")]
    cast += [("Ice Road", "Di Frost", "actor", "Wren"), ("Red Moor", "Cy Marsh", "director", "")]
    cast += [("Ice Road", "Ada Reed", "director", ""), ("Dune Sea", "Di Frost", "actor", "Lark")]
    edges: list[Any] = [
        (film, "cast", name, {"category": job, **({"character": whom} if whom else {})})
        for film, name, job, whom in cast
    ]
    graph = opened([*_people(), *_films()], edges)
    assert _answer(graph, "Who plays Finn?") == ["Bo Lund"]
    assert _answer(graph, "Who plays in Ice Road?") == ["Bo Lund", "Di Frost"]
    assert _answer(graph, "Which character does Bo Lund play in Ice Road?") == ["Finn"]


def test_actors_may_be_actresses() -> None:
    cast = [("Ice Road", "Bo Lund", "actor"), ("Ice Road", "Di Frost", "actress"), ("Red Moor", "Di Frost", "actress")]
    cast += [
        ("Red Moor", "Bo Lund", "director"),
        ("Ice Road", "Cy Marsh", "director"),
        ("Dune Sea", "Bo Lund", "actor"),
    ]
    graph = opened([*_people(), *_films()], [(film, "cast", name, {"category": job}) for film, name, job in cast])
    assert _answer(graph, "Who acted in Ice Road?") == ["Bo Lund", "Di Frost"]
    assert _answer(graph, "Who are the actresses of Ice Road?") == ["Di Frost"]
    assert _answer(graph, "Who directed Ice Road?") == ["Cy Marsh"]


def test_who_plays_is_not_told_by_players_where_a_relation_says_it() -> None:
    edges: list[Any] = [
        (film, "credits", name, {"job": "Player" if job == "Choreographer" else job}) for film, job, name in _listed()
    ]
    graph = opened([*_people(), *_films()], [*edges, ("Cy Marsh", "plays_in", "Dune Sea", {})])
    assert _told(graph) == ["Writer", "Director", "Editor"]
    assert _answer(graph, "Who plays in Dune Sea?") == ["Cy Marsh"]


def test_values_that_are_no_nouns_for_who_does_something_are_no_relations() -> None:
    edges: list[Any] = [
        (film, "stock", name, {"color": ("silver", "amber", "umber")[place % 3]})
        for place, (film, _, name) in enumerate(_listed())
    ]
    assert _told(opened([*_people(), *_films()], edges)) == []


def test_rows_with_names_of_their_own_join_nothing() -> None:
    """A person with a job in a department and a boss: no boss of anybody is the department's manager."""
    staff = ("Ann", "Ben", "Cleo", "Dirk", "Eve", "Finn")
    entities: list[Any] = [(name, ["employee"], {"born": 1980}) for name in staff]
    entities += [(name, ["department"], {"floor": floor}) for floor, name in enumerate(("Sales", "Care"))]
    entities += [(name, ["job"], {}) for name in ("Manager", "Driver")]
    edges: list[Any] = []
    for place, name in enumerate(staff):
        edges += [(name, "department", ("Sales", "Care")[place % 2], {}), (name, "boss", staff[place % 2], {})]
        edges += [(name, "job", ("Manager", "Driver")[place // 3], {})]
    assert _told(opened(entities, edges)) == []
