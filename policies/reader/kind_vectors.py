"""Which kinds of a graph's things a noun may be for that nothing is called by: "phones", of a table of devices.

A kind is compared by what its own name, its columns, its things and their categories are called: "font" is like the
categories serif and monospace, "company" like Banking and Insurance. Static vectors compare them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from trivium.kg.embedders import Embedder
from trivium.kg.embedders.base import FloatArray, unit
from trivium.kg.text import tokens
from trivium.policies.reader.names import words_of
from trivium.policies.reader.schema import Schema

ALIKE = 0.3
"""Cosine from which a noun may be for things of a kind."""
_NEAR = 0.05  # below the likest kind's
_ITSELF = 0.55  # cosine from which a text may be what a noun is for
_SAMPLED = 20  # values of a column, labels of a kind
_LONGEST = 60  # letters of a text that is no prose
_MOST = 200  # groups of texts that are compared
_CATEGORIES = 500  # things that a kind of categories has at most


@dataclass
class KindVectors:
    """Compares nouns with the kinds of one graph whose things have facts of their own.

    Attributes:
        labels: some labels of a type's things, by its number.
    """

    schema: Schema
    embedder: Embedder
    labels: Callable[[int], Sequence[str]] = lambda _: ()

    def likest(self, noun: str) -> tuple[int, ...]:
        """The type that a noun, in the singular, is likest to; () where it is like none, or like several."""
        kinds, texts, vectors = self._groups
        if not kinds:
            return ()
        own = self.embedder.embed([noun])[0]
        cosines = vectors @ own
        best = float(cosines.max())
        if best < ALIKE or _is_of_some(self.embedder.embed(texts[int(cosines.argmax())]) @ own):
            return ()
        near = {kinds[place] for place in np.flatnonzero(cosines >= best - _NEAR).tolist()}
        widest = [kind for kind in near if all(kind in self.schema.inside[other] for other in near - {kind})]
        return tuple(kind for kind in widest if not any(self._are_sorts(kind, other) for other in {*kinds} - near))

    def _are_sorts(self, one: int, other: int) -> bool:
        """Whether two types may be sorts of one wider kind, which no type stands for: the tankers and the ferries."""
        columns = [{each.name for each in self.schema.of_type[kind] if not each.is_type} for kind in (one, other)]
        shared = columns[0] & columns[1]
        return 2 * len(shared) >= min(map(len, columns)) > 0 and one not in self.schema.inside[other]

    @cached_property
    def _groups(self) -> tuple[list[int], list[list[str]], FloatArray]:
        """The type of each group of texts, the texts, and their mean vector."""
        kinds, groups = list[int](), list[list[str]]()
        means = list[FloatArray]()
        for kind in self._with_facts():
            for texts in self._texts(kind):
                said = [text for text in map(_plain, texts) if text]
                if said and len(kinds) < _MOST:
                    kinds.append(kind)
                    groups.append(said)
                    means.append(self.embedder.embed(said).mean(axis=0))
        none = np.zeros((0, self.embedder.dimensions), np.float32)
        return kinds, groups, unit(np.stack(means)) if means else none

    def _with_facts(self) -> list[int]:
        """The types whose things have columns besides their names, or lead to others; no mere categories."""
        schema = self.schema
        heads = {head for _, head, _ in schema.joins}
        told = {each.type for each in schema.properties if not (each.naming or each.is_type)}
        return [kind for kind, role in enumerate(schema.types) if role.name and kind in heads | told]

    def _texts(self, kind: int) -> Iterator[Sequence[str]]:
        schema = self.schema
        yield [" ".join(phrase) for phrase in schema.types[kind].words]
        yield self.labels(kind)
        for each in schema.of_type[kind]:
            if each.profile.kind == "text" and not each.is_type:
                yield each.profile.examples[:_SAMPLED]
        for _, head, tail in schema.joins:
            if head == kind != tail and schema.types[tail].size <= _CATEGORIES:
                yield self.labels(tail)
        yield [" ".join(words_of(each.name)) for each in schema.of_type[kind] if not each.is_type]


def _is_of_some(cosines: FloatArray) -> bool:
    """Whether a noun is for some of what a group's texts are about, and not for all: a tugboat among ferries."""
    likest = float(cosines.max())
    return likest >= _ITSELF and float(np.median(cosines)) < likest / 2


def _plain(text: str) -> str:
    """The words of a text; "" for prose, addresses, and what has no letters."""
    said = " ".join(token.text for token in tokens(text)) if len(text) <= _LONGEST and "/" not in text else ""
    return said if any(map(str.isalpha, said)) else ""
