"""The notebook tutorial runs from its first cell to its last, and shows what its words say."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.docs_blocks import ROOT


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # jupyter's own, of its event loop
def test_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbformat = pytest.importorskip("nbformat")
    client = pytest.importorskip("nbclient")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    notebook = nbformat.read(ROOT / "docs/tutorials/notebook.ipynb", as_version=4)
    client.NotebookClient(notebook, timeout=900, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = ["".join(out.get("text", "") or out.get("data", {}).get("text/plain", "") for out in cell.outputs)
             for cell in notebook.cells if cell.cell_type == "code"]  # fmt: skip
    assert "All That Heaven Allows" in shown[1]
    assert "directed_by" in shown[2]
    assert shown[3].startswith("([], '")
    assert shown[5] == "['Ann', 'Bob']"
    assert "Lyon" in shown[6]
    assert all(not cell.get("outputs") for cell in nbformat.read(ROOT / "docs/tutorials/notebook.ipynb", 4).cells)
