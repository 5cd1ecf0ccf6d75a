"""Every version that is pinned runs on the oldest Python that the README names: Debian's 3.11.2 installs them, too."""

from __future__ import annotations

import re
from importlib.metadata import distributions
from pathlib import Path

from packaging.specifiers import SpecifierSet

OLDEST = "3.11.0"


def test_pins_run_on_the_oldest_python() -> None:
    lines = (Path(__file__).parents[2] / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = {re.sub(r"[-_.]+", "-", line.partition("==")[0]).lower() for line in lines if "==" in line}
    wanted = {
        re.sub(r"[-_.]+", "-", each.name).lower(): each.metadata["Requires-Python"] or "" for each in distributions()
    }
    assert len(pinned & wanted.keys()) > 50
    newer = {name: wanted[name] for name in pinned & wanted.keys() if OLDEST not in SpecifierSet(wanted[name])}
    assert newer == {}
