"""Whether the noun that is asked for may be for what a relation leads to: "which town", but no hospital, of cities."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from trivium.kg.embedders import Embedder
from trivium.kg.embedders.static import StaticEmbedder
from trivium.policies.reader.english import Language
from trivium.policies.reader.names import words_of
from trivium.policies.reader.schema import Schema

ALIKE = 0.17
"""Cosine from which two nouns may be for the same things: a "venue" and a `Room`, but no "hospital" and a `City`."""


@dataclass(frozen=True)
class AskedKinds:
    """Compares nouns with what the relations of one schema lead to."""

    schema: Schema
    language: Language
    embedder: Embedder

    def is_other(self, noun: str, relation: str, *, inverse: bool, read: AbstractSet[str] = frozenset()) -> bool:
        """Whether a noun, which no reading places, is unlike all words for what a relation leads to.

        A word without a vector of its own is not judged: nothing is known of a "dale". Nor is one in a graph without
        types, where nothing tells what its things are.

        Args:
            noun: folded.
            relation: its name.
            inverse: whether it is walked from its end to its start.
            read: other words of the question, which say the relation and not what it leads to: "born".
        """
        if not self.schema.typed or not self._has_own_vector(noun):
            return False
        stem = self.language.stem
        said = {stem(word) for word in read}
        ends = self._ends(relation, inverse=inverse)
        names = {word for role in ends for phrase in self.schema.types[role].words for word in phrase}
        if not names or any(not any(self.schema.types[role].words) for role in ends):  # things without a type
            return False
        names |= {word for word in words_of(relation) if stem(word) not in said}
        return not self._is_like(noun, sorted(names - self.language.classes.function))

    def _ends(self, relation: str, *, inverse: bool) -> set[int]:
        """The types of what a relation leads to, and those that such things may have as well."""
        schema = self.schema
        found = {head if inverse else tail for number, head, tail in schema.joins if schema.names[number] == relation}
        return found | {other for other in range(len(schema.types)) for end in found if schema.compatible(end, other)}

    def _is_like(self, noun: str, names: Sequence[str]) -> bool:
        stem, concepts = self.language.stem, self.language.concepts
        own = concepts.get(stem(noun), frozenset())
        if any(stem(name) == stem(noun) or own & concepts.get(stem(name), frozenset()) for name in names):
            return True
        vectors = self.embedder.embed([noun, *names])
        return bool(names) and float((vectors[1:] @ vectors[0]).max()) >= ALIKE

    def _has_own_vector(self, noun: str) -> bool:
        embedder = getattr(self.embedder, "inner", self.embedder)
        return isinstance(embedder, StaticEmbedder) and embedder.count_tokens(f" {noun}") == 1
