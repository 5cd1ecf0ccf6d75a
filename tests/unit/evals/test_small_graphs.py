"""The small graphs: every question is whole, and what counts as right, wrong and claimed."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from trivium.evals.small_graphs import (
    FOLDER,
    PARTS,
    PLACES,
    Asked,
    graphs,
    kinds,
    main,
    measure,
    places,
    places_table,
    table,
    totals,
)
from trivium.kg.loaders import Question, read_questions


def answer_of(labels: list[str], *, value: bool | None = None) -> dict[str, Any]:
    return {"answers": [{"id": each, "label": each, "score": 1.0} for each in labels], "value": value, "values": []}


SIZES = {
    **dict.fromkeys(("dev", "test"), (8, 10, 5)),
    **dict.fromkeys(("dev2", "test2", "dev4", "dev5", "test4"), (8, 15, 5)),
    **dict.fromkeys(("dev3", "test3"), (4, 22, 3)),
    **dict.fromkeys(("dev6", "test5"), (5, 22, 3)),
    "dev7": (20, 14, 6),
    "dev8": (10, 20, 5),
    "dev9": (6, 16, 4),
    "test6": (8, 16, 4),
    "dev10": (4, 19, 3),
    "test7": (5, 19, 3),
    **dict.fromkeys(("dev11", "test8"), (5, 16, 4)),
    **dict.fromkeys(("dev12", "test9"), (4, 24, 6)),
}
"""For each part: its graphs, and of a graph's questions those that it answers and those that it does not."""


@pytest.mark.parametrize("part", PARTS)
def test_each_graph_has_its_questions(part: str) -> None:
    count, answerable, others = SIZES[part]
    assert len(graphs(part)) == count
    for name in graphs(part):
        asked = list(read_questions(FOLDER / part / name / "questions.jsonl"))
        assert sum(bool(each.answers) for each in asked) == answerable, name
        assert len(asked) == answerable + others, name
        assert all(each.kind for each in asked), name


def test_what_counts_as_right_wrong_and_claimed() -> None:
    done = [
        Asked("g", Question("1", "who?", answers=("Ann", "Bob")), answer_of(["Bob", "Ann"])),
        Asked("g", Question("2", "who?", answers=("Ann",)), answer_of(["Ann", "Bob"])),
        Asked("g", Question("3", "is it?", answers=("no",)), answer_of([], value=False)),
        Asked("g", Question("4", "how many?", answers=("2",)), answer_of([])),
        Asked("g", Question("5", "is it good?"), answer_of([], value=True)),
        Asked("g", Question("6", "who?"), answer_of([])),
    ]
    assert [each.right for each in done] == [True, False, True, False, False, True]
    assert table(done).splitlines()[-1].split() == ["all", "50.0", "25.0", "50.0"]
    assert kinds(done).splitlines()[-1].split() == ["6", "50.0"]
    assert totals({"dev": done}).splitlines()[-1].split() == ["dev", "4", "50.0", "[15,", "85]", "25.0", "2", "50.0"]


def test_the_misses_of_all_parts_are_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--part", "all", "--misses"])
    assert "not read" in capsys.readouterr().err


async def test_one_of_them(tmp_path: Path) -> None:
    done = await measure("dev", "farm", tmp_path)
    assert sum(each.right for each in done if each.question.answers) >= 6
    assert sum(each.claims for each in done if not each.question.answers) <= 1


async def test_one_with_properties(tmp_path: Path) -> None:
    done = await measure("dev3", "infra", tmp_path)
    assert sum(each.right for each in done if each.question.answers) >= 11


async def test_where_the_right_plans_stand(tmp_path: Path) -> None:
    found = await places("dev4", "theatre", tmp_path)
    asked = await measure("dev4", "theatre", tmp_path / "again")
    able = [each for each in asked if each.question.answers]
    assert found.total() == len(able)
    assert found["answered"] == sum(each.right for each in able)
    assert set(found) <= set(PLACES)
    # What is read as it is meant and is not sure enough to be claimed.
    assert found["first, not claimed"] >= 1


def test_a_line_a_part_and_one_for_all_says_where_plans_stand() -> None:
    counts = {"dev": Counter({"answered": 2, "further down": 1}), "dev2": Counter({"none of them": 3})}
    lines = [line.split() for line in places_table(counts).splitlines()[1:]]
    assert lines == [
        ["dev", "3", "2", "0", "0", "1", "0"],
        ["dev2", "3", "0", "0", "0", "0", "3"],
        ["all", "6", "2", "0", "0", "1", "3"],
    ]
