"""Path policies trained for the table: warm start alone, REINFORCE alone, both, with several seeds.

Pairs, W and demonstrations are made once for all runs. Each run has a folder of its own with its checkpoint and its
curve: a run that was cut goes on, one that is done is read. `both` sets out from `warm`, so it costs REINFORCE alone.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from policies.path_model import PathModel
from policies.path_policy import PolicySettings, TrainedPolicy, train_policy
from policies.path_teaching import Course

VARIANTS = ("warm", "both", "reinforce")
_ALONE_RATE = 1e-3
"""Learning rate of REINFORCE that has no warm start to spoil: five times that of the second phase."""


@dataclass(frozen=True)
class Runs:
    """Which policies to train.

    Attributes:
        folder: where their checkpoints lie.
        variants: of `VARIANTS`.
        seeds: 0 to seeds - 1 of each.
        settings: of the whole training; REINFORCE alone takes as many steps as both phases together.
    """

    folder: Path
    variants: Sequence[str] = VARIANTS
    seeds: int = 1
    settings: PolicySettings = field(default_factory=PolicySettings)


class Run(NamedTuple):
    """A trained policy, and its measure on pairs held out of the training questions."""

    variant: str
    seed: int
    model: PathModel
    held_out: float


def train_runs(course: Course, runs: Runs) -> Iterator[Run]:
    """Train, or read where that is done, one variant after the other; minutes a run for ConceptNet on one core."""
    for variant in runs.variants:
        for seed in range(runs.seeds):
            settings = replace(runs.settings, seed=seed)
            trained = _TRAINED[variant](course, settings, runs.folder / str(seed))
            # As they are served: kept at half precision.
            kept = {k: a.astype(np.float16).astype(np.float32) for k, a in trained.parameters.items()}
            yield Run(variant, seed, PathModel(course.inputs, kept), trained.measure)


def _warm(course: Course, settings: PolicySettings, folder: Path) -> TrainedPolicy:
    settings = replace(settings, reinforce_steps=0)
    return train_policy(course.task, course.inputs, course.taught, settings, _Told(folder, "warm"), folder / "warm")


def _both(course: Course, settings: PolicySettings, folder: Path) -> TrainedPolicy:
    """The second phase from where the first one ended; its best step stands where it is better, as in one run."""
    warm = _warm(course, settings, folder)
    told, second = _Told(folder, "both"), replace(settings, warm_steps=0)
    both = train_policy(course.task, course.inputs, course.taught, second, told, folder / "both", start=warm.parameters)
    return both if both.measure > warm.measure else warm


def _reinforce(course: Course, settings: PolicySettings, folder: Path) -> TrainedPolicy:
    """The paper's way from parameters that are drawn: no demonstration is rehearsed."""
    steps = settings.warm_steps + settings.reinforce_steps
    alone = replace(settings, warm_steps=0, reinforce_steps=steps, reinforce_rate=_ALONE_RATE, rehearsal=0.0)
    told = _Told(folder, "reinforce")
    return train_policy(course.task, course.inputs, course.taught, alone, told, folder / "reinforce")


_TRAINED = {"warm": _warm, "both": _both, "reinforce": _reinforce}


@dataclass(frozen=True)
class _Told:
    """Progress on stderr, a line each 50 steps."""

    folder: Path
    variant: str

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        if done % 50 == 0 or done == total:
            print(f"seed {self.folder.name}, {self.variant}: {stage} {done} of {total}", file=sys.stderr, flush=True)
