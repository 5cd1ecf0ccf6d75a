"""The reader alone, from the schema, on every data set: `trivium eval reader [--graphs pole fda] [--part choose]`.

Questions are read and their plans run in this process, on `GraphColumns` built from the files: no store, no method.
Set F1 by the rule of each set's publisher: GeoQuery's gold lists, Mind-the-Query's (POLE's too) sets and rows. Every
set is split by place in thirds: `read` was looked at while the reader was built, `choose` chose between versions by
figures alone, `unseen` neither.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import time
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from trivium.evals.metaqa import HOPS, data_folder, read_metaqa
from trivium.evals.own_graphs import FOLDER as OWN
from trivium.evals.own_graphs import graphs as own_graphs
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
from trivium.policies.reader.reader import Reader
from trivium.policies.reader.readings import Outcome, Reading

ONE_VALUE = frozenset({"count", "average", "sum", "ratio", "max", "min", "boolean", "several_values"})


@dataclass(frozen=True)
class Answered:
    """What a plan gave: entities as (id, label), values as text, one value as text or None."""

    entities: tuple[tuple[str, str], ...] = ()
    values: tuple[str, ...] = ()
    value: str | None = None

    @property
    def bare(self) -> bool:
        """Whether it claims nothing."""
        return not self.entities and not self.values and self.value is None


class Figures(NamedTuple):
    """Set F1 and whether nothing was claimed."""

    f1: float
    refused: bool

    @property
    def wrong(self) -> bool:
        """Whether something was claimed and none of it is right."""
        return self.f1 == 0 and not self.refused


def plain(text: object) -> str:
    """Case, accents and spaces folded."""
    folded = unicodedata.normalize("NFKD", str(text)).casefold()
    return re.sub(r"\s+", " ", "".join(c for c in folded if not unicodedata.combining(c))).strip()


def number(text: str) -> float | None:
    """The number that a text is, or None."""
    if re.fullmatch(r"[-+]?(\d+|\d{1,3}(,\d{3})+)(\.\d+)?(e[-+]?\d+)?", text):
        return float(text.replace(",", ""))
    return None


def _same(one: str, gold: str, share: float) -> bool:
    a, b = number(one), number(gold)
    if a is None or b is None:
        return plain(one) == plain(gold)
    return a == b if b == int(b) else abs(a - b) <= share * max(abs(b), 1.0 if share > 0.001 else 0.0)


def judge_lists(gold: Sequence[Sequence[str]], answer: Answered) -> Figures:
    """GeoQuery: each inner list is one answer, by any of its names; nothing, or 0, is right where gold is empty."""
    if (
        answer.value is not None
        and len(gold) == 1
        and (number(gold[0][0]) is not None or gold[0][0] in ("true", "false"))
    ):
        told: list[tuple[str, ...]] = [(answer.value,)]
    else:
        cells = [(answer.value,)] if answer.value is not None else []
        told = list({each[0]: each for each in [*cells, *((v,) for v in answer.values), *answer.entities]}.values())
    if not gold:
        right = not told or told == [("0",)]
        return Figures(float(right), not told)
    found = [
        {i for i, names in enumerate(gold) if any(_same(a, b, 0.001) for a in each for b in names)} for each in told
    ]
    matched = sum(bool(each) for each in found)
    covered = len(set().union(*found)) if found else 0
    return Figures(_f1(matched, len(told), covered, len(gold)), not told)


def _f1(right: int, told: int, covered: float, gold: int) -> float:
    if not right:
        return 0.0
    precision, recall = right / told, covered / gold
    return 2 * precision * recall / (precision + recall)


def _fold(value: object) -> str:
    text = unicodedata.normalize("NFKC", str(value)).casefold().strip()
    if match := re.fullmatch(r"(\d{1,2})/(\d{1,2})/(\d{4})", text):
        return f"{match[3]}-{int(match[2]):02}-{int(match[1]):02}"
    return {"yes": "true", "no": "false"}.get(text, text)


def judge_nodes(question: Mapping[str, Any], answer: Answered, called: Mapping[str, frozenset[str]]) -> Figures:
    """Mind-the-Query's score.py: the best F1 over the readings of the gold; `called` gives the names of nodes."""
    kind, any_of = question["kind"], bool(question.get("any_of"))
    claims: list[tuple[str | None, str]] = [(i, _fold(label)) for i, label in answer.entities]
    claims += [(None, _fold(value)) for value in answer.values]
    if answer.value is not None and (kind in ONE_VALUE or not claims):
        claims = [(None, _fold(answer.value))]
    claims = list({(i or text): (i, text) for i, text in claims}.values())
    golds = [_gold(question, "answers", "nodes")]
    if "answers_published" in question:
        golds.append(_gold(question, "answers_published", "nodes_published"))
    best = max(_set_f1(claims, gold, called, any_of=any_of or i > 0) for i, gold in enumerate(golds))
    if "rows" in question:
        cells = [(None, x) for x in dict.fromkeys(_fold(x) for row in question["rows"] for x in row if x is not None)]
        best = max(best, _set_f1(claims, cells, called, any_of=False))
    return Figures(best, not claims)


def _gold(question: Mapping[str, Any], answers: str, nodes: str) -> list[tuple[str | None, str]]:
    texts = [_fold(each) for each in question[answers]]
    return list(zip(question.get(nodes) or [None] * len(texts), texts, strict=True))


def _set_f1(
    claims: Sequence[tuple[str | None, str]],
    golds: Sequence[tuple[str | None, str]],
    called: Mapping[str, frozenset[str]],
    *,
    any_of: bool,
) -> float:
    def is_it(claim: tuple[str | None, str], gold: tuple[str | None, str]) -> bool:
        if gold[0] is not None and claim[0] is not None:
            return claim[0] == gold[0]
        return _same(claim[1], gold[1], 0.005) or (gold[0] is not None and claim[1] in called.get(gold[0], ()))

    if not claims or not golds:
        return 0.0
    right = sum(any(is_it(c, g) for g in golds) for c in claims)
    found = sum(any(is_it(c, g) for c in claims) for g in golds)
    return _f1(right, len(claims), (1.0 if found else 0.0) * len(golds) if any_of else found, len(golds))


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
