"""FAISS indexes of relations, templates and entities, and relation names as words."""

from trivium.kg.indexes.vector_index import INDEX, VectorIndex
from trivium.kg.indexes.words import name_path, own_words, relation_words

__all__ = ["INDEX", "VectorIndex", "name_path", "own_words", "relation_words"]
