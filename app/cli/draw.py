"""`trivium draw METHOD`: the method's graph as mermaid text."""

from __future__ import annotations

from typing import Annotated

import typer

from trivium.graphs.methods import METHODS
from trivium.kg.errors import UsageError


def draw(method: Annotated[str, typer.Argument(help="keqing, oda")]) -> None:
    """Print a method's graph as a mermaid diagram."""
    if method not in METHODS:
        raise UsageError(f"there is no graph {method!r}; there are {', '.join(METHODS)}")
    typer.echo(METHODS[method].graph().get_graph().draw_mermaid())


def register(app: typer.Typer) -> None:
    """Add `draw` to the command line."""
    app.command("draw")(draw)
