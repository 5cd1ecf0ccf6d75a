"""150 questions of ours that compute, over the sample and MetaQA: `trivium eval operators [--misses]`.

A line of `questions.jsonl` has `kg` (`sample`, `metaqa`), `kind`, `question`, and `answers` (ids) or `value`. The gold
was worked out from the triples by a few lines of plain Python that share nothing with Trivium. Where an entity has
several values, as MetaQA's films of one title have years, a bound holds if it holds of any of them, and the best one
ranks it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trivium.evals.bench.__main__ import metaqa_folder
from trivium.evals.metaqa import data_folder, triples_file
from trivium.graphs.keqing import graph
from trivium.kg.catalog import SAMPLE
from trivium.knowledge.knowledge import close_all
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.run.answer_record import Answer
from trivium.nodes.run.operator import own_runs
from trivium.nodes.run.state import QuestionInput

QUESTIONS = Path(__file__).with_name("questions.jsonl")


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """A question's line, its answer, and whether its value, or its whole set of answers, is right."""

    line: Mapping[str, Any]
    answer: Answer
    right: bool


def read_lines(path: Path = QUESTIONS) -> list[dict[str, Any]]:
    """The question lines of the file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def is_right(line: Mapping[str, Any], answer: Answer) -> bool:
    """Whether the value is the gold one, of the same kind (True is not 1), or the set of answers exact."""
    if "value" in line:
        return type(answer["value"]) is type(line["value"]) and answer["value"] == line["value"]
    return {item["id"] for item in answer["answers"]} == set(line["answers"])


async def ask_all(lines: Sequence[Mapping[str, Any]], kgs: Mapping[str, str]) -> list[JudgedAnswer]:
    """Every question whose KG is there, through the compiled graph without a model, in order."""
    done = []
    try:
        for line in lines:
            if line["kg"] not in kgs:
                continue
            given: QuestionInput = {"question": line["question"]}
            answer: Answer = (await graph.ainvoke(given, context=KeqingContext(kg=kgs[line["kg"]])))["answer"]
            done.append(JudgedAnswer(line, answer, is_right(line, answer)))
    finally:
        await close_all()
    return done


def table(done: Sequence[JudgedAnswer]) -> str:
    """A line a KG and kind and one for each KG: n, right, percent."""
    asked, right = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for each in done:
        for kind in (each.line["kind"], "~all"):  # "~" sorts behind the kinds
            asked[each.line["kg"], kind] += 1
            right[each.line["kg"], kind] += each.right
    lines = [f"{'kg':8} {'kind':14} {'n':>5} {'right':>6} {'%':>6}"]
    for (kg, kind), count in sorted(asked.items()):
        share = 100 * right[kg, kind] / count
        lines.append(f"{kg:8} {kind.lstrip('~'):14} {count:5} {right[kg, kind]:6} {share:6.1f}")
    return "\n".join(lines)


def miss(each: JudgedAnswer) -> str:
    """What was asked, computed, said and wanted."""
    line, answer = each.line, each.answer
    step = answer["steps"][0]
    read = "; ".join(
        f"{sub['id']}. {sub['question']} <- {', '.join(sub['seed_entities'])}" for sub in step["sub_questions"]
    )
    said = answer["value"] if answer["value"] is not None else [item["id"] for item in answer["answers"][:8]]
    text = (step.get("reading") or {}).get("text") or "no plan"
    return (
        f"{line['id']}: {line['question']}\n    read  {read or '-'} | {text}\n"
        f"    said  {said}\n    gold  {line.get('value', line.get('answers', [])[:8])}"
    )


@own_runs()
def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table, and with --misses every question that is not right; MetaQA's where its data is."""
    parser = argparse.ArgumentParser(prog="trivium eval operators", description=__doc__)
    parser.add_argument("--data", type=Path, default=data_folder(), help="the folder that holds metaqa/")
    parser.add_argument("--misses", action="store_true", help="show every question that is not right")
    given = parser.parse_args(arguments)

    async def measured() -> list[JudgedAnswer]:
        kgs = {"sample": SAMPLE}
        if given.data is not None and triples_file(given.data).is_file():
            kgs["metaqa"] = str(await metaqa_folder(given.data))
        return await ask_all(read_lines(), kgs)

    done = asyncio.run(measured())
    print(table(done))
    if len(done) < len(read_lines()):
        print("MetaQA is not here: name the folder of the data with --data or TRIVIUM_DATA")
    if given.misses:
        print("\n".join(miss(each) for each in done if not each.right))
    return 0
