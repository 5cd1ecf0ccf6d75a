"""`trivium import`: tables to a KG, by a mapping that is guessed, shown, written down and yours to edit."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import asdict
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trivium.app.cli.kg.options import JsonOption
from trivium.app.cli.output import complain, print_facts, print_json, print_rows
from trivium.kg.errors import UsageError

if TYPE_CHECKING:
    from trivium.kg.store import GraphStore
    from trivium.kg.tables.apply import Applied
    from trivium.kg.tables.mapping import Mappings
    from trivium.kg.types import Triple

_EXAMPLES = 10  # triples shown


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("import")(import_tables)


def import_tables(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="F…", help="CSV or TSV with a header, JSON records, Parquet, Neo4j exports; .gz."),
    ],
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="The KG directory; one that is there is brought up to date.")
    ],
    mapping: Annotated[
        Path, typer.Option(metavar="F", help="What each column becomes: used where it is there, else guessed into it.")
    ] = Path("mapping.toml"),
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the mapping and ten triples, and build no KG.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Make a KG of tables: a row is an entity, a column a property, a name of its own, or a link to another table.

    What each column becomes is guessed, shown and written to mapping.toml. Correct that file and run the same command
    again: the KG is brought up to date, and keeps what it has learned.
    """
    from trivium.kg.files import write_atomic
    from trivium.kg.loaders import is_graph_export
    from trivium.kg.manifest import is_kg
    from trivium.kg.tables.apply import Applied
    from trivium.kg.tables.guess import guess_mapping
    from trivium.kg.tables.mapping import read_mapping, write_mapping
    from trivium.kg.tables.reading import read_tables

    exported = [path for path in files if is_graph_export(path)]
    if exported:
        _import_export(files, exported, out, dry_run=dry_run, as_json=as_json)
        return
    tables = read_tables(files)
    guessed = not mapping.exists()
    mappings = guess_mapping(tables) if guessed else read_mapping(mapping, tables)
    if guessed:
        write_atomic(mapping, write_mapping(mappings).encode())
    applied = Applied(tables, mappings)
    if dry_run:
        _show(mappings, _examples(islice(chain.from_iterable(applied.batches()), 10_000)))
        _tell_opaque(mappings)
        _say_where(mapping, guessed=guessed)
        return
    if is_kg(out):
        facts = _update(out, applied)
    else:
        facts, examples = _build(out, applied)
        if not as_json:
            _show(mappings, examples)
    _tell_unknown(applied)
    _tell_opaque(mappings)
    _say_where(mapping, guessed=guessed)
    (print_json if as_json else print_facts)({**facts, "rows": applied.rows})


def _import_export(files: list[Path], exported: list[Path], out: Path, *, dry_run: bool, as_json: bool) -> None:
    """Build a KG of a graph that Neo4j exported; it says itself what each column is."""
    if tables := [path for path in files if path not in exported]:
        what = f"{exported[0]} is a graph that Neo4j exported, {tables[0]} a table: import them into KGs of their own"
        raise UsageError(what)
    if dry_run:
        from trivium.kg.loaders import read_triples

        print_rows(("head", "relation", "tail"), _examples(islice(chain.from_iterable(read_triples(files[0])), 10_000)))
        return
    from trivium.app.cli.kg.make import build

    build(files, str(out), as_json=as_json)


def _say_where(mapping: Path, *, guessed: bool) -> None:
    if guessed:
        complain(f"what each column becomes was guessed, see {mapping}: correct it and run the same command again")


def _show(mappings: Mappings, examples: Iterable[Triple]) -> None:
    """Every column with what it becomes, and some of the triples."""
    rows: list[tuple[str, str, str]] = []
    for name, table in mappings.items():
        if table.link:
            rows.append((name, f"{table.link.head}, {table.link.tail}", f"relation {table.link.relation}"))
        elif table.about:
            rows.append((name, table.id, f"names the row of {table.about}"))
        else:
            rows.append((name, table.id or "(the row's number)", f"one {table.type} a row"))
            rows += [(name, column, "its name") for column in table.label]
        for column, each in table.columns.items():
            becomes = "left out" if each.skipped else f"property {each.relation} ({each.kind})"
            if each.to:
                becomes = f"relation {each.relation} to {each.to}"
            rows.append((name, column, becomes))
    print_rows(("table", "column", "becomes"), rows)
    print_rows(("head", "relation", "tail"), examples)


def _examples(triples: Iterable[Triple]) -> list[Triple]:
    """The first triple of each relation, at most ten."""
    found: dict[str, Triple] = {}
    for triple in triples:
        found.setdefault(triple.relation, triple)
    return list(found.values())[:_EXAMPLES]


def _build(out: Path, applied: Applied) -> tuple[dict[str, object], list[Triple]]:
    from trivium.app.cli.kg.make import derive
    from trivium.app.cli.progress import progress
    from trivium.kg.embedded import build

    examples: list[Triple] = []
    with progress() as show:

        def batches() -> Iterable[list[Triple]]:
            nonlocal examples
            for batch in applied.batches():
                examples = examples or _examples(batch)
                show("reading", applied.rows, None, "rows")
                yield batch

        natures = {
            column.relation: "entity"
            for table in applied.mappings.values()
            for column in table.columns.values()
            if column.to
        }
        links = {table.link.relation: "entity" for table in applied.mappings.values() if table.link}
        held = build(out, batches(), applied.entities(), show, natures={**natures, **links})
    derive(out, held, "static")
    return asdict(held), examples


def _update(out: Path, applied: Applied) -> dict[str, object]:
    """Add what is new in the tables and remove what is no longer there."""
    from trivium.app.cli.progress import progress
    from trivium.knowledge.knowledge import Knowledge

    with Knowledge.open(str(out), write=True) as opened, progress() as show:
        wanted = set(chain.from_iterable(applied.batches()))
        held = asyncio.run(_held(opened.store))
        show("updating", 0, None)
        removed = asyncio.run(opened.store.delete(held - wanted))
        added = asyncio.run(opened.store.add(wanted - held, applied.entities()))
        return {"added": added, "removed": removed, **asdict(asyncio.run(opened.store.info()))}


async def _held(store: GraphStore) -> set[Triple]:
    return {triple async for batch in store.triples() for triple in batch}


def _tell_opaque(mappings: Mappings) -> None:
    """Name the types that no question can name."""
    from trivium.knowledge.report import is_opaque

    for name, table in mappings.items():
        if table.type and is_opaque(table.type):
            complain(f'the type {table.type!r} has no word that a question can use: set type = "…" under [{name}]')


def _tell_unknown(applied: Applied) -> None:
    for place, count in applied.unknown.items():
        complain(f"{place}: {count:,} cells name no row of the table that they refer to")
