"""What no pair has shown: `trivium eval keqing-held-out templates|chains [--folds N...] [--keep F] [--plot F]`.

On MetaQA's dev split, without a model, in five folds. `templates`: no pair has the words of a question that is asked
but for its topic. `chains`: no pair has its chain; 1-hop pairs, which every chain is made of, are always learned from.
Hits@1 and F1 by hops, over all folds that were measured. What is learned from has all hops in equal numbers.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
from collections.abc import Sequence
from pathlib import Path

from trivium.evals.ablations.asking import made_kg, need_data
from trivium.evals.ablations.report import FigureTable, show
from trivium.evals.metaqa import HOPS, read_metaqa, spread
from trivium.evals.pair_curves import QuestionFigures, curve
from trivium.kg.loaders import Question
from trivium.kg.types import chain_text
from trivium.nodes.run.operator import own_runs

FOLDS = 5
KINDS = ("templates", "chains")
_LEARNT, _ASKED = 3_000, 200  # questions a hop and fold


def fold_of(question: Question, kind: str) -> int | None:
    """The fold that asks a question, by its words without the topic or by its chain; None for one never asked.

    The question's topic is marked.
    """
    chain = question.chain or ()
    if kind == "chains" and len(chain) == 1:
        return None
    text = (
        " ".join(chain_text(chain)) if kind == "chains" else question.question.replace(question.topic_entities[0], "")
    )
    return int(hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest(), 16) % FOLDS


def parts(data: Path, kind: str) -> list[tuple[list[Question], list[Question]]]:
    """For each fold what is learned from and what is asked, topics unmarked; they share no template, or no chain.

    Raises:
        BadInputError: MetaQA is not in the folder.
    """
    questions = [read_metaqa(data, hops, topics=True) for hops in HOPS]
    out = []
    for fold in range(FOLDS):
        learnt, asked = list[Question](), list[Question]()
        for all_ in questions:
            held = [fold_of(question, kind) == fold for question in all_]
            learnt += spread([q for q, out_ in zip(all_, held, strict=True) if not out_], _LEARNT)
            asked += spread([q for q, out_ in zip(all_, held, strict=True) if out_], _ASKED)
        out.append(([*map(_unmarked, learnt)], [*map(_unmarked, asked)]))
    return out


def _unmarked(question: Question) -> Question:
    """The question without the topic that MetaQA marks: it has to be found."""
    return Question(question.id, question.question, answers=question.answers, chain=question.chain)


def outcome(kind: str, results: Sequence[QuestionFigures], folds: int) -> FigureTable:
    """Hits@1 and F1 by hops, in percent, over the folds that were measured; hops that were never asked have no row."""
    by_hops = {hops: [result for result in results if result.hops == hops] for hops in HOPS}
    rows = [hops for hops, found in by_hops.items() if found]
    columns: dict[str, Sequence[float]] = {
        "Hits@1": [100 * sum(r.top1 for r in by_hops[hops]) / len(by_hops[hops]) for hops in rows],
        "F1": [100 * sum(r.f1 for r in by_hops[hops]) / len(by_hops[hops]) for hops in rows],
        "asked (number)": [float(len(by_hops[hops])) for hops in rows],
    }
    what = "question templates" if kind == "templates" else "chains"
    title = f"Held-out {what}, MetaQA dev, {folds} of {FOLDS} folds, {_LEARNT} pairs a hop learned from, no model"
    return FigureTable(title, "hops", [f"{hops}-hop" for hops in rows], columns, ["Hits@1", "F1"])


async def measured(kind: str, data: Path, folds: Sequence[int], keep: Path | None) -> FigureTable:
    """The folds' results, those that `keep` holds not measured again."""
    folder, every = made_kg("metaqa", data), await asyncio.to_thread(parts, data, kind)
    cells = await curve(folder, [every[fold] for fold in folds], [None], keep, [f"{kind}, fold {n}" for n in folds])
    return outcome(kind, [result for found in cells.values() for result in found], len(folds))


@own_runs()
def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and show; raises `TriviumError` where the data is not here."""
    parser = argparse.ArgumentParser(prog="python -m trivium.evals.held_out", description=__doc__)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--data", type=Path, help="the folder that holds metaqa/")
    parser.add_argument("--folds", nargs="+", type=int, choices=range(FOLDS), default=range(FOLDS), metavar="N")
    parser.add_argument("--plot", type=Path, help="where the plot goes, such as held-out.png or held-out.svg")
    parser.add_argument("--keep", type=Path, help="keeps what is measured: a run that was cut goes on from it")
    given = parser.parse_args(arguments)
    folds = sorted(set(given.folds))
    show(asyncio.run(measured(given.kind, need_data(given.data), folds, given.keep)), given.plot)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
