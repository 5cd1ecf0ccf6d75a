"""`trivium verify`: are answers proved by the KG, and do their plans give them again?"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from trivium.app.cli.output import complain
from trivium.kg.errors import BadInputError

_SHOWN = 10


def verify(
    answers: Annotated[Path, typer.Argument(help="Answer lines, as `trivium ask` writes them.")],
    kg: Annotated[str, typer.Option(help="A KG directory or name.")],
) -> None:
    """Check answers against the KG; exit 1 unless every one holds.

    Every triple of every path is in the KG, paths join up and lead to their answers, and a plan, computed again, gives
    the same answers, values and evidence.
    """
    paths, plans, problems = asyncio.run(_verify(answers, kg))
    for problem in problems[:_SHOWN]:
        complain(problem)
    if problems:
        complain(f"{len(problems)} problems in {answers}")
        raise typer.Exit(1)
    again = f"; {plans} plans, computed again, give the same" if plans else ""
    typer.echo(f"ok: {paths} paths, every triple is in {kg}{again}")


async def _verify(answers: Path, kg: str) -> tuple[int, int, list[str]]:
    from trivium.kg.plans.verify import answer_problems, is_claim
    from trivium.knowledge.knowledge import close_all, open_knowledge

    paths, plans, problems = 0, 0, []
    try:
        store = (await open_knowledge(kg)).store
        for number, line in _answer_lines(answers):
            paths += len(line["paths"])
            plans += is_claim(line) and line.get("plan") is not None
            problems += [f"{answers}, line {number}: {problem}" for problem in await answer_problems(line, store)]
    finally:
        await close_all()
    return paths, plans, problems


def _answer_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The answers of a file with their line numbers; raises `BadInputError`."""
    from trivium.kg.loaders import read_objects
    from trivium.nodes.run.answer_record import answer_problem

    found = False
    for number, line in read_objects(path):
        found = True
        if problem := answer_problem(line):
            raise BadInputError(f"not an answer: {problem}", path=path, line=number)
        yield number, line
    if not found:
        raise BadInputError("contains no answers", path=path)


def register(app: typer.Typer) -> None:
    """Add `verify` to the command line."""
    app.command("verify")(verify)
