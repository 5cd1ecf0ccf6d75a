"""The snapshot's arrays, columns of strings and hashes."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import random
from pathlib import Path

import numpy as np
import pytest

from tests.contracts.naive import random_triples
from trivium.kg.embedded import EmbeddedStore, Snapshot, build, delete_triples, layout, verify
from trivium.kg.embedded.columns import StringColumn, hash_rows, hash_text, ranges
from trivium.kg.embedded.layout import ARRAYS, ZEROS, _adjacency
from trivium.kg.embedded.mapped import (
    FOLDER,
    HEADER,
    SnapshotError,
    _checksum,
    dtypes,
    open_arrays,
    read_header,
    stored,
    whole,
    xxh3_file,
)
from trivium.kg.embedded.names import GRAM_BYTES, _gram_arrays
from trivium.kg.embedded.tables import OwnedTexts, Tables, Values, sort_rows
from trivium.kg.errors import CorruptError
from trivium.kg.types import Entity, Hop, Triple

TRIPLES = random_triples(3)
TEXTS = ["", "a", "ab", "ba", "日本", "é" * 300, "x" * 5000, "a"]


def open_snapshot(directory: Path, stamp: str) -> Snapshot:
    return Snapshot(stamp, open_arrays(directory, stamp))


@pytest.fixture
def snapshot(tmp_path: Path) -> Snapshot:
    build(tmp_path / "kg", [TRIPLES], [Entity("e1", "One")])
    store = EmbeddedStore.open(tmp_path / "kg")
    found = store.snapshot
    store.close_now()
    return found


def test_rows_hold_every_triple_in_both_directions_in_order(snapshot: Snapshot) -> None:
    seen = set()
    for row in range(snapshot.entities):
        part = slice(int(snapshot.indptr[row]), int(snapshot.indptr[row + 1]))
        pairs = list(zip(snapshot.rel[part].tolist(), snapshot.dst[part].tolist(), strict=True))
        assert pairs == sorted(set(pairs))
        for code, end in pairs:
            hop = snapshot.hop(code)
            ends = (snapshot.keys[row], snapshot.keys[end])
            head, tail = ends[::-1] if hop.inverse else ends
            seen.add((head, hop.relation, tail, hop.inverse))
    assert seen == {(*triple, inverse) for triple in TRIPLES for inverse in (False, True)}
    assert snapshot.triples == len(TRIPLES)


def test_numbers_sort_like_names(snapshot: Snapshot) -> None:
    keys = snapshot.keys.slice(0, snapshot.entities)
    assert keys == sorted(keys)
    assert snapshot.relation_names == sorted(snapshot.relation_names)
    assert snapshot.rows(keys).tolist() == list(range(snapshot.entities))
    assert [snapshot.row(key) for key in keys] == list(range(snapshot.entities))


def test_unknown_names(snapshot: Snapshot) -> None:
    assert snapshot.rows(["no"] * 20 + ["e1"]).tolist()[:-1] == [-1] * 20
    assert snapshot.row("no") == -1
    assert snapshot.rows([]).tolist() == []
    assert snapshot.code(Hop("no", True)) == -1
    assert snapshot.hop(snapshot.code(Hop("r1", True))) == Hop("r1", True)


def test_labels_and_degrees(snapshot: Snapshot) -> None:
    rows = snapshot.rows(["e1", "e2"])
    assert snapshot.names(rows) == ["One", "e2"]
    expected = [sum((triple.head == id_) + (triple.tail == id_) for triple in TRIPLES) for id_ in ("e1", "e2")]
    assert snapshot.degrees(rows).tolist() == expected


def test_dtypes_are_those_promised(snapshot: Snapshot) -> None:
    assert all(array.dtype.name in dtypes(name) for name, array in snapshot.arrays.items())
    assert set(snapshot.arrays) == set(ARRAYS)
    assert (snapshot.rel.dtype.name, snapshot.dst.dtype.name) == ("int16", "int32")
    assert not any(array.flags.writeable for array in snapshot.arrays.values())


def test_two_ids_of_one_hash_are_told_apart(snapshot: Snapshot) -> None:
    arrays = dict(snapshot.arrays)
    wanted = np.full(snapshot.entities, hash_text("e1"), dtype=np.uint64)
    arrays["key_hash"] = wanted
    clashing = Snapshot("clash", arrays)
    assert clashing.row("e1") == snapshot.row("e1")
    assert clashing.rows(["e1"] * 20).tolist() == [snapshot.row("e1")] * 20


def test_an_unknown_stamp_is_no_snapshot(tmp_path: Path) -> None:
    build(tmp_path / "kg", [TRIPLES])
    with pytest.raises(SnapshotError, match="missing"):
        open_snapshot(tmp_path / "kg", "0" * 16)


@pytest.mark.parametrize(("size_checked_whole", "small"), [(1 << 20, 0), (0, 1 << 20), (0, 0)])
@pytest.mark.parametrize("keeps_times", [False, True])
def test_a_flipped_bit_of_any_array_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size_checked_whole: int, small: int, keeps_times: bool
) -> None:
    monkeypatch.setattr("trivium.kg.embedded.mapped._CHECKED_WHOLE", size_checked_whole)
    monkeypatch.setattr("trivium.kg.embedded.mapped._SMALL", small)
    monkeypatch.setattr("trivium.kg.embedded.mapped.BLOCK", 64)
    build(tmp_path / "kg", [TRIPLES], [Entity("e1", "One")])
    (folder,) = (tmp_path / "kg" / "snapshot").iterdir()
    header = (folder / HEADER).read_bytes()
    for path in folder.glob("*.npy"):
        whole, times = path.read_bytes(), path.stat()
        flipped = bytearray(whole)
        flipped[-1] ^= 1
        path.write_bytes(flipped)
        if keeps_times:  # as a failing disk does, and a copy that keeps times
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        with pytest.raises(SnapshotError, match=path.name):
            np.asarray(open_snapshot(tmp_path / "kg", folder.name).arrays[path.stem])
        path.write_bytes(whole)
        (folder / HEADER).write_bytes(header)  # removed, so that the next to open it derives it again
        assert open_snapshot(tmp_path / "kg", folder.name).triples == len(TRIPLES)
    arrays = open_snapshot(tmp_path / "kg", folder.name).arrays.values()
    # What was checked whole is a plain array: walks over a graph of usual size pay nothing for blocks.
    assert all(isinstance(array, np.ndarray) for array in arrays) == (small > 0 or size_checked_whole > 0)


def test_an_array_of_a_large_snapshot_is_checked_once_when_it_is_first_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trivium.kg.embedded.mapped._CHECKED_WHOLE", 0)
    build(tmp_path / "kg", [TRIPLES], [Entity("e1", "One")])
    (folder,) = (tmp_path / "kg" / "snapshot").iterdir()
    read = list[str]()

    def noted(path: Path) -> str:
        read.append(path.stem)
        return xxh3_file(path)

    monkeypatch.setattr("trivium.kg.embedded.mapped.xxh3_file", noted)
    snapshot = open_snapshot(tmp_path / "kg", folder.name)
    assert read == ["blocks"]
    for _ in range(2):
        assert snapshot.row("e1") >= 0
    assert sorted(read) == ["blocks", "key_blob", "key_hash", "key_offsets", "key_order"]


def test_of_a_large_array_what_is_read_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trivium.kg.embedded.mapped._CHECKED_WHOLE", 0)
    monkeypatch.setattr("trivium.kg.embedded.mapped._SMALL", 0)
    monkeypatch.setattr("trivium.kg.embedded.mapped.BLOCK", 64)
    build(tmp_path / "kg", [TRIPLES])
    store = EmbeddedStore.open(tmp_path / "kg")
    snapshot = store._state.snapshot
    (path,) = (tmp_path / "kg" / "snapshot").glob("*/dst.npy")
    with path.open("r+b") as file:  # the last entity's row ends there
        file.seek(-4, 2)
        last = file.read(4)
        file.seek(-4, 2)
        file.write(bytes([last[0] ^ 1, *last[1:]]))
    first, final = snapshot.keys[0], snapshot.keys[snapshot.entities - 1]
    around = {Triple(*row[:3]) for row in asyncio.run(store.neighbors([first]))[0]}
    assert around == {row for row in TRIPLES if first in (row.head, row.tail)}
    with pytest.raises(SnapshotError, match=r"dst\.npy is damaged; ask again"):
        asyncio.run(store.neighbors([final]))
    around = {Triple(*row[:3]) for row in asyncio.run(store.neighbors([final]))[0]}  # derived again
    assert around == {row for row in TRIPLES if final in (row.head, row.tail)}


def test_without_the_checksums_of_blocks_a_snapshot_is_derived_again(tmp_path: Path) -> None:
    build(tmp_path / "kg", [TRIPLES])
    (path,) = (tmp_path / "kg" / "snapshot").glob("*/blocks.npy")
    path.unlink()
    assert any("blocks.npy is missing" in each for each in verify(tmp_path / "kg"))
    assert EmbeddedStore.open(tmp_path / "kg")._state.snapshot.triples == len(TRIPLES)
    assert path.is_file()
    assert verify(tmp_path / "kg") == []


@pytest.mark.parametrize("changed", [False, True])
def test_a_store_derives_a_large_snapshot_again_that_it_finds_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: bool
) -> None:
    monkeypatch.setattr("trivium.kg.embedded.mapped._CHECKED_WHOLE", 0)
    build(tmp_path / "kg", [TRIPLES])
    expected = set(TRIPLES[1:] if changed else TRIPLES)
    delete_triples(tmp_path / "kg", set(TRIPLES) - expected)
    (path,) = (tmp_path / "kg" / "snapshot").glob("*/dst.npy")
    data = bytearray(path.read_bytes())
    data[-4] ^= 1
    path.write_bytes(data)
    store = EmbeddedStore.open(tmp_path / "kg")
    if not changed:  # what removes a triple is held against the array, which derives it again at once
        for _ in range(2):
            with pytest.raises(CorruptError, match=r"dst\.npy is damaged; ask again"):
                store._state.snapshot.dst  # noqa: B018 - a reader that holds on to one state
        assert not (path.parent / HEADER).exists()
    around = asyncio.run(store.neighbors(["e1"]))[0]
    assert {Triple(*row[:3]) for row in around} == {row for row in expected if "e1" in (row.head, row.tail)}
    assert verify(tmp_path / "kg") == []
    store.close_now()


def test_columns_give_back_their_strings() -> None:
    column = StringColumn.pack(TEXTS)
    assert len(column) == len(TEXTS)
    assert [column[i] for i in range(len(TEXTS))] == TEXTS
    assert column.take(np.array([4, 0, 4])) == ["日本", "", "日本"]
    assert column.slice(1, 4) == ["a", "ab", "ba"]
    assert column.reorder(np.array([5, 0, 1])).slice(0, 3) == ["é" * 300, "", "a"]
    assert StringColumn.pack([]).slice(0, 0) == []


@pytest.mark.parametrize("texts", [TEXTS, [], ["Äpfel", "apple pie", "pie", "a"] * 5])
def test_columns_and_trigrams_made_in_parts_are_those_made_at_once(
    monkeypatch: pytest.MonkeyPatch, texts: list[str]
) -> None:
    whole = StringColumn.pack(texts)
    grams = dict(_gram_arrays(whole))
    expected: dict[int, list[int]] = {}
    for number, text in enumerate(texts):
        data = b" " + text.encode()[:GRAM_BYTES] + b" "
        for code in {int.from_bytes(data[i : i + 3], "big") for i in range(len(data) - 2)}:
            expected.setdefault(code, []).append(number)
    assert grams["gram_codes"].tolist() == sorted(expected)
    bounds, names = grams["gram_bounds"].tolist(), grams["gram_names"].tolist()
    assert [names[a:b] for a, b in itertools.pairwise(bounds)] == [expected[code] for code in sorted(expected)]
    monkeypatch.setattr("trivium.kg.embedded.names._PART", 3)
    monkeypatch.setattr("trivium.kg.embedded.columns._PACKED", 3)
    column = StringColumn.pack(texts)
    assert column.slice(0, len(column)) == texts
    for name, array in _gram_arrays(column):
        assert np.array_equal(array, grams[name]), name
        assert array.dtype == ARRAYS[name]


def test_row_hashes_are_those_of_each_text() -> None:
    rng = random.Random(0)
    texts = TEXTS + ["".join(rng.choices("ab é日", k=rng.randint(0, 9))) for _ in range(2000)]
    hashes = hash_rows(StringColumn.pack(texts)).tolist()
    assert hashes == [hash_text(text) for text in texts]
    assert len(set(hashes)) == len(set(texts))


def test_hashes_of_more_than_one_chunk() -> None:
    texts = [f"entity {i}" * 10 for i in range(12_000)] + ["y" * 3_000_000, "z"]
    hashes = hash_rows(StringColumn.pack(texts))
    for place in (0, 11_999, 12_000, 12_001):
        assert hashes[place] == hash_text(texts[place])


def test_ranges() -> None:
    index, bounds = ranges(np.array([5, 9, 2]), np.array([2, 0, 3]))
    assert index.tolist() == [5, 6, 2, 3, 4]
    assert bounds.tolist() == [0, 2, 2, 5]


@pytest.mark.parametrize("sizes", [(50, 4, 50), (2**31, 2**10, 2**31)])
def test_rows_sort_packed_or_by_columns(sizes: tuple[int, int, int]) -> None:
    rng = np.random.default_rng(0)
    columns = tuple(rng.integers(0, min(size, 7), 500) for size in sizes)
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    distinct = sort_rows(columns, sizes, unique=True)
    assert list(zip(*(column.tolist() for column in distinct), strict=True)) == sorted(set(rows))
    everything = sort_rows(columns, sizes, unique=False)
    assert list(zip(*(column.tolist() for column in everything), strict=True)) == sorted(rows)
    assert [len(column) for column in sort_rows(tuple(column[:0] for column in columns), sizes, unique=True)] == [0] * 3


def test_an_iri_without_a_name_is_called_by_its_last_part(tmp_path: Path) -> None:
    keys = ["http://x.org/New_York", "https://x.org/a#S%C3%A3o", "http://x.org/t1", "plain/text"]
    build(tmp_path / "kg", [[Triple(key, "r", "http://x.org/t1") for key in keys]], [Entity("http://x.org/t1", "Town")])
    store = EmbeddedStore.open(tmp_path / "kg")
    found = store.snapshot
    assert found.names(found.rows(keys)) == ["New York", "São", "Town", "plain/text"]
    store.close_now()


def test_arrays_are_narrow_on_disk_where_they_fit() -> None:
    small, large = np.array([0, 32_767], np.int32), np.array([0, 32_768], np.int32)
    assert [stored("rel", each).dtype.name for each in (small, large)] == ["int16", "int32"]
    assert stored("dst", small).dtype == np.int32
    assert [stored("key_offsets", np.array([0, size])).dtype.name for size in (1 << 30, (1 << 30) + 1)] == [
        "int32", "int64",
    ]  # fmt: skip
    bounds = np.zeros(5, np.int64)
    for name in ZEROS:
        assert stored(name, bounds).tolist() == [0]
        assert stored(name, np.array([0, 0, 2])).tolist() == [0, 0, 2]
    held = whole({"indptr": np.arange(5), **{name: stored(name, bounds) for name in ZEROS}})
    assert all(held[name].tolist() == [0] * 5 for name in ZEROS)


@pytest.mark.parametrize("at_once", [1, 7])
def test_rows_are_made_a_stretch_at_a_time(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    triples = np.unique(rng.integers(0, (6, 3, 9), (60, 3)), axis=0).astype(np.int32)  # six entities, three values
    values = Values(np.arange(3, dtype=np.int32), ["x"] * 3, [""] * 3, np.zeros(3, np.uint8), np.zeros(3))
    heads, codes, tails = triples.T
    texts = OwnedTexts.empty()
    tables = Tables(list("abcdef"), [""] * 6, list("rst"), heads, codes, tails, texts, texts, values)
    at_once_all = _adjacency(tables)
    monkeypatch.setattr(layout, "_SORTED_AT_ONCE", at_once)
    for found, expected in zip(_adjacency(tables), at_once_all, strict=True):
        np.testing.assert_array_equal(found, expected)
    indptr, rel, dst = at_once_all
    rows = np.repeat(np.arange(9), np.diff(indptr)).tolist()
    assert sorted(zip(rows, rel.tolist(), dst.tolist(), strict=True)) == list(zip(rows, rel, dst, strict=True))
    back = {(tail, code + 3, head) for head, code, tail in triples.tolist() if tail < 6}
    assert set(zip(rows, rel.tolist(), dst.tolist(), strict=True)) == {*map(tuple, triples.tolist())} | back


@pytest.mark.parametrize("number", [3, 4])
def test_a_snapshot_of_a_format_before_is_read(number: int, tmp_path: Path) -> None:
    build(tmp_path / "kg", [TRIPLES])
    (folder,) = (tmp_path / "kg" / FOLDER).iterdir()
    found = open_snapshot(tmp_path / "kg", folder.name)
    narrow = {name: np.array(found.arrays[name]) for name in ARRAYS}
    header = read_header(folder)
    if number == 3:
        for name in header["files"]:
            np.save(folder / f"{name}.npy", narrow[name].astype(ARRAYS[name]))
    np.save(folder / "name_raw.npy", narrow["name_hash"])
    for name in (*header["files"], "name_raw"):
        path = folder / f"{name}.npy"
        header["files"][name] = {"bytes": path.stat().st_size, "xxh3": xxh3_file(path)}
    header["format"] = number
    del header["blocks"]
    (folder / HEADER).write_text(json.dumps({**header, "checksum": _checksum(header)}))
    wide = open_snapshot(tmp_path / "kg", folder.name)
    assert (narrow["rel"].dtype.name, wide.rel.dtype.name) == ("int16", "int32" if number == 3 else "int16")
    assert all(np.array_equal(wide.arrays[name], narrow[name]) for name in ARRAYS)
    assert verify(tmp_path / "kg") == []
