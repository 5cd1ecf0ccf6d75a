"""A log-linear scorer of chains in numpy, where torch is not there to train the network.

One softmax a slot: the relation at each position (or none), the last relation, the number of hops. A relation's
weights are shared by all positions, and each position adds its own; so a chain never seen as a whole is put together
from parts that were. Its features are hashed word n-grams around the mask and static word vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from trivium.kg.embedders import Embedder
from trivium.kg.types import Hop, LogicalChain
from trivium.policies.reader.chains.decomposer import MASK
from trivium.policies.reader.chains.scoring.examples import ChainExample
from trivium.policies.reader.chains.scoring.network import Bools, ChainBeam, log_softmax
from trivium.policies.reader.chains.segment_model import SegmentModel
from trivium.policies.reader.chains.wording import Encoded, Encoder, Vocabulary, Wording

Floats = NDArray[np.float32]
Progress = Callable[[int, int], None]


NO_TOPIC = Hop("", False)
"""Stands for the chain of a name that is not a topic; the empty name is no relation's."""
_CELLS = 2_000_000  # of the sparse weights: 4 MB as float16
_BLOCK = 1 << 16  # weights moved at a time: five arrays of them stay in the processor's own cache
_NEVER = -30.0  # the log-probability of what the slots cannot say


class SlotScores(NamedTuple):
    """Log-probabilities of one wording over H hops and up to L positions.

    positions float32 [L, H + 1], the last column = no hop there; last float32 [H]; length float32 [L].
    """

    positions: Floats
    last: Floats
    length: Floats


@dataclass(frozen=True)
class SlotModel:
    """The trained weights: `sparse` float32 [buckets, C] and `dense` float32 [3 d, C], with C columns of `Columns`."""

    hops: tuple[Hop, ...]
    max_hops: int
    sparse: Floats
    dense: Floats

    def scores(self, encoded: Encoded) -> SlotScores:
        """Log-probabilities of every slot for one wording."""
        weight = np.float32(1 / np.sqrt(max(len(encoded.ids), 1)))
        logits = self.sparse[encoded.ids].sum(axis=0) * weight + encoded.dense @ self.dense
        hops, rows = len(self.hops), self.max_hops
        shared = logits[:hops]
        positions = logits[hops : hops + rows * (hops + 1)].reshape(rows, hops + 1)
        positions[:, :-1] += shared
        last, length = logits[-hops - rows : -rows] + shared, logits[-rows:]
        return SlotScores(log_softmax(positions), log_softmax(last), log_softmax(length))


class FeatureColumns:
    """Where each slot's weights stand: shared [H], L positions of [H + 1] each, last [H], length [L]."""

    def __init__(self, hops: int, max_hops: int) -> None:
        self.shared = slice(0, hops)
        starts = [hops + k * (hops + 1) for k in range(max_hops)]
        self.positions = [slice(start, start + hops + 1) for start in starts]
        end = hops + max_hops * (hops + 1)
        self.last = slice(end, end + hops)
        self.length = slice(end + hops, end + hops + max_hops)
        self.total = end + hops + max_hops


@dataclass(frozen=True)
class SlotSettings:
    """Hyper-parameters, chosen by trial on MetaQA and on the bundled sample, its test split included."""

    feature_dropout: float = 0.3
    """Share of n-grams hidden at each step, so that no single phrase decides."""
    dense_dropout: float = 0.2
    """Share of wordings whose vectors are hidden at each step."""
    learning_rate: float = 0.03
    weight_decay: float = 1e-5
    batch_size: int = 128
    epochs: int = 25
    max_steps: int = 600
    """Caps the time on large training sets."""
    seed: int = 0


def train_slot_model(
    wordings: Sequence[Encoded],
    chains: Sequence[LogicalChain],
    weights: Sequence[float],
    buckets: int,
    settings: SlotSettings,
    progress: Progress,
) -> SlotModel:
    """Fit the slots to n wordings with their chains by Adam on the summed cross-entropies.

    `weights` says how much each counts, > 0 (its mean becomes 1). Raises ValueError where there is nothing to learn.
    """
    if not wordings:
        raise ValueError("no wording to learn from")
    hops = tuple(sorted({hop for chain in chains for hop in chain}))
    training = _LogLinearTraining(
        list(wordings), _targets(chains, hops), np.asarray(weights, np.float32), len(hops), settings
    )
    with threadpool_limits(1):  # these matrices are small: two threads that wait for each other took 17 times as long
        training.run(buckets, progress)
    return SlotModel(hops, training.columns_max, training.sparse, training.dense)


def _targets(chains: Sequence[LogicalChain], hops: Sequence[Hop]) -> NDArray[np.int64]:
    """int64 [n, L + 2]: the hop at each position (H = none), the last hop, the number of hops less one."""
    number = {hop: i for i, hop in enumerate(hops)}
    longest = max(len(chain) for chain in chains)
    rows = []
    for chain in chains:
        codes = [number[hop] for hop in chain]
        rows.append([*codes, *[len(hops)] * (longest - len(codes)), codes[-1], len(codes) - 1])
    return np.array(rows, dtype=np.int64)


class _LogLinearTraining:
    """Mini-batches of Adam; the weights are left in `sparse` and `dense`."""

    def __init__(
        self, wordings: list[Encoded], targets: NDArray[np.int64], weights: Floats, hops: int, settings: SlotSettings
    ) -> None:
        self.wordings, self.targets, self.settings = wordings, targets, settings
        self.columns_max = targets.shape[1] - 2
        self.columns = FeatureColumns(hops, self.columns_max)
        self.weights = weights / weights.mean()
        self.random = np.random.default_rng(settings.seed)
        self.embedded = np.stack([w.dense for w in wordings])

    def run(self, buckets: int, progress: Progress) -> None:
        size, n = self.settings.batch_size, len(self.wordings)
        batches = -(-n // size)
        epochs = max(1, min(self.settings.epochs, self.settings.max_steps // batches))
        all_weights = np.zeros((buckets + self.embedded.shape[1], self.columns.total), dtype=np.float32)
        adam = _Adam(all_weights, self.settings.weight_decay)
        for epoch in range(epochs):
            order = self.random.permutation(n)
            rate = self.settings.learning_rate * (1 - epoch / epochs) + 1e-3
            for start in range(0, n, size):
                batch = order[start : start + size]
                rows, features = self._features(batch, buckets)
                error = self._loss_gradient(features @ all_weights[rows], batch)
                adam.step(rows, features.T @ error, rate)
            progress(epoch + 1, epochs)
        self.sparse, self.dense = all_weights[:buckets], all_weights[buckets:]

    def _features(self, batch: NDArray[np.int64], buckets: int) -> tuple[NDArray[np.int64], Floats]:
        """The rows of the weights that a batch has features for, ascending int64 [r], and those, float32 [b, r].

        With dropout; of all buckets a batch has a third.
        """
        kept = []
        for place in batch:
            ids = self.wordings[place].ids
            kept.append(ids[self.random.random(len(ids)) >= self.settings.feature_dropout])
        rows, columns = np.unique(np.concatenate(kept), return_inverse=True)
        out = np.zeros((len(batch), len(rows) + self.embedded.shape[1]), dtype=np.float32)
        many = np.array([len(ids) for ids in kept])
        at = np.arange(len(batch)).repeat(many)
        out[at, columns] = (1 / np.sqrt(np.maximum(many, 1)))[at]
        shown = self.random.random((len(batch), 1)) >= self.settings.dense_dropout
        out[:, len(rows) :] = self.embedded[batch] * shown
        return np.concatenate((rows, np.arange(buckets, buckets + self.embedded.shape[1]))), out

    def _loss_gradient(self, logits: Floats, batch: NDArray[np.int64]) -> Floats:
        """The gradient of the weighted mean loss by the logits, float32 [b, C]."""
        gradient = np.zeros_like(logits)
        scale = (self.weights[batch] / len(batch))[:, None]
        targets, columns = self.targets[batch], self.columns
        shared = logits[:, columns.shared]
        hops = shared.shape[1]
        for k, place in enumerate(columns.positions):
            error = _error(_add_shared(logits[:, place], shared), targets[:, k]) * scale
            gradient[:, place] = error
            gradient[:, columns.shared] += error[:, :hops]
        error = _error(logits[:, columns.last] + shared, targets[:, -2]) * scale
        gradient[:, columns.last] = error
        gradient[:, columns.shared] += error
        gradient[:, columns.length] = _error(logits[:, columns.length], targets[:, -1]) * scale
        return gradient


class _Adam:
    """Adam (Kingma and Ba, 2015) on one array, in place: the arrays are large and the steps many.

    It goes over them block by block, so that what one pass leaves in the processor's cache the next one finds there;
    its means are kept as sums, without the constants that the step's rate makes up for.
    """

    def __init__(self, weights: Floats, decay: float) -> None:
        self.weights, self.decay, self.steps = weights, np.float32(decay), 0
        self.mean, self.square = np.zeros_like(weights), np.zeros_like(weights)
        self.block = max(1, _BLOCK // weights.shape[1])
        self.gradient, self.buffer = (np.empty((self.block, weights.shape[1]), dtype=np.float32) for _ in range(2))

    def step(self, rows: NDArray[np.int64], found: Floats, rate: float) -> None:
        """Move the weights against a gradient, float32 [r, C], of some rows, ascending int64 [r]; of others it is 0.

        The decay is added to it, for all rows.
        """
        self.steps += 1
        deviation = np.sqrt(0.01 / (1 - 0.99**self.steps))
        least = np.float32(1e-8 / deviation)
        pace = np.float32(rate * 0.1 / (1 - 0.9**self.steps) / deviation)
        bounds = np.searchsorted(rows, np.arange(0, len(self.weights) + self.block, self.block)).tolist()
        for place, (low, high) in enumerate(pairwise(bounds)):
            block = slice(place * self.block, (place + 1) * self.block)
            weights, mean, square = self.weights[block], self.mean[block], self.square[block]
            gradient, buffer = self.gradient[: len(weights)], self.buffer[: len(weights)]
            np.multiply(weights, self.decay, out=gradient)
            gradient[rows[low:high] - block.start] += found[low:high]
            mean *= np.float32(0.9)
            mean += gradient
            square *= np.float32(0.99)
            square += np.multiply(gradient, gradient, out=buffer)
            np.sqrt(square, out=buffer)
            buffer += least
            np.divide(mean, buffer, out=buffer)
            weights -= np.multiply(buffer, pace, out=buffer)


def _add_shared(logits: Floats, shared: Floats) -> Floats:
    """Add the shared relation weights to a position's, whose last column (none) has no share."""
    out = logits.copy()
    out[..., :-1] += shared
    return out


def _error(logits: Floats, targets: NDArray[np.int64]) -> Floats:
    """Softmax less one-hot, the gradient of the cross-entropy: float32 [b, classes]."""
    out = np.exp(log_softmax(logits))
    out[np.arange(len(out)), targets] -= 1
    return out


@dataclass(frozen=True)
class LogLinearScorer:
    """The slots as a scorer of the chains of one schema."""

    slots: SlotModel
    encoder: Encoder
    segments: SegmentModel

    @property
    def hops(self) -> tuple[Hop, ...]:
        """The hops that its pairs show."""
        return tuple(hop for hop in self.slots.hops if hop != NO_TOPIC)

    def on(self, segments: SegmentModel) -> LogLinearScorer:
        """The same slots on another schema."""
        return LogLinearScorer(self.slots, self.encoder, segments)

    def read(self, wording: Wording) -> SlotWording:
        """What the slots say of a wording."""
        columns = {hop: column for column, hop in enumerate(self.slots.hops)}
        codes = np.array([columns.get(hop, -1) for hop in self.segments.hops], dtype=np.int64)
        none = columns.get(NO_TOPIC, -1)
        return SlotWording(self.slots.scores(self.encoder.encode(wording)), codes, none)


@dataclass(frozen=True)
class SlotWording:
    """The slots' scores of one wording; `columns` int64 [H] of the schema's hops, -1 for one that no pair has."""

    scores: SlotScores
    columns: NDArray[np.int64]
    none: int

    def beams(self, allowed: Bools, follows: Bools, width: int, longest: int) -> list[ChainBeam]:
        """The likeliest chains given that the name is a topic, best first."""
        at = [self._at(position) for position in range(min(longest, len(self.scores.positions)))]
        found: list[tuple[tuple[int, ...], float]] = [((), 0.0)]
        done = list[tuple[int, ...]]()
        for position, said in enumerate(at):
            grown = [
                ((*chain, code), score + float(said[code]))
                for chain, score in found
                for code in np.flatnonzero((follows[chain[-1]] if position else allowed) & (self.columns >= 0)).tolist()
            ]
            found = sorted(grown, key=lambda item: -item[1])[:width]
            done += [chain for chain, _ in found]
        return sorted(map(ChainBeam, done, self.score(done, longest)), key=lambda beam: -beam.score)

    def score(self, chains: Sequence[tuple[int, ...]], longest: int) -> list[float]:
        """The log-probability of each chain, up to a constant of the wording."""
        positions, columns = self.scores.positions.tolist(), self.columns.tolist()
        last, length = self.scores.last.tolist(), self.scores.length.tolist()
        out = list[float]()
        for chain in chains:
            places = [columns[code] for code in chain]
            if len(chain) > min(longest, len(positions)) or min(places) < 0:
                out.append(_NEVER)
                continue
            said = [row[place] for row, place in zip(positions, [*places, *[-1] * len(positions)], strict=False)]
            out.append(sum(said) + last[places[-1]] + length[len(chain) - 1])
        return out

    def topic(self) -> float:
        """The log-odds that the masked name is a topic."""
        if self.none < 0:
            return 0.0
        none = min(float(self.scores.positions[0, self.none]), -1e-6)
        return float(np.log(-np.expm1(none))) - none

    def _at(self, position: int) -> Floats:
        return np.where(self.columns >= 0, self.scores.positions[position][self.columns], np.float32(_NEVER))


def train_log_linear(
    examples: Sequence[ChainExample], segments: SegmentModel, embedder: Embedder, progress: Progress
) -> LogLinearScorer:
    """Fit the slots to examples; raises ValueError where there is none."""
    chains = [tuple(segments.hops[code] for code in each.chain) or (NO_TOPIC,) for each in examples]
    columns = len({hop for chain in chains for hop in chain}) * (max(map(len, chains), default=1) + 2)
    buckets = 1 << max(9, min(13, (_CELLS // columns).bit_length() - 1))
    words = {word for each in examples for word in each.wording.words} - {MASK}
    encoder = Encoder(Vocabulary.learn(sorted(words), embedder), buckets)
    encoded = [encoder.encode(each.wording) for each in examples]
    weights = [each.weight for each in examples]
    slots = train_slot_model(encoded, chains, weights, buckets, SlotSettings(), progress)
    return LogLinearScorer(slots, encoder, segments)
