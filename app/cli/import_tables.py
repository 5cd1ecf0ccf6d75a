"""`trivium import`: sources to a KG; tables by a mapping that is guessed, shown, written down and yours to edit."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trivium.app.cli.kg.options import JsonOption, SkipBadOption
from trivium.app.cli.output import complain, print_facts, print_json, print_rows, print_section, print_text
from trivium.app.cli.progress import progress
from trivium.kg.errors import UsageError

if TYPE_CHECKING:
    from trivium.app.cli.kg.input import Input
    from trivium.kg.loaders.sparql import SparqlEndpoint
    from trivium.kg.profile import PropertyProfile, TypeProfile
    from trivium.kg.store import GraphStore
    from trivium.kg.tables.apply import Applied
    from trivium.kg.tables.mapping import Mappings
    from trivium.kg.types import Entity, KGInfo, RelationSchema, Triple


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("import")(import_tables)


def import_tables(  # noqa: PLR0913, PLR0917 - a command has as many parameters as options
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="F…|URL",
            help="CSV, TSV, JSON, Excel, SQLite, Parquet, RDF, triples, Neo4j exports; .gz; folders; or SPARQL.",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The KG directory; one that is there is brought up to date. Needed to build."),
    ] = None,
    mapping: Annotated[
        Path, typer.Option(metavar="F", help="What each column becomes: used where it is there, else guessed into it.")
    ] = Path("mapping.toml"),
    name_by: Annotated[
        list[str] | None, typer.Option("--name-by", metavar="IRI", help="RDF: a further property that names entities.")
    ] = None,
    skip_bad: SkipBadOption = False,
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
    from trivium.kg.loaders import is_graph
    from trivium.kg.loaders.sparql import SparqlEndpoint, is_endpoint
    from trivium.kg.tables.reading import files_of

    if out is None and not dry_run:
        raise UsageError("--out DIR is missing: the directory of the KG (--dry-run does without)")
    target = None if dry_run else out
    names = frozenset(name_by or ())
    if any(map(is_endpoint, sources)):
        if len(sources) > 1:
            raise UsageError("a SPARQL endpoint is imported alone: give one URL and no file")
        endpoint = SparqlEndpoint(sources[0], graph, page)
        import_endpoint(endpoint, target, names, max_statements, as_json=as_json)
        return
    given = [Path(source) for source in sources]
    files = [path for each in given for path in (files_of(each) if each.is_dir() else [each])]
    graphs = [path for path in files if is_graph(path)]
    if graphs and len(graphs) < len(files):
        table = next(path for path in files if path not in graphs)
        raise UsageError(f"{graphs[0]} is a graph, {table} a table: import them into KGs of their own")
    if graphs:
        import_files(files, target, names, skip_bad=skip_bad, as_json=as_json)
    elif names:
        raise UsageError(f"--name-by is for RDF; of a table set label in {mapping}")
    elif skip_bad:
        raise UsageError("--skip-bad is for files of triples; a table is read whole")
    else:
        import_as_tables(files, target, mapping, as_json=as_json)


def import_as_tables(
    files: list[Path], out: Path | None, mapping: Path = Path("mapping.toml"), *, as_json: bool
) -> None:
    """Build a KG of tables, or bring the one that is there up to date; without `out`, show what they become."""
    from trivium.kg.files import write_atomic
    from trivium.kg.manifest import is_kg
    from trivium.kg.tables.apply import Applied
    from trivium.kg.tables.guess import guess_mapping
    from trivium.kg.tables.mapping import read_mapping, write_mapping
    from trivium.kg.tables.reading import read_tables

    tables = read_tables(files)
    guessed = not mapping.exists()
    mappings = guess_mapping(tables, complain) if guessed else read_mapping(mapping, tables)
    if guessed:
        write_atomic(mapping, write_mapping(mappings).encode())
    applied = Applied(tables, mappings)
    if out is None:
        _show(mappings, examples(islice(chain.from_iterable(applied.batches()), 10_000)))
    elif is_kg(out):
        done = update(out, list(chain.from_iterable(applied.batches())), list(applied.entities()))
        report_update(done, {"rows": applied.rows}, as_json=as_json)
    else:
        facts, shown = _build(out, applied)
        if not as_json:
            _show(mappings, shown)
        (print_json if as_json else print_facts)({**facts, "rows": applied.rows})
    for table in tables:
        if table.encoding != "utf-8":
            complain(f"{table.path} was read as {table.encoding}; if names look wrong, save it as UTF-8")
    _tell_unknown(applied)
    _tell_opaque(mappings, applied.relations, out)
    _say_where(mapping, guessed=guessed)


def _say_where(mapping: Path, *, guessed: bool) -> None:
    if guessed:
        complain(f"what each column becomes was guessed, see {mapping}: correct it and run the same command again")


def _show(mappings: Mappings, triples: Iterable[Triple]) -> None:
    """Every column with what it becomes, and some of the triples."""
    rows: list[tuple[str, str, str]] = []
    for name, table in mappings.items():
        if table.link:
            states = f"the relations in {table.link.by}" if table.link.by else f"relation {table.link.relation}"
            rows.append((name, f"{table.link.head}, {table.link.tail}", states))
        elif table.about:
            rows.append((name, table.id, f"names the row of {table.about}"))
        else:
            row = f"entity of the type in {table.type_by}" if table.type_by else table.type
            rows.append((name, table.id or "(the row's number)", f"one {row} a row"))
            rows += [(name, column, "its name") for column in table.label]
        for column, each in table.columns.items():
            kind = f"{each.kind}, written {each.read}" if each.read else each.kind
            becomes = "left out" if each.skipped else f"property {each.relation} ({kind})"
            if each.to:
                becomes = f"relation {each.relation} to {each.to}"
            if each.within:
                parts = (own if own == theirs else f"{theirs} = {own}" for own, theirs in each.within)
                becomes += f" within {', '.join(parts)}"
            if each.label:
                becomes += f", called by {each.label}"
            if each.split:
                becomes += f", several a cell ({each.split})"
            if each.of:
                becomes += f", also of {', '.join(each.of)}"
            if each.by:
                becomes = f"properties called by {each.by}"
            rows.append((name, column, becomes))
    print_rows(("table", "column", "becomes"), rows)
    print_rows(("head", "relation", "tail"), triples)


def _build(out: Path, applied: Applied) -> tuple[dict[str, object], list[Triple]]:
    from trivium.app.cli.kg.make import derive
    from trivium.app.cli.progress import progress
    from trivium.kg.embedded import build

    shown: list[Triple] = []
    with progress() as show:
        tables = applied.mappings.values()
        natures = {each.relation: "entity" for table in tables for each in table.columns.values() if each.to}
        # Which relations a column names is known only once it has been read; their tails are entities' ids anyway.
        natures |= {table.link.relation: "entity" for table in tables if table.link and not table.link.by}

        def batches() -> Iterable[list[Triple]]:
            nonlocal shown
            unsaid = {*natures}
            for batch in applied.batches():
                shown = shown or examples(batch)
                unsaid -= {triple.relation for triple in batch}
                show("reading", applied.rows, None, "rows")
                yield batch
            for name in unsaid:  # no cell of a column named a thing
                del natures[name]

        held = build(out, batches(), applied.entities(), show, natures=natures)
    derive(out, held, "static", any_size=True)
    return asdict(held), shown


def _tell_opaque(mappings: Mappings, relations: Iterable[str], out: Path | None) -> None:
    """Name the types and relations that no question can name."""
    from trivium.kg.indexes.words import is_opaque

    if coded := [each for each in relations if is_opaque(each)]:
        line = f'trivium kg word {out or "KG"} {shlex.quote(coded[0])} "the words that people use"'
        complain(f"relations without words: {', '.join(coded)}; for each of them run: {line}")
    for name, table in mappings.items():
        if table.type and is_opaque(table.type):
            complain(f'the type {table.type!r} has no word that a question can use: set type = "…" under [{name}]')


def _tell_unknown(applied: Applied) -> None:
    for place, count in applied.unknown.items():
        cells = "1 cell names no row" if count == 1 else f"{count:,} cells name no row"
        complain(f"{place}: {cells} of the table referred to")
    for (place, to), count in applied.ambiguous.items():
        cells = "1 cell names several rows" if count == 1 else f"{count:,} cells name several rows"
        complain(f"{place}: {cells} of {to}, left out; set within = [COLUMN] to say which are meant")


EXAMPLES = 10  # triples shown
_LONGEST_NAME = 80  # letters
_SHOWN = 25  # types and relations of a graph that are shown
_NAMELESS = 0.1  # share of entities without a name from which on it is said


def import_files(
    files: Sequence[Path], out: Path | None, names: Collection[str], *, skip_bad: bool, as_json: bool
) -> None:
    """Build a KG of files of triples, or bring the one that is there up to date; without `out`, show some triples."""
    from trivium.app.cli.kg.input import Input

    given = Input(files, skip_bad=skip_bad, names=names)
    if out is None:
        print_rows(("head", "relation", "tail"), examples(islice(chain.from_iterable(given.batches()), 10_000)))
        return
    _write(given, out, as_json=as_json)


def import_endpoint(
    endpoint: SparqlEndpoint, out: Path | None, names: Collection[str], limit: int, *, as_json: bool
) -> None:
    """Download an endpoint beside the KG, then build or update it; interrupted, the next run goes on.

    Without `out`, show its predicates.
    """
    from trivium.app.cli.kg.input import Input
    from trivium.kg.loaders.sparql import download, remove_download

    if out is None:
        endpoint.check()
        rows = [(each.iri, each.statements, each.blank) for each in endpoint.survey()]
        print_rows(("predicate", "statements", "about blank nodes"), rows)
        return
    folder = out.parent / f".{out.name}.sparql"
    out.parent.mkdir(parents=True, exist_ok=True)
    with progress() as show:
        read = download(endpoint, folder, lambda done, total: show("downloading", done, total), limit=limit)
    if read.resumed:
        complain(f"went on with a download that was interrupted after {read.resumed:,} statements")
    if read.blank:
        complain(f"left out {read.blank:,} statements about blank nodes, which no second query can name")
    _write(Input([read.path], names=names), out, as_json=as_json)
    remove_download(folder)


def _write(given: Input, out: Path, *, as_json: bool) -> None:
    from trivium.app.cli.kg.make import derive, natures_of
    from trivium.app.cli.kg.writing import build_directory
    from trivium.kg.manifest import is_kg
    from trivium.knowledge.knowledge import Knowledge

    if is_kg(out):
        with progress() as show:
            wanted = list(chain.from_iterable(given.shown(show)))
        report_update(update(out, wanted, list(given.entities())), as_json=as_json)
    else:
        held = build_directory(out, given, natures_of(out, []))
        derive(out, held, "static", any_size=True)
        if not as_json:
            with Knowledge.open(str(out)) as opened:
                asyncio.run(_show_graph(opened.store))
        (print_json if as_json else print_facts)(asdict(held))
    given.tell_skipped()
    with Knowledge.open(str(out)) as opened:
        asyncio.run(_tell_nameless(opened.store))


@dataclass(frozen=True)
class Update:
    """What an import changed in a KG that was there.

    Attributes:
        added: triples that are new.
        removed: triples that the sources no longer hold.
        changed: triples whose relationship has other properties than before.
        renamed: (old, new) labels.
        held: the KG as it is now.
    """

    added: list[Triple]
    removed: list[Triple]
    changed: list[Triple]
    renamed: list[tuple[str, str]]
    held: KGInfo

    def counts(self) -> dict[str, int]:
        """How many of each."""
        return {
            "added": len(self.added),
            "removed": len(self.removed),
            "changed": len(self.changed),
            "renamed": len(self.renamed),
        }


def update(out: Path, wanted: Iterable[Triple], entities: Sequence[Entity]) -> Update:
    """Make a KG hold exactly these triples, and entities their labels; aliases and types are added to those there."""
    from trivium.knowledge.knowledge import Knowledge

    with Knowledge.open(str(out), write=True) as opened, progress() as show:
        store, now = opened.store, {triple: triple for triple in wanted}
        show("updating", 0, None)
        before, labels = asyncio.run(_held(store))
        added = [triple for triple in now if triple not in before]
        removed = [triple for triple in before if triple not in now]
        changed = [triple for triple in now if triple in before and _statements(before[triple]) != _statements(triple)]
        new = {each.id: each.label for each in entities if each.label not in ("", each.id)}
        renamed = [(labels[id_], label) for id_, label in new.items() if labels.get(id_, label) != label]
        asyncio.run(store.delete([*removed, *changed]))
        asyncio.run(store.add([*added, *changed], entities))
        return Update(added, removed, changed, renamed, asyncio.run(store.info()))


async def _held(store: GraphStore) -> tuple[dict[Triple, Triple], dict[str, str]]:
    triples = {triple: triple async for batch in store.triples() for triple in batch}
    return triples, {each.id: each.label async for batch in store.all_entities() for each in batch}


def _statements(triple: Triple) -> list[tuple[tuple[str, str], ...]]:
    """The properties of a triple's relationships, in an order of their own."""
    return sorted(each.properties for each in getattr(triple, "statements", ()))


def report_update(done: Update, more: Mapping[str, object] | None = None, *, as_json: bool) -> None:
    """What changed and what went: counts, and on a terminal or in a log the first triples of each."""
    facts = {**done.counts(), **asdict(done.held), **(more or {})}
    if as_json:
        print_json(facts)
        return
    for title, triples in (("Added", done.added), ("Removed", done.removed), ("Changed", done.changed)):
        if triples:
            print_section(f"{title} ({len(triples):,})", ("head", "relation", "tail"), triples[:EXAMPLES])
    if done.renamed:
        print_section(f"Renamed ({len(done.renamed):,})", ("before", "now"), done.renamed[:EXAMPLES])
    print_facts(facts)


def examples(triples: Iterable[Triple]) -> list[Triple]:
    """The first triple of each relation, at most ten."""
    found: dict[str, Triple] = {}
    for triple in triples:
        found.setdefault(triple.relation, triple)
    return list(found.values())[:EXAMPLES]


async def _show_graph(store: GraphStore) -> None:
    """What the statements of files of triples became: types, by what their entities are called, and relations."""
    from trivium.kg.indexes import own_words
    from trivium.kg.other_names import language_of_labels

    profile = await store.profile()
    types = [
        (
            each.name or "(no type)",
            each.entities,
            ", ".join(map(own_words, each.naming)) or "label or id",
            "; ".join(text for text in _called(each) if text),
        )
        for each in profile.types[:_SHOWN]
    ]
    relations, schema = [], await store.schema()
    spoken = {language: each for each in schema if (language := language_of_labels(each.name))}
    rest = [each for each in schema if each not in spoken.values()]
    for each in rest[:_SHOWN]:
        ends = f"{_end(each.head_types)} -> {_end(each.tail_types)}"
        becomes = f"relation {own_words(each.name)}" if each.kind is None else f"property {own_words(each.name)}"
        relations.append((each.name, becomes, ends if each.kind is None else each.kind, each.triples))
    print_section("Types", ("type", "entities", "named by", "examples"), types)
    print_section("Relations", ("in the files", "becomes", "of", "triples"), relations)
    if spoken:
        rows = [(language, f"property {each.name}", each.triples) for language, each in spoken.items()]
        print_section("Names in other languages", ("language", "becomes", "names"), rows)
    more = [(len(profile.types), "types"), (len(rest), "relations")]
    if left := [f"{count - _SHOWN:,} more {what}" for count, what in more if count > _SHOWN]:
        print_text(f"\n{' and '.join(left)}: trivium kg info, trivium kg report\n")
    else:
        print_text("")


def _called(kind: TypeProfile) -> list[str]:
    """Names of some of a type's entities, where a property holds them."""
    return [text for part in kind.properties if part.name in kind.naming[:1] for text in part.examples[:2]]


def _end(types: Sequence[str]) -> str:
    return types[0] if types and types[0] else "any"


async def _tell_nameless(store: GraphStore) -> None:
    """Say how many entities have an IRI for a name, and which property looks like their names."""
    from trivium.kg.indexes.words import is_opaque
    from trivium.kg.loaders.rdf_terms import local_name
    from trivium.kg.other_names import is_only_names
    from trivium.kg.values import guess_kind

    entities = nameless = opaque = 0
    async for batch in store.all_entities():
        entities += len(batch)
        ids = [each.id for each in batch if "://" in each.id and each.label in (each.id, local_name(each.id))]
        nameless += len(ids)
        opaque += sum(is_opaque(local_name(id_)) for id_ in ids)
    if nameless <= _NAMELESS * entities:
        return
    # The store itself takes a property for names that nearly all entities of a type have; its entities have names.
    found = [each for each in await store.schema() if _names(each, entities) and each.heads <= nameless]
    no_names = {
        each.name
        for kind in (await store.profile()).types
        for each in kind.properties
        if _is_prose(each) or guess_kind(each.examples) is not None or each.name in kind.naming
    }
    found = [each for each in found if each.name not in no_names and not is_only_names(each.name)]
    best = max(found, key=lambda each: each.heads, default=None)
    if best is None and opaque <= _NAMELESS * entities:
        return  # http://dbpedia.org/resource/Casablanca names itself
    known = f"; {best.name} looks like names: import again with --name-by {best.name}" if best else ""
    what = "they are called by the last part of their IRI"
    complain(f"{nameless:,} of {entities:,} entities have no name, {what}{known or '; add names with --name-by IRI'}")


def _is_prose(found: PropertyProfile) -> bool:
    """Whether a property's texts are sentences, which describe and do not name."""
    return any(len(text) > _LONGEST_NAME for text in found.examples)


def _names(relation: RelationSchema, entities: int) -> bool:
    """Whether a property's texts may be names: one to an entity, nearly all different, of many entities."""
    single = relation.triples < 1.05 * relation.heads
    return relation.kind == "text" and single and relation.tails > 0.8 * relation.heads > 0.08 * entities
