"""The local folder of a KG in Neo4j: what was learnt of it, indexes, its survey and its walking snapshot.

    CACHE/neo4j/HOST-DATABASE-DIGEST/SCHEMA/     one folder a server, database and set of relations
        origin.json   which database this is
        kg.json       the manifest that guards the files made here (`trivium.kg.manifest`)
        walk/         the walking snapshot, a KG directory, where `trivium kg snapshot` made one

What was learnt of one set of relations does not fit another: where a relation comes or goes, a new folder begins.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from trivium.kg.files import write_atomic
from trivium.kg.manifest import Manifest, is_kg, now, write_manifest
from trivium.kg.neo4j.address import Address

ORIGIN = "origin.json"


def schema_digest(relations: Iterable[str]) -> str:
    """Changes when a relation comes or goes."""
    # A null cannot stand in a relation's name, so no two sets of names give one text.
    return hashlib.sha256("\0".join(sorted(relations)).encode(errors="surrogatepass")).hexdigest()[:12]


def folder_of(cache: Path, address: Address) -> Path:
    """Where all that belongs to a database is kept, whatever its relations."""
    return cache / "neo4j" / address.folder_name


def prepare(folder: Path, address: Address, relations: Iterable[str]) -> Path:
    """The folder for what is learnt of a database with these relations, made where it is not there."""
    path = folder / schema_digest(relations)
    if not is_kg(path):
        path.mkdir(parents=True, exist_ok=True)
        origin = {"uri": address.uri, "database": address.database, "relations": sorted(relations)}
        write_atomic(path / ORIGIN, json.dumps(origin, ensure_ascii=False, indent=1).encode())
        time = now()
        # Counts and hash are the database's own; the manifest is here for the files that are derived from it.
        write_manifest(path, Manifest(time, time, 0, 0, 0, "", ""))
    return path


def is_artefacts(directory: Path) -> bool:
    """Whether a folder is one of these, and no KG directory."""
    return (directory / ORIGIN).is_file()
