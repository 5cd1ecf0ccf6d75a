"""What confidence is worth: shares above and below a threshold."""

from __future__ import annotations

from trivium.evals.sure import JudgedDecomposition, rows
from trivium.kg.loaders import read_questions
from trivium.kg.sample import FRESH_QUESTIONS
from trivium.nodes.keqing.context import KeqingContext


def test_shares_above_and_below() -> None:
    found = [
        JudgedDecomposition(0.9, False, True),
        JudgedDecomposition(0.9, True, True),
        JudgedDecomposition(0.4, False, False),
        JudgedDecomposition(0.4, False, True),
    ]
    low, high, none = rows(found, (0.0, 0.5, 0.95))
    assert (low.asked, low.right_above, low.right_below) == (0.25, 2 / 3, 1.0)
    assert (high.asked, high.right_above, high.right_below) == (0.75, 1.0, 2 / 3)
    assert (none.asked, none.right_above, none.right_below) == (1.0, 1.0, 0.75)


def test_the_default_is_a_confidence() -> None:
    assert 0.5 < KeqingContext().sure < 1
    assert len(read_questions(FRESH_QUESTIONS)) >= 40
