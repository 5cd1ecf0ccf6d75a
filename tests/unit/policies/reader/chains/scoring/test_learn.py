"""Which mix held-out pairs choose, and whether what was learned is used."""

from __future__ import annotations

import numpy as np
import pytest

from trivium.policies.reader.chains.scoring.learn import surest


@pytest.mark.parametrize(
    ("won", "lost", "pairs", "used"),
    [
        (2, 1, 17, False),  # one more is chance
        (3, 0, 17, True),
        (30, 10, 300, True),
        (0, 0, 17, True),  # all the same
        (0, 1, 300, False),
    ],
)
def test_a_gain_within_its_standard_error_is_not_believed(won: int, lost: int, pairs: int, used: bool) -> None:
    before = np.array([0.0] * won + [1.0] * (pairs - won))
    after = np.array([1.0] * won + [0.0] * lost + [1.0] * (pairs - won - lost))
    assert surest(before, after[None]) == (0, used)


def test_the_surer_of_two_gains_is_chosen() -> None:
    before = np.zeros(10)
    chance = np.array([1.0, 1, 1, 1, -1, 0, 0, 0, 0, 0])
    steady = np.full(10, 0.25)
    assert surest(before, np.array([chance, steady])) == (1, True)
