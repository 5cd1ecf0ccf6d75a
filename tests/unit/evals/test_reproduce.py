"""`trivium eval reproduce`: blocks of a page hold what was measured, a check finds those that do not, a run resumes."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from trivium.evals import reproduce
from trivium.evals.registry import MEASUREMENTS
from trivium.evals.reproduce import RUNS, Entry, Measured, main, with_blocks
from trivium.kg.errors import BadInputError, UsageError

ROOT = Path(__file__).resolve().parents[3]
PAGE = (
    "# Results\n\n<!-- measured: sample -->\nold\n<!-- end -->\n\ntext\n\n<!-- measured: oda -->\nkept\n<!-- end -->\n"
)


def test_every_run_is_a_measurement_and_every_block_of_the_page_a_run() -> None:
    assert {run.arguments.split()[0] for run in RUNS.values()} <= MEASUREMENTS.keys()
    page = (ROOT / "docs/results.md").read_text(encoding="utf-8")
    assert with_blocks(page, {}) == page
    assert sorted(re.findall(r"<!-- measured: ([\w-]+) -->", page)) == sorted(RUNS), "each has its place on the page"
    blocks = re.findall(r"<!-- measured: ([\w-]+) -->\n`trivium eval ([^`]+)`", page)
    assert all(RUNS[name].arguments == arguments for name, arguments in blocks)


def test_the_readme_states_no_figure_that_results_do_not() -> None:
    page = (ROOT / "docs/results.md").read_text(encoding="utf-8")
    figures = re.findall(r"\d+(?:\.\d+)? ?%", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert [figure for figure in figures if figure not in page] == []


def test_blocks_are_replaced_alone() -> None:
    text = with_blocks(PAGE, {"sample": Measured("trivium eval sample", "abc", 1.0, "Hits@1 94\n")})
    assert "old" not in text
    assert "`trivium eval sample`, at abc:\n\n```text\nHits@1 94\n```\n<!-- end -->\n\ntext" in text
    assert "kept" in text
    with pytest.raises(BadInputError, match="'nothing' is no measurement's"):
        with_blocks("<!-- measured: nothing -->\n<!-- end -->\n", {})


def test_a_run_is_kept_resumed_and_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page, kept = tmp_path / "results.md", tmp_path / "kept"
    page.write_text(PAGE)
    monkeypatch.setattr(reproduce, "RUNS", {"sample": Entry("paper --help", data=False), "oda": Entry("oda")})
    options = ["sample", "--results", str(page), "--keep", str(kept)]
    assert main(options) == 0
    assert "The tables and figures" in page.read_text()
    capsys.readouterr()
    assert main(options) == 0
    assert "sample: kept" in capsys.readouterr().out
    assert main([*options, "--check"]) == 0
    page.write_text(page.read_text().replace("The tables and", "By hand:"))
    assert main([*options, "--check"]) == 1
    assert "differs in sample" in capsys.readouterr().out
    with pytest.raises(UsageError, match="no measurement 'x'"):
        main(["x"])


def test_a_measurement_that_fails_leaves_its_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "results.md"
    page.write_text(PAGE)
    monkeypatch.setattr(reproduce, "RUNS", {"sample": Entry("nosuch", data=False), "oda": Entry("oda")})
    assert main(["sample", "--results", str(page), "--keep", str(tmp_path)]) == 1
    assert page.read_text() == PAGE
    assert "sample: failed: trivium: UsageError" in capsys.readouterr().out
    assert "nosuch" in (tmp_path / "sample.err").read_text()


def test_the_page_that_it_writes_is_no_change_of_the_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    for words in (["init", "-q"], ["commit", "-qm", "first", "--allow-empty"]):
        subprocess.run([*git, *words], check=True)
    commit = reproduce._commit()
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/results.md").write_text("measured")
    assert reproduce._commit() == commit
    (tmp_path / "code.py").write_text("changed")
    assert reproduce._commit() == f"{commit}-dirty"
