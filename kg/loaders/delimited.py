"""Lines `head, relation, tail` by tab, `|` or comma: whole blocks at once, line by line only where a block is odd.

A field is taken to the letter: only the line end is cut off. A field must not be empty and must hold no control
character, since a triple must survive `kg export`; a relation must not begin with `^`, which writes an inverse hop.
"""

from __future__ import annotations

import csv
import gc
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import overload

import numpy as np
from numpy.typing import NDArray

from trivium.kg.errors import BadInputError
from trivium.kg.loaders.skips import SkipLog
from trivium.kg.loaders.source import decode
from trivium.kg.types import LONGEST_RELATION, LONGEST_TEXT, Triple

DELIMITERS = ("\t", "|", ",")
"""In the order in which they are tried on a file's first line."""

CONTROL = re.compile(r"[\x00-\x1f\x7f]")
"""What no id, relation or label may hold: ASCII's control characters (U+0080 to U+009F occur in real names)."""

_HEADERS = {("head", "relation", "tail"), ("subject", "predicate", "object"), ("source", "relation", "target")}
PADDING = 8
"""Zeros after the block of `TripleColumns`: texts are read in words of eight bytes (`kg.embedded.numbering`)."""

_HINT = "; --skip-bad leaves such lines out"
_new_triple = partial(tuple.__new__, Triple)


def detect_delimiter(block: bytes, *, first_only: bool) -> str | None:
    """The delimiter that cuts the first line with text into exactly three fields; None where there is none.

    With `first_only` false, lines that no delimiter cuts in three are passed over.
    """
    for line in block.split(b"\n"):
        text = line.removesuffix(b"\r").decode(errors="replace")
        if not text.strip(" "):
            continue
        found = next((d for d in DELIMITERS if len(split_line(text, d) or ()) == 3), None)
        if found or first_only:
            return found
    return None


def split_line(text: str, delimiter: str) -> list[str] | None:
    """The fields of one line; a comma file may quote them (`"a ""b"", c"`). None where a quote is not closed."""
    if delimiter != "," or '"' not in text:
        return text.split(delimiter)
    try:
        return next(csv.reader([text], strict=True))
    except csv.Error:
        return None


def is_header(block: bytes, delimiter: str) -> bool:
    """Whether the first line only names the columns, as tables exported by other programs do."""
    first = block[: block.find(b"\n")].removesuffix(b"\r").decode(errors="replace")
    return tuple(field.lower() for field in split_line(first, delimiter) or ()) in _HEADERS


class TripleColumns(Sequence[Triple]):
    """The triples of a block of whole lines; the texts themselves are made when they are asked for.

    Attributes:
        data: the block, uint8, and `PADDING` zeros.
        starts, stops: int64 [n, 3], where the head, relation and tail of each triple stand in it.
    """

    def __init__(self, block: bytes, delimiter: str, stops: NDArray[np.int64]) -> None:
        self._block, self._delimiter = block, delimiter
        self.data = np.frombuffer(block + bytes(PADDING), np.uint8)
        self.stops = stops
        flat = stops.reshape(-1)
        self.starts = (np.concatenate((flat[:0] if not len(flat) else [0], flat[:-1] + 1))).reshape(-1, 3)

    def __len__(self) -> int:
        return len(self.stops)

    @overload
    def __getitem__(self, place: int) -> Triple: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Triple]: ...
    def __getitem__(self, place: int | slice) -> Triple | Sequence[Triple]:
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(len(self)))]
        ends = zip(self.starts[place].tolist(), self.stops[place].tolist(), strict=True)
        return Triple(*(self._block[start:stop].decode() for start, stop in ends))

    def __iter__(self) -> Iterator[Triple]:
        # Every line has three fields, so that each third piece is of one column.
        fields = self._block.decode().replace("\n", self._delimiter).split(self._delimiter)
        with paused_collector():
            return iter(list(map(_new_triple, zip(fields[0:-1:3], fields[1::3], fields[2::3], strict=True))))


def parse_block(block: bytes, delimiter: str, path: Path, first_line: int, skips: SkipLog) -> Sequence[Triple]:
    """The triples of a block of whole lines; malformed ones go to `skips`."""
    # Once for the block: a search for all its line ends is nothing beside a look at each line.
    if b"\r\n" in block:
        block = block.replace(b"\r\n", b"\n")
    stops = _regular_stops(block, delimiter)
    if stops is not None:
        try:
            block.decode()
        except UnicodeDecodeError:  # the slow road finds the line
            pass
        else:
            return TripleColumns(block, delimiter, stops)
    return list(_parse_lines(block, delimiter, path, first_line, skips))


def is_regular(block: bytes, delimiter: str) -> bool:
    """Whether the block is lines, at least one, of three non-empty fields that need no closer look."""
    return _regular_stops(block, delimiter) is not None


def _regular_stops(block: bytes, delimiter: str) -> NDArray[np.int64] | None:
    """Where the three fields of each line end, int64 [n, 3]; None unless the block `is_regular`."""
    data = np.frombuffer(block, np.uint8)
    code = ord(delimiter)
    stops = np.flatnonzero(data < 32 if code < 32 else (data < 32) | (data == code))
    if not len(stops) or len(stops) % 3 or b"\x7f" in block or (delimiter == "," and b'"' in block):
        return None
    if (data[stops].reshape(-1, 3) != np.array([code, code, 10], np.uint8)).any():
        return None
    lengths = np.diff(stops, prepend=-1)
    # The slow road measures in characters, of which there are no more than bytes.
    if lengths.min() == 1 or lengths.max() > LONGEST_RELATION:
        return None
    return None if (data[stops[::3] + 1] == ord("^")).any() else stops.reshape(-1, 3)


@contextmanager
def paused_collector() -> Iterator[None]:
    """Keep the cycle collector from walking 50,000 new tuples that hold strings alone: four times faster, measured."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _parse_lines(block: bytes, delimiter: str, path: Path, first_line: int, skips: SkipLog) -> Iterator[Triple]:
    for number, line in enumerate(block.split(b"\n")[:-1], first_line):
        if not line.strip(b" \r"):
            continue
        try:
            yield _parse_line(line.removesuffix(b"\r"), delimiter, path, number)
        except BadInputError as error:
            skips.take(error)


def _parse_line(line: bytes, delimiter: str, path: Path, number: int) -> Triple:
    text = decode(line, path, number)
    fields = split_line(text, delimiter)
    problem = "a quote is not closed" if fields is None else fields_problem(fields)
    if fields is None or problem:
        raise BadInputError(f"{problem}, in {shorten(text)}{_HINT}", path=path, line=number)
    return Triple(*fields)


def fields_problem(fields: list[str]) -> str | None:
    """What keeps these fields from being a triple, in words; None where nothing does."""
    if len(fields) != 3:
        count = f"{len(fields)} field{'' if len(fields) == 1 else 's'}"
        return f"expected head, relation and tail separated by tab, | or comma, found {count}"
    for name, field in zip(("head", "relation", "tail"), fields, strict=True):
        if not field:
            return f"the {name} is empty"
        longest = LONGEST_RELATION if name == "relation" else LONGEST_TEXT
        if len(field) > longest:
            return f"the {name} has {len(field):,} characters; {longest:,} are the most"
        if control := CONTROL.search(field):
            return f"the {name} holds the control character U+{ord(control[0]):04X}"
    if fields[1].startswith("^"):
        return "the relation begins with ^, which is how an inverse hop is written"
    return None


def shorten(text: str, limit: int = 60) -> str:
    """A line as shown in an error: quoted, control characters escaped, cut at `limit` characters."""
    return repr(text if len(text) <= limit else text[: limit - 1] + "…")
