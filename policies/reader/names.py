"""Names of schema elements as words: `KNOWS_PHONE`, `callDuration`, `/film/actor/film` and `phoneNo`."""

from __future__ import annotations

import re
from functools import lru_cache

from trivium.kg.indexes.words import short_name
from trivium.kg.text import tokens

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[a-z]{4})(?=\d)")
# Short names with a number are one word, as people write them: ISO2, g7.


@lru_cache(maxsize=20_000)
def words_of(name: str) -> tuple[str, ...]:
    """The folded words of an element's name, of an IRI its local name's, in order; a word repeated counts once."""
    return tuple(dict.fromkeys(token.text for token in tokens(_CAMEL.sub(" ", short_name(name)))))
