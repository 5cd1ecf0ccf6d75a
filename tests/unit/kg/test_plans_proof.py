"""What proves a plan's answers, and the sub-questions that a plan is written as."""

from __future__ import annotations

import datetime as dt
import itertools

import pytest

from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.execute import Executor
from trivium.kg.plans.plan import QueryPlan
from trivium.kg.plans.proof import prove
from trivium.kg.plans.result import materialize
from trivium.kg.plans.sub_questions import sub_questions
from trivium.kg.plans.text import parse
from trivium.kg.types import Hop

FILMS = GraphColumns.of(
    [
        ("heat", ["film"], {"year": 1995, "rating": 8.3}),
        ("ronin", ["film"], {"year": 1998}),
        ("alien", ["film"], {"year": 1979, "rating": 8.5, "remade": 1986}),
        ("niro", ["person"], {}),
        ("weaver", ["person"], {}),
        ("pacino", ["person"], {}),
        ("mann", ["person"], {}),
    ],
    [
        ("heat", "starring", "niro", {"role": "Neil"}),
        ("heat", "starring", "pacino", {"role": "Vincent"}),
        ("ronin", "starring", "niro", {"role": "Sam"}),
        ("heat", "directed_by", "mann"),
        ("ronin", "starring", "weaver"),
        ("alien", "starring", "weaver"),
    ],
)


def run(text: str) -> tuple[QueryPlan, dict[str, list[str]], list[tuple[str, ...]]]:
    """The plan, its paths by answer, each as text, and the evidence's first column."""
    plan, executor = parse(text), Executor(FILMS)
    materialize(executor, plan)
    paths, evidence = prove(executor, plan)
    out: dict[str, list[str]] = {}
    for path in paths:
        ends = [(step.start, step.end) for step in path.triples]
        assert all(a[1] == b[0] for a, b in itertools.pairwise(ends)), "a path joins up"
        assert path.answer in {ends[-1][1]}, "a path leads to what it supports"
        words = [f"{'^' if step.inverse else ''}{step.relation} {step.end}" for step in path.triples]
        out.setdefault(path.answer, []).append(" ".join([ends[0][0], *words]))
    rows = (
        [tuple(str(getattr(item, "id", getattr(item, "value", ""))) for item in row) for row in evidence.rows]
        if evidence
        else []
    )
    return plan, out, rows


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ('ids "heat" | follow starring', {"niro": ["heat starring niro"], "pacino": ["heat starring pacino"]}),
        (
            'ids "pacino" | follow ^starring, starring',
            {"niro": ["pacino ^starring heat starring niro"]},
        ),
        (
            'both(ids "niro" | follow ^starring; ids "pacino" | follow ^starring)',
            {"heat": ["niro ^starring heat", "pacino ^starring heat"]},
        ),
        (  # what a step's condition holds by, on to the answer
            'ids "niro" | follow ^starring{year < 1997}, starring',
            {"pacino": ["niro ^starring heat starring pacino", "1995.0 ^year heat starring pacino"]},
        ),
        (
            'ids "pacino" | follow ^starring{directed_by/ = (ids "mann")}, starring',
            {"niro": ["pacino ^starring heat starring niro", "mann ^directed_by heat starring niro"]},
        ),
        ('type film | where year < 1990', {"alien": ["1979.0 ^year alien"]}),
        (
            'type film | where starring/ = (ids "pacino")',
            {"heat": ["pacino ^starring heat"]},
        ),
        ('type film | top 1 by rating', {"alien": ["8.5 ^rating alien"]}),
        ('ids "niro" | follow ^starring | values year', {
            "1995.0": ["niro ^starring heat year 1995.0"], "1998.0": ["niro ^starring ronin year 1998.0"],
        }),
        ("type film", {}),
        ('ids "alien" | values {remade - year}', {
            "1986.0": ["alien remade 1986.0"], "1979.0": ["alien year 1979.0"],
        }),
        ('ids "weaver" | values ^starring/{remade - year}', {
            "1986.0": ["weaver ^starring alien remade 1986.0"], "1979.0": ["weaver ^starring alien year 1979.0"],
        }),
        ("type person | where ^starring/{remade - year} < 9", {
            "weaver": ["1986.0 ^remade alien starring weaver", "1979.0 ^year alien starring weaver"],
        }),
        ("type film | where {remade - year} > 5", {
            "alien": ["1986.0 ^remade alien", "1979.0 ^year alien"],
        }),
    ],
)  # fmt: skip
def test_each_answer_has_the_path_that_supports_it(text: str, paths: dict[str, list[str]]) -> None:
    _, found, _ = run(text)
    assert {key.removesuffix(".0"): [each.replace(".0", "") for each in value] for key, value in found.items()} == {
        key.removesuffix(".0"): [each.replace(".0", "") for each in value] for key, value in paths.items()
    }


def test_what_was_counted_or_compared_is_the_evidence() -> None:
    _, paths, rows = run('ids "niro" | follow ^starring | count')
    assert rows == [("heat",), ("ronin",)]
    assert paths == {"heat": ["niro ^starring heat"], "ronin": ["niro ^starring ronin"]}
    _, _, rows = run("type film | average year")
    assert rows == [("alien", "1979.0"), ("heat", "1995.0"), ("ronin", "1998.0")]
    _, _, rows = run("type film | where has remade | average {remade - year}")
    assert rows == [("alien", "1986.0", "1979.0", "7.0")], "what the number is computed of, and the number"
    _, _, rows = run("type film | group year : count")
    assert ("heat", "1995.0") in rows


def wording(hop: object) -> str | None:
    return {"starring": "who starred in [mask]?", "^starring": "which films did [mask] star in?"}.get(str(hop))


@pytest.mark.parametrize(
    ("text", "questions"),
    [
        ('ids "heat" | follow starring', [("who starred in [mask]?", (-1,), ("Heat",))]),
        ('ids "niro" | follow ^starring, directed_by | count', [
            ("which films did [mask] star in?", (-1,), ("Robert De Niro",)),
            ("what is the directed by of [mask]?", (0,), ("<GENERATED>-0",)),
            ("how many are in [mask]?", (1,), ("<GENERATED>-1",)),
        ]),
        ('both(ids "niro" | follow ^starring; ids "pacino" | follow ^starring)', [
            ("which films did [mask] star in?", (-1,), ("Robert De Niro",)),
            ("which films did [mask] star in?", (-1,), ("pacino",)),
            ("which are in all of [mask]?", (0, 1), ("<GENERATED>-0", "<GENERATED>-1")),
        ]),
        ('type film | top 3 by rating', [("which 3 of [mask] have the largest rating?", (-1,), ("film",))]),
        ("type film", [("which are [mask]?", (-1,), ("film",))]),
        ("type film | average {remade - year}", [
            ("what is the average of remade minus year over [mask]?", (-1,), ("film",)),
        ]),
        ("type film | where year > 1990 and rating > 8 | count", [
            ("which of [mask] have year > 1990 and have rating > 8?", (-1,), ("film",)),
            ("how many are in [mask]?", (0,), ("<GENERATED>-0",)),
        ]),
        ("type film | where not (year > 1990 or rating > 8)", [
            ("which of [mask] do not have year > 1990 or have rating > 8?", (-1,), ("film",)),
        ]),
    ],
)  # fmt: skip
def test_a_plan_is_written_as_sub_questions(
    text: str, questions: list[tuple[str, tuple[int, ...], tuple[str, ...]]]
) -> None:
    written = sub_questions(parse(text), wording, {"niro": "Robert De Niro", "heat": "Heat"})
    assert [(each.question, each.dep, each.seed_entities) for each in written] == questions
    assert [each.id for each in written] == list(range(len(written)))
    executor = Executor(FILMS)
    for each in written:
        executor.table(each.part) if type(each.part).__name__ == "Walks" else executor.answer(each.part)  # type: ignore[arg-type]


def test_only_a_step_walked_one_way_is_a_chain() -> None:
    steps = [
        sub_questions(parse(f'ids "niro" | follow {step}'), wording, {})[0]
        for step in ("starring", "^starring", "~starring")
    ]
    assert [each.chain for each in steps] == [(Hop("starring", False),), (Hop("starring", True),), None]


MADE = [dt.date(2019, 5, 1), dt.date(2021, 5, 1)]
SHELF = GraphColumns.of(
    [("tent", ["item"], {"colors": ["red", "green"], "sizes": [2.0, 4.0], "made": MADE})],
    [],
)


@pytest.mark.parametrize(
    ("condition", "value"),
    [
        ('colors = "green"', "green"),
        ('colors contains "EE"', "green"),
        ('colors starts_with "g"', "green"),
        ("sizes > 3", "4"),
        ("sizes between [1, 2]", "2"),
        ("sizes = [7, 4]", "4"),
        ('made > date "2020-01-01"', "2021-05-01"),
        ('made <= date "2020-01-01"', "2019-05-01"),
    ],
)
def test_of_several_values_the_one_by_which_a_condition_holds_is_shown(condition: str, value: str) -> None:
    plan, executor = parse(f"type item | where {condition}"), Executor(SHELF)
    materialize(executor, plan)
    paths, _ = prove(executor, plan)
    assert [path.triples[0].tail for path in paths] == [value]
