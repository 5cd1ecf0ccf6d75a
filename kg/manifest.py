"""The manifest `kg.json` of a KG directory: what the folder is, its counts, and the SHA-256 of the files it derives.

The record `triples.db` is the truth about counts; the manifest repeats them for people and for `trivium kg verify`.
`stamp` names the write transaction that the manifest describes: where it differs from the record's own, a writer was
killed after its commit, and counts and `record_sha256` are those of the transaction before.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from trivium.kg.embedders.opening import DEFAULT
from trivium.kg.errors import CorruptError, NotAKnowledgeBaseError, newer
from trivium.kg.files import Damage, fsync_folder, json_checksum, sha256_file, write_atomic
from trivium.kg.types import KGInfo

MANIFEST = "kg.json"
SAVING = ".saving"
"""A file of a KG's folder while derived files are saved (`register_saved`)."""
FORMAT = 1
"""The version of the directory's layout; a higher one is refused."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """Contents of `kg.json`. Times are UTC in ISO 8601; `derived` maps a file's path in the folder to its SHA-256.

    `embedder` is the name of the one that makes the KG's vectors (`trivium kg build --embedder`).
    """

    created: str
    updated: str
    entities: int
    relations: int
    triples: int
    hash: str
    stamp: str
    record_sha256: str | None = None
    derived: dict[str, str] = field(default_factory=dict)
    embedder: str = DEFAULT
    format: int = FORMAT


def now() -> str:
    """The present time, UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def write_manifest(directory: Path, manifest: Manifest) -> None:
    """Replace the manifest in one step."""
    fields = asdict(manifest)
    text = json.dumps({**fields, "checksum": json_checksum(fields)}, indent=1, ensure_ascii=False)
    write_atomic(directory / MANIFEST, text.encode() + b"\n")


def sealed(manifest: Manifest, info: KGInfo, stamp: str, record_sha256: str | None) -> Manifest:
    """The manifest for the state of the record that this write transaction left, from now on."""
    return replace(
        manifest, updated=now(), entities=info.entities, relations=info.relations, triples=info.triples, hash=info.hash,
        stamp=stamp, record_sha256=record_sha256,
    )  # fmt: skip


def is_kg(directory: Path) -> bool:
    """Whether a folder holds a KG, whatever its state."""
    return (directory / MANIFEST).is_file()


def read_manifest(directory: Path) -> Manifest:
    """Read the manifest of a KG directory.

    Raises:
        NotAKnowledgeBaseError: there is not a folder of that name or no manifest in it.
        VersionError: a newer Trivium wrote it.
        CorruptError: it is damaged.
    """
    path = directory / MANIFEST
    try:
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise NotAKnowledgeBaseError(
            f"{directory} contains no KG (it has no {MANIFEST}); make one with: trivium kg build --out {directory} FILE"
        ) from None
    return _parse(path, data)


def _parse(path: Path, data: bytes) -> Manifest:
    try:
        fields = json.loads(data)
        version, checksum = int(fields["format"]), fields.pop("checksum", None)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise CorruptError(_damaged(path)) from None
    if version > FORMAT:
        raise newer(path, version, FORMAT)
    if checksum != json_checksum(fields):
        raise CorruptError(_damaged(path))
    try:
        return Manifest(**fields)
    except TypeError:
        raise CorruptError(_damaged(path)) from None


def _damaged(path: Path) -> str:
    return f"{path} is damaged: run trivium kg repair {path.parent}, which makes it again from the record"


def register_derived(directory: Path, paths: Iterable[Path]) -> None:
    """Record the SHA-256 of files derived from the KG (learned models, indexes), so that `kg verify` checks them.

    Call it after the files are in place, holding the KG's write lock (`kg.embedded.keep` does both). A path that
    no longer exists is struck off. `paths` lie inside `directory`, and are absolute where it is absolute, else relative
    to the working directory as it is.
    """
    manifest = read_manifest(directory)
    derived = dict(manifest.derived)
    for path in paths:
        name = path.absolute().relative_to(directory.absolute()).as_posix()
        if (directory / name).is_file():
            derived[name] = sha256_file(directory / name)
        else:
            derived.pop(name, None)
    write_manifest(directory, replace(manifest, derived=derived, updated=now()))


def register_saved(directory: Path, save: Callable[[], Iterable[Path]]) -> None:
    """Run `save` and register the files that it wrote or removed, as `register_derived`.

    Meanwhile, and where the process is killed, a file `SAVING` says that the manifest and the files may differ: then
    the checksums that files carry themselves decide (`trivium.kg.artifact`), until the next registers all of them.
    """
    marker = directory / SAVING
    interrupted = marker.exists()
    if not interrupted:
        marker.touch()
        fsync_folder(directory)
    paths = list(save())
    if interrupted:
        paths += [directory / name for name in read_manifest(directory).derived]
    register_derived(directory, paths)
    marker.unlink(missing_ok=True)


def set_embedder(directory: Path, name: str) -> None:
    """Note which embedder makes the KG's vectors; the caller holds the KG's write lock."""
    write_manifest(directory, replace(read_manifest(directory), embedder=name, updated=now()))


def check_derived(directory: Path, manifest: Manifest) -> list[Damage]:
    """The registered files that are missing or whose bytes differ; none where a process was killed as it saved some."""
    problems = []
    if (directory / SAVING).exists():
        return []
    for name, expected in sorted(manifest.derived.items()):
        path = directory / name
        if not path.is_file():
            problems.append(Damage(path, f"{path} is missing: run trivium kg repair {directory}"))
        elif sha256_file(path) != expected:
            why = f"its SHA-256 differs from the one in {MANIFEST}"
            problems.append(Damage(path, f"{path} is damaged ({why}): run trivium kg repair {directory}"))
    return problems
