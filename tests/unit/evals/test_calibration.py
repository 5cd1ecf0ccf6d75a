"""The figures of `trivium eval calibration`, and a KG that asks itself."""

from __future__ import annotations

import math

import pytest

from trivium.evals.calibration import Claimed, calibration, main


def _claimed(confidence: float, right: bool, answerable: bool = True, found: bool = True) -> Claimed:
    return Claimed(confidence, right, answerable, found, "")


def test_figures() -> None:
    asked = [_claimed(0.9, True), _claimed(0.9, False), _claimed(0.3, False, False), _claimed(0.0, False, False, False)]
    found = calibration(asked)
    assert found.ece == pytest.approx((2 * 0.4 + 0.3) / 3)  # what was not found is in no bin
    assert found.auroc == pytest.approx((0.5 + 1 + 1) / 3)
    at_half = next(row for row in found.curve if row[0] == 0.5)
    assert at_half == (0.5, 0.5, 0.5, 0.5, 0.0)
    assert math.isnan(calibration([_claimed(0.5, True)]).auroc)


def test_a_kg_asks_itself(kg_name: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["--kg", kg_name, "--count", "16"])
    out = capsys.readouterr().out
    lines = out.splitlines()
    assert lines[0].split(":")[0] == "16 questions, 8 of them answerable"
    rows = [line.split() for line in lines if line.strip().startswith(("relation", "unanswerable"))]
    claimed = {row[0]: float(row[-1]) for row in rows}
    assert claimed["relation"] > claimed["unanswerable"]
