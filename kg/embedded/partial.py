"""Find entities by a part of a name: its words in their order, others of the name's left out ("harry truman")."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from trivium.kg.distinct import sorted_distinct
from trivium.kg.embedded.columns import Int64, StringColumn
from trivium.kg.embedded.names import fold_names, grams_of
from trivium.kg.embedded.search import Found, hits_of
from trivium.kg.embedded.snapshot import Snapshot
from trivium.kg.similarity import SHORTEST_PART, part_score
from trivium.kg.types import EntityHit

_POSTINGS = 60_000  # names read from a trigram's row
_RAREST = 4  # trigrams whose names are intersected before any name is read


def find_partial(snapshot: Snapshot, text: str, *, limit: int = 10) -> list[EntityHit]:
    """Entities with a name that holds all words of the text in their order, and more; scores in [0.7, 0.9).

    The share of the name's letters that the text covers makes the score; between equals the better connected is first.
    """
    folded = fold_names([text])[0]
    if len(folded) < SHORTEST_PART or not len(snapshot.gram_codes):
        return []
    words, found = folded.split(), list[Found]()
    names = _holding(snapshot, words)
    for name, entity in zip(snapshot.folded_names.take(names), snapshot.name_entity[names].tolist(), strict=True):
        if score := part_score(words, name):
            found.append((entity, score, "partial"))
    return hits_of(snapshot, found, limit)


def _holding(snapshot: Snapshot, words: Sequence[str]) -> Int64:
    """Names that have the rarest trigrams of the words, blanks around them included: int64 [n]."""
    codes = sorted_distinct(grams_of(StringColumn.pack(list(words)))[0])
    places = np.minimum(np.searchsorted(snapshot.gram_codes, codes), len(snapshot.gram_codes) - 1)
    if (snapshot.gram_codes[places] != codes).any():
        return np.empty(0, dtype=np.int64)
    starts, stops = snapshot.gram_bounds[places], snapshot.gram_bounds[places + 1]
    # Few rare rows leave so few names that reading those is cheaper than intersecting the common rows as well.
    rarest = np.argsort(stops - starts, kind="stable")[:_RAREST]
    rows = [snapshot.gram_names[starts[i] : min(stops[i], starts[i] + _POSTINGS)] for i in rarest.tolist()]
    common = reduce(lambda a, b: np.intersect1d(a, b, assume_unique=True), rows)
    return common.astype(np.int64)
