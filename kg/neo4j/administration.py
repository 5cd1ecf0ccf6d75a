"""The Cypher of writing: indexes, the marker, entities and triples that Trivium makes; and of looking at a database."""

from __future__ import annotations

from collections.abc import Iterable

from trivium.kg.neo4j.patterns import any_of, arrows, node, quote
from trivium.kg.neo4j.view import ENTITY, MARKER, Literal, View

NAMES_INDEX, WORDS_INDEX = "trivium_names", "trivium_words"
"""Full-text indexes of what Trivium wrote: whole folded names for look-up, words of names for typos."""

OWN_INDEX = "trivium_own_names"
"""The full-text index of a user's own graph: name properties and texts that are literals."""

MADE_INDEXES = (
    f"CREATE CONSTRAINT trivium_entity_key IF NOT EXISTS FOR (n:{ENTITY}) REQUIRE n.key IS UNIQUE",
    f"CREATE FULLTEXT INDEX {NAMES_INDEX} IF NOT EXISTS FOR (n:{ENTITY}) ON EACH [n.names] "
    "OPTIONS {indexConfig: {`fulltext.analyzer`: 'keyword'}}",
    f"CREATE FULLTEXT INDEX {WORDS_INDEX} IF NOT EXISTS FOR (n:{ENTITY}) ON EACH [n.id, n.name, n.aliases] "
    "OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-folding'}}",
)
DROP_NAME_INDEXES = tuple(f"DROP INDEX {name} IF EXISTS" for name in (NAMES_INDEX, WORDS_INDEX))
DROP_OWN_INDEX = f"DROP INDEX {OWN_INDEX} IF EXISTS"
AWAIT_INDEXES = "CALL db.awaitIndexes(600)"
SHOW_INDEXES = (
    "SHOW FULLTEXT INDEXES YIELD name, state, labelsOrTypes, properties RETURN name, state, labelsOrTypes, properties"
)

COUNTS = (
    "CALL () { MATCH (n) RETURN count(n) AS nodes } CALL () { MATCH ()-[r]->() RETURN count(r) AS triples } "
    "RETURN nodes, triples"
)
"""Nodes and relationships of the database, from its own counters."""

MADE_COUNTS = (
    f"CALL () {{ MATCH (n:{ENTITY}) RETURN count(n) AS nodes }} "
    f"CALL () {{ MATCH (:{ENTITY})-[r]->() RETURN count(r) AS triples }} RETURN nodes, triples"
)
"""The same of what Trivium wrote, a user's relationships from its entities included."""

RELATIONSHIP_TYPES = "CALL db.relationshipTypes() YIELD relationshipType RETURN relationshipType"

READ_MARKER = f"MATCH (m:{MARKER}) RETURN properties(m) LIMIT 1"
LOCK_MARKER = f"MATCH (m:{MARKER}) SET m.writing = true REMOVE m.writing RETURN properties(m) LIMIT 1"
"""Takes the marker's lock until the end of the transaction, so that writers wait for each other."""

SET_MARKER = f"MERGE (m:{MARKER} {{format: $fields.format}}) SET m = $fields"
DELETE_MARKER = f"MATCH (m:{MARKER}) DELETE m"
ATTACHED = f"MATCH (n:{ENTITY})-[r]-(o) WHERE NOT o:{ENTITY} RETURN count(r)"
"""Relationships between what Trivium wrote and what it did not."""

DELETE_MADE = f"MATCH (n:{ENTITY}) CALL (n) {{ DETACH DELETE n }} IN TRANSACTIONS OF 10000 ROWS"

MERGE_ENTITIES = (
    f"UNWIND $rows AS row MERGE (n:{ENTITY} {{key: row.key}}) ON CREATE SET n.id = row.id, n.names = row.names"
)
CREATE_ENTITIES = (
    f"UNWIND $rows AS row CREATE (n:{ENTITY} {{key: row.key, id: row.id, name: row.name, aliases: row.aliases, "
    "types: row.types, names: row.names})"
)
READ_NAMES = f"UNWIND $keys AS key MATCH (n:{ENTITY} {{key: key}}) RETURN n.id, n.name, n.aliases, n.types"
SET_NAMES = (
    f"UNWIND $rows AS row MATCH (n:{ENTITY} {{key: row.key}}) "
    "SET n.name = row.name, n.aliases = row.aliases, n.types = row.types, n.names = row.names"
)
COUNT_LONELY = f"UNWIND $keys AS key MATCH (n:{ENTITY} {{key: key}}) WHERE NOT EXISTS {{ (n)--() }} RETURN count(n)"
DELETE_LONELY = (
    f"UNWIND $keys AS key MATCH (n:{ENTITY} {{key: key}}) WHERE NOT EXISTS {{ (n)--() }} DELETE n RETURN count(n)"
)


def create_triples(relation: str) -> str:
    """$rows (head key, tail key) -> their relationships; they are not there yet."""
    return (
        f"UNWIND $rows AS row MATCH (h:{ENTITY} {{key: row[0]}}) MATCH (t:{ENTITY} {{key: row[1]}}) "
        f"CREATE (h)-[:{quote(relation)}]->(t)"
    )


def delete_triples(relation: str) -> str:
    """$rows (head key, tail key): delete their relationships."""
    return (
        f"UNWIND $rows AS row MATCH (h:{ENTITY} {{key: row[0]}})-[r:{quote(relation)}]->(t:{ENTITY} {{key: row[1]}}) "
        "DELETE r"
    )


def count_relation(relation: str) -> str:
    """Nothing -> triples of a relation that Trivium wrote, from the database's counters."""
    return f"MATCH (:{ENTITY})-[r:{quote(relation)}]->() RETURN count(r)"


def find_named(limit_each: int) -> str:
    """$queries, $texts, $limit -> i, id, name, degree, whether it is its name to the letter; best first."""
    return (
        f"UNWIND range(0, size($queries) - 1) AS i CALL (i) {{ "
        f"CALL db.index.fulltext.queryNodes('{NAMES_INDEX}', $queries[i], {{limit: {limit_each}}}) YIELD node AS n "
        "WITH n, $texts[i] IN ([n.id, coalesce(n.name, n.id)] + coalesce(n.aliases, [])) AS exact, "
        "COUNT { (n)-->() } + COUNT { (n)<--() } AS degree "
        "ORDER BY exact DESC, degree DESC, n.id LIMIT $limit "
        "RETURN n.id AS id, coalesce(n.name, n.id) AS name, degree, exact } RETURN i, id, name, degree, exact"
    )


def scan_named() -> str:
    """As `find_named` without its index: reads all entities. $folded in place of $queries."""
    return (
        f"MATCH (n:{ENTITY}) WHERE any(name IN n.names WHERE name IN $folded) "
        "UNWIND [i IN range(0, size($folded) - 1) WHERE $folded[i] IN n.names] AS i "
        "RETURN i, n.id, coalesce(n.name, n.id), COUNT { (n)-->() } + COUNT { (n)<--() }, "
        "$texts[i] IN ([n.id, coalesce(n.name, n.id)] + coalesce(n.aliases, []))"
    )


def find_similar(index: str, columns: str) -> str:
    """$queries, $limit -> i, `columns` of nodes of a full-text index, degree."""
    return (
        "UNWIND range(0, size($queries) - 1) AS i CALL (i) { "
        f"CALL db.index.fulltext.queryNodes('{index}', $queries[i], {{limit: $limit}}) YIELD node AS n RETURN n }} "
        f"RETURN i, {columns}, COUNT {{ (n)-->() }} + COUNT {{ (n)<--() }}"
    )


def create_own_index(labels: Iterable[str], keys: Iterable[str]) -> str:
    """The full-text index over a user's own names and texts."""
    properties = ", ".join(f"n.{quote(key)}" for key in keys)
    return (
        f"CREATE FULLTEXT INDEX {OWN_INDEX} IF NOT EXISTS FOR (n{any_of(labels)}) ON EACH [{properties}] "
        "OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-folding'}}"
    )


LABELS = "CALL db.labels() YIELD label RETURN label"

_STATISTICS = (
    "WITH collect(x) AS seen UNWIND seen AS x UNWIND keys(x) AS key WITH size(seen) AS total, key, x[key] AS v "
    "RETURN key, total, count(v), count(DISTINCT v), "
    "collect(DISTINCT valueType(v)), avg(size(coalesce(toStringOrNull(v), ''))) ORDER BY key"
)


def sample_label(label: str) -> str:
    """$sample -> key, nodes looked at, nodes that have it, values, their types, mean letters: no value itself."""
    return f"MATCH (x{any_of([label])}) WITH x LIMIT $sample {_STATISTICS}"


def sample_type(kind: str) -> str:
    """The same of the properties of a relationship type."""
    return f"MATCH ()-[x{any_of([kind])}]->() WITH x LIMIT $sample {_STATISTICS}"


def count_label(label: str) -> str:
    """Nothing -> nodes of a label, from the database's counters."""
    return f"MATCH (n{any_of([label])}) RETURN count(n)"


def count_type(kind: str) -> str:
    """Nothing -> relationships of a type, from the database's counters."""
    return f"MATCH ()-[r{any_of([kind])}]->() RETURN count(r)"


def relation_counts(view: View) -> str:
    """Nothing -> type, triples, heads, tails."""
    # Parallel relationships of one type are one triple; Trivium writes none.
    distinct = "" if view.made else "DISTINCT "
    counted = "RETURN kind, count(*) AS triples, count(DISTINCT h) AS heads, count(DISTINCT t) AS tails"
    return " UNION ALL ".join(
        f"MATCH {node(view, 'h')}{arrow}{node(view, 't')} WITH {distinct}type(r) AS kind, h, t {counted}"
        for arrow in arrows(view, view.relations, inverse=False)
    )


def sampled_counts(view: View, relation: str) -> str:
    """$sample -> triples looked at, heads, tails, all triples of the type by the database's counter."""
    (arrow,) = arrows(view, [relation], inverse=False)
    match = f"MATCH {node(view, 'h')}{arrow}{node(view, 't')} WITH h, t LIMIT $sample"
    seen = "RETURN count(*) AS seen, count(DISTINCT h) AS heads, count(DISTINCT t) AS tails"
    each = 2 if relation in view.symmetric else 1
    whole = f"MATCH ()-[r:{quote(relation)}]->() RETURN {each} * count(r) AS whole"
    return f"CALL () {{ {match} {seen} }} CALL () {{ {whole} }} RETURN seen, heads, tails, whole"


def literal_counts(literal: Literal) -> str:
    """Nothing -> triples, heads, tails of a property."""
    match = f"MATCH (h{any_of(literal.labels)}) UNWIND h.{quote(literal.key)} AS v"
    return f"{match} WITH DISTINCT h, v RETURN count(*), count(DISTINCT h), count(DISTINCT v)"


def end_types(view: View, relation: str) -> str:
    """$sample -> types of the head, types of the tail, of the first triples of a relation."""
    literal = view.literal(relation)
    if literal is not None:
        match = f"MATCH (h{any_of(literal.labels)}) WHERE h.{quote(literal.key)} IS NOT NULL"
        return f"{match} RETURN labels(h), [] LIMIT $sample"
    kinds = "coalesce({0}.types, [])" if view.made else "labels({0})"
    (arrow,) = arrows(view, [relation], inverse=False)
    match = f"MATCH {node(view, 'h')}{arrow}{node(view, 't')} WITH h, t LIMIT $sample"
    return f"{match} RETURN {kinds.format('h')}, {kinds.format('t')}"
