"""Which mix held-out pairs choose, and whether what was learned is used."""

from __future__ import annotations

import numpy as np
import pytest

from trivium.policies.reader.chains.scoring.learn import _Both, _calibrated, _doubt, chosen


@pytest.mark.parametrize(("won", "lost", "used"), [(2, 1, True), (0, 0, True), (1, 2, False)])
def test_what_loses_on_held_out_pairs_is_not_used(won: int, lost: int, used: bool) -> None:
    before = np.array([0.0] * won + [1.0] * (17 - won))
    after = np.array([1.0] * won + [0.0] * lost + [1.0] * (17 - won - lost))
    assert chosen(before, after[None]) == (0, used)


def test_the_best_mix_is_chosen_and_of_those_as_good_but_for_chance_the_first() -> None:
    before, some = np.zeros(20), np.array([1.0] * 5 + [0.0] * 15)
    more, one_more = np.array([1.0] * 9 + [0.0] * 11), np.array([1.0] * 6 + [0.0] * 14)
    assert chosen(before, np.array([some, more, more[::-1]])) == (1, True)
    assert chosen(before, np.array([some, one_more, some])) == (0, True)
    fewer = np.array([1.0] * 4 + [0.0] * 16)  # as good as the best but for chance, which is no loss
    assert chosen(some, np.array([fewer, some])) == (0, True)
    assert chosen(some, np.array([fewer, fewer])) == (0, False)


def test_few_pairs_move_what_sureness_means_a_little() -> None:
    assert _calibrated([]) == (1.0, 0.0)
    scale, shift = _calibrated([(0.5, 1.0)] * 3)  # nothing that tells sure from unsure: the scale stays
    assert scale == pytest.approx(1.0)
    assert 0 < shift < 1
    surer, _ = _calibrated([(0.9, 1.0), (0.1, 0.0)] * 50)
    assert surer > scale
    # Sure of all and wrong in a tenth: not to be believed to the last, whichever way; a fit that runs away was.
    scale, shift = _calibrated([(1.0, 1.0)] * 270 + [(1.0, 0.0)] * 30)
    assert 1 / (1 + np.exp(-(scale * 13.8 + shift))) == pytest.approx(0.85, abs=0.05)


def test_pairs_are_doubted_where_the_schema_alone_was_right_in_their_place() -> None:
    schema, pairs = _Both(0.8, 1.0, 0.8, 0.0), _Both(0.8, 0.0, 0.8, 1.0)
    assert _doubt([], 50) == pytest.approx(0.6)
    assert _doubt([schema._replace(taught_f1=1.0)] * 9, 50) == pytest.approx(0.6)  # both are as good
    assert _doubt([schema._replace(taught=0.1)] * 9, 50) < _doubt([schema] * 9, 50)  # it knew that it was wrong
    assert _doubt([schema] * 9, 50) > _doubt([schema], 50) > 0.6 > _doubt([pairs], 50) > _doubt([pairs] * 9, 50)
