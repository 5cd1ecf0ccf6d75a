"""What a masked question says, as features: hashed word n-grams around the mask and static word vectors.

The n-grams learn the pairs' own wording; the vectors carry over to words that no pair holds. Unknown words are read as
their nearest known word where one is near enough, so that "movies" can stand for "films".
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trivium.kg.embedders import Embedder
from trivium.kg.memory import Memory
from trivium.policies.reader.chains.decomposer import MASK
from trivium.policies.reader.chains.lexicon import stem

NAME = "<name>"
"""Stands for an unknown word inside another mention: names say nothing about relations."""
UNKNOWN = "<unknown>"
START, END = "<start>", "<end>"

_VECTOR_WEIGHT = 0.5  # of the dense block beside the n-grams; of 0, 0.5, 1 and 2 the best compromise in a prototype
_REMEMBERED = 1_000_000  # bytes of unknown words and what they are read as
_NEAR = 0.5  # cosine from which an unknown word is read as its nearest known one

Ids = NDArray[np.int64]
Vector = NDArray[np.float32]


class Wording(NamedTuple):
    """A question's folded words with one mention replaced by `[mask]`, which stands at `mask`."""

    words: tuple[str, ...]
    mask: int


class Encoded(NamedTuple):
    """A wording as features: ids int64 [k], distinct, in [0, buckets); dense float32 [3 d]: all words, left, right."""

    ids: Ids
    dense: Vector


def mask_words(words: Sequence[str], start: int, stop: int) -> Wording:
    """Replace `words[start:stop]` by the mask."""
    return Wording((*words[:start], MASK, *words[stop:]), start)


@dataclass(frozen=True)
class KnownWords:
    """Words that questions are made of, as they stand and by their stems: no name by themselves."""

    words: frozenset[str]
    stems: frozenset[str] = frozenset()

    def __contains__(self, word: object) -> bool:
        return word in self.words or (isinstance(word, str) and stem(word) in self.stems)


@dataclass
class Vocabulary:
    """The words of the training pairs outside their mentions, with unit vectors float32 [n, d].

    Another word asks the embedder once which known word it is nearest to.
    """

    words: tuple[str, ...]
    vectors: Vector
    embedder: Embedder

    def __post_init__(self) -> None:
        self._row = {word: row for row, word in enumerate(self.words)}
        self._read_as: Memory[str, str] = Memory(_REMEMBERED)

    @classmethod
    def learn(cls, words: Sequence[str], embedder: Embedder) -> Vocabulary:
        """A vocabulary of these words, sorted."""
        ordered = tuple(sorted(set(words)))
        return cls(ordered, embedder.embed(ordered), embedder)

    def __contains__(self, word: object) -> bool:
        return word in self._row

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __len__(self) -> int:
        return len(self.words)

    def rows(self, words: Sequence[str]) -> list[int]:
        """The places of the known words among `vectors`; other words have none."""
        return [row for word in words if (row := self._row.get(word)) is not None]

    def read(self, word: str) -> str:
        """The word itself where it is known, else its nearest known one, else `UNKNOWN`."""
        if word in self._row:
            return word
        found = self._read_as.get(word)
        if found is None:
            found = self._nearest(word)
            self._read_as.put(word, found)
        return found

    def _nearest(self, word: str) -> str:
        if not self.words:
            return UNKNOWN
        cosines = self.vectors @ self.embedder.embed([word])[0]
        best = int(cosines.argmax())
        return self.words[best] if cosines[best] >= _NEAR else UNKNOWN


@dataclass(frozen=True)
class Encoder:
    """Turns wordings into features over `buckets` hashed n-grams and the vocabulary's vectors."""

    vocabulary: Vocabulary
    buckets: int

    def encode(self, wording: Wording) -> Encoded:
        """Features of one wording; names and the mask carry no vector."""
        words = [word if word in (MASK, NAME) else self.vocabulary.read(word) for word in wording.words]
        hashed = {zlib.crc32(gram.encode()) % self.buckets for gram in _grams(words, wording.mask)}
        left, right = self._sum(words[: wording.mask]), self._sum(words[wording.mask + 1 :])
        dense = np.concatenate([_unit(left + right), _unit(left), _unit(right)])
        return Encoded(np.array(sorted(hashed), dtype=np.int64), np.float32(_VECTOR_WEIGHT) * dense)

    def _sum(self, words: Sequence[str]) -> Vector:
        total: Vector = self.vocabulary.vectors[self.vocabulary.rows(words)].sum(axis=0)
        return total


def _unit(vector: Vector) -> Vector:
    norm = float(np.sqrt(vector @ vector))
    return vector / np.float32(norm) if norm else vector


def _grams(words: Sequence[str], mask: int) -> list[str]:
    """1- to 3-grams of the text, and 1- and 2-grams that know which side of the mask they are on and how near."""
    text = [START, *words, END]
    mask += 1
    out = ["g " + " ".join(text[i : i + n]) for n in (1, 2, 3) for i in range(len(text) - n + 1)]
    for i, word in enumerate(text):
        if i != mask:
            side = "l " if i < mask else "r "
            out.append(side + word)
            if i + 1 < len(text) and i + 1 != mask:
                out.append(f"{side}{word} {text[i + 1]}")
    for gap in (1, 2):
        out.append(f"p{gap} {text[mask - gap] if mask >= gap else START}")
        out.append(f"n{gap} {text[mask + gap] if mask + gap < len(text) else END}")
    return out
