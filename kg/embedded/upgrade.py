"""A KG directory of an older form, or of other settings, read again: which relations are properties decided anew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from trivium.kg.embedded.build import read_input, silent, write_directory
from trivium.kg.embedded.natures import Nature, declared_natures
from trivium.kg.embedded.record import RECORD, UNDECIDED, read_meta, read_tables, reading
from trivium.kg.embedded.tables import Tables
from trivium.kg.types import Entity, KGInfo, Progress, PropertyKind, QualifiedTriple, Triple, ValueText


@dataclass
class Upgrade:
    """A KG as it is going to be.

    Attributes:
        tables: all of it.
        properties: relations that become properties, "name (kind)".
        entities: properties that become relations between entities.
    """

    tables: Tables
    properties: list[str] = field(default_factory=list)
    entities: list[str] = field(default_factory=list)


def read_upgrade(directory: Path, natures: Mapping[str, str] | None = None) -> Upgrade | None:
    """What an upgrade makes of a KG directory; None where it is of this form and its natures are what they should be.

    A relation that was declared, or decided under this form already, keeps its nature unless `natures` say otherwise.

    Raises:
        BadInputError: `natures` name an unknown relation or kind.
        NotAKnowledgeBaseError, VersionError, CorruptError: as `EmbeddedStore.open`.
    """
    path = directory / RECORD
    with reading(path) as connection:
        meta = read_meta(connection, path)
        old = read_tables(connection)
        query = "SELECT name FROM relations" + (" WHERE kind = ?" if meta.format > 1 else "")
        rows = connection.execute(query, (UNDECIDED,) if meta.format > 1 else ())
        undecided = {name for (name,) in rows}
    wanted = dict(natures or {})
    typed = {int(code) for code, datatype in zip(old.values.codes, old.values.datatypes, strict=True) if datatype}
    held = {
        name: kind or "entity"
        for code, (name, kind) in enumerate(zip(old.relations, old.kinds, strict=True))
        if name not in undecided and code not in typed  # datatypes of its own say what its values are
    }
    declared = declared_natures(old.relations, wanted)
    if not undecided and not any(map(_differs, declared, old.kinds)):
        return None
    wanted = {**held, **wanted}
    tables = read_input([_triples(old)], _entities(old), silent, wanted)
    before = dict(zip(old.relations, old.kinds, strict=True))
    after = dict(zip(tables.relations, tables.kinds, strict=True))
    done = Upgrade(tables)
    for name, kind in after.items():
        if kind is not None and before[name] is None:
            done.properties.append(f"{name} ({kind})")
        if kind is None and before[name] is not None:
            done.entities.append(name)
    return done


def _differs(declared: Nature | None, kind: PropertyKind | None) -> bool:
    """Whether a relation is not what it is declared to be."""
    if declared == "property":
        return kind is None
    return declared is not None and declared != (kind or "entity")


def write_upgrade(folder: Path, done: Upgrade, progress: Progress) -> KGInfo:
    """Write record, snapshot and manifest into a new folder."""
    folder.mkdir()
    return write_directory(folder, done.tables, progress)


def _triples(tables: Tables) -> Iterator[Triple]:
    """The triples; a value that its own datatype does not make one is a plain text again."""
    keys, relations, entities = tables.keys, tables.relations, len(tables.keys)
    texts, datatypes = tables.values.texts, tables.values.datatypes
    rows = zip(tables.heads.tolist(), tables.codes.tolist(), tables.tails.tolist(), strict=True)
    for head, code, tail in rows:
        end = keys[tail] if tail < entities else texts[tail - entities]
        if tail >= entities and datatypes[tail - entities]:
            end = ValueText(end, datatypes[tail - entities])
        statements = tables.statements.get((head, code, tail))
        if statements:
            yield QualifiedTriple(keys[head], relations[code], end, statements)
        else:
            yield Triple(keys[head], relations[code], end)


def _entities(tables: Tables) -> Iterator[Entity]:
    aliases: dict[int, list[str]] = {}
    types: dict[int, list[str]] = {}
    for found, texts in ((aliases, tables.aliases), (types, tables.types)):
        for row, text in zip(texts.owners.tolist(), texts.texts, strict=True):
            found.setdefault(row, []).append(text)
    for row, (key, label) in enumerate(zip(tables.keys, tables.labels, strict=True)):
        yield Entity(key, label or key, tuple(aliases.get(row, ())), tuple(types.get(row, ())))
