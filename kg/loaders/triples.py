"""`read_triples`: one interface to every format of triples, streaming, with counters for progress."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing
from itertools import chain, islice
from pathlib import Path

from trivium.kg.errors import BadInputError
from trivium.kg.loaders.delimited import DELIMITERS, detect_delimiter, is_header, parse_block, split_line
from trivium.kg.loaders.json_ld import is_json_ld
from trivium.kg.loaders.jsonl import JSONL_SUFFIXES, JsonLines, is_apoc_line, is_graph_line
from trivium.kg.loaders.neo4j_csv import Neo4jCsv, is_neo4j_csv
from trivium.kg.loaders.rdf import RDF_SUFFIXES, RdfParser
from trivium.kg.loaders.rdf_classes import Classes
from trivium.kg.loaders.skips import SkipLog
from trivium.kg.loaders.source import Source
from trivium.kg.types import Entity, Triple

_SAMPLE_LINES = 10_000
_COLUMN_NAME = re.compile(r"\s*[^\W\d][\w .-]*")


class TripleReader:
    """The triples of one file as sequences of about 50,000, in the file's order, duplicates included.

    Iterating again reads the file again.

    Attributes:
        lines: lines read so far (of RDF: statements).
        skipped: the malformed lines passed over; only with `skip_bad`.
    """

    def __init__(
        self,
        path: Path | str,
        *,
        skip_bad: bool = False,
        names: Collection[str] = (),
        classes: Classes | None = None,
    ) -> None:
        self._source = Source(path)
        self._classes = classes
        self._parser: RdfParser | None = None
        self._skip_bad = skip_bad
        self._names = names
        self._entities: list[Entity] = []
        self.lines = 0
        self.skipped = SkipLog(skip_bad)

    @property
    def path(self) -> Path:
        """The file."""
        return self._source.path

    @property
    def is_rdf(self) -> bool:
        """Whether it is RDF in one of its notations."""
        return self._source.suffix in RDF_SUFFIXES or _is_json_ld(self._source)

    @property
    def bytes_total(self) -> int:
        """The file's size in bytes as stored; 0 for a pipe."""
        return self._source.bytes_total

    @property
    def bytes_read(self) -> int:
        """How many of `bytes_total` have been read."""
        return self._source.bytes_read

    def __iter__(self) -> Iterator[Sequence[Triple]]:
        """Batches of triples.

        Raises:
            BadInputError: a malformed line (unless skipped), a damaged file, or no triple in it at all.
        """
        self.lines, self.skipped, self._entities, self._parser = 0, SkipLog(self._skip_bad), [], None
        found = False
        for batch in self._batches():
            found = True
            yield batch
        if not found and not any(self.entities()):
            why = f" ({self.skipped}; the first: {self.skipped.first[0]})" if self.skipped.count else ""
            raise BadInputError(f"contains no triples{why}", path=self.path)

    def entities(self) -> Iterator[Entity]:
        """Entities that the file itself names (RDF labels, aliases, types); complete once the triples are read.

        Their types are complete once the files are read that say what the classes are, of those that share `classes`.
        """
        yield from self._entities if self._parser is None else self._parser.entities()

    def _batches(self) -> Iterator[Sequence[Triple]]:
        if self.is_rdf:
            return self._rdf()
        json = self._source.suffix in JSONL_SUFFIXES or (self._source.suffix == ".json" and is_graph_export(self.path))
        return self._json() if json else self._delimited()

    def _json(self) -> Iterator[list[Triple]]:
        parser = JsonLines(self.path, self.skipped)
        with closing(self._source.blocks()) as blocks:
            for batch in parser.batches(blocks):
                self.lines = parser.lines
                yield batch
        self.lines, self._entities = parser.lines, parser.entities

    def _delimited(self) -> Iterator[Sequence[Triple]]:
        delimiter = None
        with closing(self._source.blocks()) as read:
            opening = list(islice(read, 1))
            blocks = chain(opening, read)
            if opening and is_neo4j_csv(opening[0]):
                yield from self._neo4j(blocks)
                return
            for block in blocks:
                first, lines = self.lines + 1, block.count(b"\n")
                rows = block
                if delimiter is None:
                    delimiter = detect_delimiter(block, first_only=not self._skip_bad)
                    if delimiter and first == 1 and is_header(block, delimiter):
                        rows, first = block[block.find(b"\n") + 1 :], 2
                batch = parse_block(rows, delimiter or "\t", self.path, first, self.skipped)
                self.lines += lines
                if batch:
                    yield batch

    def _neo4j(self, blocks: Iterator[bytes]) -> Iterator[list[Triple]]:
        parser = Neo4jCsv(self.path, self.skipped)
        for batch in parser.batches(blocks):
            self.lines = parser.lines
            yield batch
        self.lines, self._entities = parser.lines, parser.entities

    def _rdf(self) -> Iterator[list[Triple]]:
        suffix = ".jsonld" if self._source.suffix == ".json" else self._source.suffix
        parser = RdfParser(self.path, suffix, self.skipped, self._names, self._classes)
        with self._source.open() as file:
            for batch in parser.batches(file):
                self.lines = parser.statements
                yield batch
        self.lines, self._parser = parser.statements, parser


def read_triples(
    path: Path | str, *, skip_bad: bool = False, names: Collection[str] = (), classes: Classes | None = None
) -> TripleReader:
    """Open a file of triples: by tab, `|` or comma (its first line tells), RDF, .jsonl, Neo4j's exports; also `.gz`.

    Args:
        path: the file.
        skip_bad: count malformed lines and go on, where otherwise the first one raises.
        names: of RDF, IRIs of further predicates whose texts name their subjects.
        classes: of RDF, what files that are read together say of classes.

    Raises:
        BadInputError: the file is missing, unreadable or a folder; its content is judged while iterating.
    """
    return TripleReader(path, skip_bad=skip_bad, names=names, classes=classes)


_TABLES = frozenset({".json", ".geojson", ".parquet", ".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".sqlite", ".sqlite3"})


def _is_json_ld(source: Source) -> bool:
    """Whether a file that is called .json holds JSON-LD."""
    if source.suffix != ".json":
        return False
    with source.open(utf16=True) as file:
        return is_json_ld(file.read(1 << 12))


def is_graph_export(path: Path | str) -> bool:
    """Whether a file is a graph that Neo4j exported (CSV with a header of roles, or apoc's JSON lines), not a table."""
    source = Source(path)
    with closing(source.blocks()) as blocks:
        block = next(blocks, b"")
    if source.suffix in (*JSONL_SUFFIXES, ".json"):
        return is_apoc_line(block.partition(b"\n")[0])
    return source.suffix not in RDF_SUFFIXES and b"\0" not in block and is_neo4j_csv(block)


def is_graph(path: Path | str) -> bool:
    """Whether a file holds triples, in whatever form `read_triples` reads, and is no table.

    Lines of three fields are triples under a header that says so, and without a header: where the second field of the
    first line comes again as that of another one, as a relation does and a column's name does not.

    Raises:
        BadInputError: the file is missing, unreadable or a folder.
    """
    source = Source(path)
    if source.suffix in RDF_SUFFIXES or _is_json_ld(source):
        return True
    if is_graph_export(path):
        return True
    if source.suffix in _TABLES:
        return False
    with closing(source.blocks()) as blocks:
        block = next(blocks, b"")
    if source.suffix in JSONL_SUFFIXES:
        return is_graph_line(block.partition(b"\n")[0])
    delimiter = detect_delimiter(block, first_only=True)
    if delimiter is None or b"\0" in block:
        return False
    if is_header(block, delimiter):
        return True
    lines = [line.removesuffix(b"\r").decode(errors="replace") for line in block.split(b"\n") if line.strip()]
    rows = [split_line(line, delimiter) for line in lines[:_SAMPLE_LINES]]
    relations = [row[1] for row in rows if row is not None and len(row) == 3]
    return len(relations) == len(rows) and relations[0] in relations[1:]


def is_table(path: Path | str) -> bool:
    """Whether a file can only be a table: a JSON file, Parquet, or four columns or more under a header.

    Not so are lines of three fields, which are triples, and lines that no two have the same number of fields, which are
    damaged ones.

    Raises:
        BadInputError: the file is missing, unreadable or a folder.
    """
    source = Source(path)
    if source.suffix in (*RDF_SUFFIXES, *JSONL_SUFFIXES) or _is_json_ld(source) or is_graph_export(path):
        return False  # JSON lines that are no triples are refused by their reader, line by line
    if source.suffix in _TABLES:
        return True
    with closing(source.blocks()) as blocks:
        block = next(blocks, b"")
    lines = [line.removesuffix(b"\r").decode(errors="replace") for line in block.split(b"\n") if line.strip()]
    for delimiter in (*DELIMITERS, ";"):
        rows = [split_line(line, delimiter) or () for line in lines[:50]]
        widths = {len(row) for row in rows}
        if len(rows) > 1 and len(widths) == 1 and min(widths) > 3:
            return len(set(rows[0])) == len(rows[0]) and all(map(_COLUMN_NAME.fullmatch, rows[0]))
    return False
