"""A simulation from KnowGPT's table 8: does the bandit learn which prompt suits which type of question?

    trivium eval knowgpt-table8 [--rounds 3000] [--seeds 20] [--plot CURVE.png] [--all] [--blind] [--bandit paper]

The table's figures go in as the arms' true chances; no model is asked, so nothing here reproduces the table.
Three types of questions in equal shares, six arms. A format is right as often as table 8 says; with P_sub in place of
P_RL less often, by table 3's mean ratio of the two. The type shows in nothing but the embedding of the questions in
`evals/question_types/`, written for this: every second one is drawn in the rounds, the others are asked at the end,
greedily. Exit status 1 where a goal is missed; `--blind` deals the questions out anew among the types, and has to miss.

The bandit sees each question's context vector and the outcome of the arm that it pulled, nothing else.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray

from trivium.evals.paper_tables import paper
from trivium.kg.embedders import Embedder, open_embedder
from trivium.nodes.run.operator import own_runs
from trivium.policies.bandit.bandit import (
    ARMS,
    BanditSettings,
    Floats,
    PromptBandit,
    arm_named,
    bandit_settings,
    question_context,
)


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


TYPES = ("simple", "multi_hop", "graph_reasoning")
ABOVE_FIXED, BELOW_ORACLE = 0.04, 0.03
"""The goals: at least so far above the best fixed arm, at most so far below the oracle."""
_FOLDER = Path(__file__).with_name("question_types")
_COMPARED: tuple[Name, ...] = ("linucb", "thompson", "epsilon_greedy", "greedy", "fixed")


def questions(kind: str) -> list[str]:
    """The questions of a type, as written."""
    return (_FOLDER / f"{kind}.txt").read_text(encoding="utf-8").split("\n")[:-1]


def chances() -> NDArray[np.float64]:
    """How often each arm is right on each type, float64 [3, K]: table 8, P_sub scaled by table 3.

    An arm whose format the table has no figures for is never right.
    """
    results = paper("knowgpt")["results"]
    formats = results["question_types"]["rows"]
    extraction = results["extraction"]["rows"]
    ratio = float(np.mean(np.array(extraction["P_sub"]) / np.array(extraction["P_RL"])))
    never = [0.0] * len(TYPES)
    columns = [np.array(formats.get(arm.form, never)) * (1.0 if arm.extraction == "rl" else ratio) for arm in ARMS]
    return np.stack(columns, axis=1)


def workload(embedder: Embedder, *, as_written: bool = False) -> Workload:
    """The shipped questions by this embedder: places 0, 2, ... of each type to learn from, the others held out.

    `as_written`: contexts are the questions' own embeddings, as in the paper.
    """

    def context(text: str) -> Floats:
        return question_context(embedder, text, as_written=as_written)

    contexts = [np.stack([context(text) for text in questions(kind)]) for kind in TYPES]
    return Workload([rows[0::2] for rows in contexts], [rows[1::2] for rows in contexts], chances())


def shortfalls(given: Workload, accuracy: float) -> list[str]:
    """What an accuracy misses of the goals, in words; empty where it reaches both."""
    _, fixed = given.best_fixed
    found = []
    if accuracy < fixed + ABOVE_FIXED:
        found.append(f"{100 * (accuracy - fixed):.2f} points above the best fixed arm, wanted {100 * ABOVE_FIXED:g}")
    if accuracy < given.oracle - BELOW_ORACLE:
        found.append(f"{100 * (given.oracle - accuracy):.2f} points below the oracle, at most {100 * BELOW_ORACLE:g}")
    return found


def row(name: str, runs: Sequence[Replay]) -> str:
    """A line of the report: mean and spread of the accuracy in percent, the mean regret at the end."""
    accuracy = [100 * run.accuracy for run in runs]
    regret = float(np.mean([run.regret[-1] for run in runs]))
    return f"{name:16} {np.mean(accuracy):8.2f} {np.std(accuracy):6.2f} {min(accuracy):8.2f} {regret:9.1f}"


def plot(path: Path, runs: dict[str, list[Replay]]) -> None:
    """The mean regret of each policy over the rounds, with the band of all seeds; needs the extra `plot`."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.2), layout="constrained")
    axes = figure.subplots()
    for name, done in runs.items():
        curves = np.stack([run.regret for run in done])
        (line,) = axes.plot(curves.mean(axis=0), label=name)
        axes.fill_between(
            np.arange(curves.shape[1]), curves.min(axis=0), curves.max(axis=0), color=line.get_color(), alpha=0.15
        )
    axes.set(xlabel="round", ylabel="expected right answers lost", title="Simulation from table 8: regret")
    axes.legend()
    figure.savefig(path)


def report(
    given: Workload, settings: BanditSettings, policies: Sequence[Name], rounds: int, seeds: int
) -> dict[str, list[Replay]]:
    """Replay each policy with each seed, printing a line for each."""
    name, fixed = given.best_fixed
    print(f"{'policy':16} {'held out':>8} {'sd':>6} {'worst':>8} {'regret':>9}")
    runs: dict[str, list[Replay]] = {}
    for policy in policies:
        chooser = Chooser(policy, arm=name)
        runs[policy] = [replay(given, settings, chooser, rounds, seed) for seed in range(seeds)]
        if policy != "fixed":  # its greedy choice is no fixed arm; the line below says what it earns
            print(row(policy, runs[policy]), flush=True)
    print(f"{'best fixed arm':16} {100 * fixed:8.2f}  ({name})\n{'oracle':16} {100 * given.oracle:8.2f}")
    return runs


@own_runs()
def main(arguments: Sequence[str] | None = None) -> int:
    """Print the report; 1 where the bandit misses a goal."""
    parser = argparse.ArgumentParser(prog="trivium eval knowgpt-table8", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3_000)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--embedder", default="static")
    parser.add_argument("--all", action="store_true", help="the other policies as well")
    parser.add_argument("--blind", action="store_true", help="deal the questions out anew among the types")
    parser.add_argument(
        "--bandit", choices=("linucb", "paper"), default="linucb", help="paper: equations 6-8 as written"
    )
    parser.add_argument("--lambda", dest="regularization", type=float, help="of equation 7")
    parser.add_argument("--plot", type=Path, help="where the regret curves go, .png or .svg")
    asked = parser.parse_args(arguments)
    settings = bandit_settings(asked.bandit, regularization=asked.regularization)
    settings.check()
    given = workload(open_embedder(asked.embedder), as_written=settings.as_written)
    if asked.blind:
        given = given.blind()
    policies = _COMPARED if asked.all or asked.plot else _COMPARED[:1]
    runs = report(given, settings, policies, asked.rounds, asked.seeds)
    if asked.plot:
        plot(asked.plot, runs)
    short = shortfalls(given, float(np.mean([run.accuracy for run in runs["linucb"]])))
    print("ok" if not short else "\n".join(f"SHORT: {line}" for line in short))
    return int(bool(short))
