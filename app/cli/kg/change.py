"""`trivium kg add` and `remove`: one transaction each, begun when all input has been read; and `compact`."""

from __future__ import annotations

import asyncio
from itertools import chain
from typing import TYPE_CHECKING

from trivium.app.cli.kg.options import DirectoryArgument, EntitiesOption, Files, JsonOption, KGArgument, SkipBadOption
from trivium.app.cli.output import complain, print_facts, print_json, print_text

if TYPE_CHECKING:
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
            added = asyncio.run(opened.store.add(chain.from_iterable(given.shown(show)), given.entities()))
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
