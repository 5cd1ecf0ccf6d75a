"""The default: static token vectors (256 dimensions) that the `wordllama` package carries; no download, no torch.

The package's two data files are read directly: importing it costs 340 ms and sets up the root logger.
A text's vector is the mean of its tokens' vectors, so vectors add up: `token_sums` of "relation tail" is that of
"relation" plus that of "tail". Upper and lower case differ, as in the vocabulary.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain, pairwise
from pathlib import Path
from threading import Lock
from typing import NamedTuple

import numpy as np

from trivium.kg.cores import beside
from trivium.kg.embedders.base import FloatArray, unit
from trivium.kg.errors import EmbedderError

LONGEST = 128
"""Characters of a word that are merged together; scripts without spaces make words of whole sentences."""

_REMEMBERED = 10_000  # words, some 300 bytes each
_ORDINARY = 32  # characters of a word that is remembered
_START = "▁"
_RUNS = re.compile(r" ?(?:[^\W\d_]+|\d+|_+|[^\w\s]+)|\s")


class WordPieces:
    """Words to token ids: the byte-pair encoding of Llama 2's tokenizer. Safe to share between threads.

    No merge of its `tokenizer.json` joins two words, so each word is encoded by itself and remembered; the ids equal
    those of the `tokenizers` library (a test compares them), which takes twice as long to load. Differences by intent:
    runs of white space count as one space, `<s>` in a text is text, and a word of more than `LONGEST` characters is
    cut, since merging takes the square of its length.
    """

    def __init__(self, tokenizer_json: bytes) -> None:
        model = json.loads(tokenizer_json)["model"]
        self._vocabulary: dict[str, int] = model["vocab"]
        self._ranks = {pair: rank for rank, pair in enumerate(model["merges"])}
        self._bytes = [self._vocabulary[f"<0x{value:02X}>"] for value in range(256)]
        self._words: dict[str, tuple[int, ...]] = {}

    def encode(self, text: str) -> list[int]:
        """The token ids of a text; empty for a text of white space alone."""
        return list(chain.from_iterable([self._word(_START + word) for word in text.split()]))

    def count(self, text: str) -> int:
        """Tokens that a model of this vocabulary reads in a text: line breaks count, signs are apart from letters."""
        runs = [run.replace(" ", _START) for run in _RUNS.findall(text)]
        return sum(len(self._word(run)) for run in runs)

    def _word(self, word: str) -> tuple[int, ...]:
        ids = self._words.get(word)
        if ids is None:
            ids = tuple(self._ids(word))
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


DIMENSIONS = 256
WEIGHTS = "weights/l2_supercat_256.safetensors"
TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
SHA256 = {
    WEIGHTS: "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5",
    TOKENIZER: "93248f2a9ec36c7b35f700a033d5f36228aae48db61aee31007fa49062cdeb68",
}

_BATCH = 1024
_loading = Lock()


class _Model(NamedTuple):
    """Token vectors, float32 [vocabulary, 256], and the words' token ids."""

    vectors: FloatArray
    pieces: WordPieces


class StaticEmbedder:
    """Mean of static token vectors: exact, deterministic, some 20 microseconds a short text.

    The model (33 MB, 0.1 s to load) is shared by all instances.

    Args:
        folder: where the two files lie; by default the installed `wordllama` package.
    """

    name = "static"
    dimensions = DIMENSIONS
    fingerprint = f"static:{SHA256[WEIGHTS][:16]}"

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Unit vectors, float32 [n, 256]; a text of white space alone is all zeros.

        Raises:
            EmbedderError: `wordllama` is not installed or its files are not those expected.
        """
        return unit(self.token_sums(texts))

    def token_sums(self, texts: Sequence[str]) -> FloatArray:
        """Sums of token vectors, float32 [n, 256]: that of "a b" is that of "a" plus that of "b".

        Raises:
            EmbedderError: as `embed`.
        """
        vectors, pieces = self._model
        sums = np.zeros((len(texts), DIMENSIONS), np.float32)
        for start in range(0, len(texts), _BATCH):
            _add_up(vectors, [pieces.encode(text) for text in texts[start : start + _BATCH]], sums[start:])
        return sums

    def count_tokens(self, text: str) -> int:
        """Tokens of a text as Llama 2 counts them; raises as `embed`."""
        return self._model.pieces.count(text)

    @cached_property
    def _model(self) -> _Model:
        folder = self._folder or _package_folder()
        with _loading:
            if folder not in _models:
                _models[folder] = _load(folder)
            return _models[folder]


_models: dict[Path, _Model] = {}


def _add_up(vectors: FloatArray, ids: list[list[int]], sums: FloatArray) -> None:
    """Write the sum of each list's rows of `vectors` into the rows of `sums`."""
    if len(ids) == 1:
        vectors[ids[0]].sum(axis=0, out=sums[0])
        return
    filled = [row for row, found in enumerate(ids) if found]
    if filled:
        starts = np.cumsum([0, *(len(ids[row]) for row in filled[:-1])])
        rows = vectors[[token for found in ids for token in found]]
        sums[filled] = np.add.reduceat(rows, starts, axis=0)


def _package_folder() -> Path:
    found = importlib.util.find_spec("wordllama")  # finds the package, runs none of it
    if found is None or not found.submodule_search_locations:
        raise EmbedderError("the static embedder needs the package wordllama: pip install 'wordllama==0.4.*'")
    return Path(found.submodule_search_locations[0])


def _load(folder: Path) -> _Model:
    # Hashing and converting 16 MB run beside the parsing of the vocabulary, since both leave the interpreter free.
    with beside(lambda: _matrix(_checked(folder, WEIGHTS))) as vectors:
        pieces = WordPieces(_checked(folder, TOKENIZER))
        return _Model(vectors.result(), pieces)


def _checked(folder: Path, name: str) -> bytes:
    try:
        data = (folder / name).read_bytes()
    except OSError as error:
        what = f"the static embedder cannot read {folder / name} ({error.strerror})"
        raise EmbedderError(f"{what}: pip install --force-reinstall 'wordllama==0.4.*'") from error
    if hashlib.sha256(data).hexdigest() != SHA256[name]:
        what = f"{folder / name} is not the file that Trivium's indexes are made with"
        raise EmbedderError(f"{what}: pip install --force-reinstall 'wordllama==0.4.*'")
    return data


def _matrix(safetensors: bytes) -> FloatArray:
    """The one float16 tensor of the checked file, as float32 [32000, 256]."""
    header = int.from_bytes(safetensors[:8], "little")
    tensor = json.loads(safetensors[8 : 8 + header])["embedding.weight"]
    return np.frombuffer(safetensors, np.float16, offset=8 + header).reshape(tensor["shape"]).astype(np.float32)
