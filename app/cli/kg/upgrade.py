"""`trivium kg upgrade`: bring a KG directory to this version's form, with what it has learned."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from trivium.app.cli.kg.options import DirectoryArgument, JsonOption, PropertyOption
from trivium.app.cli.output import complain, print_facts, print_json
from trivium.kg.errors import CorruptError, UsageError

if TYPE_CHECKING:
    from trivium.kg.embedded.upgrade import Upgrade

_DERIVED = {"snapshot", "vectors", "kg.json", ".write.lock"}
"""What is made anew; all else of a KG directory was learned, or is made again where it does not fit."""


def upgrade(kg: DirectoryArgument, properties: PropertyOption = None, as_json: JsonOption = False) -> None:
    """Renew a KG directory: its relations' natures by today's rules and settings, its files, what it has learned.

    The new folder takes the old one's place in one step. What was learned stays where it still fits; a template whose
    chains pass through what is now a value is named and left out, and the schema is learned again.
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
    lost: list[str] = []
    if done is not None:
        lost = _lost_templates(directory, {name.rpartition(" (")[0] for name in done.properties})
        store = EmbeddedStore.open(directory)
        try:
            info = store.meta.info
        finally:
            store.close_now()
        derive(directory, info, read_manifest(directory).embedder)
    report: dict[str, object] = {"upgraded": done is not None}
    if done is not None:
        report |= {"properties": done.properties, "entities": done.entities, "templates left out": lost}
        for name in lost:
            complain(f"left out, since no chain passes through a value: {name}")
    if as_json:
        print_json(report)
    else:
        print_facts({
            name: (", ".join(value) or "none") if isinstance(value, list) else "yes" if value else "no, it is current"
            for name, value in report.items()
        })  # fmt: skip


def _upgrade(directory: Path, natures: dict[str, str]) -> Upgrade | None:
    """Build the new folder beside the old one and exchange them; None where nothing is to be done."""
    from trivium.app.cli.kg.writing import exchange
    from trivium.app.cli.progress import progress
    from trivium.kg.embedded import guard_files
    from trivium.kg.embedded.locks import build_lock, write_lock
    from trivium.kg.embedded.record import RECORD
    from trivium.kg.embedded.upgrade import read_upgrade, write_upgrade
    from trivium.kg.manifest import read_manifest, set_embedder

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
            guard_files(beside, [beside / name for name in old.derived])
            exchange(beside, directory)
        finally:
            shutil.rmtree(beside, ignore_errors=True)
    return done


def _lost_templates(directory: Path, properties: set[str]) -> list[str]:
    """Texts of learned templates all of whose chains pass through what is a value now."""
    from trivium.kg.types import passes_value
    from trivium.policies.keqing.templates import read_templates

    try:
        templates = read_templates(directory / "templates")
    except CorruptError:
        return []
    return [
        template.text
        for template in templates
        if template.count and all(passes_value(chain, properties) for chain in template.chains)
    ]
