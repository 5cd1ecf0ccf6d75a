"""The contextual bandit that chooses how a question is asked (KnowGPT, section 4.2, equations 5 to 8).

An arm is a way to extract knowledge and a format to write it in. Each arm has a ridge regression of the rewards it
earned on the questions' embeddings c: with the contexts of its pulls as rows of C and their rewards r,

    alpha = (C'C + lambda I)^-1 (C' (r - m) + lambda a)    expectation  m + c . alpha    (equations 6 and 7)
    bound = g sqrt(c (C'C + lambda I)^-1 c')               g = 1 + sqrt(ln(2 / delta) / 2)    (equation 8)

The paper has m = 0 and a = 0 (`as_written`): an arm that little is known of is expected to fail. By default m is the
mean reward of all arms, and a the same regression on all pulls of the arm's format, drawn to 0 (deviation B2): what is
known of an arm is drawn to what is known of its format, and that to what is usual. LinUCB pulls the arm with the
largest expectation + bound. `PromptBandit` is arithmetic in memory; `KeptBandit` derives it from a KG's log
(`trivium.policies.bandit.log`).
"""

from __future__ import annotations

import math
import string
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trivium.kg.embedders import Embedder
from trivium.kg.errors import UsageError
from trivium.policies.bandit.log import BanditLog, Pull, Rewarded

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Extraction = Literal["rl", "sub"]
"""`rl`: paths of the learned policy (P_RL, section 4.1); `sub`: the 2-hop subgraph (P_sub, appendix B.1)."""
Form = Literal["triples", "sentences", "graph"]
"""F_t, F_s, F_g: triples as they are, sentences, a description of the graph around its central entity."""
Policy = Literal["linucb", "greedy"]


class Arm(NamedTuple):
    """A way to extract and a format."""

    extraction: Extraction
    form: Form

    @property
    def name(self) -> str:
        """`extraction/form`, such as `rl/sentences`: how logs, settings and people name it."""
        return f"{self.extraction}/{self.form}"


# The order decides between arms that nothing is known of yet: the best of the paper's table 4 that costs no further
# model call comes first, its other extractions after it.
ARMS: tuple[Arm, ...] = (
    Arm("rl", "sentences"),
    Arm("rl", "triples"),
    Arm("rl", "graph"),
    Arm("sub", "sentences"),
    Arm("sub", "triples"),
    Arm("sub", "graph"),
)


def arm_named(name: str) -> Arm:
    """The arm `extraction/form`; raises `UsageError` where there is none."""
    for arm in ARMS:
        if arm.name == name:
            return arm
    raise UsageError(f"unknown arm {name!r}; there are {', '.join(arm.name for arm in ARMS)}")


@dataclass(frozen=True, slots=True)
class BanditSettings:
    """How the bandit learns and chooses. The paper names none of the values: all are ours (deviation B1)."""

    policy: Policy = "linucb"
    """`linucb` is the paper's; `greedy` takes the largest expectation and explores nothing."""
    regularization: float = 60.0
    """lambda of equation 7, > 0: how strongly an arm is drawn to its format."""
    format_regularization: float = 20.0
    """The same of a format's regression, > 0: how strongly it is drawn to the mean reward."""
    delta: float = 0.3
    """Of g in equation 8, in (0, 1]: the smaller, the longer every arm is explored."""
    discount: float = 1.0
    """What a pull weighs after one more piece of feedback, in (0, 1]; below 1 a model that drifts is followed."""
    as_written: bool = False
    """Equations 6 to 8 as the paper writes them: m = 0, a = 0, and c the question's own embedding."""

    @property
    def g(self) -> float:
        """How many widths the bound is: g of equation 8."""
        return 1 + math.sqrt(math.log(2 / self.delta) / 2)

    def check(self) -> None:
        """Raise `UsageError` for a value out of range."""
        for name in ("regularization", "format_regularization"):
            if not 0 < getattr(self, name) < math.inf:
                raise UsageError(f"{name} must be above 0, not {getattr(self, name)}")
        for name in ("delta", "discount"):
            if not 0 < getattr(self, name) <= 1:
                raise UsageError(f"{name} must be above 0 and at most 1, not {getattr(self, name)}")


PAPER_LAMBDA = 1.0
"""lambda of equation 7 where `bandit=paper` names none: the paper gives no value."""


def bandit_settings(
    name: Literal["linucb", "greedy", "paper"] = "linucb",
    *,
    discount: float = 1.0,
    regularization: float | None = None,
    delta: float = BanditSettings().delta,
) -> BanditSettings:
    """The settings of a bandit by name; without `regularization` the name's own lambda: 60, or 1 for `paper`."""
    if name == "paper":
        own = PAPER_LAMBDA if regularization is None else regularization
        return BanditSettings(regularization=own, delta=delta, discount=discount, as_written=True)
    own = BanditSettings().regularization if regularization is None else regularization
    return BanditSettings(name, regularization=own, delta=delta, discount=discount)


class ArmEstimate(NamedTuple):
    """The estimate of one arm for a question: expectation and bound of equations 6 to 8, pulls and mean reward."""

    arm: str
    expectation: float
    bound: float
    pulls: int
    mean: float | None


@dataclass(frozen=True, slots=True)
class BanditChoice:
    """A chosen arm, and why in words.

    Attributes:
        known: of each arm when it was chosen: expectation, bound, pulls and sum of rewards, float64 [4, K].
    """

    arm: Arm
    reason: str
    known: NDArray[np.float64]

    @property
    def estimates(self) -> list[ArmEstimate]:
        """What was known of every arm, in their order."""
        columns = zip(ARMS, *self.known.tolist(), strict=True)
        return [ArmEstimate(arm.name, e, b, int(n), r / n if n else None) for arm, e, b, n, r in columns]


class PromptBandit:
    """The statistics of all arms, and choices by them.

    Inverses are kept by Sherman and Morrison's step, O(d^2) an update. With a discount the weighted sums are kept
    instead and inverted when next needed, O(d^3): forgetting would take the regularization out of an inverse.

    Args:
        dimensions: d, the length of a context vector.
        settings: as given; not checked here.

    Attributes:
        rounds: pieces of feedback taken in.
        pulls: int64 [K]; rewards: float64 [K], the sums; K arms, those of `ARMS`.
    """

    def __init__(self, dimensions: int, settings: BanditSettings | None = None) -> None:
        self.settings = settings or BanditSettings()
        self.dimensions = dimensions
        self.rounds = 0
        count, forms = len(ARMS), list(dict.fromkeys(arm.form for arm in ARMS))
        self.pulls: Ints = np.zeros(count, np.int64)
        self.rewards = np.zeros(count)
        # Regressions 0 to K - 1 are the arms', the F after them the formats'; `_parents` names an arm's.
        self._parents = np.array([count + forms.index(arm.form) for arm in ARMS])
        own, drawn = self.settings.regularization, self.settings.format_regularization
        self._lambdas = np.array([own] * count + [drawn] * len(forms))
        shape = (count + len(forms), dimensions)
        self._inverse = np.eye(dimensions) / self._lambdas[:, None, None]
        # Regressions of the rewards and of a constant 1: with them a change of m needs no new regression.
        self._alphas = np.zeros((2, *shape))
        # Contexts weighted by rewards and by 1, float64 [2, K + F, d], and sums of outer products, [K + F, d, d].
        self._moments = np.zeros((2, *shape))
        self._grams = np.zeros((*shape, dimensions)) if self.settings.discount < 1 else None
        self._outdated = False

    @property
    def mean_reward(self) -> float:
        """The mean reward m of all arms, in [0, 1]; a half where nothing is known."""
        return float((self.rewards.sum() + 0.5) / (self.rounds + 1))

    def learn(self, arms: Ints, contexts: Floats, rewards: NDArray[np.float64]) -> None:
        """Take in a whole log at once, in its order: the same as `update` for each, by one inversion an arm.

        Args:
            arms: places in `ARMS`, int64 [n].
            contexts: float32 [n, d].
            rewards: float64 [n], each in [0, 1].

        Raises:
            ValueError: something was taken in before.
        """
        if self.rounds:
            raise ValueError("a log is learned by a new bandit")
        self.rounds = len(arms)
        self.pulls += np.bincount(arms, minlength=len(ARMS))
        self.rewards += np.bincount(arms, weights=rewards, minlength=len(ARMS))
        weights = self.settings.discount ** np.arange(self.rounds - 1, -1, -1.0)
        for place in range(len(self._lambdas)):
            own = (arms == place) | (self._parents[arms] == place)
            rows = contexts[own].astype(np.float64)
            weighted = rows * weights[own, None]
            self._moments[:, place] = weighted.T @ rewards[own], weighted.sum(axis=0)
            gram = weighted.T @ rows
            if self._grams is not None:
                self._grams[place] = gram
            self._invert(place, gram)

    def update(self, arm: int, context: Floats, reward: float) -> None:
        """Take in the reward, in [0, 1], of one pull of the arm at this place for a context, float32 [d]."""
        self.rounds += 1
        self.pulls[arm] += 1
        self.rewards[arm] += reward
        exact, seen = context.astype(np.float64), np.array((reward, 1.0))
        if self._grams is not None:
            self._grams *= self.settings.discount
            self._moments *= self.settings.discount
            self._outdated = True
        for place in (arm, int(self._parents[arm])):
            if self._grams is None:
                v = self._inverse[place] @ exact
                s = 1 + v @ exact
                self._alphas[:, place] += np.outer((seen - self._alphas[:, place] @ exact) / s, v)
                self._inverse[place] -= np.outer(v, v / s)
            else:
                self._grams[place] += np.outer(exact, exact)
                self._moments[:, place] += np.outer(seen, exact)

    def estimate(self, context: Floats) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Expectation and width sqrt(c (C'C + lambda I)^-1 c') of every arm for a context, float64 [K] each."""
        if self._outdated and self._grams is not None:
            for place, gram in enumerate(self._grams):
                self._invert(place, gram)
            self._outdated = False
        count, exact = len(ARMS), context.astype(np.float64)
        v = self._inverse[:count] @ exact
        width = np.sqrt(np.maximum(v @ exact, 0))
        if self.settings.as_written:
            return self._alphas[0, :count] @ exact, width
        # An arm's own part, c . alpha, and what it is drawn to: lambda v . a, a being its format's.
        drawn = (v * self._alphas[:, self._parents]).sum(axis=-1) * self.settings.regularization
        rewards, ones = self._alphas[:, :count] @ exact + drawn
        mean = self.mean_reward
        return mean + rewards - mean * ones, width

    def choose(self, context: Floats) -> BanditChoice:
        """The arm to pull for a context, float32 [d]: ties go to the first one."""
        expectation, width = self.estimate(context)
        bound = self.settings.g * width
        best = int(expectation.argmax())
        place = best if self.settings.policy == "greedy" else int((expectation + bound).argmax())
        if not self.rounds:
            reason = "nothing is known yet: the first arm in order"
        elif place == best:
            reason = "the largest expectation"
        else:
            reason = "little known for such questions: explored"
        return BanditChoice(ARMS[place], reason, np.array((expectation, bound, self.pulls, self.rewards)))

    def _invert(self, place: int, gram: NDArray[np.float64]) -> None:
        """Set the inverse and the alphas of one regression from its weighted sums, float64 [d, d] the first."""
        self._inverse[place] = np.linalg.inv(gram + self._lambdas[place] * np.eye(self.dimensions))
        self._alphas[:, place] = self._moments[:, place] @ self._inverse[place]


def question_context(embedder: Embedder, question: str, *, as_written: bool = False) -> Floats:
    """The mean of the words' unit vectors, made a unit vector: float32 [d]; all zeros for a text without words.

    `as_written`: the embedding of the whole question, as in the paper.

    The paper takes the question's embedding from a language model. Static vectors are made for what a text is about:
    their pooled vector hardly shows how it is asked, since words such as "which", "that" and "both" are short vectors
    there. With every word at the same length they speak as loudly as names do (deviation B3, measured there).
    """
    if as_written:
        return np.asarray(embedder.embed([question])[0], np.float32)
    words = [word for part in question.split() if (word := part.strip(string.punctuation))]
    if not words:
        return np.zeros(embedder.dimensions, np.float32)
    mean = embedder.embed(words).mean(axis=0)
    length = float(np.linalg.norm(mean))
    return np.asarray(mean / length if length else mean, np.float32)


FOLDER = "knowgpt"
"""The folder of a KG's directory in which the log is."""

_PLACES = {arm.name: place for place, arm in enumerate(ARMS)}


def space_of(embedder: str, model: str, *, as_written: bool = False) -> str:
    """What pulls have in common that may be learned from together: embedder, chat model, and the kind of context."""
    return f"{embedder} {model}{AS_WRITTEN if as_written else ''}"


AS_WRITTEN = " (bandit=paper)"
"""Follows the model's name where contexts are whole questions' embeddings."""


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

    def choose(self, context: Floats) -> BanditChoice:
        """The arm for a context, float32 [d], by all feedback that was counted until now."""
        with self._lock:
            self._catch_up()
            return self._bandit.choose(context)

    def remember(self, run: str, arm: str, context: Floats) -> None:
        """Note that a run pulled this arm, so that feedback on the run reaches it; raises as `BanditLog.choose`."""
        self.log.choose(Pull(run, arm, self.space, context))

    def report(self) -> BanditReport:
        """The dashboard."""
        rows = self._usable(0)
        with self._lock:
            self._catch_up()
            bandit = self._bandit
            expected = [bandit.estimate(row.pull.context)[0] for row in rows]
            regret = sum(float(e.max() - e[_PLACES[row.pull.arm]]) for e, row in zip(expected, rows, strict=True))
            pairs = list(zip(ARMS, bandit.pulls.tolist(), bandit.rewards.tolist(), strict=True))
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
