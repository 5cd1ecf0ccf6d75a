"""The sample's score, here on the films: kinds, the table and the misses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.films import walk
from trivium.evals.sample import kind_of, main, table
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


def test_the_table_and_the_misses(films_kg: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = tmp_path / "asked.jsonl"
    asked.write_text("".join(json.dumps(line) + "\n" for line in LINES))
    main(["--questions", str(asked), "--kg", str(films_kg), "--misses"])
    rows = capsys.readouterr().out.splitlines()
    assert rows[1].split() == ["1-hop", "2", "50.0", "50.0", "50.0"]
    assert rows[4].split() == ["all", "4", "75.0", "75.0", "75.0"]
    assert rows[5:] == ["2: who directed Ronin?", rows[6], "    said  frank", "    gold  mann"]
    assert "<- Ronin" in rows[6]


def test_no_question_at_all() -> None:
    lines = table([]).splitlines()
    assert len(lines) == 2
    assert lines[1].split() == ["all", "0", "0.0", "0.0", "0.0"]
