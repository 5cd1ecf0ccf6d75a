"""Remembered vectors: nothing is computed twice, a damaged file costs only time."""

import logging
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from trivium.kg.embedders import CachedEmbedder, FloatArray, additive
from trivium.kg.embedders.opening import HashingEmbedder


class Counting(HashingEmbedder):
    """A hashing embedder that remembers what it was asked."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__(32, seed)
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> FloatArray:
        self.asked.extend(texts)
        return super().embed(texts)


def test_each_text_is_computed_once() -> None:
    inner = Counting()
    cached = CachedEmbedder(inner)
    vectors = cached.embed(["a", "b", "a"])
    np.testing.assert_array_equal(vectors, Counting().embed(["a", "b", "a"]))
    np.testing.assert_array_equal(cached.embed(["b", "c"])[0], vectors[1])
    assert inner.asked == ["a", "b", "c"]
    assert cached.embed([]).shape == (0, 32)
    assert (cached.name, cached.dimensions, cached.fingerprint) == (inner.name, 32, inner.fingerprint)
    assert additive(cached) is inner


def test_memory_is_bounded_and_the_unused_go_first() -> None:
    inner = Counting()
    cached = CachedEmbedder(inner, max_bytes=2 * (200 + 160 + 1 + 4 * 32))
    cached.embed(["a", "b"])
    cached.embed(["a"])
    cached.embed(["c"])
    inner.asked.clear()
    cached.embed(["a", "c"])
    assert inner.asked == []
    cached.embed(["b"])
    assert inner.asked == ["b"]
    assert cached.embed(["p", "q", "r", "s"]).shape == (4, 32)


def test_the_next_start_needs_no_model(tmp_path: Path) -> None:
    first = CachedEmbedder(Counting(), tmp_path / "v.npz")
    vectors = first.embed(["a", "七", ""])
    first.save()
    inner = Counting()
    second = CachedEmbedder(inner, tmp_path / "v.npz")
    np.testing.assert_array_equal(second.embed(["", "七", "a"]), vectors[::-1])
    assert inner.asked == []
    before = (tmp_path / "v.npz").stat().st_mtime_ns
    second.save()
    assert (tmp_path / "v.npz").stat().st_mtime_ns == before, "nothing new, nothing written"


def test_two_processes_keep_what_both_saved(tmp_path: Path) -> None:
    one, two = (CachedEmbedder(Counting(), tmp_path / "v.npz") for _ in range(2))
    one.embed(["a"])
    two.embed(["b"])
    one.save()
    two.save()
    inner = Counting()
    CachedEmbedder(inner, tmp_path / "v.npz").embed(["a", "b"])
    assert inner.asked == []
    assert [path.name for path in tmp_path.iterdir()] == ["v.npz"]


def test_another_embedders_file_is_dropped(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    first = CachedEmbedder(Counting(1), tmp_path / "v.npz")
    first.embed(["a"])
    first.save()
    second = CachedEmbedder(Counting(2), tmp_path / "v.npz")
    with caplog.at_level(logging.WARNING, "trivium.kg"):
        np.testing.assert_array_equal(second.embed(["a"]), Counting(2).embed(["a"]))
    assert "another embedder" in caplog.text


@pytest.mark.parametrize("where", [0, 3, 200, 600, 2500, -3])
def test_a_damaged_file_is_dropped_and_said_so(tmp_path: Path, caplog: pytest.LogCaptureFixture, where: int) -> None:
    path = tmp_path / "v.npz"
    first = CachedEmbedder(Counting(), path)
    vectors = first.embed([f"text {i}" for i in range(40)])
    first.save()
    data = bytearray(path.read_bytes())
    data[where] ^= 0xFF
    for damaged in (bytes(data), bytes(data[: len(data) // 2]), b""):
        path.write_bytes(damaged)
        caplog.clear()
        with caplog.at_level(logging.WARNING, "trivium.kg"):
            again = CachedEmbedder(Counting(), path).embed([f"text {i}" for i in range(40)])
        np.testing.assert_array_equal(again, vectors)
        assert "damaged" in caplog.text
