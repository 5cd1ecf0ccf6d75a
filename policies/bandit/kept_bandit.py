"""The bandit of a KG: statistics derived from its log, and brought up to date with what other processes added to it."""

from __future__ import annotations

from pathlib import Path
from threading import Lock
from typing import NamedTuple

import numpy as np

from trivium.policies.bandit.bandit_log import BanditLog, Given, Pull, Rewarded
from trivium.policies.bandit.prompt_bandit import ARMS, BanditChoice, BanditSettings, Floats, PromptBandit

FOLDER = "knowgpt"
"""The folder of a KG's directory in which the log is."""

_PLACES = {arm.name: place for place, arm in enumerate(ARMS)}


def space_of(embedder: str, model: str) -> str:
    """What pulls have in common that may be learnt from together: the embedder's fingerprint, and the chat model."""
    return f"{embedder} {model}"


class ArmReport(NamedTuple):
    """One arm in the dashboard: its pulls, the sum and the mean of its rewards (None: never pulled)."""

    arm: str
    pulls: int
    rewards: float
    mean: float | None


class BanditReport(NamedTuple):
    """The dashboard.

    Attributes:
        arms: in the order of `ARMS`.
        rounds: pieces of feedback.
        waiting: runs that were chosen for and have no feedback yet.
        regret: estimated: by how much the rewards would have been higher, summed over all pulls, had each been the arm
            of the largest expectation as known today.
        sources: pieces of feedback by who gave them.
    """

    arms: list[ArmReport]
    rounds: int
    waiting: int
    regret: float
    sources: dict[str, int]


class KeptBandit:
    """A bandit over the log of one KG; safe to share between threads.

    Contexts are vectors of one embedder, and rewards are earned with one chat model: pulls that were logged with others
    stay in the log and are not used.

    Args:
        log: the open log.
        space: names the embedder and the model (`space_of`).
        dimensions: their length.
        settings: how to learn and choose.
    """

    def __init__(self, log: BanditLog, space: str, dimensions: int, settings: BanditSettings) -> None:
        settings.check()
        self.log, self.space = log, space
        self._bandit = PromptBandit(dimensions, settings)
        self._seen = 0
        self._lock = Lock()

    @classmethod
    def open(cls, directory: Path, space: str, dimensions: int, settings: BanditSettings) -> KeptBandit:
        """The bandit of a KG's directory; raises as `BanditLog.open`, and `UsageError` for settings out of range."""
        return cls(BanditLog.open(directory / FOLDER), space, dimensions, settings)

    def choose(self, context: Floats, run: str = "") -> BanditChoice:
        """The arm for a context, float32 [d], by all feedback that was counted until now."""
        with self._lock:
            self._catch_up()
            return self._bandit.choose(context, run)

    def remember(self, run: str, arm: str, context: Floats) -> None:
        """Note that a run pulled this arm, so that feedback on the run reaches it; raises as `BanditLog.choose`."""
        self.log.choose(Pull(run, arm, self.space, context))

    def feedback(self, run: str, reward: float, source: str = "user") -> Given:
        """Count feedback on a run; raises as `BanditLog.give`."""
        return self.log.give(run, reward, source)

    def report(self) -> BanditReport:
        """The dashboard."""
        rows = self._usable(0)
        with self._lock:
            self._catch_up()
            bandit = self._bandit
            expected = [bandit.estimate(row.pull.context)[0] for row in rows]
            regret = sum(float(e.max() - e[_PLACES[row.pull.arm]]) for e, row in zip(expected, rows, strict=True))
            pairs = list(zip(bandit.arms, bandit.pulls.tolist(), bandit.rewards.tolist(), strict=True))
        sources: dict[str, int] = {}
        for row in rows:
            sources[row.source] = sources.get(row.source, 0) + 1
        arms = [ArmReport(arm.name, n, r, r / n if n else None) for arm, n, r in pairs]
        return BanditReport(arms, len(rows), self.log.waiting(), regret, sources)

    def _catch_up(self) -> None:
        """Take in what was counted since the last look; the first look takes the whole log at once."""
        rows = self._usable(self._seen, move=True)
        if not rows:
            return
        if self._bandit.rounds:
            for row in rows:
                self._bandit.update(_PLACES[row.pull.arm], row.pull.context, row.reward)
            return
        places = np.array([_PLACES[row.pull.arm] for row in rows], np.int64)
        contexts = np.stack([row.pull.context for row in rows])
        self._bandit.learn(places, contexts, np.array([row.reward for row in rows]))

    def _usable(self, seq: int, *, move: bool = False) -> list[Rewarded]:
        """The feedback after this number on our arms and our contexts; `move`: the next look starts behind it."""
        rows = self.log.since(seq)
        if move and rows:
            self._seen = rows[-1][0]
        return [
            row
            for _, row in rows
            if row.pull.space == self.space
            and row.pull.arm in _PLACES
            and len(row.pull.context) == self._bandit.dimensions
        ]
