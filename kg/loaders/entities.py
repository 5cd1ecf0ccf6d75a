r"""Entities files: `id<TAB>label[<TAB>aliases[<TAB>types]]`, aliases and types separated by `|`, also `.gz`.

Inside aliases and types `\|` is a bar and `\\` a backslash. An empty label means the id. A first line that begins
`id<TAB>label` or `id<TAB>name` only names the columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from trivium.kg.errors import BadInputError
from trivium.kg.loaders.delimited import CONTROL, shorten
from trivium.kg.loaders.jsonl import JSONL_SUFFIXES
from trivium.kg.loaders.rdf import RDF_SUFFIXES
from trivium.kg.loaders.skips import SkipLog
from trivium.kg.loaders.source import Source, decode
from trivium.kg.loaders.triples import TripleReader
from trivium.kg.types import Entity

_HEADER = re.compile(rb"id\t(label|name)(\t[^\n]*)?", re.IGNORECASE)
_BAR = re.compile(r"\\[\\|]|\|")
_HINT = "; --skip-bad leaves such lines out"


class EntityReader:
    """The entities of one file, in its order; iterating again reads it again.

    Attributes:
        lines: lines read so far.
        skipped: the malformed lines passed over; only with `skip_bad`.
    """

    def __init__(self, path: Path | str, *, skip_bad: bool = False) -> None:
        self._source = Source(path)
        self._skip_bad = skip_bad
        self.lines = 0
        self.skipped = SkipLog(skip_bad)

    @property
    def path(self) -> Path:
        """The file."""
        return self._source.path

    def __iter__(self) -> Iterator[Entity]:
        """Entities.

        Raises:
            BadInputError: a malformed line (unless skipped), a damaged file, or no entity in it at all.
        """
        self.lines, self.skipped = 0, SkipLog(self._skip_bad)
        found = False
        for entity in self._typed() if self._source.suffix in (*RDF_SUFFIXES, *JSONL_SUFFIXES) else self._delimited():
            found = True
            yield entity
        if not found:
            raise BadInputError("contains no entities", path=self.path)

    def _delimited(self) -> Iterator[Entity]:
        with closing(self._source.blocks()) as blocks:
            for block in blocks:
                for line in block.split(b"\n")[:-1]:
                    self.lines += 1
                    text = line.removesuffix(b"\r")
                    if not text.strip(b" ") or (self.lines == 1 and _HEADER.fullmatch(text)):
                        continue
                    try:
                        yield _parse_line(text, self.path, self.lines)
                    except BadInputError as error:
                        self.skipped.take(error)

    def _typed(self) -> Iterator[Entity]:
        reader = TripleReader(self.path, skip_bad=self._skip_bad)
        # These name an entity anywhere and in several lines: the file is read whole before the first is known.
        for _ in reader:
            self.lines = reader.lines
        self.skipped = reader.skipped
        yield from reader.entities()


def read_entities(path: Path | str, *, skip_bad: bool = False) -> EntityReader:
    """Open an entities file; N-Triples, Turtle and JSON lines serve too, by their labels.

    Raises:
        BadInputError: the file is missing, unreadable or a folder; its content is judged while iterating.
    """
    return EntityReader(path, skip_bad=skip_bad)


def _parse_line(line: bytes, path: Path, number: int) -> Entity:
    text = decode(line, path, number)
    fields = text.split("\t")
    problem = _problem(fields)
    if problem:
        raise BadInputError(f"{problem}, in {shorten(text)}{_HINT}", path=path, line=number)
    key, label, *rest = fields
    aliases, types = [*rest, "", ""][:2]
    return Entity(key, label or key, split_names(aliases), split_names(types))


def _problem(fields: list[str]) -> str | None:
    if not 2 <= len(fields) <= 4:
        return f"expected id, label and perhaps aliases and types separated by tab, found {len(fields)} field(s)"
    if not fields[0]:
        return "the id is empty"
    control = next(filter(None, map(CONTROL.search, fields)), None)
    return f"a field holds the control character U+{ord(control[0]):04X}" if control else None


def split_names(text: str) -> tuple[str, ...]:
    r"""Names separated by `|`, as in `Alien\|s|A.`: an escaped bar belongs to its name; empty names are left out."""
    if "|" not in text and "\\" not in text:
        return (text,) if text else ()
    # A null cannot stand in a field, so it can mark where names end while escapes are undone.
    marked = _BAR.sub(lambda match: "\0" if match[0] == "|" else match[0][1], text)
    return tuple(name for name in marked.split("\0") if name)


def join_names(names: tuple[str, ...]) -> str:
    """The reverse of `split_names`."""
    return "|".join(name.replace("\\", "\\\\").replace("|", "\\|") for name in names)
