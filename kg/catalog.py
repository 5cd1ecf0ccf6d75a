"""Where KGs are: a directory, a Neo4j URI, or a name that `trivium.toml` gives to either; and Trivium's cache folder.

`trivium.knowledge.Knowledge.open` opens what is found here.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from trivium.kg.errors import BadInputError, NotAKnowledgeBaseError, UsageError
from trivium.kg.files import read_whole, write_atomic
from trivium.kg.neo4j.address import address_of, is_uri
from trivium.kg.neo4j.settings import RemoteKG, read_remote

SETTINGS_FILE = "trivium.toml"
SAMPLE = "sample"
"""The name of the bundled sample."""

_TABLES = ("kg", "prompts", "prices", "server")
_OF_A_FOLDER = ("path", "embedder", "properties", "words", "min_confidence")


def cache_folder() -> Path:
    """Where Trivium keeps what it can make again: `TRIVIUM_CACHE`, else trivium in `XDG_CACHE_HOME` or ~/.cache."""
    if own := os.environ.get("TRIVIUM_CACHE"):
        return Path(own)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "trivium"


def read_settings(settings: Path = Path(SETTINGS_FILE)) -> dict[str, Any]:
    """The tables of the operator's settings file, not to be changed; none where there is no file.

    Read again where it was written to since: a look at its time, which an event loop can afford.

    Raises:
        BadInputError: the file is not TOML, or has a table that nothing reads.
    """
    try:
        found = settings.stat()
    except FileNotFoundError:
        return {}
    return _read_settings(settings, found.st_mtime_ns, found.st_ino)


@lru_cache(maxsize=16)
def _read_settings(settings: Path, modified: int, file: int) -> dict[str, Any]:
    del modified, file  # a file that was edited, or that lies in another working directory, is another entry
    try:
        tables = tomllib.loads(read_whole(settings))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInputError(f"not valid TOML ({error})", path=settings) from error
    if unknown := sorted(set(tables) - set(_TABLES)):
        raise BadInputError(f"has no table {unknown[0]!r}; there are {', '.join(_TABLES)}", path=settings)
    return tables


def named_kgs(settings: Path = Path(SETTINGS_FILE)) -> dict[str, Path | RemoteKG]:
    """The KGs named in a settings file, `[kg.NAME]` with a `path`, relative to it, or a `uri`; none without a file.

    Raises:
        BadInputError: the file is not TOML, or a name has neither; or a setting of a KG is not one.
    """
    return {name: _named(name, table, settings) for name, table in _tables(settings).items()}


def named_embedder(kg: str, settings: Path = Path(SETTINGS_FILE)) -> str | None:
    """The embedder that a settings file gives to the KG of that name, `[kg.NAME] embedder`; None where it says none.

    Raises:
        BadInputError: as `named_kgs`; or it is not a text.
    """
    return _embedder(kg, _tables(settings).get(kg), settings)


def named_confidence(kg: str, settings: Path = Path(SETTINGS_FILE)) -> float | None:
    """The confidence below which answers over a KG claim nothing, `[kg.NAME] min_confidence`; None where none is set.

    Raises:
        BadInputError: as `named_kgs`; or it is no number from 0 to 1.
    """
    return _confidence(kg, _tables(settings).get(kg), settings)


def named_glossary(kg: str, settings: Path = Path(SETTINGS_FILE)) -> dict[str, list[str]]:
    """The user's own words for a KG's schema, `[kg.NAME.words]`: for each phrase the schema elements that it means.

    A line of the table is `ELEMENT = ["phrase", …]`; an element is a type, a property or a relation by its name.

    Raises:
        BadInputError: as `named_kgs`; or a line is not a list of strings.
    """
    tables = _tables(settings)
    return _glossary(kg, tables.get(name_of(kg, settings) or kg), settings) if tables else {}


def state_folder(kg: str, settings: Path = Path(SETTINGS_FILE)) -> Path | None:
    """Where what is learned on the KG of that name is kept, `[server] state`/NAME, relative to the file.

    None where its directory is, or a database's folder in the cache (no such setting, no such name, the sample).

    Raises:
        BadInputError: as `named_kgs`; or the setting is not a folder's name.
    """
    server = read_settings(settings).get("server", {})
    state = server.get("state") if isinstance(server, dict) else None
    if state is None:
        return None
    if not isinstance(state, str) or not state.strip() or is_uri(state):
        raise BadInputError(f'[server] state must be a folder, such as "/srv/trivium", not {state!r}', path=settings)
    if kg not in named_kgs(settings):
        return None
    if not re.fullmatch(r"\w[\w.-]*", kg):
        what = f"[server] state has a folder for each KG: name kg {kg!r} with letters, digits, '.', '_' and '-' alone"
        raise BadInputError(what, path=settings)
    return settings.parent / state / kg


def name_of(kg: str, settings: Path = Path(SETTINGS_FILE)) -> str | None:
    """The name that a settings file gives to a KG argument: itself, or a name whose path is that directory.

    Raises:
        BadInputError: as `named_kgs`.
    """
    named = named_kgs(settings)
    if kg in named:
        return kg
    if not named or kg == SAMPLE:  # no directory: and a server's event loop must not look for one
        return None
    where = Path(kg).resolve()
    return next((name for name, found in named.items() if isinstance(found, Path) and found.resolve() == where), None)


def set_words(kg: str, element: str, phrases: Sequence[str], settings: Path = Path(SETTINGS_FILE)) -> None:
    """Write one line of `[kg.NAME.words]`, and `[kg.NAME]` where it is missing; all else in the file stays as it is.

    A directory that has no name gets that of its folder.

    Raises:
        BadInputError: as `named_kgs`; or the line is written in a way that this cannot change.
    """
    name = name_of(kg, settings)
    text = settings.read_text(encoding="utf-8") if settings.exists() else ""
    if name is None:
        name = Path(kg).resolve().name
        if name in named_kgs(settings):
            raise BadInputError(f"names another KG {name!r}; add [kg.OTHER] with path = {kg!r}", path=settings)
        text += f"\n[kg.{json.dumps(name)}]\npath = {json.dumps(str(Path(kg).resolve()))}\n"
    wanted = tomllib.loads(text)
    wanted["kg"][name].setdefault("words", {})[element] = list(phrases)
    line = f"{json.dumps(element, ensure_ascii=False)} = {json.dumps(list(phrases), ensure_ascii=False)}"
    made = _with_word(text, name, element, line)
    try:
        as_wanted = tomllib.loads(made) == wanted
    except tomllib.TOMLDecodeError:
        as_wanted = False
    if not as_wanted:
        what = f"the words of kg {name!r} are written in a way that only a person can change: add {line} to them"
        raise BadInputError(what, path=settings)
    write_atomic(settings, made.encode())


def _with_word(text: str, name: str, element: str, line: str) -> str:
    """The text with the line of an element in the table of words, in place of the one that is there."""
    quoted = "|".join(re.escape(each) for each in (name, json.dumps(name), f"'{name}'"))
    header = re.search(rf"^[ \t]*\[\s*kg\s*\.\s*(?:{quoted})\s*\.\s*words\s*\][^\n]*\n?", text, re.MULTILINE)
    if header is None:
        return f"{text.rstrip()}\n\n[kg.{json.dumps(name)}.words]\n{line}\n"
    start = header.end()
    end = next(iter(re.finditer(r"^[ \t]*\[", text[start:], re.MULTILINE)), None)
    stop = len(text) if end is None else start + end.start()
    key = "|".join(re.escape(each) for each in (element, json.dumps(element, ensure_ascii=False), f"'{element}'"))
    body, found = re.subn(
        rf"^[ \t]*(?:{key})[ \t]*=[ \t]*\[[^\]\n]*\]", lambda _: line, text[start:stop], flags=re.MULTILINE
    )
    head = text[:start] if text[:start].endswith("\n") else f"{text[:start]}\n"
    return f"{head}{body if found else f'{line}{chr(10)}{body}'}{text[stop:]}"


def find_named(kg: str) -> Path | RemoteKG:
    """Where a KG is: a name of `trivium.toml`, a Neo4j URI, or a folder.

    A bare URI takes the settings of the name that has the same URI, if one has.

    Raises:
        NotAKnowledgeBaseError: it is none of these.
        BadInputError: a URI, or the settings, cannot be read.
    """
    if not kg.strip():
        raise UsageError("the name of the KG is empty: give a directory, a name from trivium.toml, or a Neo4j URI")
    named = named_kgs()
    if kg in named:
        return named[kg]
    path = Path(kg)
    if path.is_dir():
        return path
    if is_uri(kg):
        address = address_of(kg)
        same = (found for found in named.values() if isinstance(found, RemoteKG) and found.address == address)
        return next(same, RemoteKG(address))
    known = ", ".join([SAMPLE, *sorted(named)])
    raise NotAKnowledgeBaseError(
        f"no KG named {kg!r}: it is neither a folder, a Neo4j URI nor one of the names here ({known}); "
        f"make one with: trivium kg build --out {kg} FILE"
    )


def _tables(settings: Path) -> dict[str, Any]:
    tables = read_settings(settings).get("kg", {})
    if not isinstance(tables, dict):
        raise BadInputError(f"kg = {tables!r} is not a table: write [kg.NAME] for each KG", path=settings)
    return tables


def _named(name: str, table: object, settings: Path) -> Path | RemoteKG:
    """What one table says, all of it checked, whatever is read of it later; raises `BadInputError` as `named_kgs`."""
    for check in (_embedder, _confidence, _glossary):
        check(name, table, settings)
    if name == SAMPLE:
        raise BadInputError(f"[kg.{SAMPLE}] is the bundled sample's name; give this KG another", path=settings)
    if isinstance(table, dict) and "uri" in table:
        if isinstance(table["uri"], str) and not is_uri(table["uri"]):
            what = f"[kg.{name}] uri must be one such as bolt://HOST or neo4j+s://HOST, not {table['uri']!r}"
            raise BadInputError(what, path=settings)
        return read_remote(name, table, settings)
    path = table.get("path") if isinstance(table, dict) else None
    if not isinstance(table, dict) or not isinstance(path, str):
        raise BadInputError(f'[kg.{name}] needs a path = "…" or a uri = "bolt://…"', path=settings)
    if is_uri(path):
        raise BadInputError(f"[kg.{name}] path = {path!r} is a database: write uri = {path!r}", path=settings)
    if unknown := sorted(set(table) - set(_OF_A_FOLDER)):
        what = f"[kg.{name}] has no setting {unknown[0]!r}; there are {', '.join(_OF_A_FOLDER)}"
        raise BadInputError(what, path=settings)
    return settings.parent / path


def _embedder(kg: str, table: object, settings: Path) -> str | None:
    found = table.get("embedder") if isinstance(table, dict) else None
    if found is not None and not isinstance(found, str):
        raise BadInputError(f'[kg.{kg}] embedder must be a text such as "static", not {found!r}', path=settings)
    return found


def _confidence(kg: str, table: object, settings: Path) -> float | None:
    found = table.get("min_confidence") if isinstance(table, dict) else None
    if found is None:
        return None
    if isinstance(found, bool) or not isinstance(found, int | float) or not 0 <= found <= 1:
        what = f"[kg.{kg}] min_confidence must be a number from 0 to 1, not {found!r}"
        raise BadInputError(what, path=settings)
    return float(found)


def _glossary(kg: str, table: object, settings: Path) -> dict[str, list[str]]:
    words = table.get("words", {}) if isinstance(table, dict) else {}
    out: dict[str, list[str]] = {}
    for element, phrases in words.items() if isinstance(words, dict) else [("words", words)]:
        if not isinstance(phrases, list) or not all(isinstance(each, str) and each.strip() for each in phrases):
            what = f'[kg.{kg}.words] {element} must be a list of phrases such as ["lives with"], not {phrases!r}'
            raise BadInputError(what, path=settings)
        for phrase in phrases:
            out.setdefault(phrase.strip().lower(), []).append(element)
    return out


def declared_properties(directory: Path, settings: Path = Path(SETTINGS_FILE)) -> dict[str, str]:
    """What `[kg.NAME.properties]` says of the KG in a directory: relation -> kind of property, "property" or "entity".

    Raises:
        BadInputError: the file is not TOML, or a value is not a text.
    """
    for name, found in named_kgs(settings).items():
        if isinstance(found, Path) and found.resolve() == directory.resolve():
            declared = read_settings(settings)["kg"][name].get("properties", {})
            if not isinstance(declared, dict) or not all(isinstance(kind, str) for kind in declared.values()):
                raise BadInputError(f'[kg.{name}.properties] needs lines like release_year = "number"', path=settings)
            return dict(declared)
    return {}
