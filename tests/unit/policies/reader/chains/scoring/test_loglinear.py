"""The slot model: planted relations come back, unseen chains are put together from parts, gradients are right."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from trivium.kg.types import Hop, LogicalChain
from trivium.policies.reader.chains.scoring.loglinear import (
    SlotModel,
    SlotSettings,
    _LogLinearTraining,
    train_slot_model,
)
from trivium.policies.reader.chains.wording import Encoded

HOPS = tuple(Hop(name, inverse) for name in "abc" for inverse in (False, True))
BUCKETS = 64
DENSE = 3
SETTINGS = SlotSettings(batch_size=16, epochs=60, seed=3)


def _wording(chain: LogicalChain, noise: int) -> Encoded:
    """As a question has it: words for each hop, words for the place of each, and words that mean nothing."""
    ids = {0, 40 + noise % 20}
    for place, hop in enumerate(chain):
        code = HOPS.index(hop)
        ids |= {1 + code, 8 + 8 * place + code}
    ids.add(32 + len(chain))
    return Encoded(np.array(sorted(ids), dtype=np.int64), np.zeros(DENSE, dtype=np.float32))


def _lesson(chains: list[LogicalChain], copies: int = 4) -> tuple[list[Encoded], list[LogicalChain]]:
    repeated = [chain for chain in chains for _ in range(copies)]
    return [_wording(chain, number) for number, chain in enumerate(repeated)], repeated


def _train(chains: list[LogicalChain], settings: SlotSettings = SETTINGS) -> SlotModel:
    wordings, repeated = _lesson(chains)
    return train_slot_model(wordings, repeated, [1.0] * len(repeated), BUCKETS, settings, lambda *_: None)


def _best(model: SlotModel, encoded: Encoded) -> LogicalChain:
    """The chain that all slots together speak for, of all there are."""
    scores = model.scores(encoded)
    number = {hop: place for place, hop in enumerate(model.hops)}

    def score(chain: LogicalChain) -> float:
        codes = [number[hop] for hop in chain] + [len(number)] * (model.max_hops - len(chain))
        positions = sum(float(scores.positions[place, code]) for place, code in enumerate(codes))
        return positions + float(scores.last[number[chain[-1]]]) + float(scores.length[len(chain) - 1])

    every = [itertools.product(model.hops, repeat=length) for length in range(1, model.max_hops + 1)]
    return max(itertools.chain.from_iterable(every), key=score)


CHAINS: list[LogicalChain] = [(a,) for a in HOPS] + list(itertools.product(HOPS, HOPS))


def test_planted_relations_are_recovered() -> None:
    model = _train(CHAINS)
    assert (model.hops, model.max_hops) == (tuple(sorted(HOPS)), 2)
    wrong = [chain for number, chain in enumerate(CHAINS) if _best(model, _wording(chain, 7 * number)) != chain]
    assert wrong == []


def test_chains_never_seen_as_a_whole_are_put_together_from_parts() -> None:
    two = CHAINS[len(HOPS) :]
    held = [two[place] for place in np.random.default_rng(1).permutation(len(two))[:8]]
    model = _train([chain for chain in CHAINS if chain not in held], replace(SETTINGS, feature_dropout=0.0))
    right = [chain for chain in held if _best(model, _wording(chain, 5)) == chain]
    assert len(held) == 8
    assert len(right) >= 7, "one class a chain would know none of them"


def test_scores_are_log_probabilities() -> None:
    scores = _train(CHAINS[:10]).scores(_wording(CHAINS[1], 0))
    for part in scores:
        np.testing.assert_allclose(np.exp(part).sum(axis=-1), 1, rtol=1e-5)
    hops = len({hop for chain in CHAINS[:10] for hop in chain})
    assert [part.shape for part in scores] == [(2, hops + 1), (hops,), (2,)]


def test_the_same_seed_gives_the_same_weights() -> None:
    one, same = _train(CHAINS[:8]), _train(CHAINS[:8])
    other = _train(CHAINS[:8], replace(SETTINGS, seed=4))
    np.testing.assert_array_equal(one.sparse, same.sparse)
    np.testing.assert_array_equal(one.dense, same.dense)
    assert np.abs(one.sparse - other.sparse).max() > 1e-3


def test_weights_decide_between_contradicting_pairs() -> None:
    encoded = _wording((HOPS[0],), 0)
    chains: list[LogicalChain] = [(HOPS[0],), (HOPS[2],)]
    for weights, winner in (([9.0, 1.0], HOPS[0]), ([1.0, 9.0], HOPS[2])):
        model = train_slot_model([encoded, encoded], chains, weights, BUCKETS, SETTINGS, lambda *_: None)
        assert _best(model, encoded) == (winner,)
        assert model.max_hops == 1


def test_progress_counts_the_epochs_and_nothing_to_learn_is_refused() -> None:
    told: list[tuple[int, int]] = []
    wordings, chains = _lesson(CHAINS[:3])
    few = SlotSettings(epochs=5)
    train_slot_model(wordings, chains, [1.0] * len(chains), BUCKETS, few, lambda done, of: told.append((done, of)))
    assert told == [(epoch, 5) for epoch in range(1, 6)]
    with pytest.raises(ValueError, match="no wording"):
        train_slot_model([], [], [], BUCKETS, few, lambda *_: None)


def test_the_gradient_of_the_loss_by_finite_differences() -> None:
    random = np.random.default_rng(1)
    chains: list[LogicalChain] = [CHAINS[0], CHAINS[10], CHAINS[23]]
    wordings = [Encoded(_wording(chain, 0).ids, random.normal(size=DENSE).astype(np.float32)) for chain in chains]
    importance = np.array([1.0, 2.0, 0.5], np.float32)
    hops = tuple(sorted({hop for chain in chains for hop in chain}))
    targets = np.array(
        [
            [*(hops.index(h) for h in chain), *[len(hops)] * (2 - len(chain)), hops.index(chain[-1]), len(chain) - 1]
            for chain in chains
        ]
    )
    plain = SlotSettings(feature_dropout=0, dense_dropout=0)
    training = _LogLinearTraining(wordings, targets, importance, len(hops), plain)
    weights = random.normal(scale=0.3, size=(BUCKETS + DENSE, training.columns.total)).astype(np.float32)
    everything = np.arange(len(chains))
    rows, features = training._features(everything, BUCKETS)
    gradient = features.T @ training._loss_gradient(features @ weights[rows], everything)

    def loss(at: np.ndarray[tuple[int, int], np.dtype[np.float32]]) -> float:
        model, total = SlotModel(hops, 2, at[:BUCKETS], at[BUCKETS:]), 0.0
        for encoded, row, share in zip(wordings, targets, importance / importance.mean(), strict=True):
            scores = model.scores(encoded)
            slots = [scores.positions[k, code] for k, code in enumerate(row[:2])]
            total -= float(share) * float(sum(slots) + scores.last[row[2]] + scores.length[row[3]])
        return total / len(chains)

    places = [(int(random.integers(len(rows))), int(random.integers(weights.shape[1]))) for _ in range(40)]
    for at, column in places:
        place = int(rows[at]), column
        up, down = weights.copy(), weights.copy()
        up[place] += 0.01
        down[place] -= 0.01
        assert (loss(up) - loss(down)) / 0.02 == pytest.approx(float(gradient[at, column]), abs=2e-3)
    assert np.abs(gradient).max() > 0.05


def test_decay_draws_weights_to_nothing() -> None:
    free, drawn = (_train(CHAINS, replace(SETTINGS, epochs=10, weight_decay=decay)) for decay in (0.0, 0.02))
    assert np.abs(drawn.sparse).sum() < np.abs(free.sparse).sum() / 2
