"""Multiple-choice sets: the interval, ties, and the measurement on a small set."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trivium.evals.choices import (
    ChoiceSet,
    kg_folder,
    line,
    main,
    measure,
    read_choices,
    right_share,
)
from trivium.kg.errors import UsageError
from trivium.kg.loaders import Choice, Question
from trivium.knowledge.knowledge import close_all

LABELLED = {
    "id": "1",
    "question": {"stem": "where is ice?", "choices": [{"label": "A", "text": "north"}, {"label": "B", "text": "oven"}]},
    "answerKey": "A",
}


def test_a_tie_counts_in_part() -> None:
    assert right_share({"A": 1.0, "B": 0.5}, ["A"]) == 1.0
    assert right_share({"A": 0.0, "B": 0.0, "C": 0.0, "D": 0.0}, ["A"]) == 0.25


async def test_the_measurement_on_a_small_set(tmp_path: Path) -> None:
    (tmp_path / "kg").mkdir()
    (tmp_path / "kg" / "t.tsv").write_text("ice\tAtLocation\tnorth\noven\tUsedFor\tbaking\n")
    (tmp_path / "q.jsonl").write_text(json.dumps(LABELLED))
    given = ChoiceSet("q.jsonl", "csqa", "kg/t.tsv")
    try:
        found = await measure(read_choices(tmp_path, given), str(await kg_folder(tmp_path, given)), {})
    finally:
        await close_all()
    assert (found["chance"], found["support"], found["both"], found["with a path"]) == (0.5, 1.0, 1.0, 1.0)
    assert found["by the model"] == 0
    assert "50.0" in line("small", 1, found)


def test_without_data_it_says_what_to_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TRIVIUM_DATA", str(tmp_path / "nothing"))
    with pytest.raises(UsageError, match="--data"):
        main([])


async def test_a_question_that_is_stopped_has_no_answer_and_is_told(
    kg_name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = [
        Question("q1", "who directed Heat?", choices=(Choice("A", "Michael Mann"), Choice("B", "x")), answers=("A",))
    ]
    found = await measure(asked, kg_name, {"seconds": 1e-6})
    assert (found["both"], found["chance"]) == (0, 0.5)
    assert "q1: time_limit: " in capsys.readouterr().err
    assert (await measure(asked, kg_name, {}))["both"] == 1
