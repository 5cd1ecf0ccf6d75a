"""`trivium tool`: one of Trivium's tools with JSON arguments, or a file of calls."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from trivium.app.cli.output import print_json
from trivium.kg.errors import BadInputError, UsageError
from trivium.kg.files import read_whole


def tool(
    name: Annotated[str, typer.Argument(help="find_entities, neighbors, follow_chain, find_paths, …")],
    arguments: Annotated[str | None, typer.Argument(help="The arguments as a JSON object.")] = None,
    kg: Annotated[str, typer.Option(help="A KG directory or name.")] = "sample",
    batch: Annotated[Path | None, typer.Option(help="A file with a JSON object of arguments a line.")] = None,
    out: Annotated[Path | None, typer.Option(help="Where the results of --batch go, a line each.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Results are JSON already; accepted for symmetry.")] = False,
) -> None:
    """Call a tool and print its result as JSON."""
    del json
    if (batch is None) != (out is None) or (batch is None) == (arguments is None):
        raise UsageError("give the arguments as JSON, or --batch CALLS.jsonl with --out RESULTS.jsonl")
    if batch is not None and out is not None:
        asyncio.run(_file(name, batch, out, kg))
    else:
        asyncio.run(_one(name, arguments or "", kg))


async def _one(name: str, arguments: str, kg: str) -> None:
    from trivium.knowledge.knowledge import close_all, open_knowledge
    from trivium.tools.registry import call_tool, parse_call

    call = parse_call(name, arguments)
    try:
        print_json(await call_tool(name, call, await open_knowledge(kg)))
    finally:
        await close_all()


async def _file(name: str, batch: Path, out: Path, kg: str) -> None:
    """A result line for each call line, in order; all calls are read before the first is made."""
    from trivium.app.cli.progress import progress
    from trivium.kg.errors import TriviumError
    from trivium.kg.lines import ResumableLines
    from trivium.knowledge.knowledge import close_all, open_knowledge
    from trivium.tools.registry import call_tool, parse_call

    calls = []
    for number, line in enumerate(_lines(batch), 1):
        try:
            calls.append(parse_call(name, line))
        except BadInputError as error:
            raise BadInputError(str(error), path=batch, line=number) from error
    try:
        knowledge = await open_knowledge(kg)
        with ResumableLines(out, len(calls), lambda *_: True) as lines, progress() as show:
            for number, call in enumerate(calls[lines.done :], lines.done + 1):
                try:
                    lines.write(await call_tool(name, call, knowledge))
                except TriviumError as error:
                    raise BadInputError(f"{type(error).__name__}: {error}", path=batch, line=number) from error
                show(name, number, len(calls))
    finally:
        await close_all()


def _lines(path: Path) -> list[str]:
    try:
        found = [line for line in read_whole(path).split("\n") if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise BadInputError(f"cannot be read ({error})", path=path) from error
    if not found:
        raise BadInputError("contains no calls", path=path)
    return found


def register(app: typer.Typer) -> None:
    """Add `tool` to the command line."""
    app.command("tool")(tool)
