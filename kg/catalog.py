"""From a KG argument to a directory: a path, the bundled sample, or a name that the operator set in `trivium.toml`."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

from kg.errors import BadInputError, NotAKnowledgeBaseError

SETTINGS_FILE = "trivium.toml"
SAMPLE = "sample"
"""The name of the bundled sample."""


def cache_folder() -> Path:
    """Where Trivium keeps what it can make again: `TRIVIUM_CACHE`, else trivium in `XDG_CACHE_HOME` or ~/.cache."""
    if own := os.environ.get("TRIVIUM_CACHE"):
        return Path(own)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "trivium"


def read_settings(settings: Path = Path(SETTINGS_FILE)) -> dict[str, Any]:
    """The tables of the operator's settings file; none where there is no file.

    Raises:
        BadInputError: the file is no TOML.
    """
    try:
        return tomllib.loads(settings.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInputError(f"is no valid TOML ({error})", path=settings) from error


def named_kgs(settings: Path = Path(SETTINGS_FILE)) -> dict[str, Path]:
    """The KGs named in a settings file, `[kg.NAME] path = "…"`, paths relative to it; none where there is no file.

    Raises:
        BadInputError: the file is no TOML, or a name has no path.
    """
    try:
        tables = read_settings(settings).get("kg", {})
        return {name: settings.parent / table["path"] for name, table in tables.items()}
    except (KeyError, TypeError, AttributeError) as error:
        raise BadInputError('every [kg.NAME] needs a path = "…"', path=settings) from error


def locate(name: str) -> Path:
    """The directory of a KG argument.

    Raises:
        NotAKnowledgeBaseError: neither a folder nor a name of `trivium.toml`.
    """
    named = named_kgs()
    if name in named:
        return named[name]
    path = Path(name)
    if path.is_dir():
        return path
    known = ", ".join([SAMPLE, *sorted(named)])
    raise NotAKnowledgeBaseError(
        f"no KG named {name!r}: it is neither a folder nor one of the names here ({known}); "
        f"make one with: trivium kg build --out {name} FILE"
    )
