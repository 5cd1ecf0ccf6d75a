"""The words by which a question asks for a computation."""

from __future__ import annotations

import re

from trivium.kg.text import tokens

COUNT = ("in how many", "how many", "number of", "count of", "count the", "count")
MIN = frozenset({"oldest", "earliest", "first", "eldest", "smallest", "lowest", "shortest", "least recent"})
MAX = frozenset({"latest", "newest", "last", "youngest", "largest", "biggest", "highest", "longest", "tallest"})
RATED = {"best": "max", "highest": "max", "top": "max", "worst": "min", "lowest": "min"}
MOST = {
    "the most": "max",
    "most often": "max",
    "most frequently": "max",
    "most of": "max",
    "most common": "max",
    "most frequent": "max",
    "the fewest": "min",
    "the least": "min",
    "least often": "min",
}
BOUNDS = {
    "no later than": "<=", "earlier than": "<", "prior to": "<", "before": "<", "until": "<=", "up to": "<=",
    "no earlier than": ">=", "later than": ">", "after": ">", "since": ">=", "from": ">=",
    "more than": ">", "greater than": ">", "higher than": ">", "over": ">", "above": ">", "at least": ">=",
    "less than": "<", "fewer than": "<", "lower than": "<", "under": "<", "below": "<", "at most": "<=",
}  # fmt: skip
COMPARED = {
    "before": "<", "earlier than": "<", "older than": "<", "sooner than": "<", "smaller than": "<", "lower than": "<",
    "less than": "<", "shorter than": "<", "after": ">", "later than": ">", "younger than": ">", "newer than": ">",
    "more recent than": ">", "more recently than": ">", "bigger than": ">", "larger than": ">", "higher than": ">",
    "greater than": ">", "longer than": ">", "taller than": ">", "better rated than": ">", "higher rated than": ">",
    "in the same year as": "=", "the same year as": "=", "as old as": "=", "the same age as": "=",
}  # fmt: skip
CHOSEN = {
    "first": "min", "earlier": "min", "older": "min", "oldest": "min", "earliest": "min", "smaller": "min",
    "last": "max", "later": "max", "younger": "max", "newer": "max", "more recent": "max", "more recently": "max",
    "latest": "max", "newest": "max", "youngest": "max", "bigger": "max", "larger": "max", "higher": "max",
    "better rated": "max",
}  # fmt: skip
NOT = (
    "but not", "and not", "that are not", "which are not", "that is not", "who are not", "that do not", "that did not",
    "that does not", "that don t", "that didn t", "that aren t", "which do not", "who did not", "who didn t",
    "did not", "do not", "does not", "didn t", "don t", "are not", "is not", "aren t", "isn t",
    "except for", "except", "excluding", "without", "not",
)  # fmt: skip
YES_NO = frozenset({"did", "was", "is", "were", "does", "do", "are", "has", "have", "had"})
ASKS_VALUE = re.compile(r"(when|(in |from )?(what|which) year|what (is|was) the (date|year))\b")

CUES = frozenset(
    {word for phrase in (*COUNT, *MOST, *BOUNDS, *COMPARED, *CHOSEN, *NOT) for word in phrase.split()}
    | MIN | MAX | {"or", "between", "1990s", "most", "best", "worst", "top", "s0s"}
) - {"in", "of", "the", "to", "for", "from", "that", "which", "who", "are", "is", "do", "did", "does", "and", "t",
     "as", "same", "up", "year", "at", "over", "under", "above", "below"}  # fmt: skip
"""Words one of which every computing question has, but for bare numbers with "in", "from" or "over"."""

_BEFORE_NUMBERS = frozenset({"from", "over", "under", "above", "below"})

DECADE = re.compile(r"(\d{1,3}0)s$")


def has_cue(text: str) -> bool:
    """Whether a question has a word by which computations are asked for: a look-up a word, nothing more."""
    before = ""
    for token in tokens(text):
        if token.text in CUES or DECADE.match(token.text) or (before in _BEFORE_NUMBERS and token.text.isdigit()):
            return True
        before = token.text
    return False
