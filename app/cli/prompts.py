"""`trivium prompts`: the prompts by name, each as it will be used; for an operator who words his own."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from trivium.app.cli.output import print_rows, print_text
from trivium.kg.catalog import SAMPLE
from trivium.kg.errors import UsageError
from trivium.kg.loaders import Choice, lettered

if TYPE_CHECKING:
    from trivium.nodes.model.prompts import Prompt


def prompts(
    name: Annotated[str | None, typer.Argument(help="A prompt's name; without it, all names with their state.")] = None,
    question: Annotated[
        str | None, typer.Option("--question", "-q", help="Fill the prompt for this question; no model is asked.")
    ] = None,
    kg: Annotated[str, typer.Option(help="The KG of the question.")] = SAMPLE,
    choices: Annotated[str, typer.Option(help="The question's choices, separated by |, for method knowgpt.")] = "",
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="A setting of the run, as of `ask`; may be repeated.")
    ] = None,
) -> None:
    """Show the prompts, the operator's own where trivium.toml names a folder; fails where one cannot be used.

    With --question a prompt is shown as a model would get it, with its size in tokens; without a name all prompts
    of the question are counted, the longest of each.
    """
    if question is not None:
        _show_filled(name, question, kg, choices, settings or [])
        return
    from trivium.nodes.model.operator_prompts import operator_prompt

    known = {prompt.name: prompt for prompt in check_every_prompt()}
    if name is None:
        for each, default in known.items():
            used = operator_prompt(default)
            places = " ".join(f"{{{place}}}" for place in sorted(default.required | default.optional))
            print_text(f"{each}  {places}" + ("" if used is default else f"  from {used.name}"))
    elif name in known:
        print_text(operator_prompt(known[name]).text)
    else:
        raise UsageError(f"unknown prompt {name!r}; there are {', '.join(known)}")


def _show_filled(name: str | None, question: str, kg: str, choices: str, settings: list[str]) -> None:
    from trivium.nodes.run.usage import estimate_tokens

    known = [prompt.name for prompt in check_every_prompt()]
    if name is not None and name not in known:
        raise UsageError(f"unknown prompt {name!r}; there are {', '.join(known)}")
    given = dict(each.partition("=")[::2] for each in settings)
    shown = lettered(text for text in choices.split("|") if text.strip())
    os.environ.setdefault("OPENAI_API_KEY", "none")  # nothing is sent
    found = asyncio.run(_filled(name, question, kg, shown, given))
    if name is None:
        print_rows(
            ["prompt", "tokens"], [(each, max(map(estimate_tokens, texts))) for each, texts in found.items() if texts]
        )
    elif texts := found[name]:
        print_text(f"{texts[0]}\n\n({estimate_tokens(texts[0]):,} tokens, estimated)")
    else:
        raise UsageError(f"this question fills no prompt {name!r}: a stage before it finds nothing, or asks no model")


async def _filled(
    name: str | None, question: str, kg: str, choices: Sequence[Choice], settings: Mapping[str, object]
) -> dict[str, list[str]]:
    from trivium.graphs.filled_prompts import PROMPTS, check_settings, filled_prompts
    from trivium.graphs.methods import close_all

    methods, found = [name.partition("_")[0]] if name else list(PROMPTS), dict[str, list[str]]()
    check_settings(settings, methods)
    try:
        for method in methods:
            shown = choices if method == "knowgpt" else ()
            found |= await filled_prompts(method, question, kg, choices=shown, settings=settings)
    finally:
        await close_all()
    return found


def check_every_prompt() -> tuple[Prompt, ...]:
    """The prompts of all methods; raises where an operator's own cannot be used."""
    from trivium.nodes.keqing.prompts import KEQING_PROMPTS, check_keqing_prompts
    from trivium.nodes.knowgpt.prompts import KNOWGPT_PROMPTS, check_knowgpt_prompts
    from trivium.nodes.oda.prompts import ODA_PROMPTS, check_oda_prompts

    for check in (check_keqing_prompts, check_knowgpt_prompts, check_oda_prompts):
        check()
    return (*KEQING_PROMPTS, *KNOWGPT_PROMPTS, *ODA_PROMPTS)


def register(app: typer.Typer) -> None:
    """Add `prompts` to the command line."""
    app.command("prompts")(prompts)
