"""The files of a snapshot: mapped into memory, checked as they are read, and written.

`snapshot/STAMP/` holds one `.npy` file an array and `header.json`; STAMP names the write transaction of the record that
the arrays were made from. A writer adds a new folder and removes older ones after its commit; readers that still map
the old files go on working, since the operating system keeps them until they let go.

`blocks.npy` holds the checksums of all files' blocks of `BLOCK` bytes, the last one of a file shorter, the checksum of
a block being its XXH3 of 64 bits: of a large array each block is held against its own when it is first read.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import mmap
import shutil
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import nullcontext, suppress
from functools import partial
from pathlib import Path
from tokenize import TokenError
from typing import Any, NoReturn, NotRequired, TypedDict, cast

import numpy as np
import xxhash
from numpy.typing import ArrayLike, NDArray

from trivium.kg.distinct import sorted_distinct
from trivium.kg.embedded.columns import Index, Int64, Ints, LazyArray, Side, UInt64, number_of, places_of
from trivium.kg.embedded.layout import ARRAYS, NARROW, ZEROS, snapshot_arrays
from trivium.kg.embedded.locks import compact_lock
from trivium.kg.embedded.tables import Tables
from trivium.kg.errors import CorruptError
from trivium.kg.files import atomic_folder, fsync_file, named_errors, write_atomic

Arrays = Mapping[str, NDArray[Any]]
"""The arrays of `trivium.kg.embedded.layout.ARRAYS` by name; their dtypes differ."""

FOLDER = "snapshot"
HEADER = "header.json"
FORMAT, _READ = 5, (3, 4, 5)  # the older ones hold hashes of names to the letter as well; of 3 all arrays are wide
_UNREAD = "name_raw"
"""An array of older formats."""
_CHECKED_WHOLE = 256 << 20
"""Bytes of a snapshot up to which opening checks all of it: some 50 ms. A larger one is checked as it is read."""
_SMALL = 1 << 20
"""Bytes of an array up to which the first read checks all of it; of a larger one it checks blocks."""
SUMS = "blocks"
"""The name of the array that holds the checksums of all blocks of all files, in the order of the files' names."""
BLOCK = 64 << 10
"""Bytes of a block: a random read touches so many, and a checksum of 8 bytes stands for them."""
_OF_VALUES = ("value_", "datatype_", "owner_")
_OF_STATEMENTS = ("statement_", "qualifier_")


class FileEntry(TypedDict):
    """Size in bytes and XXH3 of the bytes (128 bits, hexadecimal) of one array's file."""

    bytes: int
    xxh3: str


class Blocks(FileEntry):
    """The file of the checksums of blocks, and how many bytes a block has."""

    size: int


class Header(TypedDict):
    """Contents of `header.json`, without its checksum."""

    format: int
    stamp: str
    files: dict[str, FileEntry]
    blocks: NotRequired[Blocks]
    """Missing in snapshots of earlier versions, whose arrays are checked whole."""


class SnapshotError(CorruptError):
    """Raised when a snapshot is missing or damaged; the store derives it again when it is next opened or refreshed."""


def snapshot_path(directory: Path, stamp: str) -> Path:
    """Where the snapshot of a KG directory for one write transaction lies."""
    return directory / FOLDER / stamp


def open_arrays(directory: Path, stamp: str) -> Arrays:
    """Map the arrays of the snapshot of one write transaction.

    The header and all sizes are checked, and every byte of a snapshot of up to 256 MiB; of a larger one what is read,
    when it is first read (`CheckedArrays`).

    Raises:
        SnapshotError: it is missing, or damaged as far as that shows.
    """
    folder = snapshot_path(directory, stamp)
    header = read_header(folder)
    files = header["files"]
    named = array_names(values="value_kind" in files, statements="statement_place" in files)
    if header["stamp"] != stamp or set(files) - {_UNREAD} != named:
        raise SnapshotError(f"{folder / HEADER} does not describe this snapshot")
    mapped = whole({name: load_array(folder, name, files[name]["bytes"]) for name in named})
    empty = empty_arrays(len(mapped["relation_offsets"]) - 1)
    small = sum(entry["bytes"] for entry in files.values()) <= _CHECKED_WHOLE
    arrays = CheckedArrays(folder, header, {**empty, **mapped}, by_blocks=not small)
    naming = arrays["value_naming"].tobytes()
    if b'"type": ' in naming and b'"prefix": ' not in naming:
        raise SnapshotError(f"snapshot {stamp} was written before changes were noted")
    return dict(arrays) if small else arrays


def read_header(folder: Path) -> Header:
    """The checked contents of a snapshot's header; `SnapshotError` where it is missing or damaged."""
    path = folder / HEADER
    try:
        fields = json.loads(path.read_bytes())
        checksum = fields.pop("checksum")
    except FileNotFoundError:
        raise SnapshotError(f"{path} is missing") from None
    except (ValueError, KeyError, AttributeError):
        raise SnapshotError(f"{path} is damaged") from None
    if checksum != _checksum(fields):
        raise SnapshotError(f"{path} is damaged")
    if isinstance(fields.get("format"), int) and fields["format"] > FORMAT:
        raise SnapshotError(f"{path} was written by a newer Trivium")
    if fields.get("format") not in _READ:
        raise SnapshotError(f"{path} was written by another version of Trivium")
    header: Header = fields
    return header


def load_array(folder: Path, name: str, size: int) -> NDArray[Any]:
    """Map one array read-only; `SnapshotError` unless its file has `size` bytes and the array its dtype."""
    path = folder / f"{name}.npy"
    try:
        if path.stat().st_size != size:
            raise SnapshotError(f"{path} differs in size from its header")
        mapped: np.memmap[Any, Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except FileNotFoundError:
        raise SnapshotError(f"{path} is missing") from None
    except (ValueError, EOFError, SyntaxError, TokenError):  # the last two: a header that NumPy reads as Python
        raise SnapshotError(f"{path} is damaged") from None
    # The size was right, so only a damaged header could do this; reading on would give nonsense silently.
    if mapped.dtype.name not in dtypes(name) or (mapped.nbytes and mapped.offset + mapped.nbytes != size):
        raise SnapshotError(f"{path} is damaged")
    return mapped.view(np.ndarray)  # memmap's own class slows indexing down


def array_names(*, values: bool, statements: bool) -> set[str]:
    """The arrays that a snapshot has files of: those of values and of statements only where it holds any."""
    return {
        name
        for name in ARRAYS
        if (values or not name.startswith(_OF_VALUES)) and (statements or not name.startswith(_OF_STATEMENTS))
    }


def empty_arrays(relations: int) -> dict[str, NDArray[np.generic]]:
    """The arrays of values and statements of a graph that holds none."""
    shapes = {"value_bounds": relations + 1, "owner_bounds": 1, "qualifier_bounds": 1, "statement_bounds": 1,
              "qualifier_owner_bounds": 1}  # fmt: skip
    missing = set(ARRAYS) - array_names(values=False, statements=False)
    arrays = {name: np.zeros(shapes.get(name, int(name.endswith("_offsets"))), dtype=ARRAYS[name]) for name in missing}
    for array in arrays.values():
        array.flags.writeable = False
    return arrays


def dtypes(name: str) -> tuple[str, ...]:
    """The dtypes that an array may have: the wide one first."""
    return (ARRAYS[name], NARROW[name][0]) if name in NARROW else (ARRAYS[name],)


def whole(arrays: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The arrays of files with all elements of `ZEROS`, which take no memory."""
    rows = len(arrays["indptr"])
    return arrays | {name: np.broadcast_to(arrays[name], rows) for name in ZEROS if len(arrays[name]) == 1}


def stored(name: str, array: NDArray[np.generic]) -> NDArray[np.generic]:
    """An array as its file holds it: narrow where it fits (`NARROW`), one element of `ZEROS`."""
    if name in ZEROS and len(array) and not array[-1]:  # they ascend
        array = array[:1]
    dtype, most = NARROW.get(name, (ARRAYS[name], 0))
    fits = name in NARROW and int(np.max(array, initial=0)) <= most
    return array.astype(dtype if fits else ARRAYS[name], copy=False)


def write_snapshot(
    directory: Path, stamp: str, tables: Tables, progress: Callable[[int, int], None] | None = None
) -> None:
    """Derive and write the snapshot of one write transaction; replaces a damaged one of the same stamp.

    `progress` is called with how many triples are done, and of how many, as far as the arrays that are written tell.
    """
    count = len(array_names(values=bool(len(tables.values)), statements=bool(tables.statements)))
    (directory / FOLDER).mkdir(exist_ok=True)
    target = snapshot_path(directory, stamp)
    with named_errors(target), atomic_folder(target) as folder:
        files: dict[str, FileEntry] = {}
        sums: dict[str, UInt64] = {}
        for name, array in snapshot_arrays(tables):
            path = folder / f"{name}.npy"
            _save(path, stored(name, array))
            digest, sums[name] = file_sums(path)
            files[name] = {"bytes": path.stat().st_size, "xxh3": digest}
            if progress is not None:
                progress(len(tables.heads) * len(files) // count, len(tables.heads))
        path = folder / f"{SUMS}.npy"
        _save(path, np.concatenate([sums[name] for name in sorted(sums)]))
        held: Blocks = {"bytes": path.stat().st_size, "xxh3": xxh3_file(path), "size": BLOCK}
        header: Header = {"format": FORMAT, "stamp": stamp, "files": files, "blocks": held}
        write_atomic(folder / HEADER, json.dumps({**header, "checksum": _checksum(header)}, indent=1).encode())
        # The rename at the end of the block needs the name free; what stood there was damaged, or it would be open.
        shutil.rmtree(target, ignore_errors=True)


_AT_ONCE = 1 << 20  # rows that are written at once


def _save(path: Path, array: NDArray[np.generic]) -> None:
    """As `np.save`, which of a full disk says only that it wrote too little; and the file is on the disk."""
    with path.open("wb") as file:
        header = {"descr": np.lib.format.dtype_to_descr(array.dtype), "fortran_order": False, "shape": array.shape}
        np.lib.format.write_array_header_1_0(file, header)
        for start in range(0, len(array), _AT_ONCE):
            file.write(np.ascontiguousarray(array[start : start + _AT_ONCE]).data)
    fsync_file(path)


def has_snapshot(directory: Path, stamp: str) -> bool:
    """Whether there is a snapshot of a write transaction, sound or not."""
    return (snapshot_path(directory, stamp) / HEADER).is_file()


def snapshots_beside(directory: Path, *stamps: str) -> list[Path]:
    """Every snapshot of a KG, whole or half written, but those of these stamps."""
    return [entry for entry in (directory / FOLDER).iterdir() if entry.name not in stamps]


def remove_other_snapshots(directory: Path, stamps: Collection[str], *, compacting: bool = False) -> None:
    """Remove every snapshot, whole or half written, but those of these stamps; the caller holds the write lock.

    Nothing is removed while another process compacts: what it writes is not named yet. `compacting`: the caller does.
    """
    others = snapshots_beside(directory, *stamps)
    if not others:
        return
    with nullcontext(True) if compacting else compact_lock(directory) as alone:
        for entry in others if alone else ():
            shutil.rmtree(entry, ignore_errors=True)


def _checksum(header: object) -> str:
    return hashlib.sha256(json.dumps(header, sort_keys=True).encode()).hexdigest()


class CheckedArrays(Mapping[str, NDArray[Any]]):
    """The mapped arrays of a snapshot, checked against checksums as they are read.

    Small ones are checked when they are first asked for, and so is every one of a snapshot without checksums of blocks
    or without `by_blocks`; large ones are `BlockArray`s. Damage raises `SnapshotError` each time, and the snapshot's
    header is removed, so that whoever opens the KG next derives the snapshot again.

    Attributes:
        damaged: whether damage was found.
    """

    def __init__(self, folder: Path, header: Header, mapped: Arrays, *, by_blocks: bool) -> None:
        self.damaged = False
        self._folder, self._files = folder, header["files"]
        self._block = header["blocks"]["size"] if "blocks" in header else 0
        sums = _sums_by_file(folder, header) if "blocks" in header else {}
        self._sums = sums if by_blocks else {}
        self._mapped = mapped
        self._checked: dict[str, NDArray[Any]] = {}
        self._lock = threading.Lock()

    def __getitem__(self, name: str) -> NDArray[Any]:
        found = self._checked.get(name)
        return self._check(name) if found is None else found

    def __iter__(self) -> Iterator[str]:
        return iter(self._mapped)

    def __len__(self) -> int:
        return len(self._mapped)

    def _check(self, name: str) -> NDArray[Any]:
        array = self._mapped[name]
        with self._lock:
            if name in self._files and name not in self._checked:
                path = self._folder / f"{name}.npy"
                large = self._files[name]["bytes"] > _SMALL and array.ndim == 1 and array.flags.c_contiguous
                if large and name in self._sums:
                    made = BlockArray(path, array, self._sums[name], self._block, partial(self._damage, path))
                    array = cast("NDArray[Any]", made)  # it does what an array does
                elif xxh3_file(path) != self._files[name]["xxh3"]:
                    self._damage(path)
            return self._checked.setdefault(name, array)

    def _damage(self, path: Path) -> NoReturn:
        self.damaged = True
        with suppress(OSError):
            (self._folder / HEADER).unlink(missing_ok=True)
        raise SnapshotError(f"{path} is damaged; ask again: the snapshot is derived again from the record")


def _sums_by_file(folder: Path, header: Header) -> dict[str, UInt64]:
    """The checksums of the blocks of each file."""
    path, files, block = folder / f"{SUMS}.npy", header["files"], header["blocks"]["size"]
    if not path.is_file():
        raise SnapshotError(f"{path} is missing")
    if xxh3_file(path) != header["blocks"]["xxh3"]:
        raise SnapshotError(f"{path} is damaged")
    counts = {name: -(-files[name]["bytes"] // block) for name in sorted(files)}
    ends = itertools.accumulate(counts.values())
    sums = np.load(path, allow_pickle=False)
    return {name: sums[end - count : end] for (name, count), end in zip(counts.items(), ends, strict=True)}


class BlockArray(LazyArray):
    """A mapped array [n] whose blocks are checked as they are read.

    Elements, slices, places and `searchsorted` check the blocks that the result depends on; whatever else is asked of
    the array checks all of it first. What was checked is not looked at again.

    Args:
        path: its `.npy` file, all of which is mapped in `mapped`.
        mapped: the array.
        sums: uint64, the checksum of each block of the file; `block`: how many bytes those are of.
        damaged: called where a block differs; raises.
    """

    def __init__(
        self, path: Path, mapped: NDArray[Any], sums: UInt64, block: int, damaged: Callable[[], NoReturn]
    ) -> None:
        self._sums, self._block, self._damaged = sums, block, damaged
        with path.open("rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        # Of a file that is read here and there the system reads no more ahead than is asked for: up to megabytes.
        self._advise("MADV_RANDOM")
        self._file = memoryview(self._map)
        self._offset, self._item = len(self._file) - mapped.nbytes, mapped.itemsize
        self._array: NDArray[Any] = np.frombuffer(self._map, mapped.dtype, offset=self._offset)
        self.dtype = mapped.dtype
        # One byte a block, read by Python (a single one) and by NumPy (many).
        self._flags = bytearray(b"\1") * len(sums)
        self._unread: NDArray[np.bool_] = np.frombuffer(self._flags, dtype=np.bool_)
        self._left = True
        self._check_blocks(np.arange(-(-self._offset // block)))  # the header of the file

    @property
    def data(self) -> _CheckedBytes:
        """Slices of it are memoryviews."""
        return _CheckedBytes(self, self._array.data)

    def __len__(self) -> int:
        return len(self._array)

    def __getitem__(self, key: Index) -> NDArray[Any]:
        if self._left:
            if (place := number_of(key, len(self._array))) is not None:
                self.check(place, place + 1)
            elif isinstance(key, slice) and (key.step is None or key.step > 0):
                self.check(*key.indices(len(self._array))[:2])
            elif (places := places_of(key, len(self._array))) is not None:
                self._check_places(places)
            else:
                self.whole()
        found: NDArray[Any] = self._array[key]  # or a scalar, as NumPy's own types leave open
        return found

    def searchsorted(self, v: ArrayLike, side: Side = "left", sorter: Ints | None = None) -> np.intp | NDArray[np.intp]:
        """As an array's.

        What it finds lies between two neighbors, both of which it compared: where these are as they were written, so is
        the result, whatever else it looked at.
        """
        if sorter is not None:
            return np.asarray(self.whole().searchsorted(v, side, sorter))
        found: np.intp | NDArray[np.intp] = self._array.searchsorted(v, side)
        if isinstance(found, np.intp):
            self.check(max(int(found) - 1, 0), min(int(found) + 1, len(self._array)))
        elif self._left and len(self._array):
            places = np.ravel(found)
            self._check_places(np.concatenate((np.maximum(places - 1, 0), np.minimum(places, len(self._array) - 1))))
        return found

    def whole(self) -> NDArray[Any]:
        """The array itself, all of it checked."""
        if self._left:
            self._check_blocks(np.arange(len(self._sums)))
        return self._array

    def check(self, start: int, stop: int) -> None:
        """Check the blocks of the elements in [start, stop)."""
        if self._left and stop > start:
            first, last = self._offset + start * self._item, self._offset + stop * self._item - 1
            first, last = first // self._block, last // self._block
            if self._flags.find(1, first, last + 1) >= 0:
                self._check_blocks(np.arange(first, min(last + 1, len(self._sums))))

    def _check_places(self, places: Int64) -> None:
        self._check_blocks((self._offset + places * self._item) // self._block)

    def _check_blocks(self, blocks: Int64) -> None:
        unread = sorted_distinct(blocks[self._unread[blocks]])
        if not len(unread):
            return
        runs = np.flatnonzero(np.diff(unread, prepend=-2, append=-2) != 1)  # where blocks one behind the other begin
        for first, after in itertools.pairwise(runs.tolist()):
            start, stop = (int(number) * self._block for number in (unread[first], unread[after - 1] + 1))
            self._advise("MADV_WILLNEED", start, min(stop, len(self._file)) - start)
        for number in unread.tolist():
            block = self._file[number * self._block : (number + 1) * self._block]
            if xxhash.xxh3_64_intdigest(block) != int(self._sums[number]):
                self._damaged()
            self._flags[number] = 0
        if not self._unread.any():
            self._left = False
            self._advise("MADV_NORMAL")

    def _advise(self, advice: str, *part: int) -> None:
        """Tell the system how the file is read, where it can be told (and blocks are whole pages)."""
        if hasattr(mmap, advice) and not self._block % mmap.PAGESIZE:
            self._map.madvise(getattr(mmap, advice), *part)


class _CheckedBytes:
    """The bytes of a blob, which is a `BlockArray` of uint8."""

    def __init__(self, array: BlockArray, view: memoryview) -> None:
        self._array, self._view = array, view

    def __getitem__(self, part: slice) -> memoryview:
        self._array.check(int(part.start), int(part.stop))
        return self._view[part]


def file_sums(path: Path) -> tuple[str, UInt64]:
    """XXH3 of a file's bytes, 32 hexadecimal digits, and of each of its blocks, uint64 [n]: against accidents."""
    digest, sums = xxhash.xxh3_128(), list[int]()
    for block in _blocks(path):
        digest.update(block)
        sums.append(xxhash.xxh3_64_intdigest(block))
    return digest.hexdigest(), np.array(sums, dtype=np.uint64)


def xxh3_file(path: Path) -> str:
    """The first of `file_sums` alone, at the speed of memory."""
    digest = xxhash.xxh3_128()
    for block in _blocks(path):
        digest.update(block)
    return digest.hexdigest()


def _blocks(path: Path) -> Iterator[memoryview]:
    """A file's blocks, each good until the next one is asked for: they stay in the processor's cache."""
    buffer = memoryview(bytearray(BLOCK))
    with path.open("rb", buffering=0) as file:
        while size := file.readinto(buffer):
            yield buffer[:size]
