"""A snapshot brought up to date with the changes that the record notes since: the same arrays, merged when first read.

`Delta` folds the log of write transactions into what came and what went, numbered against the base snapshot. `view`
makes a `Snapshot` whose arrays are, element for element, those that `trivium.kg.embedded.layout.snapshot_arrays` would
derive from the record; readers need not know of changes. Each group of arrays is merged by copying the base's once, so
a read costs what it costs on a base, and the first one after a write a pass over the arrays that it needs.

One thing may differ from a snapshot derived anew: what names the entities of a type (`trivium.kg.embedded.naming`) is
chosen when a snapshot is written, and entities that changed since are named by that choice.

Places in the base's numbering tell where new rows go: a row `r` that is known ranks as r, a new one as the row that it
goes before. The maps from old numbers to new ones are monotone, so what is sorted stays sorted.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trivium.kg.distinct import sorted_distinct
from trivium.kg.embedded.columns import (
    ColumnTexts,
    Int64,
    StringColumn,
    UInt64,
    find_hashes,
    hash_rows,
    hash_texts,
)
from trivium.kg.embedded.layout import ARRAYS, lower_bound, triple_places, value_hashes
from trivium.kg.embedded.mapped import SnapshotError, dtypes
from trivium.kg.embedded.names import bare_name, fold_names, grams_of, unescaped
from trivium.kg.embedded.naming import has_iris, last_part, property_label
from trivium.kg.embedded.record import LogRow
from trivium.kg.embedded.snapshot import Snapshot
from trivium.kg.embedded.splice import Renumbering, moved, renumbering, splice, splice_bounds, splice_column
from trivium.kg.embedded.tables import RELATION, read_column
from trivium.kg.types import PropertyKind
from trivium.kg.values import KINDS

Group = dict[str, NDArray[Any]]


class _NewValue(NamedTuple):
    """A value that the base does not have: its relation, how it is ordered within it, its text and datatype as shown.

    `at` is its place among the base's values, -1 where the base does not have its relation.
    """

    relation: str
    kind: int
    number: float
    text: str
    datatype: str
    at: int


class Delta:
    """What write transactions did since a snapshot; grows by `apply`.

    Entities, relations and values are numbered as in the base where that has them, and else -1, -2, … by their coming.
    """

    def __init__(self, base: Snapshot) -> None:
        self.base = base
        self.count = 0
        self.sound = True
        self.keys: list[str] = []  # new entities by their coming, whether they are still there or not
        self.key_places: list[int] = []
        self.live: dict[str, int] = {}  # of those the present ones, and their numbers
        self.gone: dict[str, int] = {}  # entities of the base that are no longer there, and their rows
        self.labels: dict[str, str | None] = {}
        self.aliases: dict[tuple[str, str], bool] = {}  # what came (True) and what went
        self.types: dict[tuple[str, str], bool] = {}
        self.relations: dict[str, PropertyKind | None] = {}  # new ones
        self.lost: dict[str, int] = {}
        self.relation_numbers: dict[str, int] = {}  # of relations that the base does not have, -1, -2, …
        self.values: list[_NewValue] = []
        self.value_numbers: dict[tuple[str, str, str], int] = {}
        self.added: dict[LogRow, tuple[int, int, int]] = {}  # a tail of the base is its row, also where it is a value
        self.removed: dict[LogRow, tuple[int, int, int]] = {}
        self.rows: dict[str, int] = {}  # of keys that the base has

    @cached_property
    def _ids(self) -> ColumnTexts:
        return ColumnTexts(self.base.keys, 0, self.base.entities)

    def apply(self, rows: Iterable[LogRow]) -> None:
        """Fold in further changes, in order."""
        rows = list(rows)
        self.sound = False  # until all of them are folded in
        self.count += len(rows)
        self._look_up(rows)
        handlers: dict[str, Callable[[LogRow], None]] = {
            "+entity": self._entity_came, "-entity": self._entity_went, "label": self._label,
            "+relation": self._relation_came, "-relation": self._relation_went,
            "+triple": self._triple_came, "-triple": self._triple_went,
            "+fact": self._triple_came, "-fact": self._triple_went,
            "+alias": self._name_changed, "-alias": self._name_changed,
            "+type": self._name_changed, "-type": self._name_changed,
        }  # fmt: skip
        try:
            for row in rows:
                handlers[row[0]](row)
        except KeyError as error:
            raise SnapshotError(f"the noted changes do not fit snapshot {self.base.stamp} ({error})") from None
        self._check([self.removed[key] for row in rows if (key := (row[0][1:], *row[1:])) in self.removed])
        self.sound = True

    def _check(self, removed: Sequence[tuple[int, int, int]]) -> None:
        """Raise unless the base has these triples, given as in `removed` (tails of facts included)."""
        if not removed:  # the arrays need not be read: of a large snapshot they are checked then
            return
        heads, codes, tails = np.array(removed, dtype=np.int64).reshape(-1, 3).T
        places = triple_places(self.base.indptr, self.base.rel, self.base.dst, heads, codes, tails)
        if int(places.min()) < 0:
            raise SnapshotError(f"snapshot {self.base.stamp} lacks a triple that was removed since")

    def view(self, stamp: str) -> Snapshot:
        """The snapshot as these changes leave it."""
        return Snapshot(stamp, _Merged(self)) if self.count else self.base

    def _look_up(self, rows: Sequence[LogRow]) -> None:
        """Number the entities and values that rows of the log name."""
        keys = {row[1] for row in rows if not row[0].endswith("relation")}
        keys |= {str(row[3]) for row in rows if row[0].endswith("triple")}
        asked = [key for key in keys if key not in self.rows]
        found = self.base.rows(asked).tolist()
        self.rows.update((key, row) for key, row in zip(asked, found, strict=True) if row >= 0)
        facts = {
            (str(row[2]), str(row[3]), row[4] or "") for row in rows if row[0].endswith("fact")
        } - self.value_numbers.keys()
        kinds = {row[1]: row[3] for row in rows if row[0] == "+relation"}
        by_relation: dict[str, list[tuple[str, str]]] = {}
        for relation, text, datatype in facts:
            by_relation.setdefault(relation, []).append((text, datatype))
        for relation, pairs in by_relation.items():
            self._number_values(relation, pairs, kinds)

    def _number_values(self, relation: str, pairs: list[tuple[str, str]], kinds: Mapping[str, str | None]) -> None:
        base = self.base
        code = base.relation_codes.get(relation, -1)
        kind: Any = base.relation_kinds[code] if code >= 0 else kinds.get(relation, self.relations.get(relation))
        texts = [text for text, _ in pairs]
        read, numbers = read_column(texts, [datatype for _, datatype in pairs], kind)
        known = base.value_rows(np.full(len(texts), code, dtype=np.int64), texts).tolist() if code >= 0 else []
        for place, ((text, datatype), of_kind, number) in enumerate(
            zip(pairs, read.tolist(), numbers.tolist(), strict=True)
        ):
            shown = datatype or KINDS[of_kind]
            row = known[place] if known else -1
            if row >= 0 and base.value(row).datatype == shown:
                self.value_numbers[relation, text, datatype] = row - base.entities
                continue
            at = self._place_of(code, of_kind, number, text) if code >= 0 else -1
            self.values.append(_NewValue(relation, of_kind, number, text, shown, at))
            self.value_numbers[relation, text, datatype] = -len(self.values)

    def _place_of(self, code: int, kind: int, number: float, text: str) -> int:
        """Where a new value goes among the base's."""
        base = self.base
        start, stop = base.value_bounds[code : code + 2].tolist()
        bounds = base.arrays["value_kind"][start:stop].searchsorted([kind, kind + 1])
        start, stop = start + int(bounds[0]), start + int(bounds[1])
        part = base.arrays["value_number"][start:stop]
        first, after = int(part.searchsorted(number, "left")), int(part.searchsorted(number, "right"))
        texts = ColumnTexts(base.keys, base.entities + start + first, base.entities + start + after)
        return int(start + first + bisect_left(texts, text))

    def _entity_came(self, row: LogRow) -> None:
        key = row[1]
        if key in self.rows:
            del self.gone[key]
            return
        self.keys.append(key)
        self.key_places.append(bisect_left(self._ids, key))
        self.live[key] = -len(self.keys)

    def _entity_went(self, row: LogRow) -> None:
        key = row[1]
        self.labels[key] = None
        if key in self.rows:
            self.gone[key] = self.rows[key]
        else:
            del self.live[key]

    def _label(self, row: LogRow) -> None:
        self.labels[row[1]] = row[3]

    def _name_changed(self, row: LogRow) -> None:
        held = self.aliases if row[0].endswith("alias") else self.types
        pair, came = (row[1], str(row[3])), row[0][0] == "+"
        if held.get(pair, came) != came:
            del held[pair]
        else:
            held[pair] = came

    def _relation_came(self, row: LogRow) -> None:
        name, kind = row[1], row[3]
        if name in self.base.relation_codes:
            del self.lost[name]
            return
        self.relations[name] = next((each for each in KINDS if each == kind), None)
        self.relation_numbers.setdefault(name, -1 - len(self.relation_numbers))

    def _relation_went(self, row: LogRow) -> None:
        if row[1] in self.base.relation_codes:
            self.lost[row[1]] = self.base.relation_codes[row[1]]
        else:
            del self.relations[row[1]]

    def _triple_came(self, row: LogRow) -> None:
        row = row[0][1:], *row[1:]
        if self.removed.pop(row, None) is None:
            self.added[row] = self._numbers(row)

    def _triple_went(self, row: LogRow) -> None:
        row = row[0][1:], *row[1:]
        if self.added.pop(row, None) is None:
            numbers = self._numbers(row)
            if min(numbers) < 0:
                raise KeyError(row[1])
            self.removed[row] = numbers

    def _numbers(self, row: LogRow) -> tuple[int, int, int]:
        kind, head, relation, text, datatype = row
        code = self.base.relation_codes.get(str(relation))
        if code is None:
            code = self.relation_numbers[str(relation)]
        if kind == "triple":
            return self._entity(head), code, self._entity(str(text))
        number = self.value_numbers[str(relation), str(text), datatype or ""]
        return self._entity(head), code, number if number < 0 else number + self.base.entities

    def _entity(self, key: str) -> int:
        known = self.rows.get(key)
        return self.live[key] if known is None else known


class _Edits(NamedTuple):
    """Entries of the adjacency that come (sorted by their new row, code and end) and go (by their place).

    `row`, `code`, `end` are in the new numbering, int64 [n]; `at` is where each goes before in the base, ascending.
    `gone` int64 [m]: places in the base, ascending; `gone_row`, `gone_code` in the base's numbering.
    `known_row`, `known_code`: of each that comes, in the base's numbering, -1 - i for the i-th new row or relation.
    """

    row: Int64
    code: Int64
    end: Int64
    at: Int64
    known_row: Int64
    known_code: Int64
    gone: Int64
    gone_row: Int64
    gone_code: Int64


class _Triples(NamedTuple):
    """Triples that come or go: int64 [n] each, numbered as in `Delta`."""

    heads: Int64
    codes: Int64
    tails: Int64
    literal: NDArray[np.bool_]


def _triples(rows: Mapping[LogRow, tuple[int, int, int]]) -> _Triples:
    numbers = np.array(list(rows.values()), dtype=np.int64).reshape(-1, 3)
    literal = np.fromiter((row[0] == "fact" for row in rows), bool, len(rows))
    return _Triples(numbers[:, 0], numbers[:, 1], numbers[:, 2], literal)


def _facts(triples: _Triples, entities: int) -> tuple[Int64, Int64]:
    """The heads of facts and the numbers of their values; `entities`: how many the base has."""
    tails = triples.tails[triples.literal]
    return triples.heads[triples.literal], np.where(tails < 0, tails, tails - entities)


def _ints(values: Iterable[int]) -> Int64:
    return np.array(list(values), dtype=np.int64)


class _Merged(Mapping[str, NDArray[Any]]):
    """The arrays of a snapshot with changes; each group is made when one of its arrays is first asked for.

    Numbers: E0, V0, R0 are the base's; new rows, values and relations are counted from 0 in their order (`_keys`,
    `_values`, `_names`), and where each stands is in `_key_rows`, `_value_numbers`, `_name_codes`.
    """

    def __init__(self, delta: Delta) -> None:
        base = delta.base
        self.base, self.old = base, base.arrays
        self._lock = threading.RLock()
        self._made: Group = {}
        # Copied, since the delta goes on growing; where it only ever appends, how far it had come says as much.
        self._added_rows, self._removed_rows = dict(delta.added), dict(delta.removed)
        self._key_places, self._came = delta.key_places, len(delta.keys)
        self._live, self._gone = dict(delta.live), dict(delta.gone)
        self._labels, self._aliases, self._types = dict(delta.labels), dict(delta.aliases), dict(delta.types)
        self._known = delta.rows
        self._relations, self._lost_codes = dict(delta.relations), list(delta.lost.values())
        self._relation_numbers = dict(delta.relation_numbers)
        self._all_values = delta.values

    @cached_property
    def _added(self) -> _Triples:
        return _triples(self._added_rows)

    @cached_property
    def _removed(self) -> _Triples:
        return _triples(self._removed_rows)

    @cached_property
    def _gone_rows(self) -> Int64:
        return np.sort(_ints(self._gone.values()))

    @cached_property
    def _lost(self) -> Int64:
        return np.sort(_ints(self._lost_codes))

    def __iter__(self) -> Iterator[str]:
        return iter(ARRAYS)

    def __len__(self) -> int:
        return len(ARRAYS)

    def __getitem__(self, name: str) -> NDArray[Any]:
        found = self._made.get(name)
        if found is None:
            with self._lock:
                found = self._made.get(name)
                if found is None:
                    made = _GROUPS[name](self)
                    for key, made_array in made.items():
                        fits = made_array.dtype.name in dtypes(key)
                        array = made_array if fits else np.asarray(made_array, dtype=ARRAYS[key])
                        if array.flags.writeable:
                            array.flags.writeable = False
                        self._made[key] = array
                    found = self._made[name]
        return found

    # Numbers: which entities, relations and values there are, and where.

    @cached_property
    def _new(self) -> tuple[list[str], Int64, Int64]:
        """New entities sorted, where each goes in the base, and by their coming which of them each is (-1: gone)."""
        order = sorted(self._live, key=str)
        serial = _ints(-1 - self._live[key] for key in order)
        which = np.full(self._came, -1, dtype=np.int64)
        which[serial] = np.arange(len(order))
        return order, _ints(self._key_places[: self._came])[serial], which

    @cached_property
    def _new_relations(self) -> tuple[list[str], Int64, Int64]:
        """As `_new`, of relations."""
        order = sorted(self._relations)
        places = _ints(bisect_left(self.base.relation_names, name) for name in order)
        which = np.full(len(self._relation_numbers), -1, dtype=np.int64)
        which[[-1 - self._relation_numbers[name] for name in order]] = np.arange(len(order))
        return order, places, which

    @cached_property
    def _new_values(self) -> tuple[list[_NewValue], Int64, Int64]:
        """As `_new`, of values; those that nobody has are left out."""
        _, facts = _facts(self._added, self.base.entities)
        used = sorted_distinct(-1 - facts[facts < 0]).tolist()
        bounds = self.old["value_bounds"]
        names = dict(zip(*self._new_relations[:2], strict=True))
        keys = []
        for number in used:
            value = self._all_values[number]
            at = value.at if value.at >= 0 else int(bounds[names[value.relation]])
            missing = value.number != value.number
            keys.append((at, value.relation, value.kind, missing, 0.0 if missing else value.number, value.text, number))
        keys.sort()
        which = np.full(len(self._all_values), -1, dtype=np.int64)
        which[[key[-1] for key in keys]] = np.arange(len(keys))
        return [self._all_values[key[-1]] for key in keys], _ints(key[0] for key in keys), which

    @cached_property
    def _gone_values(self) -> Int64:
        """The base's values that nobody has any more."""
        owners = self.old["owner_bounds"]
        _, removed = _facts(self._removed, self.base.entities)
        _, added = _facts(self._added, self.base.entities)
        touched, counts = np.unique(removed, return_counts=True)
        left = owners[touched + 1] - owners[touched] - counts
        left += np.searchsorted(np.sort(added), touched, "right") - np.searchsorted(np.sort(added), touched, "left")
        unowned: Int64 = touched[left == 0]
        return unowned

    @cached_property
    def _row_edits(self) -> tuple[Int64, Int64]:
        """Which rows go, and before which rows new ones come: entities, then values."""
        entities = self.base.entities
        gone = np.concatenate((self._gone_rows, entities + self._gone_values))
        return gone, np.concatenate((self._new[1], entities + self._new_values[1]))

    @cached_property
    def _row_map(self) -> Renumbering | None:
        return renumbering(self.base.size, *self._row_edits)

    @cached_property
    def _code_edits(self) -> tuple[Int64, Int64]:
        """As `_row_edits`, of the codes in [0, 2 R0)."""
        relations, at = self.base.relations, self._new_relations[1]
        gone = np.concatenate((self._lost, relations + self._lost))
        return gone, np.concatenate((at, relations + at))

    @cached_property
    def _code_map(self) -> Renumbering | None:
        return renumbering(2 * self.base.relations, *self._code_edits)

    @cached_property
    def _landed_rows(self) -> Int64:
        """The new rows in the new numbering: entities, then values."""
        return _landing(*self._row_edits)

    @cached_property
    def _landed_codes(self) -> Int64:
        """The codes of new relations in the new numbering: forward, then inverse."""
        return _landing(*self._code_edits)

    @property
    def _entities(self) -> int:
        return self.base.entities - len(self._gone_rows) + len(self._new[0])

    @property
    def _relation_count(self) -> int:
        return self.base.relations - len(self._lost) + len(self._new_relations[0])

    @property
    def _value_count(self) -> int:
        return self.base.values - len(self._gone_values) + len(self._new_values[0])

    @cached_property
    def _edits(self) -> _Edits:
        """The entries of the adjacency, in both directions."""
        old, base, added, removed = self.old, self.base, self._added, self._removed
        # The i-th new entity or value is row -1 - i, the i-th new relation's code -1 - i (forward), R' - i (inverse).
        count, fresh = len(self._new[0]), len(self._new_relations[0])
        heads = _which(added.heads, self._new[2])
        tails = added.tails.copy()
        back = ~added.literal
        tails[back] = _which(tails[back], self._new[2])
        values = _which(tails[added.literal], self._new_values[2])
        tails[added.literal] = np.where(values < 0, values - count, values)
        codes = _which(added.codes, self._new_relations[2])
        inverse = np.where(codes >= 0, codes + base.relations, codes - fresh)
        row = np.concatenate((heads, tails[back]))
        code = np.concatenate((codes, inverse[back]))
        end = np.concatenate((tails, heads[back]))
        new_row = _numbered(row, self._row_map, self._landed_rows)
        new_code = _numbered(code, self._code_map, self._landed_codes)
        new_end = _numbered(end, self._row_map, self._landed_rows)
        order = np.lexsort((new_end, new_code, new_row))
        row, code, end = row[order], code[order], end[order]
        at = self._places(row, code, end)
        gone_rows, gone_codes = self._removed_entries()
        ends = np.concatenate((removed.tails, removed.heads[~removed.literal]))
        gone = triple_places(old["indptr"], old["rel"], old["dst"], gone_rows, gone_codes, ends)
        by_place = np.argsort(gone, kind="stable")
        return _Edits(
            new_row[order], new_code[order], new_end[order], at, row, code,
            gone[by_place], gone_rows[by_place], gone_codes[by_place],
        )  # fmt: skip

    def _removed_entries(self) -> tuple[Int64, Int64]:
        removed, base = self._removed, self.base
        back = ~removed.literal
        rows = np.concatenate((removed.heads, removed.tails[back]))
        return rows, np.concatenate((removed.codes, removed.codes[back] + base.relations))

    def _places(self, row: Int64, code: Int64, end: Int64) -> Int64:
        """Before which place of the base's adjacency each entry goes."""
        indptr, rel, dst = self.old["indptr"], self.old["rel"], self.old["dst"]
        row_rank, code_rank = _rank(row, self._row_edits[1]), _rank(code, self._code_edits[1])
        starts = indptr[row_rank]
        stops = np.where(row >= 0, indptr[np.minimum(row_rank + 1, self.base.size)], starts)
        first = lower_bound(rel, starts, stops, code_rank)
        after = np.where(code >= 0, lower_bound(rel, first, stops, code_rank + 1), first)
        return lower_bound(dst, first, after, _rank(end, self._row_edits[1]))

    # The groups of arrays.

    def indptr(self) -> Group:
        """Where the entries of each entity begin."""
        edits, (gone, at) = self._edits, self._row_edits
        went = _kept(edits.gone_row, self._row_map)
        return {"indptr": splice_bounds(self.old["indptr"], gone, at, edits.row, went)}

    def rel(self) -> Group:
        """The relation code of each entry."""
        edits = self._edits
        return {"rel": splice(self.old["rel"], edits.gone, edits.at, edits.code, self._code_map)}

    def dst(self) -> Group:
        """The entity or value at the end of each entry."""
        edits = self._edits
        return {"dst": splice(self.old["dst"], edits.gone, edits.at, edits.end, self._row_map)}

    def relation(self) -> Group:
        """The names of the relations and their kinds."""
        names, at, _ = self._new_relations
        kinds = [RELATION if kind is None else KINDS.index(kind) for kind in map(self._relations.__getitem__, names)]
        made = _strings("relation", splice_column(self.base.column("relation"), self._lost, at, names))
        return made | {"relation_kind": splice(self.old["relation_kind"], self._lost, at, np.array(kinds, np.uint8))}

    def relation_stats(self) -> Group:
        """Triples, distinct heads and distinct tails of each relation."""
        edits, names = self._edits, self._new_relations
        old = self.old["relation_stats"]
        stats = np.stack([splice(old[:, i], self._lost, names[1], np.zeros(len(names[0]))) for i in range(3)], axis=1)
        # An entity counts for a relation while its row has an entry of that code: look at the rows that changed.
        rows = np.concatenate((edits.known_row, edits.gone_row))
        codes = np.concatenate((edits.known_code, edits.gone_code))
        signs = np.repeat([1, -1], [len(edits.row), len(edits.gone)])
        packed = ((rows + len(self._landed_rows)) << 32) | (codes + len(self._landed_codes))
        pairs, inverse = np.unique(packed, return_inverse=True)
        change = np.bincount(inverse, weights=signs, minlength=len(pairs)).astype(np.int64)
        rows, codes = (pairs >> 32) - len(self._landed_rows), (pairs & 0xFFFFFFFF) - len(self._landed_codes)
        before = np.zeros(len(pairs), dtype=np.int64)
        known = np.flatnonzero((rows >= 0) & (codes >= 0))
        starts, stops = self.old["indptr"][rows[known]], self.old["indptr"][rows[known] + 1]
        first = lower_bound(self.old["rel"], starts, stops, codes[known])
        before[known] = lower_bound(self.old["rel"], first, stops, codes[known] + 1) - first
        runs = ((before + change > 0).astype(np.int64) - (before > 0)).astype(np.int64)
        numbered = _numbered(codes, self._code_map, self._landed_codes)
        kept = numbered >= 0
        relations = self._relation_count
        by_code = np.bincount(numbered[kept], weights=runs[kept], minlength=2 * relations).astype(np.int64)
        triples = np.bincount(numbered[kept], weights=change[kept], minlength=2 * relations).astype(np.int64)
        values = np.diff(self["value_bounds"]) - splice(
            np.diff(self.old["value_bounds"]), self._lost, names[1], np.zeros(len(names[0]), dtype=np.int64)
        )
        stats[:, 0] += triples[:relations]
        stats[:, 1] += by_code[:relations]
        stats[:, 2] += by_code[relations:] + values
        return {"relation_stats": stats}

    def key(self) -> Group:
        """The ids of entities, then the texts of values."""
        texts = [*self._new[0], *(value.text for value in self._new_values[0])]
        return _strings("key", splice_column(self.base.keys, *self._row_edits, texts))

    def key_index(self) -> Group:
        """The ids by their hashes."""
        keys, gone = self._new[0], self._gone_rows
        table, order = self.old["key_hash"], self.old["key_order"]
        hashes = hash_texts(keys)
        by_hash = np.argsort(hashes, kind="stable")
        places = np.flatnonzero(np.isin(order, gone)) if len(gone) else gone
        at = np.searchsorted(table, hashes[by_hash])
        landed = self._landed_rows[: len(keys)][by_hash]
        return {
            "key_hash": splice(table, places, at, hashes[by_hash]),
            "key_order": splice(order, places, at, landed, self._row_map),
        }

    @cached_property
    def _called(self) -> tuple[dict[int, str], list[str]]:
        """Labels that differ from the base's, by row of the base; those of the new entities."""
        changed: dict[int, str] = {}
        labels = self.base.labels
        naming = _Namer(self) if self.base.naming_report or has_iris(self.base.keys, self.base.entities) else None
        for key, raw in self._labels.items():
            row = self._known.get(key, -1)
            if row >= 0 and key not in self._gone:
                now = raw or (naming.label(key) if naming else "")
                if now != labels[row]:
                    changed[row] = now
        new = [self._labels.get(key) or (naming.label(key) if naming else "") for key in self._new[0]]
        return changed, new

    def label(self) -> Group:
        """The labels of entities; those that have none of their own are named anew."""
        changed, new = self._called
        texts = [*new, *[""] * len(self._new_values[0])]
        gone, at = self._row_edits
        # A changed label goes and comes again at its row; new rows that go before that row come before it.
        replaced = _ints(sorted(changed))
        places = np.concatenate((at, replaced))
        order = np.lexsort((np.repeat([0, 1], [len(at), len(replaced)]), places))
        every = texts + [changed[row] for row in replaced.tolist()]
        column = splice_column(
            self.base.labels, np.union1d(gone, replaced), places[order], [every[i] for i in order.tolist()]
        )
        return _strings("label", column)

    def _owned(self, changes: Mapping[tuple[str, str], bool]) -> list[tuple[int, int, str, bool]]:
        """Texts that came to entities or went: (row in the base or -1 - i, new row or -1, text, came), sorted."""
        rows = {key: place for place, key in enumerate(self._new[0])}
        out = []
        for (key, text), came in changes.items():
            known = self._known.get(key, -1)
            if known >= 0:
                new = known if self._row_map is None else int(self._row_map[known])
                out.append((known, new, text, came))
            elif key in rows:
                out.append((-1 - rows[key], int(self._landed_rows[rows[key]]), text, came))
        return sorted(out, key=lambda each: (each[1], each[2]))

    def _owned_edits(
        self, changes: Mapping[tuple[str, str], bool], bounds: Int64, place: Callable[[int, int, str], int]
    ) -> tuple[Int64, list[str], Int64, Int64]:
        """Where texts come in and go out of those of entities: places, texts that come, places that go, new bounds.

        `place` finds a text between two places, those of an entity in the base.
        """
        ranks = self._row_edits[1]
        at, came, gone, went, texts = list[int](), list[int](), list[int](), list[int](), list[str]()
        for known, new, text, has_come in self._owned(changes):
            start = int(bounds[known if known >= 0 else ranks[-1 - known]])
            found = place(start, int(bounds[known + 1]) if known >= 0 else start, text)
            if has_come:
                at.append(found)
                came.append(new)
                texts.append(text)
            else:
                gone.append(found)
                went += [new] if new >= 0 else []
        made = splice_bounds(bounds, *self._row_edits, _ints(came), _ints(went))
        return _ints(at), texts, sorted_distinct(_ints(gone)), made

    def alias(self) -> Group:
        """The aliases of entities."""
        column = self.base.aliases

        def place(start: int, stop: int, text: str) -> int:
            return start + bisect_left(ColumnTexts(column, start, stop), text)

        at, texts, gone, made = self._owned_edits(self._aliases, self.old["alias_bounds"], place)
        return {"alias_bounds": made} | _strings("alias", splice_column(column, gone, at, texts))

    def type(self) -> Group:
        """The types of entities, and their names."""
        codes = self.old["type_codes"]
        names = self.base.type_names.slice(0, len(self.base.type_names))
        place_of = {name: code for code, name in enumerate(names)}
        new_names = sorted({text for (_, text), came in self._types.items() if came} - place_of.keys())
        ranked = {name: bisect_left(names, name) for name in new_names} | place_of

        def place(start: int, stop: int, text: str) -> int:
            return start + int(codes[start:stop].searchsorted(ranked[text]))

        added, texts, gone_places, bounds = self._owned_edits(self._types, self.old["type_bounds"], place)
        counts = np.bincount(codes, minlength=len(names)) - np.bincount(codes[gone_places], minlength=len(names))
        left = {name for name, count in zip(names, counts.tolist(), strict=True) if count} | set(texts)
        final = {name: code for code, name in enumerate(sorted(left))}
        table = np.array([final.get(name, -1) for name in names], dtype=np.int32)
        numbers = _ints(final[text] for text in texts)
        merged = splice(codes, gone_places, added, numbers, None if list(final) == names else table)
        return {"type_bounds": bounds, "type_codes": merged} | _strings("type", StringColumn.pack(final))

    @cached_property
    def _name_edits(self) -> tuple[Int64, Int64, UInt64, Int64, list[str]]:
        """Names that go (places), and those that come: where, hash, new row, folded text."""
        changed, _ = self._called
        table, owners, base = self.old["name_hash"], self.old["name_entity"], self.base
        gone_rows = set(self._gone_rows.tolist())
        touched = {*changed, *gone_rows, *(self._known[key] for key, _ in self._aliases if key in self._known)}
        old = [(row, text) for row in touched for text in _names_of(base, row)]
        hashes = hash_texts(fold_names([unescaped(text) for _, text in old])) if old else np.empty(0, np.uint64)
        starts, stops = find_hashes(table, hashes)
        parts = [
            start + np.flatnonzero(owners[start:stop] == row)
            for (row, _), start, stop in zip(old, starts.tolist(), stops.tolist(), strict=True)
        ]
        gone = sorted_distinct(np.concatenate(parts)) if parts else np.empty(0, dtype=np.int64)
        raw, known_rows = self._new_names(touched - gone_rows)
        if not raw:
            return gone, gone[:0], np.empty(0, dtype=np.uint64), gone[:0], []
        folded = fold_names([unescaped(text) for text in raw])
        packed = StringColumn.pack(folded)
        hashes, rows = hash_rows(packed), _ints(known_rows)
        landed = _numbered(rows, self._row_map, self._landed_rows)
        order = np.lexsort((landed, hashes))
        hashes, rows = hashes[order], rows[order]
        starts, stops = find_hashes(table, hashes)
        at = lower_bound(owners, starts, stops, _rank(rows, self._row_edits[1]))
        return gone, at, hashes, landed[order], [folded[i] for i in order.tolist()]

    def _new_names(self, rows: Iterable[int]) -> tuple[list[str], list[int]]:
        """The names of these rows of the base and of the new entities as they are now, and whose each is."""
        base, (changed, new_labels) = self.base, self._called
        aliases: dict[int, set[str]] = {row: set(_aliases_of(base, row)) for row in rows}
        aliases |= {-1 - place: set() for place in range(len(new_labels))}
        for row, _, text, came in self._owned(self._aliases):
            if row in aliases:
                (aliases[row].add if came else aliases[row].discard)(text)
        raw: list[str] = []
        owners: list[int] = []
        for row, texts in aliases.items():
            key = base.keys[row] if row >= 0 else self._new[0][-1 - row]
            label = changed.get(row, base.labels[row]) if row >= 0 else new_labels[-1 - row]
            names = _with_bare([key, *([label] if label else []), *sorted(texts)])
            raw += names
            owners += [row] * len(names)
        return raw, owners

    def name(self) -> Group:
        """The names of entities by their hashes."""
        gone, at, hashes, rows, _ = self._name_edits
        return {
            "name_hash": splice(self.old["name_hash"], gone, at, hashes),
            "name_entity": splice(self.old["name_entity"], gone, at, rows, self._row_map),
        }

    def name_texts(self) -> Group:
        """The folded names, in the order of `name`."""
        gone, at, *_, folded = self._name_edits
        return _strings("name", splice_column(self.base.folded_names, gone, at, folded))

    def gram(self) -> Group:
        """The trigrams of the folded names, each with the names that hold it."""
        gone, at, *_, folded = self._name_edits
        codes, bounds, names = self.old["gram_codes"], self.old["gram_bounds"], self.old["gram_names"]
        size = len(self.old["name_hash"])
        old_code, old_name = _grams(StringColumn.pack(self.base.folded_names.take(gone)), gone)
        places = np.searchsorted(codes, old_code)
        went = lower_bound(names, bounds[places], bounds[places + 1], old_name)
        new_code, which = _grams(StringColumn.pack(folded), np.arange(len(folded)))
        landed = _landing(gone, at)
        order = np.lexsort((landed[which], new_code))
        new_code, which = new_code[order], which[order]
        places = np.searchsorted(codes, new_code)
        starts = bounds[places]
        known = np.zeros(len(new_code), dtype=bool)
        inside = places < len(codes)
        known[inside] = codes[places[inside]] == new_code[inside]
        stops = np.where(known, bounds[np.minimum(places + 1, len(codes))], starts)
        before = lower_bound(names, starts, stops, at[which])
        fresh = sorted_distinct(new_code[~known])
        row_at = np.searchsorted(codes, fresh)
        all_codes = splice(codes, np.empty(0, np.int64), row_at, fresh)
        went_rows = np.searchsorted(all_codes, old_code)
        merged = splice_bounds(bounds, np.empty(0, np.int64), row_at, np.searchsorted(all_codes, new_code), went_rows)
        left = np.diff(merged) > 0
        return {
            "gram_codes": all_codes[left],
            "gram_bounds": np.append(merged[:-1][left], merged[-1]),
            "gram_names": splice(names, np.sort(went), before, landed[which], renumbering(size, gone, at)),
        }

    def value(self) -> Group:
        """The kind, number and datatype of each value."""
        values, at, _ = self._new_values
        gone = self._gone_values
        made: Group = {
            "value_kind": splice(self.old["value_kind"], gone, at, np.array([v.kind for v in values], np.uint8)),
            "value_number": splice(self.old["value_number"], gone, at, np.array([v.number for v in values])),
        }
        names, table, final = self._datatype_names
        came = _ints(final[value.datatype] for value in values)
        codes = splice(self.old["value_datatype"], gone, at, came, table)
        return made | {"value_datatype": codes} | _strings("datatype", StringColumn.pack(names))

    @cached_property
    def _datatype_names(self) -> tuple[list[str], NDArray[np.int16] | None, dict[str, int]]:
        """The datatypes sorted, the new code of each of the base's (None: the same), and the codes by name."""
        old = self.base.column("datatype").slice(0, len(self.old["datatype_offsets"]) - 1)
        held = self.old["value_datatype"]
        counts = np.bincount(held, minlength=len(old)) - np.bincount(held[self._gone_values], minlength=len(old))
        counts += np.bincount(self.old["qualifier_datatype"], minlength=len(old))
        left = {name for name, count in zip(old, counts.tolist(), strict=True) if count}
        left |= {value.datatype for value in self._new_values[0]}
        names = sorted(left | set(KINDS)) if self._value_count or len(self.old["statement_place"]) else []
        final = {name: code for code, name in enumerate(names)}
        table = None if names == old else np.array([final.get(name, -1) for name in old], dtype=np.int16)
        return names, table, final

    def qualifier_datatype(self) -> Group:
        """The datatype of each property of a relationship."""
        codes, table = self.old["qualifier_datatype"], self._datatype_names[1]
        return {"qualifier_datatype": codes if table is None else table[codes]}

    def value_naming(self) -> Group:
        """The report on naming, as it is."""
        held = self.old["value_naming"].tobytes() or b"[]"
        there = self._value_count or len(self.old["statement_place"])
        return {"value_naming": np.frombuffer(held if there else b"", dtype=np.uint8)}

    def value_bounds(self) -> Group:
        """Where the values of each relation begin."""
        names, relation_at, _ = self._new_relations
        codes = {name: int(code) for name, code in zip(names, self._landed_codes.tolist(), strict=False)}
        came = [codes.get(value.relation, -1) for value in self._new_values[0]]
        known = [self.base.relation_codes.get(value.relation, -1) for value in self._new_values[0]]
        numbered = _ints(new if old < 0 else self._relation_of(old) for old, new in zip(known, came, strict=True))
        went = np.searchsorted(self.old["value_bounds"], self._gone_values, "right") - 1
        went = _ints(code for code in (self._relation_of(old) for old in went.tolist()) if code >= 0)
        return {"value_bounds": splice_bounds(self.old["value_bounds"], self._lost, relation_at, numbered, went)}

    def _relation_of(self, code: int) -> int:
        return code if self._code_map is None else int(self._code_map[code])

    def value_index(self) -> Group:
        """The values by the hashes of their relation and text."""
        bounds, entities = self["value_bounds"], self._entities
        values, at, _ = self._new_values
        count, gone = len(values), self._gone_values
        if self._code_map is None:
            landed = _landing(gone, at)
            codes = np.searchsorted(bounds, landed, "right") - 1
            hashes = value_hashes(codes, hash_texts([value.text for value in values]))
            by_hash = np.argsort(hashes, kind="stable")
            table, order = self.old["value_hash"], self.old["value_order"]
            places = np.flatnonzero(np.isin(order, gone)) if len(gone) else gone
            before = np.searchsorted(table, hashes[by_hash])
            numbers = renumbering(self.base.values, gone, at)
            return {
                "value_hash": splice(table, places, before, hashes[by_hash]),
                "value_order": splice(order, places, before, landed[by_hash], numbers),
            }
        # The hashes are of codes and texts: other codes, other hashes.
        count = self._value_count
        offsets = self["key_offsets"][entities:]
        texts = StringColumn(self["key_blob"][int(offsets[0]) :], offsets - offsets[0])
        codes = np.repeat(np.arange(self._relation_count), np.diff(bounds))
        hashes = value_hashes(codes, hash_rows(texts)) if count else np.empty(0, np.uint64)
        by_hash = np.argsort(hashes, kind="stable")
        return {"value_hash": hashes[by_hash], "value_order": by_hash}

    def owner(self) -> Group:
        """The entities that have each value."""
        bounds, owners = self.old["owner_bounds"], self.old["owner_rows"]
        added, removed = self._added, self._removed
        heads, values = _facts(added, self.base.entities)
        heads, values = _which(heads, self._new[2]), _which(values, self._new_values[2])
        numbers = renumbering(self.base.values, self._gone_values, self._new_values[1])
        landed = _landing(self._gone_values, self._new_values[1])
        new_value = _numbered(values, numbers, landed)
        new_head = _numbered(heads, self._row_map, self._landed_rows)
        order = np.lexsort((new_head, new_value))
        values, heads = values[order], heads[order]
        rank = _rank(values, self._new_values[1])
        starts = bounds[rank]
        stops = np.where(values >= 0, bounds[np.minimum(rank + 1, self.base.values)], starts)
        at = lower_bound(owners, starts, stops, _rank(heads, self._row_edits[1]))
        gone_head, gone_value = _facts(removed, self.base.entities)
        gone = np.sort(lower_bound(owners, bounds[gone_value], bounds[gone_value + 1], gone_head))
        went = _kept(gone_value, numbers)
        return {
            "owner_bounds": splice_bounds(bounds, self._gone_values, self._new_values[1], new_value, went),
            "owner_rows": splice(owners, gone, at, new_head[order], self._row_map),
        }

    def statement_place(self) -> Group:
        """The entry that each statement is about."""
        places = self.old["statement_place"]
        return {"statement_place": moved(places, self._edits.gone, self._edits.at) if len(places) else places}


class _Namer:
    """Labels of entities that have none of their own, by the base's choice (`trivium.kg.embedded.naming`)."""

    def __init__(self, merged: _Merged) -> None:
        self._merged = merged
        self._report = merged.base.naming_report
        self._iris = has_iris(merged.base.keys, merged.base.entities)
        self._view = Snapshot(merged.base.stamp, merged)

    def label(self, key: str) -> str:
        """The label of an entity; "" where nothing names it."""
        view = self._view
        row = view.row(key)
        codes = view.type_codes[view.type_bounds[row] : view.type_bounds[row + 1]]
        types = view.type_names.take(codes) or [""]
        for each in self._report:
            if each["type"] in types:
                text = property_label(each, [self._value(row, name) for name in each["properties"]])
                if text:
                    return text
        return last_part(key) if self._iris else ""

    def _value(self, row: int, name: str) -> str:
        view = self._view
        code = view.relation_codes.get(name, -1)
        start, stop = view.indptr[row : row + 2].tolist()
        codes = view.rel[start:stop]
        first, after = (start + codes.searchsorted(np.array((code, code + 1), dtype=codes.dtype))).tolist()
        values = view.dst[first:after]
        values = values[values.searchsorted(view.entities) :]  # entities stand before them
        return view.keys[int(values[0])] if code >= 0 and len(values) else ""


def _which(numbers: Int64, which: Int64) -> Int64:
    """Numbers of `Delta` with the new ones, -1, -2, … by their coming, as -1 - i for the i-th in order."""
    out = numbers.copy()
    new = numbers < 0
    out[new] = -1 - which[-1 - numbers[new]]
    return out


def _numbered(numbers: Int64, table: Renumbering | None, landed: Int64) -> Int64:
    """Old numbers, and -1 - i for the i-th new one, in the new numbering."""
    out = numbers.copy()
    new = numbers < 0
    if table is not None:
        out[~new] = table[numbers[~new]]
    out[new] = landed[-1 - numbers[new]]
    return out


def _rank(numbers: Int64, at: Int64) -> Int64:
    """Old numbers, and of the i-th new one, -1 - i, the old number that it goes before."""
    out = numbers.copy()
    new = numbers < 0
    out[new] = at[-1 - numbers[new]]
    return out


def _landing(gone: Int64, at: Int64) -> Int64:
    """Where `splice` puts what it puts in."""
    return at - np.searchsorted(gone, at) + np.arange(len(at))


def _kept(numbers: Int64, table: Renumbering | None) -> Int64:
    """Old numbers in the new numbering, without those that are gone."""
    new: Int64 = numbers if table is None else table[numbers].astype(np.int64)
    return new[new >= 0]


def _strings(name: str, column: StringColumn) -> Group:
    return {f"{name}_blob": column.blob, f"{name}_offsets": column.offsets}


def _aliases_of(snapshot: Snapshot, row: int) -> list[str]:
    bounds = snapshot.alias_bounds
    return snapshot.aliases.slice(int(bounds[row]), int(bounds[row + 1]))


def _names_of(snapshot: Snapshot, row: int) -> list[str]:
    """The names of an entity: its id, its label, its aliases, and these without parentheses."""
    label = snapshot.labels[row]
    return _with_bare([snapshot.keys[row], *([label] if label else []), *_aliases_of(snapshot, row)])


def _with_bare(names: list[str]) -> list[str]:
    return [*names, *filter(None, map(bare_name, names))]


def _grams(folded: StringColumn, numbers: Int64) -> tuple[NDArray[np.uint32], Int64]:
    """The distinct trigrams of each name: codes uint32 [g] and the number of the name, int64 [g]."""
    codes, bounds = grams_of(folded)
    owners = np.repeat(np.arange(len(folded)), np.diff(bounds))
    packed = sorted_distinct((owners.astype(np.uint64) << np.uint64(32)) | codes)
    return (packed & np.uint64(0xFFFFFFFF)).astype(np.uint32), numbers[(packed >> np.uint64(32)).astype(np.int64)]


_MAKERS: list[tuple[Callable[[_Merged], Group], tuple[str, ...]]] = [
    (_Merged.indptr, ("indptr",)),
    (_Merged.rel, ("rel",)),
    (_Merged.dst, ("dst",)),
    (_Merged.relation, ("relation_blob", "relation_offsets", "relation_kind")),
    (_Merged.relation_stats, ("relation_stats",)),
    (_Merged.key, ("key_blob", "key_offsets")),
    (_Merged.key_index, ("key_hash", "key_order")),
    (_Merged.label, ("label_blob", "label_offsets")),
    (_Merged.alias, ("alias_bounds", "alias_blob", "alias_offsets")),
    (_Merged.type, ("type_bounds", "type_codes", "type_blob", "type_offsets")),
    (_Merged.name, ("name_hash", "name_entity")),
    (_Merged.name_texts, ("name_blob", "name_offsets")),
    (_Merged.gram, ("gram_codes", "gram_bounds", "gram_names")),
    (_Merged.value, ("value_kind", "value_number", "value_datatype", "datatype_blob", "datatype_offsets")),
    (_Merged.value_naming, ("value_naming",)),
    (_Merged.value_bounds, ("value_bounds",)),
    (_Merged.value_index, ("value_hash", "value_order")),
    (_Merged.owner, ("owner_bounds", "owner_rows")),
    (_Merged.statement_place, ("statement_place",)),
    (_Merged.qualifier_datatype, ("qualifier_datatype",)),
]
_GROUPS: dict[str, Callable[[_Merged], Group]] = {name: maker for maker, names in _MAKERS for name in names}


def _unchanged(name: str) -> Callable[[_Merged], Group]:
    return lambda merged: {name: merged.old[name]}


_GROUPS |= {name: _unchanged(name) for name in set(ARRAYS) - set(_GROUPS)}
