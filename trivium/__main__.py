"""`python -m trivium`: the command line."""

from __future__ import annotations

from runpy import run_module

run_module("trivium.app.cli.main", run_name="__main__", alter_sys=True)
