"""What changes a KG.

`trivium kg add` and `remove`: one transaction each, begun when all input has been read; `compact`; `alias` and `word`:
one more name of an entity, one more word for the schema, and which answers change; `upgrade`: a KG directory brought to
this version's form, with what it has learned.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trivium.app.cli.kg.options import (
    DirectoryArgument,
    EntitiesOption,
    Files,
    JsonOption,
    KGArgument,
    PropertyOption,
    SkipBadOption,
)
from trivium.app.cli.kg.walk import EntityArgument
from trivium.app.cli.output import complain, print_facts, print_json, print_section, print_text
from trivium.kg.errors import UsageError, WriteRefusedError

if TYPE_CHECKING:
    from trivium.kg.types import Triple
    from trivium.knowledge.knowledge import Knowledge


def add(
    kg: KGArgument,
    files: Files,
    entities: EntitiesOption = None,
    skip_bad: SkipBadOption = False,
    as_json: JsonOption = False,
) -> None:
    """Add the triples of files to a KG, all of them or none."""
    from trivium.app.cli.kg.input import Input
    from trivium.app.cli.progress import progress
    from trivium.knowledge.knowledge import Knowledge

    with Knowledge.open(kg, write=True) as opened:
        given = Input(files, entities, skip_bad=skip_bad)
        with progress() as show:
            triples: Iterable[Triple] = chain.from_iterable(given.shown(show))
            if given.is_rdf:
                triples = list(triples)
                asyncio.run(given.call_types_as(opened.store))
            added = asyncio.run(opened.store.add(triples, given.entities()))
        given.tell_skipped()
        _report(opened, {"added": added, "skipped": given.skipped}, as_json=as_json)


def remove(
    kg: KGArgument,
    files: Files,
    skip_bad: SkipBadOption = False,
    as_json: JsonOption = False,
) -> None:
    """Remove the triples of files from a KG, with entities that are left without one; those not there are counted."""
    from trivium.app.cli.kg.input import Input
    from trivium.app.cli.progress import progress
    from trivium.knowledge.knowledge import Knowledge

    with Knowledge.open(kg, write=True) as opened:
        given = Input(files, skip_bad=skip_bad)
        with progress() as show:
            triples = list(dict.fromkeys(chain.from_iterable(given.shown(show))))
            removed = asyncio.run(opened.store.delete(triples))
        given.tell_skipped()
        counts = {"removed": removed, "absent": len(triples) - removed, "skipped": given.skipped}
        _report(opened, counts, as_json=as_json)


def compact(kg: DirectoryArgument, as_json: JsonOption = False) -> None:
    """Write what was added and removed since the last time into a KG's arrays; done unasked when it grows large.

    Readers and writers go on meanwhile.
    """
    from trivium.kg.embedded import compact as compact_directory
    from trivium.knowledge.knowledge import find_directory

    done = compact_directory(find_directory(kg))
    if as_json:
        print_json({"compacted": done})
    else:
        print_text("compacted" if done else "nothing to compact")


def _report(opened: Knowledge, counts: dict[str, int], *, as_json: bool) -> None:
    """The counts of the change, those of the KG as it is now, and what was learned before the change."""
    from dataclasses import asdict

    from trivium.knowledge.freshness import stale

    info, older = asyncio.run(opened.store.info()), asyncio.run(stale(opened))
    facts = {**counts, **asdict(info)}
    if as_json:
        print_json({**facts, "stale": [asdict(each) for each in older]})
        return
    print_facts(facts)
    for each in older:
        complain(each.message)


QuestionsOption = Annotated[
    Path | None, typer.Option("--questions", metavar="F", help="Question lines: show whose answers change.")
]
PreviewOption = Annotated[
    bool, typer.Option("--preview", help="With --questions: show what would change, change nothing.")
]
RemoveOption = Annotated[bool, typer.Option("--remove", help="Take back what this command added.")]


def alias(
    kg: KGArgument,
    entity: EntityArgument,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What people call it.")],
    questions: QuestionsOption = None,
    preview: PreviewOption = False,
    remove: RemoveOption = False,
    as_json: JsonOption = False,
) -> None:
    """Give an entity one more name, or take one back with --remove."""
    from trivium.app.cli.kg.walk import resolve_entity
    from trivium.kg.embedded import EmbeddedStore, add_triples, remove_aliases
    from trivium.kg.types import Entity
    from trivium.knowledge.knowledge import Knowledge

    if not name.strip():
        raise UsageError("the name is empty")
    with Knowledge.open(kg, write=True) as opened:
        if not isinstance(opened.store, EmbeddedStore):
            raise WriteRefusedError(f"{kg} is a database: write the name there, as a property that names its nodes")
        folder, key = opened.path, asyncio.run(resolve_entity(opened.store, entity))
        [known] = asyncio.run(opened.store.entities([key]))
    if known is None or (name in known.aliases) != remove:
        raise UsageError(f"{entity} {'has no' if remove else 'already has the'} alias {name!r}")
    named = [Entity(key, key, aliases=(name,))]

    def write(*, back: bool) -> None:
        if back:
            remove_aliases(folder, named)
        else:
            add_triples(folder, [], named)

    _mend(kg, {"entity": key, "alias": name}, write, remove, questions, preview=preview, as_json=as_json)


def word(
    kg: KGArgument,
    element: Annotated[str, typer.Argument(metavar="ELEMENT", help="A relation, a property or a type, by its name.")],
    phrase: Annotated[str, typer.Argument(metavar="PHRASE", help="Words of questions that mean it.")],
    questions: QuestionsOption = None,
    preview: PreviewOption = False,
    remove: RemoveOption = False,
    as_json: JsonOption = False,
) -> None:
    """Give a relation, property or type one more word, in [kg.NAME.words] of trivium.toml; --remove takes it back."""
    from trivium.kg.catalog import SAMPLE, SETTINGS_FILE, named_glossary, set_words
    from trivium.kg.indexes.words import short_name
    from trivium.kg.text import closest
    from trivium.knowledge.knowledge import Knowledge

    phrase = " ".join(phrase.lower().split())
    if not phrase:
        raise UsageError("the phrase is empty")
    if kg == SAMPLE:
        raise UsageError(f"the bundled sample takes no words; copy it first: trivium kg copy {SAMPLE} DIR")
    with Knowledge.open(kg) as opened:
        profile = asyncio.run(opened.store.profile())
    known = {*profile.relations, *profile.properties, *(each.name for each in profile.types)}
    if element not in known:
        called = [each for each in known if short_name(each) == element]  # an IRI by its last part, as answers show it
        if len(called) != 1:
            raise UsageError(f"no relation, property or type is named {element!r}{closest(element, known)}")
        [element] = called
    before = [each for each, elements in named_glossary(kg).items() if element in elements]
    if (phrase in before) != remove:
        raise UsageError(f"{element} {'has no' if remove else 'already has the'} phrase {phrase!r} in {SETTINGS_FILE}")
    settings = Path(SETTINGS_FILE)
    original = settings.read_bytes() if settings.exists() else None

    def write(*, back: bool) -> None:
        if back == remove:
            set_words(kg, element, [each for each in before if each != phrase] if back else [*before, phrase])
        elif original is None:
            settings.unlink()
        else:
            settings.write_bytes(original)

    _mend(kg, {"element": element, "phrase": phrase}, write, remove, questions, preview=preview, as_json=as_json)


def _mend(
    kg: str,
    what: dict[str, str],
    write: Callable[..., None],
    remove: bool,
    questions: Path | None,
    *,
    preview: bool,
    as_json: bool,
) -> None:
    """Write, and with questions ask them before and after; a preview writes back what was there."""
    from trivium.evals.own import ask_all
    from trivium.evals.own.report import changed_answers
    from trivium.kg.loaders import read_questions
    from trivium.nodes.run.access import NO_MODEL

    if preview and questions is None:
        raise UsageError("--preview needs --questions F")
    asked = read_questions(questions) if questions is not None else []
    [before] = asyncio.run(ask_all(asked, kg, [("auto", NO_MODEL)])) if asked else [None]
    write(back=remove)
    try:
        [now] = asyncio.run(ask_all(asked, kg, [("auto", NO_MODEL)])) if asked else [None]
    except BaseException:
        write(back=not remove)
        raise
    if preview:
        write(back=not remove)
    rows = changed_answers(before, now) if before is not None and now is not None else []
    counts = {mark: sum(row[0] == mark for row in rows) for mark in ("won", "lost", "changed")}
    done = "preview" if preview else "removed" if remove else "added"
    if as_json:
        print_json({"done": done, **what, "asked": len(asked), **counts, "questions": rows})
        return
    print_facts({done: ", ".join(what.values()), **({"asked": len(asked), **counts} if asked else {})})
    if rows:
        print_section("Answers that change", ("", "question", "before", "now"), rows)
    if counts["lost"]:
        complain("some answers that were right are lost; run the same command with --remove to take it back")


_DERIVED = {"snapshot", "vectors", "kg.json", ".write.lock", ".compact.lock"}
"""What is made anew; all else of a KG directory was learned, or is made again where it does not fit."""


def upgrade(kg: DirectoryArgument, properties: PropertyOption = None, as_json: JsonOption = False) -> None:
    """Renew a KG directory: its relations' natures by today's rules and settings, its files, what it has learned.

    The new folder takes the old one's place in one step. Keqing learns again, from the questions that are kept (of
    version 1 those that its exemplars show); whatever else is older than the KG is named with its command.
    """
    from trivium.app.cli.kg.make import derive, natures_of
    from trivium.kg.catalog import SAMPLE
    from trivium.kg.embedded import EmbeddedStore
    from trivium.kg.manifest import read_manifest
    from trivium.knowledge.knowledge import find_directory

    if kg == SAMPLE:
        raise UsageError(f"the bundled sample is read-only; copy it first: trivium kg copy {SAMPLE} DIR")
    directory = find_directory(kg).resolve()
    natures = natures_of(directory, properties or [])
    done = _upgrade(directory, natures)
    if done is not None:
        store = EmbeddedStore.open(directory)
        try:
            info = store.meta.info
        finally:
            store.close_now()
        derive(directory, info, read_manifest(directory).embedder)
    report: dict[str, object] = {"upgraded": done is not None}
    if done is not None:
        report |= {"properties": done.properties, "entities": done.entities, "Keqing": done.keqing}
    report["to learn again"] = _older(directory)
    if as_json:
        print_json(report)
    else:
        print_facts({
            name: (", ".join(map(str, value)) or "none") if isinstance(value, list)
            else value if isinstance(value, str) else "yes" if value else "no, it is current"
            for name, value in report.items()
        })  # fmt: skip


def _older(directory: Path) -> list[str]:
    """What is older than the KG, each with the command that learns it again."""
    import asyncio

    from trivium.knowledge.freshness import stale
    from trivium.knowledge.knowledge import Knowledge

    with Knowledge.open(directory) as kg:
        return [each.message for each in asyncio.run(stale(kg))]


@dataclass
class _Upgraded:
    """What an upgrade came to: relations that became properties or entities, and what Keqing learns again from."""

    properties: list[str]
    entities: list[str]
    keqing: str


def _upgrade(directory: Path, natures: dict[str, str]) -> _Upgraded | None:
    """Build the new folder beside the old one and exchange them; None where nothing is to be done."""
    from trivium.app.cli.kg.writing import exchange
    from trivium.app.cli.progress import progress
    from trivium.kg.embedded import guard_files
    from trivium.kg.embedded.locks import build_lock, write_lock
    from trivium.kg.embedded.record import RECORD
    from trivium.kg.embedded.upgrade import read_upgrade, write_upgrade
    from trivium.kg.examples import keep_examples
    from trivium.kg.manifest import read_manifest, set_embedder
    from trivium.policies.reader.chains.exemplars import pairs_of_version_1

    beside = directory.with_name(f".{directory.name}.upgrading")
    with build_lock(directory), write_lock(directory):
        done = read_upgrade(directory, natures)
        if done is None:
            return None
        shutil.rmtree(beside, ignore_errors=True)  # what a killed upgrade left
        try:
            with progress() as show:
                write_upgrade(beside, done, show)
            for entry in directory.iterdir():
                if entry.name not in _DERIVED and not entry.name.startswith(RECORD):
                    (shutil.copytree if entry.is_dir() else shutil.copy2)(entry, beside / entry.name)
            old = read_manifest(directory)
            set_embedder(beside, old.embedder)
            pairs, learned = pairs_of_version_1(directory)
            kept = keep_examples(beside, "keqing", pairs) if pairs else []
            guard_files(beside, [*(beside / name for name in old.derived), *kept])
            exchange(beside, directory)
        finally:
            shutil.rmtree(beside, ignore_errors=True)
    keqing = "learned again from the questions that are kept, or from the schema"
    if learned:
        keqing = (
            f"learned again from {len(pairs)} of {learned} questions, since version 1 kept no others; "
            f"for all of them: trivium learn keqing --kg {directory} --questions F"
        )
    return _Upgraded(done.properties, done.entities, keqing)
