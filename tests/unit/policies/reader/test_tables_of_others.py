"""Questions of tables that nobody tuned to: models by a part of their names, units in columns, votes without names."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from tests.opened import best as _best
from tests.shop import outcome
from trivium.kg.embedders.static import StaticEmbedder
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.execute import Executor
from trivium.kg.plans.plan import Value
from trivium.kg.plans.survey import profile_of
from trivium.kg.plans.text import write
from trivium.policies.reader.opening import names_of, open_reader, records_of
from trivium.policies.reader.reader import Reader

_CARDS = {  # maker, process size, draw, released
    "GeForce RTX 4090": ("Nvia", 5.0, 450.0, "2022-10-12"),
    "GeForce RTX 4090 D": ("Nvia", 5.0, 425.0, "2023-12-28"),
    "GeForce RTX 4070": ("Nvia", 4.0, 200.0, "2023-04-13"),
    "Radeon RX 580": ("Amber", 14.0, 185.0, "2017-04-18"),
    "Radeon RX 7600": ("Amber", 6.0, 165.0, "2023-12-05"),
}
_RELEASES = {"14.0.1": "14.17.0", "12.0.0": "14.14.0", "12.0.1": "14.14.0", "11.0.0": "12.18.3"}
_VOTES = [("Ann Ott", 1936, 222, True), ("Ben Fry", 1936, 100, False), ("Cy Dale", 1939, 301, True)]
_BEASTS = {"Roc": ("giant", 120.0, None), "Shark": ("beast", None, 40.0), "Wolf": ("beast", None, None)}


def _open(entities: list[Any], edges: list[Any], labels: dict[str, str] | None = None) -> tuple[GraphColumns, Reader]:
    graph = GraphColumns.of(entities, edges, labels=labels)
    return graph, open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())


@cache
def _cards() -> tuple[GraphColumns, Reader]:
    entities: list[Any] = [
        (name, ["gpu"], {"process_size_nm": size, "board_power_w": draw, "release_date": Value("date", day)})
        for name, (_, size, draw, day) in _CARDS.items()
    ]
    entities += [(name, ["manufacturer"], {}) for name in ("Nvia", "Amber")]
    return _open(entities, [(name, "manufacturer", maker, {}) for name, (maker, *_) in _CARDS.items()])


@cache
def _releases() -> tuple[GraphColumns, Reader]:
    return _open([(name, ["release"], {"deps_node": node}) for name, node in _RELEASES.items()], [])


@cache
def _votes() -> tuple[GraphColumns, Reader]:
    """Rows without names, about players."""
    rows = [f"vote/row{number}" for number, _ in enumerate(_VOTES, 1)]
    entities: list[Any] = [(name, ["player"], {}) for name, *_ in _VOTES]
    entities += [
        (row, ["vote"], {"year_id": year, "votes": count, "inducted": Value("boolean", chosen)})
        for row, (_, year, count, chosen) in zip(rows, _VOTES, strict=True)
    ]
    entities += [(name, ["category"], {}) for name in ("Pitcher", "Umpire")]
    edges: list[Any] = [(row, "player", name, {}) for row, (name, *_) in zip(rows, _VOTES, strict=True)]
    edges += [(row, "category", "Umpire" if row == rows[0] else "Pitcher", {}) for row in rows]
    return _open(entities, edges, {row: row.replace("/", " ") for row in rows})


@cache
def _beasts() -> tuple[GraphColumns, Reader]:
    entities: list[Any] = []
    for name, (_, fly, swim) in _BEASTS.items():
        speeds = {"speed_fly": fly, "speed_swim": swim}
        told = {"description": f"What a {name.lower()} does.", "dc_desc": f"How to flee a {name.lower()}."}
        entities.append((name, ["monster"], {**told, **{key: each for key, each in speeds.items() if each}}))
    entities += [(name, ["kind"], {}) for name in ("giant", "beast")]
    return _open(entities, [(name, "kind", kind, {}) for name, (kind, *_) in _BEASTS.items()])


def _plan(opened: tuple[GraphColumns, Reader], question: str) -> str:
    return write(_best(opened, question).plan)


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("When did the RTX 4090 come out?", 'ids "GeForce RTX 4090" | values release_date'),
        ("What is the process size of the RTX 4070?", 'ids "GeForce RTX 4070" | values process_size_nm'),
        ("Which GPUs have a process size of 5?", "type gpu | where process_size_nm = 5"),
        ("Which GPU has the smallest process size?", "type gpu | bottom 1 by process_size_nm"),
        ("Which GPUs use 400 watts or more?", "type gpu | where board_power_w >= 400"),
        ("Which GPUs use more than 400 watts?", "type gpu | where board_power_w > 400"),
        ("Which GPUs are not made by Nvia?", 'type gpu | minus (ids "Nvia" | follow ^manufacturer)'),
        ("RX 580 or RX 7600: which has the larger process size?", "top 1 by process_size_nm"),
    ],
)
def test_models_and_units(question: str, plan: str) -> None:
    best = _best(_cards(), question)
    assert write(best.plan).endswith(plan)
    assert (best.unread, best.unused) == ((), ()) or best.unused == ("When",)


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("What came out in December 2023?", 'release_date between [date "2023-12-01", date "2023-12-31"]'),
        ("What came out in 2022?", "release_date::year = 2022"),
    ],
)
def test_a_bound_alone_asks_for_all_that_fit_it(question: str, plan: str) -> None:
    assert _plan(_cards(), question) == f"type gpu | where {plan}"


def test_a_code_is_no_other_mistyped() -> None:
    best = _best(_releases(), "Which releases were tried on Node 14.14.0?")
    assert (write(best.plan), best.aside) == ('type release | where deps_node = "14.14.0"', 1)
    graph, _ = _releases()
    assert not names_of(graph).find_near("14.14.0")


def test_rows_without_names_stand_for_whom_they_tell_of() -> None:
    graph, reader = _votes()
    ((relation, owner),) = records_of(graph, reader.schema).values()
    assert (reader.schema.names[relation], reader.schema.types[owner].name) == ("player", "player")
    assert _plan(_votes(), "Which umpires were inducted?").endswith("where inducted = true | follow player")
    assert _plan(_votes(), "How many umpires were inducted?").endswith("where inducted = true | count")
    assert _plan(_votes(), "Who was inducted in 1936?").endswith("where year_id = 1936 | follow player")
    people = _best(_votes(), "How many people were inducted in 1936?")
    assert (write(people.plan).rpartition(" | ")[2], people.repeats) == ("count", False)
    assert not _cards()[1].records


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("Which monsters can fly?", "type monster | where has speed_fly"),
        ("Which monsters can't fly?", "type monster | where not has speed_fly"),
        ("Which monsters have a speed fly?", "type monster | where has speed_fly"),
        ("How fast can the Roc fly?", 'ids "Roc" | values speed_fly'),
        ("What does the Roc do?", 'ids "Roc" | values description'),
        ("In a few words, what is the Roc?", 'ids "Roc" | values description'),
        ("Which monsters are not beasts?", 'type monster | minus (ids "beast" | follow ^kind)'),
    ],
)
def test_what_things_can_do_and_are(question: str, plan: str) -> None:
    assert _plan(_beasts(), question) == plan


def test_a_day_of_birth_is_no_length() -> None:
    born = {"Ann": (1900, 3, 170.0), "Ben": (1905, 28, 182.0), "Cy": (1880, 14, 165.0)}
    facts = [{"birth_year": year, "birth_day": day, "height": high} for year, day, high in born.values()]
    opened = _open([(name, ["player"], each) for name, each in zip(born, facts, strict=True)], [])
    assert _plan(opened, "Who is the shortest player?") == "type player | bottom 1 by height"
    assert _plan(opened, "Who is the oldest player?") == "type player | bottom 1 by birth_year"
    assert _plan(opened, "What is the birth day of Ann?") == 'ids "Ann" | values birth_day'


def test_a_noun_that_the_graph_lacks_may_follow_a_name() -> None:
    entities: list[Any] = [(f"M{number}", ["4217"], {"built": year}) for number, year in enumerate((1990, 1985, 2001))]
    entities += [(name, ["maker"], {}) for name in ("Nvia", "Amber")]
    edges: list[Any] = [("M0", "maker", "Nvia", {}), ("M1", "maker", "Amber", {}), ("M2", "maker", "Nvia", {})]
    assert _plan(_open(entities, edges), "Oldest Nvia card") == 'ids "Nvia" | follow ^maker | bottom 1 by built'


def test_a_name_may_be_a_word_that_orders_and_a_value_of_many_columns() -> None:
    spells: list[Any] = [(name, ["spell"], {"level": level}) for name, level in (("Identify", 1), ("Wish", 9))]
    opened = _open(spells, [])
    assert _plan(opened, "What is the level of Identify?") == 'ids "Identify" | values level'
    columns = [f"{part}_{kind}" for part in ("skin", "hair", "wing", "horn", "tail") for kind in ("color", "tone")]
    facts: list[dict[str, Any]] = [dict.fromkeys(columns, "red"), dict.fromkeys(columns, "blue")]
    beasts = _open([(name, ["beast"], each) for name, each in zip(("Ook", "Ugh"), facts, strict=True)], [])
    assert _plan(beasts, "Which beasts have a tail tone of red?") == 'type beast | where tail_tone = "red"'


def test_long_lists_hold_many() -> None:
    assert _plan(_cards(), "Which manufacturer has the longest list of GPUs?").endswith(
        "top 1 by count(^manufacturer/)"
    )
    assert _plan(_cards(), "Which manufacturer has the shortest GPU list?").endswith(
        "bottom 1 by count(^manufacturer/)"
    )


def test_so_many_are_all_there_are() -> None:
    assert _best(_cards(), "Which two GPUs are made by Amber?").unused == ()
    assert _best(_cards(), "Which two GPUs are made by Nvia?").unused == ("two",)
    assert _plan(_cards(), "Name two GPUs made by Nvia").endswith("limit 2")


def test_what_began_longer_ago_is_older() -> None:
    ages = {"Emsian": 410.5, "Eifelian": 394.3, "Givetian": 387.9}
    opened = _open([(name, ["age"], {"begins_inMYA": ago}) for name, ago in ages.items()], [])
    assert _plan(opened, "Which is older, the Emsian or the Eifelian?").endswith("| top 1 by begins_inMYA")
    assert _plan(opened, "Which is the youngest age?") == "type age | bottom 1 by begins_inMYA"
    assert _plan(opened, "Which age begins first?") == "type age | top 1 by begins_inMYA"


def test_a_small_word_that_is_none_is_a_name_beside_capitals() -> None:
    opened = _open([("Emsian", ["age"], {"begins": 410.5}), ("Givetian", ["age"], {"begins": 387.9})], [])
    assert _plan(opened, "Begins of the emsian in Ma?").startswith('ids "Emsian"')


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("nubmer of monsters?", "type monster | count"),
        ("how many mosnters are there?", "type monster | count"),
        ("what is the descripton of the Roc?", 'ids "Roc" | values description'),
    ],
)
def test_words_with_a_typo_are_read_as_what_is_meant(question: str, plan: str) -> None:
    assert _plan(_beasts(), question) == plan


def test_a_name_or_a_word_of_its_own_is_no_typo() -> None:
    entities: list[Any] = [("Nubmer", ["monster"], {"speed": 3.0}), ("Roc", ["monster"], {"speed": 5.0})]
    opened = _open(entities, [])
    assert _plan(opened, "what is the speed of nubmer?") == 'ids "Nubmer" | values speed'
    assert not opened[1].read("how many monitors are there?"), "a word that is none of the graph's"


def test_a_date_that_is_asked_for_is_given_without_its_time() -> None:
    at = {"Ann": "2001-02-03T10:30:00", "Bob": "2002-03-04T11:45:00"}
    opened = _open([(name, ["member"], {"joined": Value("datetime", each)}) for name, each in at.items()], [])
    assert _plan(opened, "On which date did Ann join?") == 'ids "Ann" | values joined::date'
    assert _plan(opened, "When did Ann join?") == 'ids "Ann" | values joined'


def test_initials_may_be_a_unit_that_nothing_is_measured_in() -> None:
    opened = _open([("Roc", ["monster"], {"hit_points": 248.0}), ("Imp", ["monster"], {"hit_points": 10.0})], [])
    assert _plan(opened, "Which monster has the most HP?") == "type monster | top 1 by hit_points"


def test_a_year_is_a_year_though_it_is_called_an_id() -> None:
    entities: list[Any] = [(f"v{n}", ["vote"], {"year_id": 1960.0 + n}) for n in range(6)]
    entities += [(name, ["player"], {"birth_year": 1919.0 + n}) for n, name in enumerate(("Ann", "Bob"))]
    edges: list[Any] = [(f"v{n}", "player", "Ann" if n % 2 else "Bob", {}) for n in range(6)]
    plan = _plan(_open(entities, edges), "What year was the vote on Ann?")
    assert plan == 'ids "Ann" | follow ^player | values year_id'


@pytest.mark.parametrize("question", ["Rome Paris or Oslo by size?", "list capital port and town by size"])
def test_several_that_are_ranked_are_read(question: str) -> None:
    things = {"Rome": ("capital", 4.0), "Paris": ("capital", 3.0), "Oslo": ("port", 2.0), "Bonn": ("town", 1.0)}
    opened = _open([(name, ["city"], {"kind": kind, "size": size}) for name, (kind, size) in things.items()], [])
    assert opened[1].read(question)


def test_nothing_is_reached_from_the_rows_of_a_table() -> None:
    entities: list[Any] = [(name, ["state"], {"seats": float(n)}) for n, name in enumerate(("Ohio", "Utah"))]
    rows = [(f"e{n}", ["election"], {"rep": 40.0 + n, "year": 2000.0 + n}) for n in range(6)]
    edges: list[Any] = [(f"e{n}", "state", "Ohio" if n % 2 else "Utah", {}) for n in range(6)]
    graph, reader = _open([*entities, *rows], edges)
    executor = Executor(graph)
    for question in ("states rep per of election seats", "rep per state of elections", "seats per rep of states"):
        for reading in reader.read(question, executor=lambda plan: outcome(executor, plan), seconds=30):
            executor.answer(reading.plan)


@cache
def _terms() -> tuple[GraphColumns, Reader]:
    """Senators, a row for each time that one was appointed."""
    said = (("Ida Roth", "Jon Senn"), ("Ida Roth", "Jon Senn"), ("Ida Roth", "Eve Funk"), ("Ben Cole", "Eve Funk"))
    entities: list[Any] = [(f"senator/row{n}", ["senator"], {"days": 100.0 * n}) for n, _ in enumerate(said)]
    entities += [(name, ["minister"], {}) for name in ("Jon Senn", "Eve Funk")]
    edges: list[Any] = [(f"senator/row{n}", "appointed_by", by, {}) for n, (_, by) in enumerate(said)]
    return _open(entities, edges, {f"senator/row{n}": name for n, (name, _) in enumerate(said)})


def test_rows_of_one_name_are_counted_and_not_what_they_lead_to() -> None:
    rows = '"senator/row0", "senator/row1", "senator/row2"'
    times = f"ids {rows} | where has appointed_by/ | count"
    assert _plan(_terms(), "how many times was Ida Roth appointed?") == times
    assert (
        _plan(_terms(), "how many times was Ben Cole appointed?") == 'ids "senator/row3" | follow appointed_by | count'
    )
    whom = _plan(_terms(), "how many ministers appointed Ida Roth?")
    assert whom == f"ids {rows} | follow appointed_by | count"
