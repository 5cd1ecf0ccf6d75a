"""What the trained decomposer's confidence is worth: `trivium eval keqing-sure [--kg KG] [--questions F …]`.

For each threshold: of how many questions `decompose = auto` would ask a model, how many of the others are answered
exactly by the trained decomposer, and how many of those asked it would have had right by itself. A reading that leaves
a name unread is asked whatever its confidence. With the default threshold more than 97 % of what is not asked is right,
on the sample's test questions and those worded afresh together; the next step up would ask more than half.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from trivium.evals.sample import ask_all
from trivium.kg.catalog import SAMPLE
from trivium.kg.loaders import read_questions
from trivium.kg.sample import FRESH_QUESTIONS, TEST_QUESTIONS
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.run.answer_record import Answer
from trivium.nodes.run.operator import own_runs

THRESHOLDS = (0.0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98, 0.99)


class JudgedDecomposition(NamedTuple):
    """One question: the confidence of its reading, in [0, 1], whether a name was left unread, and its exact set."""

    confidence: float
    unread: bool
    right: bool


class ThresholdFigures(NamedTuple):
    """What a threshold means: shares in [0, 1]; those of no question are 1."""

    threshold: float
    asked: float
    right_above: float
    right_below: float


def judged(answer: Answer, *, right: bool) -> JudgedDecomposition:
    """What an answer says of its own reading."""
    step = answer["steps"][0]
    unread = any(event["event"] == "unread_name" for event in answer["events"])
    return JudgedDecomposition(step["confidence"] if step["sub_questions"] else 0.0, unread, right)


def rows(found: Sequence[JudgedDecomposition], thresholds: Sequence[float] = THRESHOLDS) -> list[ThresholdFigures]:
    """A row for each threshold."""
    out = []
    for threshold in thresholds:
        above = [each for each in found if each.confidence >= threshold and not each.unread]
        below = [each for each in found if each.confidence < threshold or each.unread]
        out.append(ThresholdFigures(threshold, len(below) / max(len(found), 1), _share(above), _share(below)))
    return out


def _share(found: Sequence[JudgedDecomposition]) -> float:
    return sum(each.right for each in found) / len(found) if found else 1.0


@own_runs()
def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="trivium eval keqing-sure", description=__doc__)
    parser.add_argument("--questions", type=Path, nargs="+", default=[TEST_QUESTIONS, FRESH_QUESTIONS])
    parser.add_argument("--kg", default=SAMPLE, help="another KG that has learned")
    given = parser.parse_args(arguments)
    questions = [question for path in given.questions for question in read_questions(path)]
    done = asyncio.run(ask_all(questions, given.kg))
    found = [judged(each.answer, right=bool(each.score.exact)) for each in done]
    print(f"{len(found)} questions; default threshold {KeqingContext().sure}\n")
    print(f"{'threshold':>9} {'asked':>8} {'right above':>12} {'right below':>12}   percent")
    for row in rows(found):
        print(
            f"{row.threshold:9.2f} {100 * row.asked:8.1f} {100 * row.right_above:12.1f} {100 * row.right_below:12.1f}"
        )
