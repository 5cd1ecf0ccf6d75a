"""`trivium learn knowgpt` on an open KG: link, search demonstrations, train W and the policy, keep both."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np

from trivium.kg.catalog import find_named
from trivium.kg.embedded import EmbeddedStore, keep
from trivium.kg.embedded.snapshot import Snapshot
from trivium.kg.embedders import Embedder, open_embedder
from trivium.kg.errors import BadInputError, UsageError
from trivium.kg.examples import keep_examples
from trivium.kg.indexes import relation_words
from trivium.kg.knowledge_base import KnowledgeBase
from trivium.kg.loaders import Question, read_questions
from trivium.kg.store import GraphStore
from trivium.kg.types import Progress
from trivium.policies.paths.env import PathTask
from trivium.policies.paths.exact import all_paths, as_found
from trivium.policies.paths.examples import (
    Demonstrations,
    DemonstrationSettings,
    PairExamples,
    demonstrate,
    make_examples,
)
from trivium.policies.paths.extraction import FOLDER, PathPolicy, PathTables, TablesHome, save_policy
from trivium.policies.paths.graph import Floats
from trivium.policies.paths.policy import MAX_LEFT, PathInputs
from trivium.policies.paths.reward import PathRewards, RewardWeights, path_means, train_mapping
from trivium.policies.paths.train import CHECKPOINT, CURVE, PolicySettings, train_policy

_MAPPED = 4_096  # pairs whose paths W is trained on
_ENOUGH = 70_000  # pairs of questions that are learned from; they are paired anew until there are as many again,
_WALKED = 2_000  # random walks that make a task without questions
_TIMES = 8  # at most so many times, and once at least


_T = TypeVar("_T")
WarmStart = Literal["ranked", "bfs", "none"]
"""What the warm start imitates: all good paths by their reward, shortest paths (DeepPath's way), or nothing."""


@dataclass(frozen=True, slots=True)
class PathTraining:
    """Settings of one run of `trivium learn knowgpt`."""

    policy: PolicySettings = field(default_factory=PolicySettings)
    demonstrations: DemonstrationSettings = field(default_factory=DemonstrationSettings)
    weights: RewardWeights = field(default_factory=RewardWeights)

    @property
    def warm_start(self) -> WarmStart:
        """What the warm start imitates."""
        return "none" if not self.policy.warm_steps else "bfs" if self.demonstrations.shortest else "ranked"

    def changed(  # noqa: PLR0913 - what can be chosen, one by one
        self,
        *,
        warm_start: WarmStart = "ranked",
        warm_steps: int | None = None,
        warm_rate: float | None = None,
        rl_steps: int | None = None,
        rl_rate: float | None = None,
        rehearsal: float | None = None,
        entropy: float | None = None,
        weights: RewardWeights | None = None,
        max_hops: int | None = None,
    ) -> PathTraining:
        """With some settings changed; None leaves one as it is.

        Args:
            warm_start: what the warm start imitates.
            warm_steps: its batches, at least 0.
            warm_rate: its learning rate, above 0.
            rl_steps: batches of REINFORCE, at least 0.
            rl_rate: its learning rate, above 0.
            rehearsal: weight of the warm start's loss beside REINFORCE's, at least 0.
            entropy: weight of the entropy bonus, at least 0.
            weights: l1 to l3.
            max_hops: K, in [1, 6].

        Raises `UsageError` where nothing would be trained, or for a value out of range.
        """
        policy, hops = self.policy, self.policy.episode.max_hops if max_hops is None else max_hops
        steps = policy.reinforce_steps if rl_steps is None else rl_steps
        given = policy.warm_steps if warm_steps is None else warm_steps
        warm_steps = 0 if warm_start == "none" else given
        for name, value in (("--warm-rate", warm_rate), ("--rl-rate", rl_rate)):
            if value is not None and not 0 < value < math.inf:
                raise UsageError(f"{name} must be above 0, not {value}")
        for name, value in (("--rehearsal", rehearsal), ("--entropy", entropy), ("--warm-steps", given)):
            if value is not None and not 0 <= value < math.inf:
                raise UsageError(f"{name} must be at least 0, not {value}")
        if steps < 0 or not warm_steps + steps:
            raise UsageError(f"nothing to train: --warm-start {warm_start} with --rl-steps {steps}")
        if not 1 <= hops <= MAX_LEFT:
            raise UsageError(f"--max-hops must be in [1, {MAX_LEFT}], not {hops}")
        policy = replace(
            policy,
            warm_steps=warm_steps,
            warm_rate=policy.warm_rate if warm_rate is None else warm_rate,
            reinforce_steps=steps,
            reinforce_rate=policy.reinforce_rate if rl_rate is None else rl_rate,
            rehearsal=policy.rehearsal if rehearsal is None else rehearsal,
            entropy=policy.entropy if entropy is None else entropy,
            episode=replace(policy.episode, max_hops=hops),
        )
        shown = replace(self.demonstrations, max_hops=hops, shortest=warm_start == "bfs")
        return replace(self, policy=policy, demonstrations=shown, weights=weights or self.weights)


def needs_torch() -> None:
    """Raises `UsageError` where torch is not installed: training needs it, answering does not."""
    try:
        import torch  # noqa: F401 - looked for, not used
    except ImportError as error:
        raise UsageError("learning paths needs torch: pip install 'trivium[train]' (make test installs it)") from error


async def learn_paths(
    base: KnowledgeBase, questions: Sequence[Question], progress: Progress, settings: PathTraining | None = None
) -> PathPolicy:
    """Learn from questions with choices (or answers) and keep the policy in the KG's folder `knowgpt/`.

    A run that was cut short goes on from its checkpoint there.

    Raises:
        BadInputError: the questions name nothing that this KG connects.
        BusyError: another process is writing.
        UsageError: torch is not installed, or the KG has no adjacency at hand.
    """
    needs_torch()
    snapshot, began = base.snapshot(), time.perf_counter()
    if snapshot is None:
        raise UsageError("paths are learned on adjacency arrays, and this KG has none at hand: make a snapshot of it")
    kg_hash = await base.store.fingerprint()
    number = await asyncio.to_thread(_numbers, snapshot)
    examples = await make_examples(base.store, questions, number)
    learned = await asyncio.to_thread(_learn, base, snapshot, kg_hash, examples, progress, settings or PathTraining())
    report = learned.report | {"questions": len(questions), "seconds": round(time.perf_counter() - began, 1)}
    learned = replace(learned, report=report)
    await asyncio.to_thread(_keep, base, learned)
    # For trivium learn --renew.
    await asyncio.to_thread(keep, base.path, lambda: keep_examples(base.path, "knowgpt", questions))
    return learned


def _numbers(snapshot: Snapshot) -> dict[str, int]:
    return {key: row for row, key in enumerate(snapshot.keys.slice(0, snapshot.entities))}


def _learn(
    base: KnowledgeBase,
    snapshot: Snapshot,
    kg_hash: str,
    examples: PairExamples,
    progress: Progress,
    settings: PathTraining,
) -> PathPolicy:
    tables = PathTables(base, snapshot, kg_hash, progress, anew=True)
    training_set = prepare(tables, examples, progress, settings)
    taught = training_set.taught
    trained = train_policy(
        training_set.task, training_set.inputs, taught, settings.policy, progress, base.path / FOLDER
    )
    own = min(len(examples.pairs), _ENOUGH)
    report: dict[str, Any] = {
        "pairs": own, "connected": int(taught.connected[:own].sum()),
        "states": len(taught.pair), "steps": trained.steps, "held_out_reward": round(trained.measure, 4),
        "warm_start": settings.warm_start, "rl_steps": settings.policy.reinforce_steps, "served": trained.phase,
        "max_hops": settings.policy.episode.max_hops,
    }  # fmt: skip
    return PathPolicy(training_set.mapping, trained.parameters, settings.weights, report, kg_hash)


class TrainingSet(NamedTuple):
    """What a policy is trained on: the pairs, what it sees of entities, demonstrations, and W, float32 [d, d]."""

    task: PathTask
    inputs: PathInputs
    taught: Demonstrations
    mapping: Floats


def prepare(tables: PathTables, examples: PairExamples, progress: Progress, settings: PathTraining) -> TrainingSet:
    """W, the task and its demonstrations; raises `BadInputError` where no pair is connected."""
    contexts = tables.contexts(examples.texts)
    mapping = learn_mapping(tables, examples, contexts, settings.demonstrations.max_hops)
    task = task_of(tables, examples, contexts, mapping, settings.weights)
    taught = demonstrate(task, settings.demonstrations, progress)
    if not taught.connected.any():
        raise BadInputError(
            "no entity of a question is connected with one of its candidates "
            f"within {settings.demonstrations.max_hops} hops"
        )
    inputs = PathInputs.of(tables.features, tables.structure(progress), tables.graph.degrees)
    return TrainingSet(task, inputs, taught, mapping)


def learn_mapping(tables: PathTables, examples: PairExamples, contexts: Floats, max_hops: int) -> Floats:
    """W from the shortest paths of a sample of pairs, float32 [d, d]."""
    rewards = PathRewards.of(tables.features)
    rows = np.random.default_rng(0).permutation(len(examples.pairs))[:_MAPPED]
    pairs, question = examples.pairs[rows], examples.question[rows]
    affinity = contexts @ rewards.directions.T
    means, asked = [], []
    seen = np.zeros(len(rows), dtype=bool)
    for entities, pair in all_paths(tables.graph, pairs[:, 0], pairs[:, 1], max_hops):
        fresh = np.flatnonzero(~seen[pair])  # batches come by length: later ones are longer
        found = as_found(tables.graph, entities[fresh], pair[fresh], affinity, question)
        first = np.unique(found.pair, return_index=True)[1]
        means.append(path_means(rewards, found.entities[first], found.codes[first]))
        asked.append(contexts[question[found.pair[first]]])
        seen[found.pair] = True
    return train_mapping(np.concatenate(means), np.concatenate(asked))


@dataclass(frozen=True)
class _Directory:
    """A KG's directory without the layer that opens KGs: enough to make tables."""

    path: Path
    embedder: Embedder

    def keep(self, name: str, save: Callable[[Path], None]) -> None:
        """Nothing is kept: making an environment does not write into a KG."""


def task_of_kg(kg: KnowledgeBase | Path | str, questions: Path | str | None, max_hops: int) -> PathTask:
    """The task of an open KG, of a KG's directory, or of one that `trivium.toml` names, for `PathEnv(kg=...)`; blocks.

    Pairs are those of the questions in a file; without one the ends of random walks of up to `max_hops` relations,
    whose names in words are the question. Needs no torch, and W is the identity.

    Raises:
        BadInputError: the questions name nothing in the KG, or no entity has a neighbor.
        UsageError: the KG has no adjacency at hand.
        NotAKnowledgeBaseError: there is no such KG.
    """
    if isinstance(kg, str | Path):
        found = find_named(str(kg))
        if not isinstance(found, Path):
            raise UsageError(f"{kg} is a server's: open it, and give the environment what was opened")
        store = EmbeddedStore.open(found)
        try:
            home = _Directory(found, open_embedder())
            return _task_of_kg(home, store, store.snapshot, questions, max_hops)
        finally:
            store.close_now()
    snapshot = kg.snapshot()
    if snapshot is None:
        raise UsageError("paths are walked on adjacency arrays, and this KG has none at hand: make a snapshot of it")
    return _task_of_kg(kg, kg.store, snapshot, questions, max_hops)


def _task_of_kg(
    home: TablesHome, store: GraphStore, snapshot: Snapshot, questions: Path | str | None, max_hops: int
) -> PathTask:
    tables = PathTables(home, snapshot, _waited(store.fingerprint()), lambda *_: None)
    if questions is None:
        examples = _random_walks(tables, max_hops)
    else:
        examples = _waited(make_examples(store, read_questions(Path(questions)), _numbers(snapshot)))
    contexts = tables.contexts(examples.texts)
    labels = snapshot.names(np.arange(snapshot.entities))
    return PathTask(
        tables.graph, tables.features.text, PathRewards.of(tables.features), examples.pairs, examples.question,
        contexts, labels, snapshot.relation_names,
    )  # fmt: skip


def _random_walks(tables: PathTables, max_hops: int) -> PairExamples:
    """Ends of random walks from random entities, and the relations walked as a question; always the same ones."""
    graph, random = tables.graph, np.random.default_rng(0)
    starts = np.flatnonzero(graph.degrees)
    if not len(starts):
        raise BadInputError("no entity of this KG has a neighbor: there is nothing to walk")
    names = [relation_words(name) for name in tables.snapshot.relation_names]
    pairs, texts = list[tuple[int, int]](), list[str]()
    for start in random.choice(starts, _WALKED).tolist():
        entity, walked = start, list[str]()
        for _ in range(int(random.integers(1, max_hops + 1))):
            place = graph.indptr[entity] + random.integers(graph.degrees[entity])
            codes = graph.codes[graph.code_bounds[place] : graph.code_bounds[place + 1]]
            walked.append(names[int(random.choice(codes)) % graph.relations])
            entity = int(graph.neighbors[place])
        if entity != start:
            pairs.append((start, entity))
            texts.append(" ".join(walked))
    if not pairs:
        raise BadInputError("no random walk in this KG leads anywhere else: there is nothing to walk")
    return PairExamples(np.array(pairs), np.arange(len(pairs)), texts)


def _waited(work: Coroutine[Any, Any, _T]) -> _T:
    """What a coroutine gives, also for a caller that is in an event loop (a notebook)."""
    with ThreadPoolExecutor(1) as beside:
        return beside.submit(asyncio.run, work).result()


def task_of(
    tables: PathTables, examples: PairExamples, contexts: Floats, mapping: Floats, weights: RewardWeights
) -> PathTask:
    """The pairs to learn from, and again each question's sources with the targets of others, more often if few.

    A policy that has seen only its questions' own pairs connects fewer of those that it has not seen.
    """
    random = np.random.default_rng(0)
    rows = np.sort(random.permutation(len(examples.pairs))[:_ENOUGH])
    pairs, question = [examples.pairs[rows]], [examples.question[rows]]
    for _ in range(min(_TIMES, max(1, _ENOUGH // len(rows)))):
        mixed = np.column_stack((pairs[0][:, 0], random.permutation(pairs[0][:, 1])))
        kept = mixed[:, 0] != mixed[:, 1]
        pairs.append(mixed[kept])
        question.append(question[0][kept])
    rewards = PathRewards.of(tables.features, mapping, weights)
    together = np.concatenate(pairs), np.concatenate(question)
    return PathTask(tables.graph, tables.features.text, rewards, *together, contexts)


def _keep(base: KnowledgeBase, learned: PathPolicy) -> None:
    """Write the policy, register its files, and remove the checkpoint."""
    folder: Path = base.path / FOLDER
    keep(base.path, lambda: [*save_policy(folder, learned, base.embedder), folder / CURVE])
    (folder / CHECKPOINT).unlink(missing_ok=True)
