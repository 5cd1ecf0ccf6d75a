"""Find every kind of damage in a KG directory, without repairing anything.

Three nets, one under the other: checksums of files (manifest, snapshot header), SQLite's own integrity check, and the
counts, hashes and arrays computed again from the rows of the record.
"""

from __future__ import annotations

import os
import sqlite3
import zlib
from contextlib import closing, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

import numpy as np
from numpy.typing import NDArray

from trivium.kg.artifact import check_artifacts
from trivium.kg.databases import open_for_reading, row_sum
from trivium.kg.embedded.layout import ZEROS, naming_report, snapshot_arrays
from trivium.kg.embedded.locks import write_lock
from trivium.kg.embedded.mapped import SnapshotError, load_array, read_header, snapshot_path, xxh3_file
from trivium.kg.embedded.record import RECORD, Meta, damaged, fetch_ints, meta_of, read_meta, read_tables, reading
from trivium.kg.embedded.state import State, stored_state
from trivium.kg.embedded.tables import Tables
from trivium.kg.errors import CorruptError, NotAKnowledgeBaseError, VersionError
from trivium.kg.files import Damage, is_full, sha256_file
from trivium.kg.manifest import MANIFEST, SAVING, Manifest, check_derived, read_manifest

_WAIT = 10.0  # seconds to wait for a writer of a database beside the record

_NAMED = ("value_naming", "label_", "name_", "gram_")
"""Arrays that follow from what names the types."""


def verify(directory: Path, *, wait: float | None = None) -> list[str]:
    """A sentence for each problem found; an empty list means that the KG is sound. Raises as `find_damage`."""
    return [str(each) for each in find_damage(directory, wait=wait)]


def find_damage(directory: Path, *, wait: float | None = None) -> list[Damage]:
    """Every damaged or missing file; an empty list means that the KG is sound.

    Raises:
        NotAKnowledgeBaseError: the folder contains no KG.
        VersionError: a newer Trivium wrote it.
        BusyError: another process is writing to it and went on for `wait` seconds.
    """
    directory = Path(directory)
    try:
        manifest = read_manifest(directory)
    except CorruptError as error:
        return [Damage(directory / MANIFEST, str(error))]
    # Where nobody can write, there is no writer to wait for and no lock file to make.
    locked = os.access(directory, os.W_OK) and not is_full(directory)
    with write_lock(directory, wait) if locked else nullcontext():
        return [*check_learned(directory, manifest), *_check_record(directory, manifest)]


def check_learned(directory: Path, manifest: Manifest) -> list[Damage]:
    """Damage in what was learned or derived: all but record, snapshot and manifest."""
    compared = () if (directory / SAVING).exists() else manifest.derived
    learned = [*check_derived(directory, manifest), *check_artifacts(directory, compared)]
    return [*learned, *_check_databases(directory), *_check_archives(directory)]


def _check_databases(directory: Path) -> list[Damage]:
    """SQLite's own check of the databases beside the record, and the checksums that their rows carry (`sum`)."""
    problems = []
    for path in sorted(directory.rglob("*.db")):
        if path.name == RECORD or path.parent.name == "walk":
            continue
        try:
            with closing(open_for_reading(path, _WAIT)) as connection:
                found = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(5)")]
                found = _differing_rows(connection) if found == ["ok"] else found
        except sqlite3.Error as error:
            found = [str(error)]
        if found:
            remedy = f"run trivium kg repair {directory}, which keeps what reads"
            problems.append(Damage(path, f"{path} is damaged ({'; '.join(found)}): {remedy}"))
    return problems


def _differing_rows(connection: sqlite3.Connection) -> list[str]:
    """A sentence for each table with rows that differ from the checksums in their column `sum`."""
    found = []
    tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").fetchall()
    if not tables:
        return ["it has no tables"]
    for (table,) in tables:
        columns = [row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')]
        if "sum" in columns:
            listed = ", ".join(name for name in columns if name not in ("seq", "sum"))
            rows = connection.execute(f'SELECT sum, {listed} FROM "{table}" WHERE sum IS NOT NULL')
            count = sum(row_sum(row[1:]) != row[0] for row in rows)
            if count:
                found.append(f"{count} rows of {table} differ from their checksums")
    return found


def _check_archives(directory: Path) -> list[Damage]:
    """The checksums that NumPy archives hold themselves: vectors of texts, written again as more texts are embedded."""
    problems = []
    for path in sorted(directory.rglob("*.npz")):
        try:
            with ZipFile(path) as archive:
                sound = archive.testzip() is None
        except (BadZipFile, EOFError, OSError, ValueError, zlib.error):
            sound = False
        if not sound:
            problems.append(Damage(path, f"{path} is damaged: remove it, or run trivium kg repair {directory}"))
    return problems


def _check_record(directory: Path, manifest: Manifest) -> list[Damage]:
    """Problems of the record and of the snapshot derived from it."""
    try:
        meta, tables, problems = read_checked(directory, manifest)
    except (CorruptError, NotAKnowledgeBaseError, VersionError) as error:
        return [Damage(directory / RECORD, str(error))]
    return problems + check_snapshot(directory, meta, tables)


def read_checked(directory: Path, manifest: Manifest | None = None) -> tuple[Meta, Tables, list[Damage]]:
    """The whole record, and what is wrong with it: its pages, its bytes as the manifest knows them, its counts, hashes.

    Raises:
        CorruptError, NotAKnowledgeBaseError, VersionError: it cannot be read at all.
    """
    path = directory / RECORD
    try:
        with reading(path) as connection:
            meta = read_meta(connection, path)
            problems = _integrity(connection, path)
            if manifest is not None:
                problems += _check_seal(directory, manifest, meta)
            tables = read_tables(connection)
            problems += _check_counters(connection, path, tables)
            if replace(meta_of(tables, meta.version, meta.stamp), format=meta.format) != meta:
                problems.append(Damage(path, damaged(path, "its counts or hashes differ from those of its rows")))
    # What rows of a damaged page may do to code that expects text and numbers.
    except (TypeError, ValueError, IndexError, OverflowError, MemoryError) as error:
        raise CorruptError(damaged(path, str(error))) from error
    return meta, tables, problems


def _integrity(connection: sqlite3.Connection, path: Path) -> list[Damage]:
    """SQLite's own check of pages, indexes and constraints."""
    found = [row[0] for row in connection.execute("PRAGMA integrity_check(5)")]
    return [Damage(path, damaged(path, str(text).replace("\n", "; "))) for text in found if text != "ok"]


def _check_seal(directory: Path, manifest: Manifest, meta: Meta) -> list[Damage]:
    """Every byte of the record, and the manifest's counts, where the manifest is of the record's last transaction.

    It is not after a writer was killed, or while its log could not be moved into the record for a reader's sake.
    """
    path, log = directory / RECORD, directory / f"{RECORD}-wal"
    if manifest.stamp != meta.stamp:
        return []
    info, problems = meta.info, list[Damage]()
    if (manifest.entities, manifest.relations, manifest.triples, manifest.hash) != (
        info.entities,
        info.relations,
        info.triples,
        info.hash,
    ):
        why = f"{directory / MANIFEST} has other counts than {path}: run trivium kg repair {directory}"
        problems.append(Damage(directory / MANIFEST, why))
    logged = log.is_file() and log.stat().st_size > 0
    if manifest.record_sha256 is not None and not logged and sha256_file(path) != manifest.record_sha256:
        problems.append(Damage(path, damaged(path, f"its SHA-256 differs from the one in {MANIFEST}")))
    return problems


def _check_counters(connection: sqlite3.Connection, path: Path, tables: Tables) -> list[Damage]:
    """The degrees of entities and the triples of relations that the record keeps up to date."""
    degrees = fetch_ints(connection, "SELECT degree FROM entities ORDER BY key", 1)[:, 0]
    triples = fetch_ints(connection, "SELECT triples FROM relations ORDER BY name", 1)[:, 0]
    counted = np.bincount(tables.codes, minlength=len(tables.relations))
    sound = np.array_equal(degrees, tables.degrees()) and np.array_equal(triples, counted)
    if len(tables.values):
        query = "SELECT relations.name, text, owners FROM literals JOIN relations ON relations.id = relation"
        held = {(relation, text): owners for relation, text, owners in connection.execute(query)}
        owned = np.bincount(tables.tails, minlength=len(tables.keys) + len(tables.values))[len(tables.keys) :].tolist()
        named = zip([tables.relations[code] for code in tables.values.codes.tolist()], tables.values.texts, strict=True)
        sound &= held == dict(zip(named, owned, strict=True))
    return [] if sound else [Damage(path, damaged(path, "its degrees differ from those of its triples"))]


def check_snapshot(directory: Path, meta: Meta, tables: Tables) -> list[Damage]:
    """Every file of the snapshot against its checksum, every array (with the changes since) against the record's."""
    folder, remedy = snapshot_path(directory, meta.stamp), f"run trivium kg repair {directory}"
    try:
        with reading(directory / RECORD) as connection:
            state = stored_state(directory, connection)
        folder = snapshot_path(directory, state.delta.base.stamp)
        files = read_header(folder)["files"]
        differing = [
            folder / f"{name}.npy" for name in files if xxh3_file(folder / f"{name}.npy") != files[name]["xxh3"]
        ]
        if state.delta.count and not differing:
            shown = _shows(state, tables)
            return [] if shown else [Damage(folder, f"{folder} and the changes since differ from the record: {remedy}")]
        differing += [
            folder / f"{name}.npy"
            for name, array in snapshot_arrays(tables)
            if not _equal(_whole(name, load_array(folder, name, files[name]["bytes"]), len(array)), array)
        ]
        return [Damage(path, f"{path} is damaged: {remedy}") for path in dict.fromkeys(differing)]
    except (SnapshotError, KeyError) as error:
        return [Damage(folder, f"{error}: {remedy}, or open the KG, which derives it again")]
    except FileNotFoundError as error:
        return [Damage(folder, f"{error.filename} is missing: {remedy}, or open the KG, which derives it again")]


def _shows(state: State, tables: Tables) -> bool:
    """Whether a snapshot with changes is the one that would be derived anew."""
    # What names the types is chosen when a snapshot is written; after changes the choice could be another.
    named = _NAMED if state.snapshot.naming_report != naming_report(tables) else ()
    held = state.snapshot.arrays
    return all(_equal(held[name], array) for name, array in snapshot_arrays(tables) if not name.startswith(named))


def _whole(name: str, held: NDArray[Any], rows: int) -> NDArray[Any]:
    """An array of a file with all of its elements (`trivium.kg.embedded.layout.ZEROS`)."""
    return np.broadcast_to(held, rows) if name in ZEROS and len(held) == 1 else held


def _equal(held: NDArray[Any], derived: NDArray[Any]) -> bool:
    return np.array_equal(held, derived, equal_nan=held.dtype.kind == "f")
