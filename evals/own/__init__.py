"""How good the methods are on a user's questions over a user's KG: `trivium eval compare QUESTIONS.jsonl --kg KG`.

Asks every method with every model, and the baselines named, scores strictly, and shows which method serves which kind
of question, errors by cause, and the questions on which methods disagree. A line without `answers` is asked and not
scored; `"answers": []` means that nothing must be claimed. `--make N` writes the questions from the KG first. `--out
RUN.jsonl` keeps the run, and `--compare RUN.jsonl` shows what changed since. `trivium eval own` is the same.

A baseline is what a chat model says without a method of ours: alone, thinking step by step, or shown triples near the
question. Its answers have the contract's shape, so that one scorer judges all; names that the KG has get their ids.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
import time
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from contextlib import aclosing, contextmanager
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import Any

from pydantic import BaseModel, Field

from trivium.evals.own.causes import Causes
from trivium.evals.own.report import csv_text, html_page, markdown, text_report
from trivium.evals.own.runs import Run, RunAnswer, read_runs, write_runs
from trivium.graphs.methods import AUTO, JOBS, METHODS, answer_in_order, close_all, method_named
from trivium.graphs.on_cores import answer_on_cores
from trivium.graphs.on_ray import answer_on_ray
from trivium.kg.catalog import SAMPLE
from trivium.kg.errors import ModelError, UsageError
from trivium.kg.files import write_atomic
from trivium.kg.lines import ResumableLines
from trivium.kg.loaders import Question, read_questions
from trivium.knowledge.knowledge import Knowledge, open_knowledge
from trivium.knowledge.written_questions import write_questions
from trivium.nodes.model import ask_typed
from trivium.nodes.model.prompt_data import as_data
from trivium.nodes.run.abstain import Decision
from trivium.nodes.run.access import NO_MODEL
from trivium.nodes.run.answer_record import Answer, AnswerEntity
from trivium.nodes.run.context import Context
from trivium.nodes.run.operator import own_runs
from trivium.nodes.run.write_answer import Claim, record
from trivium.tools.find_entities import find_entities
from trivium.tools.get_labels import get_labels
from trivium.tools.link_text import link_text
from trivium.tools.search_triples import search_triples

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


_TRIPLES = 50  # shown of those nearest to the question, as Keqing's dense supplement considers


class Said(BaseModel):
    """Answers as names."""

    answers: list[str] = Field(default_factory=list)


class ThoughtSaid(BaseModel):
    """The same after a chain of thought, which comes first."""

    thoughts: str = ""
    answers: list[str] = Field(default_factory=list)


_ASK = "Answer the question with the names, numbers or dates that it asks for, yes or no, or a choice's letter."
_BASELINES: dict[str, tuple[str, type[Said | ThoughtSaid]]] = {
    "direct": (f"{_ASK}\n<question>{{question}}</question>{{choices}}", Said),
    "cot": (f"{_ASK} First think step by step.\n<question>{{question}}</question>{{choices}}", ThoughtSaid),
    "triples": (
        f"{_ASK} Use the triples of a knowledge graph.\n<triples>\n{{triples}}\n</triples>\n"
        "<question>{question}</question>{choices}",
        Said,
    ),
}
BASELINES = tuple(_BASELINES)
"""`direct`: the model alone; `cot`: chain of thought; `triples`: shown the triples nearest to the question."""


async def answer_baseline(
    name: str, questions: Sequence[Question], context: Context, jobs: int | None = None
) -> AsyncGenerator[Answer]:
    """The answers of a baseline to many questions, in order, `jobs` at a time."""
    asked = answer_in_order(questions, jobs or JOBS, lambda question: _answer(name, question, context))
    async with aclosing(asked) as answered:
        async for found in answered:
            yield found


async def _answer(name: str, question: Question, context: Context) -> Answer:
    started = time.time()
    template, schema = _BASELINES[name]
    options = "".join(f"\n{choice.id}: {as_data(choice.text)}" for choice in question.choices)
    shown = await _triples(question, context.kg) if "{triples}" in template else ""
    text = template.format(question=as_data(question.question, 10_000), choices=options, triples=shown)
    state: dict[str, Any] = {"question": question.question, "started": started}
    try:
        reply = await ask_typed(context, None, text, schema, stage=name)
    except ModelError as error:
        found = record(name, state, context, Claim(), Decision("budget", str(error)))
    else:
        names = list(dict.fromkeys(filter(None, map(str.strip, reply.value.answers)))) if reply.value else []
        claim = await _claim(names, question, context.kg)
        decision = Decision("answered" if claim.found else "not_found", "the model named nothing")
        found = record(name, {**state, "usage": reply.usage, "events": reply.events}, context, claim, decision)
    found["id"] = question.id
    return found


async def _triples(question: Question, kg: str) -> str:
    ids = list(question.topic_entities) or (await link_text(kg, [question.question]))[0]
    near = await search_triples(kg, question.question, ids, _TRIPLES) if ids else []
    ends = list(dict.fromkeys(end for each in near for end in (each.triple.head, each.triple.tail)))
    labels = dict(zip(ends, map(as_data, await get_labels(kg, ends)), strict=True))
    return "\n".join(
        f"({labels[each.triple.head]}, {each.triple.relation}, {labels[each.triple.tail]})" for each in near
    )


async def _claim(names: Sequence[str], question: Question, kg: str) -> Claim:
    if question.choices:
        ids = {choice.id.casefold(): choice.id for choice in question.choices}
        ids |= {choice.text.casefold(): choice.id for choice in question.choices}
        chosen = next((ids[name.casefold()] for name in names if name.casefold() in ids), None)
        return Claim(", ".join(names), choice=chosen)
    found = await find_entities(kg, names, 1, fuzzy=False) if names else []
    answers = [
        AnswerEntity(id=hits[0].id if hits else name, label=hits[0].label if hits else name, score=1.0)
        for name, hits in zip(names, found, strict=True)
    ]
    return Claim(", ".join(names), answers)
