"""The questions that compute: as many as they should be, well formed, scored by kind of value."""

from __future__ import annotations

from collections import Counter
from typing import Any

from trivium.evals.operators import JudgedAnswer, ask_all, is_right, miss, read_lines, table


def test_there_are_150_questions_with_an_answer_or_a_value() -> None:
    lines = read_lines()
    assert Counter(line["kg"] for line in lines) == {"sample": 100, "metaqa": 50}
    assert len({line["question"] for line in lines}) == 150
    assert all(("value" in line) != ("answers" in line) for line in lines)
    assert all(line.get("answers", ["-"]) for line in lines)


def test_right_is_the_very_value_or_the_whole_set() -> None:
    said: Any = {"value": 1, "answers": [{"id": "a"}, {"id": "b"}], "steps": [{"sub_questions": []}]}
    assert is_right({"value": 1}, said)
    assert not is_right({"value": True}, said)
    assert is_right({"answers": ["b", "a"]}, said)
    assert not is_right({"answers": ["a"]}, said)
    outcome = JudgedAnswer(
        {"id": "1", "kg": "k", "kind": "count", "question": "how many?", "value": 2}, said, right=False
    )
    assert table([outcome]).splitlines()[-1].split() == ["k", "all", "1", "0", "0.0"]
    assert "no plan" in miss(outcome)


async def test_questions_of_a_kg_that_is_not_here_are_left_out(kg_name: str) -> None:
    lines = [
        {"id": "1", "kg": "films", "kind": "count", "question": "how many films did Ridley Scott direct?", "value": 3},
        {"id": "2", "kg": "metaqa", "kind": "count", "question": "how many?", "value": 3},
    ]
    (outcome,) = await ask_all(lines, {"films": kg_name})
    assert outcome.right
