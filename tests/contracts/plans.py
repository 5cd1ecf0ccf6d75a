"""The contract of plans as tests: every store computes them, proves them, ends them, and refuses what does not fit.

A backend subclasses `PlanContract` and gives a `make_store` fixture, as for `GraphStoreContract`.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.contracts.graph_store import MakeStore
from tests.contracts.plan_agreement import expected, facts_of, of_plan_result, without_bare_entities
from tests.contracts.plan_interpreter import Interpreter
from tests.contracts.random_plans import PlanMaker, random_graph
from trivium.kg.errors import PlanError, TimeLimitError
from trivium.kg.plans.result import item_id
from trivium.kg.plans.run import run_plan
from trivium.kg.plans.text import parse
from trivium.kg.plans.verify import answer_problems
from trivium.kg.store import GraphStore
from trivium.kg.types import Entity, QualifiedTriple, Statement, Triple, ValueText

_NAMES = {
    "film": {"alien": "Alien", "runner": "Blade Runner", "heat": "Heat", "ali": "Ali", "diner": "Diner"},
    "person": {"scott": "Ridley Scott", "mann": "Michael Mann", "ford": "Harrison Ford", "pacino": "Al Pacino",
               "weaver": "Sigourney Weaver", "levinson": "Barry Levinson"},
}  # fmt: skip
_LINKS = (
    "alien directed_by scott; runner directed_by scott; heat directed_by mann; ali directed_by mann; "
    "diner directed_by levinson; alien starring weaver; runner starring ford; heat starring pacino; "
    "diner written_by levinson; heat written_by mann; scott knows mann; mann knows scott; scott knows ford"
)
_VALUES = (
    "alien year 1979; runner year 1982; heat year 1995; ali year 2001; diner year 1982; alien length 117; "
    "heat length 170; runner length 117; diner length 110; scott born 1937-11-30; mann born 1943-02-05; "
    "levinson born 1942-04-06; ford born 1942-07-13"
)
PLAN_NAMES = [Entity(id_, label, (), (kind,)) for kind, names in _NAMES.items() for id_, label in names.items()]
_ROLES = {"heat": ("Vincent", "80"), "alien": ("Ripley", "20")}


def _with_role(fact: Triple) -> Triple:
    """A starring triple with the properties of its relationship."""
    if fact.relation != "starring" or fact.head not in _ROLES:
        return fact
    role, lines = _ROLES[fact.head]
    own = (("lines", ValueText(lines, "number")), ("role", ValueText(role, "text")))
    return QualifiedTriple(*fact, (Statement(own, ""),))


PLAN_FACTS = [_with_role(Triple(*fact.split())) for fact in _LINKS.split("; ")] + [
    Triple(head, relation, ValueText(value, "date" if relation == "born" else "number"))
    for head, relation, value in (fact.split() for fact in _VALUES.split("; "))
]

PLANS: list[tuple[str, Any]] = [
    ('ids "scott" | follow ^directed_by', {"alien", "runner"}),
    ('ids "scott" | follow ^directed_by, starring', {"weaver", "ford"}),
    ('ids "scott" | follow ~knows', {"mann", "ford"}),
    ('ids "nobody" | follow knows', set()),
    ("type film | where year = 1982", {"runner", "diner"}),
    ("type film | where year between [1980, 1995]", {"runner", "diner", "heat"}),
    ("type film | where year > 1982 and has length", {"heat"}),
    ("type film | where not has length", {"ali"}),
    ("type film | where year != 1982", {"alien", "heat", "ali"}),
    ('type person | where born < date "1942-06-01"', {"scott", "levinson"}),
    ("type person | where born::year = 1942", {"levinson", "ford"}),
    ("type film | where directed_by/born::year = 1943", {"heat", "ali"}),
    ("type film | where written_by/ = directed_by/", {"heat", "diner"}),
    ("type film | where year > (type film | average year)", {"heat", "ali"}),
    ('both(ids "mann" | follow ^directed_by; ids "mann" | follow ^written_by)', {"heat"}),
    ('either(ids "scott" | follow ^directed_by; ids "diner")', {"alien", "runner", "diner"}),
    ('(ids "mann" | follow ^directed_by) | minus (ids "heat")', {"ali"}),
    ("type film | top 1 by year", {"ali"}),
    ("type film | bottom 2 by year", {"alien", "runner", "diner"}),
    ("type film | top 1 by length skip 1", {"alien", "runner"}),
    ("type person | top 1 by count(^directed_by/)", {"scott", "mann"}),
    ('ids "scott" | follow ^directed_by | values year', {"1979", "1982"}),
    ('ids "scott" | values born', {"1937-11-30"}),
    ("type film | count", 5),
    ('ids "scott" | follow ^directed_by | count', 2),
    ("type film | sum length", 514),
    ("type film | average length", 128.5),
    ("type film | minimum year", 1979),
    ("type person | maximum born", "1943-02-05"),
    ("type film | count distinct year", 4),
    ('ids "scott" | follow starring | exists', False),
    ('ids "scott" | follow ^directed_by | where year = 1982 | exists', True),
    ('holds (ids "alien" | values year) < (ids "heat" | values year)', True),
    ('calculate (ids "heat" | values length) - (ids "alien" | values length)', 53),
    ("type film | group directed_by/ : count | order 1 descending", {"scott 2", "mann 2", "levinson 1"}),
    ("type film | group directed_by/ : average year | having 0 > 1990", {"mann 1998"}),
    ("type film | group : count, average length, maximum year", {"5 128.5 2001"}),
    ('ids "weaver" | follow ^directed_by | group : count, sum length', {"0 0"}),
    ("type film | group year : count | having 0 > 1", {"1982 2"}),
    ('ids "scott" | values ::type', {"person"}),
    ('ids "scott" | follow ^directed_by | values starring/::type', {"person"}),
    ('ids "scott" | follow ~directed_by | values ., ::type', {"alien film", "runner film"}),
    ('type "" | where ::type = "film" and year < 1980', {"alien"}),
    ('type "" | group ::type : count, maximum year | order 1 descending', {"person 6 ", "film 5 2001"}),
    ('type "" | count distinct ::type', 2),
    ('type film | where ::label contains "RUN" or ::label starts_with "ali"', {"alien", "runner", "ali"}),
    ('type film | where directed_by/::label ends_with "mann" and not ::label = "Ali"', {"heat"}),
    ('ids "scott" | follow ^directed_by | values ::label', {"Alien", "Blade Runner"}),
    ('type film | group ::label : count | order 0 | limit 1', {"Ali 1"}),
    ("type film | where year < 1983 | values ., written_by/", {"alien ", "runner ", "diner levinson"}),
    ('type film | follow starring[@role = "Vincent"]', {"pacino"}),
    ("type film | follow starring[@lines > 10]", {"pacino", "weaver"}),
    ("type film | walk starring | sum #1@lines", 100),
    ("type film | walk starring | values #0/., #1@role", {"alien Ripley", "heat Vincent", "runner "}),
    ("type film | walk directed_by | values #0/., #1/born", {
        "alien 1937-11-30", "runner 1937-11-30", "heat 1943-02-05", "ali 1943-02-05", "diner 1942-04-06"}),
]  # fmt: skip


async def _given(store: GraphStore, text: str) -> Any:  # noqa: ANN401 - a set of texts, or a value
    found = (await run_plan(store, parse(text))).result
    if found.value is not None:
        return found.to_json()["value"]
    if found.rows:
        return {" ".join(map(item_id, row)) for row in found.rows}
    return {each.id for each in found.entities}


class PlanContract:
    """Tests that every backend passes; the subclass provides the fixture `make_store`."""

    async def test_plans_give_what_they_say(self, make_store: MakeStore) -> None:
        store = await make_store(PLAN_FACTS, PLAN_NAMES)
        assert {text: await _given(store, text) for text, _ in PLANS} == dict(PLANS)

    async def test_a_set_goes_by_id_and_an_order_by_its_values(self, make_store: MakeStore) -> None:
        store = await make_store(PLAN_FACTS, PLAN_NAMES)
        found = (await run_plan(store, parse("type film"), limit=3)).result
        assert ([each.id for each in found.entities], found.total) == (["ali", "alien", "diner"], 5)
        found = (await run_plan(store, parse("type film | sort by year"))).result
        labels = [each.label for each in found.entities]
        assert (labels[:2], set(labels[2:4]), labels[4:]) == (["Ali", "Heat"], {"Blade Runner", "Diner"}, ["Alien"])

    async def test_answers_are_proved_and_pass_when_computed_again(self, make_store: MakeStore) -> None:
        store = await make_store(PLAN_FACTS, PLAN_NAMES)
        for text, _ in PLANS:
            run = await run_plan(store, parse(text))
            told = {"stop_reason": "answered", **run.to_json()}
            assert await answer_problems(told, store) == [], text
        told = (await run_plan(store, parse('ids "scott" | follow ^directed_by'))).to_json()
        assert {path["answer"] for path in told["paths"]} == {"alien", "runner"}
        counted = (await run_plan(store, parse("type film | count"))).to_json()
        assert len(counted["evidence"]["rows"]) == 5

    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ('both(ids "alien"; ids "mann" | follow ^directed_by) | exists', ["scott"]),  # who did
            ('both(ids "nobody"; ids "mann" | follow ^directed_by) | exists', ["ali", "heat"]),  # what else he did
            ('ids "alien" | where year = 1982 | exists', [1979]),
            ("type film | where year = 2020 | exists", [1979, 1982, 1995, 2001]),
            ('ids "scott" | follow starring | exists', []),
        ],
    )
    async def test_a_no_shows_what_was_found(self, make_store: MakeStore, text: str, found: list[object]) -> None:
        store = await make_store(PLAN_FACTS, PLAN_NAMES)
        told = (await run_plan(store, parse(text))).to_json()
        assert told["value"] is False
        rows = [row[0]["id"] if isinstance(row[0], dict) else row[0] for row in told["evidence"]["rows"]]
        assert sorted(rows) == found
        assert await answer_problems({"stop_reason": "answered", **told}, store) == []

    async def test_forged_answers_do_not_pass(self, make_store: MakeStore) -> None:
        store = await make_store(PLAN_FACTS, PLAN_NAMES)

        async def problems(text: str, **forged: object) -> str:
            run = await run_plan(store, parse(text))
            return "; ".join(await answer_problems({**run.to_json(), **forged}, store))

        films = 'ids "scott" | follow ^directed_by'
        assert "does not give heat" in await problems(films, answers=[{"id": "heat"}], paths=[])
        assert "gives 2 answers" in await problems(films, answers=[{"id": "alien"}])
        assert "gives the value 5, the answer says 6" in await problems("type film | count", value=6)
        assert "evidence" in await problems("type film | count", evidence={"rows": [["x"]], "more": 4})
        groups = "type film | group year : count | having 0 > 1"
        assert "does not give" in await problems(groups, values=[{"key": 1982, "value": 3}])
        pairs = 'ids "heat" | values ., directed_by/, year'
        (row,) = (await run_plan(store, parse(pairs))).to_json()["values"]
        assert row == {
            "key": "Heat",
            "id": "heat",
            "value": "Michael Mann",
            "value_id": "mann",
            "values": [{"id": "mann", "label": "Michael Mann"}, 1995],
        }
        assert "does not give" in await problems(pairs, values=[{**row, "values": [row["values"][0], 1900]}])
        assert "cannot be computed again" in await problems("type film | count", plan={"op": "type", "type": "flim"})

    async def test_what_does_not_fit_and_what_takes_too_long(self, make_store: MakeStore) -> None:
        store = await make_store(PLAN_FACTS, PLAN_NAMES)
        with pytest.raises(PlanError, match="unknown relation 'direct_by'; closest: 'directed_by'"):
            await run_plan(store, parse("type film | follow direct_by"))
        with pytest.raises(PlanError, match="'year' is a property"):
            await run_plan(store, parse("type film | follow year"))
        with pytest.raises(TimeLimitError):
            await run_plan(store, parse("type film | follow directed_by, ^directed_by"), row_limit=3)

    async def test_a_write_is_in_the_next_answer(self, make_store: MakeStore) -> None:
        store = await make_store(PLAN_FACTS, PLAN_NAMES)
        assert await _given(store, 'ids "mann" | follow ^directed_by | count') == 2
        directed = await _given(store, 'type "" | follow directed_by | follow ^directed_by')  # of the graph alone
        await store.add(
            [Triple("collateral", "directed_by", "mann")], [Entity("collateral", "Collateral", (), ("film",))]
        )
        assert await _given(store, 'ids "mann" | follow ^directed_by | count') == 3
        assert await _given(store, 'ids "mann" | follow ^directed_by') == {"heat", "ali", "collateral"}
        again = await _given(store, 'type "" | follow directed_by | follow ^directed_by')
        assert again == {*directed, "collateral"} != directed

    async def test_numbers_beside_texts_that_read_as_numbers(self, make_store: MakeStore) -> None:
        # Neo4j holds one type in a list: what has 1.5 and 2 has texts, what has 2 alone a number.
        facts = [Triple(id_, "n", ValueText(value, "")) for id_, value in
                 [("one", "1.5"), ("one", "2"), ("two", "2"), ("three", "0")]]  # fmt: skip
        types = {"one": ("A",), "two": ("B",), "three": ("A", "C")}
        store = await make_store(
            [*facts, Triple("two", "near", "three")], [Entity(id_, id_, (), each) for id_, each in types.items()]
        )
        wanted = {
            'type "" | sum n': 5.5,
            'calculate 1 + (type "A" | sum n)': 4.5,
            'holds (type "B" | sum n) < (type "B" | count)': False,
            'type "" | average n': 1.375,
            'type "" | maximum n': 2,
            'type "" | count distinct n': 3,
            'type "" | where n = 2': {"one", "two"},
            'type "" | where n < 1.5': {"three"},
            'ids "two" | follow near | where has n': {"three"},
            'type "" | top 1 by n': {"one", "two"},
            'type "" | group n : count': {"0 1", "1.5 1", "2 2"},
        }
        assert {text: await _given(store, text) for text in wanted} == wanted


_PLANS = 4  # of each random graph


_SHARED = [HealthCheck.function_scoped_fixture, HealthCheck.differing_executors]  # one contract, several stores


class RandomPlanContract:
    """Random plans over random small graphs agree with the brute-force interpreter, also while changes wait."""

    @settings(max_examples=25, deadline=None, suppress_health_check=_SHARED)
    @given(st.randoms(use_true_random=False))
    async def test_random_plans_agree_with_brute_force(self, make_store: MakeStore, random: Random) -> None:
        graph = without_bare_entities(random_graph(random))
        facts, entities = facts_of(graph)
        assume(facts)
        late = random.randint(0, len(facts) // 2)
        store = await make_store(facts[late:], entities)
        try:
            if late:
                await store.add(facts[:late])
            for _ in range(_PLANS):
                plan = PlanMaker(random).plan()
                found = of_plan_result(await store.run_plan(plan), plan)
                wanted = expected(Interpreter(*graph), plan)
                assert (found or None) == (wanted or None), plan
        finally:
            await store.close()
