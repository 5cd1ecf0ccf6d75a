"""Find entities by text: exact, then folded (case, accents, punctuation), then with typos; or by a part of a name.

All reads are on the snapshot. Typos go through trigrams: the rarest ones of the text give candidates, bounded in
number, and rapidfuzz scores them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce

import numpy as np

from trivium.kg.distinct import sorted_distinct
from trivium.kg.embedded.columns import Int64, StringColumn, find_hashes, hash_texts
from trivium.kg.embedded.names import fold_names, grams_of, grams_of_text
from trivium.kg.embedded.snapshot import Snapshot
from trivium.kg.similarity import EXACT, FOLDED, FUZZY, MIN_SIMILARITY, SHORTEST_PART, part_score, similarities
from trivium.kg.types import EntityHit, MatchKind

_POSTINGS = 60_000  # names read from the trigram index for one text
_DENSE = 16  # names of the KG for each name read, up to which they are counted one by one
_SCORED = 4_000  # names compared letter by letter for one text

Found = tuple[int, float, MatchKind]
"""An entity's number, its score, how it matched."""


def find(snapshot: Snapshot, texts: Sequence[str], *, limit: int = 10, fuzzy: bool = True) -> list[list[EntityHit]]:
    """Candidates for each text, best first: by score, then degree, then id; at most `limit` each.

    Typos are tried with `fuzzy`, and only for texts that are nobody's name. 150 texts without them: under 1 ms.
    """
    found = find_named(snapshot, texts, limit=limit)
    if not fuzzy:
        return found
    return [hits or find_similar(snapshot, text, limit=limit) for hits, text in zip(found, texts, strict=True)]


def find_named(snapshot: Snapshot, texts: Sequence[str], *, limit: int = 10) -> list[list[EntityHit]]:
    """Exact and folded matches only, best first."""
    folded = fold_names(texts)
    starts, stops = find_hashes(snapshot.name_hash, hash_texts(folded))
    out: list[list[EntityHit]] = [[] for _ in texts]
    for place in np.flatnonzero(stops > starts).tolist():
        names = range(int(starts[place]), int(stops[place]))
        out[place] = hits_of(snapshot, _named(snapshot, texts[place], folded[place], names), limit)
    return out


def _named(snapshot: Snapshot, text: str, folded: str, names: range) -> Iterator[Found]:
    """Those of the names, all with the hash of `folded`, that are it."""
    for name in names:
        # Equal hashes are no proof: the text decides.
        if folded and snapshot.folded_names[name] == folded:
            entity = int(snapshot.name_entity[name])
            yield (entity, *((EXACT, "exact") if snapshot.is_called(entity, text) else (FOLDED, "folded")))


def find_similar(snapshot: Snapshot, text: str, *, limit: int = 10) -> list[EntityHit]:
    """Entities with a name that resembles the text: typos, words in another order; scores in [0.70, 0.94]."""
    folded = fold_names([text])[0]
    if not folded:
        return []
    names = _candidates(snapshot, folded)
    scores = similarities(folded, snapshot.folded_names.take(names))
    found: list[Found] = [
        (entity, FUZZY * score, "fuzzy")
        for entity, score in zip(snapshot.name_entity[names].tolist(), scores, strict=True)
        if score
    ]
    return hits_of(snapshot, found, limit)


def _candidates(snapshot: Snapshot, folded: str) -> Int64:
    """Names that share the rarest trigrams of the text and have a fitting length, most shared first: int64 [n]."""
    codes = sorted_distinct(grams_of_text(folded))
    places = np.searchsorted(snapshot.gram_codes, codes)
    places = np.minimum(places, max(len(snapshot.gram_codes) - 1, 0))
    places = places[snapshot.gram_codes[places] == codes] if len(snapshot.gram_codes) else places[:0]
    starts, stops = snapshot.gram_bounds[places], snapshot.gram_bounds[places + 1]
    # A rare trigram says most about which name is meant and costs least to read.
    order = np.argsort(stops - starts, kind="stable")
    total = np.cumsum((stops - starts)[order])
    # The rarest few, whatever they cost up to the bound; always one, cut short if it alone is over it.
    chosen = order[: max(int(np.searchsorted(total, _POSTINGS, side="right")), 1)]
    bounds = zip(starts[chosen].tolist(), stops[chosen].tolist(), strict=True)
    parts = [snapshot.gram_names[start : min(stop, start + _POSTINGS)] for start, stop in bounds]
    if not parts:
        return np.empty(0, dtype=np.int64)
    postings = np.concatenate(parts)
    if len(snapshot.name_entity) <= _DENSE * len(postings):  # counting in place of sorting
        counts = np.bincount(postings)
        names = np.flatnonzero(counts)
        shared = counts[names]
    else:
        names, shared = np.unique(postings, return_counts=True)
    return _fitting(snapshot, names.astype(np.int64), shared, len(folded.encode()))


def _fitting(snapshot: Snapshot, names: Int64, shared: Int64, length: int) -> Int64:
    """Drop names too long or short to be similar enough; keep the best `_SCORED` by shared trigrams, then length."""
    lengths = snapshot.folded_names.offsets[names + 1] - snapshot.folded_names.offsets[names]
    alike = 2 * np.minimum(lengths, length) >= MIN_SIMILARITY * (lengths + length)
    names, shared, lengths = names[alike], shared[alike], lengths[alike]
    if len(names) <= _SCORED:
        return names
    best = np.lexsort((names, np.abs(lengths - length), -shared))[:_SCORED]
    return names[best]


def hits_of(snapshot: Snapshot, found: Iterable[Found], limit: int) -> list[EntityHit]:
    """The best match of each entity as hits: by score, then degree, then id (numbers sort like ids).

    An entity whose id is a relation is no hit: in RDF it is the relation's own description.
    """
    best: dict[int, tuple[float, MatchKind]] = {}
    for entity, score, kind in found:
        if entity not in snapshot.described_relations and score > best.get(entity, (0.0, kind))[0]:
            best[entity] = (score, kind)
    rows = list(best)
    degrees = dict(zip(rows, snapshot.degrees(np.array(rows, dtype=np.int64)).tolist(), strict=True))
    ordered = sorted(rows, key=lambda row: (-best[row][0], -degrees[row], row))[:limit]
    return [
        EntityHit(key := snapshot.keys[row], snapshot.labels[row] or key, best[row][0], degrees[row], best[row][1])
        for row in ordered
    ]


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
