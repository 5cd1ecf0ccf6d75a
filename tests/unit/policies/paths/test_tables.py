"""Tables of a KG on disk: read again where they fit, made again where they are damaged or of an older build."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from trivium.knowledge.knowledge import Knowledge
from trivium.policies.paths.tables import FOLDER, PathTables, pack, unpack


def _silent(*_: object) -> None:
    return None


async def _tables(base: Knowledge) -> PathTables:
    snapshot = base.snapshot()
    assert snapshot is not None
    return PathTables(base, snapshot, (await base.store.info()).hash, _silent)


@pytest.mark.parametrize("name", ["structure.safetensors", "text.safetensors"])
@pytest.mark.parametrize("lost", ["arrays", "bytes"])
async def test_what_does_not_fit_is_made_again(films_kg: Path, tmp_path: Path, name: str, lost: str) -> None:
    """An older build wrote other arrays under the same version, or a file was cut short."""
    folder = Path(shutil.copytree(films_kg, tmp_path / "kg"))
    base = Knowledge.open(folder)
    first = await _tables(base)
    wanted = first.structure(_silent), first.features
    path = folder / FOLDER / name
    arrays = unpack(path, first.version)
    if lost == "bytes":
        path.write_bytes(path.read_bytes()[:-7])
    else:
        kept = sorted(arrays)[0]
        path.write_bytes(pack({"older": arrays[kept], kept: arrays[kept]}, {"version": first.version}))
    again = await _tables(base)
    made = again.structure(_silent), again.features
    assert np.array_equal(made[0].walks, wanted[0].walks)
    assert np.array_equal(made[0].near, wanted[0].near)
    assert np.array_equal(made[1].text, wanted[1].text)
    assert set(unpack(path, first.version)) == set(arrays)  # and the file is as it should be
    base.store.close_now()


async def test_what_fits_is_read(films_kg: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(films_kg, tmp_path / "kg"))
    base = Knowledge.open(folder)
    first = await _tables(base)
    path = folder / FOLDER / "structure.safetensors"
    structure = first.structure(_silent)
    arrays = {"walks": structure.walks[::-1], "aim": structure.aim, "near": structure.near}
    path.write_bytes(pack(arrays, {"version": first.version}))
    assert np.array_equal((await _tables(base)).structure(_silent).walks, structure.walks[::-1])
    path.write_bytes(pack(arrays, {"version": "of another KG"}))
    assert np.array_equal((await _tables(base)).structure(_silent).walks, structure.walks)
    base.store.close_now()
