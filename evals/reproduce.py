"""Run every measurement that needs no language model, resumably, and keep what each printed in docs/results.md.

`make reproduce`, or `trivium eval reproduce`. What a measurement printed is kept with the commit and its seconds;
what this commit has finished is not run again. docs/results.md holds a block for a measurement,

    <!-- measured: KEY -->
    ...
    <!-- end -->

which is replaced by the command and its output. `--check` only compares, and fails where a block differs from what was
measured.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from trivium.kg.errors import BadInputError, UsageError
from trivium.kg.files import write_atomic

RESULTS = Path("docs/results.md")
FOLDER = Path("build/reproduce")
_BLOCK = re.compile(r"<!-- measured: ([\w-]+) -->\n(.*?)<!-- end -->\n", re.DOTALL)


@dataclass(frozen=True)
class Entry:
    """A measurement: what stands behind `trivium eval`, and whether it needs the data sets of `TRIVIUM_DATA`."""

    arguments: str
    data: bool = True


RUNS = {
    "sample": Entry("sample", data=False),
    "own-graphs": Entry("own-graphs", data=False),
    "small-graphs": Entry("small-graphs --part all", data=False),
    "table8": Entry("knowgpt-table8", data=False),
    "operators": Entry("operators", data=False),
    "geoquery": Entry("reader --graphs geoquery --part unseen"),
    "graphs": Entry("reader --graphs fda got --part unseen"),
    "geoquery-de": Entry("reader --graphs geoquery-de --part unseen"),
    "templates": Entry("keqing-templates"),
    "chains": Entry("keqing-chains"),
    "supplement": Entry("keqing-supplement"),
    "choices": Entry("knowgpt-choices"),
    "pairs-webqsp": Entry("keqing-pairs webqsp"),
    "pairs-metaqa": Entry("keqing-pairs metaqa"),
    "oda": Entry("oda --count 150"),
}
"""Short ones first, so that an hour that is cut short has most of them."""


@dataclass(frozen=True)
class Measured:
    """What a run printed.

    Attributes:
        command: as a user types it.
        commit: of the code; "" outside a clone.
        seconds: how long it took.
        output: its standard output.
    """

    command: str
    commit: str
    seconds: float
    output: str

    def text(self) -> str:
        """As docs/results.md shows it; the time depends on the machine and is not part of it."""
        return f"`{self.command}`, at {self.commit or 'an unknown commit'}:\n\n```text\n{self.output.strip()}\n```\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run or check; returns 1 where a measurement failed or a block differs."""
    parser = argparse.ArgumentParser(prog="trivium eval reproduce", description=__doc__.split("\n\n")[0])
    parser.add_argument("names", nargs="*", help=f"which of {', '.join(RUNS)}; without a name all")
    parser.add_argument("--results", type=Path, default=RESULTS, metavar="F", help="the page with the blocks")
    parser.add_argument("--keep", type=Path, default=FOLDER, metavar="DIR", help="what was measured")
    parser.add_argument("--timeout", type=float, default=1_800, metavar="S", help="seconds for one measurement")
    parser.add_argument("--check", action="store_true", help="run nothing: compare the page with what was measured")
    options = parser.parse_args(arguments)
    if unknown := sorted(set(options.names) - RUNS.keys()):
        raise UsageError(f"no measurement {unknown[0]!r}; choose among {', '.join(RUNS)}")
    names = options.names or [name for name, run in RUNS.items() if not run.data or os.environ.get("TRIVIUM_DATA")]
    failed = [] if options.check else [name for name in names if not _measured(name, options.keep, options.timeout)]
    found = {name: kept for name in RUNS if (kept := read_kept(options.keep / f"{name}.json")) is not None}
    text = options.results.read_text(encoding="utf-8")
    now = with_blocks(text, found)
    if options.check:
        differ = [
            old[1] for old, new in zip(_BLOCK.finditer(text), _BLOCK.finditer(now), strict=True) if old[0] != new[0]
        ]
        _say(
            f"{options.results}: "
            + (f"differs in {', '.join(differ)}" if differ else f"{len(found)} blocks as measured")
        )
        return int(bool(differ))
    write_atomic(options.results, now.encode())
    return int(bool(failed))


def _measured(name: str, folder: Path, timeout: float) -> bool:
    """Run one measurement where this commit has not; whether it succeeded."""
    commit = _commit()
    kept = read_kept(folder / f"{name}.json")
    if kept is not None and kept.commit == commit:
        _say(f"{name}: kept, {kept.seconds:.0f} s")
        return True
    arguments, start = RUNS[name].arguments, time.monotonic()
    command = [sys.executable, "-m", "trivium.app.cli.main", "eval", *shlex.split(arguments)]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        _say(f"{name}: not done within {timeout:g} s")
        return False
    seconds = time.monotonic() - start
    folder.mkdir(parents=True, exist_ok=True)
    if ran.returncode:
        write_atomic(folder / f"{name}.err", ran.stderr.encode())
        last = (ran.stderr.strip().splitlines() or ["no message"])[-1]
        _say(f"{name}: failed: {last} (all of it in {folder / name}.err)")
        return False
    done = Measured(f"trivium eval {arguments}", commit, round(seconds, 1), ran.stdout)
    write_atomic(folder / f"{name}.json", json.dumps(asdict(done), indent=1).encode())
    _say(f"{name}: {seconds:.0f} s")
    return True


def read_kept(path: Path) -> Measured | None:
    """What a run left; None where it left nothing.

    Raises:
        BadInputError: the file is damaged.
    """
    if not path.exists():
        return None
    try:
        return Measured(**json.loads(path.read_bytes()))
    except (ValueError, TypeError) as error:
        raise BadInputError(f"is not a kept measurement ({error}); remove it", path=path) from error


def with_blocks(text: str, found: dict[str, Measured]) -> str:
    """The page with each block replaced by what was measured; one that was not stays as it is.

    Raises:
        BadInputError: the page has a block that no measurement fills.
    """

    def block(place: re.Match[str]) -> str:
        name = place[1]
        if name not in RUNS:
            raise BadInputError(f"the block {name!r} is no measurement's; choose among {', '.join(RUNS)}", path=RESULTS)
        return f"<!-- measured: {name} -->\n{found[name].text() if name in found else place[2]}<!-- end -->\n"

    return _BLOCK.sub(block, text)


def _commit() -> str:
    """The commit of the code, marked where files differ from it; the page that this writes is none of them."""
    named, changed = (
        ["git", "describe", "--always", "--exclude", "*"],
        ["git", "status", "--porcelain", "--", ".", f":!{RESULTS}"],
    )
    try:
        commit, differs = (
            subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
            for command in (named, changed)
        )
    except OSError:
        return ""
    return f"{commit}-dirty" if differs and commit else commit


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
