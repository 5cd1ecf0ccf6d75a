"""Transformers (extra `minilm`): MiniLM, and any Hugging Face encoder by name or folder, mean pooling over tokens."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from trivium.kg.embedders.base import FloatArray, unit
from trivium.kg.errors import EmbedderError

if TYPE_CHECKING:
    import torch
    from sentence_transformers import SentenceTransformer
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


_ENDS = 64 << 10


def weights_hash(name: str) -> str | None:
    """16 hexadecimal digits for a model folder, or a model in the local Hugging Face cache; None where it is not here.

    Of each weights file the size and the first and last 64 KB count: training changes every tensor, and hashing
    half a gigabyte at each start would take longer than the question.
    """
    folder = Path(name) if Path(name).is_dir() else _cached_folder(name)
    files = sorted(folder.glob("*.safetensors")) if folder else []
    if not files:
        return None
    digest = hashlib.sha256()
    for path in files:
        size = path.stat().st_size
        digest.update(f"{path.name}:{size}:".encode())
        with path.open("rb") as file:
            digest.update(file.read(_ENDS))
            file.seek(max(0, size - _ENDS))
            digest.update(file.read(_ENDS))
    return digest.hexdigest()[:16]


def _cached_folder(name: str) -> Path | None:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(name, local_files_only=True))
    except (HFValidationError, LocalEntryNotFoundError):
        return None


BATCH = 64
MAX_TOKENS = 256


class _Loaded(NamedTuple):
    tokenizer: PreTrainedTokenizerBase
    model: PreTrainedModel
    device: torch.device


class HuggingFaceEmbedder:
    """Mean of an encoder's last hidden states; texts are cut at 256 tokens. Runs on a GPU where torch finds one.

    Args:
        model: its name on the Hugging Face hub, or a folder. Only safetensors weights are read.
    """

    def __init__(self, model: str) -> None:
        self.name = f"hf:{model}"
        self._model = model

    @cached_property
    def dimensions(self) -> int:
        """The length of a vector; loads the model."""
        return int(self._loaded.model.config.hidden_size)

    @cached_property
    def fingerprint(self) -> str:
        """Model and weights; loads (and so downloads) the model only where it is not here yet."""
        found = weights_hash(self._model)
        if found is None:
            _ = self._loaded
            found = weights_hash(self._model)
        return f"{self.name}:{found}"

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Unit vectors, float32 [n, dimensions]; a text of white space alone is all zeros.

        Raises:
            EmbedderError: the extra is not installed, or the model cannot be fetched or has no safetensors weights.
        """
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        # Texts of like length share a batch, so that little is padding.
        filled = sorted((row for row, text in enumerate(texts) if text.strip()), key=lambda row: len(texts[row]))
        for rows in _batches(filled):
            vectors[rows] = self._pool([texts[row] for row in rows])
        return unit(vectors)

    def _pool(self, texts: list[str]) -> FloatArray:
        import torch

        tokenizer, model, device = self._loaded
        batch = tokenizer(texts, padding=True, truncation=True, max_length=MAX_TOKENS, return_tensors="pt").to(device)
        with torch.inference_mode():
            states = model(**batch).last_hidden_state.float()
            mask = batch["attention_mask"].unsqueeze(-1).float()
            means = (states * mask).sum(1) / mask.sum(1).clamp(min=1)
        return np.asarray(means.cpu().numpy(), np.float32)

    @cached_property
    def _loaded(self) -> _Loaded:
        try:
            import torch
            from transformers import AutoModel, AutoTokenizer
        except ImportError as error:
            raise EmbedderError(f"the embedder {self.name} needs an extra: pip install '.[minilm]'") from error
        try:
            tokenizer = AutoTokenizer.from_pretrained(self._model)
            model = AutoModel.from_pretrained(self._model, use_safetensors=True)
        except (OSError, ValueError) as error:
            why = str(error).partition("\n")[0]
            raise EmbedderError(f"the model {self._model} cannot be loaded: {why}") from error
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        return _Loaded(tokenizer, model.eval().to(device), device)


def _batches(rows: list[int]) -> Iterator[list[int]]:
    return (rows[start : start + BATCH] for start in range(0, len(rows), BATCH))


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
