"""From a name in a settings file to an embedder; and the one for tests, hashed words, equal on every machine."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from trivium.kg.embedders.base import Embedder, FloatArray, unit
from trivium.kg.errors import EmbedderError
from trivium.kg.text import tokens


class HashingEmbedder:
    """Each word and each three letters of a word count +1 or -1 at a place that a seeded hash picks.

    Args:
        dimensions: length of the vectors, at least 1.
        seed: another seed, other places.
    """

    def __init__(self, dimensions: int = 256, seed: int = 0) -> None:
        if dimensions < 1:
            raise ValueError(f"dimensions must be at least 1, not {dimensions}")
        self.name = "hashing"
        self.dimensions = dimensions
        self.fingerprint = f"hashing:{dimensions}:{seed}"
        self._salt = seed.to_bytes(8, "little", signed=True)

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Unit vectors, float32 [n, dimensions]; a text without a word is all zeros."""
        return unit(self.token_sums(texts))

    def token_sums(self, texts: Sequence[str]) -> FloatArray:
        """Sums over words, float32 [n, dimensions]: that of "a b" is that of "a" plus that of "b"."""
        sums = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            for word, _, _ in tokens(text):
                # A word weighs as much as three of its triples: "director" is near "directed", nearer to "director".
                self._count(sums[row], word, 3.0)
                padded = f" {word} "
                for at in range(len(padded) - 2):
                    self._count(sums[row], padded[at : at + 3], 1.0)
        return sums

    def _count(self, row: FloatArray, feature: str, weight: float) -> None:
        value = int.from_bytes(
            blake2b(feature.encode(errors="replace"), digest_size=8, salt=self._salt).digest(), "little"
        )
        row[(value >> 1) % self.dimensions] += weight if value & 1 else -weight


DEFAULT = "static"
NAMES = "static, hashing, minilm, hf:MODEL or PROVIDER:MODEL (openai:text-embedding-3-small)"


def open_embedder(name: str = DEFAULT) -> Embedder:
    """The embedder of a name; nothing is loaded before its first use.

    Args:
        name: `static`, `hashing`, `minilm`, `hf:roberta-base` (name or folder) or a LangChain `provider:model`.

    Raises:
        EmbedderError: no embedder has that name.
    """
    # Each module is imported by its own branch: a process pays for the embedder that it uses.
    kind, colon, model = name.partition(":")
    if name == "static":
        from trivium.kg.embedders.static import StaticEmbedder

        return StaticEmbedder()
    if name == "hashing":
        return HashingEmbedder()
    if name == "minilm":
        from trivium.kg.embedders.huggingface import MiniLMEmbedder

        return MiniLMEmbedder()
    if kind == "hf" and model:
        from trivium.kg.embedders.huggingface import HuggingFaceEmbedder

        return HuggingFaceEmbedder(model)
    if colon and kind and model:
        from trivium.kg.embedders.remote import LangChainEmbedder

        return LangChainEmbedder(name)
    raise EmbedderError(f"unknown embedder {name!r}; choose {NAMES}")
