"""`trivium tool`: a tool by its name and JSON arguments, one call or a file of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.app.cli.running import Trivium, refused


def test_a_call_prints_one_json_object(trivium: Trivium, films_kg: Path) -> None:
    said = trivium("tool", "neighbors", '{"entity": "Heat", "relation": "directed_by"}', "--kg", films_kg)
    assert (said.code, said.err) == (0, "")
    assert said.json == {"triples": [{"head": "heat", "relation": "directed_by", "tail": "mann", "score": 1.0}]}
    walked = trivium("tool", "follow_chain", '{"seed_entities": ["mann"], "chain": ["^directed_by"]}', "--kg", films_kg)
    assert [path["answer"] for path in walked.json["paths"]] == ["heat"]


@pytest.mark.parametrize(
    ("name", "arguments", "error"),
    [
        ("observer", "{}", "UnknownToolError"),
        ("neighbors", "{", "BadInputError"),
        ("neighbors", "{}", "BadInputError"),
        ("neighbors", '{"entity": "Metropolis"}', "UnknownEntityError"),
        ("neighbors", '{"entity": "Heat", "relation": "directs"}', "UnknownRelationError"),
    ],
)
def test_what_cannot_be_called_is_named(
    trivium: Trivium, films_kg: Path, name: str, arguments: str, error: str
) -> None:
    refused(trivium("tool", name, arguments, "--kg", films_kg), error)
    assert trivium("tool", name).code == 2


@pytest.fixture
def calls(tmp_path: Path) -> Path:
    path = tmp_path / "calls.jsonl"
    path.write_text("".join(json.dumps({"text": name}) + "\n" for name in ("Heat", "Solaris", "xqzzyv")))
    return path


def test_a_file_of_calls_gives_a_line_each(trivium: Trivium, films_kg: Path, calls: Path, tmp_path: Path) -> None:
    out = tmp_path / "results.jsonl"
    words = ("tool", "find_entities", "--batch", calls, "--out", out, "--kg", films_kg)
    assert trivium(*words).code == 0
    whole = out.read_text()
    found = [[hit["id"] for hit in json.loads(line)["entities"]] for line in whole.splitlines()]
    assert found == [["heat"], ["solaris02", "solaris72"], []]
    out.write_text(whole[: len(whole) // 2])
    assert trivium(*words).code == 0
    assert out.read_text() == whole


def test_a_bad_call_is_refused_before_the_first_is_made(
    trivium: Trivium, films_kg: Path, calls: Path, tmp_path: Path
) -> None:
    out = tmp_path / "results.jsonl"
    words = ("tool", "find_entities", "--batch", calls, "--out", out, "--kg", films_kg)
    calls.write_text('{"text": "Heat"}\n{"word": "Heat"}\n')
    refused(trivium(*words), "BadInputError", "line 2", "find_entities")
    calls.write_text("\n")
    refused(trivium(*words), "BadInputError", "contains no calls")
    assert not out.exists()


def test_arguments_and_a_file_together_are_wrong_usage(trivium: Trivium, films_kg: Path, calls: Path) -> None:
    for words in (["{}", "--batch", calls, "--out", "x"], ["--batch", calls], []):
        refused(trivium("tool", "neighbors", *words, "--kg", films_kg), "UsageError", "--batch CALLS.jsonl", code=2)
    assert not Path("x").exists()
