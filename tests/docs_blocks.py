"""Commands of a documentation page, run as a newcomer would: one shell a page, in an empty folder, block after block.

A fenced block ```bash is run; ```text and other languages are not. Comments before a block say what it needs:

    <!-- setup                what the page takes for granted, run and not shown
    trivium kg copy sample films
    -->
    <!-- setup: flights -->             a setup that several pages share, one of SETUPS
    <!-- not run: a chat model -->       the next block is not run; the reason is one of REASONS

A page that needs a Neo4j server holds `<!-- page needs: neo4j -->`, one that needs a package its name.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
REASONS = {
    "a chat model",
    "a Neo4j server",
    "a Ray cluster",
    "a GPU or a download",
    "installs packages",
    "stays in the foreground",
    "data of your own",
    "minutes of computing",
}

_PART = re.compile(
    r"<!-- (?:setup: (?P<named>\w+) |(?P<setup>setup)\n(?P<hidden>.*?)\n|not run: (?P<reason>[^>]*?) "
    r"|page needs: (?P<needs>\w+) )-->"
    r"|^```(?P<language>\w*)[^\n]*\n(?P<code>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_INDENTED = re.compile(r"(?:^|\n)\n((?: {4}[^\n]*\n?)+)")
_COMMAND = re.compile(r"^ {4}(?:\$ )?(?:\.venv/bin/)?(?:trivium|make|pip|pipx|uv|python|export) ", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """Commands of a page: the line where they stand, and why they are not run ("" where they are)."""

    line: int
    code: str
    reason: str = ""


@dataclass(frozen=True)
class Page:
    """A page's blocks, and what it needs as a whole ("" for nothing)."""

    blocks: tuple[Block, ...]
    needs: str

    @property
    def run(self) -> list[Block]:
        """Those that are run."""
        return [block for block in self.blocks if not block.reason]


def read_page(text: str) -> Page:
    """Read the blocks of a page."""
    blocks, reason, needs = [], "", ""
    for found in _PART.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        if found["named"]:
            blocks.append(Block(line, SETUPS[found["named"]]()))
        elif found["setup"]:
            blocks.append(Block(line, found["hidden"]))
        elif found["needs"]:
            needs = found["needs"]
        elif found["reason"]:
            reason = found["reason"]
        else:
            if found["language"] == "bash":
                blocks.append(Block(line, found["code"], reason))
            reason = ""
    return Page(tuple(blocks), needs)


def _flights() -> str:
    """The tables of the first tutorial, and their graph."""
    first = read_page((ROOT / "docs/tutorials/csv-to-chat.md").read_text(encoding="utf-8")).blocks[0]
    named = "printf '[kg.flights]\\npath = \"flights\"\\n' > trivium.toml"
    return f"{first.code}\ntrivium import airports.csv airlines.csv routes.csv --out flights\n{named}"


SETUPS = {"flights": _flights}


def unfenced_commands(text: str) -> list[str]:
    """Commands that stand in indented blocks, where nothing runs them."""
    outside = re.sub(r"^```.*?^```$|<!--.*?-->", "", text, flags=re.MULTILINE | re.DOTALL)
    return [match.strip() for block in _INDENTED.findall(outside) for match in _COMMAND.findall(block)]


def run_page(page: Page, folder: Path, environment: dict[str, str] | None = None, timeout: float = 900) -> str:
    """Run a page's blocks in `folder`; returns what they printed.

    Raises:
        AssertionError: a command failed; names the block's line and shows its last output.
    """
    tools = folder / ".bin"
    tools.mkdir(parents=True)
    for name, module in (("trivium", "-m trivium.app.cli.main"), ("python", "")):
        shim = tools / name
        shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" {module} "$@"\n')
        shim.chmod(0o755)
    script = ["set -euo pipefail", "trap 'kill $(jobs -p) 2>/dev/null || true' EXIT"]
    for block in page.run:
        script += [f"echo '::line {block.line}'", block.code]
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("LANGSMITH", "OPENAI"))}
    path = f"{tools}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    ran = subprocess.run(
        ["bash", "-c", "\n".join(script)],
        cwd=folder,
        env={**inherited, "PATH": path, "PYTHONPATH": str(ROOT), "COLUMNS": "100", **(environment or {})},
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=timeout,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout[ran.stdout.rfind("::line ") :][-3_000:]
    return ran.stdout
