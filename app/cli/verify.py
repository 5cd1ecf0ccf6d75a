"""`trivium verify`: are the paths of some answers in the KG?"""

from __future__ import annotations

import asyncio
import gzip
import json
import zlib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import typer

from trivium.app.cli.output import complain
from trivium.kg.errors import BadInputError
from trivium.kg.store import GraphStore
from trivium.kg.types import Triple

_SHOWN = 10


def verify(
    answers: Annotated[Path, typer.Argument(help="Answer lines, as `trivium ask` writes them.")],
    kg: Annotated[str, typer.Option(help="A KG directory or name.")],
) -> None:
    """Check that every triple of every path is in the KG and that paths join up; exit 1 if one is not."""
    paths, problems = asyncio.run(_verify(answers, kg))
    for problem in problems[:_SHOWN]:
        complain(problem)
    if problems:
        complain(f"{len(problems)} problems in {answers}")
        raise typer.Exit(1)
    typer.echo(f"ok: {paths} paths, every triple is in {kg}")


async def _verify(answers: Path, kg: str) -> tuple[int, list[str]]:
    from trivium.knowledge.knowledge import close_all, open_knowledge

    paths, problems = 0, []
    try:
        store = (await open_knowledge(kg)).store
        for number, line in _answer_lines(answers):
            paths += len(line["paths"])
            problems += [f"{answers}, line {number}: {problem}" for problem in await _problems(line, store)]
    finally:
        await close_all()
    return paths, problems


async def _problems(line: dict[str, Any], store: GraphStore) -> list[str]:
    """What is wrong with the paths of one answer: triples that are not stored, steps that do not join up."""
    triples = [Triple(t["head"], t["relation"], t["tail"]) for path in line["paths"] for t in path["triples"]]
    stored = await store.contains(triples)
    found = [f"not in the KG: {tuple(triple)}" for triple, known in zip(triples, stored, strict=True) if not known]
    for path in line["paths"]:
        steps = [(t["tail"], t["head"]) if t.get("inverse") else (t["head"], t["tail"]) for t in path["triples"]]
        if any(before[1] != after[0] for before, after in pairwise(steps)):
            found.append(f"a path does not join up: {steps}")
        if steps and "answer" in path and steps[-1][1] != path["answer"]:
            found.append(f"a path ends at {steps[-1][1]!r}, not at the answer {path['answer']!r} that it names")
    return found


def _answer_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The answers of a file with their line numbers; raises `BadInputError`."""
    from trivium.nodes.run.answer_record import answer_problem

    number = 0
    try:
        with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
            for number, text in enumerate(file, 1):
                if not text.strip():
                    continue
                try:
                    line = json.loads(text)
                except ValueError as error:
                    raise BadInputError(f"is no JSON ({error})", path=path, line=number) from error
                problem = answer_problem(line) if isinstance(line, dict) else "it is no JSON object"
                if problem:
                    raise BadInputError(f"is no answer: {problem}", path=path, line=number)
                yield number, line
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        raise BadInputError(f"cannot be read ({error})", path=path) from error
    if not number:
        raise BadInputError("holds no answer", path=path)


def register(app: typer.Typer) -> None:
    """Add `verify` to the command line."""
    app.command("verify")(verify)
