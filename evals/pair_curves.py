"""What pairs are worth: `trivium eval keqing-pairs webqsp|metaqa|worldcup|own-NAME [--plot F] [--keep F]`.

WebQSP on FB15k-237 in five folds: F1 with the topic found by us and given (also with nothing withheld), and of the
questions whose relation no pair shows; how many questions about another topic, that lacks what is asked, are claimed.
MetaQA: Hits@1 by hops, on held-out questions of its dev split. Each for 0, 10, 50, 200 and all pairs. The WebQSP
figures are **not comparable with the paper's** (`trivium.evals.webqsp`).

WorldCup2014 (paths; conjunctions by answers alone) and an own graph (answers alone): draws of pairs beside the schema
alone on the same questions, and what the worst draw loses.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import random
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from trivium.evals import own_graphs
from trivium.evals.ablations.asking import made_kg, need_data, taught
from trivium.evals.ablations.report import FigureTable, show
from trivium.evals.metaqa import HOPS, is_held_out, read_metaqa, spread
from trivium.evals.metrics import ask, claims
from trivium.evals.webqsp import about_others, folds, read_webqsp
from trivium.evals.worldcup import read_worldcup
from trivium.graphs.keqing import graph
from trivium.kg.catalog import cache_folder
from trivium.kg.embedded import build
from trivium.kg.errors import BadInputError
from trivium.kg.files import write_atomic
from trivium.kg.loaders import Question, read_entities, read_questions, read_triples
from trivium.kg.manifest import is_kg
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.run.operator import own_runs

SIZES: tuple[int | None, ...] = (None, 0, 50, 10, 200)
"""Numbers of pairs, None for all, in the order they are measured: what a cut leaves says most."""

_METAQA_PAIRS, _METAQA_ASKED = 3_000, 200  # a hop
_WORLDCUP_ASKED = 200
_OWN = "own-"


@dataclass(frozen=True, slots=True)
class QuestionFigures:
    """One question's figures, in [0, 1] each.

    Attributes:
        hops: the length of its gold chain.
        unseen: whether a relation of that chain is in no pair that was learned from.
        top1, f1: with the topic found in the words.
        given: F1 with the topic given; the same as f1 for a question whose topic is not marked.
        unheld: the same with nothing withheld; not a number where that is not measured, as the next.
        false: whether the same question about a topic that lacks what is asked is claimed.
    """

    hops: int
    unseen: bool
    top1: float
    f1: float
    given: float
    unheld: float = math.nan
    false: float = math.nan


Cells = dict[str, list[QuestionFigures]]
"""The results of each part and number of pairs, by a key such as `fold 0, 50 pairs`."""


async def measure(
    folder: Path, pairs: Sequence[Question], asked: Sequence[Question], data: Path | None = None
) -> list[QuestionFigures]:
    """Teach a KG these pairs (the schema alone where there are none), then ask; topics of `asked` are given last.

    With `data` also with nothing withheld, and about other topics (`about_others`).
    """
    shown = {hop.relation for pair in pairs for hop in pair.chain or ()}
    context = KeqingContext(kg=str(folder))
    unmarked = [replace(question, topic_entities=()) for question in asked]
    unheld, false = dict[str, float](), dict[str, float]()
    async with taught(folder, pairs or None) as base:
        found = await ask(graph, unmarked, context)
        # Asked again only where a topic is marked: else nothing would differ.
        given = await ask(graph, asked, context) if any(question.topic_entities for question in asked) else found
        if data is not None:
            everything = await ask(graph, asked, KeqingContext(kg=str(folder), min_confidence=0.0))
            unheld = {each.question.id: each.score.f1 for each in everything}
            others = await ask(graph, await about_others(data, asked, base.store), context)
            false = {each.question.id: float(claims(each.answer)) for each in others}
    return [
        QuestionFigures(
            len(question.chain or ()),
            any(hop.relation not in shown for hop in question.chain or ()),
            free.score.top1,
            free.score.f1,
            marked.score.f1,
            unheld.get(question.id, math.nan),
            false.get(question.id, math.nan),
        )
        for question, free, marked in zip(asked, found, given, strict=True)
    ]


async def curve(
    folder: Path,
    parts: Sequence[tuple[Sequence[Question], Sequence[Question]]],
    sizes: Iterable[int | None],
    keep: Path | None,
    data: Path | None = None,
) -> Cells:
    """Every part (learned from, asked) with every number of pairs; what `keep` holds is not measured again.

    `data`: as in `measure`. The cells of these parts are returned, of other sizes that `keep` holds as well.

    Raises:
        BadInputError: `keep` is no file of this command.
    """
    cells = _read(keep)
    called = [f"part {number} of {len(parts)}" for number in range(len(parts))]
    todo = [(size, number) for size in sizes for number in range(len(parts))]
    for done, (size, number) in enumerate(todo):
        learned, asked = parts[number]
        key = f"{folder.name}, {called[number]}, {'all' if size is None else size} pairs"
        if key in cells:
            continue
        print(f"{done} of {len(todo)}: {key}", file=sys.stderr, flush=True)
        chosen = list(learned) if size is None else spread(learned, size)
        cells[key] = await measure(folder, chosen, asked, data)
        if keep is not None:
            written = {name: [asdict(result) for result in results] for name, results in cells.items()}
            write_atomic(keep, json.dumps(written).encode())
    ours = tuple(f"{folder.name}, {name}," for name in called)
    return {key: results for key, results in cells.items() if key.startswith(ours)}


def _read(keep: Path | None) -> Cells:
    if keep is None or not keep.exists():
        return {}
    try:
        data = json.loads(keep.read_text(encoding="utf-8"))
        return {key: [QuestionFigures(**result) for result in results] for key, results in data.items()}
    except (ValueError, TypeError, AttributeError) as error:
        raise BadInputError(f"contains no results of this command ({error}): name another file", path=keep) from error


def rows(cells: Cells) -> dict[str, list[QuestionFigures]]:
    """The results by number of pairs, ascending, all parts together."""
    order = sorted({_size(key) for key in cells}, key=lambda size: float("inf") if size == "all" else int(size))
    return {size: [result for key, found in cells.items() if _size(key) == size for result in found] for size in order}


def _size(key: str) -> str:
    return key.rsplit(", ", maxsplit=1)[-1].removesuffix(" pairs")


def _percent(figures: Sequence[float]) -> float:
    """The mean in percent; not a number where there is none."""
    return 100 * sum(figures) / len(figures) if figures else float("nan")


def _known(figures: Iterable[float]) -> list[float]:
    """Those that were measured."""
    return [figure for figure in figures if not math.isnan(figure)]


def webqsp_outcome(by_size: Mapping[str, Sequence[QuestionFigures]]) -> FigureTable:
    """F1 with topics found and given, and of relations that no pair shows, beside those questions' without a pair.

    How many questions about a topic that lacks what is asked are claimed stands beside what is withheld for it.

    The unseen are others with every number of pairs: only beside the schema alone does their F1 say what pairs cost.
    """
    found = list(by_size.values())
    untaught = by_size.get("0", ())
    alone = [
        [s.f1 for r, s in zip(results, untaught, strict=True) if r.unseen] if len(results) == len(untaught) else []
        for results in found
    ]
    columns: dict[str, Sequence[float]] = {
        "F1, topic found": [_percent([r.f1 for r in results]) for results in found],
        "F1, topic given": [_percent([r.given for r in results]) for results in found],
        "the same, nothing withheld": [_percent(_known(r.unheld for r in results)) for results in found],
        "claimed of another topic": [_percent(_known(r.false for r in results)) for results in found],
        "F1, relation unseen": [_percent([r.f1 for r in results if r.unseen]) for results in found],
        "F1, those from the schema alone": [_percent(figures) for figures in alone],
        "F1, relation seen": [_percent([r.f1 for r in results if not r.unseen]) for results in found],
        "unseen (number)": [float(sum(r.unseen for r in results)) for results in found],
        "asked (number)": [float(len(results)) for results in found],
    }
    title = "Training pairs, WebQSP on FB15k-237, 5 folds, no model; not comparable with the paper's WebQSP"
    return FigureTable(title, "pairs", list(by_size), columns, list(columns)[:6])


def metaqa_outcome(by_size: Mapping[str, Sequence[QuestionFigures]], draws: int = 1) -> FigureTable:
    """Hits@1 by hops, over all draws of the pairs; of several also the worst draw's, over all hops.

    `by_size`: the results of one draw after the other's.
    """
    columns: dict[str, Sequence[float]] = {
        f"{hops}-hop": [_percent([r.top1 for r in results if r.hops == hops]) for results in by_size.values()]
        for hops in HOPS
    }
    if draws > 1:
        columns |= {"all": [_percent([r.top1 for r in results]) for results in by_size.values()]}
        parts = [np.array_split(np.array([r.top1 for r in results]), draws) for results in by_size.values()]
        columns |= {"worst draw": [100 * min(float(part.mean()) for part in each) for each in parts]}
    title = f"Training pairs (all: {_METAQA_PAIRS} a hop), MetaQA dev, {_METAQA_ASKED} asked a hop, no model; Hits@1"
    return FigureTable(title, "pairs", list(by_size), columns, list(columns))


def paired_outcome(name: str, by_size: Mapping[str, Sequence[QuestionFigures]], draws: int) -> FigureTable:
    """Hits@1 and F1 over all draws, and what they gain on the same questions over the schema alone (size 0).

    With the standard error of the mean gain, over questions, and the gain of the worst draw; in points.
    `by_size`: the results of one draw after the other's.
    """
    alone = np.array([r.top1 for r in by_size["0"]])
    gains = [np.array([r.top1 for r in results]) - alone for results in by_size.values()]
    columns: dict[str, Sequence[float]] = {
        "Hits@1": [_percent([r.top1 for r in results]) for results in by_size.values()],
        "F1": [_percent([r.f1 for r in results]) for results in by_size.values()],
        "gain": [100 * float(each.mean()) for each in gains],
        "its standard error": [100 * float(each.std()) / len(each) ** 0.5 for each in gains],
        "worst draw's gain": [100 * min(float(part.mean()) for part in np.array_split(each, draws)) for each in gains],
    }
    asked = len(alone) // draws
    title = f"Training pairs, {name}, {draws} draws, {asked} asked each, no model"
    return FigureTable(title, "pairs", list(by_size), columns, ["Hits@1", "F1"])


def _drawn(questions: Sequence[Question], asked: int, draw: int) -> tuple[list[Question], list[Question]]:
    """Pairs in the order of a draw, and so many other questions; the same of each draw where `asked` are held out."""
    order = list(questions)
    random.Random(draw).shuffle(order)
    return order[asked:], order[:asked]


def _metaqa_part(data: Path, draw: int) -> tuple[list[Question], list[Question]]:
    """Pairs of all hops, and questions never among them."""
    questions = [read_metaqa(data, hops) for hops in HOPS]
    learned = [spread([q for q in all_ if not is_held_out(q)], _METAQA_PAIRS) for all_ in questions]
    asked = [q for all_ in questions for q in spread([q for q in all_ if is_held_out(q)], _METAQA_ASKED)]
    pairs = [pair for all_ in learned for pair in all_]
    random.Random(draw).shuffle(pairs)  # in turns, an even choice of a few would meet one hop count alone
    return pairs, asked


async def measured(
    name: str, data: Path, sizes: Sequence[int | None], keep: Path | None, draws: int = 1
) -> FigureTable:
    """The curve of a data set, over so many draws of its pairs where there are several."""
    if name == "metaqa":
        parts = [_metaqa_part(data, draw) for draw in range(draws)]
        return metaqa_outcome(rows(await curve(made_kg("metaqa", data), parts, sizes, keep)), draws)
    if name == "worldcup":
        learned, asked = read_worldcup(data)
        parts = [(_drawn(learned, 0, draw)[0], spread(asked, _WORLDCUP_ASKED)) for draw in range(draws)]
        kg, chosen = made_kg("worldcup2014", data), [50, 200, 1_000] if list(sizes) == list(SIZES) else sizes
        return paired_outcome(name, rows(await curve(kg, parts, [0, *chosen], keep)), draws)
    if name.startswith(_OWN):
        source = own_graphs.FOLDER / name.removeprefix(_OWN)
        questions = read_questions(source / "questions.jsonl")
        parts = [_drawn(questions, len(questions) // 2, draw) for draw in range(draws)]
        return paired_outcome(name, rows(await curve(_own_kg(source), parts, [0, *sizes], keep)), draws)
    unmarked, marked = read_webqsp(data), read_webqsp(data, topics=True)
    parts = [(pairs, asked) for (pairs, _), (_, asked) in zip(folds(unmarked), folds(marked), strict=True)]
    return webqsp_outcome(rows(await curve(made_kg("fb15k237", data), parts, sizes, keep, data)))


def _own_kg(source: Path) -> Path:
    """The KG of an own graph in the cache, built on first use."""
    folder = cache_folder() / f"ablation-own-{source.name}"
    if not is_kg(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        build(folder, read_triples(source / "triples.tsv"), read_entities(source / "entities.tsv"))
    return folder


@own_runs()
def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and show; raises `TriviumError` where the data is not here."""
    parser = argparse.ArgumentParser(prog="trivium eval keqing-pairs", description=__doc__)
    own = [f"{_OWN}{name}" for name in own_graphs.graphs()]
    parser.add_argument("name", choices=("webqsp", "metaqa", "worldcup", *own))
    parser.add_argument("--data", type=Path, help="the folder that holds metaqa/, fb15k237/, worldcup2014/")
    parser.add_argument("--pairs", nargs="+", metavar="N", help="numbers of pairs, or all (default: 0 10 50 200 all)")
    parser.add_argument("--draws", type=int, default=1, help="draws of each number of pairs but WebQSP's (default: 1)")
    parser.add_argument("--plot", type=Path, help="where the plot goes, such as pairs.png or pairs.svg")
    parser.add_argument("--keep", type=Path, help="keeps what is measured: a run that was cut goes on from it")
    given = parser.parse_args(arguments)
    try:
        sizes = [None if text == "all" else int(text) for text in given.pairs] if given.pairs else list(SIZES)
    except ValueError as error:
        parser.error(f"--pairs takes numbers or all: {error}")
    data = Path() if given.name in own else need_data(given.data)
    show(asyncio.run(measured(given.name, data, sizes, given.keep, given.draws)), given.plot)
    return 0
