"""`trivium kg …`: one module a family of commands, joined here."""

from __future__ import annotations

import typer

from app.kg.change import add, remove
from app.kg.check import info, verify
from app.kg.make import build, copy, export
from app.kg.remote import index, schema, snapshot
from app.kg.vectors import vectors
from app.kg.walk import find, neighbors, paths

COMMANDS = (build, add, remove, copy, export, verify, info, find, neighbors, paths, vectors, schema, index, snapshot)


def register(app: typer.Typer) -> None:
    """Add the group to the command line."""
    group = typer.Typer(
        help="Build, change, copy, check and look into knowledge graphs.", rich_markup_mode=None, no_args_is_help=True
    )
    for command in COMMANDS:
        group.command()(command)
    app.add_typer(group, name="kg")
