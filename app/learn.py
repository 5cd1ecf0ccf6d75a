"""`trivium learn METHOD`: learn from a KG, and from questions whose chains are known."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from app.learn_bandit import BanditLesson, run_bandit
from app.learn_lora import LoraOptions, run_lora
from app.learn_paths import run_paths
from app.output import complain, print_json
from app.progress import progress
from kg.errors import UsageError

if TYPE_CHECKING:
    from policies.keqing_learning import Learnt


def learn(  # noqa: PLR0913, PLR0917 - an option of the command line is an argument
    method: Annotated[str, typer.Argument(help="keqing or knowgpt")],
    kg: Annotated[str, typer.Option(help="A KG directory or name.")],
    questions: Annotated[
        Path | None, typer.Option(help='Question lines with "chain" and "answers"; without it, from the schema alone.')
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the report as one JSON object.")] = False,
    lora: Annotated[str | None, typer.Option(help="Fine-tune this causal LM (folder or hub name) instead.")] = None,
    lora_stage: Annotated[
        Literal["decompose", "reason"], typer.Option(help="What --lora and --merge are for.")
    ] = "decompose",
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A setting of --lora; may be repeated.")
    ] = None,
    merge: Annotated[Path | None, typer.Option(help="Write base and adapter as one model into this folder.")] = None,
    bandit: Annotated[bool, typer.Option(help="knowgpt: learn which prompt suits which question instead.")] = False,
    model: Annotated[str, typer.Option(help="The chat model of --bandit.")] = "none",
    max_tokens: Annotated[int | None, typer.Option(help="Stop --bandit when it has spent so many tokens.")] = None,
    max_cost: Annotated[float | None, typer.Option(help="Stop --bandit when it has cost so much, by --price.")] = None,
    price: Annotated[
        str | None, typer.Option(metavar="IN/OUT", help="What a million prompt and completion tokens cost.")
    ] = None,
) -> None:
    """Learn how questions over a KG are asked; replaces what was learnt before, in one step."""
    if bandit:
        if method != "knowgpt":
            raise UsageError("--bandit is KnowGPT's: trivium learn knowgpt --bandit --model NAME --questions F.jsonl")
        run_bandit(kg, questions, BanditLesson(model, max_tokens, max_cost, price), json=json)
        return
    if method == "knowgpt":
        run_paths(kg, questions, json=json)
        return
    if method != "keqing":
        raise UsageError(f"there is nothing to learn for {method!r} in this release; there are: keqing, knowgpt")
    options = LoraOptions(lora, lora_stage, set_ or (), merge)
    if options.wanted:
        asyncio.run(run_lora(kg, questions, options, json=json))
        return
    learnt = asyncio.run(_learn(kg, questions))
    report = {
        "method": method, "pairs": learnt.pairs, "left_out": learnt.left_out, "wordings": learnt.wordings,
        "templates": len(learnt.templates), "seconds": round(learnt.seconds, 3),
    }  # fmt: skip
    if json:
        print_json(report)
        return
    typer.echo(
        f"learnt {learnt.wordings} wordings of {learnt.pairs} pairs and {len(learnt.templates)} templates "
        f"in {learnt.seconds:.1f} s"
    )
    if learnt.left_out:
        complain(f"{learnt.left_out} pairs were left out: no name in the question leads to its answers along its chain")


async def _learn(kg: str, questions: Path | None) -> Learnt:
    from kg.loaders import read_questions
    from policies.keqing_teaching import teach
    from tools.knowledge import close_all, open_knowledge

    pairs = read_questions(questions) if questions is not None else None
    knowledge = await open_knowledge(kg)
    try:
        with progress() as show:
            return await teach(knowledge.base, pairs, show)
    finally:
        await close_all()


def register(app: typer.Typer) -> None:
    """Add `learn` to the command line."""
    app.command("learn")(learn)
