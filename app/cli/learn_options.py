"""Which options of `trivium learn` go together: one that the lesson at hand would pass over is refused."""

from __future__ import annotations

from collections.abc import Mapping

import typer

from trivium.kg.errors import UsageError

_SPENDING = frozenset({"--max-tokens", "--max-cost", "--price"})
_ALWAYS = frozenset({"", "--kg", "--json"})
_TAKEN: Mapping[str, frozenset[str]] = {
    "knowgpt --bandit": _SPENDING | {"--bandit", "--questions", "--model"},
    "knowgpt": frozenset({"--questions"}),
    "keqing --lora": frozenset({"--lora", "--lora-stage", "--set", "--merge", "--questions"}),
    "keqing --list": frozenset({"--list", "--rollback", "--version"}),
    "keqing": _SPENDING | {"--questions", "--synonyms", "--forget-synonyms", "--model", "--each"},
}
"""The options of each lesson, from the one that most decides to the one without any of its own."""

_OWNER = {
    **dict.fromkeys(("--lora-stage", "--set"), "--lora MODEL"),
    **dict.fromkeys((*_SPENDING, "--each"), "--model NAME"),
    **dict.fromkeys(("--lora", "--merge", "--list", "--rollback"), "trivium learn keqing"),
    **dict.fromkeys(("--synonyms", "--forget-synonyms"), "a lesson of its own, trivium learn keqing"),
    "--version": "--rollback",
    "--model": "trivium learn keqing, where it writes templates, or trivium learn knowgpt --bandit",
    "--questions": "a lesson",
}


def given_options(context: typer.Context) -> dict[str, str]:
    """The options that the command line names, each with its value in words, and the method as `""`.

    One that is turned off (`--no-bandit`, `--model none`) counts as not named.
    """
    found = {"": str(context.params["method"])}
    for parameter in context.command.params:
        name = parameter.name or ""
        value = context.params.get(name)
        source = context.get_parameter_source(name)
        # By its name: typer may bring its own copy of click, whose sources are others.
        said = source is not None and source.name == "COMMANDLINE"
        if name != "method" and said and value is not False and value != "none":
            found[parameter.opts[0]] = str(value)
    return found


def refuse_others(given: Mapping[str, str]) -> None:
    """Raise `UsageError` for the first option that the lesson does not take, or that is nothing without another."""
    lesson = _lesson(given)
    for option in [name for name in given if name not in _ALWAYS]:
        if option not in _TAKEN[lesson]:
            raise UsageError(f"{option} belongs to {_OWNER[option]}; trivium learn {lesson} does not use it")
        owner = _OWNER.get(option, "").partition(" ")[0]
        if owner in ("--model", "--rollback") and owner not in given:
            raise UsageError(f"{option} belongs to {_OWNER[option]}: name it as well")


def _lesson(given: Mapping[str, str]) -> str:
    """Which of the lessons the options ask for."""
    if given[""] == "knowgpt":
        return "knowgpt --bandit" if "--bandit" in given else "knowgpt"
    if "--lora" in given or "--merge" in given:
        return "keqing --lora"
    return "keqing --list" if "--list" in given or "--rollback" in given else "keqing"
