"""The questions that were learned from are kept whole, and the same ones are the same bytes."""

from __future__ import annotations

from pathlib import Path

from trivium.kg.examples import keep_examples, read_examples
from trivium.kg.loaders.questions import Branch, Choice, Question
from trivium.kg.types import parse_chain

QUESTIONS = [
    Question("1", "who directed Heat?", ("heat",), (), ("mann",), parse_chain(["directed_by"]), labeled=True),
    Question("b", "Ünï?", (), (Choice("a", "x"), Choice("b", "y")), ("a",), labeled=True),
    Question("3", "both?", branches=(Branch("x", parse_chain(["^r"])), Branch("y", parse_chain(["r", "s"])))),
    Question("4", "empty chain?", chain=()),
]


def test_they_are_read_as_they_were_kept(tmp_path: Path) -> None:
    assert read_examples(tmp_path, "keqing") is None
    first = keep_examples(tmp_path, "keqing", QUESTIONS)
    assert read_examples(tmp_path, "keqing") == QUESTIONS
    assert sorted(keep_examples(tmp_path, "keqing", QUESTIONS)) == sorted(first)
    assert read_examples(tmp_path, "knowgpt") is None


def test_others_take_their_place_and_none_removes_them(tmp_path: Path) -> None:
    keep_examples(tmp_path, "keqing", QUESTIONS)
    keep_examples(tmp_path, "keqing", QUESTIONS[:1])
    assert read_examples(tmp_path, "keqing") == QUESTIONS[:1]
    assert len(list((tmp_path / "examples").iterdir())) == 2
    assert len(keep_examples(tmp_path, "keqing", None)) == 2
    assert list((tmp_path / "examples").iterdir()) == []
