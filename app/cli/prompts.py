"""`trivium prompts`: the prompts by name, each as it will be used; for an operator who words his own."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trivium.app.cli.output import print_rows, print_text
from trivium.kg.catalog import SAMPLE
from trivium.kg.errors import UsageError

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
    from trivium import ask
    from trivium.nodes.model import estimate_tokens
    from trivium.nodes.model.recorded import recording

    known = [prompt.name for prompt in check_every_prompt()]
    if name is not None and name not in known:
        raise UsageError(f"unknown prompt {name!r}; there are {', '.join(known)}")
    methods = sorted({each.partition("_")[0] for each in ([name] if name else known)})
    given = dict(each.partition("=")[::2] for each in settings)
    shown = [each for each in choices.split("|") if each.strip()]
    os.environ.setdefault("OPENAI_API_KEY", "none")  # nothing is sent
    found: dict[str, list[str]] = {}
    for method in methods:
        # What a stage asks only of a model that decomposed is recorded in the first run, the rest in the second.
        for asked in ({}, {"decompose": "llm", "reason": "llm"}) if method == "keqing" else ({},):
            with recording() as recorded:
                own: dict[str, Any] = {"model": "openai:none", **asked, **given}
                ask(question, kg=kg, method=method, choices=shown if method == "knowgpt" else (), **own)
            for each in known:
                found.setdefault(each, []).extend(recorded.named(each))
    if name is None:
        print_rows(
            ["prompt", "tokens"], [(each, max(map(estimate_tokens, texts))) for each, texts in found.items() if texts]
        )
    elif texts := found[name]:
        print_text(f"{texts[0]}\n\n({estimate_tokens(texts[0]):,} tokens, estimated)")
    else:
        raise UsageError(f"this question fills no prompt {name!r}: a stage before it finds nothing, or asks no model")


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
