"""What an answer's confidence is worth: `trivium eval calibration [--kg KG] [--questions F …] [--plot F]`.

Asks a KG questions that it can and cannot answer, claims whatever is found, and compares each answer's confidence with
whether it is right: expected calibration error (ECE, ten bins of equal width; Naeini et al. 2015), the chance that a
right answer has more confidence than another one (AUROC), and risk (wrong of the claims) against coverage (claims of
all questions) by threshold. Without --questions the KG asks itself (`trivium.knowledge.written_questions`); in a file,
a question without answers is one that the KG cannot answer. What is not found counts as confidence 0.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from trivium.graphs.methods import METHODS, answer
from trivium.kg.catalog import SAMPLE
from trivium.kg.errors import BadInputError
from trivium.kg.loaders import read_questions
from trivium.kg.text import fold_case
from trivium.knowledge.knowledge import close_all, open_knowledge
from trivium.knowledge.written_questions import write_questions
from trivium.nodes.run.answer_record import Answer
from trivium.nodes.run.operator import own_runs

BINS = 10
THRESHOLDS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)


@dataclass(frozen=True, slots=True)
class Claimed:
    """One question: the confidence of its answer in [0, 1] (0 where nothing was found), and what came of it."""

    confidence: float
    right: bool
    answerable: bool
    found: bool
    kind: str


@dataclass(frozen=True, slots=True)
class Calibration:
    """Figures over n questions, shares in [0, 1]; `auroc` is not a number where all are right, or none.

    Attributes:
        ece: expected calibration error of what was found.
        bins: mean confidence, share right and number of each bin that holds an answer.
        curve: for each threshold it, coverage, risk, right of the answerable, claimed of the unanswerable.
    """

    n: int
    ece: float
    auroc: float
    bins: list[tuple[float, float, int]]
    curve: list[tuple[float, float, float, float, float]]


def calibration(asked: Sequence[Claimed]) -> Calibration:
    """The figures."""
    found = [each for each in asked if each.found]
    filled = [[each for each in found if min(int(each.confidence * BINS), BINS - 1) == place] for place in range(BINS)]
    bins = [
        (sum(each.confidence for each in some) / len(some), sum(each.right for each in some) / len(some), len(some))
        for some in filled
        if some
    ]
    ece = sum(abs(sure - right) * size for sure, right, size in bins) / max(len(found), 1)
    right = [each.confidence for each in asked if each.right]
    wrong = [each.confidence for each in asked if not each.right]
    return Calibration(len(asked), ece, auroc(right, wrong), bins, [_point(bar, asked) for bar in THRESHOLDS])


def _point(bar: float, asked: Sequence[Claimed]) -> tuple[float, float, float, float, float]:
    claims = [each for each in asked if each.found and each.confidence >= bar]
    able = [each for each in asked if each.answerable]
    unable = len(asked) - len(able)
    return (
        bar,
        len(claims) / max(len(asked), 1),
        sum(not each.right for each in claims) / max(len(claims), 1),
        sum(each.right for each in claims) / max(len(able), 1),
        sum(not each.answerable for each in claims) / max(unable, 1),
    )


def auroc(positive: Sequence[float], negative: Sequence[float]) -> float:
    """P(a positive has more than a negative), ties half; not a number where either is empty."""
    pairs = len(positive) * len(negative)
    return sum((p > n) + (p == n) / 2 for p in positive for n in negative) / pairs if pairs else float("nan")


def is_right(answer: Answer, gold: Sequence[str]) -> bool:
    """Whether the first answer, or the value, is among the gold ones."""
    wanted = {fold_case(name) for name in gold}
    value = answer["value"]
    said = [answer["answers"][0]["id"], answer["answers"][0]["label"]] if answer["answers"] else []
    said += ["yes" if value else "no"] if isinstance(value, bool) else [] if value is None else [str(value)]
    if not said and answer["values"]:
        first = answer["values"][0]
        said = [str(each) for each in (first.values() if isinstance(first, dict) else [first])]
    return not wanted.isdisjoint(map(fold_case, said))


async def measure(kg: str, method: str, files: Sequence[Path], count: int) -> list[Claimed]:
    """Every question through a method's graph, whatever its confidence; raises `BadInputError` without a question."""
    if files:
        asked = [(each.question, list(each.answers), "") for path in files for each in read_questions(path)]
    else:
        made = await write_questions((await open_knowledge(kg)).store, count, unanswerable=0.5)
        asked = [(each.question, list(each.answers), each.kind) for each in made]
    if not asked:
        raise BadInputError("the KG has no relation to ask itself about: name questions with --questions")
    context = METHODS[method].context(kg=kg, min_confidence=0.0)
    out = []
    for question, gold, kind in asked:
        told = await answer(method, question, context)
        found = bool(told["answers"] or told["values"]) or told["value"] is not None
        sure = (told["confidence"] or 0.0) if found else 0.0
        right = found and bool(gold) and is_right(told, gold)
        out.append(Claimed(sure, right, bool(gold), found, kind or ("answerable" if gold else "unanswerable")))
    return out


def table(asked: Sequence[Claimed]) -> str:
    """The figures in words and columns, percent but for ECE and AUROC."""
    found = calibration(asked)
    able = sum(each.answerable for each in asked)
    lines = [
        f"{found.n} questions, {able} of them answerable: ECE {found.ece:.3f}, AUROC {found.auroc:.3f}",
        "",
        f"{'confidence':>10} {'right':>7} {'n':>6}",
        *(f"{100 * sure:10.1f} {100 * right:7.1f} {size:6}" for sure, right, size in found.bins),
        "",
        f"{'threshold':>10} {'coverage':>9} {'risk':>7} {'right':>7} {'false':>7}   percent",
        *(
            f"{bar:10.2f} " + " ".join(f"{100 * x:{w}.1f}" for x, w in zip(row, (9, 7, 7, 7), strict=True))
            for bar, *row in found.curve
        ),
        "",
        f"{'kind':>17} {'n':>6} {'claimed at 0.5':>15}",
    ]
    for kind in dict.fromkeys(each.kind for each in asked):
        some = [each for each in asked if each.kind == kind]
        claimed = sum(each.found and each.confidence >= 0.5 for each in some)
        lines.append(f"{kind:>17} {len(some):6} {100 * claimed / len(some):15.1f}")
    return "\n".join(lines)


def plot(asked: Sequence[Claimed], path: Path) -> bool:
    """Reliability, and risk against coverage, side by side; False where matplotlib (extra `plot`) is not installed."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return False
    found = calibration(asked)
    figure = Figure(figsize=(9.6, 4.0), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.plot([0, 1], [0, 1], color="0.7")
    left.plot([sure for sure, *_ in found.bins], [share for _, share, _ in found.bins], marker="o")
    left.set(xlabel="confidence", ylabel="share right", title=f"ECE {found.ece:.3f}, n {found.n}")
    right.plot([coverage for _, coverage, *_ in found.curve], [risk for _, _, risk, *_ in found.curve], marker="o")
    right.set(xlabel="coverage", ylabel="risk", title=f"AUROC {found.auroc:.3f}")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
    return True


@own_runs()
def main(arguments: Sequence[str] | None = None) -> None:
    """Print the figures, and with --plot draw them."""
    parser = argparse.ArgumentParser(prog="trivium eval calibration", description=__doc__)
    parser.add_argument("--kg", default=SAMPLE, help="a KG that has learned; the bundled sample without it")
    parser.add_argument("--method", default="keqing", choices=sorted(METHODS), help="who answers, without a model")
    parser.add_argument(
        "--questions", type=Path, nargs="+", default=[], help="question lines; no answers: unanswerable"
    )
    parser.add_argument("--count", type=int, default=200, help="questions that the KG makes of itself (200)")
    parser.add_argument("--plot", type=Path, help="where the plot goes, such as calibration.png")
    given = parser.parse_args(arguments)

    async def run() -> list[Claimed]:
        try:
            return await measure(given.kg, given.method, given.questions, given.count)
        finally:
            await close_all()

    asked = asyncio.run(run())
    print(table(asked))
    if given.plot is not None:
        drawn = plot(asked, given.plot)
        print(f"plot: {given.plot}" if drawn else "no plot: pip install '.[plot]' for matplotlib")
