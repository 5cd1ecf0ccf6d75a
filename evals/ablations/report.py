"""An ablation's outcome as a table on stdout and a plot in a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap

_TITLE = 80  # letters of a plot's title a line


@dataclass(frozen=True)
class FigureTable:
    """Figures by setting.

    Attributes:
        title: what was varied on which data, for the table's head and the plot.
        setting: what the rows are called, such as "K".
        rows: the settings' names.
        columns: for each figure's name its values, one a row; in percent where the name does not say otherwise.
        plotted: the columns that the plot shows; figures of one unit.
    """

    title: str
    setting: str
    rows: Sequence[str]
    columns: dict[str, Sequence[float]]
    plotted: Sequence[str]


def table(outcome: FigureTable) -> str:
    """The figures in columns, the title above them."""
    first = max(len(outcome.setting), *(len(row) for row in outcome.rows))
    widths = {name: max(len(name), 8) for name in outcome.columns}
    lines = [outcome.title, f"{outcome.setting:{first}}" + "".join(f"  {n:>{w}}" for n, w in widths.items())]
    for place, row in enumerate(outcome.rows):
        values = "".join(f"  {outcome.columns[n][place]:{w}.1f}" for n, w in widths.items())
        lines.append(f"{row:{first}}{values}")
    return "\n".join(lines)


def plot(outcome: FigureTable, path: Path) -> bool:
    """Write the plotted columns as lines over the settings; False where matplotlib (extra `plot`) is not installed."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return False
    figure = Figure(figsize=(6.4, 4.0), layout="constrained")
    axes = figure.add_subplot()
    for name in outcome.plotted:
        axes.plot(outcome.rows, outcome.columns[name], marker="o", label=name)
    axes.set_xlabel(outcome.setting)
    axes.set_ylabel("%")
    axes.set_title("\n".join(wrap(outcome.title, _TITLE)), fontsize="small")
    axes.grid(alpha=0.3)
    axes.legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
    return True


def show(outcome: FigureTable, path: Path | None) -> None:
    """Print the table, and where a path is given write the plot and say where it is."""
    print(table(outcome), flush=True)
    if path is not None:
        print(f"plot: {path}" if plot(outcome, path) else "no plot: pip install '.[plot]' for matplotlib", flush=True)
