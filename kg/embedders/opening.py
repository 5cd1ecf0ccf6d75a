"""From a name in a settings file to an embedder."""

from __future__ import annotations

from trivium.kg.embedders.base import Embedder
from trivium.kg.errors import EmbedderError

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
        from trivium.kg.embedders.hashing import HashingEmbedder

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
