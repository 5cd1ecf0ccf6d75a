"""How good the methods are on a user's questions over a user's KG: `trivium eval own QUESTIONS.jsonl --kg KG`.

Asks every method (and model), scores strictly, and shows which method serves which kind of question, errors by cause,
and the questions on which methods disagree. A line without `answers` is asked and not scored; `"answers": []` means
that nothing must be claimed. `--make N` writes the questions from the KG first. `--out RUN.jsonl` keeps the run, and
`--compare RUN.jsonl` shows what changed since.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from time import perf_counter

from trivium.evals.own.causes import Causes
from trivium.evals.own.report import html_page, text_report
from trivium.evals.own.runs import Run, RunAnswer, read_runs, write_runs
from trivium.graphs.methods import AUTO, METHODS, close_all, method_named
from trivium.graphs.on_cores import answer_on_cores
from trivium.graphs.on_ray import answer_on_ray
from trivium.kg.catalog import SAMPLE
from trivium.kg.errors import UsageError
from trivium.kg.files import write_atomic
from trivium.kg.loaders import Question, read_questions
from trivium.knowledge.knowledge import Knowledge, open_knowledge
from trivium.knowledge.written_questions import write_questions
from trivium.nodes.run.access import NO_MODEL
from trivium.nodes.run.operator import own_runs

_EVERY = 10.0  # seconds between two lines of progress


async def ask_all(
    questions: Sequence[Question],
    kg: str,
    methods: Sequence[str],
    models: Sequence[str],
    settings: Sequence[str] = (),
    jobs: int | None = None,
    ray: str = "",
) -> list[Run]:
    """One run for each method and model over all questions, in order.

    Args:
        questions: what is asked; those with choices are left to the methods that choose among them.
        kg: the KG argument.
        methods: names of methods.
        models: names of models, `none` for none.
        settings: `NAME=VALUE`, given to the methods that have it.
        jobs: questions at a time; None takes 16 with a model, else 1.
        ray: the address of a Ray cluster that answers; without it this process does.

    Raises:
        UsageError: no method has a setting of that name, or it is invalid.
        TriviumError: the KG cannot be opened.
    """
    runs = []
    last = perf_counter()
    try:
        base = await open_knowledge(kg)
        causes = Causes(base.store)
        for method in methods:
            for model in models:
                chosen = method_named(method)
                own = [each for each in settings if each.partition("=")[0] in chosen.setting_names()]
                context = chosen.context(kg=kg, model=model, **chosen.read_settings(own))
                run = Run(method, model, [])
                number = 0
                answered = (
                    answer_on_ray(ray, method, questions, context, jobs)
                    if ray
                    else answer_on_cores(method, questions, context, jobs, count=len(questions))
                )
                async for given in answered:
                    question = questions[number]
                    number += 1
                    cause = await causes.of(question, given) if question.labeled else ""
                    run.answers.append(RunAnswer(question, given, cause))
                    if perf_counter() - last > _EVERY:
                        last = perf_counter()
                        print(f"{run.name}: {number} of {len(questions)}", file=sys.stderr, flush=True)
                runs.append(run)
    finally:
        await close_all()
    return runs


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
    parser = argparse.ArgumentParser(prog="trivium eval own", description=__doc__)
    parser.add_argument("questions", type=Path, metavar="QUESTIONS.jsonl", help="question lines, with answers as known")
    parser.add_argument("--kg", default=SAMPLE, help="the KG; default: the bundled sample")
    parser.add_argument(
        "--method", action="append", choices=METHODS, help="a method; repeat for several (default: all)"
    )
    parser.add_argument("--model", action="append", metavar="NAME", help="a chat model; repeat for several")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of the methods")
    parser.add_argument("--jobs", type=int, metavar="N", help="questions at a time; 16 with a model, else 1")
    parser.add_argument("--ray", default="", metavar="ADDRESS", help="answer on a Ray cluster: HOST:6379, or local")
    parser.add_argument("--make", type=int, metavar="N", help="first write N questions from the KG to QUESTIONS.jsonl")
    parser.add_argument("--seed", type=int, default=0, help="seed of --make and of the intervals")
    parser.add_argument("--out", type=Path, metavar="RUN.jsonl", help="keep questions, answers and causes")
    parser.add_argument("--compare", type=Path, metavar="RUN.jsonl", help="show what changed since that run")
    parser.add_argument("--html", type=Path, metavar="F", help="write the report as one HTML page")
    parser.add_argument("--limit", type=int, default=10, metavar="N", help="questions listed a cause (default: 10)")
    given = parser.parse_args(arguments)
    methods = given.method or ([AUTO] + [name for name in METHODS if name != AUTO])
    _check_settings(given.set, methods)
    before = read_runs(given.compare) if given.compare else []
    if given.make is not None:
        make_questions(given.kg, given.questions, given.make, given.seed)
    questions = read_questions(given.questions)
    runs = asyncio.run(
        ask_all(questions, given.kg, methods, given.model or [NO_MODEL], given.set, given.jobs, given.ray)
    )
    if given.out:
        write_runs(given.out, runs)
    print(text_report(runs, before, limit=given.limit, seed=given.seed))
    if given.html:
        write_atomic(given.html, html_page(given.kg, runs, before, seed=given.seed).encode())
        print(f"the report is in {given.html}", file=sys.stderr)
