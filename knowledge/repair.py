"""Make again what is damaged in a KG directory, from its record, its kept lessons and its kept questions."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from trivium.kg.artifact import remove_artifact
from trivium.kg.embedded.locks import write_lock
from trivium.kg.embedded.mapped import remove_other_snapshots, snapshot_path, write_snapshot
from trivium.kg.embedded.record import RECORD, Meta
from trivium.kg.embedded.tables import Tables
from trivium.kg.embedded.verify import check_learned, check_snapshot, find_damage, read_checked
from trivium.kg.errors import CorruptError, NotAKnowledgeBaseError, TriviumError
from trivium.kg.examples import has_examples, read_examples
from trivium.kg.files import PARTIAL, sha256_file
from trivium.kg.manifest import MANIFEST, Manifest, now, read_manifest, register_derived, write_manifest
from trivium.kg.types import Progress
from trivium.knowledge.knowledge import Knowledge

_ABANDONED = 600.0  # seconds after which a file that is being written is taken for one that a kill left
_MADE_AGAIN = ("indexes", "vectors", "paths", "vectors.npz")
"""What is made again from the graph at its next use; `knowgpt/text*` and `structure*` of older KGs are too."""


@dataclass
class Repair:
    """What a repair did.

    Attributes:
        done: what was made again or put in order, a sentence each.
        lost: what could not be made again, with the command that makes it.
        left: what `trivium kg verify` still finds.
    """

    done: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)


def repair(directory: Path, progress: Progress, *, wait: float | None = None) -> Repair:
    """Put a KG directory in order. Its record is never changed; what it recorded, nothing else can say.

    Raises:
        NotAKnowledgeBaseError: the folder holds no record.
        CorruptError: the record is damaged; nothing was changed.
        VersionError: a newer Trivium wrote it.
        BusyError: another process is writing and went on for `wait` seconds.
        OSError: the folder cannot be written.
    """
    directory = directory.resolve()
    if not (directory / RECORD).is_file():
        raise NotAKnowledgeBaseError(f"{directory} contains no KG (it has no {RECORD}); restore it from a backup")
    out = Repair()
    with write_lock(directory, wait):
        manifest = _manifest(directory)
        meta, tables, problems = read_checked(directory, manifest)
        for each in problems:
            if each.path.name == RECORD:
                raise CorruptError(str(each))
        if manifest is None or problems:
            # Without the manifest nothing says what the bytes of the record were: its own counts and hashes fit.
            manifest = _rewrite_manifest(directory, manifest, meta)
            out.done.append(f"wrote {MANIFEST} again from the record")
        _snapshot(directory, meta, tables, out)
        del tables
        for path in _leftovers(directory):
            (shutil.rmtree if path.is_dir() else Path.unlink)(path)
            out.done.append(f"removed {path.relative_to(directory)}, which a killed process left")
        relearn = _clear(directory, {each.path for each in check_learned(directory, manifest)}, out)
    if out.done or out.lost or relearn:
        asyncio.run(_make_again(directory, relearn, out, progress))
    out.left = [str(each) for each in find_damage(directory, wait=wait)]
    return out


def _manifest(directory: Path) -> Manifest | None:
    try:
        return read_manifest(directory)
    except (CorruptError, NotAKnowledgeBaseError):
        return None


def _rewrite_manifest(directory: Path, old: Manifest | None, meta: Meta) -> Manifest:
    """The manifest from the record. A lost one takes the embedder and the list of learned files with it: the default
    embedder is noted, and the files are judged by the checksums that they carry themselves.
    """  # noqa: D205 - one paragraph
    info = meta.info
    log = directory / f"{RECORD}-wal"
    # What stands in the log moves into the record later, and changes its bytes.
    digest = None if log.is_file() and log.stat().st_size > 0 else sha256_file(directory / RECORD)
    made = Manifest(now(), now(), info.entities, info.relations, info.triples, info.hash, meta.stamp, digest)
    if old is not None:
        made = replace(made, created=old.created, derived=old.derived, embedder=old.embedder)
    write_manifest(directory, made)
    if old is None:
        learned = [path for path in directory.rglob("*") if path.is_file() and _is_learned(directory, path)]
        register_derived(directory, learned)
        made = read_manifest(directory)
    return made


def _is_learned(directory: Path, path: Path) -> bool:
    """Whether a file is one whose bytes change only when something is learned."""
    parts = path.relative_to(directory).parts
    return (
        len(parts) > 1
        and parts[0] != "snapshot"
        and not any(part.startswith(".") for part in parts)
        and path.suffix in (".json", ".safetensors", ".gz", ".faiss", ".npy")
    )


def _snapshot(directory: Path, meta: Meta, tables: Tables, out: Repair) -> None:
    found = check_snapshot(directory, meta, tables)
    if found:
        shutil.rmtree(snapshot_path(directory, meta.stamp), ignore_errors=True)
        write_snapshot(directory, meta.stamp, tables)
        out.done.append(f"derived the snapshot again from the record ({found[0].path.name} was damaged)")
    remove_other_snapshots(directory, {meta.stamp} if found else {meta.stamp, meta.base})


def _leftovers(directory: Path) -> list[Path]:
    """Files and folders that a process was writing when it was killed."""
    found = []
    for path in directory.rglob(".*"):
        unfinished = path.name.endswith((PARTIAL, ".making")) or ".building-" in path.name
        if unfinished and time.time() - path.stat().st_mtime > _ABANDONED:
            found.append(path)
    return sorted(found)


def _clear(directory: Path, damage: set[Path], out: Repair) -> set[str]:
    """Remove what is damaged; returns what is to be learned again: "keqing", "knowgpt", "entities"."""
    relearn, gone = set[str](), list[Path]()
    for path in sorted(damage):
        name = path.relative_to(directory).as_posix()
        parts = PurePosixPath(name).parts
        if name == "knowgpt/bandit.db":
            out.done.append(_salvage(path))
        elif parts[:2] == ("keqing", "versions"):
            folder = directory.joinpath(*parts[:3])
            if folder.is_dir():
                gone += [each for each in folder.rglob("*") if each.is_file()]
                shutil.rmtree(folder)
                out.lost.append(f"removed the damaged {folder.relative_to(directory)}, a kept lesson of Keqing's")
            gone.append(path)
        elif name.startswith(("keqing/decomposer", "keqing/exemplars", "keqing/synonyms", "templates/")):
            relearn.add("keqing")
        else:
            gone += [path, *remove_artifact(path)]
            relearn |= _named(directory, name, out)
    if gone:
        register_derived(directory, dict.fromkeys(gone))
    return relearn


def _named(directory: Path, name: str, out: Repair) -> set[str]:
    """Say what became of a damaged file that was removed; what is to be learned again."""
    if name.startswith("indexes/entities"):
        out.done.append("removed the damaged index of entities by meaning, to be made again")
        return {"entities"}
    if name.startswith("knowgpt/paths"):
        return {"knowgpt"}
    if name.startswith(_MADE_AGAIN) or name.startswith(("keqing/current", "knowgpt/text", "knowgpt/structure")):
        out.done.append(f"removed the damaged {name}: it is made again when it is needed")
        return set()
    again = {
        "examples": "the questions that were learned from; give them again with trivium learn keqing --questions F",
        "lora": "a fine-tuned model: trivium learn lora",
        "keqing/written": "the templates that a model wrote: trivium learn templates",
    }
    what = next((f"{text} --kg {directory}" for start, text in again.items() if name.startswith(start)), None)
    out.lost.append(f"removed the damaged {name}: {what or 'nothing here makes it again'}")
    return set()


def _salvage(path: Path) -> str:
    from trivium.policies.bandit.log import salvage

    feedback, choices = salvage(path)
    kept = f"{feedback} rows of feedback and {choices} waiting choices"
    return f"wrote {path.name} again with what could be read, {kept}; the damaged file is {path.name}.damaged"


async def _make_again(directory: Path, relearn: set[str], out: Repair, progress: Progress) -> None:
    steps: dict[str, Callable[[Knowledge, Repair, Progress], Awaitable[None]]] = {
        "keqing": _keqing,
        "knowgpt": _knowgpt,
        "entities": _entities,
    }
    with Knowledge.open(directory) as kg:
        for what in sorted(relearn):
            try:
                await steps[what](kg, out, progress)
            except TriviumError as error:
                out.lost.append(f"{what} could not be learned again ({error})")
        await kg.derive()


async def _keqing(kg: Knowledge, out: Repair, progress: Progress) -> None:
    """Put the lesson in use back from its kept version, the newest where it is not known which; else learn again."""
    from trivium.policies.reader.chains.teaching import roll_back, teach
    from trivium.policies.reader.chains.versions import list_versions

    used = read_manifest(kg.path).derived.get("keqing/decomposer.json")
    kept = [version.number for version in list_versions(kg.learnt)]
    same = [n for n in kept if sha256_file(kg.learnt / "versions" / f"{n:04d}" / "decomposer.json") == used]
    if kept:
        number = await roll_back(kg, max(same or kept))
        out.done.append(f"put Keqing's lesson {number} back in use from its kept copy")
        return
    learned = await teach(kg, await asyncio.to_thread(read_examples, kg.path, "keqing"), progress)
    out.done.append(f"Keqing learned again from {f'{learned.pairs} kept questions' if learned.pairs else 'the schema'}")


async def _knowgpt(kg: Knowledge, out: Repair, progress: Progress) -> None:
    if not has_examples(kg.path, "knowgpt"):
        out.lost.append(f"removed the damaged path policy: trivium learn knowgpt --kg {kg.name} --questions F")
        return
    from trivium.policies.paths.learn import learn_paths

    questions = await asyncio.to_thread(read_examples, kg.path, "knowgpt")
    report = (await learn_paths(kg, questions or [], progress)).report
    out.done.append(f"the path policy learned again from {report['questions']:,} kept questions")


async def _entities(kg: Knowledge, out: Repair, _: Progress) -> None:
    out.done.append(f"made the index of {len(await kg.entities(renew=True)):,} entities by meaning again")
