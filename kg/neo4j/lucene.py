"""Texts as queries of a full-text index, so that no word of them is read as syntax."""

from __future__ import annotations

import re

_SYNTAX = re.compile(r'([+\-!(){}\[\]^"~*?:\\/&|<>=])')
_WORDS = 12  # words of a text that are looked for with typos


def phrase(folded: str) -> str:
    """The query for exactly this text."""
    return '"' + folded.replace("\\", "\\\\").replace('"', '\\"') + '"'


def similar(folded: str) -> str:
    """The query for names that share a word with this text, give or take two letters of a long word, one of a short.

    Words are lower case after folding, so that none is read as `AND`, `OR` or `NOT`.
    """
    words = (_SYNTAX.sub(r"\\\1", word) for word in folded.split()[:_WORDS])
    return " ".join(f"{word}~{2 if len(word) > 5 else 1}" if len(word) > 2 else word for word in words)


def part(folded: str) -> str:
    """The query for names that hold all words of this text, in any order."""
    return " ".join("+" + _SYNTAX.sub(r"\\\1", word) for word in folded.split())
