"""The table of path quality on a small KG: its reader, its rows, and that the exact search is its ceiling."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evals.paths import measure, read_csqa
from kg.loaders import Choice, Question


def test_the_files_own_questions_are_read(tmp_path: Path) -> None:
    path = tmp_path / "dev.jsonl"
    choices = [{"label": "A", "text": "Heat"}, {"label": "B", "text": "Alien"}]
    line = {"id": "q", "answerKey": "A", "question": {"stem": "which film?", "choices": choices}}
    path.write_text("".join(json.dumps({**line, "id": f"q{i}"}) + "\n" for i in range(6)))
    assert [q.id for q in read_csqa(path, 3)] == ["q0", "q2", "q4"]
    (first, *_) = read_csqa(path, 0)
    assert (first.choices[1].text, first.answers) == ("Alien", ())  # the gold is not read


async def test_the_exact_search_is_the_ceiling(films_kg: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = ["Michael Mann", "Jean Reno", "Ridley Scott", "Sigourney Weaver"]
    questions = [
        Question(str(i), text, choices=tuple(Choice(str(j), name) for j, name in enumerate(names)))
        for i, text in enumerate(["who directed Heat?", "who played in Alien?", "is Ronin like Diner?"])
    ]
    await measure(films_kg, questions, None, 1.0)
    heading, _, *rows = capsys.readouterr().out.splitlines()
    assert heading.endswith("connected within 3 hops")
    table = {tuple(row.split()[:2]): [float(cell) for cell in row.split()[2:]] for row in rows}
    assert set(table) == {(p, w) for p in ("random", "structural") for w in "128"} | {("exact", "-")}
    assert table["exact", "-"][:4] == [100.0, 100.0, 100.0, 1.0]
    assert all(cells[0] <= 100 and cells[2] <= 100 and cells[3] <= 1.0 for cells in table.values())
    assert table["random", "8"][0] >= table["random", "1"][0]
