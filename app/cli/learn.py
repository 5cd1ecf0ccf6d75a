"""`trivium learn METHOD`: learn from a KG, and from questions whose chains are known."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated, Literal

import typer

from trivium.app.cli.learn_bandit import BanditLesson, run_bandit
from trivium.app.cli.learn_keqing import KeqingLesson, run_keqing
from trivium.app.cli.learn_lora import LoraOptions, run_lora
from trivium.app.cli.learn_options import given_options, refuse_others
from trivium.app.cli.learn_paths import run_paths
from trivium.app.cli.learn_templates import Writer
from trivium.app.cli.spending import Spending
from trivium.kg.errors import UsageError


def learn(  # noqa: PLR0913, PLR0917 - an option of the command line is an argument
    context: typer.Context,
    method: Annotated[str, typer.Argument(help="keqing or knowgpt")],
    kg: Annotated[str, typer.Option(help="A KG directory or name.")],
    questions: Annotated[
        Path | None, typer.Option(help='Question lines with "chain" and "answers"; without it, from the schema alone.')
    ] = None,
    synonyms: Annotated[
        Path | None, typer.Option(help="Your own words for relations, RELATION = word, word; kept for later lessons.")
    ] = None,
    forget_synonyms: Annotated[
        bool, typer.Option("--forget-synonyms", help="keqing: learn without kept words.")
    ] = False,
    listing: Annotated[bool, typer.Option("--list", help="keqing: list the versions of what was learnt.")] = False,
    rollback: Annotated[bool, typer.Option(help="keqing: go back to the version before, or to --version.")] = False,
    version: Annotated[int | None, typer.Option(help="The version that --rollback goes back to.")] = None,
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
    model: Annotated[
        str, typer.Option(help="keqing: a chat model that writes templates for the relations, once; or --bandit's.")
    ] = "none",
    each: Annotated[int, typer.Option(min=1, max=10, help="keqing: templates that --model writes a direction.")] = 3,
    max_tokens: Annotated[int | None, typer.Option(help="Ask --model no more after so many tokens.")] = None,
    max_cost: Annotated[float | None, typer.Option(help="Ask --model no more after such a cost, by --price.")] = None,
    price: Annotated[
        str | None, typer.Option(metavar="IN/OUT", help="What a million prompt and completion tokens cost.")
    ] = None,
) -> None:
    """Learn how questions over a KG are asked; what was learnt before stays as a version to go back to."""
    if bandit and method == "keqing":
        raise UsageError("--bandit is KnowGPT's: trivium learn knowgpt --bandit --model NAME --questions F.jsonl")
    if method not in ("keqing", "knowgpt"):
        raise UsageError(f"there is nothing to learn for {method!r} in this release; there are: keqing, knowgpt")
    refuse_others(given_options(context))
    spending = Spending(max_tokens, max_cost, price)
    if bandit:
        run_bandit(kg, questions, BanditLesson(model, spending), json=json)
        return
    if method == "knowgpt":
        run_paths(kg, questions, json=json)
        return
    options = LoraOptions(lora, lora_stage, set_ or (), merge)
    if options.wanted:
        asyncio.run(run_lora(kg, questions, options, json=json))
        return
    writer = Writer(model, each, spending)
    run_keqing(kg, KeqingLesson(questions, synonyms, forget_synonyms, listing, rollback, version, writer), json=json)


def register(app: typer.Typer) -> None:
    """Add `learn` to the command line."""
    app.command("learn")(learn)
