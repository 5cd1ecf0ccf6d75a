"""The files of an index folder: the vectors, the keys and `index.json`, which names them and appears last.

The two data files carry their content's hash in their names, so replacing `index.json` swaps both at once; a process
that has the old ones mapped keeps them.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from trivium.kg.errors import CorruptError
from trivium.kg.files import fsync_file, fsync_folder, sha256_file, write_atomic

MANIFEST = "index.json"
FORMAT = 1
_ALWAYS_HASHED = 8 << 20
"""Files up to this size are hashed at every load (some 25 ms at most); larger ones only by `verify`."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What an index holds and who made it; `files` maps a name to [bytes, sha256]."""

    embedder: str
    fingerprint: str
    dimensions: int
    count: int
    source_version: str
    vectors: str = ""
    keys: str = ""
    files: dict[str, list[Any]] = field(default_factory=dict)
    format: int = FORMAT


def read_manifest(folder: Path) -> Manifest:
    """The manifest; raises `CorruptError` when it is missing, damaged or of another format."""
    try:
        content = json.loads((folder / MANIFEST).read_bytes())
        if set(content) != {item.name for item in fields(Manifest)} or content["format"] != FORMAT:
            raise CorruptError(f"{folder} holds an index of another format; build it again")
        return Manifest(**content)
    except FileNotFoundError as error:
        raise CorruptError(f"{folder} holds no index; build it") from error
    except (OSError, TypeError, ValueError) as error:
        raise CorruptError(f"{folder / MANIFEST} is damaged ({error}); build the index again") from error


def check_files(folder: Path, manifest: Manifest, *, thorough: bool) -> None:
    """Raise `CorruptError` when a file is missing, has another size or, small or `thorough`, another hash."""
    for name, (size, digest) in manifest.files.items():
        path = folder / name
        try:
            found = path.stat().st_size
            same = found == size and ((found > _ALWAYS_HASHED and not thorough) or sha256_file(path) == digest)
        except OSError as error:
            raise CorruptError(f"{path} cannot be read ({error.strerror}); build the index again") from error
        if not same:
            raise CorruptError(f"{path} is damaged; build the index again")


def publish(folder: Path, manifest: Manifest, vectors: Path, keys: Path) -> Manifest:
    """Give two finished temporary files of `folder` their names, write the manifest, remove what it no longer names.

    One process at a time: the caller holds the KG's lock.
    """
    named = [_settle(folder, vectors, "vectors", "faiss"), _settle(folder, keys, "keys", "json")]
    facts = {name: [size, digest] for name, size, digest in named}
    content = asdict(manifest) | {"vectors": named[0][0], "keys": named[1][0], "files": facts}
    fsync_folder(folder)
    write_atomic(folder / MANIFEST, json.dumps(content, indent=1).encode())
    for path in folder.iterdir():
        if path.name.split("-")[0] in ("vectors", "keys") and path.name not in facts:
            path.unlink(missing_ok=True)
    return Manifest(**content)


def _settle(folder: Path, path: Path, stem: str, suffix: str) -> tuple[str, int, str]:
    fsync_file(path)
    digest, size = sha256_file(path), path.stat().st_size
    name = f"{stem}-{digest[:12]}.{suffix}"
    path.chmod(0o644)
    path.replace(folder / name)
    return name, size, digest
