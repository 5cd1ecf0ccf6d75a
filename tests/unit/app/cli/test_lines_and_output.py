"""Lines that are taken up where they stopped, and what commands print: for people, for pipes, for logs."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trivium.app.cli.output import complain, print_facts, print_json, print_rows, tolerate_encodings
from trivium.app.cli.progress import progress
from trivium.kg.errors import BadInputError
from trivium.kg.lines import ResumableLines

LINES = [{"id": number, "text": f"Köln {number} " + "x" * number} for number in range(5)]


def _same(number: int, line: dict[str, Any]) -> bool:
    return line.get("id") == number


def _go_on(path: Path) -> int:
    with ResumableLines(path, len(LINES), _same) as lines:
        for line in LINES[lines.done :]:
            lines.write(line)
        return lines.done


def test_lines_are_written_one_a_line_and_read_back(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folders" / "out.jsonl"
    assert _go_on(path) == 0
    assert [json.loads(line) for line in path.read_text().splitlines()] == LINES
    assert "Köln" in path.read_text()
    assert _go_on(path) == len(LINES), "nothing is left to do"


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 300))
def test_cut_anywhere_the_file_ends_the_same(cut: int) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "out.jsonl")
        _go_on(path)
        whole = path.read_bytes()
        path.write_bytes(whole[:cut])
        done = _go_on(path)
        assert path.read_bytes() == whole
        assert done == whole[:cut].count(b"\n"), "a line without its end is written again"


@pytest.mark.parametrize(
    ("held", "line"),
    [
        (b'{"id": 7}\n', 1),  # another input's
        (b'{"id": 0}\n{"id": 0}\n', 2),
        (b'{"id": 0}\nno json\n', 2),
        (b"[0]\n", 1),
        (b"".join(b'{"id": %d}\n' % n for n in range(6)), 6),  # more than there are inputs
        (b'{"id": 0}\nno json\n{"id": 1}', 2),
    ],
)
def test_a_file_of_something_else_is_left_as_it_is(tmp_path: Path, held: bytes, line: int) -> None:
    path = tmp_path / "out.jsonl"
    path.write_bytes(held)
    with pytest.raises(BadInputError, match="remove it or choose another --out") as refused:
        _go_on(path)
    assert f":{line}" in str(refused.value) or f"line {line}" in str(refused.value)
    assert path.read_bytes() == held


def test_rows_and_facts_for_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    print_rows(("id", "degree"), [("a[b]", 3), ("c", 1_000)])
    print_rows(("id",), [])
    print_facts({"triples": 1_234_567, "whole": True, "name": "x"})
    print_json({"label": "Köln"})
    out, err = capsys.readouterr()
    assert out.splitlines()[:2] == ["a[b]\t3", "c\t1000"], "no heading and plain numbers: for cut and awk"
    assert "triples  1,234,567" in out
    assert "whole    True" in out
    assert json.loads(out.splitlines()[-1]) == {"label": "Köln"}
    assert err == ""


def test_a_complaint_is_one_line_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    complain("first\nsecond\r\nthird")
    out, err = capsys.readouterr()
    assert (out, err) == ("", "trivium: first second third\n")


def test_letters_that_a_stream_lacks_are_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    tolerate_encodings()
    print_rows(("id",), [("Köln",)])
    print_json({"label": "Köln"})
    assert raw.getvalue().splitlines()[0] == b"K\\xf6ln"
    assert json.loads(raw.getvalue().splitlines()[1]) == {"label": "Köln"}, "JSON escapes in its own way"


def test_progress_of_a_log_is_a_line_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [100.0]
    monkeypatch.setattr("trivium.app.cli.progress.time.monotonic", lambda: now[0])
    with progress() as show:
        show("read", 1, 10)
        assert capsys.readouterr().err == "", "most work is done before anybody wonders"
        for done in range(2, 8):
            now[0] += 2.0
            show("read", done, 10, "films")
        now[0] += 6.0
        show("store", 12_345, None)
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["trivium: read: films, 40%", "trivium: read: films, 70%", "trivium: store: 12,345"]
