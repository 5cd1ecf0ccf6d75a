"""Columns in several languages: `de`, `name.fr`, `translations.eUde`, and which of them say what rows are called."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trivium.kg.languages import IN_COLUMNS
from trivium.kg.tables.columns import ENOUGH, FEW, NAME_WORDS, ColumnProfile, SeenTable, are_foreign, words_of

_MANY_LANGUAGES, _SOME_LANGUAGES = 3, 2  # columns of languages at least; the same behind a word such as name
_WIDE = frozenset({"english", "german", "french", "spanish"})  # one of them is where names are in many languages
# A language and a country, in the orders that are usual: `en-US`, `zhHans`, `USen` and, in small letters first, `uSen`.
_LOCALE = re.compile(
    r"(?P<one>[a-z]{2,3})(?:[-_]?(?:[A-Z]{2}|[A-Z][a-z]{3})|[-_][a-z]{2})|[A-Za-z][A-Z](?P<other>[a-z]{2})"
)


def say_languages(seen: SeenTable) -> None:
    """Call columns of texts in many languages by these: `de`, `fr`, `name.it` and `name_ja` hold German … names.

    So do those of `translations` where one of them says again what the rows are called.
    """
    found: dict[tuple[str, ...], list[tuple[ColumnProfile, str]]] = {}
    for each in seen.columns.values():
        _say_language(each)
        stem, language = _language_of(each)
        if language and each.kind in (None, "text"):
            found.setdefault(stem, []).append((each, language))
    for stem, columns in found.items():
        if len(columns) >= (_SOME_LANGUAGES if stem else _MANY_LANGUAGES) and not _WIDE.isdisjoint(
            language for _, language in columns
        ):
            named = _say_names(seen, [each for each, _ in columns]) if len(columns) >= _MANY_LANGUAGES else False
            for each, language in columns:
                each.words, each.language = [language, *(("name",) if named else stem or ("name",))], language


def _say_language(profile: ColumnProfile) -> None:
    """Call names in another script by their language where their column does by its code: `krName`, `name_ja`."""
    words = profile.words
    code = next((word for word in words if word in IN_COLUMNS), "") if len(words) == 2 else ""
    name = next((word for word in words if word in NAME_WORDS), "")
    if code and name and profile.kind is None and are_foreign(profile.texts):
        profile.words = [IN_COLUMNS[code], name]


def _language_of(profile: ColumnProfile) -> tuple[tuple[str, ...], str]:
    """The words of a column without its language, and the word for that; "" where its name ends in none."""
    outer, _, last = profile.name.rpartition(".")
    match = _LOCALE.fullmatch(last) if outer else None
    if match and (language := IN_COLUMNS.get(match["one"] or match["other"], "")):
        return tuple(profile.words[: -len(words_of(last))]), language
    language = IN_COLUMNS.get(profile.words[-1], "") if profile.words else ""
    return (tuple(profile.words[:-1]), language) if language else ((), "")


def _say_names(seen: SeenTable, columns: Sequence[ColumnProfile]) -> bool:
    """Whether one of several columns of texts holds the same ones as the column of names."""
    names = (each for each in seen.columns.values() if len(each.words) == 1 and each.words[0] in NAME_WORDS)
    own = next((each for each in names if each not in columns and each.kind in (None, "text")), None)
    if own is None or len(own.texts) < FEW:
        return False
    same = max(sum(text in own.texts for text in each.texts) / max(len(each.texts), 1) for each in columns)
    return same >= ENOUGH
