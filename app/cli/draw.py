"""`trivium draw METHOD`: the method's graph as mermaid text."""

from __future__ import annotations

from typing import Annotated

import typer

from trivium.graphs.methods import method_named


def draw(method: Annotated[str, typer.Argument(help="auto, keqing, knowgpt or oda")]) -> None:
    """Print a method's graph as a mermaid diagram."""
    typer.echo(method_named(method).graph().get_graph().draw_mermaid())


def register(app: typer.Typer) -> None:
    """Add `draw` to the command line."""
    app.command("draw")(draw)
