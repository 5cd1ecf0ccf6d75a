"""Vectors remembered by text, in memory and in a small file: texts seen before need no model at the next start."""

from __future__ import annotations

import io
import json
import logging
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock

import numpy as np

from trivium.kg.embedders.base import Embedder, FloatArray, additive
from trivium.kg.files import write_atomic
from trivium.kg.memory import Memory

log = logging.getLogger("trivium.kg")

MAX_BYTES = 30_000_000
"""Bytes of texts and vectors kept by default: some 20,000 short texts of 256 dimensions."""

ADDITIVE_BYTES = 8_000_000
"""The same where a vector is a sum of token vectors, which takes microseconds to make again."""

_TEXT = 160  # bytes of a text and of an array beside what they hold


class CachedEmbedder:
    """An embedder in front of another one; safe to share between threads.

    The file is replaced as a whole, after merging what another process saved there in the meantime. A damaged file, or
    one made by another embedder, is dropped with a warning: it holds nothing that cannot be computed again.

    Args:
        inner: the embedder that makes the vectors.
        path: the file; None keeps them in memory alone.
        max_bytes: of the texts and vectors kept, the ones unused for longest go first; by default `MAX_BYTES`, or
            `ADDITIVE_BYTES`.
    """

    def __init__(self, inner: Embedder, path: Path | None = None, *, max_bytes: int | None = None) -> None:
        self.inner = inner
        self.path = path
        self._max = max_bytes or (MAX_BYTES if additive(inner) is None else ADDITIVE_BYTES)
        self._lock = Lock()
        self._loaded: Memory[str, FloatArray] | None = None
        self._changed = False
        self.opened = False
        """Whether `open` has read what there is."""

    @property
    def cheap(self) -> bool:
        """Whether a text takes microseconds, once `open` was called: its vector is a sum of token vectors."""
        return self.opened and additive(self.inner) is not None

    @property
    def name(self) -> str:
        """The inner embedder's name."""
        return self.inner.name

    @property
    def dimensions(self) -> int:
        """The inner embedder's dimensions."""
        return self.inner.dimensions

    @property
    def fingerprint(self) -> str:
        """The inner embedder's fingerprint."""
        return self.inner.fingerprint

    def open(self) -> None:
        """Read what `embed` needs from disk, so that the first text does not wait for it. Blocks.

        Raises:
            EmbedderError: as the inner embedder.
        """
        if not self.opened:
            if additive(self.inner) is not None:
                self.inner.embed(["a"])  # in this process, in microseconds: others may be asked for money
            self.opened = self._vectors is not None

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Unit vectors, float32 [n, dimensions]; the inner embedder sees each new text once.

        Raises:
            EmbedderError: as the inner embedder, for texts that are not remembered.
        """
        vectors = self._vectors
        found = {text: vector for text in texts if (vector := vectors.get(text)) is not None}
        missing = [text for text in dict.fromkeys(texts) if text not in found]
        if missing:
            # Copies: a row that is a view would keep its whole batch in memory.
            for text, row in zip(missing, self.inner.embed(missing), strict=True):
                found[text] = row.copy()
                vectors.put(text, found[text])
            self._changed = True
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        return np.stack([found[text] for text in texts])

    def save(self) -> None:
        """Write the file, when there is one and something is new.

        Raises:
            OSError: the file cannot be written.
        """
        if self.path is None or not self._changed:
            return
        self._changed = False
        merged = self._memory(_read(self.path, self.fingerprint))  # what another process saved in the meantime
        for text, vector in self._vectors.items():
            merged.put(text, vector)
        write_atomic(self.path, _pack(dict(merged.items()), self.fingerprint))

    @property
    def _vectors(self) -> Memory[str, FloatArray]:
        """Text to vector, float32 [dimensions]; read from the file at the first use."""
        with self._lock:
            if self._loaded is None:
                self._loaded = self._memory(_read(self.path, self.fingerprint) if self.path else {})
            return self._loaded

    def _memory(self, held: Mapping[str, FloatArray]) -> Memory[str, FloatArray]:
        memory: Memory[str, FloatArray] = Memory(self._max, lambda text, vector: _TEXT + len(text) + vector.nbytes)
        for text, vector in held.items():
            memory.put(text, vector)
        return memory


def _pack(vectors: dict[str, FloatArray], fingerprint: str) -> bytes:
    """A NumPy archive, whose zip checksums show damage: the texts as JSON, the vectors as float32 [n, d]."""
    header = json.dumps({"fingerprint": fingerprint, "texts": list(vectors)}).encode()
    rows = np.stack(list(vectors.values())) if vectors else np.zeros((0, 0), np.float32)
    file = io.BytesIO()
    np.savez(file, header=np.frombuffer(header, np.uint8), vectors=rows)
    return file.getvalue()


def _read(path: Path, fingerprint: str) -> dict[str, FloatArray]:
    """The vectors of a file; none where it is absent, damaged or another embedder's."""
    if not path.exists():
        return {}
    try:
        # Read first: NumPy leaves a damaged file open.
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as archive:
            header = json.loads(archive["header"].tobytes())
            texts, rows = header["texts"], archive["vectors"]
        if header["fingerprint"] == fingerprint:
            return dict(zip(texts, rows.astype(np.float32, copy=False), strict=True))
        log.warning("%s was made by another embedder (%s); its vectors are dropped", path, header["fingerprint"])
    except (OSError, EOFError, KeyError, TypeError, ValueError, zipfile.BadZipFile, zlib.error) as error:
        log.warning("%s is damaged (%s); its vectors are dropped and computed again", path, error)
    return {}
