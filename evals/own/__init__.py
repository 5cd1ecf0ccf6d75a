"""How good the methods are on a user's questions over a user's KG: `trivium eval compare QUESTIONS.jsonl --kg KG`.

Asks every method with every model, and the baselines named, scores strictly, and shows which method serves which kind
of question, errors by cause, and the questions on which methods disagree. A line without `answers` is asked and not
scored; `"answers": []` means that nothing must be claimed. `--make N` writes the questions from the KG first. `--out
RUN.jsonl` keeps the run, and `--compare RUN.jsonl` shows what changed since. `trivium eval own` is the same.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import Any

from trivium.evals.own.baselines import BASELINES, answer_baseline
from trivium.evals.own.causes import Causes
from trivium.evals.own.report import csv_text, html_page, markdown, text_report
from trivium.evals.own.runs import Run, RunAnswer, read_runs, write_runs
from trivium.graphs.methods import AUTO, METHODS, close_all, method_named
from trivium.graphs.on_cores import answer_on_cores
from trivium.graphs.on_ray import answer_on_ray
from trivium.kg.catalog import SAMPLE
from trivium.kg.errors import UsageError
from trivium.kg.files import write_atomic
from trivium.kg.lines import ResumableLines
from trivium.kg.loaders import Question, read_questions
from trivium.knowledge.knowledge import Knowledge, open_knowledge
from trivium.knowledge.written_questions import write_questions
from trivium.nodes.run.access import NO_MODEL
from trivium.nodes.run.operator import own_runs

_EVERY = 10.0  # seconds between two lines of progress


async def ask_all(
    questions: Sequence[Question],
    kg: str,
    asked_of: Sequence[tuple[str, str]],
    settings: Sequence[str] = (),
    jobs: int | None = None,
    ray: str = "",
    keep: Path | None = None,
) -> list[Run]:
    """One run over all questions, in order, for each method or baseline with a model.

    Args:
        questions: what is asked; those with choices are left to the methods that choose among them.
        kg: the KG argument.
        asked_of: names of methods or baselines, each with a model's, `none` for none.
        settings: `NAME=VALUE`, given to the methods that have it.
        jobs: questions at a time; None takes 16 with a model, else 1.
        ray: the address of a Ray cluster that answers; without it this machine does.
        keep: a folder with a file for each run, from which a command that was cut goes on.

    Raises:
        BadInputError: a file in `keep` has answers to other questions.
        UsageError: no method has a setting of that name, or it is invalid.
        TriviumError: the KG cannot be opened.
    """
    runs = []
    last = perf_counter()
    try:
        base = await open_knowledge(kg)
        causes = Causes(base.store)
        for name, model in asked_of:
            method = "keqing" if name in BASELINES else name  # a baseline has the model's settings alone
            chosen = method_named(method)
            own = [each for each in settings if each.partition("=")[0] in chosen.setting_names()]
            context = chosen.context(kg=kg, model=model, **chosen.read_settings(own))
            run = Run(name, model, [])
            with _kept(keep, run, questions) as lines:
                left = questions[len(run.answers) :]
                if name in BASELINES:
                    answered = answer_baseline(name, left, context, jobs)
                elif ray:
                    answered = answer_on_ray(ray, name, left, context, jobs)
                else:
                    answered = answer_on_cores(name, left, context, jobs, count=len(left))
                async for given in answered:
                    question = questions[len(run.answers)]
                    cause = await causes.of(question, given) if question.labeled else ""
                    run.answers.append(RunAnswer(question, given, cause))
                    if lines is not None:
                        lines.write({"id": question.id, "cause": cause, "answer": given})
                    if perf_counter() - last > _EVERY:
                        last = perf_counter()
                        said = f"{run.name}: {len(run.answers)} of {len(questions)}"
                        print(said, file=sys.stderr, flush=True)
            runs.append(run)
    finally:
        await close_all()
    return runs


@contextmanager
def _kept(folder: Path | None, run: Run, questions: Sequence[Question]) -> Iterator[ResumableLines | None]:
    """The file of a run in a folder, its answers so far put into the run; None without a folder."""
    if folder is None:
        yield None
        return

    def take(place: int, line: dict[str, Any]) -> bool:
        question = questions[place]
        same = line.get("id") == question.id and line.get("answer", {}).get("question") == question.question
        if same:
            run.answers.append(RunAnswer(question, line["answer"], line["cause"]))
        return same

    name = re.sub(r"[^\w.-]+", "_", f"{run.method}-{run.model}")
    with ResumableLines(folder / f"{name}.jsonl", len(questions), take) as lines:
        del run.answers[lines.done :]  # a last line without its end is asked again
        yield lines


def make_questions(kg: str, path: Path, count: int, seed: int) -> None:
    """Write questions from the KG to a file that is not there yet; raises `UsageError` where it is."""
    if path.exists():
        raise UsageError(f"{path} exists; --make writes a new file (leave --make out to use this one)")
    with Knowledge.open(kg) as opened:
        made = asyncio.run(write_questions(opened.store, count, seed=seed))
    if not made:
        raise UsageError(f"the KG {kg} has too little for a question; write {path} by hand")
    write_atomic(path, "".join(f"{each.line()}\n" for each in made).encode())
    print(f"wrote {len(made)} questions to {path}", file=sys.stderr)


def _check_settings(settings: Iterable[str], methods: Iterable[str]) -> None:
    known = {name for method in methods for name in method_named(method).setting_names()}
    for each in settings:
        if each.partition("=")[0] not in known:
            what = f"no method has a setting {each.partition('=')[0]!r}; there are: {', '.join(sorted(known))}"
            raise UsageError(what)


@own_runs()
def main(arguments: Sequence[str] | None = None) -> None:
    """Ask, score and report."""
    parser = argparse.ArgumentParser(prog="trivium eval compare", description=__doc__)
    parser.add_argument("questions", type=Path, metavar="QUESTIONS.jsonl", help="question lines, with answers as known")
    parser.add_argument("--kg", default=SAMPLE, help="the KG; default: the bundled sample")
    parser.add_argument(
        "--method", action="append", choices=METHODS, help="a method; repeat for several (default: all)"
    )
    parser.add_argument("--model", action="append", metavar="NAME", help="a chat model; repeat for several")
    parser.add_argument(
        "--baseline", action="append", default=[], choices=BASELINES,
        help="the model alone (direct), thinking step by step (cot), or shown triples near the question; repeat",
    )  # fmt: skip
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of the methods")
    parser.add_argument("--jobs", type=int, metavar="N", help="questions at a time; 16 with a model, else 1")
    parser.add_argument("--ray", default="", metavar="ADDRESS", help="answer on a Ray cluster: HOST:6379, or local")
    parser.add_argument("--make", type=int, metavar="N", help="first write N questions from the KG to QUESTIONS.jsonl")
    parser.add_argument("--seed", type=int, default=0, help="seed of --make and of the intervals")
    parser.add_argument("--out", type=Path, metavar="RUN.jsonl", help="keep questions, answers and causes")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep answers as they come; run again, it goes on")
    parser.add_argument("--compare", type=Path, metavar="RUN.jsonl", help="show what changed since that run")
    parser.add_argument("--html", type=Path, metavar="F", help="write the report as one HTML page")
    parser.add_argument("--markdown", type=Path, metavar="F", help="write the figures as Markdown tables")
    parser.add_argument("--csv", type=Path, metavar="F", help="write the figures as CSV")
    parser.add_argument("--limit", type=int, default=10, metavar="N", help="questions listed a cause (default: 10)")
    given = parser.parse_args(arguments)
    methods = given.method or ([AUTO] + [name for name in METHODS if name != AUTO])
    _check_settings(given.set, methods)
    before = read_runs(given.compare) if given.compare else []
    if given.make is not None:
        make_questions(given.kg, given.questions, given.make, given.seed)
    questions = read_questions(given.questions)
    models = given.model or [NO_MODEL]
    named = [model for model in models if model != NO_MODEL]
    if given.baseline and not named:
        raise UsageError("--baseline asks a chat model: name one with --model")
    asked_of = [*product(methods, models), *product(given.baseline, named)]
    runs = asyncio.run(ask_all(questions, given.kg, asked_of, given.set, given.jobs, given.ray, given.keep))
    if given.out:
        write_runs(given.out, runs)
    print(text_report(runs, before, limit=given.limit, seed=given.seed))
    for path, figures in ((given.markdown, markdown), (given.csv, csv_text)):
        if path:
            write_atomic(path, figures(runs, seed=given.seed).encode())
    if given.html:
        write_atomic(given.html, html_page(given.kg, runs, before, seed=given.seed).encode())
        print(f"the report is in {given.html}", file=sys.stderr)
