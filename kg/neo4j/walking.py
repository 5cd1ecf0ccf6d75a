"""The reading operations of `GraphStore` on a database: what to ask, and from rows to the KG's types."""

from __future__ import annotations

import logging
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Protocol

from trivium.kg.neo4j import cypher
from trivium.kg.neo4j.client import Client, Row
from trivium.kg.neo4j.values import is_element, key_of, label_of
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
    ValueText,
    WalkedTriple,
)

log = logging.getLogger("trivium.neo4j")


class WalkedStore(Protocol):
    """What walks need of a Neo4j store."""

    client: Client
    view: View

    async def entities(self, ids: Sequence[str]) -> list[Entity | None]:
        """As `GraphStore.entities`."""
        ...


def keys_of(view: View, ids: Iterable[str]) -> list[str]:
    """The keys by which nodes with these ids are looked up; other ids are nobody's, and left out."""
    return [key_of(id_) if view.made else id_ for id_ in ids if _may_be_node(view, id_)]


def places_of(view: View, ids: Sequence[str]) -> list[int]:
    """The places of the ids that `keys_of` gives a key for."""
    return [i for i, id_ in enumerate(ids) if _may_be_node(view, id_)]


def _may_be_node(view: View, id_: str) -> bool:
    return not isinstance(id_, ValueText) and (view.made or is_element(id_))


async def neighbors(
    store: WalkedStore, ids: list[str], relation: str | None, direction: Direction, limit: int | None
) -> list[list[WalkedTriple]]:
    """As `GraphStore.neighbors`; without a limit at most the client's row cap, and the log says where it cut."""
    out: list[list[WalkedTriple]] = [[] for _ in ids]
    for place, name, end, inverse in await _around(store, ids, (relation, direction, limit)):
        out[place].append(_step(ids[place], name, end, inverse=inverse))
    return [sorted(found, key=_order) for found in out]


async def labelled_neighbors(
    store: WalkedStore, ids: list[str], direction: Direction, limit: int | None
) -> list[list[Neighbor]]:
    """As `GraphStore.labelled_neighbors`: what names the other end comes along with it."""
    out: list[list[Neighbor]] = [[] for _ in ids]
    for place, name, end, inverse, names, types in await _around(store, ids, (None, direction, limit), labels=True):
        step = _step(ids[place], name, end, inverse=inverse)
        out[place].append(Neighbor(step, label_of(store.view, end, names, types)))
    return [sorted(found, key=lambda each: _order(each.triple)) for found in out]


async def _around(
    store: WalkedStore, ids: list[str], wanted: tuple[str | None, Direction, int | None], *, labels: bool = False
) -> list[Row]:
    """The rows of `cypher.neighbors` with the place of each id, in one round trip."""
    view, cap, (relation, direction, limit) = store.view, store.client.limits.rows, wanted
    places = places_of(view, ids)
    if not places or (relation is not None and not view.knows(Hop(relation, inverse=False))):
        return []
    columns = cypher.NEIGHBOR + (cypher.NAMED if labels else ())
    query = cypher.neighbors(view, relation, direction, labels=labels)
    most = cap if limit is None else min(limit, cap)
    rows = await store.client.read_packed(query, columns, keys=keys_of(view, ids), limit=most)
    if limit is None and max(Counter(i for i, *_ in rows).values(), default=0) >= cap:
        log.warning("%s: an entity has more than %d triples; the first are read", store.client.address, cap)
    return [
        [places[i], name, end if inverse or view.literal(name) is None else ValueText(end), inverse, *more]
        for i, name, end, inverse, *more in rows
    ]


def _step(here: str, relation: str, end: str, *, inverse: bool) -> WalkedTriple:
    return WalkedTriple(end, relation, here, True) if inverse else WalkedTriple(here, relation, end, False)


def _order(step: WalkedTriple) -> tuple[str, str, bool]:
    return step.relation, step.end, step.inverse


async def hops(store: WalkedStore, ids: list[str], few: Sequence[str] | None) -> list[frozenset[Hop]]:
    """The hops that leave each entity."""
    out: list[frozenset[Hop]] = [frozenset()] * len(ids)
    if places := places_of(store.view, ids):
        for i, *found in await store.client.read(cypher.hops(store.view, few), keys=keys_of(store.view, ids)):
            out[places[i]] = _hops(*found)
    return out


def _hops(out: list[str], back: list[str], literals: list[str]) -> frozenset[Hop]:
    forward = (Hop(name, inverse=False) for name in (*out, *literals))
    return frozenset((*forward, *(Hop(name, inverse=True) for name in back)))


async def transitions(store: WalkedStore) -> dict[Hop, frozenset[Hop]]:
    """For every hop of the KG, the hops that leave some entity which it reaches; none leave a value."""
    out: dict[Hop, set[Hop]] = defaultdict(set)
    for row in await store.client.read(cypher.transitions(store.view)):
        found = _hops(*row)
        for hop in found:
            if store.view.literal(hop.relation) is None:
                out[Hop(hop.relation, not hop.inverse)] |= found
            else:
                out.setdefault(hop, set())
    return {hop: frozenset(after) for hop, after in out.items()}


async def follow(store: WalkedStore, seeds: list[str], chain: LogicalChain, limit: int | None) -> ChainResult:
    """As `GraphStore.follow`."""
    view = store.view
    if not cypher.walkable(view, chain):
        return ChainResult(())
    query = cypher.chain(view, chain, limited=limit is not None)
    rows = await store.client.read_packed(query, cypher.REACHED, keys=keys_of(view, seeds), limit=limit)
    # Sorted here: a database's own order of texts is not that of Python, and stores have to agree.
    rows.sort(key=lambda row: (-row[1], row[2], row[0][-1]))
    if cypher.ends_in_value(view, chain):
        rows = [[[*ids[:-1], ValueText(ids[-1])], *more] for ids, *more in rows]
    reached = (Reached(ids[-1], round(support), _path(ids, chain)) for ids, support, _, _ in rows)
    return ChainResult(tuple(reached), any(cut for *_, cut in rows))


def _path(ids: Sequence[str], chain: LogicalChain) -> ReasoningPath:
    steps = zip(ids, chain, ids[1:], strict=False)
    return tuple(
        WalkedTriple(end, hop.relation, start, True) if hop.inverse else WalkedTriple(start, hop.relation, end, False)
        for start, hop, end in steps
    )


async def reaches(store: WalkedStore, seed: str, chain: LogicalChain, without: Sequence[str]) -> bool:
    """As `GraphStore.reaches`."""
    if not chain:
        return seed not in without and (await store.entities([seed]))[0] is not None
    if not cypher.walkable(store.view, chain):
        return False
    query = cypher.reaches(store.view, chain)
    return bool(await store.client.read(query, keys=keys_of(store.view, [seed]), without=list(without)))


async def paths(store: WalkedStore, source: str, target: str, max_hops: int, limit: int) -> list[ReasoningPath]:
    """As `GraphStore.paths`; a target that is not an entity's id is read as the text of a value."""
    view, start = store.view, keys_of(store.view, [source])
    if source == target or limit <= 0 or max_hops < 1 or not start:
        return []
    to_value = isinstance(target, ValueText) or not (is_element(target) or view.made)
    if view.made and view.literals and not to_value:
        to_value = (await store.entities([target]))[0] is None
    if not (view.literals if to_value else view.made or view.relations):
        return []
    goal = str(target) if to_value else keys_of(view, [target])[0]
    query = cypher.paths(view, max_hops, to_value=to_value)
    rows = await store.client.read(query, source=start[0], target=goal, limit=limit)
    return [
        tuple(
            WalkedTriple(ids[i], kind, ids[i + 1], False) if forward else WalkedTriple(ids[i + 1], kind, ids[i], True)
            for i, (kind, forward) in enumerate(zip(types, directions, strict=True))
        )
        for found, types, directions in rows
        for ids in [[*found[:-1], ValueText(found[-1]) if to_value else found[-1]]]
    ]


async def contains(store: WalkedStore, triples: Sequence[Triple]) -> list[bool]:
    """As `GraphStore.contains`."""
    view, out = store.view, [False] * len(triples)
    literal = {i for i, triple in enumerate(triples) if view.literal(triple.relation)}
    related = [i for i, triple in enumerate(triples) if i not in literal and view.knows(Hop(triple.relation, False))]
    for places, query in (
        (related, cypher.contains(view)),
        (sorted(literal), cypher.contains_values(view)),
    ):
        if places:
            rows = [_row(view, triples[i]) for i in places]
            if places[0] in literal:
                rows = [[head, relation, triples[i][2]] for i, (head, relation, _) in zip(places, rows, strict=True)]
            for (place,) in await store.client.read(query, rows=rows):
                out[places[place]] = True
    return out


async def qualifiers(store: WalkedStore, triples: Sequence[Triple]) -> list[tuple[dict[str, str], ...]]:
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
