"""`trivium ask`: one question with its stages as they run, or a file of questions."""

from __future__ import annotations

import gc
import os
import re
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from trivium.kg.errors import UsageError

if TYPE_CHECKING:
    from trivium.kg.loaders import Choice
    from trivium.nodes.run.answer_record import Answer
    from trivium.nodes.run.context import Context


def ask(  # noqa: PLR0913, PLR0917 - an option of the command line is an argument
    question: Annotated[str | None, typer.Argument(help="The question in words.")] = None,
    kg: Annotated[str, typer.Option(help="A KG directory or name; without it, the bundled sample.")] = "sample",
    method: Annotated[str, typer.Option(help="auto, keqing, knowgpt, oda")] = "auto",
    model: Annotated[str, typer.Option(help="A chat model, such as openai:gpt-4o-mini, or none.")] = "none",
    json: Annotated[bool, typer.Option("--json", help="Print the answer as one JSON object.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print the answers as CSV with a header.")] = False,
    batch: Annotated[Path | None, typer.Option(help="A file of question lines (JSON), .gz allowed.")] = None,
    out: Annotated[Path | None, typer.Option(help="Where the answers of --batch go, a line each.")] = None,
    templates: Annotated[int | None, typer.Option(help="Templates matched to each sub-question (3).")] = None,
    supplement: Annotated[
        Literal["auto", "always", "never"] | None, typer.Option(help="Dense triples beside the chains' (auto).")
    ] = None,
    preset: Annotated[
        Literal["none", "paper"], typer.Option(help="paper: as the method's paper has it; --set comes first.")
    ] = "none",
    jobs: Annotated[
        int | None, typer.Option(min=1, max=1_000, help="Questions of --batch at a time; 16 with a model, else 1.")
    ] = None,
    ray: Annotated[
        str, typer.Option(help="Answer --batch on a Ray cluster: HOST:6379, or local for this machine's cores.")
    ] = "",
    cache: Annotated[
        Path | None, typer.Option(help="A file that keeps the model's answers, so that none is asked for twice.")
    ] = None,
    max_cost: Annotated[float | None, typer.Option(help="Stop --batch where so much is spent (--price).")] = None,
    price: Annotated[
        str | None,
        typer.Option(help="PROMPT/COMPLETION: the price of a million tokens of each; or [prices] in trivium.toml."),
    ] = None,
    choice: Annotated[
        list[str] | None, typer.Option(help="An option of a multiple-choice question, TEXT or ID=TEXT; once each.")
    ] = None,
    show_query: Annotated[
        bool, typer.Option("--show-query", help="Also print the answer's plan as Cypher and SPARQL.")
    ] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="First print what each word was read as, and the five best plans.")
    ] = False,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="NAME=VALUE: any setting of the method, such as max_llm_calls=5."),
    ] = None,
) -> None:
    """Answer a question, or a file of questions, over a KG; every answer carries its path.

    A chat model's key and base URL come from the environment: OPENAI_API_KEY, OPENAI_BASE_URL.
    """
    import asyncio

    if question is not None:
        gc.disable()  # it would walk all that imports make, again and again: a sixth of the time; run() turns it on
    from trivium.graphs.methods import method_named

    chosen = method_named(method)
    options = {"preset": preset, "templates_per_sub_question": templates, "supplement": supplement}
    named = {name: value for name, value in options.items() if value not in (None, "none")}
    context = chosen.context(**{"kg": kg, "model": model, **named, **chosen.read_settings(settings or ())})
    context.check()
    if cache is not None:
        os.environ["TRIVIUM_LLM_CACHE"] = str(cache)
    if question is not None:
        from trivium.nodes.run.conversation import check_question

        check_question(question)
    if explain and (json or question is None):
        raise UsageError("--explain prints text for one question; trivium tool read_question gives the same as JSON")
    if csv and (json or explain or question is None):
        raise UsageError("--csv prints the answers to one question, without --json and --explain")
    if choice and question is None:
        raise UsageError("--choice goes with a question; the lines of a file carry their own choices")
    if (batch is None) != (out is None) or (batch is None) == (question is None):
        raise UsageError("give a question, or --batch IN.jsonl with --out OUT.jsonl")
    if ray and batch is None:
        raise UsageError("--ray goes with --batch")
    if batch is not None and out is not None:
        from trivium.app.cli.batch import answer_file
        from trivium.app.cli.output import complain
        from trivium.nodes.run.spending import Spending, named_price

        if out.exists() and batch.exists() and out.samefile(batch):
            raise UsageError(f"{out} holds the questions: name another file for the answers")
        limits = Spending(max_cost=max_cost, price=price or named_price(context.model))
        if told := asyncio.run(answer_file(method, batch, out, context, jobs, limits, ray)):
            complain(told)
    else:
        offered = _choices(method, choice or ())
        shown = Shown(json=json, csv=csv, query=show_query, explain=explain)
        asyncio.run(_one(method, question or "", context, offered, shown))


def _choices(method: str, texts: Sequence[str]) -> list[Choice]:
    """Choices as given, those without an id lettered; raises `UsageError`."""
    from trivium.kg.loaders import Choice, lettered

    if texts and method not in ("auto", "knowgpt"):
        raise UsageError(f"{method} does not choose among options: leave --choice out, or use --method knowgpt")
    read = []
    for option in lettered(texts):
        named = re.fullmatch(r"(\w{1,8})=(.+)", option.text, re.DOTALL)
        read.append(Choice(named[1], named[2]) if named else option)
        if not read[-1].text.strip():
            raise UsageError(f"--choice {option.text!r} is empty")
    for kind, given in (("id", [each.id for each in read]), ("text", [each.text for each in read])):
        if len(set(given)) < len(given):
            twice = next(each for each in given if given.count(each) > 1)
            raise UsageError(f"two choices have the {kind} {twice!r}: give each option once")
    return read


@dataclass(frozen=True)
class Shown:
    """What is printed of an answer: JSON or CSV alone, or text with its query and the readings that it came from."""

    json: bool
    csv: bool
    query: bool
    explain: bool


async def _one(method: str, question: str, context: Context, choices: Sequence[Choice], shown: Shown) -> None:
    from trivium.app.cli.output import print_json
    from trivium.graphs.methods import answer, close_all, stages

    try:
        if shown.json:
            print_json(dict(await answer(method, question, context, choices=choices)))
            return
        if shown.csv:
            _print_csv(await answer(method, question, context, choices=choices))
            return
        from trivium.app.cli.show import RunPrinter

        show = await RunPrinter.over(context.kg, show_query=shown.query)
        if shown.explain:
            await show.readings(question)
        async with aclosing(stages(method, question, context, choices=choices)) as run:
            async for stage, added in run:
                await show.stage(stage, added)
    finally:
        await close_all()


def register(app: typer.Typer) -> None:
    """Add `ask` to the command line."""
    app.command("ask")(ask)


def _print_csv(found: Answer) -> None:
    """The answers, or the values, as CSV; what was not found goes to stderr."""
    import csv
    import sys

    from trivium.app.cli.output import complain

    rows: list[Sequence[object]]
    if found["value"] is not None:
        header, rows = ["value"], [[_cell(found["value"])]]
    elif found["choice"] is not None:
        header, rows = ["choice"], [[found["choice"]]]
    elif found["answers"]:
        header, rows = (
            ["id", "label", "score"],
            [[each["id"], each["label"], each["score"]] for each in found["answers"]],
        )
    else:
        rows = [_cells(each) for each in found["values"]]
        keys = len(_cells(found["values"][0]["key"])) if rows and isinstance(found["values"][0], dict) else 0
        header = [f"key {n + 1}" if n < keys else f"value {n - keys + 1}" for n in range(len(rows[0]) if rows else 0)]
    if not rows:
        complain(found["answer"])
        return
    written = csv.writer(sys.stdout, lineterminator="\n")
    written.writerow(header)
    written.writerows(rows)
    sys.stdout.flush()


def _cells(value: object) -> list[object]:
    """A result's row as cells: keys first, then values."""
    if isinstance(value, dict):
        return [*_cells(value.get("key")), *_cells(value.get("value"))]
    return [_cell(each) for each in value] if isinstance(value, list) else [_cell(value)]


def _cell(value: object) -> object:
    return str(value).lower() if isinstance(value, bool) else value
