"""A KG directory from files, with progress."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.kg.input import Input
    from kg.types import KGInfo


def build_directory(out: Path, given: Input) -> KGInfo:
    """Build a KG directory from opened files, showing progress; raises as `kg.embedded.build`."""
    from app.progress import progress
    from kg.embedded import build as build_kg

    with progress() as show:

        def shown(stage: str, done: int, total: int | None) -> None:
            """By bytes while reading, by triples then."""
            if stage == "read":
                given.show(show)
            else:
                show({"store": "storing", "snapshot": "indexing"}.get(stage, stage), done, total)

        return build_kg(out, given.batches(), given.entities(), shown)
