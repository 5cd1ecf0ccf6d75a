"""Kills of workers go on where they were left."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trivium.evals.kill_workers import kept_rounds, main


def test_rounds_that_were_kept_are_counted_and_a_line_that_was_cut_off_is_not(tmp_path: Path) -> None:
    out = tmp_path / "rounds.jsonl"
    assert kept_rounds(out).total() == 0
    lines = [json.dumps({"round": number, "outcome": "resumed"}) for number in range(3)]
    out.write_text("\n".join([*lines, '{"round": 3, "outc']))
    assert kept_rounds(out) == {"resumed": 3}
    assert out.read_text() == "".join(f"{line}\n" for line in lines)


@pytest.mark.parametrize(("last", "status"), [("lost and said so", 0), ("answered twice", 1)])
def test_no_worker_is_started_where_all_rounds_are_there(
    last: str, status: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "rounds.jsonl"
    out.write_text("".join(json.dumps({"outcome": each}) + "\n" for each in ("resumed", last)))
    assert main(["--kills", "2", "--out", str(out), "--", "no-such-command"]) == status
    assert json.loads(capsys.readouterr().out) == {"kills": 2, "resumed": 1, last: 1}
