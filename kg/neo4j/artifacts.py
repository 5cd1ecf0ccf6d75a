"""The local folder of a KG in Neo4j: what was learned from it, indexes, its survey and its walking snapshot.

    CACHE/neo4j/HOST-DATABASE-DIGEST/     one folder a server and database
        origin.json   which database this is
        kg.json       the manifest that guards the files made here (`trivium.kg.manifest`)
        walk/         the walking snapshot, a KG directory, where `trivium kg snapshot` made one

What lies there carries the fingerprints of what it was made from, so relations may come and go in the database.
"""

from __future__ import annotations

import json
from pathlib import Path

from trivium.kg.files import write_atomic
from trivium.kg.manifest import Manifest, is_kg, now, write_manifest
from trivium.kg.neo4j.address import Address

ORIGIN = "origin.json"


def folder_of(cache: Path, address: Address) -> Path:
    """Where all that belongs to a database is kept."""
    return cache / "neo4j" / address.folder_name


def prepare(cache: Path, address: Address) -> Path:
    """The folder for what is learned from a database, made where it is not there."""
    path = folder_of(cache, address)
    if not is_kg(path):
        path.mkdir(parents=True, exist_ok=True)
        origin = {"uri": address.uri, "database": address.database}
        write_atomic(path / ORIGIN, json.dumps(origin, ensure_ascii=False, indent=1).encode())
        time = now()
        # Counts and hash are the database's own; the manifest is here for the files that are derived from it.
        write_manifest(path, Manifest(time, time, 0, 0, 0, "", ""))
    return path
