"""Words to token ids: the byte-pair encoding of Llama 2's tokenizer, whose vectors `wordllama` carries.

Read from the package's own `tokenizer.json`. No merge of that file joins two words, so each word is encoded by itself
and remembered; the ids equal those of the `tokenizers` library (a test compares them), which takes twice as long to
load. Differences by intent: runs of white space count as one space, `<s>` in a text is text, and a word of more than
`LONGEST` characters is cut, since merging takes the square of its length.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain, pairwise

LONGEST = 128
"""Characters of a word that are merged together; scripts without spaces make words of whole sentences."""

_REMEMBERED = 10_000  # words, some 300 bytes each
_ORDINARY = 32  # characters of a word that is remembered
_START = "▁"


class WordPieces:
    """Encodes texts; safe to share between threads."""

    def __init__(self, tokenizer_json: bytes) -> None:
        model = json.loads(tokenizer_json)["model"]
        self._vocabulary: dict[str, int] = model["vocab"]
        self._ranks = {pair: rank for rank, pair in enumerate(model["merges"])}
        self._bytes = [self._vocabulary[f"<0x{value:02X}>"] for value in range(256)]
        self._words: dict[str, tuple[int, ...]] = {}

    def encode(self, text: str) -> list[int]:
        """The token ids of a text; empty for a text of white space alone."""
        return list(chain.from_iterable(map(self._word, text.split())))

    def _word(self, word: str) -> tuple[int, ...]:
        ids = self._words.get(word)
        if ids is None:
            ids = tuple(self._ids(_START + word))
            if len(word) <= _ORDINARY:
                if len(self._words) >= _REMEMBERED:
                    self._words.clear()
                self._words[word] = ids
        return ids

    def _ids(self, word: str) -> Iterator[int]:
        for start in range(0, len(word), LONGEST):
            for piece in self._merge(list(word[start : start + LONGEST])):
                known = self._vocabulary.get(piece)
                if known is None:
                    yield from (self._bytes[value] for value in piece.encode(errors="replace"))
                else:
                    yield known

    def _merge(self, pieces: list[str]) -> list[str]:
        """Join the pair that was learned first, until no pair is known."""
        unknown = len(self._ranks)
        while len(pieces) > 1:
            ranks = [self._ranks.get(f"{a} {b}", unknown) for a, b in pairwise(pieces)]
            best = min(ranks)
            if best == unknown:
                break
            at = ranks.index(best)
            pieces[at : at + 2] = [pieces[at] + pieces[at + 1]]
        return pieces
