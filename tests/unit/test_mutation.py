"""What `make mutation` draws, and by which tests it judges."""

from __future__ import annotations

import pytest

from tests.mutation import ROOT, annotated, files_that_test, report


def test_annotations_are_left_out() -> None:
    source = "Name = A | B\nTOP = 1 | 2\ndef f(x: int | None = 1 | 2) -> str | None:\n    y: A | B = x | 1\n"
    spans = annotated(source)
    lines = source.splitlines()
    inside = {lines[a[0] - 1][a[1] : b[1]] for a, b in spans}
    assert inside == {"A | B", "int | None", "str | None"}
    assert len(spans) == 4


@pytest.mark.slow
def test_a_file_is_tested_by_what_imports_it_first() -> None:
    assert files_that_test("kg/values.py")[0] == "tests/unit/kg/test_values.py"
    assert files_that_test("kg/embedded/delta.py")[0] == "tests/unit/kg/test_delta.py"
    assert files_that_test("kg/loaders/triples.py")[0] == "tests/unit/kg/test_loaders_triples.py"
    assert "tests/contracts/test_embedded_store.py" in files_that_test("kg/embedded/answers.py")[:6], (
        "a list of imports"
    )
    assert "tests/contracts/test_plans_sparql.py" in files_that_test("kg/plans/sparql.py")[:6]
    found = files_that_test("policies/reader/chart.py")
    assert "tests/unit/policies/reader/test_reader.py" in found
    assert files_that_test("kg/no_such_module.py") == []
    assert all((ROOT / name).is_file() for name in found)


def test_the_score_is_of_those_that_were_tested() -> None:
    told = report([
        {"path": "kg/a.py", "line": 1, "outcome": "killed", "was": "", "now": ""},
        {"path": "kg/a.py", "line": 2, "outcome": "survived", "was": "x + 1", "now": "x - 1"},
        {"path": "nodes/run/b.py", "line": 3, "outcome": "untested"},
    ])  # fmt: skip
    assert "kg                  1 of    2 killed (50 %), untested 0" in told
    assert "nodes/run           0 of    0 killed (0 %), untested 1" in told
    assert "survived kg/a.py:2\n    - x + 1\n    + x - 1" in told
