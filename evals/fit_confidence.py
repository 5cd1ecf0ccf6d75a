"""Fit how sure an answer of a plan is: `trivium eval fit-confidence`.

Asks the graphs on which choices are made (`small_graphs`, the parts `dev`; `own_graphs`) all their questions, claims
whatever is found, and fits a logistic regression of the answers being right on their signals, drawn to `PRIOR`. Every
graph set counts with the square root of its answers. Prints for each set what weights fitted without it give on it
(AUROC; of 100 questions right, wrong, and claimed of those that have no answer, at 0.5), beside today's, then the
weights fitted on all. Those in use, in `policies/confidence/model.py`, also saw questions that are not here.
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

from trivium.evals import own_graphs, small_graphs
from trivium.evals.calibration import auroc
from trivium.nodes.run.context import MIN_CONFIDENCE
from trivium.nodes.run.operator import own_runs
from trivium.policies.confidence.model import PLAN_WEIGHTS
from trivium.policies.confidence.signals import AnswerSignals
from trivium.policies.logistic import fit_logistic

PRIOR = {
    "odd": -2.29,
    "weakest": 0.23,
    "height": 0.93,
    "ahead": -3.2,
    "vague": -1.26,
    "thin": -2.61,
    "unnamed": -1.25,
    "kinds": -0.8,
    "vote": 0.0,
    "size": 0.0,
    "bias": 2.04,
}
"""Weights of an earlier fit, on 1,485 answers over 11 graphs; 0 for signals that it did not have."""
FIXED = {
    "unread": -1.35,
    "unused": -3.4,
    "strange": -0.61,
    "gap_unsaid": -0.68,
    "loose": -0.5,
    "wrong": -3.0,
    "misfit": -3.0,
    "untrue": -3.0,
    "lacks": -3.0,
    "through": -3.0,
    "turned": -3.0,
    "guessed": -1.0,
    "opposed": -3.0,
    "detoured": -1.0,
    "borrowed": -2.0,
    "whole": -1.0,
    "typed": 0.9,
}
"""What speaks against an answer whatever else does: words that nothing accounts for, as in the earlier fit, heavier
than a fit here has them, so that nothing is answered by half; and what is too rare here. `typed` was chosen on
GeoQuery, POLE, FDA and Game of Thrones, which the repository does not hold."""
_DRAW = 30.0  # precision of the prior, in spreads of a signal
_BIAS_DRAW = 0.01  # share of it that holds for the bias
_LEAST_SPREAD = 0.05


@dataclass(frozen=True)
class PlanAnswer:
    """A question of a graph set, and what is known of its answer: None where nothing was found."""

    part: str
    answerable: bool
    right: bool
    signals: AnswerSignals | None


async def _answers(part: str, work: Path) -> list[PlanAnswer]:
    done: list[tuple[Mapping[str, Any], bool, bool]] = []
    if part == "own":
        for name in own_graphs.graphs():
            scored = await own_graphs.measure(name, work, min_confidence=0.0)
            done += [(each.answer, True, each.score.exact == 1) for each in scored]
    else:
        for name in small_graphs.graphs(part):
            asked = await small_graphs.measure(part, name, work, min_confidence=0.0)
            done += [(each.answer, bool(each.question.answers), each.right) for each in asked]
    return [PlanAnswer(part, able, able and right, _signals(answer)) for answer, able, right in done]


def _signals(answer: Mapping[str, Any]) -> AnswerSignals | None:
    """The signals of what a plan answers; None of anything else."""
    assessed = answer["steps"][0].get("assessed") if answer["steps"] else None
    if not assessed or answer["stop_reason"] != "answered" or not assessed["signals"].get("plan"):
        return None
    return AnswerSignals(**assessed["signals"])


def fit(answers: Sequence[PlanAnswer]) -> dict[str, float]:
    """Weights of signals and `bias`."""
    names = [name for name in PRIOR if name != "bias"]
    x, right, part = _arrays(answers, names)
    counts = {name: part.count(name) for name in set(part)}
    weight = np.array([counts[name] ** -0.5 for name in part])
    weight *= len(weight) / weight.sum()
    prior = np.array([PRIOR["bias"], *(PRIOR[name] for name in names)])
    draw = _DRAW * np.maximum(x.std(axis=0), _LEAST_SPREAD) ** 2
    draw[0] = _DRAW * _BIAS_DRAW
    b = fit_logistic(x, right, prior, draw, weight, _fixed(answers))
    return {**{name: float(b[1 + i]) for i, name in enumerate(names)}, **FIXED, "bias": float(b[0])}


def _arrays(
    answers: Sequence[PlanAnswer], names: Sequence[str]
) -> tuple[NDArray[np.float64], NDArray[np.float64], list[str]]:
    rows = [[1.0, *(getattr(each.signals, name) for name in names)] for each in answers]
    return np.array(rows), np.array([float(each.right) for each in answers]), [each.part for each in answers]


def _fixed(answers: Sequence[PlanAnswer]) -> NDArray[np.float64]:
    return np.array([sum(value * getattr(each.signals, name) for name, value in FIXED.items()) for each in answers])


def sure(weights: dict[str, float], answers: Sequence[PlanAnswer]) -> NDArray[np.float64]:
    """Confidence of answers with signals by some weights: float64 [n] in [0, 1]."""
    names = [name for name in weights if name != "bias"]
    x, _, _ = _arrays(answers, names)
    total = x @ np.array([weights["bias"], *(weights[name] for name in names)])
    out: NDArray[np.float64] = 1 / (1 + np.exp(-np.clip(total, -30, 30)))
    return out


def _figures(weights: dict[str, float], asked: Sequence[PlanAnswer]) -> str:
    found = [each for each in asked if each.signals is not None]
    by = sure(weights, found)
    right = [value for value, each in zip(by.tolist(), found, strict=True) if each.right]
    wrong = [value for value, each in zip(by.tolist(), found, strict=True) if not each.right]
    able = max(sum(each.answerable for each in asked), 1)
    unable = max(len(asked) - able, 1)
    claimed = [each for value, each in zip(by, found, strict=True) if value >= MIN_CONFIDENCE]
    shares = (
        100 * sum(each.right for each in claimed) / able,
        100 * sum(each.answerable and not each.right for each in claimed) / able,
        100 * sum(not each.answerable for each in claimed) / unable,
    )
    return f"{auroc(right, wrong):6.3f} " + " ".join(f"{share:6.1f}" for share in shares)


@own_runs()
def main(arguments: Sequence[str] | None = None) -> None:
    """Ask, fit, print."""
    parser = argparse.ArgumentParser(prog="trivium eval fit-confidence", description=__doc__)
    parser.parse_args(arguments)
    parts = [*(part for part in small_graphs.PARTS if part.startswith("dev")), "own"]
    asked: list[PlanAnswer] = []
    with tempfile.TemporaryDirectory(prefix="trivium-") as work:
        for part in parts:
            asked += asyncio.run(_answers(part, Path(work)))
    found = [each for each in asked if each.signals is not None]
    print(f"{'set':8} {'left out:':>6} AUROC, right, wrong, false {'today:':>12} the same")
    for part in parts:
        own = [each for each in asked if each.part == part]
        without = fit([each for each in found if each.part != part])
        print(f"{part:8} {_figures(without, own)}   {_figures(dict(PLAN_WEIGHTS), own)}")
    for name, value in fit(found).items():
        print(f'    "{name}": {value:.2f},')
