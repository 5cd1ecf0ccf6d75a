"""Features: sentences pooled as appendix B.2 says, structure that tells near from far."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from tests.unit.policies.paths.worlds import from_triples, grid, random_graph, vectors
from trivium.kg.embedders import FloatArray, open_embedder, unit
from trivium.policies.paths.features import main_directions, make_features, pool_sentences, structure

LABELS = ["heat", "mann", "ali", "nobody"]
GRAPH = from_triples(np.array([0, 2]), np.array([0, 0]), np.array([1, 1]), 4, 1)


def _silent(*_: object) -> None:
    return None


class _Plain:
    """A hashing embedder that hides that its vectors add up."""

    def __init__(self) -> None:
        self._hashing = open_embedder("hashing")
        self.name, self.dimensions, self.fingerprint = "plain", self._hashing.dimensions, "plain"
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> FloatArray:
        self.asked += texts
        return self._hashing.embed(texts)


def test_an_entity_is_the_mean_of_its_sentences() -> None:
    embedder = open_embedder("hashing")
    pooled = pool_sentences(GRAPH, LABELS, ["directed by"], embedder, _silent)
    both = embedder.embed(["heat directed by mann", "ali directed by mann"])
    assert pooled[0] == pytest.approx(both[0], abs=1e-5)
    assert pooled[1] == pytest.approx(unit(both.mean(axis=0, keepdims=True))[0], abs=1e-5)
    assert pooled[3] == pytest.approx(embedder.embed(["nobody"])[0], abs=1e-5)


def test_any_embedder_reads_the_sentences_head_first() -> None:
    plain = _Plain()
    pooled = pool_sentences(GRAPH, LABELS, ["directed by"], plain, _silent)
    heat, ali = "heat directed by mann", "ali directed by mann"
    assert plain.asked == [heat, heat, ali, ali, "nobody"]
    assert pooled == pytest.approx(
        pool_sentences(GRAPH, LABELS, ["directed by"], open_embedder("hashing"), _silent), abs=1e-5
    )


def test_contexts_and_entities_share_a_space() -> None:
    embedder = open_embedder("hashing")
    made = make_features(GRAPH, LABELS, ["directed_by"], embedder, _silent)
    assert made.text.shape == (4, 128)
    contexts = unit(embedder.embed(["heat directed by mann", "nobody", ""]) @ made.basis)
    assert float(contexts[0] @ made.text[0]) == pytest.approx(1, abs=1e-3)
    assert float(contexts[1] @ made.text[3]) > float(contexts[1] @ made.text[0])
    assert not contexts[2].any()
    assert np.allclose(made.log_degree, np.log1p([1, 2, 1, 0]))


def test_main_directions_keep_what_they_can() -> None:
    low = vectors(50, 3) @ vectors(3, 40, seed=1)
    basis = main_directions(low, 8)
    assert basis.shape == (40, 8)
    assert (low @ basis) @ basis.T == pytest.approx(low, abs=1e-4)


def test_structure_tells_near_from_far() -> None:
    made = structure(grid(8), 16).walks
    assert np.linalg.norm(made, axis=1) == pytest.approx(np.ones(64), abs=1e-4)
    cosines = made @ made.T
    assert cosines[0, 1] > 0.3 + cosines[0, 63]
    assert np.array_equal(made, structure(grid(8), 16).walks)


def test_leaves_stand_where_their_neighbour_leads() -> None:
    """Two stars that are joined at their middles: leaves of one are alike, leaves of the other are not."""
    heads = np.array([0] * 5 + [1] * 5 + [0, 2, 3])
    tails = np.array([*range(4, 9), *range(9, 14), 1, 0, 1])
    made = structure(from_triples(heads, np.zeros_like(heads), tails, 15, 1), 4).walks
    assert made[4] @ made[8] == pytest.approx(1, abs=1e-4)
    assert made[4] @ made[9] < 0.9
    assert not made[14].any()  # an entity without a triple


def test_structure_of_graphs_that_have_none() -> None:
    none = np.zeros(0, np.int64)
    pair = from_triples(np.array([0]), np.array([0]), np.array([1]), 3, 1)
    assert not structure(pair).walks.any()
    assert structure(from_triples(none, none, none, 0, 0)).walks.shape == (0, 1)
    assert structure(random_graph()).walks.shape[1] < 128


def test_single_steps_tell_neighbours_from_those_who_share_one() -> None:
    world = grid(8)
    made = structure(world, 16, 64)
    assert (made.walks.shape[1], made.aim.shape[1], made.near.shape[1]) == (16, 64, 64)
    nearness = made.near @ made.aim.T  # in a grid every entity has two neighbors
    adjacent = world.around(np.arange(64))
    beside = nearness[adjacent.owner, adjacent.entity]
    assert beside.mean() > 0.3 + nearness[np.arange(62), np.arange(2, 64)].mean()
    assert beside.min() > nearness[0, 63]


def test_large_graphs_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = structure(grid(8), 16).walks
    monkeypatch.setattr("trivium.policies.paths.features._WALKS", 300)
    sampled = structure(grid(8), 16).walks
    assert not np.array_equal(sampled, whole)
    assert (sampled @ sampled.T)[0, 1] > (sampled @ sampled.T)[0, 63] + 0.3
