"""With and without the dense-triple supplement (Keqing, section 3.2), on WebQSP over FB15k-237 in five folds.

Without a model dense triples are evidence and never answers, so answers stay; what the supplement adds is counted as
the share of questions whose evidence holds a right answer, and its price in triples.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from trivium.evals.ablations.asking import made_kg, taught
from trivium.evals.ablations.report import FigureTable
from trivium.evals.metaqa import spread
from trivium.evals.metrics import ScoredAnswer, ask, mean
from trivium.evals.webqsp import folds, read_webqsp
from trivium.graphs.keqing import graph
from trivium.nodes.keqing.context import KeqingContext, Supplement

MODES: tuple[Supplement, ...] = ("never", "auto", "always")


async def supplement(data: Path, limit: int | None = None) -> FigureTable:
    """Ask every question, or `limit` a fold, once for each mode, by what was learned from the other four folds."""
    assert set(MODES) == set(get_args(Supplement))
    folder = made_kg("fb15k237", data)
    asked: dict[str, list[ScoredAnswer]] = {mode: [] for mode in MODES}
    for pairs, held_out in folds(read_webqsp(data)):
        questions = spread(held_out, limit or len(held_out))
        async with taught(folder, pairs):
            for mode in MODES:
                asked[mode] += await ask(graph, questions, KeqingContext(kg=str(folder), supplement=mode))
    return outcome(asked)


def outcome(asked: dict[str, list[ScoredAnswer]]) -> FigureTable:
    """The figures of each mode."""
    rows = list(asked)
    means = {mode: mean(item.score for item in asked[mode]) for mode in rows}
    evidence = {mode: [_evidence(item) for item in asked[mode]] for mode in rows}

    def share(values: Sequence[float]) -> float:
        return sum(values) / max(len(values), 1)

    return FigureTable(
        f"Dense-triple supplement (section 3.2), WebQSP on FB15k-237, 5 folds, {len(asked[rows[0]])} questions, "
        "no model; not comparable with the paper's WebQSP",
        "supplement",
        rows,
        {
            "F1": [100 * means[mode].f1 for mode in rows],
            "Hits@1": [100 * means[mode].top1 for mode in rows],
            "right in evidence": [100 * share([right for right, _ in evidence[mode]]) for mode in rows],
            "dense triples (number)": [share([count for _, count in evidence[mode]]) for mode in rows],
        },
        ("F1", "Hits@1", "right in evidence"),
    )


def _evidence(item: ScoredAnswer) -> tuple[float, float]:
    """Whether answers or dense triples of any sub-question hold a gold answer, and how many triples there are."""
    dense = [triple for step in item.answer["steps"] for triple in step.get("supplement", ())]
    names = {name for head, _, tail, _ in dense for name in (head, tail)}
    names |= {answer["id"] for answer in item.answer["answers"]}
    return float(not names.isdisjoint(item.question.answers)), float(len(dense))
