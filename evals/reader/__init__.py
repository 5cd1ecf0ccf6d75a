"""The reader alone, from the schema, on every data set: `trivium eval reader [--graphs pole fda] [--part choose]`.

Questions are read and their plans run in this process, on `GraphColumns` built from the files: no store, no method.
Set F1 by the rule of each set's publisher (`trivium.evals.reader.scoring`). Every set is split by place in thirds:
`read` was looked at while the reader was built, `choose` chose between versions by figures alone, `unseen` neither.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from trivium.evals.metaqa import data_folder
from trivium.evals.own_graphs import FOLDER as OWN
from trivium.evals.own_graphs import graphs as own_graphs
from trivium.evals.reader.graphs import GRAPHS as TABLES
from trivium.evals.reader.graphs import Graph, ReaderQuestion, from_folder, metaqa, split, worldcup
from trivium.evals.reader.scoring import Answered, Figures
from trivium.kg import sample
from trivium.kg.embedders.static import StaticEmbedder
from trivium.kg.errors import TimeLimitError, TriviumError, UsageError
from trivium.kg.plans.cells import ENTITY, Cells
from trivium.kg.plans.columns import GraphColumns, value_text
from trivium.kg.plans.execute import Answer, Executor, Listed
from trivium.kg.plans.plan import QueryPlan, Value
from trivium.kg.plans.survey import profile_of
from trivium.policies.reader.opening import names_of, open_reader
from trivium.policies.reader.pair_plans import CANDIDATES
from trivium.policies.reader.ranking import Ranked, learn_ranking, plan_features, told_apart
from trivium.policies.reader.reader import Outcome, Reader, Reading

SAMPLE_FOLDER = Path(sample.__file__).parent


def _own(_: Path, name: str) -> Graph:
    return from_folder(OWN / name, "questions.jsonl", name)


GRAPHS: dict[str, Callable[[Path], Graph]] = {
    **TABLES,
    "metaqa": metaqa,
    "worldcup": worldcup,
    "sample": lambda _: from_folder(SAMPLE_FOLDER, "questions.test.jsonl", "sample"),
    **{f"own-{name}": partial(_own, name=name) for name in own_graphs()},
}
"""Every graph by name."""


@dataclass(frozen=True)
class Asking:
    """A question with what was read, how good the best plan's answer is, and that of the best among the candidates."""

    asked: ReaderQuestion
    readings: list[Reading]
    figures: Figures
    within: float
    seconds: float


def answered(columns: GraphColumns, answer: Answer) -> Answered:
    """An answer as what is scored."""
    if answer is None:
        return Answered()
    if isinstance(answer, Value):
        return Answered(value=value_text(answer))
    if isinstance(answer, Listed):
        cells = [
            _text(columns, part, at)
            for part, column in zip(answer.columns, answer.at.T, strict=True)
            for at in column.tolist()
            if at >= 0
        ]
        return Answered(values=tuple(dict.fromkeys(cells)))
    rows = np.asarray(answer, dtype=np.int64)
    labels = columns.labels(rows)
    return Answered(entities=tuple((columns.ids[row], label) for row, label in zip(rows.tolist(), labels, strict=True)))


def _text(columns: GraphColumns, cells: Cells, at: int) -> str:
    if cells.kind[at] == ENTITY:
        return columns.labels(np.array([int(cells.key[at])]))[0]
    return cells.text(at)


def runner(columns: GraphColumns, seconds: float = 30.0) -> tuple[Executor, Callable[[QueryPlan], Outcome]]:
    """An executor for one question and the reader's view of it."""
    executor = Executor(columns, row_limit=2_000_000, deadline=time.monotonic() + seconds)

    def run(plan: QueryPlan) -> Outcome:
        try:
            return Outcome.of(executor.answer(plan))
        except TimeLimitError:
            return Outcome(-1)

    return executor, run


def ask(graph: Graph, reader: Reader, question: ReaderQuestion, *, within: bool = False) -> Asking:
    """Read a question, run its best plan, judge the answer; `within` judges the other candidates too."""
    start = time.thread_time()  # other work on the machine does not count
    executor, run = runner(graph.columns)
    readings = reader.read(question.text, executor=run, most=40 if within else 5, seconds=20)
    seconds = time.thread_time() - start

    def judge(reading: Reading) -> Figures:
        try:
            return question.judge(answered(graph.columns, executor.answer(reading.plan)))
        except TimeLimitError:
            return Figures(0.0, refused=True)

    figures = judge(readings[0]) if readings else question.judge(Answered())
    best = max((judge(reading).f1 for reading in readings), default=0.0) if within else figures.f1
    return Asking(question, readings, figures, best, seconds)


def _ranked(graph: Graph, reader: Reader, question: ReaderQuestion) -> list[Ranked]:
    """The best plans of a question to learn from."""
    executor, run = runner(graph.columns)
    return told_apart(
        [
            Ranked(
                each.score,
                plan_features(question.text, each.plan, each.unread, each.read_as()),
                question.judge(answered(graph.columns, executor.answer(each.plan))).f1
                if each.empty is not None
                else 0.0,
            )
            for each in reader.read(question.text, executor=run, most=CANDIDATES, seconds=20)
        ]
    )


def table(name: str, done: Sequence[Asking]) -> str:
    """A line a kind and one for all: n, set F1, wrong, refused, the best candidate's F1, p50 and p95 in ms."""
    kinds: dict[str, list[Asking]] = defaultdict(list)
    for each in done:
        kinds[each.asked.kind].append(each)
    rows = [*sorted(kinds.items()), ("all", list(done))]
    lines = [f"{name:28} {'n':>5} {'F1':>6} {'wrong':>6} {'none':>6} {'within':>7} {'p50 ms':>7} {'p95 ms':>7}"]
    for kind, part in rows:
        columns: list[list[float]] = [
            [x.figures.f1 for x in part],
            [x.figures.wrong for x in part],
            [x.figures.refused for x in part],
        ]
        shares = " ".join(f"{100 * sum(column) / len(part):6.1f}" for column in columns)
        p50, p95 = np.percentile([1000 * each.seconds for each in part], (50, 95))
        within = 100 * sum(x.within for x in part) / len(part)
        lines.append(f"  {kind:26} {len(part):5} {shares} {within:7.1f} {p50:7.0f} {p95:7.0f}")
    return "\n".join(lines)


def _miss(each: Asking) -> str:
    lines = [
        f"{each.asked.id} [{each.asked.kind}] {each.figures.f1:.2f} {each.asked.text}",
        f"    gold {each.asked.gold}",
    ]
    for reading in each.readings[:3]:
        parts = ", ".join(f"{part.word}={part.element}" for part in reading.parts)
        lines += [
            f"    {reading.score:.2f}{' empty' if reading.empty else ''} {reading.sketch}",
            f"        {parts} | {reading.unread}",
        ]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table a graph."""
    parser = argparse.ArgumentParser(prog="trivium eval reader", description=__doc__)
    parser.add_argument("--data", type=Path, default=data_folder(), help="the folder with the public data sets")
    parser.add_argument("--graphs", nargs="+", choices=GRAPHS, default=list(TABLES))
    parser.add_argument("--part", choices=("read", "choose", "unseen", "all"), default="choose")
    parser.add_argument("--every", type=int, default=1, help="every so manieth question of the part")
    parser.add_argument("--misses", action="store_true", help="show the questions of part `read` that are not right")
    parser.add_argument("--pairs", type=int, default=0, help="learn plans from so many questions of the other parts")
    parser.add_argument("--within", action="store_true", help="judge every candidate, not only the best")
    given = parser.parse_args(arguments)
    if given.data is None:
        raise UsageError("no folder of data sets: name it with --data or TRIVIUM_DATA")
    for name in given.graphs:
        graph = GRAPHS[name](given.data)
        profile = profile_of(graph.columns, naming=graph.naming)
        names = names_of(graph.columns, graph.aliases)
        reader = open_reader(graph.columns, profile, names, StaticEmbedder(), glossary=graph.glossary)
        asked = [q for i, q in enumerate(graph.questions) if given.part == "all" or split(i) == given.part]
        if given.pairs:
            others = [q for i, q in enumerate(graph.questions) if split(i) != given.part]
            random.Random(0).shuffle(others)
            learned, report = learn_ranking([_ranked(graph, reader, q) for q in others[: given.pairs]])
            reader.ranking = learned
            print(f"held-out pairs: {100 * report.before:.1f} -> {100 * report.after:.1f}, share {report.share}")
        done = [ask(graph, reader, q, within=given.within) for q in asked[:: given.every]]
        print(table(f"{name}, {given.part}", done), flush=True)
        if given.misses:
            print("\n".join(_miss(each) for each in done if each.figures.f1 < 1))
    return 0


__all__ = ["TriviumError", "answered", "ask", "main", "runner"]
