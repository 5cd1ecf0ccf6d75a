"""`trivium kg add` and `remove`: one transaction each, begun when all input has been read."""

from __future__ import annotations

from itertools import chain

from app.kg.options import DirectoryArgument, EntitiesOption, Files, JsonOption, SkipBadOption
from app.output import print_facts, print_json


def add(
    kg: DirectoryArgument,
    files: Files,
    entities: EntitiesOption = None,
    skip_bad: SkipBadOption = False,
    as_json: JsonOption = False,
) -> None:
    """Add the triples of files to a KG, all of them or none."""
    from app.kg.input import Input
    from app.kg_argument import writable_directory
    from app.progress import progress
    from kg.embedded.write import add_triples

    directory = writable_directory(kg)
    given = Input(files, entities, skip_bad=skip_bad)
    with progress() as show:
        added = add_triples(directory, chain.from_iterable(given.shown(show)), given.entities())
    given.tell_skipped()
    _report(str(directory), {"added": added, "skipped": given.skipped}, as_json=as_json)


def remove(kg: DirectoryArgument, files: Files, skip_bad: SkipBadOption = False, as_json: JsonOption = False) -> None:
    """Remove the triples of files from a KG, with entities that are left without one; those not there are counted."""
    from app.kg.input import Input
    from app.kg_argument import writable_directory
    from app.progress import progress
    from kg.embedded.write import delete_triples

    directory = writable_directory(kg)
    given = Input(files, skip_bad=skip_bad)
    with progress() as show:
        triples = list(dict.fromkeys(chain.from_iterable(given.shown(show))))
        removed = delete_triples(directory, triples)
    given.tell_skipped()
    counts = {"removed": removed, "absent": len(triples) - removed, "skipped": given.skipped}
    _report(str(directory), counts, as_json=as_json)


def _report(directory: str, counts: dict[str, int], *, as_json: bool) -> None:
    """The counts of the change, then those of the KG as it is now."""
    from dataclasses import asdict

    from app.kg_argument import open_store

    with open_store(directory) as store:
        told = {**counts, **asdict(store.meta.info)}
    (print_json if as_json else print_facts)(told)
