"""What people ask of their own data: relations that are IRIs, what occurs most, figures compared, signs of numbers."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from tests.opened import best as _best
from tests.opened import opened as _open
from tests.shop import outcome
from trivium.kg.indexes.words import own_name
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.execute import Executor
from trivium.kg.plans.plan import Value
from trivium.kg.plans.text import write
from trivium.policies.reader.reader import Reader

_VOCABULARY = "http://example.org/2024/kit.vocab#"
_PARENTS = {"Fan": "Machine", "Pump": "Machine", "Booster Fan": "Fan", "Ceiling Fan": "Fan", "Heat Pump": "Pump"}
_ORDERS = {  # shipping, year, profit, units
    "O1": ("Sea", 2021, 12.5, 3),
    "O2": ("Air", 2022, -4.0, 1),
    "O3": ("Sea", 2022, -1.5, 8),
    "O4": ("Sea", 2022, 7.0, 2),
    "O5": ("Rail", 2023, 9.0, 5),
}
_ENGINES = {"P1": ("Jet", 2), "P2": ("Piston", 1), "P3": ("Jet", 4)}


@cache
def _kit() -> tuple[GraphColumns, Reader]:
    """Kinds of equipment, as RDF has them."""
    names = dict.fromkeys([*_PARENTS.values(), *_PARENTS])
    entities: list[Any] = [
        (name, ["Class"], {f"{_VOCABULARY}definition": f"What a {name.lower()} is.", f"{_VOCABULARY}unitPrice": price})
        for price, name in enumerate(names, 10)
    ]
    edges: list[Any] = [(name, f"{_VOCABULARY}subClassOf", parent, {}) for name, parent in _PARENTS.items()]
    edges += [("Fan", f"{_VOCABULARY}equivalentClass", "Pump", {})]
    return _open(entities, edges)


@cache
def _table() -> tuple[GraphColumns, Reader]:
    """Orders and planes, as tables have them."""
    entities: list[Any] = [
        (key, ["order"], {"year": year, "profit": profit, "units": units})
        for key, (_, year, profit, units) in _ORDERS.items()
    ]
    entities += [(name, ["shipping"], {}) for name in ("Sea", "Air", "Rail")]
    entities += [(key, ["plane"], {"engines": count}) for key, (_, count) in _ENGINES.items()]
    entities += [(name, ["engine"], {}) for name in ("Jet", "Piston")]
    entities += [
        ("T1", ["sample"], {"finding": "negative", "mass": 3.0}),
        ("T2", ["sample"], {"finding": "positive", "mass": 4.0}),
    ]
    edges: list[Any] = [(key, "shipping", how, {}) for key, (how, *_) in _ORDERS.items()]
    edges += [(key, "engine", kind, {}) for key, (kind, _) in _ENGINES.items()]
    return _open(entities, edges)


def _plan(opened: tuple[GraphColumns, Reader], question: str) -> str:
    return write(_best(opened, question).plan).replace(_VOCABULARY, "").replace("`", "")


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("what are the subclasses of Fan?", 'ids "Fan" | follow ^subClassOf'),
        ("how many subclasses does Fan have?", 'ids "Fan" | follow ^subClassOf | count'),
        ("what is Heat Pump a subclass of?", 'ids "Heat Pump" | follow subClassOf'),
        ("which class is Booster Fan a subclass of?", 'ids "Booster Fan" | follow subClassOf'),
        ("what is the unit price of Fan?", 'ids "Fan" | values unitPrice'),
        ("what does Heat Pump mean?", 'ids "Heat Pump" | values definition'),
        ("what does Fan stand for?", 'ids "Fan" | values definition'),
    ],
)
def test_a_relation_is_called_as_the_local_name_of_its_iri(question: str, plan: str) -> None:
    assert _plan(_kit(), question) == plan


def test_the_mean_of_a_column_stays_an_average() -> None:
    assert _plan(_kit(), "what is the mean unit price?").endswith("average unitPrice")


def test_the_own_name_of_an_element_leaves_out_its_type() -> None:
    assert own_name(f"Class.{_VOCABULARY}unitPrice") == f"{_VOCABULARY}unitPrice"
    assert own_name(f"{_VOCABULARY}subClassOf") == f"{_VOCABULARY}subClassOf"
    assert own_name("Film.year") == "year"
    assert own_name("directed_by") == "directed_by"


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("which shipping is the most common?", "type shipping | top 1 by count(^shipping/)"),
        ("which shipping is used most often?", "type shipping | top 1 by count(^shipping/)"),
        ("what is the most common year?", "type order | group year : count | order 1 descending | limit 1"),
        ("which year has the most orders?", "type order | group year : count | order 1 descending | limit 1"),
        ("in which year were most orders placed?", "type order | group year : count | order 1 descending | limit 1"),
    ],
)
def test_what_occurs_most(question: str, plan: str) -> None:
    assert _plan(_table(), question) == plan


def test_what_is_asked_by_a_verb_that_says_more_is_not_what_occurs_most() -> None:
    assert "top" not in _plan(_table(), "which shipping is delayed most often?") or _best(
        _table(), "which shipping is delayed most often?"
    ).unread == ("delayed",)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("are there more Sea orders than Air orders?", True),
        ("are there fewer Sea orders than Air orders?", False),
        ("is the average profit of Sea orders larger than that of Air orders?", True),
        ("is the average profit of Sea orders smaller than the average profit of Air orders?", False),
        ("is the profit of O1 larger than that of O2?", True),
        ("is the profit of O2 larger than the profit of O1?", False),
    ],
)
def test_two_figures_are_compared(question: str, answer: bool) -> None:
    graph, _ = _table()
    assert Executor(graph).answer(_best(_table(), question).plan) == Value("boolean", answer)


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("which orders have a negative profit?", "type order | where profit < 0"),
        ("how many orders have a positive profit?", "type order | where profit > 0 | count"),
        ("orders whose profit was negative", "type order | where profit < 0"),
    ],
)
def test_the_sign_of_a_number(question: str, plan: str) -> None:
    assert _plan(_table(), question) == plan


def test_a_value_that_is_called_like_a_sign_stays_one() -> None:
    assert _plan(_table(), "which samples are negative?") == 'type sample | where finding = "negative"'
    assert "mass < 0" not in _plan(_table(), "what is the mass of the negative samples?")


def test_what_each_has_one_of_is_not_counted_where_a_column_says_how_many() -> None:
    assert _plan(_table(), "how many engines does P1 have?") == 'ids "P1" | values engines'


def test_a_type_without_words_is_called_by_a_noun_that_nothing_else_is_called_by() -> None:
    entities: list[Any] = [(name, ["4217"], {"alpha_3": code}) for name, code in (("Yen", "JPY"), ("Krone", "NOK"))]
    entities += [("Oslo", ["town"], {"alpha_3": "OSL"})]
    opened = _open(entities, [("Krone", "spent_in", "Oslo", {})])
    best = _best(opened, "which currency has the alpha 3 code JPY?")
    assert (write(best.plan), best.unread) == ('type `4217` | where alpha_3 = "JPY"', ())
    assert _plan(opened, "how many towns are there?") == "type town | count"


def test_a_column_in_capitals_says_nothing_of_how_names_are_written() -> None:
    entities: list[Any] = [("Mercury", ["element"], {"CAS": "7439-97-6"}), ("Gold", ["element"], {"CAS": "7440-57-5"})]
    opened = _open(entities, [])
    assert _plan(opened, "What is the CAS number of mercury?") == 'ids "Mercury" | values CAS'


def test_a_column_called_by_its_unit_goes_by_what_it_measures() -> None:
    tracks = {"Overture": (61_000, 900), "Aria": (180_500, 400), "Coda": (42_000, 700)}
    entities = [(name, ["track"], {"milliseconds": time, "bytes": size}) for name, (time, size) in tracks.items()]
    opened = _open(list(entities), [])
    assert write(_best(opened, "what is the longest track?").plan) == "type track | top 1 by milliseconds"
    assert write(_best(opened, "how long is Coda?").plan) == 'ids "Coda" | values milliseconds'
    assert write(_best(opened, "what is the average duration of tracks?").plan) == "type track | average milliseconds"
    assert (
        write(_best(opened, "which tracks are longer than 1 minute?").plan) == "type track | where milliseconds > 60000"
    )
    assert write(_best(opened, "what is the size of Aria?").plan) == 'ids "Aria" | values bytes'


def test_what_things_do_may_be_a_column_of_theirs() -> None:
    plants = {"Rose": (12.5, "Bed A"), "Fern": (4.0, "Bed B"), "Palm": (80.0, "Bed A")}
    entities: list[Any] = [(name, ["plant"], {"price": price}) for name, (price, _) in plants.items()]
    entities += [(name, ["bed"], {}) for name in ("Bed A", "Bed B")]
    opened = _open(entities, [(name, "grows_in", bed, {}) for name, (_, bed) in plants.items()])
    most = "type plant | top 1 by price | values price"
    assert write(_best(opened, "what does the most expensive plant cost?").plan) == most
    bed = 'ids "Bed A" | follow ^grows_in'
    assert (
        write(_best(opened, "what does the cheapest plant in Bed A cost?").plan)
        == f"{bed} | bottom 1 by price | values price"
    )
    assert write(_best(opened, "what do the plants in Bed A cost?").plan) == f"{bed} | values price"
    other = _best(opened, "what does the most expensive plant eat?")
    assert "eat" in other.unread, "a verb that no column is like says nothing of one"


def test_numbers_that_stand_for_things_are_counted_and_not_ranked() -> None:
    services = {"T1": (72981, 9.5), "T2": (75194, 3.0), "T3": (72981, 4.5), "T4": (72981, 8.0)}
    entities = [(name, ["trip"], {"service_id": code, "length": length}) for name, (code, length) in services.items()]
    opened = _open(list(entities), [])
    often = "type trip | group service_id : count | order 1 descending | limit 1"
    assert write(_best(opened, "which service id has the most trips?").plan) == often
    assert write(_best(opened, "which trips have service id 75194?").plan) == "type trip | where service_id = 75194"
    assert write(_best(opened, "which trips are over 5?").plan) == "type trip | where length > 5"


def test_a_number_with_a_unit_is_compared_in_the_unit_that_a_column_without_one_can_hold() -> None:
    machines = {"V112": (3_000_000, 473.1), "E82": (2_000_000, 301.5), "SCD": (8_000_000, 390.0)}
    entities = [
        (name, ["turbine"], {"nominal_power": power, "rotor_area": area}) for name, (power, area) in machines.items()
    ]
    opened = _open(list(entities), [])
    asked = "which turbines have a nominal power above {}?"
    assert write(_best(opened, asked.format("2.5 MW")).plan) == "type turbine | where nominal_power > 2500000"
    assert write(_best(opened, asked.format("2500 kW")).plan) == "type turbine | where nominal_power > 2500000"
    assert write(_best(opened, asked.format("2500000")).plan) == "type turbine | where nominal_power > 2500000"
    assert write(_best(opened, "which turbines have a rotor area above 400 MW?").plan).endswith("rotor_area > 400")


def test_a_verb_says_the_column_that_is_called_by_its_noun() -> None:
    entities: list[Any] = [(name, ["trip"], {"creation_date": "2024-05-01"}) for name in ("T1", "T2")]
    entities += [(name, ["stop"], {"personal_email": f"{name[0]}@x.org"}) for name in ("Elm Park", "Oak Hill")]
    times = {
        ("T1", "Elm Park"): ("07:38:00", "07:40:00"),
        ("T1", "Oak Hill"): ("08:10:00", "08:12:00"),
        ("T2", "Oak Hill"): ("09:00:00", "09:01:00"),
    }
    edges: list[Any] = [
        (trip, "stop_times", stop, {"arrival_time": Value("time", come), "departure_time": Value("time", gone)})
        for (trip, stop), (come, gone) in times.items()
    ]
    opened = _open(entities, edges)
    for asked, column in (("depart from", "departure"), ("arrive at", "arrival"), ("leave", "departure")):
        plan = write(_best(opened, f"when does T1 {asked} Oak Hill?").plan)
        assert plan == f'ids "Oak Hill" | walk ^stop_times{{. = (ids "T1")}} | values #1@{column}_time'
    assert write(_best(opened, "when was T2 created?").plan) == 'ids "T2" | values creation_date'
    person = _best(opened, "which person knows Elm Park?")
    assert "personal_email" not in write(person.plan), "`personal` is no deed of a person"


@cache
def _registry() -> tuple[GraphColumns, Reader]:
    """Records whose table is called by no word."""
    entities: list[Any] = [
        (name, ["fairsharing"], {"license_name": terms, "keywords": word, "year": year})
        for name, terms, word, year in (
            ("Reactome", "CC0-1.0", "Virology", 2003),
            ("Ensembl", "CC-BY-4.0", "Genomics", 1999),
            ("FlyBase", "CC0-1.0", "Genomics", 1992),
        )
    ]
    return _open(entities, [])


@cache
def _releases() -> tuple[GraphColumns, Reader]:
    """Releases with their downloads, and volcanoes."""
    entities: list[Any] = [
        (name, ["release"], {"version": version, "total_downloads": count})
        for name, version, count in (("Ada", "1.0.1", 1_200), ("Bea", "1.0.2", 90), ("Cleo", "2.0.0", 4_500))
    ]
    entities += [(name, ["volcanic region"], {}) for name in ("Andes", "Alps")]
    entities += [(name, ["volcano"], {"elevation": height}) for name, height in (("Hekla", 1491), ("Etna", 3357))]
    edges: list[Any] = [("Hekla", "volcanic_region", "Andes", {}), ("Etna", "volcanic_region", "Alps", {})]
    return _open(entities, edges)


def test_an_unknown_noun_asks_for_the_records_of_a_table_that_is_called_by_no_word() -> None:
    best = _best(_registry(), "how many resources are under a CC0-1.0 license?")
    assert write(best.plan) == 'type fairsharing | where license_name = "CC0-1.0" | count'
    assert (best.unread, best.kinds) == ((), ())
    # "order" is a word: what is no order is not understood.
    assert "resources" in _best(_table(), "how many resources have a profit above 5?").unread


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("which releases were downloaded more than 1000 times?", "type release | where total_downloads > 1000"),
        ("how many downloads did version 1.0.1 get?", 'type release | where version = "1.0.1" | sum total_downloads'),
    ],
)
def test_how_often_something_was_done_is_read_from_its_count(question: str, plan: str) -> None:
    best = _best(_releases(), question)
    assert (write(best.plan), best.unused) == (plan, ())
    assert "times" not in best.unread


def test_a_question_for_yes_or_no_gets_no_text() -> None:
    assert write(_best(_registry(), "Is Reactome tagged with Virology?").plan).endswith("| exists")


def test_what_says_more_of_a_noun_is_missed_where_the_noun_only_asks_for_having_one() -> None:
    best = _best(_releases(), "how many volcanoes are in a rift region?")
    assert (best.unread, best.lacks) == (("rift",), True), write(best.plan)


@cache
def _craters() -> tuple[GraphColumns, Reader]:
    """Volcanoes of two sorts, and when each erupted last; cards with memory in a unit."""
    entities: list[Any] = [
        (
            "Hekla",
            ["volcano"],
            {"primary_volcano_type": "Stratovolcano", "last_eruption": 2000.0, "memory_size_gb": 8.0},
        ),
        (
            "Laki",
            ["volcano"],
            {"primary_volcano_type": "Fissure vent", "last_eruption": -1200.0, "memory_size_gb": 24.0},
        ),
        (
            "Etna",
            ["volcano"],
            {"primary_volcano_type": "Stratovolcano", "last_eruption": -50.0, "memory_size_gb": 16.0},
        ),
    ]
    return _open(entities, [])


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("which volcanoes last erupted before 1000 BCE?", "type volcano | where last_eruption < -1000"),
        ("which volcanoes have 24 GB of memory or more?", "type volcano | where memory_size_gb >= 24"),
        ("what kind of volcano is Hekla?", 'ids "Hekla" | values primary_volcano_type'),
        ("when did Laki last erupt?", 'ids "Laki" | values last_eruption'),
    ],
)
def test_eras_units_sorts_and_what_was_last(question: str, plan: str) -> None:
    assert _plan(_craters(), question) == plan


def test_a_word_in_small_letters_is_no_era() -> None:
    assert "-500" not in _plan(_craters(), "volcanoes with more than 500 bc campaigns")


@cache
def _haulage() -> tuple[GraphColumns, Reader]:
    """Companies that have machines, people who lead companies, depots that machines stand in."""
    entities: list[Any] = [(name, ["Carrier"], {}) for name in ("Swift Haul", "Low Road")]
    entities += [(name, ["Truck"], {}) for name in ("T80", "T90")]
    entities += [
        (name, ["Employee"], {"birth_year": year})
        for name, year in (("Ann Berg", 1970), ("Bo Falk", 1980), ("Cy", 1990))
    ]
    entities += [(name, ["Depot"], {}) for name in ("North", "South")]
    edges: list[Any] = [
        ("Swift Haul", "operatesTruck", "T80", {}),
        ("Low Road", "operatesTruck", "T90", {}),
        ("Swift Haul", "chiefExecutive", "Ann Berg", {}),
        ("Low Road", "chiefExecutive", "Bo Falk", {}),
        ("T80", "OWNED_BY", "Low Road", {}),
        ("Ann Berg", "depot", "North", {}),
        ("Bo Falk", "depot", "South", {}),
        ("Cy", "depot", "South", {}),
    ]
    return _open(entities, edges)


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("Who operates the T80?", 'ids "T80" | follow ^operatesTruck'),
        ("who owns the T80?", 'ids "T80" | follow OWNED_BY'),
        ("Who is the chief executive of Swift Haul?", 'ids "Swift Haul" | follow chiefExecutive'),
    ],
)
def test_who_does_what_no_person_does_is_a_company(question: str, plan: str) -> None:
    assert _plan(_haulage(), question) == plan


def test_a_verb_that_is_only_near_to_a_relation_does_not_make_a_place_somebody() -> None:
    assert _best(_haulage(), "Who stores Bo Falk?").repeats, "no depot is who"
    assert not _best(_haulage(), "Who operates the T80?").repeats


@cache
def _yard() -> tuple[GraphColumns, Reader]:
    """Deliveries without names, of goods to towns, with costs; tools with columns of yes and no that share words."""
    rows = {
        "delivery 1": ("Crane", "Riga", 10.0),
        "delivery 2": ("Crane", "Oslo", 20.0),
        "delivery 3": ("Winch", "Riga", 5.0),
        "delivery 4": ("Crane", "Riga", 7.5),
    }
    entities: list[Any] = [(key, ["delivery"], {"total_cost": cost}) for key, (*_, cost) in rows.items()]
    entities += [(name, ["good"], {}) for name in ("Crane", "Winch")] + [
        (name, ["town"], {}) for name in ("Riga", "Oslo")
    ]
    entities += [
        (name, ["app"], {"maker": maker, "has_seo_tools": seo, "has_cli_tools": cli, "vegan": seo})
        for name, maker, seo, cli in (
            ("Abaco", "Rig", True, False),
            ("Bento", "Rig", False, True),
            ("Cubo", "Oda", True, True),
        )
    ]
    edges: list[Any] = [(key, "good", good, {}) for key, (good, *_) in rows.items()]
    edges += [(key, "town", town, {}) for key, (_, town, _) in rows.items()]
    return _open(entities, edges)


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        (
            "what did the winch for Riga cost?",
            'both(ids "Winch" | follow ^good; ids "Riga" | follow ^town) | values total_cost',
        ),
        ("What's the total cost of everything for Riga?", 'ids "Riga" | sum ^town/total_cost'),
        ("What is the total cost of delivery 2?", 'ids "delivery 2" | values total_cost'),
    ],
)
def test_figures_are_those_of_the_rows_that_are_named(question: str, plan: str) -> None:
    assert _plan(_yard(), question) == plan


def test_a_word_that_columns_of_yes_and_no_share_says_none_of_them() -> None:
    assert _plan(_yard(), "which tools are made by Rig?") == 'type app | where maker = "Rig"'
    assert _plan(_yard(), "apps with seo tools") == "type app | where has_seo_tools = true"
    assert _plan(_yard(), "vegan apps") == "type app | where vegan = true"


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("who wrote the music for Dusk?", 'ids "Dusk" | follow composed_by'),
        ("who wrote Dusk?", 'ids "Dusk" | follow written_by'),
    ],
)
def test_who_writes_the_music_of_a_film_composes_it(question: str, plan: str) -> None:
    entities: list[Any] = [("Dusk", ["Film"], {}), ("Dawn", ["Film"], {})]
    entities += [(name, ["Person"], {}) for name in ("Ann", "Bob", "Cleo")]
    edges: list[Any] = [("Dusk", "composed_by", "Ann", {}), ("Dusk", "written_by", "Bob", {})]
    edges += [("Dawn", "composed_by", "Ann", {}), ("Dawn", "written_by", "Cleo", {})]
    graph, reader = _open(entities, edges)
    executor = Executor(graph)
    best, *_ = reader.read(question, executor=lambda each: outcome(executor, each))
    assert write(best.plan) == plan


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("what clients does Tess sell to?", 'ids "Tess" | follow SOLD | follow ^PURCHASED'),
        ("what orders did Tess sell?", 'ids "Tess" | follow SOLD'),
    ],
)
def test_who_does_a_deed_is_no_type_that_is_called_by_it(question: str, plan: str) -> None:
    """ "Client" stands beside "order" in the word lists: who orders."""
    entities: list[Any] = [("Tess", ["Employee"], {}), ("Ravn", ["Employee"], {}), ("Fjordside", ["Customer"], {})]
    entities += [("Copper Kettle", ["Customer"], {}), *((f"Order {at}", ["Order"], {}) for at in range(3))]
    edges: list[Any] = [
        ("Tess", "SOLD", "Order 0", {}),
        ("Tess", "SOLD", "Order 1", {}),
        ("Ravn", "SOLD", "Order 2", {}),
    ]
    edges += [("Fjordside", "PURCHASED", f"Order {at}", {}) for at in range(2)]
    edges += [("Copper Kettle", "PURCHASED", "Order 2", {})]
    graph, reader = _open(entities, edges)
    executor = Executor(graph)
    best, *_ = reader.read(question, executor=lambda each: outcome(executor, each))
    assert write(best.plan) == plan


@pytest.mark.parametrize(
    ("question", "lacks"),
    [
        ("how much does the Trail 2 weigh?", True),
        ("how much does the Trail weigh?", True),
        ("how much does the Trail 2 cost?", False),
        ("how much does the Trail 2 make?", False),
    ],
)
def test_how_much_is_no_price_where_a_verb_says_something_else(question: str, lacks: bool) -> None:
    """And what follows "Trail 2", a name, is no unit of 2."""
    entities: list[Any] = [
        (name, ["Bike"], {"price": 400.0 + at}) for at, name in enumerate(("Trail", "Trail 2", "Road"))
    ]
    _, reader = _open(entities, [])
    best, *_ = reader.read(question)
    assert (best.lacks, "weigh" in best.unread) == (lacks, lacks)
