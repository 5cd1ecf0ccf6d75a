"""Texts to vectors: one `Embedder` interface over static, hashed, transformer and remote models."""

from trivium.kg.embedders.base import AdditiveEmbedder, Embedder, FloatArray, additive, unit
from trivium.kg.embedders.cached import CachedEmbedder
from trivium.kg.embedders.opening import open_embedder

__all__ = ["AdditiveEmbedder", "CachedEmbedder", "Embedder", "FloatArray", "additive", "open_embedder", "unit"]
