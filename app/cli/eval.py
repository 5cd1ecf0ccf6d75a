"""`trivium eval`: lists the measurements, or runs one with options of its own."""

from __future__ import annotations

from typing import Annotated

import typer

from trivium.app.cli.output import print_rows


def evaluate(
    context: typer.Context,
    name: Annotated[str | None, typer.Argument(help="A measurement; without it, all are listed.")] = None,
) -> None:
    """Measure; options after the name are the measurement's own (`trivium eval NAME --help`)."""
    from trivium.evals.registry import MEASUREMENTS, measurement

    if name is None:
        print_rows(("measurement", "what it measures"), [(key, item.summary) for key, item in MEASUREMENTS.items()])
        return
    raise typer.Exit(measurement(name).run(context.args))


def register(app: typer.Typer) -> None:
    """Add `eval` to the command line; what stands after the name is handed on unread, `--help` too."""
    app.command(
        "eval",
        context_settings={"allow_extra_args": True, "allow_interspersed_args": False, "ignore_unknown_options": True},
    )(evaluate)
