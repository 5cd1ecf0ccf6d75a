"""How good the paths are: `python -m trivium.evals.paths --kg KG [--data DIR] [--questions N]`, on CommonsenseQA dev.

Pairs are the entities of a question (the first four) and of its choices. Of the pairs that any path of 3 hops connects:

    reach      share that a policy connects, in percent
    optimum    share whose best path is the exact optimum, in percent
    headroom   how much of what lies between breadth-first search's first path and the optimum is gained, at most 1;
               negative where a policy misses more than it gains, since a miss counts -1
    length     hops of the best path
    expanded   entities whose neighbors were read, a pair
    read       neighbors read, a pair
    ms         a pair, all pairs of all questions at once

`unseen` repeats reach for pairs of no training question (`--train`, the file that was learned from). `W` is how often a
pair's first path, by W of equation 3, is nearer to its own question than to another's; beside it, with W left out.

With `--runs DIR` policies are trained from that file, one for each of `--variants` and `--seeds`, and stand in for the
KG's own, with mean and standard deviation over seeds (`evals.path_runs`). A command that was cut goes on from the
checkpoints in DIR. Settings are to be chosen by `held-out`, the mean reward on pairs of training questions that no run
trained on.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import numpy as np

from trivium.evals.metaqa import data_folder
from trivium.evals.path_runs import ABLATIONS, VARIANTS, Runs, train_runs
from trivium.evals.path_table import (
    HEADING,
    HOPS,
    Case,
    PathFigures,
    beam_row,
    exact_row,
    own_question,
    spread,
    subgraph_row,
    truth_of,
)
from trivium.kg.loaders import Choice, Question, read_questions
from trivium.knowledge.knowledge import Knowledge
from trivium.policies.paths.examples import PairExamples, make_examples
from trivium.policies.paths.learn import PathTraining, TrainingSet, prepare
from trivium.policies.paths.policy import LearnedScorer
from trivium.policies.paths.reward import PathRewards, RewardWeights
from trivium.policies.paths.search import PathQuery, PathScorer, RandomScorer, StructuralScorer
from trivium.policies.paths.tables import PathTables, learned_policy, path_tables
from trivium.policies.paths.train import PolicySettings

_SOURCES = 4
_WIDTHS = (1, 2, 8)
_SETTINGS = {"warm_steps": int, "reinforce_steps": int, "averaging": float, "held_out": int}
"""Those of `PolicySettings` that can be given."""


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


async def measure(
    kg: Path, questions: Sequence[Question], train: Path | None, weight: float, runs: Runs | None = None
) -> None:
    """Print the table for one KG; `weight` is l2, the context's, learned with and judged by. `runs` need `train`."""
    base = Knowledge.open(kg)
    try:
        tables = await path_tables(base)
        assert tables is not None, "a KG directory always has a snapshot"
        number = {key: row for row, key in enumerate(tables.snapshot.keys.slice(0, tables.snapshot.entities))}
        asked = _first_sources(await make_examples(base.store, questions, number))
        learnt = None if train is None else await make_examples(base.store, read_questions(train), number)
        training_set = None
        if runs is not None and learnt is not None:
            teaching = PathTraining(runs.settings, weights=RewardWeights(context=weight))
            training_set = prepare(tables, learnt, lambda *_: None, teaching)
        case = _case(tables, asked, learnt, training_set, weight)
        joined = len(case.truth.best)
        own, plain = (100 * own_question(case, rewards) for rewards in (case.rewards, tables.rewards()))
        print(f"{len(asked.pairs)} pairs, {joined} connected within {HOPS} hops")
        print(f"W: {own:.1f} % nearer to their own question, without it {plain:.1f} %\n{HEADING}", flush=True)
        _plain_rows(case)
        if training_set is None or runs is None:
            _learnt_rows(case)
        else:
            _trained_rows(case, training_set, runs)
        print(subgraph_row(case).text("P_sub", 0), exact_row(case).text("exact", 0), sep="\n", flush=True)
    finally:
        await base.close()


def _case(
    tables: PathTables,
    asked: PairExamples,
    learnt: PairExamples | None,
    training_set: TrainingSet | None,
    weight: float,
) -> Case:
    """Every policy is judged by one W: the runs' where they are trained, else the KG's own policy's."""
    seen = set() if learnt is None else set(map(tuple, learnt.pairs.tolist()))
    contexts = tables.features.contexts(tables.embedder, asked.texts)
    query = PathQuery(asked.pairs[:, 0], asked.pairs[:, 1], asked.question, contexts)
    opened = learned_policy(tables) if training_set is None else None
    rewards = (
        tables.rewards(None if training_set is None else training_set.mapping) if opened is None else opened.rewards
    )
    rewards = PathRewards(rewards.entity, rewards.relation, RewardWeights(context=weight))
    affinity = rewards.affinity(contexts)
    unseen = np.array([tuple(pair) not in seen for pair in asked.pairs.tolist()])
    return Case(tables, query, rewards, affinity, unseen, truth_of(tables, query, rewards, affinity))


def _plain_rows(case: Case) -> None:
    structure = case.tables.structure(lambda *_: None)
    _rows(case, "random", RandomScorer())
    _rows(case, "structural", StructuralScorer(structure.walks, case.tables.features.log_degree))


def _learnt_rows(case: Case) -> None:
    opened = learned_policy(case.tables)
    if opened is not None:
        _rows(case, "learned", LearnedScorer(opened.model))


def _trained_rows(case: Case, training_set: TrainingSet, runs: Runs) -> None:
    """A row for each run and width, and after each variant mean and spread of its seeds."""
    for variant, trained in groupby(train_runs(training_set, runs), lambda run: run.variant):
        seeds = []
        for run in trained:
            print(f"{variant}/{run.seed}: held-out {run.held_out:.4f}", flush=True)
            seeds.append(_rows(case, f"{variant}/{run.seed}", LearnedScorer(run.model)))
        for width, rows in zip(_WIDTHS, zip(*seeds, strict=True), strict=True):
            if len(rows) > 1:
                print(spread(variant, width, rows), flush=True)


def _rows(case: Case, name: str, scorer: PathScorer) -> list[PathFigures]:
    """Measure and print one policy at every width."""
    rows = []
    for width in _WIDTHS:
        rows.append(beam_row(case, scorer, width))
        print(rows[-1].text(name, width), flush=True)
    return rows


def _first_sources(lessons: PairExamples) -> PairExamples:
    """The pairs of each question's first sources."""
    kept, sources = [], dict[int, list[int]]()
    for row, (question, source) in enumerate(zip(lessons.question.tolist(), lessons.pairs[:, 0].tolist(), strict=True)):
        mine = sources.setdefault(question, [])
        if source not in mine:
            mine.append(source)
        if mine.index(source) < _SOURCES:
            kept.append(row)
    return PairExamples(lessons.pairs[kept], lessons.question[kept], lessons.texts)


def main() -> int:
    """Print the table; 2 where the data is not there."""
    parser = _parser()
    given = parser.parse_args()
    if given.data is None or not (given.data / "csqa" / "dev_inhouse.jsonl").is_file():
        parser.error("CommonsenseQA is not here: name the folder that holds csqa/ with --data or TRIVIUM_DATA")
    variants = given.variants.split(",")
    if unknown := sorted(set(variants) - {*VARIANTS, *ABLATIONS}):
        parser.error(f"--variants {','.join(unknown)}: they are {', '.join((*VARIANTS, *ABLATIONS))}")
    if given.runs is not None and given.train is None:
        parser.error("--runs needs --train, the questions to learn from")
    if given.seeds < 1:
        parser.error(f"--seeds is at least 1, not {given.seeds}")
    asked = {name: getattr(given, name) for name in _SETTINGS if getattr(given, name) is not None}
    settings = replace(PolicySettings(), **asked)
    runs = None if given.runs is None else Runs(given.runs, variants, given.seeds, settings)
    questions = read_csqa(given.data / "csqa" / "dev_inhouse.jsonl", given.questions)
    asyncio.run(measure(given.kg, questions, given.train, given.context, runs))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m trivium.evals.paths", description=__doc__)
    parser.add_argument("--kg", type=Path, required=True, help="a KG directory of ConceptNet")
    parser.add_argument("--data", type=Path, default=data_folder(), help="folder that holds csqa/")
    parser.add_argument("--train", type=Path, help="the questions that the policy was learned from")
    parser.add_argument("--questions", type=int, default=300, help="how many, evenly over dev; 0 = all")
    parser.add_argument("--context", type=float, default=1.0, help="l2, the weight of the context's reward")
    parser.add_argument("--runs", type=Path, metavar="DIR", help="train policies from --train, kept in DIR")
    named = f"also {','.join(ABLATIONS)}; without it %(default)s"
    parser.add_argument("--variants", default=",".join(VARIANTS), help=named)
    parser.add_argument("--seeds", type=int, default=1, help="runs of each variant")
    for name, kind in _SETTINGS.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=kind, help="of the runs; see PolicySettings")
    return parser


if __name__ == "__main__":
    sys.exit(main())
