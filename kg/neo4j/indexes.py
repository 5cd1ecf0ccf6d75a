"""The indexes that a KG in Neo4j needs to be found by name; made by `trivium kg index`, never unasked."""

from __future__ import annotations

from trivium.kg.errors import BadInputError
from trivium.kg.neo4j import administration as admin
from trivium.kg.neo4j.store import Neo4jStore
from trivium.kg.neo4j.view import View


async def make_indexes(store: Neo4jStore) -> list[str]:
    """Make those that are missing and wait until they answer; returns the names of all.

    Raises:
        BadInputError: a graph of a user's own has no name property.
        StoreError: the user may not change the schema.
    """
    if store.view.made:
        statements: tuple[str, ...] = admin.MADE_INDEXES
        names = [admin.NAMES_INDEX, admin.WORDS_INDEX]
    else:
        labels, keys = indexed(store.view)
        if not keys:
            raise BadInputError(f"{store.client.address}: nothing to index, no label has a property like a name")
        # The properties may have changed since an older index was made.
        statements, names = (admin.DROP_OWN_INDEX, admin.create_own_index(labels, keys)), [admin.OWN_INDEX]
    for statement in statements:
        await store.client.run(statement)
    await store.client.run(admin.AWAIT_INDEXES)
    return names


def indexed(view: View) -> tuple[list[str], list[str]]:
    """The labels and properties of a user's own graph by whose texts entities are found."""
    return sorted({each.label for each in view.names if each.label}), sorted(view.name_keys)
