"""The paper's ablations: a table on stdout, and with --plot a picture.

- *templates*: K templates a sub-question, K = 1, 2, 3, 5, 10 (Keqing, figure 5), on WebQSP over FB15k-237 in five
  folds. The paper's K widens what an LLM chooses from. So beside what Trivium answers without a model (the first
  template that leads anywhere) stands what K makes reachable: the share of questions with a right candidate, and the F1
  of a reasoner that makes no mistake. The compact decomposer writes the templates' own words, for which the nearest
  template is the right one; so K is varied for sub-questions in free words too: the question itself with its topic
  masked, as an LLM words them.
- *supplement*: with and without the dense-triple supplement (Keqing, section 3.2), on the same folds. Without a model
  dense triples are evidence and never answers, so answers stay; what the supplement adds is counted as the share of
  questions whose evidence holds a right answer, and its price in triples.
- *chains*: `trivium.evals.ablations.chains`.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from trivium.evals.ablations.asking import made_kg, need_data, taught
from trivium.evals.ablations.chains import chains
from trivium.evals.ablations.report import FigureTable, show
from trivium.evals.metaqa import spread
from trivium.evals.metrics import ScoredAnswer, ask, mean
from trivium.evals.webqsp import folds, read_webqsp
from trivium.graphs.keqing import graph
from trivium.kg.loaders import Question
from trivium.knowledge.knowledge import Knowledge
from trivium.nodes.keqing.context import KeqingContext, Supplement
from trivium.nodes.run.operator import own_runs
from trivium.policies.reader.chains.pairs import align_pairs
from trivium.policies.reader.chains.phrasing import masked_text

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


KS = (1, 2, 3, 5, 10)


@dataclass(frozen=True, slots=True)
class Reach:
    """What K templates of one sub-question in free words lead to.

    Attributes:
        first: F1 of the first template that leads anywhere.
        best: F1 of the right ones among all candidates, that is of a reasoner without mistakes.
        right: whether any candidate is right.
        candidates: how many there are.
    """

    first: float
    best: float
    right: bool
    candidates: int


async def templates(data: Path, limit: int | None = None) -> FigureTable:
    """Ask every question, or `limit` a fold, once for each K, by what was learned from the other four folds."""
    folder = made_kg("fb15k237", data)
    asked: dict[int, list[ScoredAnswer]] = {k: [] for k in KS}
    free: dict[int, list[Reach]] = {k: [] for k in KS}
    for pairs, held_out in folds(read_webqsp(data)):
        questions = spread(held_out, limit or len(held_out))
        async with taught(folder, pairs) as base:
            for k in KS:
                asked[k] += await ask(graph, questions, KeqingContext(kg=str(folder), templates_per_sub_question=k))
            for k, found in (await free_words(base, questions)).items():
                free[k] += found
    return _outcome(asked, free)


async def free_words(base: Knowledge, questions: Sequence[Question]) -> dict[int, list[Reach]]:
    """What the K nearest templates of each masked question lead to; questions whose topic is not found are left out."""
    index, out = await base.templates(), dict[int, list[Reach]]((k, []) for k in KS)
    async for pair in align_pairs(questions, base.store):
        if pair is None:
            continue
        mention = pair.question.mentions[pair.gold[0]]
        (matches,) = index.match([masked_text(pair.question, mention)], KS[-1])
        gold = {item.id for item in (await base.store.follow([mention.hits[0].id], pair.chains[0])).reached}
        found = []
        for match in matches:
            reached = [await base.store.follow([mention.hits[0].id], chain) for chain in match.template.chains]
            found.append({item.id for result in reached for item in result.reached})
        for k in KS:
            out[k].append(_reach(found[:k], gold))
    return out


def _reach(found: Sequence[set[str]], gold: set[str]) -> Reach:
    first = next((reached for reached in found if reached), set[str]())
    candidates = set[str]().union(*found)
    right = candidates & gold
    return Reach(_f1(first, gold), _f1(right, gold), bool(right), len(candidates))


def _f1(said: set[str], gold: set[str]) -> float:
    return 2 * len(said & gold) / (len(said) + len(gold)) if said and gold else 0.0


def _outcome(asked: dict[int, list[ScoredAnswer]], free: dict[int, list[Reach]]) -> FigureTable:
    means = {k: mean(item.score for item in asked[k]) for k in KS}
    count = max(len(free[KS[0]]), 1)

    def share(name: str, scale: float = 100.0) -> list[float]:
        return [scale * sum(float(getattr(reach, name)) for reach in free[k]) / count for k in KS]

    columns: dict[str, Sequence[float]] = {
        "F1, compact": [100 * means[k].f1 for k in KS],
        "Hits@1, compact": [100 * means[k].top1 for k in KS],
        "F1, free words": share("first"),
        "right among candidates": share("right"),
        "F1, perfect reasoner": share("best"),
        "candidates (number)": share("candidates", 1.0),
    }
    return FigureTable(
        f"Templates per sub-question (figure 5), WebQSP on FB15k-237, 5 folds, {len(asked[1])} questions, no model; "
        "not comparable with the paper's WebQSP",
        "K",
        [str(k) for k in KS],
        columns,
        ("F1, compact", "F1, free words", "right among candidates", "F1, perfect reasoner"),
    )


ABLATIONS: dict[str, Callable[[Path, int | None], Awaitable[FigureTable]]] = {
    "templates": templates,
    "chains": chains,
    "supplement": supplement,
}


@own_runs()
def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and show; raises `TriviumError` where the data is not here."""
    parser = argparse.ArgumentParser(prog="trivium eval keqing-NAME", description=__doc__)
    parser.add_argument(
        "name", choices=ABLATIONS, help="templates: figure 5; chains: figure 6; supplement: section 3.2"
    )
    parser.add_argument("--data", type=Path, help="the folder that holds metaqa/ and fb15k237/")
    parser.add_argument("--n", type=int, help="ask so many questions of each part (default: all, or 300 a hop)")
    parser.add_argument("--plot", type=Path, help="where the plot goes, such as figure5.png or figure5.svg")
    given = parser.parse_args(arguments)

    async def measured() -> FigureTable:
        return await ABLATIONS[given.name](need_data(given.data), given.n)

    show(asyncio.run(measured()), given.plot)
    return 0
