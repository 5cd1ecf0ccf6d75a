"""A user's own words for relations, from a small text file."""

from __future__ import annotations

from pathlib import Path

from kg.errors import BadInputError


def read_synonyms(path: Path) -> dict[str, list[str]]:
    """Read lines such as `directed_by = helmed, shot by`; `#` begins a comment, `^relation` is one direction.

    Raises:
        BadInputError: the file cannot be read, or a line is none of these, with its number.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise BadInputError(f"cannot be read ({error})", path=path) from error
    out: dict[str, list[str]] = {}
    for number, line in enumerate(lines, 1):
        # A relation's name may hold an equals sign or a hash (an IRI): only those between blanks count.
        text = f" {line} ".partition(" # ")[0].strip()
        if not text or text.startswith("#"):
            continue
        name, mark, words = text.partition(" = ")
        found = words.replace(",", " ").lower().split()
        if not mark or not found:
            raise BadInputError("is no line such as 'directed_by = helmed, shot by'", path=path, line=number)
        out.setdefault(name.strip(), []).extend(found)
    return out
