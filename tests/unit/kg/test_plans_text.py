"""Plans as text and as JSON come back as they were; what is wrong with a plan is said by name."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contracts.random_plans import PlanMaker
from trivium.kg.errors import PlanError
from trivium.kg.plans.check import problems, validate
from trivium.kg.plans.codec import dumps, from_json, loads
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.plan import Aggregate, ChainStep, Compare, OfType, QueryPlan, Term, Value, Where, steps
from trivium.kg.plans.survey import profile_of
from trivium.kg.plans.text import parse, write
from trivium.kg.profile import GraphProfile

FILMS = GraphColumns.of(
    [
        ("film/heat", ["Film"], {"title": "Heat", "year": 1995, "released": "15/12/1995", "no stars": 5}),
        ("film/ronin", ["Film"], {"title": "Ronin", "year": 1998, "released": "25/09/1998"}),
        ("person/deniro", ["Person"], {"name": "Robert De Niro"}),
    ],
    [
        ("person/deniro", "acted_in", "film/heat", {"role": "Neil", "pay": 14.0}),
        ("person/deniro", "acted_in", "film/ronin", {"role": "Sam"}),
    ],
)


@pytest.fixture(scope="module")
def profile() -> GraphProfile:
    return profile_of(FILMS)


@settings(max_examples=150, deadline=None)
@given(st.randoms(use_true_random=False))
def test_any_plan_comes_back_from_text_and_json(random: Random) -> None:
    plan: QueryPlan = PlanMaker(random).plan()
    assert parse(write(plan)) == plan
    assert loads(dumps(plan)) == plan


def test_the_question_that_a_step_answers_is_kept_in_json_and_is_no_part_of_equality() -> None:
    plan = Aggregate(OfType("Film", ask="which films are there?"), ask="how many of [mask 1]?")
    back = loads(dumps(plan))
    assert back == Aggregate(OfType("Film"))
    assert hash(back) == hash(plan)


def test_a_text_may_stand_in_single_quotes() -> None:
    assert parse("type Film | where title = 'Ocean \"11\"'") == parse('type Film | where title = "Ocean \\"11\\""')
    assert parse(r"type Film | where title = 'a\n'") == parse(r'type Film | where title = "a\\n"'), "no escapes"
    assert parse("ids 'person/deniro', 'film/heat'") == parse('ids "person/deniro", "film/heat"')


def test_a_graph_without_types_says_how_to_start() -> None:
    plain = profile_of(GraphColumns.of([("a", [], {"year": 3})], []))
    assert problems(parse("type Film | count"), plain) == [
        'this graph has no types: write type "" for all entities, or start from ids'
    ]
    assert problems(parse('type "" | where year > 2 | count'), plain) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("type Film | wher year > 5", "closest: 'where'"),
        ("type Film | where year >", "character 25: expected a term"),
        ("type Film | top by year", "character 17: expected a whole number, got 'by'"),
        ("type Film | count | count", "'count' cannot follow a result"),
        ("type Film | walk acted_in", "gives rows and no answer"),
        ("type Film |", "got the end"),
        ('type Film | where title = "a', "cannot read"),
        ("type Film | where title = 'a", "cannot read"),
        ("type Film | limit 3", "for sets use top or sort"),
        ("type Film ) count", "expected the end of the plan"),
        ("type Film | values {year}", "expected one of + - * /, got '}'"),
        ("type Film | values {year - released in years}", "closest: 'year'"),
    ],
)
def test_text_that_is_no_plan_is_refused_with_the_place(text: str, message: str) -> None:
    with pytest.raises(PlanError) as refused:
        parse(text)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"op": "wher"}, "closest: 'where'"),
        ({"op": "type", "typ": "x"}, "unknown field 'typ'; fields: type, ask; closest: 'type'"),
        ({"op": "minus", "source": {"op": "type"}}, "plan.minus: missing field 'without'"),
        ({"op": "aggregate", "source": {"op": "type"}, "function": "mean"}, "'mean' is no function"),
        ({"op": "where", "source": {"op": "type"}, "condition": {"op": "compare", "left": "a", "operator": "=",
                                                                 "right": None}}, "expected a number, boolean, text"),
        ([1], "expected an object with 'op'"),
    ],
)  # fmt: skip
def test_json_that_is_no_plan_is_refused_with_the_path(data: object, message: str) -> None:
    with pytest.raises(PlanError) as refused:
        from_json(data)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("type Flim | count", "unknown type 'Flim'; closest: 'Film'"),
        ("type Film | follow acted_inn", "unknown relation 'acted_inn'; closest: 'acted_in'"),
        ("type Film | follow year", "'year' is a property, and no chain goes through a value"),
        ("type Film | values yaer", "unknown property 'yaer'; closest: 'year'"),
        ("type Film | values acted_in", "'acted_in' is a relation, not a property"),
        ('type Film | where year = "x"', "compares a number with a text"),
        ("type Film | where released > 1990", "compares a date with a number"),
        ("type Film | sum title", "sum needs numbers; 'title' is of text"),
        ("type Film | top 1 by ^acted_in/", "top orders by a property or a count"),
        ("type Film | values title::year", "'title' is a text and has no year"),
        ('type Person | follow acted_in[@rol = "x"]', "unknown property 'rol' of 'acted_in'; closest: 'role'"),
        ("type Person | walk acted_in | values #2/title", "there is no position 2 here: rows have 2"),
        ("type Film | group title : count | order 7", "there is no column 7 to order by"),
        ('type Film | where ^acted_in/ = "x"', "compares an entity with a value"),
        ("type Film | values {year - yaer}", "unknown property 'yaer'; closest: 'year'"),
        ("type Film | values {released - year}", "released - year: computes a date with a number"),
        ("type Film | sum {title + year}", "title + year: computes a text with a number"),
        ("type Film | average {released + released}", "released + released: computes a date with a date"),
        ("type Film | average {year - `no stars` in day}", "numbers have no unit, so that 'in day' means nothing"),
        ("type Film | values {released - released}::year", "write '{released - released in year}'"),
        ("type Person | walk acted_in | values #1@{pay * rol}", "unknown property 'rol'"),
        ("type Person | follow acted_in[@{pay * role} > 3]", "pay * role: computes a number with a text"),
        ('type Film | where {year - `no stars`} = "x"', "compares a number with a text"),
    ],
)
def test_what_does_not_fit_the_graph_is_named(text: str, problem: str, profile: GraphProfile) -> None:
    assert any(problem in each for each in problems(parse(text), profile)), problems(parse(text), profile)
    with pytest.raises(PlanError):
        validate(parse(text), profile)


@pytest.mark.parametrize(
    "text",
    [
        "type Film | where year between [1990, 1996] and has ^acted_in/ | count",
        'type Film | where released > date "1996-01-01" and released::month = 9',
        'type Film | where released = "15/12/1995"',
        "type Person | walk acted_in[@pay > 3] | values #1/title, #1@role",
        "type Film | group released::decade : count, average year",
        "type Film | where `no stars` >= (type Film | average year)",
        "type Film | top 1 by {year - `no stars`}",
        "type Film | where {released - released in year} < 3 | average {year / `no stars`}",
        "type Person | walk acted_in[@{pay - pay} = 0] | sum #1@{pay * pay}",
    ],
)
def test_what_fits_the_graph_has_no_problem(text: str, profile: GraphProfile) -> None:
    assert problems(parse(text), profile) == []


def test_a_profile_knows_kinds_patterns_and_own_properties(profile: GraphProfile) -> None:
    film = profile.type("Film")
    assert film is not None
    assert film.entities == 2
    released = profile.property("released")
    assert released is not None
    assert (released.kind, released.stored, released.pattern) == ("date", "text", "dmy")
    assert set(profile.relationship_properties["acted_in"]) == {"role", "pay"}
    (acted,) = profile.relations["acted_in"]
    assert (acted.head_type, acted.tail_type, acted.triples, acted.heads, acted.tails) == ("Person", "Film", 2, 1, 2)


def test_a_step_reads_both_directions() -> None:
    assert steps("a", "^b", "~c") == (ChainStep("a"), ChainStep("b", "in"), ChainStep("c", "any"))
    plan = parse("type Film | where ~knows/year > 5")
    assert plan == Where(OfType("Film"), Compare(Term((ChainStep("knows", "any"),), "year"), ">", Value.of(5)))
