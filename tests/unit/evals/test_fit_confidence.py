"""Fitting how sure an answer is: on answers whose right ones are known, judged on graphs left out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from trivium.evals.fit_confidence import SET, FitExample, fit, held_out, sure
from trivium.evals.small_graphs import PARTS, READ
from trivium.policies.confidence.model import PLAN_WEIGHTS, TAUGHT_PLAN_WEIGHTS
from trivium.policies.confidence.signals import AnswerSignals


def _answers(count: int = 6000) -> list[FitExample]:
    """Plans that are wrong where they leave words unread, right where their readings agree."""
    random = np.random.default_rng(3)
    out = []
    for number in range(count):
        unread, vote = float(random.integers(0, 3)), float(random.uniform())
        right = bool(random.uniform() < 1 / (1 + np.exp(-(4 * vote - 2 * unread))))
        out.append(
            FitExample(
                f"g{number % 20}", right or number % 3 > 0, right, AnswerSignals(plan=1, unread=unread, vote=vote)
            )
        )
    return out


def test_signals_that_tell_right_from_wrong_get_their_weight() -> None:
    weights = fit(_answers(), {"unread": 0.0, "vote": 0.0, "lacks": -3.0, "bias": 0.0})
    assert weights["unread"] < -0.5 < 0.5 < weights["vote"]
    assert weights["lacks"] == -3.0  # set: no answer has it
    assert list(weights) == ["unread", "vote", "lacks", "bias"]


def test_on_new_graphs_answers_are_less_sure_than_on_those_that_were_read() -> None:
    done = _answers()
    by = sure(fit(done, {"unread": 0.0, "vote": 0.0, "bias": 0.0}), done)
    right = np.mean([each.right for each in done])
    assert right - 0.2 < np.mean(by) < right - 0.03


def test_each_answer_is_judged_by_weights_of_other_graphs() -> None:
    prior = {"unread": 0.0, "vote": 0.0, "bias": 0.0}
    done = _answers()
    by = held_out(done, prior)
    own = sure(fit(done, prior), done)
    assert max(abs(a - b) for a, b in zip(by, own, strict=True)) < 0.2
    assert by != own
    turned = [replace(each, right=each.right ^ (each.graph == "g0")) for each in done]
    assert held_out(turned, prior)[::20] == pytest.approx(by[::20])  # g0 has no say in what is thought of it
    assert held_out(turned, prior)[1::20] != pytest.approx(by[1::20])
    assert all(0 < value < 1 for value in by)


def test_the_weights_in_use_have_the_signals_that_are_fitted() -> None:
    assert list(PLAN_WEIGHTS) == [*(name for name in TAUGHT_PLAN_WEIGHTS if name != "bias"), "bias"]
    assert all(PLAN_WEIGHTS[name] == TAUGHT_PLAN_WEIGHTS[name] for name in SET)
    assert set(READ) < set(PARTS)
    assert {"dev6", "dev11", "test", "test9"}.isdisjoint(READ)
