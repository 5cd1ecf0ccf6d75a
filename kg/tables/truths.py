"""Columns of 1 and 0 that say yes and no: `has_garden`, `florist`, what a database declares as BOOLEAN."""

from __future__ import annotations

from collections.abc import Sequence

from trivium.kg.tables.columns import FEW, KEY_WORDS, MANY_TEXTS, ColumnProfile, SeenTable
from trivium.kg.tables.notation import FIGURES
from trivium.kg.text import singular

_ASKS = frozenset(
    {"is", "are", "was", "were", "has", "had", "have", "can", "could", "does", "did", "should", "must"}
    | {"allow", "allows", "enable", "enabled", "require", "requires", "include", "includes", "support", "supports"}
)  # what the name of a truth begins with
_SAYS_TRUTH = frozenset({"flag", "flg", "indicator", "yn", "bool", "boolean"})
# What is counted or measured, and what codes write in figures: 1 is a sex, not "yes".
_FIGURES_OF = frozenset(
    {"count", "cnt", "num", "number", "n", "nb", "qty", "quantity", "amount", "total", "sum", "times"}
    | {"size", "weight", "age", "year", "month", "day", "week", "hour", "date", "time", "rate", "ratio"}
    | {"share", "value", "score", "points", "level", "lvl", "rating", "rank", "grade", "stage", "phase"}
    | {"step", "order", "position", "index", "idx", "version", "class", "group", "grp", "type", "kind"}
    | {"category", "cat", "mode", "label", "cluster", "status", "state", "sex", "gender", "race", "color"}
    | {"colour", "treatment", "trt", "arm", "condition", "cond", "outcome", "result", "response", "side"}
    | {"delta", "change", "diff", "difference", "priority", "severity", "offset", "lag", "dose", "period"}
    | {"wave"}
)
_SHORTEST = 3  # letters of a word that people ask for


def say_truths(seen: SeenTable, tables: Sequence[SeenTable]) -> None:
    """Take columns of 1 and 0 for truths where their table declares them so, or their names or texts say it."""
    for profile in seen.columns.values():
        if profile.kind in ("number", None) and not profile.many and _says_truths(profile, seen, tables):
            profile.kind, profile.read = "boolean", FIGURES


def _says_truths(profile: ColumnProfile, seen: SeenTable, tables: Sequence[SeenTable]) -> bool:
    figures = {text.removesuffix(".0") for text in profile.texts}
    if not figures or not figures <= {"0", "1"}:
        return False
    if profile.name in seen.table.truths:
        return True
    words = profile.words
    if len(words) > 1 and (words[0] in _ASKS or words[-1] in _SAYS_TRUTH):
        return True
    enough = profile.filled >= MANY_TEXTS and len(figures) == 2 and min(profile.texts.values()) >= FEW
    return enough and not _counts_or_codes(words, profile, seen, tables)


def _counts_or_codes(
    words: Sequence[str], profile: ColumnProfile, seen: SeenTable, tables: Sequence[SeenTable]
) -> bool:
    """Whether 1 and 0 may be numbers of things, or codes: `kids`, `sex`, `store`, `yellow_card` beside `red_card`."""
    if not any(len(word) >= _SHORTEST and word.isalpha() for word in words):
        return True
    if not (_FIGURES_OF | KEY_WORDS).isdisjoint(words) or singular(words[-1]) != words[-1]:
        return True
    others = {word for each in tables if each is not seen for word in each.words}
    if not others.isdisjoint(map(singular, words)):
        return True
    alike = (each for each in seen.columns.values() if each is not profile and each.words[-1:] == words[-1:])
    counted = any(each.kind == "number" and not {"0", "1"}.issuperset(each.texts) for each in alike)
    return words[-1].isalpha() and counted
