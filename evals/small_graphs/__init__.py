"""Small graphs by writers who saw no code: `trivium eval small-graphs [--part PART|all] [--method METHOD]`.

A folder a graph, a graph of triples (`graph.tsv`, half of them with `type` triples) or one of properties (`nodes.csv`
and `relationships.csv` as Neo4j exports them, made by scripts), and `questions.jsonl`: what the graph answers,
in users' own words, and some that it does not. The parts are those of twelve writers: `dev`, `test`; `dev2`, `test2`;
`dev4`; `dev5`, `test4`; `dev7`; `dev9`, `test6`; `dev11`, `test8`; of properties `dev3`, `test3`; `dev6`, `test5`;
`dev8`; `dev10`, `test7`; `dev12`, `test9`. Choices are made on the parts in `READ`, which what is learned is fitted on
(`test2` and `test6` since 26 November 2026). The others are asked at the end of a piece of work, and their misses are
not read. `--plans` says where the right plan stands among the plan reader's best 40: whether ranking is missing, a word
or construction, or only the confidence to claim it. The graphs and questions are Trivium's own, made up by a language
model from a brief, each answer computed from the data.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from trivium.evals.intervals import wilson
from trivium.evals.metrics import claims, score_answer
from trivium.evals.own_graphs import build_learned
from trivium.graphs.methods import AUTO, METHODS, answer
from trivium.kg.errors import TriviumError
from trivium.kg.loaders import Question, read_questions, read_triples
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.plan import Entities, NonEmpty, QueryPlan
from trivium.kg.plans.proof import compute
from trivium.kg.plans.run import ROW_LIMIT
from trivium.kg.types import Triple
from trivium.knowledge.knowledge import close_all, open_knowledge
from trivium.nodes.run.operator import own_runs
from trivium.tools.read_question import Reading, read_question

FOLDER = Path(__file__).parent
PARTS = (
    *("dev", "test", "dev2", "test2", "dev3", "test3", "dev4", "dev5", "test4", "dev6", "test5", "dev7", "dev8"),
    *("dev9", "test6", "dev10", "test7", "dev11", "test8", "dev12", "test9"),
)
READ = ("dev", "dev2", "test2", "dev3", "dev4", "dev5", "dev7", "dev8", "dev9", "test6", "dev10", "dev12")
"""The parts whose questions may be read; what is learned is fitted on them."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of a graph with the reply."""

    graph: str
    question: Question
    answer: Mapping[str, Any]

    @property
    def right(self) -> bool:
        """Whether exactly the answers are given, and nothing where there are none."""
        return score_answer(self.answer, self.question.answers, self.question.rows).exact == 1

    @property
    def claims(self) -> bool:
        """Whether anything is claimed."""
        return claims(self.answer)


def graphs(part: str) -> list[str]:
    """The names of a part's graphs, sorted."""
    return sorted(path.parent.name for path in (FOLDER / part).glob("*/questions.jsonl"))


async def measure(
    part: str, name: str, work: Path, min_confidence: float | None = None, method: str = AUTO
) -> list[Asked]:
    """Build one of the graphs in the folder `work`, learn its schema, and ask a method all its questions."""
    source, kg = FOLDER / part / name, await made(part, name, work)
    try:
        context = METHODS[method].context(kg=str(kg), min_confidence=min_confidence)
        asked = read_questions(source / "questions.jsonl")
        return [Asked(name, each, await answer(method, each.question, context)) for each in asked]
    finally:
        await close_all()


async def made(part: str, name: str, work: Path, change: Callable[[Triple], Triple | None] | None = None) -> Path:
    """One of the graphs as a KG in the folder `work`, its schema learned; of triples what `change` makes of them."""
    source, kg = FOLDER / part / name, work / part / name
    readers = [read_triples(path) for path in sorted([*source.glob("*.tsv"), *source.glob("*.csv")])]
    entities = (entity for reader in readers for entity in reader.entities())
    batches: Iterable[Sequence[Triple]] = chain.from_iterable(readers)
    if change is not None:
        batches = ([new for each in batch if (new := change(each)) is not None] for batch in batches)
    await build_learned(kg, batches, entities)
    return kg


PLACES = ("answered", "first, not claimed", "first, another claimed", "further down", "none of them")
"""Where the right plan of a question with an answer stands; "answered": that the answer is right, by whatever way."""
_CANDIDATES = 40
_SECONDS = 3.0  # to compute a plan


async def places(part: str, name: str, work: Path) -> Counter[str]:
    """How many questions of a graph that it answers have their right plan at each of `PLACES`."""
    asked = await measure(part, name, work)
    out = Counter[str]()
    try:
        kg = await open_knowledge(str(work / part / name))
        columns = await kg.store.columns()
        for each in asked:
            if not each.question.answers:
                continue
            if each.right:
                out["answered"] += 1
                continue
            found = await read_question.operation(kg, each.question.question, most=_CANDIDATES)
            right = [_gives(columns, reading.plan, each.question) for reading in found if _answers(reading)]
            first = "first, another claimed" if each.claims else "first, not claimed"
            out[first if right[:1] == [True] else "further down" if any(right) else "none of them"] += 1
    finally:
        await close_all()
    return out


def _answers(reading: Reading) -> bool:
    """Whether a reading may be answered by: no bare name, and no half of a yes-or-no question."""
    return not isinstance(reading.plan, Entities) and not (isinstance(reading.plan, NonEmpty) and reading.unused)


def _gives(columns: GraphColumns, plan: QueryPlan, question: Question) -> bool:
    """Whether a plan gives exactly the answers of a question."""
    try:
        result = compute(columns, plan, time.monotonic() + _SECONDS, ROW_LIMIT, ROW_LIMIT, 0)
    except TriviumError:  # past a limit
        return False
    return score_answer(result.to_json(), question.answers, question.rows).exact == 1


def places_table(parts: Mapping[str, Counter[str]]) -> str:
    """A line a part and one for all: questions with an answer, and how many have their right plan where."""
    rows = [*parts.items(), ("all", sum(parts.values(), Counter[str]()))]
    lines = [f"{'part':6} {'n':>5} " + " ".join(f"{place:>22}" for place in PLACES)]
    lines += [f"{name:6} {n.total():5} " + " ".join(f"{n[place]:22}" for place in PLACES) for name, n in rows]
    return "\n".join(lines)


def table(done: Iterable[Asked]) -> str:
    """A line a graph and one for all: answerable and right, wrong; unanswerable and claimed; in percent."""
    groups: dict[str, list[Asked]] = defaultdict(list)
    for each in done:
        groups[each.graph].append(each)
        groups["all"].append(each)
    groups["all"] = groups.pop("all", [])
    lines = [f"{'graph':14} {'right, %':>9} {'wrong, %':>9} {'false claims, %':>16}"]
    for name, asked in groups.items():
        answerable = [each for each in asked if each.question.answers]
        others = [each for each in asked if not each.question.answers]
        right = sum(each.right for each in answerable) / max(len(answerable), 1)
        wrong = sum(each.claims and not each.right for each in answerable) / max(len(answerable), 1)
        false = sum(each.claims for each in others) / max(len(others), 1)
        lines.append(f"{name:14} {100 * right:9.1f} {100 * wrong:9.1f} {100 * false:16.1f}")
    return "\n".join(lines)


def totals(parts: Mapping[str, Sequence[Asked]]) -> str:
    """A line a part: questions with an answer, right of them with its 95 % interval, wrong; without one, claimed."""
    lines = [f"{'part':6} {'n':>4} {'right, % [95 %]':>19} {'wrong, %':>9} {'without':>8} {'false claims, %':>16}"]
    for part, asked in parts.items():
        answerable = [each for each in asked if each.question.answers]
        others = [each for each in asked if not each.question.answers]
        right = sum(each.right for each in answerable)
        wrong = sum(each.claims and not each.right for each in answerable)
        low, high = wilson(right, len(answerable))
        said = f"{100 * right / len(answerable):.1f} [{100 * low:.0f}, {100 * high:.0f}]"
        false = sum(each.claims for each in others) / max(len(others), 1)
        figures = f"{said:>19} {100 * wrong / len(answerable):9.1f} {len(others):8} {100 * false:16.1f}"
        lines.append(f"{part:6} {len(answerable):4} {figures}")
    return "\n".join(lines)


def kinds(done: Iterable[Asked]) -> str:
    """A line a kind of question: n and right, in percent."""
    groups: dict[str, list[Asked]] = defaultdict(list)
    for each in done:
        groups[each.question.kind].append(each)
    lines = [f"{'kind':22} {'n':>4} {'right, %':>9}"]
    for name, asked in sorted(groups.items()):
        lines.append(f"{name:22} {len(asked):4} {100 * sum(each.right for each in asked) / len(asked):9.1f}")
    return "\n".join(lines)


def _miss(each: Asked) -> str:
    said = ", ".join(item["label"] for item in each.answer["answers"][:6]) or str(each.answer["value"])
    gold = ", ".join(each.question.answers) or "nothing"
    return f"{each.graph}: {each.question.question}\n    said  {said} ({each.answer['stop_reason']})\n    gold  {gold}"


@own_runs()
def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, and with --misses the questions that were not answered rightly."""
    parser = argparse.ArgumentParser(prog="trivium eval small-graphs", description=__doc__)
    told = "`test` is looked at last, by its figures alone; `all`: a line for each part"
    parser.add_argument("--part", choices=(*PARTS, "all"), default="dev", help=told)
    parser.add_argument("--method", choices=METHODS, default=AUTO, help="which method is asked (default: %(default)s)")
    parser.add_argument("--misses", action="store_true", help="show what was said to questions that were missed")
    parser.add_argument("--plans", action="store_true", help="where the right plan stands among the best 40 instead")
    given = parser.parse_args(arguments)
    if given.part == "all" and given.misses:
        parser.error("--misses is of one part: those of the parts test are not read")
    chosen = PARTS if given.part == "all" else (given.part,)
    if given.plans:
        stands = {part: Counter[str]() for part in chosen}
        for part, counts in stands.items():
            with tempfile.TemporaryDirectory(prefix="trivium-") as work:
                for name in graphs(part):
                    counts.update(asyncio.run(places(part, name, Path(work))))
        print(places_table(stands))
        return
    found: dict[str, list[Asked]] = {part: [] for part in chosen}
    for part, asked in found.items():
        with tempfile.TemporaryDirectory(prefix="trivium-") as work:
            for name in graphs(part):
                asked.extend(asyncio.run(measure(part, name, Path(work), method=given.method)))
    if given.part == "all":
        print(totals(found))
        return
    done = found[given.part]
    print(table(done))
    print(kinds(done))
    for each in done if given.misses else ():
        if not each.right:
            print(_miss(each))
