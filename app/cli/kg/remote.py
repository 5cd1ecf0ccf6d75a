"""`trivium kg schema`, `index` and `snapshot`: how a KG is read, and what makes one in Neo4j fast."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from trivium.app.cli.kg.options import JsonOption, KGArgument
from trivium.app.cli.output import complain, print_facts, print_json, print_rows, print_text
from trivium.kg.errors import UsageError

if TYPE_CHECKING:
    from trivium.kg.neo4j.settings import RemoteKG

RefreshOption = Annotated[bool, typer.Option("--refresh", help="Survey the database's graph again.")]


def schema(kg: KGArgument, refresh: RefreshOption = False, as_json: JsonOption = False) -> None:
    """Show a KG's relations and, of a graph of your own in Neo4j, how its nodes and properties are read."""
    from dataclasses import asdict

    from trivium.kg.neo4j.store import Neo4jStore
    from trivium.knowledge.knowledge import Knowledge

    if refresh:
        _refresh(kg)
    with Knowledge.open(kg) as opened:
        store = opened.store
        relations = asyncio.run(store.schema())
        view = store.view if isinstance(store, Neo4jStore) and not store.view.made else None
    if as_json:
        print_json({"relations": [asdict(row) for row in relations], "view": None if view is None else asdict(view)})
        return
    if view is not None:
        names = [f"{x.label}: {' + '.join(x.keys)}{' behind the label' * x.prefix}" for x in view.names]
        stated = "; ".join(f"{kind}: {', '.join(keys)}" for kind, keys in view.qualifiers.items())
        print_facts({
            "named by": "; ".join(names) or "element ids: no label has a property like a name",
            "labels": ", ".join(view.labels) or "all",
            "against the arrow": ", ".join(view.reversed) or "none",
            "both ways": ", ".join(view.symmetric) or "none",
            "properties": ", ".join(x.relation for x in view.literals) or "none",
            "of relationships": stated or "none",
        })  # fmt: skip
        print_text("")
    columns = ("relation", "triples", "heads", "tails", "from", "to")
    rows = [
        (r.name, r.triples, r.heads, r.tails, ", ".join(r.head_types), r.kind or ", ".join(r.tail_types))
        for r in relations
    ]
    print_rows(columns, rows)


def _refresh(kg: str) -> None:
    from trivium.kg.catalog import cache_folder
    from trivium.kg.neo4j.artifacts import folder_of
    from trivium.kg.neo4j.relations import SCHEMA
    from trivium.kg.neo4j.survey import SURVEY

    for name in (SURVEY, SCHEMA):
        (folder_of(cache_folder(), _remote(kg).address) / name).unlink(missing_ok=True)


def index(kg: KGArgument, as_json: JsonOption = False) -> None:
    """Make the full-text indexes by which names are found; the one thing that Trivium adds to a graph of your own.

    They are for large graphs: names of a small one are looked up in its local copy.
    """
    from trivium.kg.catalog import cache_folder
    from trivium.kg.neo4j.indexes import make_indexes
    from trivium.kg.neo4j.opening import connected, open_store

    remote = _remote(kg)
    with connected(remote) as client:

        async def make() -> list[str]:
            return await make_indexes(await open_store(client, remote, cache_folder(), quiet=True))

        names = client.wait(make())
    (print_json if as_json else print_facts)({"indexes": names if as_json else ", ".join(names)})


def snapshot(kg: KGArgument, as_json: JsonOption = False) -> None:
    """Make the local copy of a KG in Neo4j, on which questions are read, or renew it where the database has changed."""
    from trivium.app.cli.progress import progress
    from trivium.kg.neo4j.snapshots import FOLDERS, counts_of, kept_snapshot
    from trivium.kg.neo4j.store import Neo4jStore
    from trivium.knowledge.knowledge import Knowledge

    base = Knowledge.open(_remote(kg))
    try:
        assert isinstance(base.store, Neo4jStore)
        assert base.copies is not None
        folder = base.copies.folder
        before = kept_snapshot(folder)
        if before is not None:
            nodes, relationships = before.drift(asyncio.run(counts_of(base.store)))
            complain(f"the last copy: {before.created}; since then {nodes:+,} nodes, {relationships:+,} relationships")
        with progress() as show:
            asyncio.run(base.learning_store(lambda s, done, total: show(s, done, total, "")))
        made = kept_snapshot(folder)
        assert made is not None
    finally:
        base.close_now()
    report = {"folder": str(folder / FOLDERS / made.folder), "created": made.created}
    (print_json if as_json else print_facts)({**report, "nodes": made.nodes, "relationships": made.relationships})


def _remote(kg: str) -> RemoteKG:
    from trivium.kg.neo4j.settings import RemoteKG
    from trivium.knowledge.knowledge import find_kg

    found = find_kg(kg)
    if not isinstance(found, RemoteKG):
        raise UsageError(
            f"{kg} is a KG directory; this is for a KG in Neo4j: bolt://… or a name of one in trivium.toml"
        )
    return found
