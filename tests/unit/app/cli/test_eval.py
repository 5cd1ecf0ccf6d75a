"""`trivium eval` lists what can be measured, hands options on, and says what is unknown."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from tests.unit.app.cli.running import Trivium, refused
from trivium.evals.registry import MEASUREMENTS


def test_all_measurements_are_listed_and_can_be_run(trivium: Trivium) -> None:
    said = trivium("eval")
    assert said.code == 0
    listed = dict(line.split("\t") for line in said.out.splitlines())
    assert listed == {name: item.summary for name, item in MEASUREMENTS.items()}
    for item in MEASUREMENTS.values():
        assert callable(import_module(item.module).main)


def test_options_after_the_name_are_the_measurements_own(trivium: Trivium, tmp_path: Path) -> None:
    said = trivium("eval", "own", "--help")
    assert said.code == 0
    assert "--compare" in said.out
    refused(trivium("eval", "own", tmp_path / "none.jsonl"), "BadInputError", "none.jsonl")


def test_what_cannot_be_measured_is_refused(trivium: Trivium, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    refused(trivium("eval", "speling"), "UsageError", "'speling'", "keqing-templates", code=2)
    assert trivium("eval", "keqing-templates", "--k").code == 2
    monkeypatch.setenv("TRIVIUM_DATA", str(tmp_path))
    refused(trivium("eval", "keqing-templates"), "BadInputError", "fb15k237")
