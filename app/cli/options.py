"""Options that commands of several families share."""

from __future__ import annotations

from typing import Annotated

import typer

WorkersOption = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="Use at most N cores; by default, and at most, those there are."),
]
