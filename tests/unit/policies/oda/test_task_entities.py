"""Kinds of questions by their words."""

from __future__ import annotations

import pytest

from trivium.policies.oda.task_entities import QuestionKind, question_kind


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Is Shinjuku the capital of Tokyo?", "fact"),
        ("did Douglas Sirk direct Lured", "fact"),
        ("Many countries have outlawed oxygen therapy.", "fact"),
        ("How many novels did Jack London write?", "count"),
        ("In how many films did he star?", "count"),
        ("What is the number of films by Douglas Sirk?", "count"),
        ("Who directed Heat?", "open"),
        ("Name the novels by Jack London.", "open"),
        ("how is she related to him", "open"),
        ("Heat: directed by", "open"),
        ("...", "open"),
        ("", "open"),
    ],
)
def test_kinds(question: str, kind: QuestionKind) -> None:
    assert question_kind(question) == kind
    assert question_kind(question.upper()) == kind
