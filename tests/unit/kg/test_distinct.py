"""Distinct values of integer arrays."""

from __future__ import annotations

import numpy as np
import pytest

from trivium.kg.distinct import sorted_distinct


@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.int64, np.uint64])
@pytest.mark.parametrize("values", [[], [3], [3, 3], [5, 1, 5, 0, 1], [[2, 1], [1, 2]]])
def test_it_gives_what_numpy_gives(dtype: type[np.integer], values: list[int]) -> None:
    given = np.array(values, dtype=dtype)
    found = sorted_distinct(given)
    assert found.tolist() == np.unique(given).tolist()
    assert found.dtype == dtype
    assert not np.shares_memory(found, given)
    assert given.tolist() == values
