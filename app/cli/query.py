"""`trivium query`: run a query plan that a user wrote or edited."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trivium.app.cli.output import print_json, print_text
from trivium.kg.errors import BadInputError, UsageError

if TYPE_CHECKING:
    from trivium.kg.plans.plan import QueryPlan
    from trivium.kg.plans.run import PlanRun


def query(
    plan: Annotated[str | None, typer.Argument(help="A file with a plan as JSON; - for standard input.")] = None,
    text: Annotated[str | None, typer.Option(help="A plan as one line, in place of a file.")] = None,
    kg: Annotated[str, typer.Option(help="A KG directory, name or Neo4j URI.")] = "sample",
    seconds: Annotated[float, typer.Option(min=0.001, help="Stop after this many seconds.")] = 30.0,
    limit: Annotated[int, typer.Option(min=1, help="How many answers to give.")] = 1000,
    show_query: Annotated[bool, typer.Option("--show-query", help="Also print the plan as Cypher and SPARQL.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Run a query plan and print what it gives."""
    if (plan is None) == (text is None):
        raise UsageError("give a file with the plan as JSON, or --text with the plan as one line")
    run = asyncio.run(_run(_plan(plan, text), kg, seconds, limit))
    if json:
        print_json(run.to_json())
        return
    for line in _lines(run):
        print_text(line)
    if show_query:
        for language, words in run.query.items():
            print_text(f"\n{language}: {words}")


def _plan(path: str | None, text: str | None) -> QueryPlan:
    from trivium.kg.files import read_whole
    from trivium.kg.plans.codec import loads
    from trivium.kg.plans.text import parse

    if path is None:
        return parse(text or "")
    try:
        data = sys.stdin.read() if path == "-" else read_whole(Path(path))
    except (OSError, UnicodeDecodeError) as error:
        raise BadInputError(f"cannot be read ({error})", path=path) from error
    return loads(data)


async def _run(plan: QueryPlan, kg: str, seconds: float, limit: int) -> PlanRun:
    from trivium.kg.plans.run import run_plan
    from trivium.knowledge.knowledge import close_all, open_knowledge

    try:
        return await run_plan((await open_knowledge(kg)).store, plan, seconds=seconds, limit=limit)
    finally:
        await close_all()


def _lines(run: PlanRun) -> list[str]:
    """The result for a person: an answer a line, its cells by tab."""
    from trivium.kg.plans.result import item_label

    result = run.result
    if result.is_empty:
        return ["nothing found"]
    if result.value is not None:
        shown = [item_label(result.value)]
    elif result.entities:
        shown = [each.label if each.label == each.id else f"{each.label}\t{each.id}" for each in result.entities]
    else:
        shown = ["\t".join(map(item_label, row)) for row in result.rows]
    given = len(result.entities) + len(result.rows)
    more = result.total - given if given else 0
    if more > 0:
        shown.append(f"and {more:,} more (--limit)")
    if result.evidence is not None:
        shown.append(f"from {len(result.evidence.rows) + result.evidence.more:,} rows")
    return shown


def register(app: typer.Typer) -> None:
    """Add `query` to the command line."""
    app.command("query")(query)
