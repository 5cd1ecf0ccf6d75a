"""How good the paths are: `trivium eval knowgpt-paths --kg KG [--data DIR] [--questions N]`, on CommonsenseQA dev.

Pairs are the entities of a question (the first four) and of its choices. Of the pairs that any path of 3 hops connects:

    reach      share that a policy connects, in percent
    optimum    share whose best path is the exact optimum, in percent
    reward     mean of the best path's reward, a miss -1
    headroom   how much of what lies between breadth-first search's first path and the optimum is gained, at most 1;
               negative where a policy misses more than it gains, since a miss counts -1
    length     hops of the best path
    expanded   entities whose neighbors were read, a pair
    read       neighbors read, a pair
    ms         a pair, all pairs of all questions at once

`unseen` repeats reach for pairs of no training question (`--train`, the file that was learned from). `W` is how often a
pair's first path, by W of equation 3, is nearer to its own question than to another's; beside it, with W left out.

With `--runs DIR` policies are trained from that file, one for each of `--variants` and `--seeds`, and stand in for the
KG's own, with mean and standard deviation over seeds. A command that was cut goes on from the
checkpoints in DIR. Settings are to be chosen by `held-out`, the mean reward on pairs of training questions that no run
trained on.

Of the variants, `no-X` is the warm start without one of the additions to the paper's state (P3 and P4 of
docs/deviations.md): the relation that leads to a neighbor, the neighbor's own text, its log degree, or all of
structure; `both` sets out from `warm`, so it costs REINFORCE alone.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import groupby
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trivium.evals.datasets import read_data_set
from trivium.evals.metaqa import data_folder
from trivium.kg.embedded.columns import Int64
from trivium.kg.loaders import Question, read_questions
from trivium.knowledge.knowledge import Knowledge
from trivium.policies.paths.exact import all_paths, as_found, walk_exactly
from trivium.policies.paths.examples import PairExamples, make_examples
from trivium.policies.paths.extraction import PathTables, learned_policy, path_tables
from trivium.policies.paths.features import Structure
from trivium.policies.paths.graph import Floats
from trivium.policies.paths.learn import PathTraining, TrainingSet, prepare
from trivium.policies.paths.policy import (
    Beam,
    FoundPaths,
    LearnedScorer,
    PathInputs,
    PathModel,
    PathQuery,
    PathScorer,
    RandomScorer,
    StructuralScorer,
    expand,
)
from trivium.policies.paths.reward import PathRewards, RewardWeights, best_paths, path_means
from trivium.policies.paths.subgraph import KEPT, bridges
from trivium.policies.paths.train import PolicySettings, TrainedPolicy, train_policy

_SOURCES = 4
_WIDTHS = (1, 2, 8)
_SETTINGS = {"warm_steps": int, "reinforce_steps": int, "averaging": float, "held_out": int}
"""Those of `PolicySettings` that can be given."""


async def measure(
    kg: Path, questions: Sequence[Question], train: Path | None, weight: float, runs: Runs | None = None
) -> None:
    """Print the table for one KG; `weight` is l2, the context's, learned with and judged by. `runs` need `train`."""
    base = Knowledge.open(kg)
    try:
        tables = await path_tables(base)
        assert tables is not None, "a KG directory always has a snapshot"
        number = {key: row for row, key in enumerate(tables.snapshot.keys.slice(0, tables.snapshot.entities))}
        asked = first_sources(await make_examples(base.store, questions, number))
        learned = None if train is None else await make_examples(base.store, read_questions(train), number)
        training_set = None
        if runs is not None and learned is not None:
            teaching = PathTraining(runs.settings, weights=RewardWeights(context=weight))
            training_set = prepare(tables, learned, lambda *_: None, teaching)
        case = case_of(tables, asked, learned, training_set, weight)
        joined = len(case.truth.best)
        own, plain = (100 * own_question(case, rewards) for rewards in (case.rewards, PathRewards.of(tables.features)))
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


def case_of(
    tables: PathTables,
    asked: PairExamples,
    learned: PairExamples | None,
    training_set: TrainingSet | None,
    weight: float,
) -> Case:
    """Every policy is judged by one W: the runs' where they are trained, else the KG's own policy's."""
    seen = set() if learned is None else set(map(tuple, learned.pairs.tolist()))
    contexts = tables.contexts(asked.texts)
    query = PathQuery(asked.pairs[:, 0], asked.pairs[:, 1], asked.question, contexts)
    opened = learned_policy(tables) if training_set is None else None
    mapping = None if training_set is None else training_set.mapping
    rewards = PathRewards.of(tables.features, mapping) if opened is None else opened.rewards
    rewards = PathRewards(rewards.entity, rewards.relation, RewardWeights(context=weight))
    affinity = contexts @ rewards.directions.T
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


def first_sources(lessons: PairExamples) -> PairExamples:
    """The pairs of each question's first sources."""
    kept, sources = [], dict[int, list[int]]()
    for row, (question, source) in enumerate(zip(lessons.question.tolist(), lessons.pairs[:, 0].tolist(), strict=True)):
        mine = sources.setdefault(question, [])
        if source not in mine:
            mine.append(source)
        if mine.index(source) < _SOURCES:
            kept.append(row)
    return PairExamples(lessons.pairs[kept], lessons.question[kept], lessons.texts)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 2 where the data is not there."""
    parser = _parser()
    given = parser.parse_args(arguments)
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
    questions = read_data_set("csqa", given.data / "csqa" / "dev_inhouse.jsonl")
    questions = questions[:: max(1, len(questions) // given.questions) if given.questions else 1]
    asyncio.run(measure(given.kg, questions, given.train, given.context, runs))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="trivium eval knowgpt-paths", description=__doc__)
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


VARIANTS = ("warm", "both", "reinforce")
ABLATIONS = ("no-relation", "no-neighbor", "no-degree", "no-structure")
_ALONE_RATE = 1e-3
"""Learning rate of REINFORCE that has no warm start to spoil: five times that of the second phase."""


@dataclass(frozen=True)
class Runs:
    """Which policies to train.

    Attributes:
        folder: where their checkpoints lie.
        variants: of `VARIANTS` and `ABLATIONS`.
        seeds: 0 to seeds - 1 of each.
        settings: of the whole training; REINFORCE alone takes as many steps as both phases together.
    """

    folder: Path
    variants: Sequence[str] = VARIANTS
    seeds: int = 1
    settings: PolicySettings = field(default_factory=PolicySettings)


class PathRun(NamedTuple):
    """A trained policy, and its measure on pairs held out of the training questions."""

    variant: str
    seed: int
    model: PathModel
    held_out: float


def train_runs(training_set: TrainingSet, runs: Runs) -> Iterator[PathRun]:
    """Train, or read where that is done, one variant after the other; minutes a run for ConceptNet on one core."""
    for variant in runs.variants:
        judged = (
            training_set._replace(inputs=without(training_set.inputs, variant))
            if variant in ABLATIONS
            else training_set
        )
        for seed in range(runs.seeds):
            settings = replace(runs.settings, seed=seed)
            trained = _TRAINED.get(variant, _warm)(judged, settings, runs.folder / str(seed) / variant)
            # As they are served: kept at half precision.
            kept = {k: a.astype(np.float16).astype(np.float32) for k, a in trained.parameters.items()}
            yield PathRun(variant, seed, PathModel(judged.inputs, kept), trained.measure)


def without(inputs: PathInputs, ablation: str) -> PathInputs:
    """The inputs with zeros for what one of `ABLATIONS` leaves out, while training and in use."""
    if ablation == "no-relation":
        return replace(inputs, relation=np.zeros_like(inputs.relation))
    if ablation == "no-degree":
        return replace(inputs, log_degree=np.zeros_like(inputs.log_degree))
    if ablation == "no-neighbor":
        return _Nameless(**{field.name: getattr(inputs, field.name) for field in fields(inputs)})
    known = inputs.structure
    nothing = Structure(*(np.zeros_like(table) for table in (known.walks, known.aim, known.near)))
    return replace(inputs, structure=nothing)


class _Nameless(PathInputs):
    """Inputs whose neighbors have no text, while the state keeps its own."""

    def key_inputs(self) -> Floats:
        """See `PathInputs.key_inputs`."""
        made = super().key_inputs()
        made[:, : self.text.shape[1]] = 0
        return made


def _warm(training_set: TrainingSet, settings: PolicySettings, folder: Path) -> TrainedPolicy:
    settings = replace(settings, reinforce_steps=0)
    return train_policy(training_set.task, training_set.inputs, training_set.taught, settings, _Told(folder), folder)


def _both(training_set: TrainingSet, settings: PolicySettings, folder: Path) -> TrainedPolicy:
    """The second phase from where the first one ended; its best step stands where it is better, as in one run."""
    warm, second = _warm(training_set, settings, folder.with_name("warm")), replace(settings, warm_steps=0)
    both = train_policy(
        training_set.task,
        training_set.inputs,
        training_set.taught,
        second,
        _Told(folder),
        folder,
        start=warm.parameters,
    )
    return both if both.measure > warm.measure else warm


def _reinforce(training_set: TrainingSet, settings: PolicySettings, folder: Path) -> TrainedPolicy:
    """Policy gradients alone, from parameters that start near the structural yardstick; nothing is rehearsed."""
    steps = settings.warm_steps + settings.reinforce_steps
    alone = replace(settings, warm_steps=0, reinforce_steps=steps, reinforce_rate=_ALONE_RATE, rehearsal=0.0)
    return train_policy(training_set.task, training_set.inputs, training_set.taught, alone, _Told(folder), folder)


_TRAINED = {"both": _both, "reinforce": _reinforce}


@dataclass(frozen=True)
class _Told:
    """Progress on stderr, a line each 50 steps."""

    folder: Path

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        if done % 50 == 0 or done == total:
            print(
                f"seed {self.folder.parent.name}, {self.folder.name}: {stage} {done} of {total}",
                file=sys.stderr,
                flush=True,
            )


HOPS = 3
HEADING = f"{'policy':18} {'beam':>4} {'reach':>7} {'unseen':>7} {'optimum':>8} {'reward':>7} {'headroom':>9}"
HEADING += f" {'length':>7} {'expanded':>9} {'read':>9} {'ms':>7}"


class Truth(NamedTuple):
    """For each pair that a path connects: the exact optimum and the reward of a first breadth-first path."""

    best: dict[int, float]
    first: dict[int, float]


@dataclass(frozen=True)
class Case:
    """What is measured on: the query, rewards, relation cosines, which pairs training never saw (bool [n]), truth."""

    tables: PathTables
    query: PathQuery
    rewards: PathRewards
    affinity: Floats
    unseen: NDArray[np.bool_]
    truth: Truth


class PathFigures(NamedTuple):
    """One line of the table; percentages in [0, 100], `headroom` at most 1, the rest means a pair, `ms` of one core."""

    reach: float
    unseen: float
    optimum: float
    reward: float
    headroom: float
    length: float
    expanded: float
    read: float
    ms: float

    def text(self, name: str, width: int) -> str:
        """The line as it is printed; a width of 0 means that there is no beam."""
        line = f"{name:18} {width or '-':>4} {self.reach:7.1f} {self.unseen:7.1f} {self.optimum:8.1f}"
        line += f" {self.reward:7.3f} {self.headroom:9.2f} {self.length:7.2f}"
        return line + f" {self.expanded:9.1f} {self.read:9.0f} {self.ms:7.2f}"


class _Searched(NamedTuple):
    """What a search found, and over all pairs: entities expanded, and neighbors read."""

    found: list[FoundPaths]
    expanded: int
    read: int


def truth_of(tables: PathTables, query: PathQuery, rewards: PathRewards, affinity: Floats) -> Truth:
    """The exact optimum of each connected pair, and what breadth-first search finds first."""
    best, first = dict[int, float](), dict[int, float]()
    for entities, pair in all_paths(tables.graph, query.source, query.target, HOPS):
        found = as_found(tables.graph, entities, pair, affinity, query.question)
        totals = rewards.totals(found.entities, found.codes, query.contexts[query.question[pair]])
        order = np.lexsort((*found.entities.T[::-1], found.pair))
        # Batches come by length, so the first of a pair is what a breadth-first search meets.
        for row in order.tolist():
            first.setdefault(int(pair[row]), float(totals[row]))
        for key, reward in zip(pair.tolist(), totals.tolist(), strict=True):
            best[key] = max(best.get(key, -np.inf), reward)
    return Truth(best, first)


def own_question(case: Case, rewards: PathRewards) -> float:
    """Share of pairs whose shortest path is nearer to its own question than to another's, in [0, 1]; 0.5 tells nothing.

    Nearer by the cosine of equation 3; the other question is the one half the list away.
    """
    query, asked = case.query, case.query.contexts
    seen = np.zeros(len(query.source), dtype=bool)
    nearer = [np.zeros(0, dtype=bool)]
    for entities, pair in all_paths(case.tables.graph, query.source, query.target, HOPS):
        fresh = np.flatnonzero(~seen[pair])  # batches come by length: later ones are longer
        rows = fresh[np.unique(pair[fresh], return_index=True)[1]]
        found = as_found(case.tables.graph, entities[rows], pair[rows], case.affinity, query.question)
        own = query.question[found.pair]
        means = path_means(rewards, found.entities, found.codes)
        other = asked[(own + len(asked) // 2) % len(asked)]
        nearer.append((means * asked[own]).sum(axis=1) > (means * other).sum(axis=1))
        seen[found.pair] = True
    return float(np.concatenate(nearer).mean())


def beam_row(case: Case, scorer: PathScorer, width: int) -> PathFigures:
    """The figures of beam search under a policy."""
    began = perf_counter()
    graph = case.tables.graph
    beam = Beam(case.query, scorer, width, HOPS, graph.degrees < 2)
    while len(beam.frontier):
        beam.advance(expand(graph, beam.frontier, beam.questions, case.affinity))
    read = sum(int(graph.degrees[entity].sum()) for _, entity in beam.seen)
    return _row(case, _Searched(beam.found, int(beam.expanded.sum()), read), began)


def exact_row(case: Case) -> PathFigures:
    """The figures of the exact search, the ceiling."""
    began = perf_counter()
    query, graph = case.query, case.tables.graph
    found, expanded = walk_exactly(graph, query, case.affinity, HOPS)
    ends = graph.degrees[query.source], graph.degrees[query.target]
    around = graph.around(np.where(ends[0] <= ends[1], query.source, query.target))
    read = int(ends[0].sum() + ends[1].sum() + graph.degrees[around.entity].sum())
    return _row(case, _Searched(found, int(expanded.sum()), read), began)


def subgraph_row(case: Case) -> PathFigures:
    """The figures of all paths within P_sub, which is made once a question for all its pairs.

    `ms` holds the search of the whole graph, from which the paths that leave P_sub are dropped.
    """
    began = perf_counter()
    query, graph = case.query, case.tables.graph
    wide = np.int64(graph.entities)
    inside, expanded, read = [np.zeros(0, dtype=np.int64)], 0, 0
    for question in np.unique(query.question).tolist():
        mine = query.question == question
        linked = np.unique(np.concatenate((query.source[mine], query.target[mine])))
        kept = _kept(case.tables, linked, query.contexts[question])
        inside.append(question * wide + kept)
        # Linked entities are read to find bridges, bridges that are kept to find the triples among them.
        touched = np.union1d(linked, kept)
        expanded, read = expanded + len(touched), read + int(graph.degrees[touched].sum())
    keys = np.sort(np.concatenate(inside))
    found = []
    for entities, pair in all_paths(graph, query.source, query.target, HOPS):
        within = np.isin(query.question[pair][:, None] * wide + entities, keys).all(axis=1)
        found.append(as_found(graph, entities[within], pair[within], case.affinity, query.question))
    return _row(case, _Searched(found, expanded, read), began)


def _kept(tables: PathTables, linked: Int64, context: Floats) -> Int64:
    """The entities of P_sub, as `trivium.policies.paths.subgraph` chooses them: linked ones, then by relevance."""
    entities = np.concatenate((linked, bridges(tables, linked)))
    relevance = tables.features.text[entities] @ context
    kept: Int64 = entities[np.lexsort((entities, -relevance, np.arange(len(entities)) >= len(linked)))[:KEPT]]
    return kept


def _row(case: Case, searched: _Searched, began: float) -> PathFigures:
    """Figures of a search that began at `began`, on `perf_counter`'s clock."""
    got = {path.pair: path for path in best_paths(searched.found, case.rewards, case.query, 1)}
    pairs = max(len(case.query.source), 1)
    taken = 1000 * (perf_counter() - began) / pairs
    keys = list(case.truth.best)
    (miss,) = case.rewards.ending(np.array([False]), np.array([1])).tolist()
    rewards = np.array([got[key].reward if key in got else miss for key in keys])
    best, first = (np.array([side[key] for key in keys]) for side in case.truth)
    there, fresh = np.array([key in got for key in keys]), case.unseen[keys]
    gained = float(rewards.sum() - first.sum()) / max(float(best.sum() - first.sum()), 1e-9)
    return PathFigures(
        100 * float(there.mean()),
        100 * float(there[fresh].mean()) if fresh.any() else 0.0,
        100 * float((rewards >= best - 1e-4).mean()),
        float(rewards.mean()),
        gained,
        float(np.mean([len(got[key].codes) for key in keys if key in got] or [0])),
        searched.expanded / pairs,
        searched.read / pairs,
        taken,
    )


def spread(name: str, width: int, rows: Sequence[PathFigures]) -> str:
    """Two lines: the mean of several seeds, and the sample's standard deviation."""
    table = np.array(rows)
    mean, deviation = PathFigures(*table.mean(axis=0).tolist()), PathFigures(*table.std(axis=0, ddof=1).tolist())
    return f"{mean.text(f'{name} mean', width)}\n{deviation.text(f'{name} +-', width)}"
