"""Questions of cars, ports and units: north and south, lists of three, makes, what a unit's type measures, A or B."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import pytest

from tests.opened import opened
from tests.shop import outcome
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.execute import Executor
from trivium.kg.plans.plan import Value
from trivium.kg.plans.text import write
from trivium.policies.confidence.asks import asks_truth
from trivium.policies.confidence.signals import signals_of
from trivium.policies.reader.reader import Reader
from trivium.policies.reader.readings import Reading

_PORTS = {  # country, province, latitude, longitude, code
    "Bergen": ("Norway", "Vestland", 60.4, 5.3, 301),
    "Odda": ("Norway", "Vestland", 60.1, 6.5, 302),
    "Tromso": ("Norway", "Troms", 69.6, 18.9, None),
    "Kobe": ("Japan", "Hyogo", 34.7, 135.2, 210),
    "Osaka": ("Japan", "Kansai", 34.6, 135.4, 214),
    "Hobart": ("Australia", "Tasmania", -42.9, 147.3, 999),
}
_CARS = {  # maker, class, drive, cylinders, manual, mpg_city, mpg_highway, engine size
    "Taurus": ("Ford", "Midsize", "Front", "6", False, 21, 30, 3.0),
    "Escort": ("Ford", "Small", "Front", "4", True, 23, 30, 1.8),
    "Legend": ("Acura", "Midsize", "Front", "6", True, 18, 25, 3.2),
    "Legacy": ("Subaru", "Compact", "4WD", "4", True, 23, 30, 2.2),
    "Eurovan": ("Kombi", "Van", "Rear", "5", True, 17, 21, 5.5),
    "RX-9": ("Kombi", "Small", "Rear", "rotary", True, 17, 25, 1.3),
}
_UNITS = {  # kind, multiplier
    "Parsec": ("LengthUnit", 3.0857e16),
    "Chain": ("LengthUnit", 20.1168),
    "Rod": ("LengthUnit", 5.0292),
    "Meter": ("LengthUnit", 1.0),
    "Hectare": ("AreaUnit", 10000.0),
    "Acre": ("AreaUnit", 4046.9),
    "Square Mile": ("AreaUnit", 2589988.1),
    "Bar": ("PressureOrStressUnit", 100000.0),
    "Pascal": ("PressureOrStressUnit", 1.0),
    "Torr": ("PressureOrStressUnit", 133.3),
}


@cache
def _ports() -> tuple[GraphColumns, Reader]:
    entities: list[Any] = [
        (name, ["port"], {"latitude": north, "longitude": east, **({"code": code} if code else {})})
        for name, (_, _, north, east, code) in _PORTS.items()
    ]
    for place, kind in ((0, "country"), (1, "province")):
        entities += [(name, [kind], {}) for name in dict.fromkeys(str(each[place]) for each in _PORTS.values())]
    edges: list[Any] = [(name, "country", each[0], {}) for name, each in _PORTS.items()]
    return opened(entities, edges + [(name, "province", each[1], {}) for name, each in _PORTS.items()])


@cache
def _cars() -> tuple[GraphColumns, Reader]:
    entities: list[Any] = [
        (
            name,
            ["car"],
            {
                "drive_train": drive,
                "cylinders": cylinders,
                "man_trans_avail": Value("boolean", manual),
                "mpg_city": float(city),
                "mpg_highway": float(highway),
                "engine_size": size,
                "wheelbase": 90.0 + len(name),
                "passengers": float(4 + len(name) % 2),
            },
        )
        for name, (_, _, drive, cylinders, manual, city, highway, size) in _CARS.items()
    ]
    entities += [(name, ["manufacturer"], {}) for name in dict.fromkeys(each[0] for each in _CARS.values())]
    entities += [(name, ["class"], {}) for name in dict.fromkeys(each[1] for each in _CARS.values())]
    edges: list[Any] = [(name, "manufacturer", each[0], {}) for name, each in _CARS.items()]
    return opened(entities, edges + [(name, "class", each[1], {}) for name, each in _CARS.items()])


@cache
def _units() -> tuple[GraphColumns, Reader]:
    entities: list[Any] = [
        (name, [kind], {"conversionMultiplier": size, "conversionOffset": 0.0, "description": f"What {name} is."})
        for name, (kind, size) in _UNITS.items()
    ]
    entities += [(name, ["SystemOfUnits"], {}) for name in ("Metric System", "Old System")]
    metric = {"Meter", "Hectare", "Bar", "Pascal"}
    edges: list[Any] = [
        ("Metric System" if name in metric else "Old System", "systemDefinedUnit", name, {}) for name in _UNITS
    ]
    return opened(entities, edges)


_GRAPHS = {"ports": _ports, "cars": _cars, "units": _units}


def _read(graph: str, question: str) -> list[Reading]:
    columns, reader = _GRAPHS[graph]()
    executor = Executor(columns)
    return reader.read(question, executor=lambda plan: outcome(executor, plan), seconds=30)


def _best(graph: str, question: str) -> Reading:
    return _read(graph, question)[0]


@pytest.mark.parametrize(
    ("graph", "question", "plan"),
    [
        ("ports", "Which is further north, Bergen or Tromso?", "either(Bergen; Tromso) | top 1 by latitude"),
        ("ports", "Southernmost port of Norway?", "Norway | follow ^country | bottom 1 by latitude"),
        ("ports", "what is the most easterly port", "type port | top 1 by longitude"),
        ("ports", "ports of Norway beyond 65 degrees north", "Norway | follow ^country | where latitude > 65"),
        ("ports", "which ports are above 65° N?", "type port | where latitude > 65"),
        ("ports", "Ports in Norway, Japan or Australia", "either(Norway; either(Japan; Australia)) | follow ^country"),
        ("ports", "ports of Japan and Australia", "either(Japan; Australia) | follow ^country"),
        ("ports", "top two countries by number of ports, most first", "type country | top 2 by count(^country/)"),
        ("ports", "Which harbours are in Norway?", "Norway | follow ^country"),
        (
            "ports",
            "How many ports are in the country that Bergen is in?",
            "Bergen | follow country | follow ^country | count",
        ),
        ("ports", "What other ports share a province with Bergen?", "Bergen | follow province, ^province"),
        (
            "cars",
            "Which Fords have a manual transmission?",
            "Ford | follow ^manufacturer | where man_trans_avail = true",
        ),
        ("cars", "which of the Fords has the largest engine", "Ford | follow ^manufacturer | top 1 by engine_size"),
        ("cars", "list every Ford", "Ford | follow ^manufacturer"),
        ("cars", "I need the five-cylinder cars", 'type car | where cylinders = "5"'),
        ("cars", "cars with engines of five litres or more", "type car | where engine_size >= 5"),
        ("cars", "Top 3 cars for highway fuel economy, best first.", "type car | top 3 by mpg_highway"),
        ("cars", "I am trying to remember: how many cylinders does the Taurus have?", "Taurus | values cylinders"),
        ("cars", "Is the Legacy front or rear?", "Legacy | values drive_train"),
        ("cars", "Is the Legend compact or midsize?", "Legend | follow class"),
        ("cars", "Is the Legend made by Acura or Ford?", "Legend | follow manufacturer"),
        ("ports", "What are the coordinates of Kobe?", "Kobe | values latitude, longitude"),
        ("ports", "Which countries have only one port?", "type country | where count(^country{. = (type port)}/) = 1"),
        ("ports", "Which ports lack a code?", "type port | where not has code"),
        ("cars", "How long is the wheelbase of the Taurus?", "Taurus | values wheelbase"),
        ("cars", "Which cars hold 5 people?", "type car | where passengers = 5"),
        ("cars", "Which cars are rear-wheel drive?", 'type car | where drive_train = "Rear"'),
        ("cars", "How many cylinders does the Taurus have?", "Taurus | values cylinders"),
        ("units", "What is the longest unit of length?", "type LengthUnit | top 1 by conversionMultiplier"),
        ("units", "three biggest area units", "type AreaUnit | top 3 by conversionMultiplier"),
        ("units", "chain vs rod, which is longer?", "either(Chain; Rod) | top 1 by conversionMultiplier"),
        ("units", "How many units of pressure or stress are there?", "type PressureOrStressUnit | count"),
        ("units", "How is the rod described?", "Rod | values description"),
        (
            "units",
            "Is a mile square bigger than an acre?",
            "Square Mile | where conversionMultiplier > (Acre | values conversionMultiplier) | exists",
        ),
    ],
)
def test_questions_are_read(graph: str, question: str, plan: str) -> None:
    best = _best(graph, question)
    assert re.sub(r'ids "(.+?)"', r"\1", write(best.plan)) == plan
    assert best.unread in ((), ("share",))


def test_a_unit_that_the_graph_tells_of_is_compared_as_a_thing() -> None:
    best = _best("units", "Which area units are bigger than one hectare?")
    assert '> (ids "Hectare" | values conversionMultiplier)' in write(best.plan)


def test_a_column_of_one_value_ranks_nothing() -> None:
    assert not any("top 1 by conversionOffset" in write(each.plan) for each in _read("units", "the biggest area unit"))


def test_no_place_and_no_code_says_what_is_big() -> None:
    assert not any(" by " in write(each.plan) for each in _read("ports", "Which is the largest port?"))


def test_what_a_types_name_measures_is_no_guess() -> None:
    assert not _best("units", "Which is longer, a chain or a rod?").guessed
    assert _best("units", "Which is hotter, a chain or a rod?").guessed


@pytest.mark.parametrize(
    ("question", "number"),
    [
        ("how many meters are in a chain?", 20.1168),
        ("How many rods make one chain?", 4.0),
        ("how many acres in a square mile", 639.993),
        ("How many meters is one rod?", 5.0292),
        ("how many meters in an acre?", None),  # no area is a length
        ("how many meters are in a zorkmid?", None),
        ("how many old meters are in a chain?", None),
    ],
)
def test_how_many_of_one_unit_are_in_another(question: str, number: float | None) -> None:
    columns, _ = _units()
    best = _best("units", question)
    answer = Executor(columns).answer(best.plan)
    if number is None:
        assert not write(best.plan).startswith("calculate")
    else:
        assert isinstance(answer, Value)
        assert answer.value == pytest.approx(number, abs=1e-3)


def test_that_there_are_some_says_nothing_of_what_is_not_read() -> None:
    question = "is the zorkmid a length unit?"
    assert signals_of(None, _read("units", question), plan=True, question=question, truth=True).misfit
    known = "is the rod a length unit?"
    assert not signals_of(None, _read("units", known), plan=True, question=known, truth=True).misfit


def test_one_or_the_other_asks_for_no_yes() -> None:
    assert asks_truth("Is Salalah a port?")
    assert not asks_truth("Is Salalah a port or a town?")


def test_a_code_in_capitals_is_like_no_column() -> None:
    assert "LOCODE" in _best("ports", "What is the LOCODE of Kobe?").unread
    assert write(_best("ports", "What is the CODE of Kobe in the port list?").plan) == 'ids "Kobe" | values code'


def test_a_length_in_meters_is_no_other_figure() -> None:
    readings = _read("cars", "How many metres are in the wheelbase of the Taurus?")
    assert not any(part.word == "How many" and part.element == "measure" for part in readings[0].parts)


@pytest.mark.parametrize(
    ("graph", "question"),
    [
        ("cars", "How many cranes are rotary?"),
        ("units", "How many chains in a rod?"),
        ("cars", "How many people make the Taurus?"),
    ],
)
def test_what_is_not_counted_has_no_number(graph: str, question: str) -> None:
    readings = [each for each in _read(graph, question) if write(each.plan).endswith("count")]
    assert readings
    for each in readings:
        assert signals_of(None, [each], plan=True, question=question).misfit or each.repeats


def test_what_no_plan_computes_is_missed() -> None:
    question = "what is the ratio in wheelbase between the Taurus and the Escort"
    assert signals_of(None, _read("cars", question), plan=True, question=question).unused == 1
