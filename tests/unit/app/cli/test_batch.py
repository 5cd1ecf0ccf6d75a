"""`trivium ask --batch`: a line a question, in order, taken up where it stopped."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.unit.app.cli.running import Said, Trivium, refused
from trivium.kg.embedded import EmbeddedStore
from trivium.kg.errors import BadInputError, QueryError, QueryTimeoutError, UnreachableError
from trivium.kg.lines import ResumableLines

ASKED: list[dict[str, Any]] = [
    {"id": "a", "question": "who directed Heat?"},
    {"id": "b", "question": "who directed Solaris?", "topic_entities": ["solaris72"]},
    {"id": "c", "question": "what is the airspeed of an unladen swallow"},
    {"id": "d", "question": "which films star both Robert De Niro and Jean Reno?"},
]


def _write(path: Path, lines: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    return _write(tmp_path / "asked.jsonl", ASKED)


@pytest.fixture
def told(tmp_path: Path) -> Path:
    return tmp_path / "out" / "told.jsonl"


def _ask(trivium: Trivium, asked: Path, told: Path, kg: Path) -> Said:
    return trivium("ask", "--batch", asked, "--out", told, "--kg", kg)


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def _answers(path: Path) -> list[list[str]]:
    return [[item["id"] for item in line["answers"]] for line in _lines(path)]


def test_a_line_a_question_in_order(trivium: Trivium, films_kg: Path, asked: Path, told: Path) -> None:
    said = _ask(trivium, asked, told, films_kg)
    assert (said.code, said.out) == (0, "")
    assert [line["id"] for line in _lines(told)] == ["a", "b", "c", "d"]
    assert _answers(told) == [["mann"], ["tarkovsky"], [], ["ronin"]]
    assert [line["stop_reason"] for line in _lines(told)] == ["answered", "answered", "not_understood", "answered"]


def test_questions_may_come_compressed(trivium: Trivium, films_kg: Path, asked: Path, told: Path) -> None:
    packed = asked.with_suffix(".jsonl.gz")
    packed.write_bytes(gzip.compress(asked.read_bytes()))
    assert _ask(trivium, packed, told, films_kg).code == 0
    assert _answers(told) == [["mann"], ["tarkovsky"], [], ["ronin"]]


@pytest.mark.parametrize("kept", [0, 1, 3])
@pytest.mark.parametrize("cut", [0, 40])
def test_a_batch_that_was_cut_goes_on(
    trivium: Trivium, films_kg: Path, asked: Path, told: Path, kept: int, cut: int
) -> None:
    assert _ask(trivium, asked, told, films_kg).code == 0
    whole = told.read_text().splitlines(keepends=True)
    told.write_text("".join(whole[:kept]) + whole[kept][:cut])
    assert _ask(trivium, asked, told, films_kg).code == 0
    assert told.read_text().splitlines(keepends=True)[:kept] == whole[:kept]
    assert [line["id"] for line in _lines(told)] == ["a", "b", "c", "d"]


def test_a_finished_batch_is_left_as_it_is(trivium: Trivium, films_kg: Path, asked: Path, told: Path) -> None:
    assert _ask(trivium, asked, told, films_kg).code == 0
    before = told.read_bytes()
    assert _ask(trivium, asked, told, films_kg).code == 0
    assert told.read_bytes() == before


def test_the_answers_to_other_questions_are_refused(
    trivium: Trivium, films_kg: Path, asked: Path, told: Path, tmp_path: Path
) -> None:
    assert _ask(trivium, asked, told, films_kg).code == 0
    before = told.read_bytes()
    for name, lines in (("fewer", ASKED[:2]), ("ids", [{**line, "id": f"x{line['id']}"} for line in ASKED])):
        other = _write(tmp_path / f"{name}.jsonl", lines)
        refused(_ask(trivium, other, told, films_kg), "BadInputError", str(told), "choose another --out")
        assert told.read_bytes() == before
    told.write_text("notes of mine\n")
    refused(_ask(trivium, asked, told, films_kg), "BadInputError", "line 1")
    assert told.read_text() == "notes of mine\n"


def test_other_questions_under_the_same_ids_are_refused(
    trivium: Trivium, films_kg: Path, told: Path, tmp_path: Path
) -> None:
    unnumbered = [{"question": line["question"]} for line in ASKED]
    assert _ask(trivium, _write(tmp_path / "one.jsonl", unnumbered), told, films_kg).code == 0
    other = _write(tmp_path / "two.jsonl", unnumbered[::-1])
    refused(_ask(trivium, other, told, films_kg), "BadInputError", "choose another --out")
    assert [line["question"] for line in _lines(told)] == [line["question"] for line in ASKED]


def test_a_question_that_cannot_run_gets_a_line_and_the_batch_goes_on(
    trivium: Trivium, films_kg: Path, told: Path, tmp_path: Path
) -> None:
    lines = [
        {"id": "long", "question": "why " * 25_000},
        ASKED[0],
        {"id": "?", "question": "who directed this?", "topic_entities": ["Metropolis"]},
        ASKED[3],
    ]
    said = _ask(trivium, _write(tmp_path / "asked.jsonl", lines), told, films_kg)
    assert said.code == 0
    found = _lines(told)
    assert [line["id"] for line in found] == ["long", "a", "?", "d"]
    assert found[0]["stop_reason"] == "not_understood"
    assert found[0]["events"][0]["event"] == "UsageError"
    assert found[2]["answers"] == []
    assert _answers(told)[1::2] == [["mann"], ["ronin"]]


def _failing(monkeypatch: pytest.MonkeyPatch, failures: dict[str, Exception]) -> None:
    """Let the store fail where it is asked for a name."""
    find = EmbeddedStore.find

    async def fails(self: EmbeddedStore, texts: Sequence[str], *args: Any, **named: Any) -> Any:  # noqa: ANN401
        for name, error in failures.items():
            if any(name in text for text in texts):
                raise error
        return await find(self, texts, *args, **named)

    monkeypatch.setattr(EmbeddedStore, "find", fails)


@pytest.mark.parametrize("method", ["auto", "keqing", "oda"])
def test_a_question_whose_query_is_refused_gets_a_line_and_the_batch_goes_on(
    trivium: Trivium, films_kg: Path, told: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    lines = [ASKED[0], {"id": "b", "question": "who directed Solaris?"}, *ASKED[2:]]
    asked = _write(tmp_path / "asked.jsonl", lines)
    _failing(monkeypatch, {"Heat": QueryError("Invalid input '('"), "Solaris": QueryTimeoutError("past its time-out")})
    said = trivium("ask", "--batch", asked, "--out", told, "--kg", films_kg, "--method", method)
    assert said.code == 0
    assert "2 questions without an answer" in said.err
    found = _lines(told)
    assert [line["id"] for line in found] == ["a", "b", "c", "d"]
    assert [line["stop_reason"] for line in found][:2] == ["store_error", "store_error"]
    assert [line["events"][-1]["event"] for line in found[:2]] == ["QueryError", "QueryTimeoutError"]
    assert "Invalid input '('" in found[0]["answer"]
    assert [line["stop_reason"] for line in found][2:] == ["not_understood", "answered"]


def test_a_database_that_is_gone_ends_the_batch(
    trivium: Trivium, films_kg: Path, asked: Path, told: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _failing(monkeypatch, {"Solaris": UnreachableError("no server answers")})
    refused(_ask(trivium, asked, told, films_kg), "UnreachableError", "no server answers")
    assert [line["id"] for line in _lines(told)] == ["a"]
    monkeypatch.undo()
    assert _ask(trivium, asked, told, films_kg).code == 0
    assert [line["stop_reason"] for line in _lines(told)] == ["answered", "answered", "not_understood", "answered"]


def test_bad_input_is_refused_before_any_line_is_written(
    trivium: Trivium, films_kg: Path, told: Path, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.jsonl"
    for text, where in (('{"question": "who?"}\n{"id": "b"}\n', "line 2"), ("", "no question"), ("{\n", "line 1")):
        bad.write_text(text)
        refused(_ask(trivium, bad, told, films_kg), "BadInputError", str(bad), where)
    refused(_ask(trivium, tmp_path / "none.jsonl", told, films_kg), "BadInputError", "none.jsonl")
    assert not told.exists()


def test_the_questions_are_no_place_for_their_answers(trivium: Trivium, films_kg: Path, asked: Path) -> None:
    before = asked.read_bytes()
    said = trivium("ask", "--kg", str(films_kg), "--batch", str(asked), "--out", str(asked))
    assert (said.code, "holds the questions" in said.err, asked.read_bytes() == before) == (2, True, True)


def test_lines_cut_anywhere_are_taken_up(tmp_path: Path) -> None:
    path, lines = tmp_path / "lines", [{"id": str(number), "text": "é\n" * number} for number in range(4)]
    with ResumableLines(path, 4, lambda *_: True) as file:
        for line in lines:
            file.write(line)
    whole = path.read_bytes()
    for cut in range(len(whole)):
        path.write_bytes(whole[:cut])
        with ResumableLines(path, 4, lambda i, line: line == lines[i]) as file:
            assert file.done == whole[:cut].count(b"\n")
            for line in lines[file.done :]:
                file.write(line)
        assert path.read_bytes() == whole
    with pytest.raises(BadInputError, match="lines of another input"):
        ResumableLines(path, 3, lambda *_: True)
