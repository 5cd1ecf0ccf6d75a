"""`trivium kg upgrade`: bring a KG directory to this version's form, with what it has learned."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from trivium.app.cli.kg.options import DirectoryArgument, JsonOption, PropertyOption
from trivium.app.cli.output import print_facts, print_json
from trivium.kg.errors import UsageError

_DERIVED = {"snapshot", "vectors", "kg.json", ".write.lock", ".compact.lock"}
"""What is made anew; all else of a KG directory was learned, or is made again where it does not fit."""


def upgrade(kg: DirectoryArgument, properties: PropertyOption = None, as_json: JsonOption = False) -> None:
    """Renew a KG directory: its relations' natures by today's rules and settings, its files, what it has learned.

    The new folder takes the old one's place in one step. Keqing learns again, from the questions that are kept (of
    version 1 those that its exemplars show); whatever else is older than the KG is named with its command.
    """
    from trivium.app.cli.kg.make import derive, natures_of
    from trivium.kg.catalog import SAMPLE
    from trivium.kg.embedded import EmbeddedStore
    from trivium.kg.manifest import read_manifest
    from trivium.knowledge.knowledge import find_directory

    if kg == SAMPLE:
        raise UsageError(f"the bundled sample is read-only; copy it first: trivium kg copy {SAMPLE} DIR")
    directory = find_directory(kg).resolve()
    natures = natures_of(directory, properties or [])
    done = _upgrade(directory, natures)
    if done is not None:
        store = EmbeddedStore.open(directory)
        try:
            info = store.meta.info
        finally:
            store.close_now()
        derive(directory, info, read_manifest(directory).embedder)
    report: dict[str, object] = {"upgraded": done is not None}
    if done is not None:
        report |= {"properties": done.properties, "entities": done.entities, "Keqing": done.keqing}
    report["to learn again"] = _older(directory)
    if as_json:
        print_json(report)
    else:
        print_facts({
            name: (", ".join(map(str, value)) or "none") if isinstance(value, list)
            else value if isinstance(value, str) else "yes" if value else "no, it is current"
            for name, value in report.items()
        })  # fmt: skip


def _older(directory: Path) -> list[str]:
    """What is older than the KG, each with the command that learns it again."""
    import asyncio

    from trivium.knowledge.freshness import stale
    from trivium.knowledge.knowledge import Knowledge

    with Knowledge.open(directory) as kg:
        return [each.message for each in asyncio.run(stale(kg))]


@dataclass
class _Upgraded:
    """What an upgrade came to: relations that became properties or entities, and what Keqing learns again from."""

    properties: list[str]
    entities: list[str]
    keqing: str


def _upgrade(directory: Path, natures: dict[str, str]) -> _Upgraded | None:
    """Build the new folder beside the old one and exchange them; None where nothing is to be done."""
    from trivium.app.cli.kg.writing import exchange
    from trivium.app.cli.progress import progress
    from trivium.kg.embedded import guard_files
    from trivium.kg.embedded.locks import build_lock, write_lock
    from trivium.kg.embedded.record import RECORD
    from trivium.kg.embedded.upgrade import read_upgrade, write_upgrade
    from trivium.kg.examples import keep_examples
    from trivium.kg.manifest import read_manifest, set_embedder
    from trivium.policies.reader.chains.exemplars import pairs_of_version_1

    beside = directory.with_name(f".{directory.name}.upgrading")
    with build_lock(directory), write_lock(directory):
        done = read_upgrade(directory, natures)
        if done is None:
            return None
        shutil.rmtree(beside, ignore_errors=True)  # what a killed upgrade left
        try:
            with progress() as show:
                write_upgrade(beside, done, show)
            for entry in directory.iterdir():
                if entry.name not in _DERIVED and not entry.name.startswith(RECORD):
                    (shutil.copytree if entry.is_dir() else shutil.copy2)(entry, beside / entry.name)
            old = read_manifest(directory)
            set_embedder(beside, old.embedder)
            pairs, learned = pairs_of_version_1(directory)
            kept = keep_examples(beside, "keqing", pairs) if pairs else []
            guard_files(beside, [*(beside / name for name in old.derived), *kept])
            exchange(beside, directory)
        finally:
            shutil.rmtree(beside, ignore_errors=True)
    keqing = "learned again from the questions that are kept, or from the schema"
    if learned:
        keqing = (
            f"learned again from {len(pairs)} of {learned} questions, since version 1 kept no others; "
            f"for all of them: trivium learn keqing --kg {directory} --questions F"
        )
    return _Upgraded(done.properties, done.entities, keqing)
