"""`trivium verify`: true answers pass; forged, turned round and broken ones do not."""

from __future__ import annotations

import copy
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.unit.app.cli.running import Trivium, refused

Line = dict[str, Any]


def _step(head: str, relation: str, tail: str, *, inverse: bool = False) -> Line:
    return {"head": head, "relation": relation, "tail": tail, "inverse": inverse}


ANSWER: Line = {
    "id": "1",
    "answers": [{"id": "runner", "label": "Blade Runner", "score": 1.0}],
    "paths": [
        {
            "triples": [_step("alien", "directed_by", "scott"), _step("runner", "directed_by", "scott", inverse=True)],
            "answer": "runner",
        }
    ],
}
NOTHING: Line = {"id": "2", "answers": [], "paths": []}


def _write(path: Path, *lines: Line) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def _changed(change: Callable[[list[Line]], object]) -> Line:
    line = copy.deepcopy(ANSWER)
    change(line["paths"][0]["triples"])
    return line


def test_true_answers_pass(trivium: Trivium, films_kg: Path, tmp_path: Path) -> None:
    told = _write(tmp_path / "told.jsonl", ANSWER, NOTHING, ANSWER)
    said = trivium("verify", told, "--kg", films_kg)
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("ok: 2 paths")
    packed = tmp_path / "told.jsonl.gz"
    packed.write_bytes(gzip.compress(told.read_bytes()))
    assert trivium("verify", packed, "--kg", films_kg).code == 0


def test_what_ask_writes_passes(trivium: Trivium, films_kg: Path, tmp_path: Path) -> None:
    questions = [
        "which films star both Robert De Niro and Jean Reno?",
        "what genre are the films starring Harrison Ford?",
    ]
    asked = _write(tmp_path / "asked.jsonl", *({"question": question} for question in questions))
    assert trivium("ask", "--batch", asked, "--out", tmp_path / "told.jsonl", "--kg", films_kg).code == 0
    said = trivium("verify", tmp_path / "told.jsonl", "--kg", films_kg)
    assert (said.code, said.err) == (0, "")
    assert "ok: 4 paths" in said.out


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda triples: triples[1].update(tail="mann"), "not in the KG: ('runner', 'directed_by', 'mann')"),
        (
            lambda triples: triples[0].update(head="scott", tail="alien"),
            "not in the KG: ('scott', 'directed_by', 'alien')",
        ),
        (lambda triples: triples[0].update(relation="filmed_by"), "not in the KG"),
        (lambda triples: triples[1].update(inverse=False), "does not join up"),
        (lambda triples: triples.insert(1, _step("heat", "directed_by", "mann")), "does not join up"),
        (lambda triples: triples.pop(), "not at the answer 'runner'"),
    ],
)
def test_false_paths_are_refused(
    trivium: Trivium, films_kg: Path, tmp_path: Path, change: Callable[[list[Line]], object], says: str
) -> None:
    told = _write(tmp_path / "told.jsonl", ANSWER, NOTHING, _changed(change))
    said = trivium("verify", told, "--kg", films_kg)
    assert (said.code, said.out) == (1, "")
    assert f"{told}, line 3: " in said.err
    assert says in said.err
    assert "Traceback" not in said.err


def test_many_problems_are_counted(trivium: Trivium, films_kg: Path, tmp_path: Path) -> None:
    forged = _changed(lambda triples: triples[0].update(head="nobody"))
    said = trivium("verify", _write(tmp_path / "told.jsonl", *[forged] * 30), "--kg", films_kg)
    assert said.code == 1
    assert said.err.count("\n") == 11
    assert "30 problems" in said.err


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no answer"),
        ("{", "line 1"),
        ("[]\n", "expected a JSON object"),
        ('{"id": "1"}\n', '"paths"'),
        ('{"paths": [{"triples": [{"head": "a"}]}]}\n', "lacks a head, relation or tail"),
        ('{"paths": [3]}\n', "triples"),
    ],
)
def test_what_is_no_answer_is_refused(trivium: Trivium, films_kg: Path, tmp_path: Path, text: str, says: str) -> None:
    told = tmp_path / "told.jsonl"
    told.write_text(text)
    refused(trivium("verify", told, "--kg", films_kg), "BadInputError", str(told), says)
    refused(trivium("verify", tmp_path / "none", "--kg", films_kg), "BadInputError", "no such file")


def test_bytes_that_are_no_text_are_refused(trivium: Trivium, films_kg: Path, tmp_path: Path) -> None:
    told = tmp_path / "told.jsonl"
    told.write_bytes(b"\xff\xfe{}\n")
    refused(trivium("verify", told, "--kg", films_kg), "BadInputError", "UTF-16")
    broken = tmp_path / "told.jsonl.gz"
    broken.write_bytes(gzip.compress(json.dumps(ANSWER).encode())[:-9])
    refused(trivium("verify", broken, "--kg", films_kg), "BadInputError", "cut short")
