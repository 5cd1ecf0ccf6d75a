"""`trivium query`: a plan as text or JSON, run on a KG; what does not fit is refused by name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trivium.app.cli.main import run
from trivium.kg.embedded import build
from trivium.kg.plans.codec import dumps
from trivium.kg.plans.text import parse
from trivium.kg.types import Entity, Triple, ValueText


@pytest.fixture
def kg(tmp_path: Path) -> str:
    triples = [
        Triple("heat", "directed_by", "mann"),
        Triple("ali", "directed_by", "mann"),
        Triple("heat", "year", ValueText("1995")),
        Triple("ali", "year", ValueText("2001")),
    ]
    entities = [Entity("heat", "Heat", (), ("film",)), Entity("ali", "Ali", (), ("film",)), Entity("mann", "Michael")]
    build(tmp_path / "kg", [triples], entities)
    return str(tmp_path / "kg")


def test_a_plan_in_text_gives_its_answers_and_its_queries(kg: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["query", "--kg", kg, "--text", "type film | top 1 by year", "--show-query"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Ali\tali\n")
    assert "cypher: MATCH" in out
    assert "sparql: SELECT" in out


def test_a_plan_in_a_file_gives_json_with_rows_and_paths(
    kg: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "plan.json"
    file.write_text(dumps(parse('ids "mann" | follow ^directed_by | average year')), encoding="utf-8")
    assert run(["query", str(file), "--kg", kg, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["value"] == 1998
    assert len(found["evidence"]["rows"]) == 2
    assert found["text"] == 'ids "mann" | follow ^directed_by | average year'


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--text", "type flim | count"], "unknown type 'flim'; closest: 'film'"),
        (["--text", "type film | counts"], "closest: 'count'"),
        (["nowhere.json"], "cannot be read"),
    ],
)
def test_a_plan_that_does_not_fit_is_refused(
    kg: str, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["query", "--kg", kg, *arguments]) == 1
    assert message in capsys.readouterr().err


def test_a_plan_has_to_be_given_once(kg: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["query", "--kg", kg]) == 2
    assert "give a file" in capsys.readouterr().err
