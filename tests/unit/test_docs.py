"""The documentation: every link leads to a file, every command that a page shows exists, every file named is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from trivium.app.cli.main import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"\]\(([^)\s#]+)[^)\s]*\)")
COMMAND = re.compile(r"(?:^|[`/ (])trivium ([a-z]+)\b", re.MULTILINE)
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
