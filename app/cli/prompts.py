"""`trivium prompts`: the prompts by name, each as it will be used; for an operator who words his own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from trivium.app.cli.output import print_text
from trivium.kg.errors import UsageError

if TYPE_CHECKING:
    from trivium.nodes.model.prompts import Prompt


def prompts(
    name: Annotated[str | None, typer.Argument(help="A prompt's name; without it, all names with their state.")] = None,
) -> None:
    """Show the prompts, the operator's own where trivium.toml names a folder; fails where one cannot be used."""
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
