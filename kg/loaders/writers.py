"""Writing triples and entities by tab: what `read_triples` and `read_entities` read back unchanged."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self, cast

from trivium.kg.errors import BadInputError
from trivium.kg.loaders.atomic import atomic_stream
from trivium.kg.loaders.delimited import CONTROL, fields_problem, is_regular, shorten
from trivium.kg.loaders.entities import join_names
from trivium.kg.types import Entity, Triple


class _Writer:
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


class TripleWriter(_Writer):
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


class EntityWriter(_Writer):
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
