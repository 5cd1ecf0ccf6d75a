"""The sample's score, here on the films: kinds and the table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.films import walk
from trivium.evals.sample import ask_all, kind_of, table
from trivium.kg.loaders.questions import parse_question

LINES: list[dict[str, Any]] = [
    {"question": "who directed Heat?", "chain": ["directed_by"], "answers": ["mann"]},
    {"question": "who directed Ronin?", "chain": ["directed_by"], "answers": ["mann"]},
    {
        "question": "which films star both Robert De Niro and Jean Reno?",
        "branches": [{"topic": "deniro", "chain": ["^starring"]}, {"topic": "reno", "chain": ["^starring"]}],
        "answers": ["ronin"],
    },
    {
        "question": "which other films did the director of Gladiator direct?",
        "chain": ["directed_by", "^directed_by"],
        "exclude_topic": True,
        "answers": sorted(walk(["gladiator"], ["directed_by", "^directed_by"], ["gladiator"])),
    },
]


def test_kinds() -> None:
    kinds = [kind_of(parse_question(line, "1")) for line in LINES]
    assert kinds == ["1-hop", "1-hop", "intersection", "2-hop, others"]
    assert kind_of(parse_question({"question": "who?"}, "1")) == "0-hop"


async def test_the_table(films_kg: Path) -> None:
    rows = table(await ask_all([parse_question(line, "1") for line in LINES], str(films_kg))).splitlines()
    assert rows[1].split() == ["1-hop", "2", "50.0", "50.0", "50.0"]
    assert rows[4].split() == ["all", "4", "75.0", "75.0", "75.0"]


def test_no_question_at_all() -> None:
    lines = table([]).splitlines()
    assert len(lines) == 2
    assert lines[1].split() == ["all", "0", "0.0", "0.0", "0.0"]
