"""Text from the KG and from users as it may stand in a prompt: on one line, and never able to close its tags."""

from __future__ import annotations

from functools import lru_cache

_LONGEST = 300  # characters of a label; a KG may hold whole articles as literals
_BRACKETS = str.maketrans("<>", "\u2039\u203a")  # so that no label opens or closes a tag of the prompt


@lru_cache(maxsize=2_048)  # the templates of a KG stand in every prompt that decomposes
def as_data(text: str, longest: int = _LONGEST) -> str:
    """A text as data between a prompt's tags; cut where it is longer."""
    line = " ".join(text.split()).translate(_BRACKETS).replace("](", "] (")  # nor a link that a model would copy
    return line if len(line) <= longest else f"{line[: longest - 1]}…"
