"""What Trivium writes into a database: one marker with counts and content hash, entities, triples.

An entity is a node, a triple between entities a relationship, a value a property of its entity's node: a number, truth
value or date as such where its text says no more than that, else as text.

A write is one transaction that begins by locking the marker, so that writers wait for each other, and ends by
bringing its counts up to date; nothing of a failed one stays.
"""

from __future__ import annotations

import json
import re
import uuid
from collections import defaultdict
from collections.abc import AsyncIterator, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from neo4j import AsyncManagedTransaction
from neo4j.time import Date

from trivium.kg.content_hash import ContentHash, hash_strings, statement_lanes, statements_of, triple_lanes
from trivium.kg.embedded.natures import MOST_ENTITIES, split_types, type_relations
from trivium.kg.embedded.write import checked_entities, checked_triples
from trivium.kg.errors import BadInputError, newer
from trivium.kg.manifest import now
from trivium.kg.neo4j import administration as admin
from trivium.kg.neo4j import cypher
from trivium.kg.neo4j.client import Client, Row
from trivium.kg.neo4j.names import LONGEST_NAME
from trivium.kg.neo4j.values import key_of
from trivium.kg.neo4j.view import MADE, Literal, View
from trivium.kg.text import fold_name
from trivium.kg.types import Entity, KGInfo, QualifiedTriple, Statement, Triple, ValueText
from trivium.kg.values import guess_kind, kind_of_datatype, read_value

FORMAT = 2
"""The version of how a KG is written; a higher one is refused."""

BATCH = 10_000
"""Rows of one statement."""

READY, WRITING = "ready", "writing"

_INTEGER = re.compile(r"0|-?[1-9]\d{0,17}", re.ASCII)
_REAL = re.compile(r"-?\d{1,7}\.\d{1,15}", re.ASCII)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


OWN_KEYS = ("key", "id", "name", "names", "aliases", "types")
"""Properties of an entity's node that are Trivium's own."""


@dataclass(frozen=True)
class Marker:
    """What the marker says.

    Attributes:
        entities, relations: how many there are.
        content: counts and hash of the triples.
        state: `writing` until a copy is whole.
        created: when.
        properties: the relations that are properties, with the number of their triples; one that has none any more
            stays one.
        qualifiers: the properties of relationships, by relation.
        statements: counts and hash of the relationships that have properties.
        parallel: relationships beyond the first of a triple.
    """

    entities: int = 0
    relations: int = 0
    content: ContentHash = ContentHash()  # noqa: RUF009 - immutable
    state: str = READY
    created: str = ""
    properties: Mapping[str, int] = field(default_factory=dict)
    qualifiers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    statements: ContentHash = ContentHash()  # noqa: RUF009 - immutable
    parallel: int = 0

    @property
    def info(self) -> KGInfo:
        """Counts and content hash."""
        digest = self.content.hexdigest(self.statements)
        return KGInfo(self.entities, self.relations, self.content.triples, digest)

    @property
    def relationships(self) -> int:
        """How many relationships the database holds of it."""
        return self.content.triples - sum(self.properties.values()) + self.parallel

    @property
    def view(self) -> View:
        """How it is read."""
        literals = tuple(Literal(name, key_of_property(name), ()) for name in sorted(self.properties))
        return View(literals=literals, qualifiers=dict(self.qualifiers))

    def fields(self) -> dict[str, Any]:
        """Its properties. The lanes are text: an integer of the database holds 63 bits and a sign."""
        stated = self.statements
        return {
            "format": FORMAT, "state": self.state, "entities": self.entities, "relations": self.relations,
            "triples": self.content.triples, "low": str(self.content.low), "high": str(self.content.high),
            "created": self.created or now(), "updated": now(), "stamp": uuid.uuid4().hex,
            "properties": json.dumps(dict(self.properties)), "qualifiers": json.dumps(dict(self.qualifiers)),
            "statements": json.dumps([stated.low, stated.high, stated.triples]), "parallel": self.parallel,
        }  # fmt: skip


def key_of_property(relation: str) -> str:
    """The property of a node that holds the values of a relation."""
    return f"{relation} (property)" if relation in OWN_KEYS else relation


def read_marker(fields: dict[str, Any]) -> Marker:
    """The marker of its properties; raises `VersionError` where a newer Trivium wrote it."""
    if fields["format"] > FORMAT:
        raise newer("the KG in the database", fields["format"], FORMAT)
    content = ContentHash(int(fields["low"]), int(fields["high"]), fields["triples"])
    plain = Marker(fields["entities"], fields["relations"], content, fields["state"], fields["created"])
    if "properties" not in fields:  # format 1: every value is an entity
        return plain
    qualifiers = {kind: tuple(keys) for kind, keys in json.loads(fields["qualifiers"]).items()}
    return replace(
        plain,
        properties=json.loads(fields["properties"]),
        qualifiers=qualifiers,
        statements=ContentHash(*json.loads(fields["statements"])),
        parallel=fields["parallel"],
    )


async def find_marker(client: Client) -> Marker | None:
    """The marker of a database; None where Trivium wrote nothing."""
    rows = await client.read(admin.READ_MARKER)
    return read_marker(rows[0][0]) if rows else None


async def kept_info(client: Client) -> KGInfo | None:
    """The counts that the marker keeps; None where the database's own say that somebody else changed the KG."""
    marker = await find_marker(client)
    ((_, triples),) = await client.read(admin.MADE_COUNTS)
    return marker.info if marker is not None and triples == marker.relationships else None


async def counted_info(batches: AsyncIterator[list[Triple]]) -> KGInfo:
    """Counts and content hash by reading all triples; holds a digest of every entity, 8 bytes and a set's share."""
    content, statements, entities, relations = ContentHash(), ContentHash(), set[int](), set[str]()
    async for batch in batches:
        content = content.plus(triple_lanes(batch))
        statements = statements.plus(statement_lanes(statements_of(batch)))
        ends = (name for head, _, tail in batch for name in (head, tail) if not isinstance(name, ValueText))
        entities.update(hash_strings(dict.fromkeys(ends))[:, 0].tolist())
        relations.update(triple.relation for triple in batch)
    return KGInfo(len(entities), len(relations), content.triples, content.hexdigest(statements))


async def relationship_types(client: Client) -> list[str]:
    """The relationship types of a database."""
    return [name for (name,) in await client.read(admin.RELATIONSHIP_TYPES)]


def entity_row(entity: Entity) -> dict[str, Any]:
    """The properties of an entity; the label is left out where it is the id."""
    name = entity.label if entity.label and entity.label != entity.id else None
    known = [entity.id, *([name] if name else []), *entity.aliases]
    folded = dict.fromkeys(fold_name(text)[:LONGEST_NAME] for text in known)
    return {
        "key": key_of(entity.id), "id": entity.id, "name": name, "names": [text for text in folded if text],
        "aliases": sorted(set(filter(None, entity.aliases))) or None,
        "types": sorted(set(filter(None, entity.types))) or None,
    }  # fmt: skip


def check_relations(triples: Iterable[Triple], properties: Container[str] = ()) -> None:
    """Raise `BadInputError` for a relation that cannot name a relationship type, or that is a property as well."""
    for relation in {triple.relation for triple in triples}:
        if "\0" in relation:
            raise BadInputError(f"a relation's name holds a null character, which Neo4j refuses: {relation!r}")
        if relation in properties:
            raise BadInputError(
                f"relation {relation!r} leads to values and to entities; in Neo4j it can be a property or a "
                "relationship: rename one of them, or declare it with kg build --property"
            )


def native(value: str) -> int | float | bool | Date | str:
    """A value as the database holds it: a number, truth value or date where it reads back as the same text."""
    kind = value.datatype if isinstance(value, ValueText) else ""
    kind = kind_of_datatype(kind) if kind else read_value(value).kind
    if kind == "number" and _INTEGER.fullmatch(value):
        return int(value)
    # Beyond these bounds the database writes a real by powers of ten.
    if kind == "number" and _REAL.fullmatch(value) and repr(float(value)) == value and 1e-3 <= abs(float(value)) < 1e7:
        return float(value)
    if kind == "boolean" and value in ("true", "false"):
        return value == "true"
    if kind == "date" and _DAY.fullmatch(value):
        try:
            return Date.from_iso_format(value)
        except ValueError:
            return str(value)
    return str(value)


def held_together(values: Sequence[str]) -> object:
    """The values of a property as the database holds them: one, or a list of one type; None where there is none."""
    found = [native(value) for value in values]
    if len(found) < 2:
        return found[0] if found else None
    return found if len(set(map(type, found))) == 1 else [str(value) for value in values]


def chunks(rows: Sequence[Any], size: int = BATCH) -> Iterator[Sequence[Any]]:
    """The rows in pieces."""
    return (rows[start : start + size] for start in range(0, len(rows), size))


def by_relation(triples: Iterable[Triple]) -> dict[str, list[tuple[str, str, dict[str, Any] | None]]]:
    """The keys of head and tail and the properties of the relationships of each relation, parallel ones too."""
    grouped: dict[str, list[tuple[str, str, dict[str, Any] | None]]] = defaultdict(list)
    for triple in triples:
        ends = key_of(triple[0]), key_of(triple[2])
        statements = triple.statements if isinstance(triple, QualifiedTriple) else ()
        grouped[triple[1]] += [(*ends, properties_of(each)) for each in statements] or [(*ends, None)]
    return grouped


def properties_of(statement: Statement) -> dict[str, Any]:
    """The properties of a relationship as the database holds them."""
    values: dict[str, list[str]] = defaultdict(list)
    for name, value in statement.properties:
        values[name].append(value)
    return {name: held_together(texts) for name, texts in values.items()}


def qualifiers_of(triples: Iterable[Triple], known: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """The names of the properties of relationships, by relation: those that are known, and those of these triples."""
    names: dict[str, set[str]] = {kind: set(keys) for kind, keys in known.items()}
    for triple, statement in statements_of(triples):
        names.setdefault(triple.relation, set()).update(name for name, _ in statement.properties)
    return {kind: tuple(sorted(keys)) for kind, keys in names.items()}


def extra(triples: Iterable[Triple]) -> int:
    """How many relationships these triples are beyond one each."""
    return sum(max(len(row.statements) - 1, 0) for row in triples if isinstance(row, QualifiedTriple))


async def add(client: Client, triples: list[Triple], entities: list[Entity]) -> int:
    """Add triples and name entities in one transaction; returns how many triples were new.

    A plain tail is a value where its relation is a property; of a relation that is new, its tails decide. Types that
    came as triples when the KG was built come so here.

    Raises:
        BadInputError: a name that Neo4j cannot hold, a relation to entities and to values, or properties for a
            relationship that is there already.
    """
    rows, named = checked_triples(triples), checked_entities(entities)

    async def work(tx: AsyncManagedTransaction) -> int:
        marker = await _locked(tx)
        facts, typed = await _split_types(tx, marker, rows)
        came_types = await _name(tx, typed)
        values, plain = await _split(tx, marker, facts)
        check_relations(plain, {*marker.properties, *(row.relation for row in values)})
        ids = dict.fromkeys([row.head for row in facts] + [row.tail for row in plain])
        await _put(tx, admin.MERGE_ENTITIES, [entity_row(Entity(id_, id_)) for id_ in ids])
        new = [row for row, known in zip(plain, await _stored(tx, plain), strict=True) if not known]
        if held := [row for row in plain if isinstance(row, QualifiedTriple) and row not in new]:
            raise BadInputError(
                f"{tuple(held[0])} is there already and cannot be given properties: remove it, and add it again"
            )
        before = await _held(tx, values)
        new_values = [row for row in values if str(row.tail) not in before[row.head, row.relation]]
        came = await _lonely(tx, [*new, *new_values], plain=new)
        relations = await _unused(tx, new)
        relations += sum(not marker.properties.get(name) for name in {row.relation for row in new_values})
        for relation, pairs in by_relation(new).items():
            await _put(tx, admin.create_triples(relation), pairs)
        await _write_values(tx, before, new_values, [])
        await _name(tx, named)
        both = [*new, *new_values]
        after = replace(
            marker,
            entities=marker.entities + came,
            relations=marker.relations + relations,
            content=marker.content.plus(triple_lanes(both)),
            properties=_counted(marker.properties, new_values, +1, known={row.relation for row in values}),
            qualifiers=qualifiers_of(new, marker.qualifiers),
            statements=marker.statements.plus(statement_lanes(statements_of(new))),
            parallel=marker.parallel + extra(new),
        )
        await _values(tx, admin.SET_MARKER, fields=after.fields())
        return len(both) + came_types

    return await client.write(work)


async def delete(client: Client, triples: list[Triple]) -> int:
    """Delete triples, and entities left without one, in one transaction; returns how many triples were there."""
    rows = checked_triples(triples)

    async def work(tx: AsyncManagedTransaction) -> int:
        marker = await _locked(tx)
        facts, typed = await _split_types(tx, marker, rows)
        went_types = await _untype(tx, typed)
        values = [row for row in facts if row.relation in marker.properties]
        plain = [row for row in facts if row.relation not in marker.properties]
        gone = [row for row, known in zip(plain, await _stored(tx, plain), strict=True) if known]
        stated = await _statements(tx, marker, gone)
        before = await _held(tx, values)
        gone_values = [row for row in values if str(row.tail) in before[row.head, row.relation]]
        for relation, pairs in by_relation(Triple(*row) for row in gone).items():
            await _put(tx, admin.delete_triples(relation), pairs)
        await _write_values(tx, before, [], gone_values)
        went, relations = 0, await _unused(tx, gone)
        for keys in chunks(_ends([*gone, *gone_values], plain=gone)):
            went += (await _values(tx, admin.DELETE_LONELY, keys=keys, own=OWN_KEYS))[0][0]
        properties = _counted(marker.properties, gone_values, -1)
        relations += sum(not properties[name] and bool(marker.properties[name]) for name in properties)
        both = [*gone, *gone_values]
        after = replace(
            marker,
            entities=marker.entities - went,
            relations=marker.relations - relations,
            content=marker.content.minus(triple_lanes(both)),
            properties=properties,
            statements=marker.statements.minus(statement_lanes(statements_of(stated))),
            parallel=marker.parallel - extra(stated),
        )
        await _values(tx, admin.SET_MARKER, fields=after.fields())
        return len(both) + went_types

    return await client.write(work)


async def _split_types(
    tx: AsyncManagedTransaction, marker: Marker, rows: list[Triple]
) -> tuple[list[Triple], list[Entity]]:
    """The triples without those that give types in a KG whose types came so, and these as entities with types."""
    called = {name for name in type_relations(rows) if not marker.properties.get(name)}
    if called and not await _values(tx, admin.ANY_TYPE):
        called = set()
    held = {name for name in called if (await _values(tx, admin.count_relation(name)))[0][0]}
    return split_types(rows, called - held)


async def _split(
    tx: AsyncManagedTransaction, marker: Marker, rows: Sequence[Triple]
) -> tuple[list[Triple], list[Triple]]:
    """The triples whose tails are values, as `ValueText`, and the others."""
    typed = {row.relation for row in rows if isinstance(row.tail, ValueText)}
    open_tails: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        if row.relation not in marker.properties and row.relation not in typed:
            open_tails[row.relation].append(row.tail)
    properties = set(marker.properties) | typed
    heads = {row.head for row in rows}
    for relation, tails in open_tails.items():
        distinct = list(dict.fromkeys(tails))
        if guess_kind(distinct) is None or (await _values(tx, admin.count_relation(relation)))[0][0]:
            continue
        known = {row[0] for row in await _values(tx, admin.KNOWN, keys=[key_of(each) for each in distinct])}
        things = sum(tail in heads or tail in known for tail in distinct)
        if things <= MOST_ENTITIES * len(distinct):
            properties.add(relation)
    plain = [row for row in rows if row.relation not in properties]
    values = [
        Triple(row.head, row.relation, row.tail if isinstance(row.tail, ValueText) else ValueText(row.tail))
        for row in rows
        if row.relation in properties
    ]
    return values, plain


def _counted(
    properties: Mapping[str, int], triples: Iterable[Triple], sign: int, known: Iterable[str] = ()
) -> dict[str, int]:
    out = {**dict.fromkeys(known, 0), **properties}
    for row in triples:
        out[row.relation] = out.get(row.relation, 0) + sign
    return out


async def _held(tx: AsyncManagedTransaction, rows: Iterable[Triple]) -> dict[tuple[str, str], list[str]]:
    """The texts of the values that each (head, relation) of these triples has."""
    asked = list(dict.fromkeys((row.head, row.relation) for row in rows))
    out: dict[tuple[str, str], list[str]] = {pair: [] for pair in asked}
    for start in range(0, len(asked), BATCH):
        part = [[key_of(head), key_of_property(relation)] for head, relation in asked[start : start + BATCH]]
        for place, texts in await _values(tx, admin.HELD, rows=part):
            out[asked[start + place]] = texts
    return out


async def _write_values(
    tx: AsyncManagedTransaction,
    before: Mapping[tuple[str, str], Sequence[str]],
    came: Iterable[Triple],
    went: Iterable[Triple],
) -> None:
    """Set the properties of which values came or went."""
    after: dict[tuple[str, str], list[str]] = {}
    for row in came:
        pair = row.head, row.relation
        after.setdefault(pair, list(before[pair])).append(row.tail)
    for row in went:
        pair = row.head, row.relation
        after[pair] = [text for text in after.get(pair, before[pair]) if text != row.tail]
    await put_values(tx, after)


async def put_values(tx: AsyncManagedTransaction, values: Mapping[tuple[str, str], Sequence[str]]) -> None:
    """Set properties: the values of each (head, relation)."""
    grouped: dict[str, list[list[Any]]] = defaultdict(list)
    for (head, relation), texts in values.items():
        grouped[relation].append([key_of(head), held_together(texts)])
    for relation, rows in grouped.items():
        await _put(tx, admin.set_values(key_of_property(relation)), rows)


async def _statements(tx: AsyncManagedTransaction, marker: Marker, rows: Sequence[Triple]) -> list[Triple]:
    """Those of these triples whose relationships have properties, with them."""
    asked = [row for row in rows if row.relation in marker.qualifiers]
    found: dict[int, list[Statement]] = defaultdict(list)
    if asked:
        keys = [[key_of(head), relation, key_of(tail)] for head, relation, tail in asked]
        for i, names, values in await _values(tx, cypher.qualifiers(marker.view), rows=keys):
            pairs = sorted(
                (name, ValueText(text))
                for name, value in zip(names, values, strict=True)
                if value is not None
                for text in (value if isinstance(value, list) else [value])
            )
            found[i].append(Statement(tuple(pairs)))
    return [QualifiedTriple(*asked[i], tuple(statements)) for i, statements in found.items()]


async def _values(tx: AsyncManagedTransaction, query: str, **parameters: Any) -> list[Row]:
    return await (await tx.run(query, parameters)).values()


async def _put(tx: AsyncManagedTransaction, query: str, rows: Sequence[Any]) -> None:
    for part in chunks(rows):
        await (await tx.run(query, {"rows": part})).consume()


async def _locked(tx: AsyncManagedTransaction) -> Marker:
    rows = await _values(tx, admin.LOCK_MARKER)
    return read_marker(rows[0][0]) if rows else Marker()


async def _stored(tx: AsyncManagedTransaction, rows: Sequence[Triple]) -> list[bool]:
    out = [False] * len(rows)
    query = cypher.contains(MADE)
    for start in range(0, len(rows), BATCH):
        keys = [[key_of(head), relation, key_of(tail)] for head, relation, tail in rows[start : start + BATCH]]
        for (place,) in await _values(tx, query, rows=keys):
            out[start + place] = True
    return out


def _ends(triples: Iterable[Triple], plain: Iterable[Triple]) -> list[str]:
    """The keys of the entities in triples: the heads of all, and the tails of plain ones."""
    return list(dict.fromkeys([key_of(row.head) for row in triples] + [key_of(row.tail) for row in plain]))


async def _lonely(tx: AsyncManagedTransaction, triples: Sequence[Triple], plain: Sequence[Triple]) -> int:
    """How many entities in these triples are in no triple yet."""
    keys = _ends(triples, plain)
    return sum([(await _values(tx, admin.COUNT_LONELY, keys=part, own=OWN_KEYS))[0][0] for part in chunks(keys)])


async def _unused(tx: AsyncManagedTransaction, triples: Iterable[Triple]) -> int:
    """How many relations of the triples have no triple."""
    counts = [await _values(tx, admin.count_relation(name)) for name in {triple.relation for triple in triples}]
    return sum(rows[0][0] == 0 for rows in counts)


async def _name(tx: AsyncManagedTransaction, named: list[Entity]) -> int:
    """Give entities their labels (a new one replaces the old), and add aliases and types; how many types were new."""
    count = 0
    await _put(tx, admin.MERGE_ENTITIES, [entity_row(Entity(entity.id, entity.id)) for entity in named])
    for part in chunks(named):
        known = {
            id_: Entity(id_, name or id_, tuple(aliases or ()), tuple(types or ()))
            for id_, name, aliases, types in await _values(
                tx, admin.READ_NAMES, keys=[key_of(entity.id) for entity in part]
            )
        }
        for entity in part:
            old = known[entity.id]
            count += len({*entity.types} - {*old.types, ""})
            label = entity.label if entity.label not in (entity.id, "") else old.label
            known[entity.id] = Entity(entity.id, label, old.aliases + entity.aliases, old.types + entity.types)
        await _put(tx, admin.SET_NAMES, [entity_row(entity) for entity in known.values()])
    return count


async def _untype(tx: AsyncManagedTransaction, named: Sequence[Entity]) -> int:
    """Take types from entities; returns how many were there."""
    gone: dict[str, set[str]] = defaultdict(set)
    for entity in named:
        gone[entity.id].update(entity.types)
    count = 0
    for part in chunks(list(gone)):
        rows = await _values(tx, admin.READ_NAMES, keys=[key_of(id_) for id_ in part])
        left = []
        for id_, name, aliases, types in rows:
            count += len(gone[id_] & {*(types or ())})
            left.append(Entity(id_, name or id_, tuple(aliases or ()), tuple({*(types or ())} - gone[id_])))
        await _put(tx, admin.SET_NAMES, [entity_row(entity) for entity in left])
    return count
