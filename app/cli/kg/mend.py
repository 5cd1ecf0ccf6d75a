"""`trivium kg alias` and `word`: one more name of an entity, one more word for the schema, and which answers change."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from trivium.app.cli.kg.options import JsonOption, KGArgument
from trivium.app.cli.kg.walk import EntityArgument
from trivium.app.cli.output import complain, print_facts, print_json, print_section
from trivium.kg.errors import UsageError, WriteRefusedError

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
        raise UsageError(f"no relation, property or type is named {element!r}{closest(element, known)}")
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
