"""Who may ask: the API keys that the operator names in `trivium.toml`, by their hashes.

    [server.auth.alice]                  # a name of yours; the key itself stands nowhere
    sha256 = "9f86d081884c7d65…"         # trivium serve --new-key alice makes a key and prints this
    kgs = ["films"]                      # KGs that this key may ask; without it, all of [kg]
    models = ["none"]                    # models, of those in [server] models; without it, all of them
    per_minute = 60                      # requests a minute
    at_once = 10                         # requests at a time
    tokens_per_day = 1_000_000           # of chat models; without it, no bound (`trivium.app.server.budgets`)
    operator = false                     # whether it may also change assistants, crons and others' threads

    [server]
    identify = "jwt_auth:identify"       # MODULE:FUNCTION, of another kind of login: from headers to a `Key` or None

Without either nobody is asked, and the server answers this machine alone (`trivium.app.server.gate`).
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from trivium.kg.catalog import SETTINGS_FILE, read_settings
from trivium.kg.errors import BadInputError


@dataclass(frozen=True, slots=True)
class Key:
    """What the holder of a key may do.

    Attributes:
        name: the operator's name for it, the owner of its threads.
        kgs, models: what it may choose; None for all that the server offers.
        per_minute, at_once: requests.
        tokens_per_day: of chat models, prompts and completions together; None for no bound.
        operator: whether it may change what everybody uses.
    """

    name: str
    kgs: tuple[str, ...] | None = None
    models: tuple[str, ...] | None = None
    per_minute: int = 60
    at_once: int = 10
    tokens_per_day: int | None = None
    operator: bool = False


LOCAL = Key("local", per_minute=1_000_000, at_once=1_000_000, operator=True)
"""Whoever asks a server without keys."""


def read_keys(path: Path = Path(SETTINGS_FILE)) -> dict[str, Key]:
    """The keys of a settings file by their hashes; none without the table.

    Raises:
        BadInputError: the table is not as shown above.
    """
    table = read_settings(path).get("server", {})
    keys = table.get("auth", {}) if isinstance(table, dict) else {}
    if not isinstance(keys, dict):
        raise BadInputError("[server.auth] holds a table for each key: [server.auth.NAME]", path=path)
    found = [_key(name, given, path) for name, given in keys.items()]
    return {given["sha256"].lower(): key for given, key in zip(keys.values(), found, strict=True)}


def who(headers: Mapping[str, str], path: Path = Path(SETTINGS_FILE)) -> Key | None:
    """Whose request it is: by its API key, else by the operator's own function; None where neither knows.

    Raises:
        BadInputError: the settings are not as shown above, or name no function.
    """
    keys, other = read_keys(path), own_identify(path)
    if other is None:
        return identify(headers, keys)
    return (identify(headers, keys) if keys else None) or other(headers)


def own_identify(path: Path = Path(SETTINGS_FILE)) -> Callable[[Mapping[str, str]], Key | None] | None:
    """The function of `[server] identify`, which must not wait; None without one.

    Raises:
        BadInputError: there is none of that name.
    """
    server = read_settings(path).get("server", {})
    named = server.get("identify") if isinstance(server, dict) else None
    if named is None:
        return None
    module, _, name = str(named).partition(":")
    try:
        found: Callable[[Mapping[str, str]], Key | None] = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise BadInputError(f"[server] identify must be MODULE:FUNCTION, not {named!r} ({error})", path=path) from error
    return found


def identify(headers: Mapping[str, str], keys: Mapping[str, Key]) -> Key | None:
    """The key of a request's `x-api-key` or `authorization: Bearer`; None where it has none that is known."""
    if not keys:
        return LOCAL
    given = headers.get("x-api-key") or headers.get("authorization", "").removeprefix("Bearer ").strip()
    # Found by the hash: how long that takes says nothing about the key.
    return keys.get(hash_of(given)) if given else None


def hash_of(key: str) -> str:
    """What the settings keep of a key."""
    return hashlib.sha256(key.encode(errors="replace")).hexdigest()


def new_key(name: str) -> tuple[str, str]:
    """A fresh key, and its lines for `trivium.toml`."""
    key = f"tv-{secrets.token_urlsafe(32)}"
    return key, f'[server.auth.{name}]\nsha256 = "{hash_of(key)}"\n'


_KINDS: dict[str, type[Any]] = {
    "sha256": str,
    "kgs": list,
    "models": list,
    "per_minute": int,
    "at_once": int,
    "tokens_per_day": int,
    "operator": bool,
}


def _key(name: str, given: object, path: Path) -> Key:
    """The key of a table; raises `BadInputError`."""

    def refuse(what: str) -> BadInputError:
        return BadInputError(f"[server.auth.{name}] {what}", path=path)

    if not isinstance(given, dict) or not re.fullmatch(r"[0-9a-fA-F]{64}", str(given.get("sha256"))):
        raise refuse("needs the sha256 of a key in hexadecimal: trivium serve --new-key NAME makes one")
    settings: dict[str, Any] = {}
    for setting, value in given.items():
        kind = _KINDS.get(setting)
        if kind is None:
            raise refuse(f"has no setting {setting!r}; there are {', '.join(_KINDS)}")
        if type(value) is not kind or (kind is list and not all(isinstance(each, str) for each in value)):
            raise refuse(f"{setting} must be a {kind.__name__}, not {value!r}")
        settings[setting] = tuple(value) if kind is list else value
    del settings["sha256"]
    return Key(name, **settings)
