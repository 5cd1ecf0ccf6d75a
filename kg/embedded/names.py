"""The index over names: ids, labels and aliases, folded, by hash (look-up) and by trigram (typos).

Arrays, N names (an entity has one for its id, one for a label that differs, one an alias, and one for each of these
without what stands in parentheses at its end), G distinct trigrams:

    name_hash     uint64 [N]       hash of the folded name, sorted
    name_entity   int32 [N]        its entity
    name_blob, name_offsets        the folded names, a string column
    gram_codes    uint32 [G]       trigrams of the bytes of folded names, sorted
    gram_bounds   int64 [G + 1]    where the names of each stand in
    gram_names    int32 [P]        names, ascending for each trigram
"""

from __future__ import annotations

import html
import itertools
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from trivium.kg.distinct import sorted_distinct
from trivium.kg.embedded.columns import Bytes, ColumnTexts, Int32, Int64, StringColumn, hash_rows, packed, ranges
from trivium.kg.embedded.tables import Tables
from trivium.kg.text import fold_case, fold_name

GRAM_BYTES = 96
"""Only so many leading bytes of a name give trigrams: a literal of a page would swamp the index."""

_PART = 1 << 16  # names whose trigrams are made at once: some 40 MB

_KEEP = {code: chr(code) if chr(code).isalnum() else " " for code in range(128)}


def fold_names(texts: Sequence[str]) -> list[str]:
    """`trivium.kg.text.fold_name` of many texts, several times faster where they are ASCII."""
    return list(map(_fold, texts))


def unescaped(text: str) -> str:
    """A name with its HTML entities decoded ("Tom &amp; Jerry"), as people write it."""
    return html.unescape(text) if "&" in text and ";" in text else text


def bare_name(name: str) -> str:
    """A name without what stands in parentheses at its end, as people say it: "Heat (1995)"; "" where nothing does."""
    if not name.endswith(")"):
        return ""
    bare = name[: max(name.rfind(" ("), 0)].rstrip()
    return bare if any(map(str.isalpha, bare)) else ""


def _fold(text: str) -> str:
    return _fold_ascii(text) if text.isascii() else fold_name(text)


def _fold_ascii(text: str) -> str:
    lower = text.lower()
    if "  " not in lower and lower.replace(" ", "").isalnum() and lower[0] != " " != lower[-1]:
        return lower  # words and single spaces, as most spans of a question are: the short way
    return " ".join(text.lower().translate(_KEEP).split()) or fold_case(text)


def name_arrays(tables: Tables) -> Iterator[tuple[str, NDArray[np.generic]]]:
    """The arrays of the index, by name."""
    raw, owners = _all_names(tables)
    folded = StringColumn.pack(map(_fold, map(unescaped, ColumnTexts(raw, 0, len(raw)))))
    hashes = hash_rows(folded)
    # Of equal hashes the smaller entity first, so that equal KGs give equal bytes.
    order = np.lexsort((owners, hashes))
    yield "name_hash", hashes[order]
    # The largest arrays go before the next ones are made.
    del raw, hashes
    yield "name_entity", owners[order]
    folded = folded.reorder(order)
    del owners, order
    yield "name_blob", folded.blob
    yield "name_offsets", folded.offsets
    yield from _gram_arrays(folded)


def _all_names(tables: Tables) -> tuple[StringColumn, Int32]:
    """All names, and the entity of each."""
    labelled = [row for row, label in enumerate(tables.labels) if label]
    given = [tables.labels[row] for row in labelled]
    own = (
        enumerate(tables.keys),
        zip(labelled, given, strict=True),
        zip(tables.aliases.owners.tolist(), tables.aliases.texts, strict=True),
    )
    bare = [(row, said) for row, name in itertools.chain(*own) if (said := bare_name(name))]
    rows = (np.arange(len(tables.keys)), labelled, tables.aliases.owners, [row for row, _ in bare])
    owners = np.concatenate([np.asarray(each, dtype=np.int64) for each in rows])
    names = itertools.chain(tables.keys, given, tables.aliases.texts, (said for _, said in bare))
    only = not given and not tables.aliases.texts and not bare
    return packed(tables.keys) if only else StringColumn.pack(names), owners.astype(np.int32)


def grams_of(folded: StringColumn) -> tuple[NDArray[np.uint32], Int64]:
    """Trigram codes of each name between two blanks, uint32 [g], with bounds int64 [n + 1]; repeats are kept.

    A name of b bytes has b trigrams (its first `GRAM_BYTES` count), so a single letter has one.
    """
    lengths = np.minimum(np.diff(folded.offsets), GRAM_BYTES)
    padded, codes_bounds = _pad(folded, lengths)
    first = padded.astype(np.uint32)
    codes = (first[:-2] << np.uint32(16)) | (first[1:-1] << np.uint32(8)) | first[2:]
    index, bounds = ranges(codes_bounds, lengths)
    return codes[index], bounds


def grams_of_text(folded: str) -> NDArray[np.uint32]:
    """`grams_of` one name, uint32 [g]."""
    padded = np.frombuffer(b" %b " % folded.encode()[:GRAM_BYTES], np.uint8).astype(np.uint32)
    return (padded[:-2] << np.uint32(16)) | (padded[1:-1] << np.uint32(8)) | padded[2:]


def _pad(folded: StringColumn, lengths: Int64) -> tuple[Bytes, Int64]:
    """All names with a blank before and after each, and where each one's first blank stands."""
    starts = np.zeros(len(lengths), dtype=np.int64)
    np.cumsum(lengths[:-1] + 2, out=starts[1:])
    padded = np.full(int(lengths.sum()) + 2 * len(lengths), ord(" "), dtype=np.uint8)
    source, _ = ranges(folded.offsets[:-1], lengths)
    target, _ = ranges(starts + 1, lengths)
    padded[target] = folded.blob[source]
    return padded, starts


def _gram_arrays(folded: StringColumn) -> Iterator[tuple[str, NDArray[np.generic]]]:
    """Two passes over parts of the names: one counts the trigrams, the other puts the names in their places."""
    starts = range(0, max(len(folded), 1), _PART)
    only = _gram_part(folded, 0) if len(starts) == 1 else None
    counted = [(only or _gram_part(folded, start))[:2] for start in starts]
    codes, places = np.unique(np.concatenate([found for found, _ in counted]), return_inverse=True)
    bounds = np.zeros(len(codes) + 1, dtype=np.int64)
    np.add.at(bounds, places + 1, np.concatenate([sizes for _, sizes in counted]))
    np.cumsum(bounds, out=bounds)
    yield "gram_codes", codes
    yield "gram_bounds", bounds
    names, free = np.empty(int(bounds[-1]), dtype=np.int32), bounds[:-1].copy()
    for start in starts:
        found, sizes, part = only or _gram_part(folded, start)
        places = np.searchsorted(codes, found)
        names[ranges(free[places], sizes)[0]] = part
        free[places] += sizes
    yield "gram_names", names


def _gram_part(folded: StringColumn, start: int) -> tuple[NDArray[np.uint32], Int64, Int32]:
    """Of `_PART` names the distinct trigrams, sorted, how many names have each, and those, ascending for each."""
    offsets = folded.offsets[start : start + _PART + 1]
    codes, bounds = grams_of(StringColumn(folded.blob[offsets[0] : offsets[-1]], offsets - offsets[0]))
    # Trigram and name in one integer, so that one sort of plain numbers orders by both.
    packed = codes.astype(np.uint64) << np.uint64(32)
    packed |= np.repeat(np.arange(start, start + len(offsets) - 1, dtype=np.uint64), np.diff(bounds))
    packed = sorted_distinct(packed)
    ordered = (packed >> np.uint64(32)).astype(np.uint32)
    first = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1]))) if len(packed) else np.arange(0)
    return ordered[first], np.diff(first, append=len(ordered)), (packed & np.uint64(0xFFFFFFFF)).astype(np.int32)
