"""A KG directory from files, with progress."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trivium.app.cli.kg.input import Input
    from trivium.kg.types import KGInfo


def build_directory(out: Path, given: Input, natures: Mapping[str, str] | None = None) -> KGInfo:
    """Build a KG directory from opened files, showing progress; raises as `trivium.kg.embedded.build`."""
    from trivium.app.cli.progress import progress
    from trivium.kg.embedded import build as build_kg

    with progress() as show:

        def shown(stage: str, done: int, total: int | None) -> None:
            """By bytes while reading, by triples then."""
            if stage == "read":
                given.show(show)
            else:
                show({"store": "storing", "snapshot": "indexing"}.get(stage, stage), done, total)

        return build_kg(out, given.batches(), given.entities(), shown, natures=natures)
