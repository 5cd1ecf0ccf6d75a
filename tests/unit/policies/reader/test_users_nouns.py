"""What users call the things of one table, parts of dates, amounts, and what they say beside a question."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from tests.opened import best as _best
from tests.opened import opened as _open
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.text import write
from trivium.policies.reader.english.clauses import plain
from trivium.policies.reader.reader import Reader

_FERRIES = {  # harbor, kind, launched, permit expires, tonnage, losses
    "Karin, Hull 7": ("Moss", "Car ferry", "1988-04-03", "2031-05-01", 410.0, 3.0),
    "Selma, Hull 9": ("Moss", "Night ferry", "1991-08-20", "2029-01-15", 990.0, 0.0),
    "Olga, Hull 12": ("Hov", "Car ferry", "1991-02-11", "2033-03-30", 655.0, 12.0),
    "Ragna, Hull 15": ("Hov", "Tug", "2003-06-05", "2027-11-09", 120.0, 5.0),
    "Tora, Hull 16": ("Leir", "Car ferry", "2007-09-17", "2040-12-31", 300.0, 1.0),
}
_DOUGHS = {"Focaccia": {"Flour": 500.0, "Oil": 60.0}, "Grissini": {"Flour": 300.0, "Oil": 90.0}}


@cache
def _ferries(kind: str = "frigate") -> tuple[GraphColumns, Reader]:
    """One table: ships with their harbors and kinds."""
    entities: list[Any] = [
        (name, [kind], {"launch_date": day, "permit_expires": end, "tonnage": tons, "losses": lost})
        for name, (_, _, day, end, tons, lost) in _FERRIES.items()
    ]
    entities += [(name, ["harbor"], {}) for name in ("Moss", "Hov", "Leir")]
    entities += [(name, ["kind"], {}) for name in ("Car ferry", "Night ferry", "Tug")]
    edges: list[Any] = [(name, "harbor", each[0], {}) for name, each in _FERRIES.items()]
    edges += [(name, "category", each[1], {}) for name, each in _FERRIES.items()]
    return _open(entities, edges)


@cache
def _doughs() -> tuple[GraphColumns, Reader]:
    """Doughs, and how much of what is in them."""
    entities: list[Any] = [(name, ["dough"], {"minutes": 40.0 + at}) for at, name in enumerate(_DOUGHS)]
    entities += [(name, ["ingredient"], {}) for name in ("Flour", "Oil")]
    edges: list[Any] = [
        (name, "ingredient", each, {"ml": amount}) for name, parts in _DOUGHS.items() for each, amount in parts.items()
    ]
    return _open(entities, edges)


@cache
def _files() -> tuple[GraphColumns, Reader]:
    """A graph that has files of its own."""
    entities: list[Any] = [("intro", ["chapter"], {"pages": 3.0}), ("end", ["chapter"], {"pages": 9.0})]
    entities += [("a.tex", ["file"], {}), ("b.tex", ["file"], {})]
    return _open(entities, [("intro", "file", "a.tex", {}), ("end", "file", "b.tex", {})])


@cache
def _fairs() -> tuple[GraphColumns, Reader]:
    """A table of fairs, one a year, and one of their stalls, several a year."""
    entities: list[Any] = [
        (f"fair {at}", ["fair"], {"year": 2001.0 + at, "opening": f"{2001 + at}-05-0{at + 1}", "sponsor": name, **seen})
        for at, (name, seen) in enumerate(
            (("Ludo", {"exhibitors": 40.0}), ("Apex", {"exhibitors": 55.0}), ("Ludo", {"takings": 7.0}))
        )
    ]
    entities += [
        (f"stall {at}", ["stall"], {"season": year, "profit": profit})
        for at, (year, profit) in enumerate(((2001.0, 5.0), (2001.0, 6.0), (2002.0, 9.0)))
    ]
    return _open(entities, [])


@cache
def _neighbors(known: str = "") -> tuple[GraphColumns, Reader]:
    """Neighbors with their species and moods; `known`: what the data say of species besides."""
    rows = [
        ("Lobo", "Wolf", "Cranky"),
        ("Fang", "Wolf", "Peppy"),
        ("Dora", "Mouse", "Peppy"),
        ("Bree", "Mouse", "Peppy"),
    ]
    entities: list[Any] = [(name, ["neighbor"], {}) for name, _, _ in rows]
    entities += [(each, ["species"], {"legs": 4.0} if known == "facts" else {}) for each in ("Wolf", "Mouse")]
    entities += [(each, ["mood"], {}) for each in ("Cranky", "Peppy")]
    edges: list[Any] = [(name, "species", each, {}) for name, each, _ in rows]
    edges += [(name, "mood", each, {}) for name, _, each in rows]
    edges += [("Dora", "fears", "Wolf", {})] if known == "fears" else []
    return _open(entities, edges)


@cache
def _signs(**facts: str) -> tuple[GraphColumns, Reader]:
    """Signs, which are codes, and the halts that they are of."""
    entities: list[Any] = [(name, ["halt"], facts) for name in ("Moss", "Hov", "Leir")]
    entities += [(code, ["sign"], {}) for code in ("FALZ", "RAH", "K2")]
    edges: list[Any] = [("FALZ", "halt", "Moss", {}), ("RAH", "halt", "Hov", {}), ("K2", "halt", "Leir", {})]
    return _open(entities, edges)


def _plan(opened: tuple[GraphColumns, Reader], question: str) -> str:
    found = _best(opened, question)
    return write(found.plan).replace("`", "") if not (found.unread or found.unused) else f"unread: {found.unread}"


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("how many vessels are there?", "type frigate | count"),  # a wider noun
        ("which ships have a tonnage above 600?", "type frigate | where tonnage > 600"),
        ("how many hulls are in Moss?", 'ids "Moss" | follow ^harbor | count'),  # a word of their names
        ("which ferries are in Hov?", 'ids "Hov" | follow ^harbor'),  # what most kinds are
    ],
)
def test_things_of_one_table_go_by_wider_nouns_and_by_words_of_their_names(question: str, plan: str) -> None:
    assert _plan(_ferries(), question) == plan


@pytest.mark.parametrize(
    "question", ["how many bakeries are in Moss?", "which tugboats are in Hov?", "how many destroyers are in Hov?"]
)
def test_other_nouns_stay_unread(question: str) -> None:
    assert _plan(_ferries(), question).startswith("unread")


@pytest.mark.parametrize("kind", ["full", "data", "complete_list", "exports", "all"])
def test_any_noun_is_of_the_one_table_whose_file_says_nothing(kind: str) -> None:
    assert _plan(_ferries(kind), "how many tugboats are in Moss?") == 'ids "Moss" | follow ^harbor | count'
    assert _plan(_ferries(kind), "which destroyers have a tonnage above 600?") == f"type {kind} | where tonnage > 600"
    assert _plan(_ferries(kind), "how many ferries and bakeries are blue?").startswith("unread")


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("which wolves are cranky?", 'both(ids "Wolf" | follow ^species; ids "Cranky" | follow ^mood)'),
        ("list the peppy mice", 'both(ids "Mouse" | follow ^species; ids "Peppy" | follow ^mood)'),
        ("how many mice are there?", 'ids "Mouse" | follow ^species | count'),
    ],
)
def test_a_plural_of_what_things_are_the_sort_of_is_those_things(question: str, plan: str) -> None:
    assert sorted(_plan(_neighbors(), question)) == sorted(plan)


def test_a_plural_of_what_has_facts_or_other_ties_is_no_sort() -> None:
    for known in ("facts", "fears"):
        assert 'ids "Wolf" | follow ^species' not in _plan(_neighbors(known), "which wolves are cranky?")
    assert _plan(_neighbors(), "what is the species of Lobo?") == 'ids "Lobo" | follow species'


def test_a_code_may_be_called_one() -> None:
    for code, said in (("FALZ", "code"), ("RAH", "identifier"), ("K2", "id")):
        assert _plan(_signs(), f"which halt has the {said} {code}?") == f'ids "{code}" | follow halt'
    for question in (
        "which halt has the color FALZ?",
        "which halt has the code Moss?",
        "WHICH HALT HAS THE CODE FALZ?",
    ):
        assert _plan(_signs(), question).startswith("unread")
    assert "ids" not in _plan(_signs(plate_code="FALZ"), "which halt has the plate code FALZ?"), "a fact of theirs"


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("in which year was Karin, Hull 7 launched?", 'ids "Karin, Hull 7" | values launch_date::year'),
        ("what year was the first frigate launched?", "type frigate | bottom 1 by launch_date"),
        ("when was Karin, Hull 7 launched?", 'ids "Karin, Hull 7" | values launch_date'),
        ("how many permits expire in 2029?", "type frigate | where permit_expires::year = 2029 | count"),
        ("how many frigates were launched in August?", "type frigate | where launch_date::month = 8 | count"),
        ("when does the permit of Olga, Hull 12 run out?", 'ids "Olga, Hull 12" | values permit_expires'),
    ],
)
def test_the_part_of_a_date_that_is_asked_for(question: str, plan: str) -> None:
    assert _plan(_ferries(), question).startswith(plan)


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("which frigate is the costliest?", "top 1 by losses"),
        ("the least deadly frigate", ""),  # no column tells
        ("which frigate is the hottest?", ""),
    ],
)
def test_superlatives_of_what_columns_are_called_by(question: str, plan: str) -> None:
    found = _best(_ferries(), question)
    assert write(found.plan).endswith(plan) if plan else found.guessed


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("what's in a Focaccia?", 'ids "Focaccia" | follow ingredient'),
        ("how much Oil is in a Focaccia?", "sum #1@ml"),
        ("which dough has the most Oil?", 'top 1 by sum(ingredient{. = (ids "Oil")}/@ml)'),
        ("Focaccia or Grissini: which has more Oil?", 'top 1 by sum(ingredient{. = (ids "Oil")}/@ml)'),
        ("which doughs have more than 70 ml of Oil?", 'ids "Oil" | follow ^ingredient[@ml > 70]'),
        ("Focaccia Oil ml", "values #1@ml"),
    ],
)
def test_how_much_of_one_thing_another_has(question: str, plan: str) -> None:
    assert _plan(_doughs(), question).endswith(plan)


@pytest.mark.parametrize("aside", ["on the list", "in the file", "in the data", "in your records", "on the menu"])
def test_words_for_the_collection_say_nothing(aside: str) -> None:
    assert _plan(_ferries(), f"how many frigates are {aside}?") == "type frigate | count"


def test_a_file_of_the_graph_is_read() -> None:
    assert _plan(_files(), "which chapters are in the file a.tex?") == 'ids "a.tex" | follow ^file'
    assert "file" in _plan(_files(), "how many chapters are in the file?")


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("Did any ship sink off Hov? Which?", "which ship sink off Hov?"),
        ("Are there any red ferries? Name them.", "which red ferries?"),
        ("Is there a ferry in Moss, and if so which one?", "which ferry in Moss?"),
        ("Have any tugs been sold? Which ones?", "which tugs been sold?"),
        ("Are there ferries in Moss?", "Are there ferries in Moss?"),
        ("How many cars are red? Name them.", "How many cars are red? Name them."),
    ],
)
def test_which_behind_a_question_for_yes_or_no(said: str, asked: str) -> None:
    assert plain(said) == asked


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("which year had the most exhibitors?", "type fair | top 1 by exhibitors | values year"),
        ("which year had the highest takings?", "type fair | top 1 by takings | values year"),
        ("which year saw the most profit in total?", "group season : sum profit | order 1 descending | limit 1"),
        ("sponsor 2002", "type fair | where year = 2002 | values sponsor"),
        ("who was the sponsor in 2002?", "type fair | where year = 2002 | values sponsor"),
        ("what was the opening of the 2002 fair?", "type fair | where year = 2002 | values opening"),
        ("how many people exhibited in 2001?", "type fair | where year = 2001 | sum exhibitors"),
    ],
)
def test_figures_of_years(question: str, plan: str) -> None:
    assert _plan(_fairs(), question).endswith(plan)


@pytest.mark.parametrize("question", ["how many women exhibited in 2001?", "how many people volunteered in 2001?"])
def test_others_than_a_column_counts_are_not_counted(question: str) -> None:
    assert "exhibitors" not in _plan(_fairs(), question)


@cache
def _catalog(*, of_others: bool) -> tuple[GraphColumns, Reader]:
    """A table whose name is no word, with its offers; `of_others`: these lead to shops as well."""
    entities: list[Any] = [
        (name, ["zqrtool"], {"founded": year, "staff": 10.0 + year % 7, "score": 4.0, "seats": 5.0})
        for name, year in (("Abaco", 1998.0), ("Bento", 2005.0), ("Cubo", 2012.0))
    ]
    entities += [(name, ["offer"], {"price": price}) for name, price in (("Solo", 5.0), ("Duo", 9.0))]
    entities += [("Bazaar", ["shop"], {})]
    edges: list[Any] = [("Solo", "zqrtool", "Abaco", {}), ("Duo", "zqrtool", "Cubo", {})]
    edges += [("Solo", "shop", "Bazaar", {})] if of_others else []
    return _open(entities, edges)


def test_parts_of_the_one_table_leave_it_the_one() -> None:
    question = "Which gadgets were founded before 2000?"
    best = _best(_catalog(of_others=False), question)
    assert (write(best.plan), best.unread) == ("type zqrtool | where founded < 2000", ())
    assert "gadgets" in _best(_catalog(of_others=True), question).unread, "what orders and goods are called is open"
