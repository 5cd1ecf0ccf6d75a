"""The bundled sample on first use: made once, whatever asks for it at the same time; here with smaller files."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.app.cli.running import ROOT
from trivium.kg import sample
from trivium.kg.embedded import build
from trivium.kg.embedded.verify import verify
from trivium.kg.loaders import read_entities, read_triples
from trivium.kg.manifest import is_kg
from trivium.knowledge.knowledge import Knowledge
from trivium.knowledge.sample import add_paths, ensure_sample
from trivium.policies.paths.extraction import extract_paths
from trivium.policies.reader.chains.artifact import DECOMPOSER

TRIPLES = "heat\tdirected_by\tmann\nali\tdirected_by\tmann\nalien\tdirected_by\tscott\n"
PAIRS = "".join(
    f'{{"question": "who directed {film}?", "chain": ["directed_by"], "answers": ["{who}"]}}\n'
    for film, who in (("heat", "mann"), ("ali", "mann"), ("alien", "scott"))
)
MAKE = """
import sys
from pathlib import Path
from trivium.kg import sample
from trivium.kg.embedded import build
sample.TRIPLES, sample.ENTITIES, sample.TRAIN_QUESTIONS = map(Path, sys.argv[1:])
from trivium.policies.paths.extraction import extract_paths
from trivium.knowledge.sample import add_paths, ensure_sample
print(ensure_sample())
"""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, without_torch: None) -> list[Path]:
    """A small sample in place of the bundled one, and a cache of its own."""
    paths = [tmp_path / name for name in ("triples.tsv", "entities.tsv", "train.jsonl")]
    for path, text in zip(paths, (TRIPLES, "heat\tHeat\t\tfilm\n", PAIRS), strict=True):
        path.write_text(text)
    for name, path in zip(("TRIPLES", "ENTITIES", "TRAIN_QUESTIONS"), paths, strict=True):
        monkeypatch.setattr(sample, name, path)
    monkeypatch.setenv("TRIVIUM_CACHE", str(tmp_path / "cache"))
    return paths


@pytest.mark.slow
def test_it_is_made_once_finished_where_it_was_cut_short_and_anew_of_other_files(files: list[Path]) -> None:
    first = ensure_sample()
    assert is_kg(first)
    assert DECOMPOSER.exists(first / "keqing")
    assert verify(first) == []
    before = {path: path.stat().st_mtime_ns for path in first.rglob("*")}
    assert ensure_sample() == first
    assert {path: path.stat().st_mtime_ns for path in first.rglob("*")} == before
    shutil.rmtree(first / "keqing")  # with the versions that learning keeps there
    assert ensure_sample() == first
    assert DECOMPOSER.exists(first / "keqing")
    files[0].write_text(TRIPLES + "ronin\tdirected_by\tfrank\n")
    second = ensure_sample()
    assert first != second
    assert first.parent == second.parent
    assert is_kg(first)


@pytest.mark.slow
def test_two_processes_at_once_make_one(files: list[Path], tmp_path: Path) -> None:
    command = [sys.executable, "-c", MAKE, *map(str, files)]
    started = [subprocess.Popen(command, cwd=ROOT, text=True, stdout=-1, stderr=-1) for _ in range(2)]
    told = [process.communicate(timeout=600) for process in started]
    assert [process.returncode for process in started] == [0, 0], told
    folders = {Path(out.strip()) for out, _ in told}
    assert folders == {ensure_sample()}
    assert [path.name for path in (tmp_path / "cache").iterdir() if path.is_dir()] == [folders.pop().name]


async def test_the_path_policy_that_ships_fits_the_sample(tmp_path: Path) -> None:
    """It belongs to the very triples and embedder of the sample, and walks them; else run evals.sample_paths."""
    folder = tmp_path / "kg"
    build(folder, read_triples(sample.TRIPLES), read_entities(sample.ENTITIES))
    base = Knowledge.open(folder)
    try:
        add_paths(base, (await base.store.info()).hash)
        assert verify(folder) == []
        films = ["film/written_on_the_wind"], ["film/magnificent_obsession_1954", "film/all_that_heaven_allows"]
        found = await extract_paths(base, "which other films did its director make?", *films, beam_width=1)
        assert (found.policy, found.events) == ("learned", ())
        assert {path.target for path in found.paths} == set(films[1])
    finally:
        await base.close()
