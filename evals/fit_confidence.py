"""Fit how sure an answer of a plan is: `trivium eval fit-confidence`.

Asks the graphs whose questions may be read (`small_graphs.READ`) all their questions, and the same graphs without what
a question asks for (`trivium eval removed-facts`), claims whatever is found, and fits a logistic regression of the
answers of plans being right on their signals, drawn to the weights of an earlier fit. Prints what weights give on
graphs that they were not fitted on, a tenth of them at a time (AUROC; of 100 questions right, wrong, claimed of those
that have no answer, and claimed wrongly of those whose fact was removed, at 0.5), beside those in use, then the weights
fitted on all: those of `policies/confidence/model.py`. Takes some 20 minutes.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trivium.evals import small_graphs
from trivium.evals.calibration import auroc
from trivium.evals.small_graphs.removed import removed
from trivium.nodes.run.context import MIN_CONFIDENCE
from trivium.nodes.run.operator import own_runs
from trivium.policies.confidence.model import PLAN_WEIGHTS, TAUGHT_PLAN_WEIGHTS
from trivium.policies.confidence.signals import AnswerSignals
from trivium.policies.logistic import chance, fit_logistic

SET = frozenset(
    {"misfit", "lacks", "through", "turned", "opposed", "borrowed", "typed", "loose", "vague", "wrong", "alien"}
)
"""Signals whose weights stay. What they tell of is too rare here, and no answer to what was asked: few of these
questions have a name that the graph lacks. `typed` was chosen on GeoQuery, POLE, FDA and Game of Thrones, which the
repository does not hold; so was `alien`, on POLE's questions with a noun of theirs exchanged."""
_DRAW = 100.0  # precision of the prior, in spreads of a signal; with 30, GeoQuery loses 4 % of its right answers
_BIAS_DRAW = 0.01  # share of it that holds for the bias
_LEAST_SPREAD = 0.05
_UNANSWERABLE = 2.0
"""How much an answer counts to a question that has none: users ask more of those than our writers did."""
_NEW = 0.2
"""Log-odds by which answers are right less often on graphs that nobody read while the reader was made."""
_REMOVED = 0.3
"""How much one counts to a question of which a fact was removed: there are as many as others."""
_FOLDS = 10


@dataclass(frozen=True)
class FitExample:
    """A question of a graph with the signals of its answer (none where no plan answers).

    Attributes:
        removed: whether the graph was without what it asks for.
    """

    graph: str
    answerable: bool
    right: bool
    signals: AnswerSignals | None
    removed: bool = False

    @property
    def weight(self) -> float:
        """How much it counts in a fit."""
        return _REMOVED if self.removed else 1.0 if self.answerable else _UNANSWERABLE


async def _answers(part: str, work: Path) -> list[FitExample]:
    out = []
    for name in small_graphs.graphs(part):
        for each in await small_graphs.measure(part, name, work, min_confidence=0.0):
            able = bool(each.question.answers)
            signals = _signals(each.answer) if each.claims else None
            out.append(FitExample(f"{part}/{name}", able, able and each.right, signals))
        for again in await removed(part, name, work / "without", min_confidence=0.0):
            signals = _signals(again.asked.answer) if again.asked.claims else None
            out.append(FitExample(f"{part}/{name}", True, again.asked.right, signals, removed=True))
    return out


def _signals(answer: Mapping[str, Any]) -> AnswerSignals | None:
    """The signals of what a plan answers; None of anything else."""
    assessed = answer["steps"][0].get("assessed") if answer["steps"] else None
    return AnswerSignals(**assessed["signals"]) if assessed and assessed["signals"].get("plan") else None


def fit(answers: Sequence[FitExample], prior: Mapping[str, float]) -> dict[str, float]:
    """Weights of signals and `bias`, from answers with signals; the bias is less by `_NEW`."""
    kept = {name: weight for name, weight in prior.items() if name in SET}
    names = [name for name in prior if name != "bias" and name not in kept]
    x = _rows(answers, names)
    right = np.array([float(each.right) for each in answers])
    counts = np.array([each.weight for each in answers])
    draw = _DRAW * np.maximum(x.std(axis=0), _LEAST_SPREAD) ** 2
    draw[0] = _DRAW * _BIAS_DRAW
    known = np.array([sum(weight * getattr(each.signals, name) for name, weight in kept.items()) for each in answers])
    drawn = np.array([prior[name] for name in ("bias", *names)])
    bias, *fitted = fit_logistic(x, right, drawn, draw, counts, known).tolist()
    by_name = {**dict(zip(names, fitted, strict=True)), **kept}
    return {**{name: by_name[name] for name in prior if name != "bias"}, "bias": bias - _NEW}


def _rows(answers: Sequence[FitExample], names: Sequence[str]) -> NDArray[np.float64]:
    return np.array([[1.0, *(getattr(each.signals, name) for name in names)] for each in answers])


def sure(weights: Mapping[str, float], answers: Sequence[FitExample]) -> list[float]:
    """Confidence of answers with signals by some weights, in [0, 1]."""
    names = [name for name in weights if name != "bias"]
    x = _rows(answers, names)
    out: list[float] = chance(x @ np.array([weights[name] for name in ("bias", *names)])).tolist()
    return out


def held_out(answers: Sequence[FitExample], prior: Mapping[str, float]) -> list[float]:
    """Confidence of each answer by weights that were fitted on other graphs."""
    names = sorted({each.graph for each in answers})
    fold = {name: place % _FOLDS for place, name in enumerate(names)}
    out = [0.0] * len(answers)
    for number in range(_FOLDS):
        places = [place for place, each in enumerate(answers) if fold[each.graph] == number]
        others = [each for each in answers if fold[each.graph] != number]
        if places and others:
            by = sure(fit(others, prior), [answers[place] for place in places])
            for place, value in zip(places, by, strict=True):
                out[place] = value
    return out


def _figures(by: Sequence[float], found: Sequence[FitExample], asked: Sequence[FitExample]) -> str:
    pairs = [(value, each) for value, each in zip(by, found, strict=True) if not each.removed]
    right = [value for value, each in pairs if each.right]
    wrong = [value for value, each in pairs if not each.right]
    without = sum(each.removed for each in asked)
    able = sum(each.answerable and not each.removed for each in asked)
    claimed = [each for value, each in pairs if value >= MIN_CONFIDENCE]
    lacking = [each for value, each in zip(by, found, strict=True) if each.removed and value >= MIN_CONFIDENCE]
    shares = (
        100 * sum(each.right for each in claimed) / max(able, 1),
        100 * sum(each.answerable and not each.right for each in claimed) / max(able, 1),
        100 * sum(not each.answerable for each in claimed) / max(len(asked) - without - able, 1),
        100 * sum(not each.right for each in lacking) / max(without, 1),
    )
    return f"{auroc(right, wrong):6.3f} " + " ".join(f"{share:6.1f}" for share in shares)


@own_runs()
def main(arguments: Sequence[str] | None = None) -> None:
    """Ask, fit, print."""
    parser = argparse.ArgumentParser(prog="trivium eval fit-confidence", description=__doc__)
    parser.parse_args(arguments)
    asked: list[FitExample] = []
    with tempfile.TemporaryDirectory(prefix="trivium-") as work:
        for part in small_graphs.READ:
            asked += asyncio.run(_answers(part, Path(work)))
    found = [each for each in asked if each.signals is not None]
    print("AUROC, of 100 right, wrong, false, false where a fact was removed")
    print(f"{_figures(held_out(found, TAUGHT_PLAN_WEIGHTS), found, asked)} fitted on other graphs")
    print(f"{_figures(sure(PLAN_WEIGHTS, found), found, asked)} in use")
    for name, value in fit(found, TAUGHT_PLAN_WEIGHTS).items():
        print(f'    "{name}": {value:.2f},')
