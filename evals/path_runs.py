"""Path policies trained for the table: warm start alone, REINFORCE alone, both, with several seeds.

`no-X` is the warm start without one of the additions to the paper's state (P3 and P4 of docs/deviations.md): the
relation that leads to a neighbor, the neighbor's own text, its log degree, or all of structure.

Pairs, W and demonstrations are made once for all runs. Each run has a folder of its own with its checkpoint and its
curve: a run that was cut goes on, one that is done is read. `both` sets out from `warm`, so it costs REINFORCE alone.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from trivium.policies.paths.features import Structure
from trivium.policies.paths.graph import Floats
from trivium.policies.paths.learn import TrainingSet
from trivium.policies.paths.policy import PathInputs, PathModel
from trivium.policies.paths.train import PolicySettings, TrainedPolicy, train_policy

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
