"""A command line, a small KG made by it, and a file that takes a moment to build."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.app.cli.running import ENTITIES, TRIPLES, Trivium


@pytest.fixture
def trivium(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Trivium:
    monkeypatch.setattr("trivium.app.cli.progress._PAUSE", float("inf"))  # on a busy machine stderr is as on a fast one
    return Trivium(capsys)


@pytest.fixture
def kg(tmp_path: Path, trivium: Trivium) -> Path:
    (tmp_path / "triples.tsv").write_text(TRIPLES)
    (tmp_path / "entities.tsv").write_text(ENTITIES)
    folder = tmp_path / "kg"
    said = trivium("kg", "build", "--out", folder, tmp_path / "triples.tsv", "--entities", tmp_path / "entities.tsv")
    assert said.code == 0, said.err
    return folder


@pytest.fixture
def many(tmp_path: Path) -> Path:
    path = tmp_path / "many.tsv"
    path.write_text("".join(f"entity {i % 90_001}\trelation {i % 7}\tentity {i}\n" for i in range(150_000)))
    return path
