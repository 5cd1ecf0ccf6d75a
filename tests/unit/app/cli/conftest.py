"""A command line, a small KG made by it, and a file that takes a moment to build."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.unit.app.cli.running import ENTITIES, TRIPLES, Trivium
from trivium.app.cli.main import run


@pytest.fixture
def trivium(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Trivium:
    monkeypatch.setattr("trivium.app.cli.progress._PAUSE", float("inf"))  # on a busy machine stderr is as on a fast one
    return Trivium(capsys)


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a KG and the two files that the command line built it from."""
    folder = tmp_path_factory.mktemp("built")
    (folder / "triples.tsv").write_text(TRIPLES)
    (folder / "entities.tsv").write_text(ENTITIES)
    words = ["kg", "build", "--out", folder / "kg", folder / "triples.tsv", "--entities", folder / "entities.tsv"]
    assert run(list(map(str, words))) == 0
    return folder


@pytest.fixture
def kg(built: Path, tmp_path: Path) -> Path:
    """A copy of that KG, with the files beside it."""
    shutil.copytree(built, tmp_path, dirs_exist_ok=True)
    return tmp_path / "kg"


@pytest.fixture
def many(tmp_path: Path) -> Path:
    path = tmp_path / "many.tsv"
    path.write_text("".join(f"entity {i % 27_001}\trelation {i % 7}\tentity {i}\n" for i in range(30_000)))
    return path
