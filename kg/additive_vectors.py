"""Vectors that add up, one row an entity and one a relation: any triple is scored without a vector of its own.

With an additive embedder (`kg.embedders.additive`) the vector of "relation tail" is S[relation] + S[tail], so the
cosine of a question q with a triple is q.(S[r] + S[t]) / |S[r] + S[t]|, exactly. Relations are few and made at once.
Entities are made as they are asked for, some 20 microseconds each, or all at once by `trivium kg vectors`, which writes
`vectors/STAMP-EMBEDDER.npy`: float16 [E, d], memory-mapped, in the order of the snapshot of that stamp.
"""

from __future__ import annotations

import hashlib
import logging
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trivium.kg.cores import on_threads
from trivium.kg.distinct import sorted_distinct
from trivium.kg.embedded.columns import Ints
from trivium.kg.embedded.snapshot import Snapshot
from trivium.kg.embedders import AdditiveEmbedder, FloatArray
from trivium.kg.files import PARTIAL, fsync_file, fsync_folder, take_space
from trivium.kg.indexes import relation_words

log = logging.getLogger("trivium.kg")

FOLDER = "vectors"
_BATCH = 8_192  # labels embedded at once when all are made: 8 MB
_CHUNK = 512  # triples scored at once: their rows stay in the processor's cache, which is twice as fast
_SHIFT = 13  # float16 has 10 bits of fraction, float32 23
_SIGN_AND_REST = np.int32(-0x7000_2000)  # 0x8FFFE000: what is left of a float16's bits, moved into a float32's
_REBIAS = np.float32(2.0**112)  # exponents count from 15 in float16, from 127 in float32

Half = NDArray[np.float16]


class AdditiveVectors:
    """The rows of one snapshot; safe to share between threads, as a row is the same whoever makes it.

    Args:
        snapshot: whose entities and relations they are.
        embedder: makes sums of token vectors.
        mapped: all entities' rows, float16 [E, d], if a file holds them.

    Attributes:
        rows: sums of token vectors an entity, float16 [E, d]; without a file those not met yet are zeros.
        relations: the same a relation, float32 [R, d].
    """

    def __init__(self, snapshot: Snapshot, embedder: AdditiveEmbedder, mapped: Half | None = None) -> None:
        self.snapshot = snapshot
        self._embedder = embedder
        self.relations = embedder.token_sums([relation_words(name) for name in snapshot.relation_names])
        self._known: NDArray[np.bool_] | None = None
        if mapped is None:
            # The operating system hands out pages as rows are written, so that an untouched entity costs nothing.
            mapped = np.zeros((snapshot.size, self.relations.shape[1]), np.float16)
            self._known = np.zeros(snapshot.size, dtype=bool)
        self.rows = mapped

    @property
    def cold(self) -> bool:
        """Whether rows may have to be made first, so that scoring can take long."""
        return self._known is not None

    def entities(self, entities: Ints) -> FloatArray:
        """The rows of entities, int [n], each in [0, E): sums of token vectors, float32 [n, d]."""
        self._make(entities)
        return _widen(self.rows[entities])

    def cosines(self, asked: FloatArray, codes: Ints, ends: Ints) -> FloatArray:
        """The cosine of a unit vector, float32 [d], with "relation end" of n triples: float32 [n] in [-1, 1].

        `codes` in [0, 2 R), an inverse relation reads like the relation; `ends` in [0, E).
        """
        self._make(ends)
        relations = codes % max(self.snapshot.relations, 1)
        out = np.empty(len(ends), np.float32)
        for start in range(0, len(ends), _CHUNK):
            part = slice(start, start + _CHUNK)
            rows = _widen(self.rows[ends[part]])
            rows += self.relations[relations[part]]
            lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
            # Where neither name has a known token the row is zeros, and like nothing: 0, not a division by it.
            out[part] = (rows @ asked) / np.maximum(lengths, np.float32(1e-9))
        return out

    def _make(self, entities: Ints) -> None:
        """Fill in the rows that are not there yet; a row is marked known only after it was written."""
        if self._known is None:
            return
        new = sorted_distinct(entities[~self._known[entities]])
        for start in range(0, len(new), _BATCH):
            rows = new[start : start + _BATCH]
            self.rows[rows] = self._embedder.token_sums(self.snapshot.names(rows))
            self._known[rows] = True


def open_vectors(directory: Path, snapshot: Snapshot, embedder: AdditiveEmbedder, fingerprint: str) -> AdditiveVectors:
    """The vectors of a snapshot: mapped where `write_vectors` made them for it, else made as they are asked for."""
    path = vectors_path(directory, snapshot, fingerprint)
    mapped: Half | None = None
    if path.is_file():
        try:
            loaded: Half = np.load(path, mmap_mode="r", allow_pickle=False)
            if loaded.dtype == np.float16 and loaded.ndim == 2 and len(loaded) == snapshot.size:
                mapped = loaded.view(np.ndarray)
        except (ValueError, EOFError, OSError):
            pass
        if mapped is None:
            log.warning("%s is damaged; its vectors are made again as they are needed", path)
    return AdditiveVectors(snapshot, embedder, mapped)


def vectors_path(directory: Path, snapshot: Snapshot, fingerprint: str) -> Path:
    """Where the rows of this snapshot by this embedder lie."""
    return directory / FOLDER / f"{snapshot.stamp}-{hashlib.sha256(fingerprint.encode()).hexdigest()[:12]}.npy"


def write_vectors(
    path: Path, snapshot: Snapshot, embedder: AdditiveEmbedder, show: Callable[[str, int, int | None], None]
) -> None:
    """Make every entity's row and write the file in one step; older ones beside it go. The caller holds the KG's lock.

    Raises:
        OSError: the folder cannot be written.
    """
    path.parent.mkdir(exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=PARTIAL)
    os.close(descriptor)
    temporary = Path(name)
    try:
        shape = (snapshot.size, embedder.token_sums(["x"]).shape[1])
        rows = np.lib.format.open_memmap(temporary, mode="w+", dtype=np.float16, shape=shape)
        take_space(temporary)
        _fill(rows, snapshot, embedder, show)
        rows.flush()
        del rows
        fsync_file(temporary)
        temporary.chmod(0o644)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    for other in path.parent.glob("*.npy"):
        if other != path:
            other.unlink(missing_ok=True)
    fsync_folder(path.parent)


def _fill(
    rows: Half, snapshot: Snapshot, embedder: AdditiveEmbedder, show: Callable[[str, int, int | None], None]
) -> None:
    """Write every entity's row."""

    def make(start: int) -> int:
        numbers = np.arange(start, min(start + _BATCH, snapshot.size))
        rows[numbers] = embedder.token_sums(snapshot.names(numbers))
        return start + len(numbers)

    for done in on_threads(make, range(0, snapshot.size, _BATCH)):
        show("vectors", done, snapshot.size)


def _widen(rows: Half) -> FloatArray:
    """float16 to float32 by moving bits, exact also for subnormal numbers; numpy's own takes three times as long.

    For finite numbers alone, which sums of token vectors are.
    """
    bits = rows.view(np.int16).astype(np.int32)
    bits <<= _SHIFT
    bits &= _SIGN_AND_REST
    wide: FloatArray = bits.view(np.float32)
    wide *= _REBIAS
    return wide
