"""Build a KG directory from streams of triples and entities: whole at the end, or not there at all."""

from __future__ import annotations

import itertools
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trivium.kg.cores import beside
from trivium.kg.embedded.columns import ColumnTexts, GrowingArray, Int32, Int64, StringColumn, counts, slices
from trivium.kg.embedded.locks import build_lock
from trivium.kg.embedded.mapped import write_snapshot
from trivium.kg.embedded.natures import declared_natures, gives_types, guess_kinds, kind_of_untyped, may_give_types
from trivium.kg.embedded.numbering import Numbering, Texts, text_order
from trivium.kg.embedded.record import (
    RECORD,
    Meta,
    create,
    meta_of,
    new_stamp,
    record_errors,
    save_meta,
    write_properties,
)
from trivium.kg.embedded.tables import OwnedTexts, Tables, Values, sort_rows
from trivium.kg.errors import BadInputError, KnowledgeBaseExistsError
from trivium.kg.files import atomic_folder, fsync_file, remove_leftovers, sha256_file
from trivium.kg.loaders.delimited import TripleColumns, paused_collector
from trivium.kg.manifest import Manifest, is_kg, now, write_manifest
from trivium.kg.types import (
    LONGEST_RELATION,
    LONGEST_TEXT,
    Entity,
    KGInfo,
    Progress,
    PropertyKind,
    QualifiedTriple,
    Statement,
    Triple,
    ValueText,
)
from trivium.kg.values import KINDS, kind_of_datatype, read_value

_ROWS = 100_000  # rows handed to SQLite, and triples interned, at a time


def silent(stage: str, done: int, total: int | None) -> None:
    """A `Progress` that shows nothing."""


def build(
    out: Path,
    triples: Iterable[Iterable[Triple]],
    entities: Iterable[Entity] = (),
    progress: Progress = silent,
    *,
    natures: Mapping[str, str] | None = None,
    empty: bool = False,
) -> KGInfo:
    """Build the KG directory `out` from batches of triples (repeats are dropped) and from named entities.

    An entity that no triple mentions is kept and can be found, but `KGInfo.entities` counts those in triples.
    A tail that is a `ValueText` is a value; of other tails `trivium.kg.embedded.natures` decides by the relation.
    `natures` names relations that are a property of a kind, lead to an "entity", or give a "type", whatever their tails
    look like; a relation called `type` or the like gives types where its tails tell what kind of thing an entity is.
    `empty` allows a graph without triples, such as one whose last fact was removed.

    Raises:
        KnowledgeBaseExistsError: `out` exists and is not an empty folder.
        BusyError: another process is building `out`.
        BadInputError: there are no triples, a name is empty or cannot be encoded, `natures` names an unknown relation
            or kind, or the input raises it.
    """
    out = out.absolute()
    refuse_existing(out)
    out.parent.mkdir(parents=True, exist_ok=True)
    with build_lock(out):
        refuse_existing(out)
        remove_leftovers(out)
        tables = read_input(triples, entities, progress, natures or {})
        if not empty and not len(tables.heads):
            raise BadInputError("there are no triples in the input")
        with atomic_folder(out) as folder:
            return write_directory(folder, tables, progress)


def refuse_existing(out: Path) -> None:
    """Raise `KnowledgeBaseExistsError` unless `out` is free: absent, or an empty folder."""
    if is_kg(out):
        raise KnowledgeBaseExistsError(f"{out} already holds a KG; remove it first, or use trivium kg add {out} FILE")
    if out.is_dir() and not any(out.iterdir()):
        return
    if out.exists() or out.is_symlink():
        raise KnowledgeBaseExistsError(f"{out} exists and is not an empty folder; choose another --out")


class _Read:
    """What streams of triples hold, as numbers in the order of their first mention.

    Attributes:
        numbers, relations: entity ids (and texts of tails that may turn out to be values), and relation names.
        literals: number of each (relation number, text) that is known to be a value; `datatypes` of each.
        statements: (head, relation, tail) numbers with the statements of relationships that have properties.
    """

    def __init__(self) -> None:
        self.numbers = Numbering()
        self.relations = Numbering()
        self.literals: defaultdict[tuple[int, str], int] = defaultdict(itertools.count().__next__)
        self.datatypes: list[str] = []
        self.statements: defaultdict[tuple[int, int, int], set[Statement]] = defaultdict(set)

    def columns(self, batches: Iterable[Iterable[Triple]], progress: Progress) -> tuple[Int32, Int32, Int32]:
        """Columns of numbers, int32 [n] each, in the order of the input; a tail of -n - 1 is literal n."""
        columns = (GrowingArray(np.int32), GrowingArray(np.int32), GrowingArray(np.int32))
        done = 0
        for rows in _chunks(batches):
            found = self._fields(rows) if isinstance(rows, TripleColumns) else self._mixed(rows)
            for column, part in zip(columns, found, strict=True):
                column.append(part)
            done += len(rows)
            progress("read", done, None)
        return columns[0].array, columns[1].array, columns[2].array

    def _fields(self, rows: TripleColumns) -> tuple[Int32, Int32, Int32]:
        """Of the lines of a file, whose texts stand in one buffer."""
        texts = [Texts(rows.data, rows.starts[:, at], rows.stops[:, at] - rows.starts[:, at]) for at in range(3)]
        return self.numbers.of(texts[0]), self.relations.of(texts[1]), self.numbers.of(texts[2])

    def _mixed(self, rows: Sequence[Triple]) -> tuple[Int32, Int32, Int32]:
        """Of triples some of which may have values as tails, or statements."""
        heads, relations, tails = zip(*rows, strict=True)
        found = (self.number(heads), self.relations.of(Texts.of(relations)), self._tails(rows, tails))
        if ValueText in set(map(type, tails)):
            for place, (code, tail) in enumerate(zip(found[1].tolist(), tails, strict=True)):
                if isinstance(tail, ValueText):
                    found[2][place] = self._literal(code, tail)
        if QualifiedTriple in set(map(type, rows)):
            self._state(rows, found)
        return found

    def number(self, ids: Sequence[str]) -> Int32:
        """The numbers of entity ids, int32 [n]; new ones for those that no triple mentions."""
        return self.numbers.of(Texts.of(ids))

    def _tails(self, rows: Sequence[Triple], tails: Sequence[str]) -> Int32:
        """The numbers of those tails that are no `ValueText`; anything for others."""
        column = np.zeros(len(rows), dtype=np.int32)
        places = [place for place, tail in enumerate(tails) if not isinstance(tail, ValueText)]
        column[places] = self.number([tails[place] for place in places])
        return column

    def _literal(self, code: int, tail: ValueText) -> int:
        if not tail:
            raise BadInputError("a triple has an empty head, relation or tail")
        number = self.literals[code, str(tail)]
        if number == len(self.datatypes):
            self.datatypes.append(tail.datatype)
        return -number - 1

    def _state(self, rows: Sequence[Triple], columns: tuple[Int32, Int32, Int32]) -> None:
        for place, row in enumerate(rows):
            if isinstance(row, QualifiedTriple):
                head, code, tail = (int(column[place]) for column in columns)
                self.statements[head, code, tail].update(row.statements)


def read_input(
    batches: Iterable[Iterable[Triple]],
    entities: Iterable[Entity],
    progress: Progress,
    natures: Mapping[str, str] | None = None,
) -> Tables:
    """Read everything into numbers: distinct triples, entities in the order of their ids, values in theirs."""
    read = _Read()
    with paused_collector():
        heads, codes, tails = read.columns(batches, progress)
        # Numbered here, so that an entity which no triple mentions gets a number as well.
        listed = list(entities)
        named = list(zip(read.number([entity.id for entity in listed]).tolist(), listed, strict=True))
    progress("sort", 0, len(heads))
    texts = read.numbers.close()
    wanted = dict(natures or {})
    taken, typed, (heads, codes, tails) = _take_types(read, wanted, (heads, codes, tails))
    named += typed
    relations, relation_place = _sorted_names(read.relations.column(), ~taken, longest=LONGEST_RELATION)
    _renumber(codes, relation_place)
    declared = declared_natures(relations, wanted)
    things = np.zeros(len(texts), dtype=bool)
    _mark(things, heads)
    things[[number for number, entity in named if _has_names(entity)]] = True
    kinds = guess_kinds(codes, tails, ColumnTexts(texts, 0, len(texts)), things, declared, relations)
    literals = [(int(relation_place[relation]), text) for relation, text in read.literals]
    _literal_kinds(literals, read.datatypes, tails, relations, declared, kinds)
    heads, codes, tails = _with_stated(read, relation_place, (heads, codes, tails))
    values, tails = _values(texts, literals, read.datatypes, codes, tails, kinds)
    used = things
    _mark(used, tails)
    # An entity that is only listed by its id stays, unless it is the text of a value: a listing of all tails has those.
    value_texts = set(values.texts) if named else set()
    used[[number for number, entity in named if entity.id not in value_texts]] = True
    keys, place = _sorted_names(texts, used)
    read.literals.clear()
    del literals, texts, read.numbers  # as large as the names themselves, and in the way of the sort below
    _renumber(heads, place)
    _renumber(tails, np.concatenate((place, len(keys) + np.arange(len(values), dtype=np.int32))))
    sizes = (len(keys), len(relations), len(keys) + len(values))
    columns = [heads, codes, tails]
    del heads, codes, tails  # let go of as they are packed
    statements = _statements(read, columns)
    heads, codes, tails = sort_rows(columns, sizes, unique=True)
    _settle_kinds(kinds, declared, values, codes, tails, len(keys))
    progress("sort", len(heads), len(heads))
    labels = [""] * len(keys)
    aliases, types = _attach([pair for pair in named if used[pair[0]]], place, labels)
    return Tables(keys, labels, list(relations), heads, codes, tails, aliases, types, values, kinds, statements)


def _renumber(column: Int32, table: Int32) -> None:
    """Replace each number of a column by `table[number]`."""
    for part in slices(len(column)):
        column[part] = table[column[part]]


def _mark(flags: NDArray[np.bool_], numbers: Int32) -> None:
    """Set the flags of these numbers; those past the end have none."""
    for part in slices(len(numbers)):
        mine = numbers[part]
        flags[mine[mine < len(flags)]] = True


def _with_stated(read: _Read, relation_place: Int32, columns: tuple[Int32, Int32, Int32]) -> tuple[Int32, Int32, Int32]:
    """The columns with the triples that have statements as further rows: renumbered by the same arithmetic."""
    if not read.statements:
        return columns
    heads, codes, tails = np.array(list(read.statements), dtype=np.int32).T
    return (
        np.concatenate((columns[0], heads)),
        np.concatenate((columns[1], relation_place[codes])),
        np.concatenate((columns[2], tails)),
    )


def _statements(read: _Read, columns: Sequence[Int32]) -> dict[tuple[int, int, int], tuple[Statement, ...]]:
    """The statements by their triples, which are the last rows of `columns`."""
    count = len(read.statements)
    rows = zip(*(column[len(column) - count :].tolist() for column in columns), strict=True)
    return {row: tuple(sorted(found)) for row, found in zip(rows, read.statements.values(), strict=True)}


def _take_types(
    read: _Read, wanted: dict[str, str], columns: tuple[Int32, Int32, Int32]
) -> tuple[NDArray[np.bool_], list[tuple[int, Entity]], tuple[Int32, Int32, Int32]]:
    """Which relations give their heads types, the entities with these, and the triples without them.

    What `wanted` says of such a relation goes from it.

    Raises:
        BadInputError: a relation that is to give types has properties of its own.
    """
    heads, codes, tails = columns
    taken = np.zeros(len(read.relations), dtype=bool)
    for code, relation in enumerate(ColumnTexts(relations := read.relations.column(), 0, len(relations))):
        nature = wanted.get(relation)
        stated = any(key[1] == code for key in read.statements)
        if nature == "type" and stated:
            raise BadInputError(f"properties: {relation!r} has properties of its own, so it cannot give types")
        guessed = nature is None and not stated and may_give_types(relation)
        if nature == "type" or (guessed and gives_types(code, heads, codes, tails)):
            taken[code] = True
            wanted.pop(relation, None)
    if not taken.any():
        return taken, [], columns
    given = taken[codes]
    return taken, _typed_entities(read, heads[given], tails[given]), (heads[~given], codes[~given], tails[~given])


def _typed_entities(read: _Read, heads: Int32, tails: Int32) -> list[tuple[int, Entity]]:
    """Entities with the types that these triples give them."""
    names, literals = read.numbers.column(), {-number - 1: text for (_, text), number in read.literals.items()}
    types: dict[int, list[str]] = defaultdict(list)
    for head, tail in zip(heads.tolist(), tails.tolist(), strict=True):
        types[head].append(names[tail] if tail >= 0 else literals[tail])
    ids = names.take(np.array(list(types), dtype=np.int64))
    return [(head, Entity(id_, id_, types=tuple(types[head]))) for head, id_ in zip(types, ids, strict=True)]


def _literal_kinds(
    literals: Sequence[tuple[int, str]],
    datatypes: list[str],
    tails: Int32,
    relations: Sequence[str],
    declared: Sequence[str | None],
    kinds: list[PropertyKind | None],
) -> None:
    """Decide how values without a datatype are read: as declared, else as those of their property that have one.

    Else as all of them can be (`trivium.kg.embedded.natures`), else as text, as they are beside texts of a language. A
    declared kind goes before datatypes, which are then dropped.
    """
    untyped: dict[int, list[int]] = defaultdict(list)
    others: dict[int, Counter[str]] = defaultdict(Counter)
    for number, (code, _) in enumerate(literals):
        if declared[code] not in (None, "entity"):
            datatypes[number] = ""
        elif not datatypes[number] and kinds[code] is None:
            untyped[code].append(number)
        else:
            others[code][datatypes[number]] += 1
    stated = counts(-tails[tails < 0] - 1, len(literals))
    for code, numbers in untyped.items():
        texts = {literals[number][1]: int(stated[number]) for number in numbers}
        kind = _kind_beside(texts, others[code]) or kind_of_untyped(relations[code], texts)
        for number in numbers:
            datatypes[number] = kind


def _kind_beside(texts: Iterable[str], datatypes: Counter[str]) -> PropertyKind | None:
    """The kind of values without a datatype by those beside them; None where these do not say it."""
    if any(datatype.startswith("@") for datatype in datatypes):
        return "text"
    kind = kind_of_datatype(datatypes.most_common(1)[0][0]) if datatypes else "text"
    return kind if kind != "text" and all(read_value(text, kind).kind == kind for text in texts) else None


def _values(
    names: StringColumn,
    literals: Sequence[tuple[int, str]],
    datatypes: Sequence[str],
    codes: Int32,
    tails: Int32,
    kinds: Sequence[PropertyKind | None],
) -> tuple[Values, Int32]:
    """The values, and the tails again: below len(names) an entity's number, from there on a value's."""
    properties = np.array([kind is not None for kind in kinds], dtype=bool)
    if not literals and not properties.any():
        return Values.empty(), tails
    converted = np.flatnonzero((tails >= 0) & properties[codes])
    packed = (codes[converted].astype(np.int64) << 32) | tails[converted]
    distinct, inverse = np.unique(packed, return_inverse=True)
    found = list(zip((distinct >> 32).tolist(), names.take(distinct & 0xFFFFFFFF), strict=True))
    # The same value may come from a file that types it and from one that does not.
    known = {pair: number for number, pair in enumerate(literals)}
    places = np.array([known.setdefault(pair, len(known)) for pair in found], dtype=np.int64)
    pairs = list(known)
    values, place = Values.of(
        np.array([code for code, _ in pairs], dtype=np.int32),
        [text for _, text in pairs],
        [*datatypes, *[""] * (len(pairs) - len(literals))],
        kinds,
    )
    tails = tails.copy()
    literal = np.flatnonzero(tails < 0)
    tails[literal] = len(names) + place[-tails[literal] - 1]
    tails[converted] = len(names) + place[places[inverse]]
    return values, tails


def _settle_kinds(
    kinds: list[PropertyKind | None],
    declared: Sequence[str | None],
    values: Values,
    codes: Int32,
    tails: Int32,
    entities: int,
) -> None:
    """Relations whose tails are all typed values are properties too, of the kind that most values have."""
    if not len(values):
        return
    leading = np.bincount(codes[tails < entities], minlength=len(kinds))
    counts = np.zeros((len(kinds), len(KINDS)), dtype=np.int64)
    np.add.at(counts, (values.codes, values.kinds), 1)
    for code, count in enumerate(counts.sum(axis=1).tolist()):
        if count and kinds[code] is None and declared[code] is None and not leading[code]:
            kinds[code] = KINDS[int(counts[code].argmax())]


def _has_names(entity: Entity) -> bool:
    return bool(entity.aliases or entity.types) or entity.label != entity.id


def _chunks(batches: Iterable[Iterable[Triple]]) -> Iterator[Sequence[Triple]]:
    """The same triples in parts of bounded length: input batches may be single triples or whole files."""
    for columns, group in itertools.groupby(batches, lambda batch: isinstance(batch, TripleColumns)):
        if columns:  # blocks of a file, which are of bounded length
            yield from (batch for batch in group if isinstance(batch, TripleColumns) and len(batch))
            continue
        stream = itertools.chain.from_iterable(group)
        while rows := list(itertools.islice(stream, _ROWS)):
            yield rows


def _sorted_names(
    names: StringColumn, used: NDArray[np.bool_], longest: int = LONGEST_TEXT
) -> tuple[ColumnTexts, Int32]:
    """The used names sorted, and `place[number]` = where a name's number stands among them; anything for others."""
    numbers = np.flatnonzero(used)
    part = names if len(numbers) == len(names) else names.reorder(numbers)
    order = text_order(part)
    part = part.reorder(order)
    sizes = np.diff(part.offsets)
    if not sizes.all():
        raise BadInputError("a triple has an empty head, relation or tail")
    for found in map(part.__getitem__, np.flatnonzero(sizes > longest).tolist()):  # of so many bytes
        if len(found) > longest:
            raise BadInputError(f"a name has {len(found):,} characters, {longest:,} are the most: {found[:60]!r}…")
    place = np.zeros(len(names), dtype=np.int32)
    place[numbers[order]] = np.arange(len(order), dtype=np.int32)
    return ColumnTexts(part, 0, len(part)), place


def _attach(named: list[tuple[int, Entity]], place: Int32, labels: list[str]) -> tuple[OwnedTexts, OwnedTexts]:
    """Fill in labels (the last one wins) and collect aliases and types."""
    aliases: list[tuple[int, str]] = []
    types: list[tuple[int, str]] = []
    for number, entity in named:
        row = int(place[number])
        if entity.label != entity.id:
            labels[row] = entity.label
        aliases.extend((row, alias) for alias in entity.aliases if alias)
        types.extend((row, name) for name in entity.types if name)
    return OwnedTexts.of(aliases), OwnedTexts.of(types)


def write_directory(folder: Path, tables: Tables, progress: Progress) -> KGInfo:
    """Write record, snapshot and manifest of a KG into an empty folder, durably."""
    try:
        meta = meta_of(tables, 1, new_stamp())
    except UnicodeEncodeError as error:
        raise BadInputError(f"a name cannot be written as UTF-8: {error.object[:80]!r}") from None
    with beside(_write_record, folder / RECORD, tables, meta, progress) as record:

        def show(done: int, total: int) -> None:
            """Once the record, which takes longer, is written."""
            if record.done():
                progress("snapshot", done, total)

        write_snapshot(folder, meta.stamp, tables, show)
        record.result()
    progress("snapshot", len(tables.heads), len(tables.heads))
    info, time = meta.info, now()
    digest = sha256_file(folder / RECORD)
    write_manifest(
        folder, Manifest(time, time, info.entities, info.relations, info.triples, info.hash, meta.stamp, digest)
    )
    return info


def _write_record(path: Path, tables: Tables, meta: Meta, progress: Progress) -> None:
    """Load the record in the order of its primary keys, without a journal: the folder is thrown away on failure."""
    total = len(tables.keys) + len(tables.heads)
    with record_errors(path), closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        create(connection)
        connection.execute("BEGIN")
        _insert_names(connection, tables, lambda done: progress("store", done, total))
        _insert_triples(connection, tables, progress)
        save_meta(connection, meta)
        connection.execute("COMMIT")
        progress("store", total, total)
        # Rows that came in order leave an eighth of each page free.
        packed = path.with_name(f"{path.name}.packed")
        connection.execute("VACUUM INTO ?", (str(packed),))
    packed.replace(path)
    with record_errors(path), closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    fsync_file(path)


def _insert_names(connection: sqlite3.Connection, tables: Tables, progress: Callable[[int], None]) -> None:
    """Entities, relations, aliases and types; their ids start at 1, SQLite's habit."""
    labels = (label or None for label in tables.labels)
    degrees = _plain(tables.degrees(), progress)
    connection.executemany(
        "INSERT INTO entities VALUES (?, ?, ?, ?)", zip(itertools.count(1), tables.keys, labels, degrees, strict=False)
    )
    triples = counts(tables.codes, len(tables.relations)).tolist()
    connection.executemany(
        "INSERT INTO relations VALUES (?, ?, ?, ?)",
        zip(itertools.count(1), tables.relations, triples, tables.kinds, strict=False),
    )
    values = tables.values
    owners = counts(tables.tails, len(tables.keys) + len(values))[len(tables.keys) :].tolist() if len(values) else []
    connection.executemany(
        "INSERT INTO literals VALUES (?, ?, ?, ?, ?)",
        zip(itertools.count(1), (values.codes + 1).tolist(), values.texts, values.datatypes, owners, strict=False),
    )
    for table, texts in (("aliases", tables.aliases), ("types", tables.types)):
        rows = zip((texts.owners + 1).tolist(), texts.texts, strict=True)
        connection.executemany(f"INSERT INTO {table} VALUES (?, ?)", rows)


def _plain(column: Int64, progress: Callable[[int], None]) -> Iterator[int]:
    """The numbers of a column as Python's, some at a time: all of millions take more than their names."""
    for start in range(0, len(column), _ROWS):
        progress(start)
        yield from column[start : start + _ROWS].tolist()


def _insert_triples(connection: sqlite3.Connection, tables: Tables, progress: Progress) -> None:
    entities, total = len(tables.keys), len(tables.keys) + len(tables.heads)
    for start in range(0, len(tables.heads), _ROWS):
        heads, codes, tails = (column[start : start + _ROWS] for column in (tables.heads, tables.codes, tables.tails))
        # A literal's id stands below zero among tails.
        ends = np.where(tails < entities, tails + 1, entities - tails - 1)
        part = ((heads + 1).tolist(), (codes + 1).tolist(), ends.tolist())
        connection.executemany("INSERT INTO triples VALUES (?, ?, ?)", zip(*part, strict=True))
        progress("store", entities + start, total)
    connection.executemany("INSERT INTO statements VALUES (?, ?, ?, ?, ?, ?)", _statement_rows(tables))


def _statement_rows(tables: Tables) -> Iterator[tuple[int, int, int, int, str, str]]:
    entities = len(tables.keys)
    for (head, code, tail), statements in tables.statements.items():
        end = tail + 1 if tail < entities else entities - tail - 1
        for number, statement in enumerate(statements):
            yield head + 1, code + 1, end, number, statement.id, write_properties(statement)
