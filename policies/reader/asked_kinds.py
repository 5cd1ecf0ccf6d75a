"""Whether the noun that is asked for may be for what a relation leads to: "which town", but no hospital, of cities."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from trivium.kg.embedders import Embedder
from trivium.kg.embedders.static import StaticEmbedder
from trivium.kg.text import singular
from trivium.policies.reader.english import Language
from trivium.policies.reader.names import words_of
from trivium.policies.reader.schema import Schema

ALIKE = 0.17
"""Cosine from which two nouns may be for the same things: a "venue" and a `Room`, but no "hospital" and a `City`."""
_LIKEST = 0.5  # from which they surely are
_PERSONS = frozenset({"person", "people"})
_UNKNOWN = 0.7  # how strange a noun is of which nothing is known


@dataclass(frozen=True)
class AskedKinds:
    """Compares nouns with what the relations of one schema lead to."""

    schema: Schema
    language: Language
    embedder: Embedder

    def is_other(self, noun: str, relation: str, *, inverse: bool, read: AbstractSet[str] = frozenset()) -> bool:
        """Whether a noun, which no reading places, is unlike all words for what a relation leads to.

        A word without a vector of its own is not judged: nothing is known of a "dale". Nor is one in a graph without
        types, where nothing tells what its things are. A property leads to what its own name says: no "color" is an
        `origin`; two nouns that one asking word asks for may mean the same, a "town" and a `birthplace`.

        Args:
            noun: folded.
            relation: its name, or a property's.
            inverse: whether it is walked from its end to its start.
            read: other words of the question, which say the relation and not what it leads to: "born".
        """
        if not self.schema.typed or not self._has_own_vector(noun):
            return False
        stem = self.language.stem
        said = {stem(word) for word in read}
        if self.schema.called(relation):
            own = [word for word in words_of(relation) if stem(word) not in said and word.isalpha()]
            asks = self.language.asked.get(stem(noun), {}).keys()
            alike = any(asks & self.language.asked.get(stem(word), {}).keys() for word in own)
            return bool(own) and not alike and not self._is_like(noun, own)
        ends = self._ends(relation, inverse=inverse)
        names = {word for role in ends for phrase in self.schema.types[role].words for word in phrase}
        if not names or any(not any(self.schema.types[role].words) for role in ends):  # things without a type
            return False
        names |= {word for word in words_of(relation) if stem(word) not in said}
        return not self._is_like(noun, sorted(names - self.language.classes.function))

    def is_rare(self, word: str) -> bool:
        """Whether a word is so rare that it is hardly one of everyday: "phenacetin"; its singular, too.

        Only static vectors tell; to an embedder of sentences no word is.
        """
        known = self._has_own_vector("the")  # as every word of everyday
        return known and not (self._has_own_vector(word) or self._has_own_vector(singular(word)))

    def strangeness(self, noun: str, names: AbstractSet[str], relations: Iterable[str] = ()) -> float:
        """How unlike a noun is to all words for what a plan is about, in [0, 1]; `_UNKNOWN` without a vector.

        Args:
            noun: folded.
            names: the words.
            relations: those that the plan walks, whose ends it is about as well.
        """
        ends = {role for each in relations for inverse in (True, False) for role in self._ends(each, inverse=inverse)}
        names = names | {word for role in ends for phrase in self.schema.types[role].words for word in phrase}
        persons = self.language.asking["who"]
        if singular(noun) in persons and not _PERSONS.isdisjoint(names):
            return 0.0  # a character is a person
        own = next((word for word in (noun, singular(noun)) if self._has_own_vector(word)), "")
        about = sorted(names - self.language.classes.function)
        like = self._likeness(noun, own, about)
        return _UNKNOWN if like is None else min(max((_LIKEST - like) / (_LIKEST - ALIKE), 0.0), 1.0)

    def _likeness(self, noun: str, own: str, names: Sequence[str]) -> float | None:
        """How like a noun is to the likest of some words: by its stem or a concept, else by the vector of `own`."""
        stem, concepts = self.language.stem, self.language.concepts
        mine = concepts.get(stem(noun), frozenset())
        if any(stem(name) == stem(noun) or mine & concepts.get(stem(name), frozenset()) for name in names):
            return 1.0
        if not own:
            return None
        vectors = self.embedder.embed([own, *names])
        return float((vectors[1:] @ vectors[0]).max()) if names else 0.0

    def _ends(self, relation: str, *, inverse: bool) -> set[int]:
        """The types of what a relation leads to, and those that such things may have as well."""
        schema = self.schema
        found = {head if inverse else tail for number, head, tail in schema.joins if schema.names[number] == relation}
        return found | {other for other in range(len(schema.types)) for end in found if schema.compatible(end, other)}

    def _is_like(self, noun: str, names: Sequence[str]) -> bool:
        return (self._likeness(noun, noun, names) or 0.0) >= ALIKE

    def _has_own_vector(self, noun: str) -> bool:
        return has_own_vector(self.embedder, noun)


def has_own_vector(embedder: Embedder, word: str) -> bool:
    """Whether a word is one that static vectors know, and not put together from parts of others."""
    static = getattr(embedder, "inner", embedder)
    return isinstance(static, StaticEmbedder) and static.count_tokens(f" {word}") == 1
