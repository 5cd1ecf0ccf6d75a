"""Run one of the paper's ablations: a table on stdout, and with --plot a picture."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from trivium.evals.ablations.asking import need_data
from trivium.evals.ablations.chains import chains
from trivium.evals.ablations.report import FigureTable, show
from trivium.evals.ablations.supplement import supplement
from trivium.evals.ablations.templates import templates
from trivium.nodes.run.operator import own_runs

ABLATIONS: dict[str, Callable[[Path, int | None], Awaitable[FigureTable]]] = {
    "templates": templates,
    "chains": chains,
    "supplement": supplement,
}


@own_runs()
def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and show; raises `TriviumError` where the data is not here."""
    parser = argparse.ArgumentParser(prog="trivium eval keqing-NAME", description=__doc__)
    parser.add_argument(
        "name", choices=ABLATIONS, help="templates: figure 5; chains: figure 6; supplement: section 3.2"
    )
    parser.add_argument("--data", type=Path, help="the folder that holds metaqa/ and fb15k237/")
    parser.add_argument("--n", type=int, help="ask so many questions of each part (default: all, or 300 a hop)")
    parser.add_argument("--plot", type=Path, help="where the plot goes, such as figure5.png or figure5.svg")
    given = parser.parse_args(arguments)

    async def measured() -> FigureTable:
        return await ABLATIONS[given.name](need_data(given.data), given.n)

    show(asyncio.run(measured()), given.plot)
    return 0
