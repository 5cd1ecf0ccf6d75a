"""`trivium kg info` and `verify`: what a KG holds, and whether it is sound."""

from __future__ import annotations

from trivium.app.cli.kg.options import DirectoryArgument, JsonOption, KGArgument
from trivium.app.cli.output import print_facts, print_json, print_text
from trivium.kg.errors import CorruptError


def info(kg: KGArgument, as_json: JsonOption = False) -> None:
    """Show counts and content hash: equal for equal sets of triples, whatever their order or store."""
    import asyncio

    from trivium.knowledge.knowledge import Knowledge

    with Knowledge.open(kg) as opened:
        held = asyncio.run(opened.store.info())
    told = {"entities": held.entities, "relations": held.relations, "triples": held.triples, "hash": held.hash}
    (print_json if as_json else print_facts)(told)


def verify(kg: DirectoryArgument, as_json: JsonOption = False) -> None:
    """Check every file of a KG; prints each problem, or ok. Repairs nothing."""
    from trivium.kg.embedded.verify import verify as find_problems
    from trivium.knowledge.knowledge import find_directory

    directory = find_directory(kg)
    problems = find_problems(directory)
    if as_json:
        print_json({"ok": not problems, "problems": problems})
    else:
        print_text("\n".join(problems) or "ok")
    if problems:
        count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
        raise CorruptError(f"{directory} has {count}; each is named on stdout with what to do")
