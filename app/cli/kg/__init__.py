"""`trivium kg …`: one module a family of commands, joined here."""

from __future__ import annotations

import typer

from trivium.app.cli.kg.change import add, alias, compact, remove, upgrade, word
from trivium.app.cli.kg.check import backup, info, repair, report, restore, verify
from trivium.app.cli.kg.make import build, copy, export, vectors
from trivium.app.cli.kg.remote import index, schema, snapshot
from trivium.app.cli.kg.walk import find, neighbors, paths

COMMANDS = (
    build,
    add,
    remove,
    compact,
    alias,
    word,
    copy,
    export,
    upgrade,
    verify,
    repair,
    backup,
    restore,
    info,
    report,
    find,
    neighbors,
    paths,
    vectors,
    schema,
    index,
    snapshot,
)


def register(app: typer.Typer, chosen: str = "") -> None:
    """Add the group to the command line: the chosen command alone, all where it is none of them."""
    group = typer.Typer(
        help="Build, change, copy, check and look into knowledge graphs.", rich_markup_mode=None, no_args_is_help=True
    )
    for command in [each for each in COMMANDS if each.__name__ == chosen] or COMMANDS:
        group.command()(command)
    app.add_typer(group, name="kg")
