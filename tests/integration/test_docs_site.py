"""The documentation builds as a site without a warning, and holds what is made from the code."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs_blocks import ROOT
from trivium.app.cli.main import COMMANDS


@pytest.mark.slow
def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout + ran.stderr) == (0, "")
    commands = (tmp_path / "reference/cli/index.html").read_text(encoding="utf-8")
    assert [name for name in COMMANDS if f">trivium {name}" not in commands] == []
    assert "--max-statements" in commands
    assert "trivium.kg.errors" in (tmp_path / "reference/api/index.html").read_text(encoding="utf-8")
