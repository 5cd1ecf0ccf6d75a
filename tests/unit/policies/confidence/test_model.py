"""One number from an answer's signals."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from trivium.policies.confidence.model import DEFAULT, TRUSTED
from trivium.policies.confidence.signals import AnswerSignals


def _log_odds(confidence: float) -> float:
    return math.log(confidence / (1 - confidence))


@pytest.mark.parametrize("trust", [2.0, -2.0])
def test_held_out_pairs_have_their_share_in_a_plan_s_confidence(trust: float) -> None:
    alone = _log_odds(DEFAULT.confidence(AnswerSignals(plan=1.0, unread=2.0)))
    told = _log_odds(DEFAULT.confidence(AnswerSignals(plan=1.0, unread=2.0, trust=trust)))
    assert told == pytest.approx((1 - TRUSTED) * alone + TRUSTED * trust)


def test_they_say_nothing_of_chains() -> None:
    chains = AnswerSignals(share=0.9, trust=5.0)
    assert DEFAULT.confidence(chains) == DEFAULT.confidence(AnswerSignals(share=0.9))


@pytest.mark.parametrize(
    "said",
    [
        {"read": 1.0, "agrees": 1.0},
        {"read": 1.0, "agrees": 1.0, "strange": 1.0},
        {"read": 1.0, "ahead": 0.5},
        {"read": 1.0, "agrees": 1.0, "misfit": 1.0},
        {},
    ],
)
def test_whatever_a_plan_reader_says_chains_are_no_surer_than_at_most(said: dict[str, float]) -> None:
    alone = AnswerSignals(taught=1.0, share=0.9, strange=2.0, asked_for=1.0)
    kept = {"strange": 0.0, "asked_for": 0.0} if said else {}
    then = replace(alone, **{**kept, **said})
    assert DEFAULT.confidence(then) <= DEFAULT.most(alone)


def test_at_most_is_reached_where_the_plan_reader_agrees_and_reads_every_word() -> None:
    alone = AnswerSignals(taught=1.0, share=0.9, strange=1.0)
    agreed = AnswerSignals(taught=1.0, share=0.9, read=1.0, agrees=1.0)
    assert DEFAULT.most(alone) == DEFAULT.confidence(agreed) > DEFAULT.confidence(alone)
