"""A question as positions with gaps between them, and the items that spans of positions may be (`tagger.py`).

A position is a content word, or several words that are one thing: a name, a quoted text, a date, an operator phrase.
Function words between positions are cues ("in", "and", "of").
"""

from trivium.policies.reader.tagging.tagged import ANY_KIND, UNREAD, EntityTies, Tagged, is_common
from trivium.policies.reader.tagging.tagger import Tagger

__all__ = ["ANY_KIND", "UNREAD", "EntityTies", "Tagged", "Tagger", "is_common"]
