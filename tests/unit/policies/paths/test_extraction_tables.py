"""Tables of a KG on disk: read again where they fit, made again where damaged, carried over after a write."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from trivium.kg.embedded import add_triples
from trivium.kg.types import Triple
from trivium.knowledge.knowledge import Knowledge
from trivium.policies.paths.extraction import STRUCTURE, TABLES_FOLDER, TEXT, PathTables
from trivium.policies.paths.features import Structure


def _silent(*_: object) -> None:
    return None


async def _tables(base: Knowledge, *, anew: bool = False) -> PathTables:
    snapshot = base.snapshot()
    assert snapshot is not None
    return PathTables(base, snapshot, (await base.store.info()).hash, _silent, anew=anew)


@pytest.fixture
def folder(films_kg: Path, tmp_path: Path) -> Path:
    copy = Path(shutil.copytree(films_kg, tmp_path / "kg"))
    shutil.rmtree(copy / TABLES_FOLDER, ignore_errors=True)
    return copy


@pytest.mark.parametrize("kind", [TEXT, STRUCTURE])
@pytest.mark.parametrize("lost", ["arrays", "bytes"])
async def test_what_does_not_fit_is_made_again(folder: Path, kind: object, lost: str) -> None:
    """Another build wrote other arrays under the same version, or a file was cut short."""
    assert kind in (TEXT, STRUCTURE)
    kind = TEXT if kind is TEXT else STRUCTURE
    base = Knowledge.open(folder)
    first = await _tables(base)
    wanted = first.structure(_silent), first.features
    kept = kind.load(folder / TABLES_FOLDER)
    if lost == "bytes":
        (path,) = (folder / TABLES_FOLDER).glob(f"{kind.stem}-*.safetensors")
        path.write_bytes(path.read_bytes()[:-7])
    else:
        few = dict(sorted(kept.arrays.items())[:2])
        kind.save(folder / TABLES_FOLDER, {}, few, made_from=kept.made_from)
    again = await _tables(base)
    made = again.structure(_silent), again.features
    assert np.array_equal(made[0].walks, wanted[0].walks)
    assert np.array_equal(made[0].near, wanted[0].near)
    assert np.array_equal(made[1].text, wanted[1].text)
    assert set(kind.load(folder / TABLES_FOLDER).arrays) == set(kept.arrays)  # and the file is as it should be
    base.store.close_now()


async def test_what_fits_is_read(folder: Path) -> None:
    base = Knowledge.open(folder)
    walks = (await _tables(base)).structure(_silent).walks
    kept = STRUCTURE.load(folder / TABLES_FOLDER)
    turned = {**kept.arrays, "walks": np.asarray(kept.arrays["walks"])[::-1]}
    STRUCTURE.save(folder / TABLES_FOLDER, {}, turned, made_from=kept.made_from)
    assert np.array_equal((await _tables(base)).structure(_silent).walks, walks[::-1])
    STRUCTURE.save(folder / TABLES_FOLDER, {}, turned, made_from={**kept.made_from, "embedder": "another"})
    assert np.array_equal((await _tables(base)).structure(_silent).walks, walks)
    base.store.close_now()


async def test_after_a_write_known_entities_keep_their_features_and_new_ones_get_theirs(folder: Path) -> None:
    base = Knowledge.open(folder)
    before = await _tables(base)
    old: Structure = before.structure(_silent)
    rows = before.snapshot.rows(["heat", "deniro", "alien"])
    base.store.close_now()
    add_triples(folder, [Triple("aardvark", "starring", "deniro"), Triple("aardvark", "shot_by", "spinotti")])
    base = Knowledge.open(folder)
    now = await _tables(base)
    moved = now.snapshot.rows(["heat", "deniro", "alien", "aardvark"])
    assert (moved[:3] != rows).any()  # entities are numbered anew
    assert (now.made_for, now.mixed) == (before.kg_hash, False)
    assert now.made_for != now.kg_hash
    structure = now.structure(_silent)
    assert np.array_equal(structure.walks[moved[:3]], old.walks[rows])
    assert np.array_equal(structure.aim[moved[:3]], old.aim[rows])
    assert np.array_equal(now.features.text[moved[[0, 2]]], before.features.text[rows[[0, 2]]])  # nothing new there
    assert len(structure.near) == int((now.graph.degrees > 1).sum())
    # The new film is near the actor it stars, and nearer to his other films than to another's.
    cosines = structure.walks[moved] @ structure.walks[moved[3]]
    assert cosines[1] > 0.5
    assert cosines[0] > cosines[2]
    assert np.linalg.norm(now.features.text[moved[3]]) == pytest.approx(1, abs=1e-3)
    assert len(now.features.relation) == now.snapshot.relations
    fresh = await _tables(base, anew=True)
    assert fresh.made_for == fresh.kg_hash
    base.store.close_now()
