"""`trivium kg …`."""

from __future__ import annotations

import typer

group = typer.Typer(help="Build, change, copy, check and look into knowledge graphs.", rich_markup_mode=None, no_args_is_help=True)


@group.command("info")
def info(kg: str) -> None:
    """Show counts and content hash."""
    typer.echo(kg)


@group.command("find")
def find(kg: str) -> None:
    """Find."""
    typer.echo(kg)


def register(app: typer.Typer) -> None:
    """Add the group to the command line."""
    app.add_typer(group, name="kg")
