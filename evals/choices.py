"""KnowGPT on multiple-choice data sets: `trivium eval knowgpt-choices [--data DIR] [--limit N] [--set NAME=VALUE]`.

Accuracy in percent with its 95 % interval (Wilson), beside chance, beside likeness to the question alone and beside
support by paths alone; a tie counts as the share of right ones among the tied. `answer` is what the run says: without a
model the choice of both scores, with one (`--set model=...`) the model's, or where it gives no usable answer the
scores'; `model %` is the share that the model itself chose. Answered through the compiled graph.

CommonsenseQA (Talmor et al., 2019; the in-house split of Lin et al., 2019) and OpenBookQA (Mihaylov et al., 2018) over
ConceptNet, MedQA-USMLE (Jin et al., 2021; five options here, four in the paper) over QA-GNN's USMLE graph.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from trivium.evals.bench.report import percentile
from trivium.evals.datasets import read_data_set
from trivium.evals.intervals import wilson
from trivium.evals.metaqa import data_folder, spread
from trivium.graphs.knowgpt import graph
from trivium.kg.catalog import cache_folder
from trivium.kg.embedded import build
from trivium.kg.errors import UsageError
from trivium.kg.loaders import Question, read_triples
from trivium.kg.manifest import is_kg
from trivium.knowledge.knowledge import close_all
from trivium.nodes.knowgpt.context import KnowGPTContext
from trivium.nodes.knowgpt.state import KnowGPTInput
from trivium.nodes.run.context import read_setting
from trivium.nodes.run.operator import own_runs


@dataclass(frozen=True, slots=True)
class ChoiceSet:
    """A data set: its file of questions, their format (`datasets.FORMATS`), and its KG's file, in the data folder."""

    questions: str
    format: str
    triples: str


CHOICE_SETS = {
    "CommonsenseQA in-house dev": ChoiceSet("csqa/dev_inhouse.jsonl", "csqa", "conceptnet/triples.tsv.gz"),
    "OpenBookQA dev": ChoiceSet("openbookqa/dev.jsonl", "obqa", "conceptnet/triples.tsv.gz"),
    "MedQA dev": ChoiceSet("medqa/dev.jsonl", "medqa", "ddb/triples.tsv"),
}


def read_choices(data: Path, given: ChoiceSet) -> list[Question]:
    """The questions of a set, in its order; raises `BadInputError` as `read_data_set`."""
    return read_data_set(given.format, data / given.questions)


COLUMNS = ("chance", "likeness", "support", "both")


def right_share(scores: Mapping[str, float], gold: Sequence[str]) -> float:
    """The share of right ones among the choices of the largest score, in [0, 1]."""
    best = [key for key, score in scores.items() if score == max(scores.values())]
    return len(set(best) & set(gold)) / len(best)


async def kg_folder(data: Path, given: ChoiceSet) -> Path:
    """The set's KG in the cache, built once."""
    folder = cache_folder() / f"choices-{Path(given.triples).parent.name}"
    if not is_kg(folder):
        print(f"building the KG of {given.triples}, once", file=sys.stderr)
        await asyncio.to_thread(build, folder, read_triples(data / given.triples))
    return folder


_FIRST = 600.0  # seconds


async def measure(questions: Sequence[Question], kg: str, settings: dict[str, Any]) -> dict[str, float]:
    """Right answers by column, questions with a path, and the seconds of the median question (`p50`).

    A question that was stopped, as by its time limit, has no answer, and is told on stderr.
    """
    totals = dict.fromkeys((*COLUMNS, "with a path", "by the model"), 0.0)
    seconds = []
    context = KnowGPTContext(kg=kg, **settings)
    # What is derived from the KG is made once; a slow machine takes longer for that than a question may.
    for question in questions[:1]:
        await graph.ainvoke(_input(question), context=KnowGPTContext(kg=kg, seconds=_FIRST))
    for question in questions:
        began = perf_counter()
        result = (await graph.ainvoke(_input(question), context=context))["answer"]
        seconds.append(perf_counter() - began)
        totals["chance"] += 1 / len(question.choices)
        if not result["steps"]:
            print(f"{question.id}: {result['stop_reason']}: {result['answer']}", file=sys.stderr)
            continue
        scores = result["steps"][-1]
        totals["likeness"] += right_share(scores["likeness"], question.answers)
        totals["support"] += right_share(scores["support"], question.answers)
        totals["both"] += result["choice"] in question.answers
        totals["with a path"] += any(scores["support"].values())
        totals["by the model"] += scores["by"] == "model"
    return {**totals, "p50": percentile(seconds, 0.5) if seconds else math.nan}


def _input(question: Question) -> KnowGPTInput:
    return {
        "question": question.question,
        "choices": [{"id": choice.id, "text": choice.text} for choice in question.choices],
    }


def line(name: str, count: int, found: Mapping[str, float]) -> str:
    """One data set's row."""
    cells = [f"{100 * found['chance'] / count:5.1f}"]
    for column in COLUMNS[1:]:
        low, high = wilson(found[column], count)
        cells.append(f"{100 * found[column] / count:5.1f} [{100 * low:4.1f}, {100 * high:4.1f}]")
    return f"{name:27} {count:5}  {'  '.join(cells)}  {100 * found['with a path'] / count:6.1f}" + (
        f"  {100 * found['by the model'] / count:7.1f}  {found['p50']:7.1f}"
    )


async def run(data: Path, limit: int | None, settings: dict[str, Any]) -> None:
    """Print the table, a set at a time."""
    print(f"{'data set':27} {'n':>5}  chance  {'likeness':17}  {'support':17}  {'answer':17}  path %  model %  p50 ms")
    try:
        for name, given in CHOICE_SETS.items():
            questions = read_choices(data, given)
            asked = spread(questions, limit) if limit else questions
            folder = await kg_folder(data, given)
            print(line(name, len(asked), await measure(asked, str(folder), settings)), flush=True)
    finally:
        await close_all()


@own_runs()
def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table; raises `TriviumError` where the data is not there."""
    parser = argparse.ArgumentParser(prog="trivium eval knowgpt-choices", description=__doc__)
    parser.add_argument("--data", type=Path, default=data_folder(), help="folder that holds csqa/, openbookqa/, medqa/")
    parser.add_argument("--limit", type=int, help="so many questions of each set, evenly spread")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of KnowGPT")
    given = parser.parse_args(arguments)
    if given.data is None:
        raise UsageError("the data sets are not here: name their folder with --data or TRIVIUM_DATA")
    settings = dict(read_setting(KnowGPTContext, text) for text in given.set)
    asyncio.run(run(given.data, given.limit, settings))
