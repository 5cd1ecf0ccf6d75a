"""A run of one method over questions: its figures with intervals, kept in a file and read again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from trivium.evals.intervals import interval
from trivium.evals.metrics import Score, claims, score_answer
from trivium.evals.sample import kind_of
from trivium.kg.errors import BadInputError
from trivium.kg.files import write_atomic
from trivium.kg.loaders import Question, read_objects
from trivium.kg.loaders.questions import parse_question
from trivium.kg.text import fold_case
from trivium.nodes.run.answer_record import Answer

BINS = 5
"""Bins of confidence of equal width."""
_WITHOUT_MODEL = ("llm_failed", "llm_refused", "llm_timeout", "llm_budget")


@dataclass(frozen=True)
class RunAnswer:
    """A question, a method's answer, and why it is wrong ("" where it is not, or where no gold answer is known)."""

    question: Question
    answer: Answer
    cause: str = ""

    @cached_property
    def score(self) -> Score:
        """How good it is; of a question without gold answers without meaning."""
        return score_answer(self.answer, self.question.answers, self.question.rows)

    @cached_property
    def contains(self) -> float:
        """Hits@1 as ODA and ToG count it: 1 where the first claim contains a gold answer, or the other way round."""
        first = fold_case(said(self.answer, 1)) if self.claimed else ""
        return float(any(gold in first or first in gold for gold in map(fold_case, self.question.answers) if first))

    @property
    def stands_in(self) -> bool:
        """Whether some stage did without its model, which gave nothing usable."""
        return any(event["event"] in _WITHOUT_MODEL for event in self.answer["events"])

    @property
    def claimed(self) -> bool:
        """Whether it claims something."""
        return claims(self.answer)

    @property
    def kind(self) -> str:
        """The question's kind: its author's, else by its chain, else by the form of its gold answers."""
        gold = self.question.answers
        if self.question.kind:
            return self.question.kind
        if self.question.chain or self.question.branches:
            return kind_of(self.question)
        if not gold:
            return "unanswerable" if self.question.labeled else "without gold answers"
        if all(text.casefold() in ("yes", "no", "true", "false") for text in gold):
            return "yes or no"
        if all(text.replace(".", "", 1).lstrip("-").isdigit() for text in gold):
            return "number"
        return "one answer" if len(gold) == 1 else "several answers"


@dataclass(frozen=True)
class Run:
    """A method with a model over questions, in their order."""

    method: str
    model: str
    answers: list[RunAnswer]

    @property
    def name(self) -> str:
        """The method, and the model where one was asked."""
        return self.method if self.model == "none" else f"{self.method}, {self.model}"

    @property
    def scored(self) -> list[RunAnswer]:
        """The answers to questions that have gold answers, or that are marked as having none."""
        return [each for each in self.answers if each.question.labeled]

    @property
    def answerable(self) -> list[RunAnswer]:
        """Those that have an answer."""
        return [each for each in self.scored if each.question.answers]

    @property
    def unanswerable(self) -> list[RunAnswer]:
        """Those to which nothing must be claimed."""
        return [each for each in self.scored if not each.question.answers]

    def figures(self, seed: int = 0) -> dict[str, Any]:
        """All figures; shares in [0, 1].

        `hits` and `f1` over answerable questions; `false_claims` counts claims to unanswerable ones, `withheld`
        answerable ones without a claim; `calibration` is the expected calibration error of claims over 5 bins, None
        where none has a confidence; `seconds` is the median, `calls` and `tokens` are sums.
        """
        asked, none = self.answerable, self.unanswerable
        usage = [each.answer["usage"] for each in self.answers]
        return {
            "n": len(asked),
            "hits": interval([each.score.top1 for each in asked], seed),
            "f1": interval([each.score.f1 for each in asked], seed),
            "withheld": sum(not each.claimed for each in asked),
            "unanswerable": len(none),
            "false_claims": sum(each.claimed for each in none),
            "calibration": _calibration_error(self.bins()),
            "seconds": float(np.median([each["seconds"] for each in usage])) if usage else 0.0,
            "calls": sum(each["llm_calls"] for each in usage),
            "tokens": sum(each["prompt_tokens"] + each["completion_tokens"] for each in usage),
        }

    def bins(self) -> list[tuple[float, float, int]]:
        """Claims by confidence: mean confidence, share right, how many; bins without a claim are left out."""
        judged = [
            (float(each.answer["confidence"]), each.score.top1 if each.question.answers else 0.0)
            for each in self.scored
            if each.claimed and each.answer["confidence"] is not None
        ]
        out = []
        for place in range(BINS):
            inside = [pair for pair in judged if min(int(pair[0] * BINS), BINS - 1) == place]
            if inside:
                said, right = (sum(column) / len(inside) for column in zip(*inside, strict=True))
                out.append((said, right, len(inside)))
        return out

    def by(self, key: Callable[[RunAnswer], str]) -> dict[str, list[RunAnswer]]:
        """The scored answers in groups, largest first."""
        groups: dict[str, list[RunAnswer]] = {}
        for each in self.scored:
            groups.setdefault(key(each), []).append(each)
        return dict(sorted(groups.items(), key=lambda item: -len(item[1])))


def _calibration_error(bins: Sequence[tuple[float, float, int]]) -> float | None:
    count = sum(number for *_, number in bins)
    return sum(abs(said - right) * number for said, right, number in bins) / count if count else None


def said(answer: Answer, most: int = 4) -> str:
    """What an answer claims, or why it claims nothing, in a few words: at most so many names."""
    if not claims(answer):
        return f"({answer['stop_reason']})"
    if answer["choice"] is not None:
        return answer["choice"]
    if answer["value"] is not None:
        return str(answer["value"])
    shown = [item["label"] for item in answer["answers"]] or [str(each) for each in answer["values"]]
    more = f" and {len(shown) - most} more" if 1 < most < len(shown) else ""
    return ", ".join(shown[:most]) + more


def disagreements(runs: Sequence[Run]) -> list[tuple[Question, dict[str, str]]]:
    """Questions to which methods claim different things, those without gold answers first, then most voices first."""
    found = []
    for row in zip(*(run.answers for run in runs), strict=True):
        voices = {run.name: said(each.answer) for run, each in zip(runs, row, strict=True) if each.claimed}
        if len(set(voices.values())) > 1:
            found.append((row[0].question, voices))
    return sorted(found, key=lambda item: (item[0].labeled, -len(set(item[1].values()))))


def write_runs(path: Path, runs: Iterable[Run]) -> None:
    """Write answers, a line each."""
    lines = [
        {
            "method": run.method,
            "model": run.model,
            "question": {
                "id": each.question.id,
                "question": each.question.question,
                "kind": each.kind,
                "answers": list(each.question.answers) if each.question.labeled else None,
            },
            "cause": each.cause,
            "answer": each.answer,
        }
        for run in runs
        for each in run.answers
    ]
    write_atomic(path, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode())


def read_runs(path: Path) -> list[Run]:
    """What `write_runs` wrote; raises `BadInputError` for another file."""
    runs: dict[tuple[str, str], Run] = {}
    for number, line in read_objects(path):
        try:
            run = runs.setdefault((line["method"], line["model"]), Run(line["method"], line["model"], []))
            question = parse_question(line["question"], str(number))
            answer: Answer = line["answer"]
            run.answers.append(RunAnswer(question, answer, line["cause"]))
        except (KeyError, TypeError, ValueError) as error:
            what = f"not a run that trivium eval own --out wrote ({error})"
            raise BadInputError(what, path=path, line=number) from error
    return list(runs.values())
