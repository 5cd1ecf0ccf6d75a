"""Versions of what Keqing has learnt: each lesson is kept, the last few at least, and can be gone back to.

    keqing/versions/0003/   one lesson: decomposer.json, its arrays, exemplars.json, synonyms.json,
                            templates.json, version.json

The version in use is the one whose `decomposer.json` the KG's own is a copy of.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path

from trivium.kg.errors import CorruptError, NotLearnedError, VersionError
from trivium.kg.files import atomic_folder, write_atomic
from trivium.policies.reader.chains.artifact import DECOMPOSER
from trivium.policies.reader.chains.exemplars import EXEMPLARS
from trivium.policies.reader.chains.synonyms import SYNONYMS
from trivium.policies.reader.chains.templates import QuestionTemplate, read_templates, write_templates

KEPT = 5
"""Versions kept; an older one goes when a new one comes."""

_VERSIONS, _ABOUT, _MODEL = "versions", "version.json", "decomposer.json"


@dataclass(frozen=True, slots=True)
class Version:
    """One lesson: its number from 1, when it was learnt (UTC, ISO 8601), from how much, whether it is in use.

    `synonyms` counts the relations, or directions of one, that a user's own words were given for. `correction`: whether
    it adds one correction to the version before it.
    """

    number: int
    learnt: str
    pairs: int
    wordings: int
    templates: int
    synonyms: int = 0
    current: bool = False
    correction: bool = False


def keep_version(
    folder: Path,
    templates: Sequence[QuestionTemplate],
    pairs: int,
    wordings: int,
    synonyms: int,
    *,
    correction: bool = False,
) -> list[Path]:
    """Keep a copy of what has just been learnt into `folder`; returns the files written and removed.

    The caller holds the KG's write lock.
    """
    known = list_versions(folder)
    number = max((version.number for version in known), default=0) + 1
    target = _folder(folder, number)
    target.parent.mkdir(parents=True, exist_ok=True)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    about = asdict(Version(number, now, pairs, wordings, len(templates), synonyms, correction=correction))
    del about["current"]
    with atomic_folder(target) as made:
        for path in _own_files(folder):
            shutil.copy2(path, made / path.name)
        write_templates(made, templates)
        write_atomic(made / _ABOUT, json.dumps(about, indent=1).encode())
    changed = sorted(target.iterdir())
    for version in known[: max(0, len(known) + 1 - KEPT)]:
        old = _folder(folder, version.number)
        changed += sorted(old.iterdir())
        shutil.rmtree(old)
    return changed


def list_versions(folder: Path) -> list[Version]:
    """The versions kept, oldest first; raises `CorruptError` where one is damaged."""
    out = []
    used = _digest(folder / _MODEL)
    for path in sorted((folder / _VERSIONS).glob("[0-9]*")):
        try:
            about = json.loads((path / _ABOUT).read_bytes())
            if isinstance(about, dict) and (unknown := about.keys() - {each.name for each in fields(Version)}):
                raise VersionError(
                    f"the version in {path} was written by a newer Trivium (it has {', '.join(sorted(unknown))}): "
                    "upgrade Trivium, or remove the folder"
                )
            current = used is not None and _digest(path / _MODEL) == used
            out.append(Version(**about, current=current))
        except (OSError, ValueError, TypeError) as error:
            raise CorruptError(f"the version in {path} is damaged ({error}): remove the folder") from error
    # Two lessons may be alike to the byte; the newer one is then what is in use.
    last = max((version.number for version in out if version.current), default=0)
    return [v if v.number == last or not v.current else Version(**{**asdict(v), "current": False}) for v in out]


def version_templates(folder: Path, number: int) -> list[QuestionTemplate]:
    """The templates of a version; raises `NotLearnedError` where it is not kept."""
    if number not in {version.number for version in list_versions(folder)}:
        kept = ", ".join(str(version.number) for version in list_versions(folder)) or "none"
        raise NotLearnedError(f"version {number} is not kept in {folder}; there are: {kept}")
    return read_templates(_folder(folder, number))


def version_before(folder: Path) -> int:
    """The number of the version before the one in use; raises `NotLearnedError` where there is none."""
    versions = list_versions(folder)
    current = next((v.number for v in versions if v.current), 0)
    earlier = [version.number for version in versions if version.number < current]
    if not earlier:
        raise NotLearnedError(f"no version before the one in use in {folder}; list them with: trivium learn versions")
    return earlier[-1]


def drop_version(folder: Path, number: int) -> list[Path]:
    """Remove a version that is not in use; returns the files removed. The caller holds the KG's write lock."""
    old = _folder(folder, number)
    gone = sorted(old.iterdir())
    shutil.rmtree(old)
    return gone


def restore_files(folder: Path, number: int) -> list[Path]:
    """Put a version's files in use, the JSON that names the others last; returns those written and removed."""
    source = _folder(folder, number)
    stale = set(_own_files(folder))
    names = sorted((path.name for path in _own_files(source)), key=lambda name: name == _MODEL)
    for name in names:
        private = (source / name) == EXEMPLARS.path(source)
        write_atomic(folder / name, (source / name).read_bytes(), private=private)
    written = [folder / name for name in names]
    for path in stale - set(written):
        path.unlink()
    return [*written, *stale]


def _own_files(folder: Path) -> list[Path]:
    arrays = folder.glob("decomposer-*.safetensors")
    named = (kind.path(folder) for kind in (EXEMPLARS, SYNONYMS, DECOMPOSER))
    return [*arrays, *(path for path in named if path.exists())]


def _folder(folder: Path, number: int) -> Path:
    return folder / _VERSIONS / f"{number:04d}"


def _digest(path: Path) -> str | None:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
