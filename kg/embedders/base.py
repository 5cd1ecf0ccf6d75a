"""The `Embedder` protocol and what every embedder shares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into vectors whose dot products are cosine similarities.

    Construction is cheap: a model is loaded by the first call that needs it. `embed` blocks (a transformer or a remote
    service for long), so asynchronous code calls it in a thread unless it knows the embedder to be static.
    """

    @property
    def name(self) -> str:
        """The name that `open_embedder` takes."""
        ...

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        ...

    @property
    def fingerprint(self) -> str:
        """Equal for equal vectors: model and weights. An index made with another fingerprint is refused."""
        ...

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Vectors of the texts: float32 [n, dimensions], each of length 1; a text without content is all zeros.

        Raises:
            EmbedderError: the model is not installed, differs from the one expected, or does not answer.
        """
        ...


@runtime_checkable
class AdditiveEmbedder(Protocol):
    """An embedder whose vector of `a b` is the sum of those of `a` and `b`, made a unit vector."""

    def token_sums(self, texts: Sequence[str]) -> FloatArray:
        """Sums of token vectors, float32 [n, dimensions], not normalized; a text without content is all zeros."""
        ...


def additive(embedder: Embedder) -> AdditiveEmbedder | None:
    """The additive embedder that this one is, or caches; None where its vectors do not add up."""
    inner = getattr(embedder, "inner", embedder)
    return inner if isinstance(inner, AdditiveEmbedder) else None


def unit(vectors: FloatArray) -> FloatArray:
    """Rows divided by their length, float32 [n, d]; a row of zeros stays zeros."""
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    lengths[lengths == 0] = 1
    return np.asarray(vectors / lengths[:, None], dtype=np.float32)
