"""`trivium kg build`, `copy`, `export` and `vectors`: a KG from files, from a KG, back to files; its vectors."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from trivium.app.cli.kg.options import (
    EntitiesOption,
    Files,
    JsonOption,
    KGArgument,
    PropertyOption,
    ReplaceOption,
    SkipBadOption,
    WriteOption,
)
from trivium.app.cli.options import WorkersOption
from trivium.app.cli.output import complain, print_facts, print_json
from trivium.kg.cores import use_workers
from trivium.kg.errors import (
    BadInputError,
    CorruptError,
    KnowledgeBaseExistsError,
    NotLearnedError,
    TriviumError,
    UsageError,
)

if TYPE_CHECKING:
    from trivium.kg.neo4j.settings import RemoteKG
    from trivium.kg.store import GraphStore
    from trivium.kg.types import KGInfo
    from trivium.knowledge.knowledge import Knowledge


def build(  # noqa: PLR0913, PLR0917 - a command has as many parameters as options
    files: Files,
    out: Annotated[
        str, typer.Option(metavar="DIR", help="The new KG directory, which must not exist or be empty; or bolt://…")
    ],
    entities: EntitiesOption = None,
    skip_bad: SkipBadOption = False,
    write: WriteOption = False,
    replace: ReplaceOption = False,
    properties: PropertyOption = None,
    embedder: Annotated[
        str, typer.Option(metavar="NAME", help="static, minilm, hf:MODEL, PROVIDER:MODEL: makes the KG's vectors.")
    ] = "static",
    workers: WorkersOption = None,
    as_json: JsonOption = False,
) -> None:
    """Build a KG from files of triples, in a directory or a Neo4j database; repeated triples count once.

    Tables (four columns or more under a header, JSON records, Parquet) are read as trivium import does.

    A relation whose tails are all numbers, dates or the like is a property; trivium kg info shows which, and --property
    or [kg.NAME.properties] in trivium.toml sets it.

    Trivium learns a directory of up to 500,000 triples and 500 relations from its schema, so that it answers questions
    at once.
    """
    from trivium.app.cli.kg.input import Input
    from trivium.app.cli.kg.writing import build_directory
    from trivium.kg.embedded.build import refuse_existing
    from trivium.kg.embedders import open_embedder
    from trivium.kg.embedders.huggingface import HuggingFaceEmbedder, MiniLMEmbedder
    from trivium.kg.loaders import is_table

    use_workers(workers)
    chosen = open_embedder(embedder)  # an unknown one is refused before hours of reading
    if isinstance(chosen, HuggingFaceEmbedder | MiniLMEmbedder):
        _ = chosen.dimensions  # so is one whose model cannot be loaded: each question would wait for it in vain
    target = _target(out)
    if isinstance(target, Path) and all(map(is_table, files)):
        from trivium.app.cli.import_tables import import_as_tables

        refuse_existing(target)
        import_as_tables(files, target, as_json=as_json)
        return
    natures = natures_of(target, properties or [])
    if isinstance(target, Path):
        if replace:
            raise UsageError("--replace is for a database; remove the directory, or see trivium kg copy --replace")
        given = Input(files, entities, skip_bad=skip_bad)
        try:
            held = build_directory(target, given, natures)
        except KnowledgeBaseExistsError as error:
            raise KnowledgeBaseExistsError(f"{error}{_unlearned(target)}") from error
    else:
        from trivium.app.cli.kg.writing import load_files

        given = Input(files, entities, skip_bad=skip_bad)
        held = load_files(given, target, write=write, replace=replace, natures=natures)
    given.tell_skipped()
    derive(target, held, embedder)
    report = {**asdict(held), "skipped": given.skipped}
    (print_json if as_json else print_facts)(report)


def _unlearned(directory: Path) -> str:
    """What to do with a KG whose build was killed before it had learned; empty where it has, or is none."""
    from trivium.kg.manifest import is_kg

    if not is_kg(directory) or _has_learned(directory):
        return ""
    return f"; it has not learned from its schema yet: trivium learn keqing --kg {directory}"


def _has_learned(directory: Path) -> bool:
    from trivium.policies.reader.chains.artifact import DECOMPOSER

    return DECOMPOSER.exists(directory / "keqing")


def natures_of(target: Path | RemoteKG, options: list[str]) -> dict[str, str]:
    """What trivium.toml and, before it, --property say of relations."""
    from trivium.kg.catalog import declared_properties

    natures = declared_properties(target) if isinstance(target, Path) else {}
    for option in options:
        relation, _, kind = option.rpartition("=") if "=" in option else (option, "", "property")
        if not relation:
            raise UsageError(f"--property {option!r}: write RELATION or RELATION=KIND")
        natures[relation] = kind
    return natures


def _target(name: str) -> Path | RemoteKG:
    """Where a new KG is to be: a database by URI or by a name that has one, else a directory of that name."""
    from trivium.kg.catalog import find_named, named_kgs
    from trivium.kg.neo4j.address import is_uri
    from trivium.kg.neo4j.settings import RemoteKG

    return find_named(name) if is_uri(name) or isinstance(named_kgs().get(name), RemoteKG) else Path(name)


def derive(
    out: Path | RemoteKG,
    held: KGInfo,
    embedder: str,
    name: str = "",
    *,
    in_place_of: str = "",
    any_size: bool = False,
) -> None:
    """Note the embedder, make the indexes of relations and templates now, and let Keqing learn from the schema.

    `name` is what the user calls the KG, by default its directory. The KG is whole without them: the first question
    makes the indexes, and `trivium learn keqing` learns.

    `in_place_of` is the learned KG that this one is to replace. Then, or with `any_size`, Keqing learns a KG of any
    size; else it says that a large one was not learned.

    Raises:
        NotLearnedError: it is to replace a learned KG, and could not be learned.
    """
    import asyncio

    from trivium.knowledge.knowledge import Knowledge, is_learned_at_once

    async def derive() -> None:
        base = Knowledge.open(out, embedder)
        try:
            base.choose_embedder()
            await base.derive()
            if in_place_of:
                await _learn(base, out)
            elif isinstance(out, Path):
                if any_size or is_learned_at_once(held):
                    await _try_to_learn(base, out, name or str(out))
                else:
                    complain(f"nothing was learned of so large a KG; run trivium learn keqing --kg {name or out}")
        finally:
            await base.close()

    try:
        asyncio.run(derive())
    except (TriviumError, OSError, MemoryError) as error:
        if in_place_of:
            raise NotLearnedError(
                f"the copy could not be learned ({type(error).__name__}: {error}), so {in_place_of}, which has "
                "learned, stays as it was; --unlearned replaces it all the same"
            ) from error
        if isinstance(error, MemoryError):
            raise
        complain(f"the KG is complete, its indexes are left to the first question ({type(error).__name__}: {error})")


async def _learn(base: Knowledge, out: Path | RemoteKG) -> None:
    """Let Keqing learn from the schema, and from the questions that an upgraded KG has kept; raises as `teach`."""
    from trivium.app.cli.progress import progress
    from trivium.kg.examples import read_examples
    from trivium.policies.reader.chains.teaching import teach

    with progress() as show:
        await teach(base, read_examples(out, "keqing") if isinstance(out, Path) else None, show)


async def _try_to_learn(base: Knowledge, out: Path, name: str) -> None:
    """As `_learn`; where it cannot, say how to do it later: the KG itself is complete."""
    try:
        await _learn(base, out)
    except (TriviumError, OSError, MemoryError) as error:
        complain(
            f"the KG is complete, but Keqing has not learned it ({type(error).__name__}: {error}): "
            f"run trivium learn keqing --kg {name}"
        )


def copy(
    source: Annotated[
        str, typer.Argument(metavar="FROM", help="A KG directory, bolt://…, a name from trivium.toml, or: sample.")
    ],
    target: Annotated[str, typer.Argument(metavar="TO", help="The new KG directory, or bolt://…")],
    write: WriteOption = False,
    replace: ReplaceOption = False,
    unlearned: Annotated[
        bool,
        typer.Option("--unlearned", help="With --replace: replace a learned KG though the copy could not be learned."),
    ] = False,
    workers: WorkersOption = None,
    as_json: JsonOption = False,
) -> None:
    """Copy triples and entities of a KG. What pairs, words or a model taught is not: run trivium learn on the copy.

    A copy that replaces a learned KG directory is learned first, whatever its size; where it cannot be, the KG stays.
    """
    from trivium.kg.embedded import EmbeddedStore
    from trivium.kg.manifest import is_kg
    from trivium.knowledge.knowledge import Knowledge

    use_workers(workers)
    place = _target(target)
    if unlearned and not (replace and isinstance(place, Path)):
        raise UsageError("--unlearned goes with --replace, of a directory")
    with Knowledge.open(source) as opened:
        store, embedder = opened.store, opened.embedder.name
        # Asked first, while nothing is written yet.
        taught = isinstance(store, EmbeddedStore) and _taught(store.path)
        goes = replace and isinstance(place, Path) and is_kg(place) and _taught(place)
        if isinstance(place, Path):
            from trivium.app.cli.kg.writing import copy_store

            def prepare(folder: Path, info: KGInfo) -> None:
                learned = not unlearned and folder != place.resolve() and _has_learned(place)
                derive(folder, info, embedder, name=target, in_place_of=target if learned else "")

            held = copy_store(store, place, prepare, replace=replace)
        else:
            from trivium.app.cli.kg.writing import load_store

            held = load_store(store, place, write=write, replace=replace)
            derive(place, held, embedder)
    if taught:
        complain(
            f"what pairs, synonyms or a model taught stays with {source}: "
            f"give it to the copy with trivium learn keqing --kg {target}"
        )
    if goes:
        complain(
            f"what pairs, synonyms or a model had taught {target} went with the KG that was replaced: "
            f"teach it again with trivium learn keqing --kg {target}"
        )
    (print_json if as_json else print_facts)(asdict(held))


def _taught(kg: Path) -> bool:
    """Whether more was learned on a KG than its schema, which a copy learns by itself."""
    from trivium.knowledge.knowledge import Knowledge
    from trivium.policies.lora.model import has_adapter
    from trivium.policies.reader.chains.versions import list_versions
    from trivium.policies.reader.chains.written import WRITTEN

    base = Knowledge.open(kg)
    try:
        if WRITTEN.exists(base.learnt) or has_adapter(kg, "decompose") or has_adapter(kg, "reason"):
            return True
        return any(version.current and (version.pairs or version.synonyms) for version in list_versions(base.learnt))
    except (CorruptError, OSError):
        return True  # what cannot be read may be more than the schema, and is no reason to refuse the copy
    finally:
        base.store.close_now()


def export(
    kg: KGArgument,
    file: Annotated[Path, typer.Argument(metavar="F", help="The file; .gz by its name.")],
    entities: Annotated[
        Path | None, typer.Option(metavar="F2", help="With tsv: a file for ids, labels, aliases, types.")
    ] = None,
    form: Annotated[
        Literal["tsv", "ntriples", "jsonl"] | None,
        typer.Option("--format", help="By default from F's name (.nt, .jsonl), else tsv."),
    ] = None,
    around: Annotated[
        Path | None,
        typer.Option(metavar="QUESTIONS.jsonl", help="Only what is near their topic_entities; tsv."),
    ] = None,
    hops: Annotated[int, typer.Option(min=1, help="With --around: how near.")] = 3,
    as_json: JsonOption = False,
) -> None:
    """Write the triples of a KG, and its entities, to files that trivium kg build reads back.

    tsv holds head, relation, tail; ntriples and jsonl hold entities, datatypes and properties of relationships too.
    --around gives what ODA extracts of Wikidata for a data set: all triples within 3 hops of its entities.
    """
    import asyncio

    from trivium.kg.embedded import EmbeddedStore
    from trivium.knowledge.knowledge import Knowledge

    with Knowledge.open(kg) as opened:
        store = opened.store
        _check_outputs(store.path if isinstance(store, EmbeddedStore) else None, file, entities)
        chosen = form or _FORMATS.get(Path(file.name.removesuffix(".gz")).suffix)
        if around is not None and (entities is not None or chosen not in {None, "tsv"}):
            raise UsageError("--around writes triples as tsv alone")
        if around is not None:
            counts = asyncio.run(_write_near(store, file, around, hops))
        elif chosen is not None and chosen != "tsv":
            if entities is not None:
                raise UsageError(f"--entities is for tsv; {chosen} holds entities in {file}")
            counts = asyncio.run(_write_graph(store, file, chosen))
        else:
            counts = {"triples": asyncio.run(_write_triples(store, file))}
        if entities is not None:
            counts["entities"] = asyncio.run(_write_entities(store, entities))
    (print_json if as_json else print_facts)(counts)


def _check_outputs(kg: Path | None, *files: Path | None) -> None:
    """Refuse before any work what would destroy the KG or cannot be written."""
    named = [file.absolute() for file in files if file is not None]
    for file in named:
        if file.is_dir():
            raise BadInputError("is a folder; name a file", path=file)
        if kg is not None and kg.resolve() in file.resolve().parents:
            raise UsageError(f"{file} lies inside the KG; write it elsewhere")
    if len({file.resolve() for file in named}) < len(named):
        raise UsageError("triples and entities need a file each")


_TOGETHER = 1_000  # entities whose neighbors are read at once
_FORMATS: dict[str, Literal["ntriples", "jsonl"]] = {".nt": "ntriples", ".jsonl": "jsonl", ".ndjson": "jsonl"}


async def _write_graph(store: GraphStore, file: Path, form: Literal["ntriples", "jsonl"]) -> dict[str, int]:
    from trivium.kg.loaders import GraphWriter

    entities = 0
    with GraphWriter(file, form) as out:
        async for named in store.all_entities():
            out.write_entities(named)
            entities += len(named)
        async for batch in store.triples():
            out.write(batch)
    return {"triples": out.count, "entities": entities}


async def _write_triples(store: GraphStore, file: Path) -> int:
    from trivium.kg.loaders import TripleWriter

    with TripleWriter(file) as out:
        async for batch in store.triples():
            out.write(batch)
    return out.count


async def _write_near(store: GraphStore, file: Path, questions: Path, hops: int) -> dict[str, int]:
    """The triples within so many hops of the questions' topic entities, each once, layer by layer."""
    from trivium.kg.loaders import TripleWriter, read_questions
    from trivium.kg.types import Triple

    named = list(dict.fromkeys(topic for each in read_questions(questions) for topic in each.topic_entities))
    if not named:
        raise BadInputError("has no question with topic_entities", path=questions)
    by_id, by_name = await store.entities(named), await store.find(named, limit=1, fuzzy=False)
    starts = [
        name if entity is not None else hits[0].id
        for name, entity, hits in zip(named, by_id, by_name, strict=True)
        if entity is not None or hits
    ]
    layer = list(dict.fromkeys(starts))
    seen, done = set(layer), set[str]()
    with TripleWriter(file) as out:
        for _ in range(hops):
            reached = list[str]()
            for place in range(0, len(layer), _TOGETHER):
                part = layer[place : place + _TOGETHER]
                for entity, walked in zip(part, await store.neighbors(part), strict=True):
                    done.add(entity)
                    fresh = [step for step in walked if step.end not in done or step.end == entity]
                    out.write([Triple(step.head, step.relation, step.tail) for step in fresh])
                    reached += [step.end for step in fresh]
            layer = [key for key in dict.fromkeys(reached) if key not in seen]
            seen.update(layer)
    return {"triples": out.count, "topics": len(starts), "unknown topics": len(named) - len(starts)}


async def _write_entities(store: GraphStore, file: Path) -> int:
    from trivium.kg.loaders import EntityWriter

    with EntityWriter(file) as out:
        async for batch in store.all_entities():
            out.write(batch)
    return out.count


def vectors(kg: KGArgument, workers: WorkersOption = None, as_json: JsonOption = False) -> None:
    """Make the vectors of all entities now; without this, each is made when an observation first meets it.

    For a KG in Neo4j they are those of its walking snapshot: run trivium kg snapshot first.
    """
    from trivium.app.cli.progress import progress
    from trivium.knowledge.knowledge import Knowledge

    use_workers(workers)
    with Knowledge.open(kg) as opened, progress() as show:
        path = opened.make_vectors(show)
    report = {"file": str(path), "bytes": path.stat().st_size}
    (print_json if as_json else print_facts)(report)
