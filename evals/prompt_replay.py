"""Replaying a workload to a prompt bandit: questions whose arms' chances of a right answer are known.

The bandit sees each question's context vector and the outcome of the arm that it pulled, nothing else. What it would
do with questions that it has never seen is then scored greedily.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray

from trivium.policies.bandit.bandit import ARMS, BanditSettings, Floats, PromptBandit, arm_named


@dataclass(frozen=True)
class Workload:
    """Questions of several types, of equal share in each round.

    Attributes:
        learn: for each of T types the contexts of the questions that rounds draw from, float32 [n, d].
        held_out: the same of questions that no round shows.
        chances: float64 [T, K]: of each type's questions with each arm, the share that is answered right.
    """

    learn: list[Floats]
    held_out: list[Floats]
    chances: NDArray[np.float64]

    @property
    def best_fixed(self) -> tuple[str, float]:
        """The arm that is best for all types together, and its expected accuracy."""
        means = self.chances.mean(axis=0)
        return ARMS[int(means.argmax())].name, float(means.max())

    @property
    def oracle(self) -> float:
        """The expected accuracy of each type's best arm."""
        return float(self.chances.max(axis=1).mean())

    def blind(self, seed: int = 0) -> Self:
        """The same workload with the contexts dealt out anew among the types: nothing can be learned from them."""
        rng = np.random.default_rng(seed)

        def dealt(parts: list[Floats]) -> list[Floats]:
            rows = rng.permutation(np.concatenate(parts))
            return np.split(rows, np.cumsum([len(part) for part in parts])[:-1])

        return type(self)(dealt(self.learn), dealt(self.held_out), self.chances)


Name = Literal["linucb", "greedy", "epsilon_greedy", "thompson", "fixed"]


@dataclass(frozen=True, slots=True)
class Chooser:
    """Who chooses over the bandit's statistics: LinUCB, which is served, or a rival to compare it with.

    Attributes:
        name: `linucb`; `greedy` takes the largest expectation; `fixed` always pulls `arm`.
        epsilon: share of random pulls of `epsilon_greedy`, in [0, 1].
        scale: `thompson` draws each expectation with so many times its width as standard deviation.
        arm: of `fixed`.
    """

    name: Name = "linucb"
    epsilon: float = 0.1
    scale: float = 0.4
    arm: str = ARMS[0].name

    def choose(self, bandit: PromptBandit, context: Floats, random: np.random.Generator) -> int:
        """The place of the arm to pull for a context, float32 [d]; ties to the first one."""
        if self.name == "fixed":
            return ARMS.index(arm_named(self.arm))
        expectation, width = bandit.estimate(context)
        if self.name == "linucb":
            return int((expectation + bandit.settings.g * width).argmax())
        if self.name == "thompson":
            return int(random.normal(expectation, self.scale * width).argmax())
        if self.name == "epsilon_greedy" and random.random() < self.epsilon:
            return int(random.integers(len(ARMS)))
        return int(expectation.argmax())


@dataclass(frozen=True)
class Replay:
    """One replay: `accuracy`, greedy on the held-out questions, expected, in [0, 1]; `regret`, float64 [rounds].

    The regret after a round is the expected number of right answers that each type's best arm would have had more.
    """

    accuracy: float
    regret: NDArray[np.float64]


def replay(workload: Workload, settings: BanditSettings, chooser: Chooser, rounds: int, seed: int) -> Replay:
    """Play so many rounds, each a question of a random type, and score the bandit that comes out."""
    rng = np.random.default_rng(seed)
    bandit = PromptBandit(workload.learn[0].shape[1], settings)
    lost = np.zeros(rounds)
    for number in range(rounds):
        kind = int(rng.integers(len(workload.learn)))
        context = workload.learn[kind][rng.integers(len(workload.learn[kind]))]
        place = chooser.choose(bandit, context, np.random.default_rng([seed, number]))
        chances = workload.chances[kind]
        bandit.update(place, context, float(rng.random() < chances[place]))
        lost[number] = chances.max() - chances[place]
    return Replay(greedy_accuracy(workload, bandit), lost.cumsum())


def greedy_accuracy(workload: Workload, bandit: PromptBandit) -> float:
    """The expected accuracy on the held-out questions of the arms of largest expectation, in [0, 1]."""
    by_type = [
        np.mean([chances[int(bandit.estimate(context)[0].argmax())] for context in contexts])
        for contexts, chances in zip(workload.held_out, workload.chances, strict=True)
    ]
    return float(np.mean(by_type))
