"""`Artifact`: everything learned or derived from a KG, in one format on disk.

    NAME.json                what it is, its format, what it was made from, its data, and its other files by name
    NAME-HASH.safetensors    its arrays, if it has any
    ...                      files in a format of their own that the JSON names: a FAISS index, a model's adapter

The JSON is written last and names every other file with its size and SHA-256, so a reader sees the artifact before or
the one after, never a mixture. Nothing is ever unpickled. `made_from` carries the fingerprints of what it was made from
(the KG's content hash, its schema, the embedder): whoever loads it compares them with those of now, and decides whether
to use it, to bring it up to date or to make it again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as unpack
from safetensors.numpy import save as pack

from trivium.kg.errors import CorruptError, OutdatedError, VersionError, newer
from trivium.kg.files import Damage, json_checksum, sha256_file, write_atomic

Arrays = Mapping[str, np.ndarray[Any, Any]]

_ARRAYS = "arrays"
"""The name under which the safetensors file is listed."""
_HASHED = 8 << 20
"""Files of their own up to this size are hashed at every load (25 ms at most); larger ones only by `verify`."""
_TRIES = 3  # a writer may remove the arrays between the JSON's reading and theirs


@dataclass(frozen=True, slots=True)
class _File:
    """A file beside the JSON: its path relative to the folder, its size in bytes and its SHA-256."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True)
class Artifact:
    """One artifact, loaded.

    Attributes:
        folder: where it lies.
        made_from: the fingerprint of each thing that it was made from, such as `kg`, `schema`, `embedder`.
        data: its JSON.
        arrays: its arrays by name.
        files: its files in a format of their own, by the name that `save` gave them.
        checksum: of all of it; another one is another artifact.
    """

    folder: Path
    made_from: Mapping[str, str]
    data: dict[str, Any]
    arrays: Arrays
    files: Mapping[str, Path]
    checksum: str

    def stale(self, **now: str) -> list[str]:
        """Which of these sources have another fingerprint now than when this was made; empty: it is up to date."""
        return [name for name, fingerprint in now.items() if self.made_from.get(name) != fingerprint]


@lru_cache(maxsize=1_000)
def joined(folder: Path, name: str) -> Path:
    """`folder / name`, remembered: to put it together costs as much as the look at the file that follows."""
    return folder / name


@dataclass(frozen=True)
class ArtifactKind:
    """A kind of artifact: what it is called, its file, its format, and the command that makes it again.

    Attributes:
        name: for messages, with its article: "the path policy".
        stem: its file is STEM.json.
        format: the version of its layout; a higher one on disk is refused, a lower one is `OutdatedError`.
        renew: what to do where it is damaged or outdated: "run trivium learn knowgpt".
        private: users' questions stand in it, so that its owner alone may read it.
    """

    name: str
    stem: str
    format: int
    renew: str
    private: bool = False

    def path(self, folder: Path) -> Path:
        """Its JSON file in a folder."""
        return joined(folder, f"{self.stem}.json")

    def exists(self, folder: Path) -> bool:
        """Whether one lies in a folder, whatever its state."""
        return self.path(folder).is_file()

    def stamp(self, folder: Path) -> tuple[int, int, int]:
        """Changes when another one is saved: a look at the file's times, not its content; zeros where none is."""
        try:
            found = self.path(folder).stat()
        except OSError:
            return 0, 0, 0
        return found.st_mtime_ns, found.st_ino, found.st_size

    def save(
        self,
        folder: Path,
        data: Mapping[str, Any],
        arrays: Arrays | None = None,
        *,
        made_from: Mapping[str, str],
        files: Mapping[str, Path] | None = None,
    ) -> list[Path]:
        """Write an artifact in place of the one there is, in one step; returns the files written and removed.

        Call it through `kg.embedded.keep`, which holds the KG's write lock and registers the files.

        Args:
            folder: made where it is missing.
            data: JSON; keys are text.
            arrays: stored as they are: the caller chooses float16 where that is enough.
            made_from: fingerprints of the sources.
            files: finished files inside `folder` by a name of the caller's. Their own names change with their content
                (a hash in it), so that readers of the artifact before keep theirs.

        Raises:
            OSError: the folder cannot be written.
        """
        folder.mkdir(parents=True, exist_ok=True)
        listed: dict[str, _File] = {}
        if arrays:
            blob = pack({name: np.ascontiguousarray(array) for name, array in arrays.items()})
            digest = hashlib.sha256(blob).hexdigest()
            write_atomic(folder / f"{self.stem}-{digest[:16]}.safetensors", blob, private=self.private)
            listed[_ARRAYS] = _File(f"{self.stem}-{digest[:16]}.safetensors", len(blob), digest)
        for name, path in (files or {}).items():
            listed[name] = _File(path.relative_to(folder).as_posix(), path.stat().st_size, sha256_file(path))
        before = _named(self.path(folder))
        content: dict[str, Any] = {
            "artifact": self.stem,
            "format": self.format,
            "made_from": dict(made_from),
            "files": {name: [file.name, file.size, file.sha256] for name, file in listed.items()},
            "data": dict(data),
        }
        text = json.dumps({**content, "checksum": json_checksum(content)}, ensure_ascii=False, indent=1)
        write_atomic(self.path(folder), text.encode(), private=self.private)
        written = {folder / file.name for file in listed.values()} | {self.path(folder)}
        # A writer that was killed may have left arrays that no JSON names.
        older = {folder / name for name in before} | set(folder.glob(f"{self.stem}-*.safetensors"))
        removed = sorted(older - written)
        _unlink(folder, removed)
        return [*sorted(written), *removed]

    def load(self, folder: Path) -> Artifact:
        """Read and check the artifact of a folder. Large files of their own format are compared by size alone.

        Raises:
            CorruptError: it is missing or damaged.
            OutdatedError: an older Trivium wrote it, in a format that this one no longer reads.
            VersionError: a newer Trivium wrote it.
        """
        for left in reversed(range(_TRIES)):
            stamp = self.stamp(folder)
            try:
                return self._load(folder)
            except CorruptError:
                if not left or stamp == self.stamp(folder):
                    raise
        raise AssertionError("unreachable")

    def head(self, folder: Path) -> Artifact:
        """As `load`, without its arrays and without a look at its files; raises as `load`."""
        content = self._content(folder)
        return self._artifact(folder, content, {}, _listed(content))

    def remove(self, folder: Path) -> list[Path]:
        """Remove the artifact, if there is one; returns the files removed."""
        path = self.path(folder)
        found = [folder / name for name in _named(path)]
        if path.exists():
            found.append(path)
        _unlink(folder, reversed(found))  # the JSON first, so that nobody reads a half
        return found

    def unreadable(self, folder: Path, why: object) -> CorruptError | VersionError:
        """The error for a loaded artifact whose content makes no sense.

        Where the file is what its writer wrote, it is not damaged: a newer Trivium says there what this one does not
        know.
        """
        try:
            content = json.loads(self.path(folder).read_bytes())
            whole = content.pop("checksum") == json_checksum(content)
        except (OSError, KeyError, TypeError, ValueError, AttributeError):
            whole = False
        if not whole:
            return self.damaged(folder, why)
        said = f"was written by a newer Trivium, in a form that this one does not know ({why}): upgrade Trivium"
        return VersionError(f"{self.name} in {self.path(folder)} {said}, or {self.renew}")

    def damaged(self, folder: Path, why: object) -> CorruptError:
        """The error for an artifact whose bytes are not those that were written."""
        return CorruptError(f"{self.name} in {self.path(folder)} is damaged ({why}): {self.renew}")

    def _load(self, folder: Path) -> Artifact:
        content = self._content(folder)
        listed, arrays = _listed(content), {}
        for name, file in listed.items():
            path = folder / file.name
            try:
                if name == _ARRAYS:
                    blob = path.read_bytes()
                    same = hashlib.sha256(blob).hexdigest() == file.sha256
                    arrays = unpack(blob) if same else {}
                else:
                    same = _is_same(path, file, thorough=False)
            except (OSError, SafetensorError) as error:
                raise self.damaged(folder, error) from error
            if not same:
                raise self.damaged(folder, f"{file.name} differs from its checksum")
        return self._artifact(folder, content, arrays, listed)

    def _content(self, folder: Path) -> dict[str, Any]:
        path = self.path(folder)
        try:
            content = json.loads(path.read_bytes())
            named = isinstance(content, dict) and "artifact" in content  # a list was the first form of some
            version = int(content["format"]) if named else 0
            checksum = content.pop("checksum", None) if named else None
        except (OSError, KeyError, TypeError, ValueError) as error:
            raise self.damaged(folder, error) from error
        if version > self.format:
            raise newer(path, version, self.format)
        if version < self.format:
            raise OutdatedError(f"{self.name} in {path} was written by an older Trivium: {self.renew}")
        if checksum != json_checksum(content) or content["artifact"] != self.stem:
            raise self.damaged(folder, "it differs from its checksum")
        found: dict[str, Any] = content
        return found

    def _artifact(
        self, folder: Path, content: Mapping[str, Any], arrays: Arrays, listed: Mapping[str, _File]
    ) -> Artifact:
        own = {name: folder / file.name for name, file in listed.items() if name != _ARRAYS}
        checksum = json_checksum(content)
        return Artifact(folder, content["made_from"], content["data"], arrays, own, checksum)


def read_head(path: Path) -> tuple[dict[str, str], dict[str, Any]] | None:
    """What an artifact of any kind and format was made from, and its data, from its JSON file alone.

    None where there is no file, or it does not read; two empty mappings for a file of the time before artifacts.
    """
    try:
        content = json.loads(path.read_bytes())
        return (content["made_from"], content["data"]) if "artifact" in content else ({}, {})
    except (OSError, KeyError, TypeError, ValueError):
        return None


def check_artifacts(directory: Path, known: Collection[str]) -> list[Damage]:
    """The files of artifacts that are missing or damaged.

    `known` are paths relative to `directory` whose bytes were compared already, with the SHA-256 in the manifest.
    """
    problems = []
    remedy = f"run trivium kg repair {directory}"
    for path, content in _found(directory):
        if content.get("checksum") != json_checksum({k: v for k, v in content.items() if k != "checksum"}):
            problems.append(Damage(path, f"{path} is damaged (it differs from its checksum): {remedy}"))
            continue
        for file in _listed(content).values():
            own = path.parent / file.name
            if own.relative_to(directory).as_posix() not in known and not _is_same(own, file, thorough=True):
                problems.append(Damage(own, f"{own} is missing or damaged: {remedy}"))
    return problems


def remove_artifact(path: Path) -> list[Path]:
    """Remove the artifact that a file belongs to, or the file alone where none names it; returns the files removed.

    `path` is an artifact's JSON, which may be damaged, or a file that lies beside it or below.
    """
    for folder in (path.parent, path.parent.parent):
        for found in [path] if path.suffix == ".json" else sorted(folder.glob("*.json")):
            own = [found.parent / name for name in _named(found)]
            if path in (found, *own):
                arrays = found.parent.glob(f"{found.stem}-*.safetensors")
                gone = list(dict.fromkeys([found, *own, *arrays]))  # the JSON first, so that nobody reads a half
                _unlink(found.parent, gone)
                return gone
    _unlink(path.parent, [path])
    return [path]


def _found(directory: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    for path in sorted(directory.rglob("*.json")):
        try:
            content = json.loads(path.read_bytes())
        except (OSError, ValueError):
            continue  # registered in the manifest, or no file of ours
        if isinstance(content, dict) and "artifact" in content and isinstance(content.get("files"), dict):
            yield path, content


def _is_same(path: Path, file: _File, *, thorough: bool) -> bool:
    """Whether a file has its size and, small or `thorough`, its SHA-256."""
    try:
        size = path.stat().st_size
        return size == file.size and ((size > _HASHED and not thorough) or sha256_file(path) == file.sha256)
    except OSError:
        return False


def _listed(content: Mapping[str, Any]) -> dict[str, _File]:
    return {name: _File(*row) for name, row in content["files"].items()}


def _named(path: Path) -> list[str]:
    """The files that the artifact there names; none where it cannot be read."""
    try:
        return [file.name for file in _listed(json.loads(path.read_bytes())).values()]
    except (OSError, KeyError, TypeError, ValueError, AttributeError):
        return []


def _unlink(folder: Path, files: Iterable[Path]) -> None:
    """Remove files, and folders inside `folder` that they leave empty."""
    for file in files:
        file.unlink(missing_ok=True)
        if file.parent != folder and file.parent.is_dir() and not any(file.parent.iterdir()):
            file.parent.rmdir()
