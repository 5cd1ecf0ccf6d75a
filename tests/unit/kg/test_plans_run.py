"""Plans as queries to be shown: remembered by their shape, with the ids of each written in."""

from __future__ import annotations

import pytest

from trivium.kg.naming import Naming
from trivium.kg.neo4j.view import MADE, View
from trivium.kg.plans.cypher import to_cypher
from trivium.kg.plans.plan import (
    Aggregate,
    Compare,
    Entities,
    Follow,
    Intersect,
    Minus,
    QueryPlan,
    Term,
    Union,
    ValueOf,
    Where,
    rewritten,
    steps,
)
from trivium.kg.plans.run import queries
from trivium.kg.plans.sparql import to_sparql
from trivium.kg.plans.text import parse
from trivium.kg.profile import GraphProfile, PropertyProfile, RelationshipProfile, TypeProfile

IDS = ["Heat", "O'Hara", "back\\slash", "_:b1", "https://example.org/x", "a b, c", "$p0", "{", "é", ""]


def profile() -> GraphProfile:
    film = TypeProfile("Film", 2, properties=(PropertyProfile("year", "number"),))
    return GraphProfile((film,), (RelationshipProfile("directed_by", "Film", "Film", 2),), 4, 4)


def plans(*ids: str) -> list[QueryPlan]:
    """A plan of each shape about these entities."""
    them, last = Entities(ids), Entities(ids[-1:])
    around = Follow(Follow(them, steps("directed_by")), steps("^directed_by"))
    return [
        them,
        Minus(around, them),
        Minus(around, last),
        Intersect((around, last)),
        Union((them, last)),
        ValueOf(around, (Term(property="year"),)),
        Aggregate(Minus(around, last)),
        Where(around, Compare(Term(steps("^directed_by")), "=", them)),
    ]


@pytest.mark.parametrize("first", IDS)
def test_a_remembered_query_is_the_one_that_the_plan_gives_itself(first: str) -> None:
    known = profile()
    for ids in (("Ronin",), (first,), ("Ronin", first), (first, *IDS), (first, first), ()):
        for plan in plans(*ids):
            written = {"cypher": to_cypher(plan, MADE, known).display(), "sparql": to_sparql(plan, known).text}
            assert queries(plan, known) == written
    assert len(known.query_texts) < 24, "plans that differ in ids alone are one shape"


def test_ids_that_stand_twice_are_another_shape_than_two_different_ones() -> None:
    known, one, two = profile(), Entities(("Heat",)), Entities(("Ronin",))
    for plan in (Union((one, one)), Union((one, two)), Union((two, two)), Union((two, one))):
        assert queries(plan, known)["cypher"] == to_cypher(plan, MADE, known).display()


def test_what_is_remembered_goes_with_the_profile_that_it_was_made_for() -> None:
    plan = ValueOf(Entities(("Heat",)), (Term(property="year"),))
    before = queries(plan, profile())
    film = TypeProfile("Film", 2, properties=(PropertyProfile("year", "date", stored="text", pattern="dmy"),))
    after = queries(plan, GraphProfile((film,)))
    assert before != after
    assert queries(plan, profile()) == before


@pytest.mark.parametrize("name", ["costs $p0", "$p7", "a`$p0`b", "``"])
def test_a_relation_may_be_named_like_a_parameter(name: str) -> None:
    shown = queries(Follow(Entities(("Heat",)), steps(name)), profile())["cypher"]
    assert f"`{name.replace('`', '``')}`" in shown
    assert "['Heat']" in shown


def test_a_plan_in_which_nothing_changes_is_itself() -> None:
    plan = plans("Heat")[1]
    assert rewritten(plan, lambda node: node) is plan
    changed = rewritten(plan, lambda node: Entities(("Ronin",)) if isinstance(node, Entities) else node)
    assert changed == plans("Ronin")[1]


def test_a_label_is_what_a_node_is_called_by_in_each_database() -> None:
    plan = parse('type Film | where ::label starts_with "He"')
    named = View(made=False, names=(Naming("Film", ("title",)), Naming("", ("first", "last"))))
    assert "coalesce(x2.name, x2.id)" in to_cypher(plan, MADE, profile()).text
    text = to_cypher(plan, named, profile()).text
    assert text.index("x2:`Film`", 10) < text.index("x2.`title`") < text.index("x2.`first`") < text.index("x2.`last`")
    assert "coalesce(null)" in to_cypher(plan, View(made=False), profile()).text, "a graph whose nodes have no names"
    assert "rdf-schema#label>" in to_sparql(plan, profile()).text
