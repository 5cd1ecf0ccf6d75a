"""`trivium correct`: set one question right; the KG learns again, and what else changes is shown."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from trivium.app.cli.output import complain, print_json, print_text
from trivium.kg.errors import UsageError

if TYPE_CHECKING:
    from trivium.knowledge.correction import Correction

_SHOWN = 5


def correct(  # noqa: PLR0913, PLR0917 - the options of a command line
    question: Annotated[str | None, typer.Argument(help="The question, in words.")] = None,
    kg: Annotated[str, typer.Option("--kg", help="A KG directory, a name from trivium.toml, or a Neo4j URI.")] = "",
    chain: Annotated[
        str | None, typer.Option(help='The relations that lead to the answer: "directed_by, ^starring"; ^ walks back.')
    ] = None,
    plan: Annotated[
        str | None, typer.Option(help="A plan as one line (trivium query --text): its answers are right.")
    ] = None,
    answers: Annotated[list[str] | None, typer.Option(help="A right answer, id or label; may be repeated.")] = None,
    topic: Annotated[list[str] | None, typer.Option(help="The entity that it is about; may be repeated.")] = None,
    preview: Annotated[bool, typer.Option("--preview", help="Show what would change, and take it back.")] = False,
    keep: Annotated[bool, typer.Option("--keep", help="Keep it even if more other questions get worse.")] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Take the last correction back.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the report as one JSON object.")] = False,
) -> None:
    """Set one question right: adds a pair, learns again, and asks the KG's own questions before and after.

    Example: trivium correct "who made Heat?" --kg films --chain directed_by --preview
    """
    if not kg:
        raise UsageError("which KG? trivium correct --kg KG (of the bundled sample, make a copy: trivium kg copy)")
    if undo:
        taken = asyncio.run(_undo(kg))
        print_json({"undone": taken}) if json else print_text(f"took back: {taken}")
        return
    if not question:
        raise UsageError('which question? trivium correct "QUESTION" --kg KG --chain …|--plan …|--answers …')
    found = asyncio.run(_correct(kg, question, (chain, plan, answers or [], topic or []), preview=preview, keep=keep))
    if json:
        print_json({**asdict(found), "better": found.better, "worse": found.worse})
    else:
        print_text("\n".join(_lines(found, preview=preview)))
    if not (found.kept or preview):
        complain("taken back: more questions of the KG's own got worse than better; --keep keeps it all the same")
        raise typer.Exit(1)


async def _correct(
    kg: str, question: str, known: tuple[str | None, str | None, list[str], list[str]], *, preview: bool, keep: bool
) -> Correction:
    from trivium.graphs.methods import METHODS, answer
    from trivium.kg.plans.text import parse
    from trivium.kg.types import parse_chain
    from trivium.knowledge.correction import correct as learn
    from trivium.knowledge.correction import pair_of
    from trivium.knowledge.knowledge import close_all, open_knowledge

    chain, plan, answers, topics = known
    context = METHODS["keqing"].context(kg=kg)

    async def ask(text: str) -> list[str]:
        told = await answer("keqing", text, context)
        said = [name for each in told["answers"] for name in (each["id"], each["label"])]
        values = told["values"] if told["value"] is None else [told["value"]]
        return said or [str(each) for each in values]

    try:
        base = await open_knowledge(kg)
        pair = await pair_of(
            base,
            question,
            chain=parse_chain([hop.strip() for hop in chain.split(",")]) if chain else None,
            plan=parse(plan) if plan else None,
            answers=answers,
            topics=topics,
        )
        return await learn(base, pair, ask, preview=preview, keep=keep)
    finally:
        await close_all()


async def _undo(kg: str) -> str:
    from trivium.knowledge.correction import undo
    from trivium.knowledge.knowledge import close_all, open_knowledge

    try:
        return await undo(await open_knowledge(kg))
    finally:
        await close_all()


def _lines(found: Correction, *, preview: bool) -> list[str]:
    right = "right" if found.right else "not yet right: a few more questions of this wording would teach it"
    head = f"{'would learn' if preview else 'learned'} from {found.pairs} pairs"
    lines = [
        f"{head}: {found.question}",
        f"  before: {_said(found.before)}",
        f"  after:  {_said(found.after)} ({right})",
        f"of {found.asked} other questions {len(found.changes)} are answered otherwise: "
        f"{found.better} better, {found.worse} worse",
    ]
    worst = sorted(found.changes, key=lambda change: change.right_after - change.right_before)
    return lines + [f"  {each.question}  {_said(each.before)} -> {_said(each.after)}" for each in worst[:_SHOWN]]


def _said(names: list[str]) -> str:
    """Labels alone: each entity is given by its id and label."""
    shown = names[1::2] or names
    return ", ".join(shown[:3]) + (f" and {len(shown) - 3} more" if len(shown) > 3 else "") if shown else "(nothing)"


def register(app: typer.Typer) -> None:
    """Add `correct` to the command line."""
    app.command("correct")(correct)
