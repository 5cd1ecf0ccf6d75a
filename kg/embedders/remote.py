"""Any LangChain embeddings by name: `openai:text-embedding-3-small`, `ollama:nomic-embed-text`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from trivium.kg.embedders.base import FloatArray, unit
from trivium.kg.errors import EmbedderError

# What clients raise for a missing key, a refusal or a silent server, where they are loaded at all.
_CLIENT_ERRORS = (
    ("openai", "OpenAIError"),
    ("httpx", "HTTPError"),
    ("httpx", "InvalidURL"),
    ("botocore.exceptions", "BotoCoreError"),
    ("google.api_core.exceptions", "GoogleAPIError"),
    ("cohere.core.api_error", "ApiError"),
)


class TextEmbeddings(Protocol):
    """The part of LangChain's `Embeddings` that is used here."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """A vector for each text."""
        ...


class LangChainEmbedder:
    """Embeddings of a LangChain provider; keys and base URLs come from the environment, as LangChain reads them.

    Args:
        name: `provider:model`.
        embeddings: use these instead of opening `name`.
    """

    def __init__(self, name: str, embeddings: TextEmbeddings | None = None) -> None:
        self.name = name
        self._given = embeddings

    @property
    def fingerprint(self) -> str:
        """The name: a provider does not show its weights."""
        return f"langchain:{self.name}"

    @cached_property
    def dimensions(self) -> int:
        """The length of a vector; the first use asks the provider for one.

        Raises:
            EmbedderError: as `embed`.
        """
        return len(self._ask(["dimensions"])[0])

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Unit vectors, float32 [n, dimensions]; a text of white space alone is all zeros and is not sent.

        Raises:
            EmbedderError: the package or the key is missing, or the provider does not answer. The provider's own
                words are left out, since they may repeat a part of the key.
        """
        sent = [row for row, text in enumerate(texts) if text.strip()]
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        if sent:
            vectors[sent] = self._ask([texts[row] for row in sent])
        return unit(vectors)

    def _ask(self, texts: list[str]) -> FloatArray:
        try:
            return np.asarray(self._embeddings.embed_documents(texts), np.float32)
        except _client_errors() as error:
            what = f"the embedder {self.name} failed ({type(error).__name__})"
            raise EmbedderError(f"{what}; check its key, its address and its limits") from None

    @cached_property
    def _embeddings(self) -> TextEmbeddings:
        return self._given or _open(self.name)


def _open(name: str) -> TextEmbeddings:
    from langchain.embeddings import init_embeddings

    # OpenAI's client would download a vocabulary to cut long texts; names and labels are short.
    options: dict[str, Any] = {"check_embedding_ctx_length": False} if name.startswith("openai:") else {}
    try:
        return init_embeddings(name, **options)
    except ImportError as error:
        raise EmbedderError(f"the embedder {name} is not installed: {error}") from error
    except _client_errors() as error:
        what = f"the embedder {name} cannot be opened ({type(error).__name__})"
        raise EmbedderError(f"{what}; check the name, and that its key is in the environment") from None


def _client_errors() -> tuple[type[Exception], ...]:
    """The errors of the clients that are loaded by now."""
    loaded = [getattr(sys.modules.get(module), name, None) for module, name in _CLIENT_ERRORS]
    return (OSError, RuntimeError, TypeError, ValueError, *(error for error in loaded if error is not None))
