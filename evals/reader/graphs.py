"""The graphs and questions that the reader is measured on, as `GraphColumns` in memory."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trivium.evals.metaqa import HOPS, read_metaqa
from trivium.evals.reader.scoring import Answered, Figures, _fold, judge_lists, judge_nodes
from trivium.kg.loaders import read_questions
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.plan import Value


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


GRAPHS: dict[str, Callable[[Path], Graph]] = {
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
