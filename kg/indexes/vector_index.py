"""`VectorIndex`: keys found by the meaning of their texts, exactly (inner product of unit vectors), by FAISS.

Kept as float32, or as float16 for millions of entities; either is mapped from disk when loaded, not read. Exhaustive
search was measured at 0.02 ms over 300 vectors and 26 ms over 400,000 as float16, so no approximate index is needed.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Self

import numpy as np

from trivium.kg.artifact import Artifact, ArtifactKind
from trivium.kg.embedders.base import Embedder, FloatArray, unit
from trivium.kg.errors import EmbedderError
from trivium.kg.files import fsync_file, sha256_file

if TYPE_CHECKING:
    import faiss

INDEX = ArtifactKind("the vector index", "index", 2, "it is made again when it is needed")
_CHUNK = 8192


class VectorIndex:
    """An index in memory or mapped from a folder; made by `build`, `build_batches`, `from_vectors` or `load`.

    Attributes:
        source_version: what the builder said about its source; compare it to know whether the index is stale.
    """

    def __init__(self, vectors: faiss.Index, keys: list[str], embedder: Embedder, source_version: str) -> None:
        self._vectors = vectors
        self._keys = keys
        self._embedder = embedder
        self.source_version = source_version

    def __len__(self) -> int:
        return len(self._keys)

    @property
    def keys(self) -> Sequence[str]:
        """The keys, in the order of building; a key may occur more than once."""
        return self._keys

    @classmethod
    def build(cls, keys: Sequence[str], texts: Sequence[str], embedder: Embedder, *, source_version: str = "") -> Self:
        """An index of texts as float32. Raises `EmbedderError`, and `ValueError` when the lengths differ."""
        return cls.build_batches([(keys, texts)], embedder, source_version=source_version, half=False)

    @classmethod
    def build_batches(
        cls,
        batches: Iterable[tuple[Sequence[str], Sequence[str]]],
        embedder: Embedder,
        *,
        source_version: str = "",
        half: bool = True,
    ) -> Self:
        """An index of a stream of (keys, texts), for the labels of millions of entities.

        Args:
            batches: equally many keys and texts each.
            embedder: makes the vectors.
            source_version: kept beside them.
            half: store float16 (scores differ by up to 0.001), half the memory.

        Raises:
            EmbedderError: the embedder is not installed or does not answer.
            ValueError: a batch has more keys than texts, or fewer.
        """
        vectors, found = _empty(embedder.dimensions, half=half), list[str]()
        for keys, texts in batches:
            if len(keys) != len(texts):
                raise ValueError(f"{len(keys)} keys for {len(texts)} texts")
            for start in range(0, len(texts), _CHUNK):
                vectors.add(embedder.embed(texts[start : start + _CHUNK]))
            found.extend(keys)
        return cls(vectors, found, embedder, source_version)

    @classmethod
    def from_vectors(
        cls, keys: Sequence[str], vectors: FloatArray, embedder: Embedder, *, source_version: str = ""
    ) -> Self:
        """An index of vectors float32 [n, dimensions] that `embedder` made, normalized here; may raise `ValueError`."""
        if vectors.shape != (len(keys), embedder.dimensions):
            raise ValueError(
                f"vectors of shape {vectors.shape} for {len(keys)} keys of {embedder.dimensions} dimensions"
            )
        index = _empty(embedder.dimensions, half=False)
        index.add(unit(np.ascontiguousarray(vectors, np.float32)))
        return cls(index, list(keys), embedder, source_version)

    def search(self, vectors: FloatArray, k: int) -> tuple[FloatArray, list[list[str]]]:
        """The k nearest keys of each vector, best first, equal scores in the order of building.

        Args:
            vectors: float32 [n, dimensions], unit vectors; a row of zeros scores 0 everywhere.
            k: at least 1; more than the index holds gives all.

        Returns:
            Cosines, float32 [n, min(k, len)] in [-1, 1], and the keys in the same places.

        Raises:
            ValueError: vectors of another shape, or k below 1.
        """
        if vectors.ndim != 2 or vectors.shape[1] != self._embedder.dimensions or k < 1:
            raise ValueError(f"need [n, {self._embedder.dimensions}] and k >= 1, not {vectors.shape} and {k}")
        k = min(k, len(self))
        if not k or not len(vectors):
            return np.zeros((len(vectors), k), np.float32), [[] for _ in vectors]
        _faiss()
        scores, rows = self._vectors.search(np.ascontiguousarray(vectors, np.float32), k)
        # FAISS leaves equal scores in any order; runs have to agree.
        order = np.lexsort((rows, -scores), axis=1)
        scores, rows = np.take_along_axis(scores, order, 1), np.take_along_axis(rows, order, 1)
        # Unit vectors of float32 may multiply to a hair above 1.
        return np.clip(scores, -1, 1), [[self._keys[row] for row in found] for found in rows.tolist()]

    def save(self, folder: Path) -> list[Path]:
        """Write the index; readers see the one before or this one. Returns the files written and removed.

        Raises:
            OSError: it cannot be written.
        """
        faiss = _faiss()
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".new-") as temporary:
            vectors, keys = Path(temporary, "vectors.faiss"), Path(temporary, "keys.json")
            faiss.write_index(self._vectors, str(vectors))
            keys.write_bytes(json.dumps(self._keys).encode())
            files = {path.stem: _settled(folder, path) for path in (vectors, keys)}
        embedder = self._embedder
        return INDEX.save(
            folder,
            {"embedder": embedder.name, "dimensions": embedder.dimensions, "count": len(self)},
            made_from={"embedder": embedder.fingerprint, "source": self.source_version},
            files=files,
        )

    @classmethod
    def load(cls, folder: Path, embedder: Embedder) -> Self:
        """Map the index of a folder.

        Raises:
            EmbedderError: another embedder made it.
            CorruptError, VersionError: as `ArtifactKind.load`; large files are compared by size alone.
        """
        found = INDEX.load(folder)
        if found.stale(embedder=embedder.fingerprint):
            raise EmbedderError(f"{folder} was made with the embedder {found.data['embedder']}, not {embedder.name}")
        return cls(_mapped(found), _keys(found), embedder, found.made_from["source"])


def _settled(folder: Path, path: Path) -> Path:
    """Give a finished temporary file its name, which holds its hash."""
    fsync_file(path)
    name = folder / f"{path.stem}-{sha256_file(path)[:12]}{path.suffix}"
    path.chmod(0o644)
    path.replace(name)
    return name


def _faiss() -> ModuleType:
    """faiss, imported by those who search (46 ms), told to use one thread.

    Its OpenMP threads wait for each other: two queries over 300 vectors took 5 ms on a busy machine, 0.05 ms on one.
    OpenMP keeps the number for each calling thread, so every use says it anew.
    """
    import faiss

    faiss.omp_set_num_threads(1)
    return faiss


def _empty(dimensions: int, *, half: bool) -> faiss.Index:
    lib = _faiss()
    if half:
        half_index: faiss.Index = lib.IndexScalarQuantizer(
            dimensions, lib.ScalarQuantizer.QT_fp16, lib.METRIC_INNER_PRODUCT
        )
        return half_index
    index: faiss.Index = lib.IndexFlatIP(dimensions)
    return index


def _mapped(found: Artifact) -> faiss.Index:
    lib = _faiss()
    try:
        vectors: faiss.Index = lib.read_index(str(found.files["vectors"]), lib.IO_FLAG_MMAP_IFC)
    except (MemoryError, RuntimeError, KeyError) as error:  # a damaged header may ask for any size
        raise INDEX.damaged(found.folder, error) from error
    if (vectors.ntotal, vectors.d) != (found.data["count"], found.data["dimensions"]):
        raise INDEX.damaged(found.folder, "its contents do not match its header")
    return vectors


def _keys(found: Artifact) -> list[str]:
    try:
        keys = json.loads(found.files["keys"].read_bytes())
    except (OSError, KeyError, ValueError) as error:
        raise INDEX.damaged(found.folder, error) from error
    if not isinstance(keys, list) or len(keys) != found.data["count"]:
        raise INDEX.damaged(found.folder, "its contents do not match its header")
    return keys
