"""`trivium doctor`: what is installed, what is set, which KGs are sound, and what to do about the rest."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import typer

from trivium.app.cli.kg.options import JsonOption
from trivium.app.cli.output import print_json, print_section
from trivium.kg.errors import TriviumError

if TYPE_CHECKING:
    from trivium.knowledge.knowledge import Knowledge

_PYTHON = (3, 11)
_LOW_DISK = 1 << 30  # bytes
_PACKAGE = re.compile(r"[\w.-]+")
_EXTRA = re.compile(r"extra == ['\"](\w+)['\"]")
_SYNTHETIC = ("dev", "docs", "mutation")  # extras that nobody needs who does not work on Trivium


class Finding(NamedTuple):
    """One line: what was looked at, how it is, what was found, and what to do."""

    what: str
    state: Literal["ok", "note", "wrong"]
    found: str
    to_do: str = ""


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("doctor")(doctor)


def doctor(
    kg: Annotated[
        list[str] | None, typer.Option(help="A KG to look at, once each; without it, those of trivium.toml.")
    ] = None,
    model: Annotated[str, typer.Option(help="A chat model that should work, such as openai:gpt-4o-mini.")] = "none",
    as_json: JsonOption = False,
) -> None:
    """Check Python, packages, settings, the chat model's key, and KGs; exit 1 if anything is wrong.

    No request is sent to a chat model. Databases are asked only for the KGs that are looked at.
    """
    findings = [*_platform(), *_packages(), *_settings(), *_model(model)]
    for name in kg or _named():
        findings += _checked(f"kg {name}", lambda name=name: _look_at(name))  # type: ignore[misc] # bound now
    wrong = sum(each.state == "wrong" for each in findings)
    if as_json:
        print_json({"wrong": wrong, "findings": [each._asdict() for each in findings]})
    else:
        print_section("Trivium's doctor", ("what", "state", "found", "to do"), findings)
    if wrong:
        raise typer.Exit(1)


def _platform() -> Iterator[Finding]:
    own = ".".join(map(str, sys.version_info[:3]))
    good = sys.version_info >= _PYTHON
    yield Finding("Python", "ok" if good else "wrong", own, "" if good else "install Python 3.11 or newer")
    from trivium.kg.catalog import cache_folder

    folder = cache_folder()
    there = next(each for each in (folder, *folder.absolute().parents) if each.exists())
    free = shutil.disk_usage(there).free
    if not os.access(there, os.W_OK):
        yield Finding("cache", "wrong", f"{there} cannot be written to", "set TRIVIUM_CACHE to a folder of your own")
    elif free < _LOW_DISK:
        yield Finding("cache", "note", f"{folder}: {free >> 20:,} MB free", "free some space, or move TRIVIUM_CACHE")
    else:
        yield Finding("cache", "ok", str(folder))


def _packages() -> Iterator[Finding]:
    """The package, and each extra with what it lacks."""
    try:
        own, wanted = version("trivium"), requires("trivium") or []
    except PackageNotFoundError:
        yield Finding("trivium", "note", "runs from its source tree", "pip install . for the trivium command")
        return
    yield Finding("trivium", "ok", own)
    extras: dict[str, list[str]] = {}
    for requirement in wanted:
        package, marked = _PACKAGE.match(requirement), _EXTRA.search(requirement)
        if package:
            extras.setdefault(marked[1] if marked else "", []).append(package[0])
    for extra, parts in sorted(extras.items()):
        lacking = [each for each in parts if not _installed(each)]
        names = ", ".join(lacking)
        if not extra and lacking:
            yield Finding("packages", "wrong", f"not installed: {names}", "pip install trivium again")
        elif extra and extra not in _SYNTHETIC:
            to_do = f'pip install "trivium[{extra}]" if you need it' if lacking else ""
            found = f"not installed: {names}" if lacking else "installed"
            yield Finding(f"extra {extra}", "note" if lacking else "ok", found, to_do)


def _installed(name: str) -> bool:
    try:
        version(name)
    except PackageNotFoundError:
        return name == "trivium"
    return True


def _settings() -> Iterator[Finding]:
    from trivium.kg.catalog import SETTINGS_FILE, named_kgs, read_settings

    def read() -> Iterator[Finding]:
        read_settings()
        names = ", ".join(named_kgs())
        yield Finding(SETTINGS_FILE, "ok", f"KGs: {names}" if names else "names no KG (it may be absent)")

    yield from _checked(SETTINGS_FILE, read)


def _named() -> list[str]:
    from trivium.kg.catalog import named_kgs

    try:
        return list(named_kgs())
    except TriviumError:  # _settings has named it
        return []


def _model(name: str) -> Iterator[Finding]:
    if name == "none":
        keys = [key for key in ("OPENAI_API_KEY", "OPENAI_BASE_URL") if os.environ.get(key)]
        found = f"none asked for; set: {', '.join(keys) or 'no OPENAI_API_KEY'}"
        yield Finding("chat model", "ok", found)
        return

    def check() -> Iterator[Finding]:
        from trivium.nodes.model.models import check_model

        check_model(name)
        yield Finding("chat model", "ok", f"{name}: key and address are there")

    yield from _checked("chat model", check)


def _look_at(name: str) -> Iterator[Finding]:
    """Whether a KG opens, what it holds, whether it was learned from, and what is older than its last change."""
    from trivium.knowledge.knowledge import Knowledge

    with Knowledge.open(name) as opened:
        yield from asyncio.run(_health(name, opened))


async def _health(name: str, opened: Knowledge) -> list[Finding]:
    from trivium.knowledge.freshness import stale
    from trivium.policies.reader.chains.artifact import DECOMPOSER

    held = await opened.store.info()
    found = [Finding(f"kg {name}", "ok", f"{held.entities:,} entities, {held.triples:,} triples")]
    if not DECOMPOSER.exists(opened.learnt):
        found.append(Finding(f"kg {name}", "note", "nothing was learned from it", f"trivium learn keqing --kg {name}"))
    found += [Finding(f"kg {name}", "note", each.message) for each in await stale(opened)]
    return found


def _checked(what: str, look: Callable[[], Iterator[Finding]]) -> Iterator[Finding]:
    """What a look finds; an error of Trivium's is what is wrong, and says what to do itself."""
    try:
        yield from list(look())
    except (TriviumError, OSError) as error:
        found, _, to_do = str(error).partition("; ")
        yield Finding(what, "wrong", found, to_do)
