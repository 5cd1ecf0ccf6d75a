"""Graphs whose questions are chains from a name: MetaQA, WorldCup2014, the sample, own graphs."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Sequence
from pathlib import Path

from trivium.evals.metaqa import HOPS, read_metaqa
from trivium.evals.reader.graphs import Graph, ReaderQuestion, from_tsv, typed
from trivium.evals.reader.scoring import Answered, Figures, judge_lists
from trivium.kg.loaders import read_questions

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
