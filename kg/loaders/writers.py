"""Writing triples and entities: by tab, as N-Triples and as JSON lines, all of which `read_triples` reads back.

Lines by tab hold the texts of values, not their datatypes, and no properties of relationships; the other two lose
nothing.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Literal, Self, cast
from urllib.parse import quote

from trivium.kg.errors import BadInputError
from trivium.kg.files import atomic_stream
from trivium.kg.loaders.delimited import CONTROL, fields_problem, is_regular, shorten
from trivium.kg.loaders.entities import join_names
from trivium.kg.loaders.jsonl import entity_line, triple_line
from trivium.kg.loaders.rdf_terms import (
    LABEL,
    OBJECT,
    OWN,
    OWN_ALIAS,
    PREDICATE,
    STATEMENT,
    STATEMENT_ID,
    SUBJECT,
    TYPE,
    entity_term,
    relation_term,
    string_term,
    value_term,
)
from trivium.kg.types import Entity, QualifiedTriple, Triple, ValueText


class _AtomicWriter:
    """A file that appears under its name only when it is complete; gzip where the name ends in `.gz`."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self.count = 0
        self._context = _output(self.path)

    def __enter__(self) -> Self:
        try:
            self._file = self._context.__enter__()
        except OSError as error:
            raise BadInputError(f"cannot be written ({error.strerror or error})", path=self.path) from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._context.__exit__(kind, error, trace)

    def _put(self, text: str) -> None:
        try:
            self._file.write(text.encode())
        except UnicodeEncodeError as error:
            what = f"{shorten(error.object[error.start - 20 : error.end + 20])} holds half of a surrogate pair"
            raise BadInputError(what, path=self.path) from error


class TripleWriter(_AtomicWriter):
    """A context that takes batches of triples; after an exception nothing is left behind.

    For stores, whose streams are asynchronous:
    `with TripleWriter(path) as out: async for batch in store.triples(): out.write(batch)`.

    Attributes:
        count: triples written.
    """

    def write(self, batch: Sequence[Triple]) -> None:
        """Append triples.

        Raises:
            BadInputError: a field is empty or holds a control character (a tab, a line break), so that a line could
                not be read back.
        """
        if ValueText in {type(triple.tail) for triple in batch}:
            batch = [Triple(x.head, x.relation, _on_a_line(x.tail)) for x in batch]
        text = "".join([f"{head}\t{relation}\t{tail}\n" for head, relation, tail in batch])
        # One look at all bytes of a batch; only a batch that fails it is gone through triple by triple.
        if not is_regular(text.encode(errors="replace"), "\t") or text.count("\n") != len(batch):
            self._refuse(batch)
        self._put(text)
        self.count += len(batch)

    def _refuse(self, batch: Sequence[Triple]) -> None:
        for triple in batch:
            if problem := fields_problem(list(triple)):
                raise BadInputError(f"{problem}, in {shorten(str(tuple(triple)))}", path=self.path)


def _on_a_line(tail: str) -> str:
    """The text of a value with spaces for control characters; an entity's id as it is."""
    return CONTROL.sub(" ", tail) if isinstance(tail, ValueText) else tail


class GraphWriter(_AtomicWriter):
    """A context that takes batches of triples and of entities, and writes both to one file that loses nothing.

    Attributes:
        count: triples written.
        form: "ntriples" or "jsonl".
    """

    def __init__(self, path: Path | str, form: Literal["ntriples", "jsonl"]) -> None:
        super().__init__(path)
        self.form = form
        self._statements = 0

    def write(self, batch: Sequence[Triple]) -> None:
        """Append triples with the properties of their relationships."""
        lines = map(triple_line, batch) if self.form == "jsonl" else chain.from_iterable(map(self._ntriples, batch))
        self._put("".join(f"{line}\n" for line in lines))
        self.count += len(batch)

    def write_entities(self, batch: Iterable[Entity]) -> None:
        """Append the labels, aliases and types of entities."""
        lines = map(entity_line, batch) if self.form == "jsonl" else chain.from_iterable(map(_described, batch))
        self._put("".join(f"{line}\n" for line in lines))

    def _ntriples(self, triple: Triple) -> Iterator[str]:
        head, relation = entity_term(triple.head), relation_term(triple.relation)
        tail = value_term(triple.tail, exact=True) if isinstance(triple.tail, ValueText) else entity_term(triple.tail)
        yield f"{head} {relation} {tail} ."
        for statement in triple.statements if isinstance(triple, QualifiedTriple) else ():
            self._statements += 1
            node = f"<{OWN}statement:{self._statements}>"
            yield f"{node} <{TYPE}> <{STATEMENT}> ."
            for part, term in ((SUBJECT, head), (PREDICATE, relation), (OBJECT, tail)):
                yield f"{node} <{part}> {term} ."
            if statement.id:
                yield f"{node} <{STATEMENT_ID}> {string_term(statement.id)} ."
            for name, value in statement.properties:
                yield f"{node} {relation_term(name)} {value_term(value, exact=True)} ."


def _described(entity: Entity) -> Iterator[str]:
    term = entity_term(entity.id)
    if entity.label != entity.id:
        yield f"{term} <{LABEL}> {string_term(entity.label)} ."
    for alias in entity.aliases:
        yield f"{term} <{OWN_ALIAS}> {string_term(alias)} ."
    for name in entity.types:
        yield f"{term} <{TYPE}> <{OWN}type:{quote(name, safe='')}> ."


class EntityWriter(_AtomicWriter):
    """A context that takes entities: `id<TAB>label<TAB>aliases<TAB>types`, below a line that names the columns.

    Attributes:
        count: entities written.
    """

    def __enter__(self) -> Self:
        super().__enter__()
        self._put("id\tlabel\taliases\ttypes\n")
        return self

    def write(self, batch: Iterable[Entity]) -> None:
        """Append entities; control characters in names become spaces, in an id they raise `BadInputError`."""
        for entity in batch:
            if not entity.id or CONTROL.search(entity.id):
                what = f"the id {shorten(entity.id)} is empty or holds a control character"
                raise BadInputError(what, path=self.path)
            names = (entity.label, join_names(entity.aliases), join_names(entity.types))
            self._put("\t".join([entity.id, *(CONTROL.sub(" ", name) for name in names)]) + "\n")
            self.count += 1


def write_triples(path: Path | str, batches: Iterable[Sequence[Triple]]) -> int:
    """Write batches of triples to `path` (`.gz` by its name), all or nothing; returns how many."""
    with TripleWriter(path) as out:
        for batch in batches:
            out.write(batch)
    return out.count


def write_entities(path: Path | str, entities: Iterable[Entity]) -> int:
    """Write entities to `path` (`.gz` by its name), all or nothing; returns how many."""
    with EntityWriter(path) as out:
        out.write(entities)
    return out.count


@contextmanager
def _output(path: Path) -> Iterator[BinaryIO]:
    with atomic_stream(path) as raw:
        if path.suffix.lower() != ".gz":
            yield raw
            return
        # Neither name nor time in the header: equal content makes equal bytes.
        with gzip.GzipFile("", "wb", 6, raw, 0) as zipped:
            yield cast("BinaryIO", zipped)
