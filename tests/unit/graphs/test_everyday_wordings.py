"""Questions as people type them over a graph without types, from its schema alone, and what they must not get."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.untyped import asker

STARS = """
Ann Berg|award nominee|Bob Carr; Bob Carr|award nominee|Ann Berg; Bob Carr|award nominee|Cleo Diaz
Ann Berg|profession|Novelist; Bob Carr|profession|Sculptor; Cleo Diaz|profession|Drummer; Cleo Diaz|profession|Poet
Ann Berg|birthplace|Olvik; Bob Carr|birthplace|Tarn; Cleo Diaz|birthplace|Tarn
Ann Berg|influenced by|Cleo Diaz; Bob Carr|influenced by|Ann Berg
Olvik|time zone|Northern Time; Tarn|time zone|Southern Time; Olvik|campus|Olvik; Tarn|campus|Tarn
Gorm|official language|Gormish Language; Gorm|capital|Tarn; Norland|official language|Norse Language
Norland|official language|Gormish Language; Norland|capital|Olvik
Gormish Language|spoken in|Gorm; Norse Language|spoken in|Norland; Gormish Language|spoken in|Norland
Kvik Works|headquarters citytown|Tarn; Kvik Works|headquarters region|Gorm; Sol Foods|headquarters citytown|Olvik
Sol Foods|headquarters region|Norland; Drum League of Gorm|team|Reds; Drum League of Gorm|team|Blues
From|written by|Ann Berg
"""


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], dict[str, Any]]:
    return asker(tmp_path_factory.mktemp("kg") / "stars", STARS, "keqing")


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("who is ann berg?", "Novelist"),
        ("who was bob carr and what did he do?", "Sculptor"),
        ("what does cleo diaz do?", "Drummer, Poet"),
        ("what is ann berg best known for?", "Novelist"),
        ("what is ann berg's most known for?", "Novelist"),
        ("where is kvik works?", "Tarn"),
        ("where is ann berg from?", "Olvik"),
        ("where did cleo diaz come from?", "Tarn"),
        ("what influenced bob carr's art?", "Ann Berg"),
        ("what are the 3 official languages of gorm?", "Gormish Language"),
        ("where is the capital of gorm on the map?", "Tarn"),
        ("what teams are in the dlg?", "Blues, Reds"),
    ],
)
def test_read(ask: Callable[[str], dict[str, Any]], question: str, answers: str) -> None:
    found = ask(question)
    assert (sorted(each["label"] for each in found["answers"]), found["stop_reason"]) == (
        answers.split(", "),
        "answered",
    )


@pytest.mark.parametrize(
    "question",
    [
        "who is kvik works?",  # has no profession, and whoever it is linked to is not it
        "what does olvik do?",
        "where is olvik?",  # not "Olvik"
        "who is the best known of ann berg?",
        "who painted bob carr's art?",
        "what are ann berg's most read?",
        "where did the capital of gorm move to?",
        "what are the 3 tallest languages of gorm?",
    ],
)
def test_claims_nothing(ask: Callable[[str], dict[str, Any]], question: str) -> None:
    found = ask(question)
    assert found["stop_reason"] != "answered", found["answers"]
