"""`trivium draw METHOD`: the method's graph as mermaid text."""

from __future__ import annotations

from typing import Annotated

import typer

from kg.errors import UsageError


def draw(method: Annotated[str, typer.Argument(help="keqing")]) -> None:
    """Print a method's graph as a mermaid diagram."""
    if method != "keqing":
        raise UsageError(f"there is no graph {method!r} in this release; there is: keqing")
    from graphs.keqing import graph

    typer.echo(graph.get_graph().draw_mermaid())


def register(app: typer.Typer) -> None:
    """Add `draw` to the command line."""
    app.command("draw")(draw)
