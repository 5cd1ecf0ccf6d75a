"""The Cypher of writing: indexes, the marker, entities and triples that Trivium makes; and of looking at a database."""

from __future__ import annotations

from collections.abc import Iterable

from trivium.kg.neo4j.patterns import any_of, arrows, held, node, quote, text, values_of
from trivium.kg.neo4j.view import ENTITY, MARKER, View

NAMES_INDEX, WORDS_INDEX = "trivium_names", "trivium_words"
"""Full-text indexes of what Trivium wrote: whole folded names for look-up, words of names for typos."""

OWN_INDEX = "trivium_own_names"
"""The full-text index of a user's own graph: the properties that name its nodes."""

# A small copy keeps the indexes that are there: one that is made otherwise needs another name.
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
ANY_TYPE = f"MATCH (n:{ENTITY}) WHERE n.types IS NOT NULL RETURN true LIMIT 1"
_LONELY = (
    f"UNWIND $keys AS key MATCH (n:{ENTITY} {{key: key}}) "
    "WHERE NOT EXISTS { (n)--() } AND all(k IN keys(n) WHERE k IN $own)"
)
COUNT_LONELY = f"{_LONELY} RETURN count(n)"
DELETE_LONELY = f"{_LONELY} DELETE n RETURN count(n)"
KNOWN = (
    f"UNWIND $keys AS key MATCH (n:{ENTITY} {{key: key}}) WHERE n.name IS NOT NULL OR EXISTS {{ (n)-->() }} RETURN n.id"
)
"""$keys -> ids of those that are heads of triples, or have a name."""

HELD = (
    f"UNWIND range(0, size($rows) - 1) AS i MATCH (n:{ENTITY} {{key: $rows[i][0]}}) WITH i, n[$rows[i][1]] AS v "
    "WHERE v IS NOT NULL RETURN i, CASE WHEN valueType(v) STARTS WITH 'LIST' "
    "THEN [e IN v | toString(e)] ELSE [toString(v)] END"
)
"""$rows (key, property) -> i, the texts of its values."""


def set_values(key: str) -> str:
    """$rows (key of an entity, value or list): set a property."""
    return f"UNWIND $rows AS row MATCH (n:{ENTITY} {{key: row[0]}}) SET n.{quote(key)} = row[1]"


def create_triples(relation: str) -> str:
    """$rows (head key, tail key, properties) -> their relationships; they are not there yet."""
    return (
        f"UNWIND $rows AS row MATCH (h:{ENTITY} {{key: row[0]}}) MATCH (t:{ENTITY} {{key: row[1]}}) "
        f"CREATE (h)-[r:{quote(relation)}]->(t) SET r += coalesce(row[2], {{}})"
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

COUNT_UNLABELLED = "MATCH (n) WHERE size(labels(n)) = 0 RETURN count(n)"

SHOW_CONSTRAINTS = (
    "SHOW CONSTRAINTS YIELD type, entityType, labelsOrTypes, properties WHERE entityType = 'NODE' "
    "RETURN type, labelsOrTypes, properties"
)
SHOW_VALUE_INDEXES = (
    "SHOW INDEXES YIELD type, entityType, labelsOrTypes, properties, state "
    "WHERE entityType = 'NODE' AND type IN ['RANGE', 'TEXT', 'POINT'] AND state = 'ONLINE' "
    "RETURN labelsOrTypes, properties"
)

_EXAMPLES = 20  # values by which a survey tells words from codes


def together(queries: Iterable[str]) -> str:
    """Queries with the same columns as one."""
    return " UNION ALL ".join(queries)


def _joined(branches: Iterable[str], rest: str) -> str:
    """A query whose branches, small ones, go on together: a planner's time grows with what stands in each of them."""
    return f"CALL () {{ {' UNION ALL '.join(branches)} }} {rest}"


def _statistics(branches: Iterable[str]) -> str:
    """From names and lists `seen` of nodes or relationships: the columns of a survey.

    They are name, property, looked at, having, distinct, types, letters, examples. An empty text is a missing value.
    """
    listed = "valueType(v) STARTS WITH 'LIST'"
    return _joined(
        branches,
        "UNWIND seen AS x UNWIND keys(x) AS key "
        "WITH name, size(seen) AS total, key, CASE WHEN x[key] = '' THEN null ELSE x[key] END AS v "
        "RETURN name, key, total, count(v) AS having, count(DISTINCT v) AS distinct, "
        "collect(DISTINCT CASE WHEN v IS NULL THEN null ELSE valueType(v) END) AS types, "
        f"avg(CASE WHEN v IS NULL THEN null WHEN {listed} THEN size(v) ELSE size(toStringOrNull(v)) END) AS letters, "
        f"collect(left(toStringOrNull(v), 200))[..{_EXAMPLES}] AS examples",
    )


EVERY_LABEL = (
    "MATCH (x) UNWIND CASE labels(x) WHEN [] THEN [''] ELSE labels(x) END AS name "
    "RETURN name, collect(x)[..$sample] AS seen"
)
EVERY_TYPE = "MATCH ()-[x]->() WITH type(x) AS name, collect(x)[..$sample] AS seen RETURN name, seen"
"""One pass over a graph that is not large, in place of a query a label or type."""

COUNT_LABELS = "MATCH (x) UNWIND labels(x) AS name RETURN name, count(*)"
COUNT_TYPES = "MATCH ()-[x]->() RETURN type(x), count(*)"


def sample_labels(labels: Iterable[str] | None) -> str:
    """$sample -> the statistics of the properties of labels, None: of all; "": of nodes without a label."""
    if labels is None:
        return _statistics([EVERY_LABEL])
    branches = []
    for label in labels:
        match = f"MATCH (x{any_of([label])})" if label else "MATCH (x) WHERE size(labels(x)) = 0"
        branches.append(f"{match} WITH x LIMIT $sample RETURN {text(label)} AS name, collect(x) AS seen")
    return _statistics(branches)


def sample_types(kinds: Iterable[str] | None) -> str:
    """The same of the properties of relationship types."""
    if kinds is None:
        return _statistics([EVERY_TYPE])
    return _statistics(
        f"MATCH ()-[x{any_of([kind])}]->() WITH x LIMIT $sample RETURN {text(kind)} AS name, collect(x) AS seen"
        for kind in kinds
    )


def count_distinct(label: str, key: str) -> str:
    """Nothing -> label, property, nodes that have it, distinct values, over all nodes of the label."""
    held = f"n.{quote(key)}"
    return (
        f"MATCH (n{any_of([label])}) RETURN {text(label)} AS label, {text(key)} AS key, "
        f"count({held}) AS having, count(DISTINCT {held}) AS distinct"
    )


def count_joined(label: str, keys: Iterable[str]) -> str:
    """$sample -> label, nodes that have one of the properties, distinct texts of them joined."""
    joined = " + ' ' + ".join(f"coalesce(toStringOrNull(n.{quote(key)}), '')" for key in keys)
    return (
        f"MATCH (n{any_of([label])}) WITH n LIMIT $sample WITH trim({joined}) AS v WHERE v <> '' "
        f"RETURN {text(label)} AS label, count(v) AS total, count(DISTINCT v) AS distinct"
    )


def count_label(label: str) -> str:
    """Nothing -> a label and its nodes, from the database's counters."""
    return f"MATCH (n{any_of([label])}) RETURN {text(label)} AS name, count(n) AS count"


def count_type(kind: str) -> str:
    """Nothing -> a relationship type and its relationships, from the database's counters."""
    return f"MATCH ()-[r{any_of([kind])}]->() RETURN {text(kind)} AS name, count(r) AS count"


def relation_counts(view: View) -> str:
    """Nothing -> type, triples, heads, tails."""
    # Parallel relationships of one type are one triple; Trivium writes them only where they have properties.
    distinct = "" if view.made and not view.qualifiers else "DISTINCT "
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


def literal_counts(view: View) -> str:
    """Nothing -> relation, triples, heads, tails, types of each property, in one pass over the nodes."""
    return (
        f"MATCH {node(view, 'h')} UNWIND {values_of(view.literals, 'h')} AS pair "
        "WITH pair[0] AS kind, pair[1] AS vs, valueType(pair[1]) AS type "
        "WITH kind, type, CASE WHEN type STARTS WITH 'LIST' "
        f"THEN COLLECT {{ UNWIND vs AS v WITH v WHERE {held('v')} RETURN DISTINCT toString(v) }} "
        f"ELSE CASE WHEN {held('vs')} THEN [toString(vs)] ELSE [] END END AS vs WHERE size(vs) > 0 "
        "WITH kind, vs, count(*) AS heads, collect(DISTINCT type) AS types UNWIND vs AS v UNWIND types AS type "
        "WITH kind, v, size(vs) AS size, size(types) AS many, heads, type "
        "RETURN kind, sum(toFloat(heads) / many) AS triples, sum(toFloat(heads) / size / many) AS heads, "
        "count(DISTINCT v) AS tails, collect(DISTINCT type) AS types"
    )


def end_types(view: View, relations: Iterable[str]) -> str:
    """$sample -> relation, types of the head, types of the tail, nodes: of the first triples of each relation."""
    kinds = "coalesce({0}.types, [])" if view.made else "labels({0})"
    branches = []
    for relation in relations:
        literal = view.literal(relation)
        if literal is not None:
            match = f"MATCH (h{any_of(literal.labels)}) WHERE h.{quote(literal.key)} IS NOT NULL WITH h, null AS t"
        else:
            (arrow,) = arrows(view, [relation], inverse=False)
            match = f"MATCH {node(view, 'h')}{arrow}{node(view, 't')} WITH h, t"
        branches.append(f"{match} LIMIT $sample RETURN {text(relation)} AS kind, h, t")
    heads, tails = kinds.format("h"), kinds.format("t")
    return _joined(
        branches, f"RETURN kind, {heads} AS heads, CASE WHEN t IS NULL THEN [] ELSE {tails} END AS tails, count(*)"
    )
