"""`trivium import`: sources to a KG; tables by a mapping that is guessed, shown, written down and yours to edit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trivium.app.cli.import_graph import examples
from trivium.app.cli.kg.options import JsonOption
from trivium.app.cli.output import complain, print_facts, print_json, print_rows
from trivium.kg.errors import UsageError

if TYPE_CHECKING:
    from trivium.kg.tables.apply import Applied
    from trivium.kg.tables.mapping import Mappings
    from trivium.kg.types import Triple


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("import")(import_tables)


def import_tables(  # noqa: PLR0913, PLR0917 - a command has as many parameters as options
    sources: Annotated[
        list[str],
        typer.Argument(metavar="F…|URL", help="CSV, TSV, JSON, Parquet, RDF, triples, Neo4j exports; .gz; or SPARQL."),
    ],
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="The KG directory; one that is there is brought up to date.")
    ],
    mapping: Annotated[
        Path, typer.Option(metavar="F", help="What each column becomes: used where it is there, else guessed into it.")
    ] = Path("mapping.toml"),
    name_by: Annotated[
        list[str] | None, typer.Option("--name-by", metavar="IRI", help="RDF: a further property that names entities.")
    ] = None,
    graph: Annotated[str, typer.Option(metavar="IRI", help="SPARQL: the named graph to read.")] = "",
    page: Annotated[int, typer.Option(metavar="N", help="SPARQL: statements asked for at once.")] = 10_000,
    max_statements: Annotated[
        int, typer.Option(min=1, metavar="N", help="SPARQL: an endpoint that holds more is refused.")
    ] = 5_000_000,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the mapping and ten triples, and build no KG.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Make a KG of tables, of files of triples, or of a SPARQL endpoint; run again, bring it up to date.

    A table's row is an entity, a column a property, a name of its own, or a link to another table. What each column
    becomes is guessed, shown and written to mapping.toml: correct that file and run the same command again. The KG
    keeps what it has learned; the command says what came and what went.

    A SPARQL endpoint is read in pages; a download that was interrupted goes on.
    """
    from trivium.app.cli.import_graph import import_endpoint, import_files
    from trivium.kg.loaders import is_graph
    from trivium.kg.loaders.sparql import SparqlEndpoint, is_endpoint

    names = frozenset(name_by or ())
    if any(map(is_endpoint, sources)):
        if len(sources) > 1:
            raise UsageError("a SPARQL endpoint is imported alone: give one URL and no file")
        endpoint = SparqlEndpoint(sources[0], graph, page)
        import_endpoint(endpoint, out, names, max_statements, dry_run=dry_run, as_json=as_json)
        return
    files = [Path(source) for source in sources]
    graphs = [path for path in files if is_graph(path)]
    if graphs and len(graphs) < len(files):
        table = next(path for path in files if path not in graphs)
        raise UsageError(f"{graphs[0]} is a graph, {table} a table: import them into KGs of their own")
    if graphs:
        import_files(files, out, names, dry_run=dry_run, as_json=as_json)
    elif names:
        raise UsageError(f"--name-by is for RDF; of a table set label in {mapping}")
    else:
        import_as_tables(files, out, mapping, dry_run=dry_run, as_json=as_json)


def import_as_tables(
    files: list[Path], out: Path, mapping: Path = Path("mapping.toml"), *, dry_run: bool, as_json: bool
) -> None:
    """Build a KG of tables, or bring the one that is there up to date."""
    from trivium.app.cli.import_graph import report_update, update
    from trivium.kg.files import write_atomic
    from trivium.kg.manifest import is_kg
    from trivium.kg.tables.apply import Applied
    from trivium.kg.tables.guess import guess_mapping
    from trivium.kg.tables.mapping import read_mapping, write_mapping
    from trivium.kg.tables.reading import read_tables

    tables = read_tables(files)
    guessed = not mapping.exists()
    mappings = guess_mapping(tables) if guessed else read_mapping(mapping, tables)
    if guessed:
        write_atomic(mapping, write_mapping(mappings).encode())
    applied = Applied(tables, mappings)
    if dry_run:
        _show(mappings, examples(islice(chain.from_iterable(applied.batches()), 10_000)))
    elif is_kg(out):
        done = update(out, list(chain.from_iterable(applied.batches())), list(applied.entities()))
        report_update(done, {"rows": applied.rows}, as_json=as_json)
    else:
        facts, shown = _build(out, applied)
        if not as_json:
            _show(mappings, shown)
        (print_json if as_json else print_facts)({**facts, "rows": applied.rows})
    _tell_unknown(applied)
    _tell_opaque(mappings)
    _say_where(mapping, guessed=guessed)


def _say_where(mapping: Path, *, guessed: bool) -> None:
    if guessed:
        complain(f"what each column becomes was guessed, see {mapping}: correct it and run the same command again")


def _show(mappings: Mappings, triples: Iterable[Triple]) -> None:
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
    print_rows(("head", "relation", "tail"), triples)


def _build(out: Path, applied: Applied) -> tuple[dict[str, object], list[Triple]]:
    from trivium.app.cli.kg.make import derive
    from trivium.app.cli.progress import progress
    from trivium.kg.embedded import build

    shown: list[Triple] = []
    with progress() as show:

        def batches() -> Iterable[list[Triple]]:
            nonlocal shown
            for batch in applied.batches():
                shown = shown or examples(batch)
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
    return asdict(held), shown


def _tell_opaque(mappings: Mappings) -> None:
    """Name the types that no question can name."""
    from trivium.knowledge.report import is_opaque

    for name, table in mappings.items():
        if table.type and is_opaque(table.type):
            complain(f'the type {table.type!r} has no word that a question can use: set type = "…" under [{name}]')


def _tell_unknown(applied: Applied) -> None:
    for place, count in applied.unknown.items():
        complain(f"{place}: {count:,} cells name no row of the table that they refer to")
