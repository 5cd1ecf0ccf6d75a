"""Table 8 as a replay: its chances, its questions, and that it tells a bandit that learns from one that cannot."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from trivium.evals.table8 import TYPES, Chooser, Name, Workload, main, questions, replay, shortfalls, workload
from trivium.kg.embedders import open_embedder
from trivium.policies.bandit.bandit import BanditSettings


@pytest.fixture(scope="module")
def given() -> Workload:
    return workload(open_embedder("static"))


def test_the_papers_figures(given: Workload) -> None:
    name, fixed = given.best_fixed
    assert name == "rl/graph"
    assert fixed == pytest.approx(0.7815, abs=1e-4)
    assert given.oracle == pytest.approx(0.8535, abs=1e-4)
    assert given.chances.shape == (3, 6)
    assert given.chances[0].max() == 0.9412


def test_the_questions_are_written_once_and_split_in_halves(given: Workload) -> None:
    texts = [text for kind in TYPES for text in questions(kind)]
    assert [word for word, count in Counter(texts).items() if count > 1] == []
    assert all(text == text.strip() and text.endswith("?") for text in texts)
    for kind, learn, held_out in zip(TYPES, given.learn, given.held_out, strict=True):
        assert len(questions(kind)) == len(learn) + len(held_out) >= 60
        assert abs(len(learn) - len(held_out)) <= 1


@pytest.mark.slow
def test_it_learns_from_the_questions_and_not_from_questions_dealt_out_anew(given: Workload) -> None:
    settings = BanditSettings()
    seen = np.mean([replay(given, settings, Chooser(), 1_500, seed).accuracy for seed in range(3)])
    blind = np.mean([replay(given.blind(), settings, Chooser(), 1_500, seed).accuracy for seed in range(3)])
    assert seen > given.best_fixed[1] + 0.01
    assert blind < given.best_fixed[1]
    assert len(shortfalls(given, float(blind))) == 2
    assert shortfalls(given, given.oracle) == []


def test_the_same_seed_plays_the_same_rounds_and_the_fixed_arm_earns_what_it_should(given: Workload) -> None:
    settings, fixed = BanditSettings(), Chooser("fixed", arm="rl/graph")
    one, two = replay(given, settings, fixed, 200, 3), replay(given, settings, fixed, 200, 3)
    assert one.regret.tolist() == two.regret.tolist()
    assert one.regret[-1] == pytest.approx(200 * (given.oracle - given.best_fixed[1]), rel=0.25)


def test_the_command_fails_where_a_goal_is_missed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    plot = tmp_path / "regret.svg"
    assert main(["--blind", "--rounds", "60", "--seeds", "1", "--plot", str(plot)]) == 1
    told = capsys.readouterr().out
    assert "SHORT" in told
    assert "oracle" in told
    assert plot.read_bytes().startswith(b"<?xml")


@pytest.mark.parametrize("name", ["thompson", "epsilon_greedy", "greedy"])
def test_rivals_learn_too_and_repeat_by_seed(given: Workload, name: Name) -> None:
    one, two = (replay(given, BanditSettings(), Chooser(name), 400, 1) for _ in range(2))
    assert one.regret.tolist() == two.regret.tolist()
    assert one.accuracy > float(given.chances.mean())
    assert one.regret[-1] < 400 * float((given.chances.max(axis=1, keepdims=True) - given.chances).mean())
