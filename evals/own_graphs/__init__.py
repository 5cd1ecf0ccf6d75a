"""Small user-like graphs, schema alone: `trivium eval own-graphs [--method METHOD] [--misses NAME]`.

Made-up facts in domains and naming conventions of users' graphs, a folder each: `triples.tsv`, `entities.tsv` (id,
label, aliases, types) and `questions.jsonl`, whose answers were computed from the triples. They were written without a
look at the code that answers them; docs/how-to/teach.md says on which of them choices were made since.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from trivium.evals.metrics import ScoredAnswer, ask, score_table
from trivium.graphs.methods import METHODS
from trivium.kg.embedded import build
from trivium.kg.loaders import read_entities, read_questions, read_triples
from trivium.kg.types import Entity, Triple
from trivium.knowledge.knowledge import Knowledge, close_all
from trivium.nodes.run.operator import own_runs
from trivium.policies.reader.chains.teaching import teach

FOLDER = Path(__file__).parent


def graphs() -> list[str]:
    """The names of the graphs, sorted."""
    return sorted(path.parent.name for path in FOLDER.glob("*/questions.jsonl"))


async def measure(
    name: str, work: Path, method: str = "keqing", min_confidence: float | None = None
) -> list[ScoredAnswer]:
    """Build one of the graphs in the folder `work`, learn its schema, and ask a method all its questions."""
    asked = METHODS[method]
    source, kg = FOLDER / name, work / name
    await build_learned(kg, read_triples(source / "triples.tsv"), read_entities(source / "entities.tsv"))
    try:
        questions = read_questions(source / "questions.jsonl")
        settings = asked.context(kg=str(kg), min_confidence=min_confidence)
        return await ask(asked.graph(), questions, settings, topics=False)
    finally:
        await close_all()


async def build_learned(kg: Path, triples: Iterable[Sequence[Triple]], entities: Iterable[Entity]) -> None:
    """Build a KG in a new folder, and learn its schema."""
    build(kg, triples, entities)
    base = Knowledge.open(kg)
    try:
        await teach(base, None, lambda *_: None)
    finally:
        await base.close()


def table(done: dict[str, list[ScoredAnswer]]) -> str:
    """A line a graph and one for all."""
    return score_table("graph", {name: [each.score for each in part] for name, part in done.items()})


def _miss(each: ScoredAnswer) -> str:
    subs = each.answer["steps"][0].get("sub_questions", ())  # ODA has none
    read = "; ".join(f"{sub['question']} <- {', '.join(sub['seed_entities'])}" for sub in subs)
    said = ", ".join(item["label"] for item in each.answer["answers"][:6]) or str(each.answer["value"])
    gold = ", ".join(each.question.answers[:6])
    return f"{each.question.question}\n    read  {read or '-'}\n    said  {said}\n    gold  {gold}"


@own_runs()
def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, and with --misses the questions of one graph whose set of answers is not exact."""
    parser = argparse.ArgumentParser(prog="trivium eval own-graphs", description=__doc__)
    parser.add_argument("--only", choices=graphs(), help="one graph")
    parser.add_argument("--misses", choices=graphs(), help="show what was read and said of a graph's missed questions")
    parser.add_argument("--method", choices=METHODS, default="keqing", help="the method asked (default: %(default)s)")
    given = parser.parse_args(arguments)
    done = {}
    with tempfile.TemporaryDirectory(prefix="trivium-") as work:
        for name in [given.only] if given.only else graphs():
            done[name] = asyncio.run(measure(name, Path(work), given.method))
    print(table(done))
    for each in done.get(given.misses, []):
        if not each.score.exact:
            print(_miss(each))
