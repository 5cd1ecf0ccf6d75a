"""The reading operations of `GraphStore` on a database: what to ask, and from rows to the KG's types."""

from __future__ import annotations

import logging
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Protocol

from trivium.kg.neo4j import cypher
from trivium.kg.neo4j.client import Client, Row
from trivium.kg.neo4j.values import candidates, is_element, key_of, label_of
from trivium.kg.neo4j.view import View
from trivium.kg.types import (
    ChainResult,
    Direction,
    Entity,
    Hop,
    LogicalChain,
    Neighbor,
    Reached,
    ReasoningPath,
    Triple,
    WalkedTriple,
)

log = logging.getLogger("trivium.neo4j")

_THROUGH = 1_000  # nodes that share a value through which a path to it is looked for

Places = tuple[list[int], list[int]]
"""The places of ids that are nodes, and of those that are values."""


class Asked(Protocol):
    """What a store is asked through."""

    client: Client
    view: View

    async def entities(self, ids: Sequence[str]) -> list[Entity | None]:
        """As `GraphStore.entities`."""
        ...


def keys_of(view: View, ids: Iterable[str]) -> list[str]:
    """The keys by which nodes with these ids are looked up."""
    return [key_of(id_) for id_ in ids] if view.made else [id_ for id_ in ids if is_element(id_)]


async def neighbors(
    store: Asked, ids: list[str], places: Places, relation: str | None, direction: Direction, limit: int | None
) -> list[list[WalkedTriple]]:
    """As `GraphStore.neighbors`; without a limit at most the client's row cap, and the log says where it cut."""
    out: list[list[WalkedTriple]] = [[] for _ in ids]
    for place, name, end, inverse in await _around(store, ids, places, (relation, direction, limit)):
        out[place].append(_step(ids[place], name, end, inverse=inverse))
    return [sorted(found, key=_order) for found in out]


async def labelled_neighbors(
    store: Asked, ids: list[str], places: Places, direction: Direction, limit: int | None
) -> list[list[Neighbor]]:
    """As `GraphStore.labelled_neighbors`: what names the other end comes along with it."""
    out: list[list[Neighbor]] = [[] for _ in ids]
    rows = await _around(store, ids, places, (None, direction, limit), labels=True)
    for place, name, end, inverse, names, types in rows:
        step = _step(ids[place], name, end, inverse=inverse)
        out[place].append(Neighbor(step, label_of(store.view, end, names, types)))
    return [sorted(found, key=lambda each: _order(each.triple)) for found in out]


async def _around(
    store: Asked,
    ids: list[str],
    places: Places,
    wanted: tuple[str | None, Direction, int | None],
    *,
    labels: bool = False,
) -> list[Row]:
    """The rows of `cypher.neighbors` with the place of each id, of nodes and values in one round trip."""
    view, cap, (relation, direction, limit) = store.view, store.client.limits.rows, wanted
    if relation is not None and not view.knows(Hop(relation, inverse=False)):
        return []
    nodes, values = places
    queries = [cypher.neighbors(view, relation, direction, labels=labels)] if nodes else []
    literals = [x for x in view.literals if relation in (None, x.relation)]
    if values and literals and direction != "out":
        queries.append(cypher.value_neighbors(view, literals, labels=labels))
    if not queries:
        return []
    given = {"keys": keys_of(view, [ids[i] for i in nodes]), "values": [candidates(ids[i]) for i in values]}
    columns = cypher.NEIGHBOR + (cypher.NAMED if labels else ())
    most = cap if limit is None else min(limit, cap)
    rows = await store.client.read_packed(" UNION ALL ".join(queries), columns, **given, limit=most)
    if limit is None and max(Counter(i for i, *_ in rows).values(), default=0) >= cap:
        log.warning("%s: an entity has more than %d triples; the first are read", store.client.address, cap)
    asked = [*nodes, *values]
    return [[asked[i], *row] for i, *row in rows]


def _step(here: str, relation: str, end: str, *, inverse: bool) -> WalkedTriple:
    return WalkedTriple(end, relation, here, True) if inverse else WalkedTriple(here, relation, end, False)


def _order(step: WalkedTriple) -> tuple[str, str, bool]:
    return step.relation, step.end, step.inverse


async def hops(store: Asked, ids: list[str], places: Places, few: Sequence[str] | None) -> list[frozenset[Hop]]:
    """The hops that leave each entity."""
    out: list[frozenset[Hop]] = [frozenset()] * len(ids)
    nodes, values = places
    if nodes:
        keys = keys_of(store.view, [ids[i] for i in nodes])
        for i, *found in await store.client.read(cypher.hops(store.view, few), keys=keys):
            out[nodes[i]] = _hops(*found)
    if values:
        given = [candidates(ids[i]) for i in values]
        held: dict[int, set[Hop]] = defaultdict(set)
        query = cypher.value_relations(store.view.literals)
        for i, relation in await store.client.read(query, values=given):
            held[i].add(Hop(relation, inverse=True))
        for i, found_hops in held.items():
            out[values[i]] = frozenset(found_hops)
    return out


def _hops(out: list[str], back: list[str], literals: list[str]) -> frozenset[Hop]:
    forward = (Hop(name, inverse=False) for name in (*out, *literals))
    return frozenset((*forward, *(Hop(name, inverse=True) for name in back)))


async def transitions(store: Asked) -> dict[Hop, frozenset[Hop]]:
    """For every hop, the hops that leave some entity which it reaches, by the sets of hops that entities have."""
    leaving = [_hops(*row) for row in await store.client.read(cypher.transitions(store.view))]
    if store.view.literals:
        rows = await store.client.read(cypher.shared_values(store.view.literals))
        leaving += [frozenset(Hop(name, inverse=True) for name in names) for (names,) in rows]
    out: dict[Hop, set[Hop]] = defaultdict(set)
    for found in leaving:
        for hop in found:
            out[Hop(hop.relation, not hop.inverse)] |= found
    return {hop: frozenset(after) for hop, after in out.items()}


async def follow(store: Asked, seeds: list[str], chain: LogicalChain, limit: int | None) -> ChainResult:
    """As `GraphStore.follow`."""
    view = store.view
    if not cypher.walkable(view, chain):
        return ChainResult(())
    query = cypher.chain(view, chain, limited=limit is not None)
    rows = await store.client.read_packed(query, cypher.REACHED, **_seeds(view, seeds, chain), limit=limit)
    if not chain and not view.made:  # a chain of no hop starts from nodes; values are their own end
        values = [seed for seed in seeds if not is_element(seed)]
        rows += [
            [[seed], 1, 0, False] for seed, found in zip(values, await store.entities(values), strict=True) if found
        ]
    # Sorted here: a database's own order of texts is not that of Python, and stores have to agree.
    rows.sort(key=lambda row: (-row[1], row[2], row[0][-1]))
    reached = (Reached(ids[-1], round(support), _path(ids, chain)) for ids, support, _, _ in rows)
    return ChainResult(tuple(reached), any(cut for *_, cut in rows))


def _seeds(view: View, seeds: Sequence[str], chain: LogicalChain) -> dict[str, list[object]]:
    """The parameter that a chain starts from: keys of nodes, or the values that texts may stand for."""
    if chain and view.literal(chain[0].relation) and chain[0].inverse:
        return {"values": [value for seed in seeds if not is_element(seed) for value in candidates(seed)]}
    return {"keys": list(keys_of(view, seeds))}


def _path(ids: Sequence[str], chain: LogicalChain) -> ReasoningPath:
    steps = zip(ids, chain, ids[1:], strict=False)
    return tuple(
        WalkedTriple(end, hop.relation, start, True) if hop.inverse else WalkedTriple(start, hop.relation, end, False)
        for start, hop, end in steps
    )


async def reaches(store: Asked, seed: str, chain: LogicalChain, without: Sequence[str]) -> bool:
    """As `GraphStore.reaches`."""
    if not chain:
        return seed not in without and (await store.entities([seed]))[0] is not None
    if not cypher.walkable(store.view, chain):
        return False
    query = cypher.reaches(store.view, chain)
    return bool(await store.client.read(query, **_seeds(store.view, [seed], chain), without=list(without)))


async def paths(store: Asked, source: str, target: str, max_hops: int, limit: int) -> list[ReasoningPath]:
    """As `GraphStore.paths`; a value is passed at the ends alone."""
    if source == target or limit <= 0 or max_hops < 1:
        return []
    view = store.view
    if view.made or (is_element(source) and is_element(target)):
        return await _node_paths(store, source, target, max_hops, limit) if view.made or view.relations else []
    ends = [await _bearers(store, id_) for id_ in (source, target)]
    found: list[ReasoningPath] = []
    # Each value is passed at an end of the path: its bearers stand in for it, and a step to it is put on again.
    for first, start in ends[0]:
        for last, goal in ends[1]:
            left = max_hops - len(first) - len(last)
            middle = [()] if start == goal else await _node_paths(store, start, goal, left, limit) if left > 0 else []
            found += [path for m in middle if (path := (*first, *m, *_turned(last))) and len(path) <= max_hops]
    return sorted(found, key=len)[:limit]


async def _bearers(store: Asked, id_: str) -> list[tuple[ReasoningPath, str]]:
    """The node that an id is, by no step; or the nodes that have a value, by one step from it."""
    if is_element(id_):
        return [((), id_)]
    if not store.view.literals:
        return []
    query = cypher.value_neighbors(store.view, store.view.literals)
    rows = await store.client.read(query, keys=[], values=[candidates(id_)], limit=_THROUGH)
    return [((WalkedTriple(end, relation, id_, True),), end) for _, relation, end, _ in rows]


def _turned(path: ReasoningPath) -> ReasoningPath:
    return tuple(step._replace(inverse=not step.inverse) for step in reversed(path))


async def _node_paths(store: Asked, source: str, target: str, max_hops: int, limit: int) -> list[ReasoningPath]:
    start, goal = keys_of(store.view, [source]), keys_of(store.view, [target])
    query = cypher.paths(store.view, max_hops)
    rows = await store.client.read(query, source=start[0], target=goal[0], limit=limit)
    return [
        tuple(
            WalkedTriple(ids[i], kind, ids[i + 1], False) if forward else WalkedTriple(ids[i + 1], kind, ids[i], True)
            for i, (kind, forward) in enumerate(zip(types, directions, strict=True))
        )
        for ids, types, directions in rows
    ]


async def contains(store: Asked, triples: Sequence[Triple]) -> list[bool]:
    """As `GraphStore.contains`."""
    view, out = store.view, [False] * len(triples)
    literal = {i for i, triple in enumerate(triples) if view.literal(triple.relation)}
    related = [i for i, triple in enumerate(triples) if i not in literal and view.knows(Hop(triple.relation, False))]
    for places, query in (
        (related, cypher.contains(view)),
        (sorted(literal), cypher.contains_values(view.literals)),
    ):
        if places:
            rows = [_row(view, triples[i]) for i in places]
            for (place,) in await store.client.read(query, rows=rows):
                out[places[place]] = True
    return out


async def qualifiers(store: Asked, triples: Sequence[Triple]) -> list[tuple[dict[str, str], ...]]:
    """As `GraphStore.qualifiers`: a statement a relationship, those without a property left out."""
    out: list[tuple[dict[str, str], ...]] = [()] * len(triples)
    places = [i for i, triple in enumerate(triples) if triple.relation in store.view.qualifiers]
    if places:
        rows = [_row(store.view, triples[i]) for i in places]
        for i, keys, values in await store.client.read(cypher.qualifiers(store.view), rows=rows):
            pairs = zip(keys, values, strict=True)
            held = {k: ", ".join(map(str, v)) if isinstance(v, list) else v for k, v in pairs if v is not None}
            if held:
                out[places[i]] = (*out[places[i]], held)
    return [tuple(sorted(found, key=lambda each: sorted(each.items()))) for found in out]


def _row(view: View, triple: Triple) -> list[str]:
    return [key_of(triple[0]), triple[1], key_of(triple[2])] if view.made else list(triple)
