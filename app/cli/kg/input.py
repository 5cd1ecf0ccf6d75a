"""The files that `trivium kg build`, `add` and `remove` read: triples of all, entities of all, what was skipped."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from trivium.app.cli.output import complain
from trivium.app.cli.progress import ProgressDisplay
from trivium.kg.loaders import Classes, EntityReader, SkipLog, TripleReader, read_entities, read_triples
from trivium.kg.loaders.rdf_classes import type_name
from trivium.kg.store import GraphStore
from trivium.kg.types import Entity, Triple


class Input:
    """Opened input files. Read `batches` to the end, then `entities`.

    Attributes:
        triples: triples read so far, repeats included.

    Raises:
        BadInputError: a file is missing, unreadable or a folder.
    """

    def __init__(
        self,
        files: Sequence[Path],
        entities: Path | None = None,
        *,
        skip_bad: bool = False,
        names: Collection[str] = (),
    ) -> None:
        self._classes = Classes()
        self._readers: list[TripleReader] = [
            read_triples(path, skip_bad=skip_bad, names=names, classes=self._classes) for path in files
        ]
        self._entities: EntityReader | None = None if entities is None else read_entities(entities, skip_bad=skip_bad)
        self.triples = 0

    def batches(self) -> Iterator[Sequence[Triple]]:
        """The triples of all files in turn; raises `BadInputError` as the readers do."""
        for reader in self._readers:
            for batch in reader:
                self.triples += len(batch)
                yield batch

    def shown(self, show: ProgressDisplay) -> Iterator[Sequence[Triple]]:
        """`batches`, with progress by bytes."""
        for batch in self.batches():
            self.show(show)
            yield batch

    def show(self, show: ProgressDisplay) -> None:
        """Say how many bytes of all files are read; a pipe has no size."""
        sizes = [reader.bytes_total for reader in self._readers]
        total = sum(sizes) if all(sizes) else None
        show("reading", sum(reader.bytes_read for reader in self._readers), total, f"{self.triples:,} triples")

    def entities(self) -> Iterator[Entity]:
        """Those that the files of triples name themselves (RDF labels), then those of the entities file, which win."""
        for reader in self._readers:
            yield from reader.entities()
        if self._entities is not None:
            yield from self._entities

    @property
    def is_rdf(self) -> bool:
        """Whether one of the files is RDF, whose things are instances of classes."""
        return any(reader.is_rdf for reader in self._readers)

    async def call_types_as(self, store: GraphStore) -> None:
        """Call types as a KG does that calls them by their classes' labels; read `batches` to the end first."""
        used = self._classes.used()
        types = {each.name for each in (await store.profile()).types} if used else set()
        labels = zip(used, await store.labels(used), strict=True) if types else ()
        self._classes.call({each: label for each, label in labels if label in types and type_name(each) not in types})

    @property
    def skipped(self) -> int:
        """How many malformed lines were passed over."""
        return sum(log.count for _, log in self._logs())

    def tell_skipped(self) -> None:
        """Say on stderr what was passed over: a line a file, and the first few lines of each."""
        for path, log in self._logs():
            if log.count:
                complain(f"{path}: {log}; the first:")
                for error in log.first:
                    complain(f"  {error}")

    def _logs(self) -> Iterator[tuple[Path, SkipLog]]:
        for reader in self._readers:
            yield reader.path, reader.skipped
        if self._entities is not None:
            yield self._entities.path, self._entities.skipped
