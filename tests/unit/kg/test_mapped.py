"""Arrays checked block by block: they answer as arrays do, and never from a damaged block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from trivium.kg.embedded import mapped
from trivium.kg.embedded.columns import Int64, StringColumn, find_hashes, hash_rows
from trivium.kg.embedded.layout import lower_bound
from trivium.kg.embedded.mapped import BlockArray, file_sums, xxh3_file

Operation = Callable[[NDArray[Any]], object]


class _DamagedError(Exception):
    """What the reader of a damaged block is told."""


def damaged() -> NoReturn:
    """Raise `_DamagedError`."""
    raise _DamagedError


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mapped, "BLOCK", 64)


def checked(path: Path, sums: NDArray[np.uint64]) -> NDArray[Any]:
    """A file as an array checked by blocks of 64 bytes."""
    return cast("NDArray[Any]", BlockArray(path, np.load(path, mmap_mode="r"), sums, 64, damaged))


def written(path: Path, array: NDArray[Any]) -> NDArray[np.uint64]:
    """Write a file; the sums of its blocks."""
    np.save(path, array)
    whole, sums = file_sums(path)
    assert whole == xxh3_file(path)
    return sums


def operations(rng: np.random.Generator, size: int) -> Iterator[tuple[str, Operation]]:
    """What readers of a snapshot do with its arrays."""
    places = rng.integers(-size, size, 5)
    start, stop = sorted(rng.integers(0, size + 1, 2).tolist())
    wanted = rng.integers(-2, 3 * size, 6)
    mask = rng.random(size) < 0.1
    yield "element", lambda array: array[int(places[0])].item()
    yield "element by a number of NumPy's", lambda array: array[places[1]].item()
    yield "slice", lambda array: array[start:stop].tolist()
    yield "open slice", lambda array: array[start:].tolist()
    yield "backwards", lambda array: array[stop:start:-1].tolist()
    yield "places", lambda array: array[places].tolist()
    yield "places in rows", lambda array: array[places[:4].reshape(2, 2).astype(np.int32)].tolist()
    yield "no places", lambda array: array[places[:0]].tolist()
    yield "list", lambda array: array[places.tolist()].tolist()
    yield "mask", lambda array: array[mask].tolist()
    yield "search", lambda array: array.searchsorted(wanted).tolist()
    yield "search to the right", lambda array: np.searchsorted(array, wanted, "right").tolist()
    yield "search for one", lambda array: int(array.searchsorted(wanted[0]))
    yield "hashes", lambda array: [each.tolist() for each in find_hashes(array, wanted.astype(array.dtype))]
    ends = np.array([start]), np.array([stop])
    yield "bound in a stretch", lambda array: lower_bound(array, *ends, wanted[:1]).tolist()
    yield "text", lambda array: StringColumn(array.view(np.uint8), np.array([start, stop], np.int64))._bytes[start:stop]
    yield "bytes", lambda array: bytes(array.data[start:stop])
    yield "all", lambda array: (array.tolist(), list(array), len(array), array.sum().item())
    yield "functions", lambda array: (np.diff(array).tolist(), np.concatenate((array, array)).tolist())
    yield "comparison", lambda array: np.flatnonzero(array == places[0]).tolist()
    yield "as an index", lambda array: np.arange(3 * size + 1000)[array].tolist()
    yield "sorter", lambda array: np.searchsorted(array, wanted, sorter=np.arange(size)).tolist()
    yield "as another type", lambda array: np.asarray(array, dtype=np.float32).tolist()


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.int16, np.uint64])
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), size=st.integers(1, 200))
def test_it_answers_as_an_array_does(
    tmp_path_factory: pytest.TempPathFactory, dtype: type[np.integer], seed: int, size: int
) -> None:
    rng = np.random.default_rng(seed)
    plain = np.sort(rng.integers(0, 3 * size, size)).astype(dtype)
    path = tmp_path_factory.mktemp("blocks") / "a.npy"
    sums = written(path, plain)
    for name, operation in operations(rng, size):
        array = checked(path, sums)
        assert (array.dtype, array.shape, array.size, array.nbytes) == (plain.dtype, plain.shape, size, plain.nbytes)
        assert operation(array) == operation(plain), name
        assert operation(array) == operation(plain), name  # and when it was checked before


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), size=st.integers(20, 200))
def test_no_answer_is_made_from_a_damaged_block(tmp_path_factory: pytest.TempPathFactory, seed: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    plain = np.sort(rng.integers(0, 3 * size, size))
    path = tmp_path_factory.mktemp("blocks") / "a.npy"
    sums = written(path, plain)
    data = bytearray(path.read_bytes())
    data[int(rng.integers(128, len(data)))] ^= 1 << int(rng.integers(8))
    path.write_bytes(data)
    told = 0
    for name, operation in operations(rng, size):
        try:
            assert operation(checked(path, sums)) == operation(plain), name
        except _DamagedError:
            told += 1
    assert told > 3  # what looks at all of it


def test_only_what_is_read_is_checked(tmp_path: Path) -> None:
    plain: Int64 = np.arange(1000)
    sums = written(tmp_path / "a.npy", plain)
    data = bytearray((tmp_path / "a.npy").read_bytes())
    data[128 + 8 * 500] ^= 1
    (tmp_path / "a.npy").write_bytes(data)
    array = checked(tmp_path / "a.npy", sums)
    assert array[[0, 400, 999]].tolist() == [0, 400, 999]
    assert array[600:700].tolist() == plain[600:700].tolist()
    assert array.searchsorted([3, 800]).tolist() == [3, 800]
    for _ in range(2):  # it is told each time
        with pytest.raises(_DamagedError):
            array[500]
        with pytest.raises(_DamagedError):
            array.searchsorted(503)


def test_a_damaged_header_of_a_file_is_noticed_at_once(tmp_path: Path) -> None:
    sums = written(tmp_path / "a.npy", np.arange(1000))
    data = bytearray((tmp_path / "a.npy").read_bytes())
    data[20] ^= 1
    mapped = np.load(tmp_path / "a.npy", mmap_mode="r")
    (tmp_path / "a.npy").write_bytes(data)
    with pytest.raises(_DamagedError):
        BlockArray(tmp_path / "a.npy", mapped, sums, 64, damaged)


def test_a_column_reads_its_texts_from_checked_blocks(tmp_path: Path) -> None:
    texts = [f"name {number}" for number in range(100)]
    column = StringColumn.pack(texts)
    blob, offsets = written(tmp_path / "blob.npy", column.blob), written(tmp_path / "offsets.npy", column.offsets)
    held = StringColumn(checked(tmp_path / "blob.npy", blob), checked(tmp_path / "offsets.npy", offsets))
    assert held[7] == "name 7"
    assert held.take(np.array([99, 3])) == ["name 99", "name 3"]
    assert held.slice(0, 100) == texts
    assert np.array_equal(hash_rows(held), hash_rows(column))
