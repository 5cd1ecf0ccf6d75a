"""Texts to vectors: one `Embedder` interface over static, hashed, transformer and remote models."""

from kg.embedders.base import AdditiveEmbedder, Embedder, FloatArray, additive, unit
from kg.embedders.cached import CachedEmbedder
from kg.embedders.opening import open_embedder

__all__ = ["AdditiveEmbedder", "CachedEmbedder", "Embedder", "FloatArray", "additive", "open_embedder", "unit"]
