"""The documentation: every link leads to a file, every command that a page shows exists, every file named is there."""

from __future__ import annotations

import re
from collections import Counter
from importlib import import_module
from pathlib import Path

import pytest
import typer
from typer.main import get_command

from trivium.app.cli.main import COMMANDS
from trivium.graphs.methods import METHODS

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"\]\(([^)\s#]+)[^)\s]*\)")
COMMAND = re.compile(r"(?:^|[`/ (])trivium ([a-z][a-z-]*)\b", re.MULTILINE)
FOLDERS = "app|docs|evals|graphs|kg|knowledge|nodes|policies|tests|tools|trivium"
PATH = re.compile(rf"`((?:{FOLDERS})/[\w./-]*)`")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_and_paths_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    links = [link for link in LINK.findall(text) if not link.startswith(("http:", "https:", "mailto:"))]
    assert [link for link in links if not (page.parent / link).exists()] == []
    assert [path for path in PATH.findall(text) if not (ROOT / path).exists()] == []


def test_commands_exist() -> None:
    """Indented and quoted command lines of every page; prose uses "trivium" as a name, so only listed verbs count."""
    shown: dict[str, set[str]] = {}
    for page in PAGES:
        for line in page.read_text(encoding="utf-8").splitlines():
            if line.startswith("    ") or "`" in line:
                for found in COMMAND.findall(line):
                    shown.setdefault(found, set()).add(page.name)
    assert {name: pages for name, pages in shown.items() if name not in COMMANDS} == {}
    assert {"ask", "kg", "learn", "serve"} <= set(shown)


def test_every_command_stands_in_the_reference() -> None:
    app = typer.Typer()
    for module, _ in COMMANDS.values():
        import_module(module).register(app)
    text = (ROOT / "docs/reference/commands.md").read_text(encoding="utf-8").replace("\\|", " ")
    shown = {(span.split()[0], word) for span in re.findall(r"`trivium ([^`]*)`", text) for word in span.split()}
    shown |= {("kg", word) for span in re.findall(r"`kg ([^`]*)`", text) for word in span.split()}
    for name, command in vars(get_command(app))["commands"].items():
        assert (name, name) in shown, name
        for inner in vars(command).get("commands", ()):
            assert (name, inner) in shown, f"{name} {inner}"


def test_the_audit_counts_its_rows_and_names_deviations_and_settings_that_exist() -> None:
    text = (ROOT / "docs/reference/fidelity.md").read_text(encoding="utf-8")
    summary, *sections = re.split(r"^## ", text, flags=re.MULTILINE)
    head, *counted = [line.strip("| \n").split(" | ") for line in summary.splitlines() if line.startswith("| ")]
    pages = re.split(r"^## ", (ROOT / "docs/deviations.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    total, settings = Counter[str](), set[str]()
    for section, line in zip(sections, counted, strict=False):
        name = section.partition("\n")[0]
        rows = [row.strip("| ").split(" | ") for row in re.findall(r"^\| [KGOE]\d+ .*$", section, re.MULTILINE)]
        states = Counter(row[2] for row in rows)
        assert line == [name, *(str(states[kind]) for kind in head[1:-1]), str(len(rows))]
        total += states
        page = "".join(page for page in pages if page.startswith(name))
        numbers = set(re.findall(r"^(?:- \*\*)?(\d+|[PB]\d+)\. ", page, re.MULTILINE))
        for _, _, state, how in rows:
            cited = set(re.findall(r"\b[PB]\d+\b", how))
            cited |= {number for found in re.findall(r"deviations? (\d+)(?: and (\d+))?", how) for number in found}
            cited |= set(re.findall(r"^\d+", how)) if state == "deviation" else set()
            cited.discard("")
            assert cited <= numbers, how
            assert cited or state != "deviation", how
            settings |= set(re.findall(r"`([a-z_]+)=", how))
    assert counted[-1][1:] == [*(str(total[kind]) for kind in head[1:-1]), str(total.total())]
    known = {name for method in METHODS.values() for name in method.setting_names()}
    assert settings - known == set()
