"""How good the paths are: `python -m evals.paths --kg KG [--data DIR] [--questions N]`, on CommonsenseQA dev.

Pairs are the entities of a question (the first four) and of its choices. Of the pairs that any path of 3 hops connects:

    reach      share that a policy connects, in percent
    optimum    share whose best path is the exact optimum, in percent
    headroom   how much of what lies between breadth-first search's first path and the optimum is gained, at most 1;
               negative where a policy misses more than it gains, since a miss counts -1
    length     hops of the best path
    expanded   entities whose neighbours were read, a pair
    ms         a pair, all pairs of all questions at once

`unseen` repeats reach for pairs of no training question (`--train`, the file that was learnt from).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np

from evals.metaqa import data_folder
from kg.embedded.columns import Int64
from kg.knowledge_base import KnowledgeBase
from kg.loaders import Choice, Question, read_questions
from policies.path_beam import Found, PathScorer, Query
from policies.path_exact import all_paths, as_found
from policies.path_graph import Floats
from policies.path_lessons import Lessons, make_lessons
from policies.path_model import LearnedScorer
from policies.path_reward import PathRewards
from policies.path_scorers import RandomScorer, StructuralScorer
from policies.path_search import RankedPath, best_paths, walk_beam, walk_exactly
from policies.path_tables import PathTables
from tools.path_tables import learnt_policy, path_tables

HOPS = 3
_SOURCES = 4
_WIDTHS = (1, 2, 8)
_HEADING = f"{'policy':12} {'beam':>4} {'reach':>7} {'unseen':>7} {'optimum':>8} {'headroom':>9}"
_HEADING += f" {'length':>7} {'expanded':>9} {'ms':>7}"


class _Case(NamedTuple):
    """What is measured on: the query, rewards, relation cosines, and which pairs training never saw, bool [n]."""

    tables: PathTables
    query: Query
    rewards: PathRewards
    affinity: Floats
    unseen: np.ndarray


class _Truth(NamedTuple):
    """For each pair that a path connects: the exact optimum and the reward of a first breadth-first path."""

    best: dict[int, float]
    first: dict[int, float]


def read_csqa(path: Path, count: int) -> list[Question]:
    """Questions of CommonsenseQA's own file, evenly over it; raises as `read_questions` for other files."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    step = max(1, len(lines) // count) if count else 1
    return [
        Question(
            raw["id"],
            raw["question"]["stem"],
            choices=tuple(Choice(choice["label"], choice["text"]) for choice in raw["question"]["choices"]),
        )
        for raw in lines[::step]
    ]


async def measure(kg: Path, questions: Sequence[Question], train: Path | None, weight: float) -> None:
    """Print the table for one KG; `weight` is l2, the context's."""
    base = KnowledgeBase.open(kg)
    try:
        case = await _case(base, questions, train, weight)
        truth = _truth(case)
        print(f"{len(case.query.source)} pairs, {len(truth.best)} connected within {HOPS} hops\n{_HEADING}", flush=True)
        for name, scorer in _scorers(case.tables):
            for width in _WIDTHS if scorer is not None else (0,):
                _show(name, width, case, truth, scorer)
    finally:
        await base.close()


async def _case(base: KnowledgeBase, questions: Sequence[Question], train: Path | None, weight: float) -> _Case:
    tables = await path_tables(base)
    assert tables is not None, "a KG directory always has a snapshot"
    number = {key: row for row, key in enumerate(tables.snapshot.keys.slice(0, tables.snapshot.entities))}
    lessons = _first_sources(await make_lessons(base.store, questions, number))
    seen = set()
    if train is not None:
        learnt = await make_lessons(base.store, read_questions(train), number)
        seen = set(map(tuple, learnt.pairs.tolist()))
    contexts = tables.features.contexts(base.embedder, lessons.texts)
    query = Query(lessons.pairs[:, 0], lessons.pairs[:, 1], lessons.question, contexts)
    opened = learnt_policy(tables)
    rewards = tables.rewards() if opened is None else opened.rewards
    weighted = PathRewards(rewards.entity, rewards.relation, type(rewards.weights)(context=weight))
    unseen = np.array([tuple(pair) not in seen for pair in lessons.pairs.tolist()])
    return _Case(tables, query, weighted, weighted.affinity(contexts), unseen)


def _first_sources(lessons: Lessons) -> Lessons:
    """The pairs of each question's first sources."""
    kept, sources = [], dict[int, list[int]]()
    for row, (question, source) in enumerate(zip(lessons.question.tolist(), lessons.pairs[:, 0].tolist(), strict=True)):
        mine = sources.setdefault(question, [])
        if source not in mine:
            mine.append(source)
        if mine.index(source) < _SOURCES:
            kept.append(row)
    return Lessons(lessons.pairs[kept], lessons.question[kept], lessons.texts)


def _scorers(tables: PathTables) -> list[tuple[str, PathScorer | None]]:
    structure = tables.structure(lambda *_: None)
    opened = learnt_policy(tables)
    learned: list[tuple[str, PathScorer | None]] = [("learned", LearnedScorer(opened.model))] if opened else []
    plain: list[tuple[str, PathScorer | None]] = [
        ("random", RandomScorer()),
        ("structural", StructuralScorer(structure.walks, tables.features.log_degree)),
    ]
    return [*plain, *learned, ("exact", None)]


def _truth(case: _Case) -> _Truth:
    query, graph = case.query, case.tables.graph
    best, first = dict[int, float](), dict[int, float]()
    for entities, pair in all_paths(graph, query.source, query.target, HOPS):
        found = as_found(graph, entities, pair, case.affinity, query.question)
        rewards = case.rewards.totals(found.entities, found.codes, query.contexts[query.question[pair]])
        order = np.lexsort((*found.entities.T[::-1], found.pair))
        for (
            row
        ) in order.tolist():  # batches come by length, so the first of a pair is what a breadth-first search meets
            first.setdefault(int(pair[row]), float(rewards[row]))
        for key, reward in zip(pair.tolist(), rewards.tolist(), strict=True):
            best[key] = max(best.get(key, -np.inf), reward)
    return _Truth(best, first)


def _show(name: str, width: int, case: _Case, truth: _Truth, scorer: PathScorer | None) -> None:
    """One row of the table."""
    began = perf_counter()
    found, expanded = _search(case, scorer, width)
    paths: list[RankedPath] = best_paths(found, case.rewards, case.query, 1)
    taken = 1000 * (perf_counter() - began) / max(len(case.query.source), 1)
    got = {path.pair: path for path in paths}
    keys = list(truth.best)
    rewards = np.array([got[key].reward if key in got else -case.rewards.weights.reach for key in keys])
    best, first = (np.array([side[key] for key in keys]) for side in truth)
    there, fresh = np.array([key in got for key in keys]), case.unseen[keys]
    gained = (rewards.sum() - first.sum()) / max(float(best.sum() - first.sum()), 1e-9)
    length = np.mean([len(got[key].codes) for key in keys if key in got] or [0])
    print(
        f"{name:12} {width or '-':>4} {100 * there.mean():7.1f} {100 * there[fresh].mean() if fresh.any() else 0:7.1f} "
        f"{100 * (rewards >= best - 1e-4).mean():8.1f} {gained:9.2f} {length:7.2f} {expanded.mean():9.1f} {taken:7.2f}",
        flush=True,
    )


def _search(case: _Case, scorer: PathScorer | None, width: int) -> tuple[list[Found], Int64]:
    if scorer is None:
        return walk_exactly(case.tables.graph, case.query, case.affinity, HOPS)
    return walk_beam(case.tables.graph, scorer, case.query, case.affinity, (width, HOPS))


def main() -> int:
    """Print the table; 2 where the data is not there."""
    parser = argparse.ArgumentParser(prog="python -m evals.paths", description=__doc__)
    parser.add_argument("--kg", type=Path, required=True, help="a KG directory of ConceptNet")
    parser.add_argument("--data", type=Path, default=data_folder(), help="folder that holds csqa/")
    parser.add_argument("--train", type=Path, help="the questions that the policy was learnt from")
    parser.add_argument("--questions", type=int, default=300, help="how many, evenly over dev; 0 = all")
    parser.add_argument("--context", type=float, default=1.0, help="l2, the weight of the context's reward")
    given = parser.parse_args()
    if given.data is None or not (given.data / "csqa" / "dev_inhouse.jsonl").is_file():
        parser.error("CommonsenseQA is not here: name the folder that holds csqa/ with --data or TRIVIUM_DATA")
    questions = read_csqa(given.data / "csqa" / "dev_inhouse.jsonl", given.questions)
    asyncio.run(measure(given.kg, questions, given.train, given.context))
    return 0


if __name__ == "__main__":
    sys.exit(main())
