"""Names of an embedded KG, looked up in its snapshot: many spans in one call, typos and partial names one by one."""

from __future__ import annotations

from collections.abc import Sequence

from trivium.kg.embedded.partial import find_partial
from trivium.kg.embedded.search import find_named, find_similar
from trivium.kg.embedded.snapshot import Snapshot
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.types import EntityHit
from trivium.policies.linking.names import NamedEntity

_MOST = 200  # entities that share a name


class SnapshotNames:
    """See `trivium.policies.linking.names.NameIndex`; immutable as its snapshot is.

    Args:
        snapshot: the KG's.
        columns: the same graph as arrays, for the types of entities.
    """

    def __init__(self, snapshot: Snapshot, columns: GraphColumns) -> None:
        self._snapshot = snapshot
        self._types: list[tuple[str, set[int]]] = [(name, set(rows.tolist())) for name, rows in columns.types.items()]
        self._rows = columns.rows

    def find(self, texts: Sequence[str]) -> list[list[NamedEntity]]:
        """Exact and folded matches of each text, best first."""
        return [[self._named(hit) for hit in hits] for hits in find_named(self._snapshot, texts, limit=_MOST)]

    def find_near(self, text: str) -> list[NamedEntity]:
        """Entities with a part of the name, else with a name that is spelled alike."""
        hits = find_partial(self._snapshot, text) or find_similar(self._snapshot, text)
        return [self._named(hit) for hit in hits]

    def _named(self, hit: EntityHit) -> NamedEntity:
        row = int(self._rows([hit.id])[0])
        types = tuple(name for name, rows in self._types if row in rows)
        return NamedEntity(hit.id, hit.label, types, hit.score, hit.degree, hit.match)
