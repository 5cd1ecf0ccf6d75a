"""One number from an answer's signals."""

from __future__ import annotations

import math

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
