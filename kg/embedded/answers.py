"""From strings to numbers and back: the operations of `GraphStore` on one snapshot, synchronous.

Neighbors, chains, simple paths between two entities, triples, and the schema.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trivium.kg.embedded.columns import Int32, Int64, Ints, ranges
from trivium.kg.embedded.layout import triple_places
from trivium.kg.embedded.snapshot import Snapshot
from trivium.kg.embedded.walk import ChainWalk, leads, reached
from trivium.kg.embedded.walk import follow as walk_chain
from trivium.kg.types import (
    ChainResult,
    Direction,
    Entity,
    Hop,
    LogicalChain,
    QualifiedTriple,
    Reached,
    ReasoningPath,
    RelationSchema,
    Statement,
    Triple,
    WalkedTriple,
)


def known_rows(snapshot: Snapshot, ids: Sequence[str]) -> Int64:
    """The numbers of the ids that exist, int64 [<= n]."""
    rows = snapshot.rows(list(ids))
    known = rows >= 0
    return rows if known.all() else rows[known]


def entities(snapshot: Snapshot, ids: list[str]) -> list[Entity | None]:
    """The entities with these ids; None where there is none."""
    rows = snapshot.rows(ids)
    found = iter(entities_at(snapshot, rows[rows >= 0]))
    return [next(found) if row >= 0 else None for row in rows.tolist()]


def entities_at(snapshot: Snapshot, rows: Ints) -> list[Entity]:
    """Entities by number, int [n], with their aliases and types, each sorted."""
    keys, labels = snapshot.keys.take(rows), snapshot.labels.take(rows)
    bounds = [held[at].tolist() for held in (snapshot.alias_bounds, snapshot.type_bounds) for at in (rows, rows + 1)]
    aliases, names, codes = snapshot.aliases, snapshot.type_names, snapshot.type_codes
    return [
        Entity(
            key,
            label or key,
            tuple(aliases.slice(a, b)) if a < b else (),
            tuple(names.take(codes[c:d])) if c < d else (),
        )
        for key, label, a, b, c, d in zip(keys, labels, *bounds, strict=True)
    ]


def labels(snapshot: Snapshot, ids: list[str]) -> list[str]:
    """The labels of these ids; an unknown id is its own label."""
    rows = snapshot.rows(ids)
    found = snapshot.labels.take(np.maximum(rows, 0)) if snapshot.entities else ids
    return [label or key if row >= 0 else key for key, row, label in zip(ids, rows.tolist(), found, strict=True)]


def neighbors(
    snapshot: Snapshot, ids: list[str], relation: str | None, direction: Direction, limit: int | None
) -> list[list[WalkedTriple]]:
    """The triples around each id, walked away from it, sorted by relation, end, direction; at most `limit` each."""
    out: list[list[WalkedTriple]] = [[] for _ in ids]
    if relation is not None and relation not in snapshot.relation_codes:
        return out
    rows = snapshot.rows(ids)
    places = np.flatnonzero(rows >= 0)
    found = [
        _around(snapshot, ids[place], row, relation, direction, limit)
        for place, row in zip(places.tolist(), rows[places].tolist(), strict=True)
    ]
    for place, triples in zip(places.tolist(), found, strict=True):
        out[place] = triples
    return out


def _around(
    snapshot: Snapshot, key: str, row: int, relation: str | None, direction: Direction, limit: int | None
) -> list[WalkedTriple]:
    rel, dst = _row(snapshot, row, relation, direction, limit)
    names, relations = snapshot.relation_names, snapshot.relations
    ends = snapshot.tails(dst)
    out = []
    for code, end in zip(rel.tolist(), ends, strict=True):
        if code < relations:
            out.append(WalkedTriple(key, names[code], end, False))
        else:
            out.append(WalkedTriple(end, names[code - relations], key, True))
    return out


def _row(
    snapshot: Snapshot, row: int, relation: str | None, direction: Direction, limit: int | None
) -> tuple[Int32, Int32]:
    """Codes and ends of an entity's triples in the order of the protocol, at most `limit`."""
    start, relations = int(snapshot.indptr[row]), snapshot.relations
    code = None if relation is None else snapshot.relation_codes[relation]
    first, last = (0, relations) if code is None else (code, code + 1)
    marks = (first, last, first + relations, last + relations)
    rel = snapshot.rel[start : snapshot.indptr[row + 1]]
    bounds = (start + rel.searchsorted(np.array(marks, dtype=rel.dtype))).tolist()
    if limit is not None:  # of a hub no more is looked at than is shown
        bounds[1] = _end_of_group(snapshot, bounds[0], bounds[1], limit)
        bounds[3] = min(bounds[3], bounds[2] + limit + relations)  # one self-loop a relation is left out below
    forward, inverse = np.arange(*bounds[:2]), np.arange(*bounds[2:])
    if _has_values(snapshot, snapshot.dst[forward]):
        forward = forward[np.lexsort((_text_order(snapshot, snapshot.dst[forward]), snapshot.rel[forward]))]
    if direction == "both":
        inverse = inverse[snapshot.dst[inverse] != row]  # a self-loop shows once
    parts = {"out": (forward,), "in": (inverse,), "both": (forward[:limit], inverse[:limit])}[direction]
    index = np.concatenate(parts)[: None if direction == "both" else limit]
    rel, dst = snapshot.rel[index], snapshot.dst[index]
    if direction == "both":
        order = np.lexsort((rel, _text_order(snapshot, dst), rel % relations))[:limit]
        rel, dst = rel[order], dst[order]
    return rel, dst


def _end_of_group(snapshot: Snapshot, start: int, stop: int, limit: int) -> int:
    """Where the first `limit` triples of a row end, in the order of the protocol.

    Values stand by what they mean, not by their texts: where there are any, all of the last one's relation are needed.
    """
    if stop - start <= limit or not snapshot.values:
        return min(start + limit, stop)
    return start + int(snapshot.rel[start:stop].searchsorted(snapshot.rel[start + max(limit - 1, 0)], "right"))


def _text_order(snapshot: Snapshot, rows: Ints) -> Int64:
    """Ranks by id or text, int64 [n]: entities are numbered in that order, values are numbered by what they mean."""
    ranks = rows.astype(np.int64)
    if _has_values(snapshot, rows):
        texts = snapshot.keys.take(rows)
        ranks[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
    return ranks


def _has_values(snapshot: Snapshot, rows: Ints) -> bool:
    return bool(snapshot.values and len(rows) and int(rows.max()) >= snapshot.entities)


def follow(snapshot: Snapshot, rows: Ints, chain: LogicalChain, limit: int | None = None) -> ChainWalk:
    """Walk a chain of names from numbered seeds."""
    return walk_chain(snapshot, rows, [snapshot.code(hop) for hop in chain], limit)


def ends(snapshot: Snapshot, rows: Ints, chain: LogicalChain, limit: int | None = None) -> frozenset[str]:
    """The ids and values that a chain of names reaches from numbered seeds."""
    if limit is None:
        return frozenset(snapshot.tails(reached(snapshot, rows, [snapshot.code(hop) for hop in chain])))
    return frozenset(snapshot.tails(follow(snapshot, rows, chain, limit).layers[-1].entities))


_TRIED = 32  # entities that a trial walk looks at one by one: nearly every chain that leads somewhere shows it there
_TRIAL = 2_000  # entities a hop at which the walk of all is cut


def reaches(snapshot: Snapshot, seed: str, chain: LogicalChain, without: Sequence[int]) -> bool:
    """Whether a chain leads from a seed to any entity but these numbers."""
    row = snapshot.row(seed)
    if row < 0:
        return False
    codes = [snapshot.code(hop) for hop in chain]
    found = leads(snapshot, row, codes, without, _TRIED)
    if found is None:
        last = walk_chain(snapshot, np.array([row]), codes, _TRIAL).layers[-1].entities
        return len(last) > sum(number in last for number in without)
    return found


def chain_result(snapshot: Snapshot, walk: ChainWalk, chain: LogicalChain) -> ChainResult:
    """What a walk of this chain reached, most support first, with one path each.

    Ties: the entity with fewer triples first, which is the more particular to the question; then by id.
    """
    last = walk.layers[-1]
    if not len(last.entities):
        return ChainResult((), walk.truncated)
    ends = _text_order(snapshot, last.entities)
    order = np.lexsort((ends, snapshot.degrees(last.entities), -last.support))
    traced = walk.trace(order)
    columns = [_keys(snapshot, column) for column in traced]
    snapshot.remember(columns[-1], traced[-1])
    steps = [_step(hop.relation, hop.inverse, columns[i], columns[i + 1]) for i, hop in enumerate(chain)]
    paths: list[ReasoningPath] = list(zip(*steps, strict=True)) if steps else [()] * len(order)
    support = last.support[order].astype(np.int64).tolist()
    return ChainResult(tuple(map(Reached, columns[-1], support, paths)), walk.truncated)


def _keys(snapshot: Snapshot, rows: Int64) -> list[str]:
    """The ids of numbers, int64 [n], of which many may be the same: each is read once."""
    numbers = rows.tolist()
    distinct = set(numbers)
    if 2 * len(distinct) > len(numbers):
        return snapshot.tails(rows)
    known = dict(zip(distinct, snapshot.tails(np.array(list(distinct), dtype=np.int64)), strict=True))
    return [known[number] for number in numbers]


def _step(relation: str, inverse: bool, starts: list[str], ends: list[str]) -> list[WalkedTriple]:
    if inverse:
        return [WalkedTriple(end, relation, start, True) for start, end in zip(starts, ends, strict=True)]
    return [WalkedTriple(start, relation, end, False) for start, end in zip(starts, ends, strict=True)]


def paths(snapshot: Snapshot, source: str, target: str, max_hops: int, limit: int) -> list[ReasoningPath]:
    """Simple paths between two ids, shortest first; a target may be a value; none for unknown ones."""
    start, goal = snapshot.rows([source, target]).tolist()
    if start < 0:
        return []
    goals = [goal] if goal >= 0 else snapshot.values_of_text(target).tolist()
    found = [path for end in goals for path in simple_paths(snapshot, start, end, max_hops, limit)]
    if len(goals) > 1:
        found = sorted(found, key=lambda path: len(path[1]))[:limit]
    return [decode_path(snapshot, path) for path in found]


def decode_path(snapshot: Snapshot, path: CodedPath) -> ReasoningPath:
    """A path of numbers as one of strings."""
    keys = snapshot.tails(np.array(path[0], dtype=np.int64))
    return tuple(
        walked(keys[i], snapshot.relation_names[code % snapshot.relations], keys[i + 1], code >= snapshot.relations)
        for i, code in enumerate(path[1])
    )


def walked(start: str, relation: str, end: str, inverse: bool) -> WalkedTriple:
    """The triple of a step from `start` to `end`."""
    return WalkedTriple(end, relation, start, True) if inverse else WalkedTriple(start, relation, end, False)


def contains(snapshot: Snapshot, triples: Sequence[Triple | tuple[str, str, str]]) -> list[bool]:
    """Whether each triple is stored."""
    answers: list[bool] = (places(snapshot, triples) >= 0).tolist()
    return answers


def places(snapshot: Snapshot, triples: Sequence[Triple | tuple[str, str, str]]) -> Int64:
    """Where each triple stands in `rel` and `dst`, int64 [n]; -1 for one that is not stored.

    A tail is looked for among entities, unless it is a `ValueText`, then among the values of its relation.
    """
    heads = snapshot.rows([triple[0] for triple in triples])
    texts = [triple[2] for triple in triples]
    codes = np.array([snapshot.relation_codes.get(triple[1], -1) for triple in triples], dtype=np.int64)
    tails = snapshot.rows(texts)
    found = _places(snapshot, heads, codes, tails)
    other = np.flatnonzero((found < 0) & (heads >= 0) & (codes >= 0))
    if snapshot.values and len(other):
        values = snapshot.value_rows(codes[other], [texts[place] for place in other.tolist()])
        found[other] = _places(snapshot, heads[other], codes[other], values)
    return found


def _places(snapshot: Snapshot, heads: Int64, codes: Int64, tails: Int64) -> Int64:
    known = np.flatnonzero((heads >= 0) & (tails >= 0) & (codes >= 0))
    found = np.full(len(heads), -1, dtype=np.int64)
    arrays = (snapshot.indptr, snapshot.rel, snapshot.dst)
    found[known] = triple_places(*arrays, heads[known], codes[known], tails[known])
    return found


def qualifiers(snapshot: Snapshot, triples: Sequence[Triple]) -> list[tuple[Statement, ...]]:
    """What is stated of each triple; () where nothing."""
    if not len(snapshot.statement_place):
        return [()] * len(triples)
    found = places(snapshot, triples)
    return [stated if place >= 0 else () for place, stated in zip(found.tolist(), snapshot.stated(found), strict=True)]


def triples(snapshot: Snapshot, batch_size: int) -> Iterator[list[Triple]]:
    """All triples by head, relation, tail, in batches of at most `batch_size`."""
    names = snapshot.relation_names
    for start in range(0, len(snapshot.rel), batch_size):
        forward = start + np.flatnonzero(snapshot.rel[start : start + batch_size] < snapshot.relations)
        if not len(forward):
            continue
        heads = snapshot.keys.take(np.searchsorted(snapshot.indptr, forward, side="right") - 1)
        tails = snapshot.tails(snapshot.dst[forward])
        codes = snapshot.rel[forward].tolist()
        rows = [Triple(head, names[code], tail) for head, code, tail in zip(heads, codes, tails, strict=True)]
        first, last = np.searchsorted(snapshot.statement_place, (start, start + batch_size)).tolist()
        for place in sorted(set(snapshot.statement_place[first:last].tolist())):
            number = int(forward.searchsorted(place))
            rows[number] = QualifiedTriple(*rows[number], snapshot.statements(place))
        yield rows


_SAMPLE = 200  # triples whose ends stand for all of a relation
_SHOWN = 3  # types shown
_LONG_ROW = 200  # triples from which arrays are used in place of a Python set; set by hand


def relation_schema(snapshot: Snapshot) -> list[RelationSchema]:
    """All relations, most triples first (ties: by name). Milliseconds; tenths of a second for millions with types."""
    types = _types(snapshot) if len(snapshot.type_codes) else [()] * (2 * snapshot.relations)
    rows = [
        RelationSchema(name, triples, heads, tails, types[code], types[code + snapshot.relations], kind)
        for code, name in enumerate(snapshot.relation_names)
        for triples, heads, tails in (snapshot.relation_stats[code].tolist(),)
        for kind in (snapshot.relation_kinds[code],)
    ]
    return sorted(rows, key=lambda row: (-row.triples, row.name))


def _types(snapshot: Snapshot) -> list[tuple[str, ...]]:
    """For each code in [0, 2 R) the most frequent types of the entities that it leaves, from an even sample."""
    order = np.argsort(snapshot.rel, kind="stable")
    bounds = np.searchsorted(
        snapshot.rel, np.arange(2 * snapshot.relations + 1, dtype=snapshot.rel.dtype), sorter=order
    )
    out = []
    for start, stop in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        places = order[np.unique(np.linspace(start, stop - 1, _SAMPLE).astype(np.int64))] if stop > start else order[:0]
        out.append(_frequent(snapshot, np.searchsorted(snapshot.indptr, places, side="right") - 1))
    return out


def _frequent(snapshot: Snapshot, entities: Int64) -> tuple[str, ...]:
    starts = snapshot.type_bounds[entities]
    index, _ = ranges(starts, snapshot.type_bounds[entities + 1] - starts)
    counts = np.bincount(snapshot.type_codes[index], minlength=len(snapshot.type_names))
    best = np.argsort(-counts, kind="stable")[:_SHOWN]
    return tuple(snapshot.type_names.take(best[counts[best] > 0]))


def hops_of(snapshot: Snapshot, rows: Iterable[int]) -> list[frozenset[Hop]]:
    """The hops that leave each of n entities, given by number; none for an unknown one (-1)."""
    hops = all_hops(snapshot)
    out = []
    for row in rows:
        codes = snapshot.rel[snapshot.indptr[row] : snapshot.indptr[row + 1]] if row >= 0 else snapshot.rel[:0]
        if len(codes) > _LONG_ROW:  # rows are sorted by code: keep the first of each
            codes = codes[np.flatnonzero(np.diff(codes, prepend=-1))]
        out.append(frozenset(hops[code] for code in set(codes.tolist())))
    return out


def all_hops(snapshot: Snapshot) -> list[Hop]:
    """The hop of every code: R forward, then R inverse; made once."""
    hops: list[Hop] | None = snapshot.memo.get("hops")
    if hops is None:
        hops = [Hop(name, inverse) for inverse in (False, True) for name in snapshot.relation_names]
        snapshot.memo["hops"] = hops
    return hops


def transitions(snapshot: Snapshot) -> dict[Hop, frozenset[Hop]]:
    """For every hop, the hops that leave some entity which it reaches.

    An entity's hops are a set of bits; a hop's successors are the union over the entities that its inverse leaves.
    """
    hops, relations = all_hops(snapshot), snapshot.relations
    entity, code = _groups(snapshot)
    bits = np.zeros((snapshot.size, -(-2 * relations // 64)), dtype=np.uint64)
    # 64 hops a word: a relation more costs a bit an entity, where a matrix of bytes would cost 2 R of them.
    np.bitwise_or.at(bits, (entity, code // 64), np.uint64(1) << (code % 64).astype(np.uint64))
    order = np.argsort(code, kind="stable")
    bounds = np.searchsorted(code[order], np.arange(2 * relations + 1))
    out = {}
    for number in range(2 * relations):
        reached = entity[order[bounds[number] : bounds[number + 1]]]
        union = np.bitwise_or.reduce(bits[reached], axis=0) if len(reached) else bits[:0].sum(axis=0)
        inverse = hops[number + relations if number < relations else number - relations]
        out[inverse] = frozenset(
            hops[i] for i in range(2 * relations) if union[i // 64] >> np.uint64(i % 64) & np.uint64(1)
        )
    return out


def _groups(snapshot: Snapshot) -> tuple[Int64, NDArray[np.int64]]:
    """The distinct (entity, code) pairs: entity int64 [g] ascending, code int64 [g]."""
    entity = np.repeat(np.arange(snapshot.size), np.diff(snapshot.indptr))
    code = np.asarray(snapshot.rel)
    first = np.ones(len(code), dtype=bool)
    first[1:] = (code[1:] != code[:-1]) | (entity[1:] != entity[:-1])
    return entity[first], code[first].astype(np.int64)


CodedPath = tuple[tuple[int, ...], tuple[int, ...]]
"""Entities (h + 1 of them, source first) and the codes walked (h)."""

_TRIPLES_AT_ONCE = 1 << 20
_FAR = np.int8(127)


class _Partial(NamedTuple):
    """n partial paths of d hops from one end: entities int64 [n, d + 1], codes int64 [n, d]."""

    entities: Int64
    codes: Int64


class _Distances:
    """Distances to an entity or value, found layer by layer as they are needed: int8 [E + V], 127 where not reached."""

    def __init__(self, snapshot: Snapshot, entity: int) -> None:
        self._snapshot = snapshot
        self._frontier = np.array([entity])
        self.depth = 0
        self.values: NDArray[np.int8] = np.full(snapshot.size, _FAR)
        self.values[entity] = 0

    def cost(self) -> int:
        """How many triples the next layer reads."""
        return int(self._snapshot.degrees(self._frontier).sum())

    def reach(self, depth: int) -> None:
        """Know all distances up to `depth`."""
        snapshot = self._snapshot
        while self.depth < depth and len(self._frontier):
            if self._frontier[0] >= snapshot.entities:  # the value that it all began with: no other is ever reached
                reached = snapshot.owners(int(self._frontier[0]))
            else:
                starts, stops = snapshot.indptr[self._frontier], snapshot.indptr[self._frontier + 1]
                index, _ = ranges(starts, stops - starts)
                reached = snapshot.dst[index]
                reached = reached[reached < snapshot.entities]
            fresh = np.zeros(snapshot.size, dtype=bool)
            fresh[reached] = True
            fresh &= self.values == _FAR
            self.depth += 1
            self._frontier = np.flatnonzero(fresh)
            self.values[self._frontier] = self.depth
        # Where the frontier ran dry, too: beyond it there is nothing to find, and nothing more to read.
        self.depth = depth


def simple_paths(snapshot: Snapshot, source: int, target: int, max_hops: int, limit: int) -> list[CodedPath]:
    """Up to `limit` paths of 1 to `max_hops` hops in which no entity comes twice; either direction a step.

    Shorter paths first; among those of one length that were found, by codes, then entities. From an entity to itself
    there is none. `source` in [0, E); `target` in [0, E + V): a value is only ever the end of a path.
    """
    if source == target or limit <= 0:
        return []
    ends = (_Distances(snapshot, source), _Distances(snapshot, target))
    found: list[CodedPath] = []
    for hops in range(1, min(max_hops, int(_FAR) - 1) + 1):
        backward = target < snapshot.entities and _cheaper(ends, hops - 1)  # nothing leaves a value
        start, goal = (target, source) if backward else (source, target)
        distances = ends[0] if backward else ends[1]
        distances.reach(hops - 1)
        paths = _paths_of_length(snapshot, start, goal, distances.values, hops, limit - len(found))
        turned = [_turn(snapshot, path) for path in paths] if backward else paths
        found += sorted(turned, key=lambda path: (path[1], path[0]))
        if len(found) >= limit:
            break
    return found


def _cheaper(ends: tuple[_Distances, _Distances], depth: int) -> bool:
    """Whether to measure distances from the source (and so walk from the target): grow both while it is unclear."""
    while min(end.depth for end in ends) < depth:
        # One end is known as far as it is needed: that one gives the distances, whatever the other would cost.
        if ends[0].depth >= depth or ends[1].depth >= depth:
            break
        cheap = min(ends, key=lambda end: end.cost())
        cheap.reach(cheap.depth + 1)
    return ends[0].depth > ends[1].depth


def _turn(snapshot: Snapshot, path: CodedPath) -> CodedPath:
    """The same path walked from its other end."""
    entities, codes = path
    relations = snapshot.relations
    return entities[::-1], tuple((code + relations) % (2 * relations) for code in codes[::-1])


def _paths_of_length(
    snapshot: Snapshot, start: int, goal: int, distances: NDArray[np.int8], hops: int, limit: int
) -> list[CodedPath]:
    """Paths of exactly `hops` hops. Depth first over groups of partial paths, so that memory stays bounded."""
    stack = [_Partial(np.array([[start]]), np.empty((1, 0), dtype=np.int64))]
    found: list[CodedPath] = []
    while stack and len(found) < limit:
        partial, rest = _split(snapshot, stack.pop())
        # The rest waits under what is grown now: depth first, so only one group a hop is held at a time.
        if rest is not None:
            stack.append(rest)
        grown = _grow(snapshot, partial, goal, distances, hops)
        if grown.codes.shape[1] < hops:
            if len(grown.codes):
                stack.append(grown)
            continue
        rows = zip(grown.entities.tolist(), grown.codes.tolist(), strict=True)
        found += [(tuple(entities), tuple(codes)) for entities, codes in rows]
    return found[:limit]


def _split(snapshot: Snapshot, partial: _Partial) -> tuple[_Partial, _Partial | None]:
    """As many leading partial paths as read a bounded number of triples (at least one), and the others."""
    reads = np.cumsum(snapshot.degrees(partial.entities[:, -1]))
    count = max(int(np.searchsorted(reads, _TRIPLES_AT_ONCE, side="right")), 1)
    if count >= len(reads):
        return partial, None
    return (
        _Partial(partial.entities[:count], partial.codes[:count]),
        _Partial(partial.entities[count:], partial.codes[count:]),
    )


def _grow(snapshot: Snapshot, partial: _Partial, goal: int, distances: NDArray[np.int8], hops: int) -> _Partial:
    """Every partial path one hop further, where `goal` is still within reach and no entity comes twice."""
    ends = partial.entities[:, -1]
    remaining = hops - partial.codes.shape[1] - 1
    # Grown towards the distances: a step that leaves the goal out of reach is dropped before it is stored.
    index, bounds = ranges(snapshot.indptr[ends], snapshot.degrees(ends))
    reached = snapshot.dst[index]
    near = reached == goal if remaining == 0 else (distances[reached] <= remaining) & (reached != goal)
    kept = np.flatnonzero(near)
    origin = np.searchsorted(bounds, kept, side="right") - 1
    reached = reached[kept].astype(np.int64)
    new = (partial.entities[origin] != reached[:, None]).all(axis=1)
    origin, reached, kept = origin[new], reached[new], kept[new]
    return _Partial(
        np.column_stack((partial.entities[origin], reached)),
        np.column_stack((partial.codes[origin], snapshot.rel[index[kept]].astype(np.int64))),
    )
