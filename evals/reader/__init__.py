"""The reader alone, from the schema, on every data set: `trivium eval reader [--graphs pole fda] [--part choose]`.

Questions are read and their plans run in this process, on `GraphColumns` built from the files: no store, no method.
Set F1 by the rule of each set's publisher (`trivium.evals.reader.scoring`). Every set is split by place in thirds:
`read` was looked at while the reader was built, `choose` chose between versions by figures alone, `unseen` neither.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from trivium.evals.metaqa import HOPS, data_folder, read_metaqa
from trivium.evals.own_graphs import FOLDER as OWN
from trivium.evals.own_graphs import graphs as own_graphs
from trivium.evals.reader.scoring import Answered, Figures, _fold, judge_lists, judge_nodes
from trivium.kg import sample
from trivium.kg.embedders.static import StaticEmbedder
from trivium.kg.errors import TimeLimitError, TriviumError, UsageError
from trivium.kg.loaders import read_questions
from trivium.kg.plans.cells import ENTITY, Cells
from trivium.kg.plans.columns import GraphColumns, value_text
from trivium.kg.plans.execute import Answer, Executor, Listed
from trivium.kg.plans.plan import QueryPlan, Value
from trivium.kg.plans.survey import profile_of
from trivium.policies.reader.opening import names_of, open_reader
from trivium.policies.reader.pair_plans import CANDIDATES
from trivium.policies.reader.ranking import Ranked, learn_ranking, plan_features, told_apart
from trivium.policies.reader.reader import Outcome, Reader, Reading


@dataclass(frozen=True)
class ReaderQuestion:
    """A question, the kind it is reported under, and how an answer to it is judged."""

    id: str
    text: str
    kind: str
    judge: Callable[[Answered], Figures]
    gold: str = ""
    topics: tuple[str, ...] = ()


@dataclass
class Graph:
    """A graph with its questions.

    Attributes:
        naming: the properties that name the entities of a type.
        aliases: further names of entities.
    """

    name: str
    columns: GraphColumns
    naming: Mapping[str, tuple[str, ...]]
    questions: list[ReaderQuestion]
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    glossary: Mapping[str, Sequence[str]] = field(default_factory=dict)


def read_lines(path: Path) -> list[Any]:
    """The JSON lines of a file, also of a compressed one."""
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def geoquery(data: Path, questions: str = "train.jsonl", entities: str = "entities.tsv") -> Graph:
    """GeoQuery as a typed graph: numbers are properties."""
    folder = data / "geoquery"
    columns, aliases = from_tsv(folder / "triples.tsv", folder / entities)
    asked = [
        ReaderQuestion(q["id"], q["question"], q["kind"], _lists(q["gold"]), str(q["gold"])[:200])
        for q in read_lines(folder / questions)
    ]
    return Graph("geoquery", columns, {}, asked, aliases)


def _lists(gold: list[list[str]]) -> Callable[[Answered], Figures]:
    return lambda answer: judge_lists(gold, answer)


def neo4j_graph(folder: Path, questions: str, name: str) -> Graph:
    """A graph in Mind-the-Query's files: POLE, FDA adverse events, Game of Thrones."""
    settings = json.loads((folder / "graph.json").read_text(encoding="utf-8"))
    entities, called, labels = [], {}, {}
    for node in read_lines(folder / "nodes.jsonl.gz"):
        properties = {key: _decoded(value) for key, value in node["properties"].items()}
        entities.append((node["id"], node["labels"], properties))
        names = set()
        for label in node["labels"]:
            parts = [str(node["properties"][k]) for k in settings["names"].get(label, []) if k in node["properties"]]
            more = [
                str(node["properties"][k]) for k in settings["identifying"].get(label, []) if k in node["properties"]
            ]
            names |= {_fold(each) for each in (*parts, " ".join(parts), *more) if each}
            if parts:
                labels[node["id"]] = " ".join(parts)
        called[node["id"]] = frozenset(names)
    edges = [
        (each["start"], each["type"], each["end"], {k: _decoded(v) for k, v in each["properties"].items()})
        for each in read_lines(folder / "relationships.jsonl.gz")
    ]
    columns = GraphColumns.of(entities, edges, labels=labels)
    asked = [
        ReaderQuestion(
            q["id"], q["question"], q["kind"], _nodes(q, called), f"{q['answers'][:8]} {q['gold_cypher'][:300]}"
        )
        for q in read_lines(folder / questions)
    ]
    naming = {label: tuple(names) for label, names in settings["names"].items()}
    return Graph(name, columns, naming, asked)


def _nodes(question: Mapping[str, Any], called: Mapping[str, frozenset[str]]) -> Callable[[Answered], Figures]:
    return lambda answer: judge_nodes(question, answer, called)


def _decoded(value: object) -> object:
    """A value of the files: what JSON lacks is `{"$date": ISO}` and the like."""
    if isinstance(value, list):
        return [_decoded(each) for each in value]
    if isinstance(value, dict):
        ((kind, inner),) = value.items()
        if kind == "$date":
            return Value("date", inner)
        if kind in ("$datetime", "$localdatetime"):
            return Value("datetime", inner)
        if kind in ("$time", "$localtime"):
            return Value("time", inner)
        return str(inner)
    return value


def from_tsv(triples: Path, entities: Path | None) -> tuple[GraphColumns, dict[str, tuple[str, ...]]]:
    """A graph of tab-separated triples: a relation whose tails are all numbers is a property."""
    rows = [line.split("\t") for line in triples.read_text(encoding="utf-8").splitlines() if line]
    heads = {head for head, _, _ in rows}
    tails: dict[str, list[str]] = defaultdict(list)
    for _, relation, tail in rows:
        tails[relation].append(tail)
    literal = {
        relation
        for relation, values in tails.items()
        if all(_number(value) is not None for value in values)
        and sum(value in heads for value in values) <= len(values) / 10
    }
    return typed(rows, literal, entities)


def typed(
    rows: Sequence[Sequence[str]], literal: set[str], entities: Path | None
) -> tuple[GraphColumns, dict[str, tuple[str, ...]]]:
    """Triples as a graph: the tails of `literal` relations are numbers, or texts where they are not."""
    types: dict[str, list[str]] = {}
    labels, aliases = {}, {}
    for line in entities.read_text(encoding="utf-8").splitlines() if entities else ():
        key, label, others, kinds = (*line.split("\t"), "", "", "")[:4]
        labels[key] = label or key
        aliases[key] = tuple(each for each in others.split("|") if each)
        types[key] = [each for each in kinds.split("|") if each]
    properties: dict[str, dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
    edges = []
    for head, relation, tail in rows:
        if relation in literal:
            properties[head][relation].append(_number(tail))
        else:
            edges.append((head, relation, tail))
    known = {*types, *properties, *(e for head, _, tail in edges for e in (head, tail))}
    return (
        GraphColumns.of([(key, types.get(key, []), properties.get(key, {})) for key in known], edges, labels=labels),
        aliases,
    )


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def split(index: int) -> str:
    """Which third of a data set a question is in: `read` while building, `choose` by figures alone, `unseen`."""
    return ("read", "choose", "unseen")[index % 3]


TABLES: dict[str, Callable[[Path], Graph]] = {
    "geoquery": geoquery,
    "geoquery-de": lambda data: geoquery(data, "train.de.jsonl", "entities.de.tsv"),
    "geoquery-dev": lambda data: geoquery(data, "dev.jsonl"),
    "pole": lambda data: neo4j_graph(data / "zograscope", "train.jsonl.gz", "pole"),
    "fda": lambda data: neo4j_graph(data / "mindthequery" / "healthcare-analytics", "questions.jsonl.gz", "fda"),
    "got": lambda data: neo4j_graph(data / "mindthequery" / "graph-data-science", "questions.jsonl.gz", "got"),
}
"""The graphs with questions of all kinds, by name."""


_METAQA = 300  # dev questions of each number of hops


def metaqa(data: Path) -> Graph:
    """MetaQA's films, without types; release years are numbers. `kind` is the number of hops."""
    rows = [line.split("|") for line in (data / "metaqa" / "kb.txt").read_text(encoding="utf-8").splitlines() if line]
    columns, _ = typed(rows, {"release_year"}, None)
    asked = []
    for hops in HOPS:
        questions = read_metaqa(data, hops)
        step = len(questions) // _METAQA
        asked += [
            ReaderQuestion(q.id, q.question, f"{hops} hops", hits(q.answers), str(q.answers)[:150])
            for q in questions[::step][:_METAQA]
        ]
    return Graph("metaqa", columns, {}, asked)


def hits(gold: Sequence[str]) -> Callable[[Answered], Figures]:
    """Set F1 over labels or ids."""
    return lambda answer: judge_lists([[each] for each in gold], answer)


def worldcup(data: Path) -> Graph:
    """WorldCup2014: one, two hops, conjunctions."""
    folder = data / "worldcup2014"
    with gzip.open(folder / "WC2014.txt.gz", "rt", encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file if line.strip()]
    rows = [row for row in rows if not row[1].endswith("_inverse")]
    columns, _ = typed(rows, {"is_aged", "wears_number"}, None)
    asked = []
    for name, kind in (("P1", "1 hop"), ("P2", "2 hops"), ("C", "conjunction")):
        with gzip.open(folder / f"WC-{name}.txt.gz", "rt", encoding="utf-8") as file:
            lines = [line.rstrip("\n").split("\t") for line in file if line.strip()]
        for place, line in enumerate(lines[:: max(1, len(lines) // 120)]):
            gold = [each for each in line[3].split("/") if each]
            asked.append(ReaderQuestion(f"{name}-{place}", line[0], kind, hits(gold), str(gold)[:150]))
    return Graph("worldcup", columns, {}, asked)


def from_folder(folder: Path, questions: str, name: str) -> Graph:
    """A graph of `triples.tsv` and `entities.tsv` with a file of questions: own graphs, the sample."""
    columns, aliases = from_tsv(folder / "triples.tsv", folder / "entities.tsv")
    asked = [
        ReaderQuestion(
            q.id, q.question, q.id.split("-")[1] if "-" in q.id else "all", hits(q.answers), str(q.answers)[:150]
        )
        for q in read_questions(folder / questions)
    ]
    return Graph(name, columns, {}, asked, aliases)


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
