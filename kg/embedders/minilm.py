"""all-MiniLM-L6-v2 through sentence-transformers (extra `minilm`)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from trivium.kg.embedders.base import FloatArray, unit
from trivium.kg.embedders.weights import weights_hash
from trivium.kg.errors import EmbedderError

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

MODEL = "sentence-transformers/all-MiniLM-L6-v2"


class MiniLMEmbedder:
    """A sentence encoder of 384 dimensions; texts are cut at its 256 tokens.

    Args:
        model: its name on the Hugging Face hub, or a folder.
    """

    name = "minilm"

    def __init__(self, model: str = MODEL) -> None:
        self._name = model

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        return 384 if self._name == MODEL else int(self._model.get_embedding_dimension() or 0)

    @cached_property
    def fingerprint(self) -> str:
        """Model and weights; loads (and so downloads) the model only where it is not here yet."""
        found = weights_hash(self._name)
        if found is None:
            _ = self._model
            found = weights_hash(self._name)
        return f"minilm:{self._name}:{found}"

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Unit vectors, float32 [n, dimensions]; a text of white space alone is all zeros.

        Raises:
            EmbedderError: the extra is not installed, or the model cannot be fetched.
        """
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        filled = [row for row, text in enumerate(texts) if text.strip()]
        if filled:
            vectors[filled] = self._model.encode([texts[row] for row in filled], show_progress_bar=False)
        return unit(vectors)

    @cached_property
    def _model(self) -> SentenceTransformer:
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise EmbedderError("the embedder minilm needs an extra: pip install '.[minilm]'") from error
        try:
            return SentenceTransformer(self._name, model_kwargs={"use_safetensors": True})
        except (OSError, ValueError) as error:
            why = str(error).partition("\n")[0]
            raise EmbedderError(f"the model {self._name} cannot be loaded: {why}") from error
