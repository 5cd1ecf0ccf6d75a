"""What is remembered is bounded in bytes, whatever the keys are."""

from __future__ import annotations

import numpy as np

from trivium.kg.memory import Memory, size_of


def _memory(limit: int) -> Memory[str, bytes]:
    return Memory(limit, lambda key, value: len(key) + len(value))


def test_the_ones_unused_for_longest_go_first() -> None:
    memory = _memory(3 * 210)
    for key in "abc":
        memory.put(key, b"123456789")
    assert memory.get("a") == b"123456789"
    memory.put("d", b"123456789")
    assert [key for key in "abcd" if memory.get(key)] == ["a", "c", "d"]
    assert memory.bytes == 630


def test_many_long_keys_stay_within_the_bytes() -> None:
    memory = _memory(100_000)
    for number in range(1_000):
        memory.put(f"{number} {'made up ' * 100}", b"x")
    assert 50_000 < memory.bytes <= 100_000
    assert len(memory) < 100
    memory.clear()
    assert (len(memory), memory.bytes, memory.get("0")) == (0, 0, None)


def test_what_is_larger_than_the_limit_is_not_remembered_and_a_key_counts_once() -> None:
    memory = _memory(1_000)
    memory.put("small", b"x")
    memory.put("large", b"x" * 2_000)
    assert (memory.get("large"), memory.get("small")) == (None, b"x")
    for _ in range(5):
        memory.put("small", b"xyz")
    assert memory.bytes == 208
    memory.put("small", b"x" * 2_000)
    assert (memory.get("small"), memory.bytes) == (None, 0)


def test_a_size_counts_all_that_a_value_holds() -> None:
    array = np.zeros(1_000, np.float32)
    assert 4_000 < size_of(array) < 4_200
    assert size_of(array[:500]) < size_of(array), "a view counts what it shows"
    nested = {"key": [("a" * 1_000, array)], "more": frozenset({b"b" * 1_000})}
    assert 6_000 < size_of(nested) < 7_500
    memory = Memory[str, object](10_000)
    for number in range(10):
        memory.put(str(number), nested)
    assert len(memory) == 1
