"""A user's own words for relations: from a small text file, and kept with what was learnt for the lessons to come."""

from __future__ import annotations

import json
from collections.abc import Container
from pathlib import Path

from trivium.kg.artifact import ArtifactKind
from trivium.kg.errors import BadInputError, OutdatedError
from trivium.kg.files import read_whole
from trivium.kg.text import fold_case
from trivium.policies.reader.chains.schema_words import Synonyms

SYNONYMS = ArtifactKind(
    "the synonyms", "synonyms", 1, "give them again with --synonyms, or forget them with --forget-synonyms"
)
"""The file, beside the decomposer, that keeps them."""


def read_synonyms(path: Path) -> dict[str, list[str]]:
    """Read lines such as `directed_by = helmed, shot by`; `#` begins a comment, `^relation` is one direction.

    Raises:
        BadInputError: the file cannot be read, or a line is none of these, with its number.
    """
    try:
        lines = read_whole(path).splitlines()
    except (OSError, ValueError) as error:
        raise BadInputError(f"cannot be read ({error})", path=path) from error
    out: dict[str, list[str]] = {}
    for number, line in enumerate(lines, 1):
        # A relation's name may hold an equals sign or a hash (an IRI): only those between blanks count.
        text = f" {line} ".partition(" # ")[0].strip()
        if not text or text.startswith("#"):
            continue
        name, mark, words = text.partition(" = ")
        found = fold_case(words.replace(",", " ")).split()
        if not mark or not found:
            raise BadInputError("expected a line such as 'directed_by = helmed, shot by'", path=path, line=number)
        out.setdefault(name.strip(), []).extend(found)
    return out


def kept_synonyms(folder: Path) -> dict[str, list[str]]:
    """The words that the last lesson into `folder` was given; none where it was given none.

    Raises:
        CorruptError, VersionError: as `ArtifactKind.load`.
    """
    if not SYNONYMS.exists(folder):
        return {}
    try:
        try:
            kept = SYNONYMS.load(folder).data["synonyms"]
        except OutdatedError:  # the plain form that it had at first
            kept = json.loads(SYNONYMS.path(folder).read_bytes())
        return {str(name): [str(word) for word in words] for name, words in kept.items()}
    except (KeyError, AttributeError, TypeError) as error:
        raise SYNONYMS.unreadable(folder, error) from error


def keep_synonyms(folder: Path, synonyms: Synonyms) -> list[Path]:
    """Keep them for the next lesson, in place of those before; returns the files written and removed."""
    if not synonyms:
        return SYNONYMS.remove(folder)
    return SYNONYMS.save(folder, {"synonyms": {name: list(words) for name, words in synonyms.items()}}, made_from={})


def still_named(synonyms: Synonyms, relations: Container[str]) -> dict[str, list[str]]:
    """Those of relations that the KG still has: kept words must not fail a lesson because a relation has gone."""
    return {name: list(words) for name, words in synonyms.items() if name.removeprefix("^") in relations}
