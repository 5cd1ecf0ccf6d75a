"""How long the prompts of the three methods are, on a user's questions and KG; no model is asked.

    trivium eval prompts QUESTIONS.jsonl --kg KG [--method keqing] [--limit 100] [--set NAME=VALUE]

Each prompt is filled as a run would send it, the request for JSON included, and measured by the estimate that budgets
go by: four bytes of UTF-8 a token. Questions with choices are asked of knowgpt, which is left out where none has any.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from trivium.graphs.filled_prompts import PROMPTS, check_settings, filled_prompts
from trivium.graphs.methods import close_all, method_named
from trivium.kg.catalog import SAMPLE
from trivium.kg.errors import RequestError, UsageError
from trivium.kg.loaders import Question, read_questions
from trivium.nodes.run.usage import estimate_tokens

GOALS = {"keqing_decompose": 1_200, "keqing_choose_plan": 1_200, "oda": 2_500, "knowgpt": 600}
"""Tokens of the longest prompt: of this name, or of the method whose name it begins with."""


async def sizes(
    method: str, questions: Sequence[Question], kg: str, settings: Sequence[str] = ()
) -> dict[str, list[int]]:
    """For each prompt of a method the tokens of every text that the questions fill it with."""
    known = method_named(method).setting_names()
    read = method_named(method).read_settings(text for text in settings if text.partition("=")[0] in known)
    found: dict[str, list[int]] = {prompt.name: [] for prompt in PROMPTS[method]}
    for question in questions:
        try:
            filled = await filled_prompts(
                method,
                question.question,
                kg,
                topic_entities=question.topic_entities,
                choices=question.choices,
                settings=read,
            )
        except RequestError as error:
            print(f"{question.id}: {error}", file=sys.stderr)
            continue
        for name, texts in filled.items():
            found[name] += map(estimate_tokens, texts)
    return found


def goal_of(prompt: str) -> int | None:
    """The most tokens that a prompt should have; None where nothing is asked of it."""
    return GOALS.get(prompt, GOALS.get(prompt.partition("_")[0]))


def report(found: dict[str, list[int]]) -> tuple[list[str], bool]:
    """A line a prompt, and whether every goal is reached."""
    lines, reached = list[str](), True
    for name, tokens in found.items():
        if not tokens:
            lines.append(f"{name:26} {'-':>6}")
            continue
        goal, largest = goal_of(name), max(tokens)
        ok = goal is None or largest <= goal
        reached = reached and ok
        verdict = "" if goal is None else f"<= {goal:,}  {'ok' if ok else 'SHORT'}"
        late = sorted(tokens)[min(len(tokens) - 1, int(0.95 * len(tokens)))]
        lines.append(f"{name:26} {len(tokens):>6} {median(tokens):>8,.0f} {late:>8,} {largest:>8,}  {verdict}".rstrip())
    return lines, reached


async def _run(given: argparse.Namespace) -> int:
    questions = list(read_questions(given.questions))[: given.limit or None]
    check_settings([text.partition("=")[0] for text in given.set], given.method or PROMPTS)
    methods = given.method or [name for name in PROMPTS if name != "knowgpt" or any(q.choices for q in questions)]
    os.environ.setdefault("OPENAI_API_KEY", "none")  # nothing is sent
    print(f"{len(questions)} questions, {given.kg}")
    print(f"{'prompt':26} {'filled':>6} {'median':>8} {'95 %':>8} {'largest':>8}  goal")
    reached = True
    try:
        for method in methods:
            asked = [q for q in questions if q.choices] if method == "knowgpt" else questions
            if not asked:
                raise UsageError("knowgpt's prompts need questions with choices")
            lines, ok = report(await sizes(method, asked, given.kg, given.set))
            print("\n".join(lines), flush=True)
            reached = reached and ok
    finally:
        await close_all()
    return 0 if reached else 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 1 where a prompt is longer than its goal. Raises `TriviumError` as reading questions does."""
    parser = argparse.ArgumentParser(prog="trivium eval prompts", description=__doc__)
    parser.add_argument("questions", type=Path, metavar="QUESTIONS.jsonl", help="question lines")
    parser.add_argument("--kg", default=SAMPLE, help="the KG; default: the bundled sample")
    parser.add_argument("--method", action="append", choices=tuple(PROMPTS), help="a method; repeat for several")
    parser.add_argument("--limit", type=int, default=100, metavar="N", help="the first N questions; 0 for all")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of the methods")
    return asyncio.run(_run(parser.parse_args(arguments)))
