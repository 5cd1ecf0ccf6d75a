"""The snapshot: a KG as arrays derived from the record, mapped from files, for everything that reads."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trivium.kg.embedded.columns import Int32, Int64, Ints, StringColumn, UInt64, find_hashes, hash_text, hash_texts
from trivium.kg.embedded.layout import value_hashes
from trivium.kg.embedded.mapped import Arrays, CheckedArrays
from trivium.kg.embedded.tables import RELATION
from trivium.kg.types import Hop, PropertyKind, Statement, ValueText
from trivium.kg.values import KINDS

_REMEMBERED = 100_000  # ids whose numbers are kept in view


class Snapshot:
    """A KG as arrays (shapes in `trivium.kg.embedded.layout`); immutable, safe to share between threads.

    Attributes:
        stamp: the record's write transaction that it shows.
        entities, values, relations, triples: how many, E, V, R and T; E counts entities without a triple too.
        size: E + V, the rows of the arrays: entities first.
        indptr, rel, dst: the adjacency, int64 [E + V + 1], int16 or int32 [A], int32 [A].
        keys, labels: string columns of E + V rows; the key of a value is its text.
        naming: by type the properties that name its entities, where those have no labels of their own.
        relation_names: R names, sorted; `relation_codes` maps a name to its code in [0, R).
    """

    def __init__(self, stamp: str, arrays: Arrays) -> None:
        self.stamp = stamp
        self.arrays = arrays
        self.memo: dict[str, Any] = {}
        """What is computed from this snapshot once, and goes with it."""
        self._numbers: dict[str, int] = {}

    @property
    def damaged(self) -> bool:
        """Whether one of its arrays was found damaged since it was opened."""
        return isinstance(self.arrays, CheckedArrays) and self.arrays.damaged

    # Read when they are first asked for: of a snapshot with changes (`trivium.kg.embedded.delta`) they are merged then.

    @cached_property
    def indptr(self) -> Int64:
        """Where the row of each entity and value starts in `rel` and `dst`: int64 [E + V + 1]."""
        return self.arrays["indptr"]

    @cached_property
    def size(self) -> int:
        """E + V, the rows of the arrays."""
        return len(self.indptr) - 1

    @cached_property
    def entities(self) -> int:
        """How many entities there are."""
        return len(self._key_order)

    @cached_property
    def values(self) -> int:
        """How many values there are."""
        return self.size - self.entities

    @cached_property
    def relation_names(self) -> list[str]:
        """The relations, sorted."""
        return self.column("relation").slice(0, len(self.arrays["relation_offsets"]) - 1)

    @cached_property
    def relations(self) -> int:
        """How many relations there are."""
        return len(self.relation_names)

    @cached_property
    def described_relations(self) -> frozenset[int]:
        """The numbers of entities whose ids are relations, as RDF describes them."""
        return frozenset(row for row in self.rows(list(self.relation_names)).tolist() if row >= 0)

    @cached_property
    def relation_codes(self) -> dict[str, int]:
        """The code of each relation walked forward."""
        return {name: code for code, name in enumerate(self.relation_names)}

    @cached_property
    def relation_kinds(self) -> list[PropertyKind | None]:
        """Of each relation the kind of property that it is; None where it leads to entities."""
        return [None if kind == RELATION else KINDS[kind] for kind in self.arrays["relation_kind"].tolist()]

    @cached_property
    def rel(self) -> Int32:
        """The codes of the adjacency."""
        return self.arrays["rel"]

    @cached_property
    def dst(self) -> Int32:
        """The ends of the adjacency."""
        return self.arrays["dst"]

    @cached_property
    def keys(self) -> StringColumn:
        """Entity ids, then the texts of values."""
        return self.column("key")

    @cached_property
    def labels(self) -> StringColumn:
        """Labels; "" where the label is the id."""
        return self.column("label")

    @cached_property
    def _key_hash(self) -> UInt64:
        return self.arrays["key_hash"]

    @cached_property
    def _key_order(self) -> Int32:
        return self.arrays["key_order"]

    @cached_property
    def relation_stats(self) -> Int64:
        """Triples, distinct heads and distinct tails of each relation: int64 [R, 3]."""
        return self.arrays["relation_stats"]

    @cached_property
    def triples(self) -> int:
        """How many triples there are."""
        return int(self.relation_stats[:, 0].sum())

    @cached_property
    def folded_names(self) -> StringColumn:
        """The names of entities, folded, in the order of their hashes."""
        return self.column("name")

    @cached_property
    def aliases(self) -> StringColumn:
        """The aliases of all entities; those of a row stand between its `alias_bounds`."""
        return self.column("alias")

    @cached_property
    def alias_bounds(self) -> Int64:
        """int64 [E + V + 1] into `aliases`."""
        return self.arrays["alias_bounds"]

    @cached_property
    def type_names(self) -> StringColumn:
        """The types, sorted."""
        return self.column("type")

    @cached_property
    def type_bounds(self) -> Int64:
        """int64 [E + V + 1] into `type_codes`."""
        return self.arrays["type_bounds"]

    @cached_property
    def type_codes(self) -> Int32:
        """The types of all entities, as places in `type_names`."""
        return self.arrays["type_codes"]

    @cached_property
    def name_hash(self) -> UInt64:
        """The hash of each folded name, sorted."""
        return self.arrays["name_hash"]

    @cached_property
    def name_entity(self) -> Int32:
        """The entity of each name."""
        return self.arrays["name_entity"]

    @cached_property
    def gram_codes(self) -> NDArray[np.uint32]:
        """Trigrams of names, sorted."""
        return self.arrays["gram_codes"]

    @cached_property
    def gram_bounds(self) -> Int64:
        """Where the names of each trigram stand in `gram_names`."""
        return self.arrays["gram_bounds"]

    @cached_property
    def gram_names(self) -> Int32:
        """The names that have each trigram."""
        return self.arrays["gram_names"]

    @cached_property
    def value_bounds(self) -> Int64:
        """int64 [R + 1]: the values of each relation."""
        return self.arrays["value_bounds"]

    @cached_property
    def _datatypes(self) -> list[str]:
        return self.column("datatype").slice(0, len(self.arrays["datatype_offsets"]) - 1)

    @cached_property
    def naming_report(self) -> list[dict[str, Any]]:
        """What names each type: {"type", "properties", "prefix"}, in the order of their use."""
        report: list[dict[str, Any]] = json.loads(self.arrays["value_naming"].tobytes() or b"[]")
        return report

    @cached_property
    def naming(self) -> dict[str, list[str]]:
        """By type the properties that name its entities."""
        return {each["type"]: each["properties"] for each in self.naming_report}

    @cached_property
    def statement_place(self) -> Int64:
        """The place in the adjacency of each statement's triple."""
        return self.arrays["statement_place"]

    @cached_property
    def qualifier_names(self) -> list[str]:
        """The names of the properties of statements, sorted."""
        return self.column("qualifier_name").slice(0, len(self.arrays["qualifier_name_offsets"]) - 1)

    def column(self, name: str) -> StringColumn:
        """One of the string columns: key, label, relation, alias, type or name."""
        return StringColumn(self.arrays[f"{name}_blob"], self.arrays[f"{name}_offsets"])

    def rows(self, ids: list[str]) -> Int64:
        """The numbers of entity ids, int64 [n]; -1 where an id is unknown, or a value (`ValueText`)."""
        numbers = [self._numbers.get(key) for key in ids]
        if self.values:
            numbers = [-1 if type(key) is ValueText else number for key, number in zip(ids, numbers, strict=True)]
        missing = [place for place, number in enumerate(numbers) if number is None]
        if missing:
            asked = [ids[place] for place in missing]
            found = self._look_up(asked)
            self.remember(asked, found)
            if len(missing) == len(ids):
                return found
            for place, number in zip(missing, found.tolist(), strict=True):
                numbers[place] = number
        return np.array(numbers, dtype=np.int64)

    def value_rows(self, codes: Int64, texts: list[str]) -> Int64:
        """The row in [E, E + V) of each value, by the code of its relation and its text; -1 where there is none."""
        if not self.values or not texts:
            return np.full(len(texts), -1, dtype=np.int64)
        wanted = value_hashes(codes, hash_texts(texts))
        table, order = self.arrays["value_hash"], self.arrays["value_order"]
        starts, stops = find_hashes(table, wanted)
        rows = np.full(len(texts), -1, dtype=np.int64)
        for place in np.flatnonzero(stops > starts).tolist():
            for number in order[starts[place] : stops[place]].tolist():
                first, after = self.value_bounds[codes[place]], self.value_bounds[codes[place] + 1]
                if first <= number < after and self.keys[self.entities + number] == texts[place]:
                    rows[place] = self.entities + number
        return rows

    def owners(self, row: int) -> Int32:
        """The entities that have the value of a row in [E, E + V), ascending."""
        first, after = self.arrays["owner_bounds"][row - self.entities : row - self.entities + 2].tolist()
        owners: Int32 = self.arrays["owner_rows"][first:after]
        return owners

    def values_of_text(self, text: str) -> Int64:
        """The rows in [E, E + V) of the values with this text, one for each property that has it."""
        codes = np.flatnonzero(np.diff(self.value_bounds))
        rows = self.value_rows(codes, [str(text)] * len(codes))
        return rows[rows >= 0]

    def value(self, row: int) -> ValueText:
        """The value of a row in [E, E + V)."""
        return ValueText(self.keys[row], self._datatypes[self.arrays["value_datatype"][row - self.entities]])

    def tails(self, rows: Ints) -> list[str]:
        """Keys of entities and, as `ValueText`, values, by row int [n]."""
        keys = self.keys.take(rows)
        if self.values:
            for place in np.flatnonzero(rows >= self.entities).tolist():
                number = int(rows[place]) - self.entities
                keys[place] = ValueText(keys[place], self._datatypes[self.arrays["value_datatype"][number]])
        return keys

    def statements(self, place: int) -> tuple[Statement, ...]:
        """What is stated of the forward triple at a place in `rel` and `dst`; () for most."""
        return self.stated(np.array([place], dtype=np.int64))[0]

    def stated(self, places: Int64) -> list[tuple[Statement, ...]]:
        """What is stated of the forward triples at many places, int [n]; together, which is tens of times faster."""
        first = self.statement_place.searchsorted(places, side="left")
        last = self.statement_place.searchsorted(places, side="right")
        numbers = np.concatenate([np.arange(0), *map(np.arange, first.tolist(), last.tolist())]).astype(np.int64)
        read = iter(self._statements(numbers))
        return [tuple(sorted(next(read) for _ in range(size))) for size in (last - first).tolist()]

    def _statements(self, numbers: Int64) -> list[Statement]:
        arrays = self.arrays
        starts, ends = arrays["statement_bounds"][numbers].tolist(), arrays["statement_bounds"][numbers + 1].tolist()
        at = np.concatenate([np.arange(0), *map(np.arange, starts, ends)]).astype(np.int64)
        values = arrays["statement_values"][at]
        names = np.searchsorted(arrays["qualifier_bounds"], values, side="right") - 1
        texts = self.column("qualifier_text").take(values)
        kinds = arrays["qualifier_datatype"][values].tolist()
        listed = iter(
            [
                (self.qualifier_names[name], ValueText(text, self._datatypes[kind]))
                for name, text, kind in zip(names.tolist(), texts, kinds, strict=True)
            ]
        )
        return [
            Statement(tuple(sorted(next(listed) for _ in range(end - start))), key)
            for start, end, key in zip(starts, ends, self.column("statement_id").take(numbers), strict=True)
        ]

    def remember(self, ids: Sequence[str], rows: Int64) -> None:
        """Keep the numbers of ids in view: what one hop reached is where the next one starts. Values are left out."""
        if self.values and len(rows) and int(rows.max()) >= self.entities:
            ids = [key for key, row in zip(ids, rows.tolist(), strict=True) if row < self.entities]
            rows = rows[rows < self.entities]
        if len(self._numbers) > _REMEMBERED:
            self._numbers = {}
        self._numbers.update(zip(ids, rows.tolist(), strict=True))

    def _look_up(self, ids: list[str]) -> Int64:
        if not self.entities:
            return np.full(len(ids), -1, dtype=np.int64)
        wanted = hash_texts(ids)
        places = np.minimum(np.searchsorted(self._key_hash, wanted), self.entities - 1)
        rows = self._key_order[places].astype(np.int64)
        rows[self._key_hash[places] != wanted] = -1
        known = np.flatnonzero(rows >= 0)
        for place, key in zip(known.tolist(), self.keys.take(rows[known]), strict=True):
            if key != ids[place]:  # two ids of one hash
                rows[place] = self.row(ids[place])
        return rows

    def row(self, entity: str) -> int:
        """The number of one entity id, -1 where it is unknown: some microseconds."""
        if type(entity) is ValueText:
            return -1
        known = self._numbers.get(entity)
        if known is not None:
            return known
        # Hashes rather than a dictionary of ids: opening a KG of millions maps a file and builds nothing.
        wanted = np.uint64(hash_text(entity))
        place = int(self._key_hash.searchsorted(wanted))
        while place < self.entities and self._key_hash[place] == wanted:
            row = int(self._key_order[place])
            if self.keys[row] == entity:
                return row
            place += 1
        return -1

    def is_called(self, row: int, text: str) -> bool:
        """Whether an entity's id, its label or one of its aliases is this text to the letter."""
        if text in (self.keys[row], self.labels[row]):
            return True
        first, after = self.alias_bounds[row : row + 2].tolist()
        return after > first and text in self.aliases.slice(first, after)

    def names(self, rows: Ints) -> list[str]:
        """The labels of entities, int [n]; the id where an entity has no label of its own."""
        return [label or self.keys[row] for label, row in zip(self.labels.take(rows), rows.tolist(), strict=True)]

    def code(self, hop: Hop) -> int:
        """The code of a hop in [0, 2 R); -1 for an unknown relation."""
        code = self.relation_codes.get(hop.relation, -1)
        return code if code < 0 or not hop.inverse else code + self.relations

    def hop(self, code: int) -> Hop:
        """The hop of a code in [0, 2 R)."""
        return Hop(self.relation_names[code % self.relations], code >= self.relations)

    def degrees(self, rows: Ints) -> Int64:
        """Triples of entities, int64 [n], both directions, a self-loop twice."""
        degrees: Int64 = self.indptr[rows + 1] - self.indptr[rows]
        return degrees
