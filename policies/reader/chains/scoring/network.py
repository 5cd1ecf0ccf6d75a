"""Scores the chains that a masked question asks for: the network's inputs, its weights, its numpy forward pass.

A bidirectional GRU reads the question. At each position of the chain a query (learned for the position, plus a
projection of the hop chosen before) attends over its states, less what earlier positions have read. A hop's logit is
the match of what was attended with the hop's vector, plus the lexical evidence of the attended words, weighed by
gates. A hop's vector is a small net over the words of its relation, of what it leaves and of what it reaches, plus a
residual that starts at zero. At the first position the class "none" competes (the masked name is not a topic), at
later ones "stop". `policies.reader.chains.scoring.train` fits the weights with torch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trivium.kg.memory import Memory, size_of
from trivium.kg.types import Hop
from trivium.policies.reader.chains.decomposer import MASK
from trivium.policies.reader.chains.segment_model import SegmentModel, is_silent
from trivium.policies.reader.chains.word_table import WordTable
from trivium.policies.reader.chains.wording import NAME, Wording

Floats = NDArray[np.float32]
Codes = NDArray[np.int64]
Bools = NDArray[np.bool_]

SPECIAL = (MASK, NAME, "<unknown>")
"""Words with a learned vector of their own; the last stands for every word that no pair holds."""
MAX_HOPS = 3
KINDS = 4
"""Figures of lexical evidence for each word and hop: anywhere, as asked for, as topic, deed."""
DIRECTION = 2
"""Inputs beside a hop's words: whether it is inverse, and the voice of its relation."""

_REMEMBERED = 4_000_000  # bytes of words' inputs, and of wordings
_PREFIXES = 64  # prefixes of chains that a wording is asked about, about
_SMALL = 64  # hops of a schema of which what follows each is computed at once: names of each kind ask for others


class Inputs(NamedTuple):
    """A wording of n words: vocabulary rows int64 [n] (`SPECIAL` first), vectors [n, d], evidence [n, KINDS, H]."""

    rows: Codes
    vectors: Floats
    evidence: Floats


class ChainBeam(NamedTuple):
    """A chain as codes of the segment model's hops, and its log-probability given that the name is a topic."""

    codes: tuple[int, ...]
    score: float


@dataclass
class ChainInputs:
    """Turns wordings and the schema into the network's inputs; `words` are those of the pairs, in vocabulary order."""

    segments: SegmentModel
    words: tuple[str, ...]
    _known: Memory[str, tuple[Floats, Floats]] = field(default_factory=lambda: Memory(_REMEMBERED), repr=False)

    @cached_property
    def _row(self) -> dict[str, int]:
        return {word: place for place, word in enumerate((*SPECIAL, *self.words))}

    @cached_property
    def hops(self) -> Floats:
        """For each hop its words' mean vectors (own, end, start), its direction and voice: float32 [H, 3 d + 2]."""
        segments = self.segments
        parts = [_means(table, segments.vectors, len(segments.hops)) for table in self._tables]
        inverse = np.array([[float(hop.inverse)] for hop in segments.hops], dtype=np.float32)
        return np.concatenate([*parts, inverse, segments.voices[:, None]], axis=1).astype(np.float32)

    @property
    def _tables(self) -> tuple[WordTable, WordTable, WordTable]:
        return self.segments.own, self.segments.end, self.segments.start

    def of(self, wording: Wording) -> Inputs:
        """The inputs of one wording; consecutive names count as one."""
        words = list(collapsed(wording).words)
        unknown = SPECIAL.index("<unknown>")
        rows = np.array([self._row.get(word, unknown) for word in words], dtype=np.int64)
        found = [self._word(word) for word in words]
        return Inputs(rows, np.stack([vector for vector, _ in found]), np.stack([said for _, said in found]))

    def _word(self, word: str) -> tuple[Floats, Floats]:
        known = self._known.get(word)
        if known is None:
            known = self._look_up(word)
            self._known.put(word, known)
        return known

    def _look_up(self, word: str) -> tuple[Floats, Floats]:
        width, hops = self.segments.vectors.shape[1], len(self.segments.hops)
        if word in SPECIAL or word.startswith(("[", "<")):
            return np.zeros(width, dtype=np.float32), np.zeros((KINDS, hops), dtype=np.float32)
        vector = self.segments.embedder.embed([word])[0].astype(np.float32)
        if is_silent(word):
            return vector, np.zeros((KINDS, hops), dtype=np.float32)
        return vector, np.stack(self.segments.evidence(word)).astype(np.float32)


def collapsed(wording: Wording) -> Wording:
    """The wording with each run of hidden names as one."""
    words = list[str]()
    for word in wording.words:
        if word != NAME or not words or words[-1] != NAME:
            words.append(word)
    return Wording(tuple(words), words.index(MASK))


def _means(table: WordTable, vectors: Floats, hops: int) -> Floats:
    """For each hop the unit mean of its stems' vectors by weight: float32 [H, d]."""
    out = np.zeros((hops, vectors.shape[1]), dtype=np.float32)
    stems = np.repeat(np.arange(len(table.bounds) - 1), np.diff(table.bounds))
    np.add.at(out, table.hop, table.weight[:, None] * vectors[stems])
    unit: Floats = out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), np.float32(1e-6))
    return unit


@dataclass(frozen=True)
class ChainNetwork:
    """The trained weights by name (listed in `scoring/train.py`), and the hops that have a residual, in order."""

    weights: Mapping[str, Floats]
    hops: tuple[Hop, ...]

    def prepared(self, inputs: ChainInputs) -> PreparedNetwork:
        """The network for a schema, which need not be the one of training."""
        w = self.weights
        vectors = np.tanh(inputs.hops @ w["hop_in"] + w["hop_bias"]) @ w["hop_out"]
        place = {hop: row for row, hop in enumerate(self.hops)}
        rows = np.array([place.get(hop, -1) for hop in inputs.segments.hops], dtype=np.int64)
        vectors[rows >= 0] += w["residual"][rows[rows >= 0]]
        return PreparedNetwork(self, inputs, vectors.astype(np.float32))


@dataclass
class PreparedNetwork:
    """A network with the vectors of a schema's hops, float32 [H, s]."""

    network: ChainNetwork
    inputs: ChainInputs
    vectors: Floats
    _read: Memory[Wording, ReadWording] = field(
        default_factory=lambda: Memory(_REMEMBERED, lambda wording, read: size_of(wording) + read.bytes), repr=False
    )

    @property
    def weights(self) -> Mapping[str, Floats]:
        """The trained weights by name."""
        return self.network.weights

    @property
    def hops(self) -> tuple[Hop, ...]:
        """The hops that its pairs show."""
        return self.network.hops

    def on(self, segments: SegmentModel) -> PreparedNetwork:
        """The same network on another schema."""
        return self.network.prepared(ChainInputs(segments, self.inputs.words))

    @cached_property
    def _recurrent(self) -> tuple[Floats, Floats]:
        """The recurrent weights of both directions, float32 [2, h, 3 h], and their biases, float32 [2, 1, 3 h]."""
        inner = np.stack([self.weights[f"gru_weight_hh{way}"].T for way in _WAYS])
        return inner, np.stack([self.weights[f"gru_bias_hh{way}"] for way in _WAYS])[:, None]

    def read(self, wording: Wording) -> ReadWording:
        """The wording after the recurrent part; remembered."""
        known = self._read.get(wording)
        if known is None:
            known = self._run(wording)
            self._read.put(wording, known)
        return known

    def _run(self, wording: Wording) -> ReadWording:
        found, w = self.inputs.of(wording), self.weights
        x = np.tanh(found.vectors @ w["word_in"] + w["word_bias"] + w["embedding"][found.rows])
        states = _gru(x, w, *self._recurrent)
        gates = np.exp(states @ w["gate_in"] + w["gate_bias"])
        evidence = (gates[:, :, None] * found.evidence).sum(axis=1)
        return ReadWording(self, states, evidence, np.maximum(found.evidence[:, 0], found.evidence[:, 1]).max(axis=1))


@dataclass
class ReadWording:
    """A wording after the recurrent part: states [n, s], gated evidence [n, H], the most that each word says [n]."""

    network: PreparedNetwork
    states: Floats
    evidence: Floats
    most: Floats
    _after: dict[tuple[int, ...], tuple[Floats, np.float32]] = field(default_factory=dict, repr=False)
    _left: dict[tuple[int, ...], Floats] = field(default_factory=dict, repr=False)
    """What stays unread before the position behind a prefix, float32 [n]."""

    @property
    def bytes(self) -> int:
        """What it holds, once as many prefixes were asked about as are."""
        row = 4 * (len(self.most) + len(self.evidence)) + 500
        return size_of(self.states, self.evidence, self.most) + _PREFIXES * row

    @cached_property
    def first(self) -> tuple[Floats, float]:
        """Logits of every hop at the first position, float32 [H], and of "none"."""
        unread = np.ones((1, len(self.states)), dtype=np.float32)
        logits, context, left = self._position(0, np.zeros((1, self.states.shape[1]), np.float32), unread)
        self._left[()] = left[0]
        w = self.network.weights
        return logits[0], float(context[0] @ w["none_in"] + w["none_bias"][0])

    def topic(self) -> float:
        """The log-odds that the masked name is a topic: some hop leaves it, and not "none"."""
        logits, none = self.first
        most = float(logits.max())
        return most + float(np.log(np.exp(logits - most).sum())) - none

    def beams(self, allowed: Bools, follows: Bools, width: int, longest: int) -> list[ChainBeam]:
        """The likeliest chains, best first.

        Args:
            allowed: bool [H], the hops that a chain may begin with.
            follows: bool [H, H], the hops that may come after each.
            width: prefixes kept at each position.
            longest: hops of the longest chain.
        """
        logits, _ = self.first
        scores = np.where(allowed, log_softmax(logits[None])[0], -np.inf)
        found = [ChainBeam((code,), float(scores[code])) for code in _best(scores, width)]
        done = list[ChainBeam]()
        for _ in range(1, longest):
            codes = [beam.codes for beam in found]
            following, stop = self.next(codes)
            done += [ChainBeam(beam.codes, beam.score + end) for beam, end in zip(found, stop.tolist(), strict=True)]
            last = [code[-1] for code in codes]
            total = np.where(follows[last], following + np.array([[beam.score] for beam in found]), -np.inf).ravel()
            places, hops = _best(total, width), following.shape[1]
            found = [
                ChainBeam((*codes[place // hops], place % hops), score)
                for place, score in zip(places, total[places].tolist(), strict=True)
            ]
            if not found:
                return sorted(done, key=lambda beam: -beam.score)
        return sorted([*done, *found], key=lambda beam: -beam.score)

    def next(self, prefixes: Sequence[tuple[int, ...]]) -> tuple[Floats, Floats]:
        """Log-probabilities of what comes after prefixes of one length: hops float32 [n, H], "stop" float32 [n].

        Remembered: beams from other first hops, and scores of chains, meet the same prefixes.
        """
        new = [prefix for prefix in prefixes if prefix not in self._after]
        if new:
            if len(new[0]) == 1 and (every := len(self.network.vectors)) <= _SMALL:
                new = [(code,) for code in range(every)]
            found = self._next(new)
            self._after |= zip(new, zip(*found, strict=True), strict=True)
            if new == prefixes:
                return found
        known = [self._after[prefix] for prefix in prefixes]
        return np.array([hops for hops, _ in known]), np.array([stop for _, stop in known])

    def _next(self, prefixes: Sequence[tuple[int, ...]]) -> tuple[Floats, Floats]:
        position, w = len(prefixes[0]), self.network.weights
        before = self.network.vectors[[prefix[-1] for prefix in prefixes]]
        unread = np.array([self._left_after(prefix[:-1]) for prefix in prefixes])
        logits, context, unread = self._position(position, before, unread)
        self._left |= zip(prefixes, unread, strict=True)
        stop = context @ w["stop_in"] + w["stop_bias"][position] + w["stop_unread"][position] * (unread @ self.most)
        together = log_softmax(np.concatenate([logits, stop[:, None]], axis=1))
        return together[:, :-1], together[:, -1]

    def _left_after(self, prefix: tuple[int, ...]) -> Floats:
        if prefix not in self._left:
            _ = self.next([prefix]) if prefix else self.first
        return self._left[prefix]

    def score(self, chains: Sequence[tuple[int, ...]], longest: int) -> list[float]:
        """The log-probability of each chain, as `beams` gives it."""
        wanted = sorted({chain[:k] for chain in chains for k in range(1, len(chain) + 1)})
        first = log_softmax(self.first[0][None])[0]
        known: dict[tuple[int, ...], float] = {prefix: float(first[prefix[0]]) for prefix in wanted if len(prefix) == 1}
        stops = dict[tuple[int, ...], float]()
        for length in range(1, longest):
            prefixes = [prefix for prefix in wanted if len(prefix) == length]
            if not prefixes:
                break
            following, stop = self.next(prefixes)
            place = {prefix: row for row, prefix in enumerate(prefixes)}
            stops |= zip(prefixes, stop.tolist(), strict=True)
            for prefix in wanted:
                if len(prefix) == length + 1:
                    known[prefix] = known[prefix[:-1]] + float(following[place[prefix[:-1]], prefix[-1]])
        return [known[chain] + stops.get(chain, 0.0) for chain in chains]

    def _attend(self, position: int, before: Floats, unread: Floats) -> tuple[Floats, Floats]:
        """Attention float32 [n, words] of one position after the hops with the vectors `before`; what stays unread."""
        w = self.network.weights
        queries = w["query"][position] + before @ w["query_before"]
        logits = queries @ self.states.T - w["coverage"][0] * (1 - unread)
        share = np.exp(log_softmax(logits))
        return share, unread * (1 - share)

    def _position(self, position: int, before: Floats, unread: Floats) -> tuple[Floats, Floats, Floats]:
        """Logits of the hops [n, H], what was attended [n, s], what stays unread [n, words]."""
        share, left = self._attend(position, before, unread)
        w, vectors = self.network.weights, self.network.vectors
        context = share @ self.states
        inverse = self.network.inputs.hops[:, -DIRECTION]
        logits = context @ vectors.T + share @ self.evidence - w["inverse"][position] * inverse
        return logits, context, left


_WAYS = ("", "_reverse")


def _gru(x: Floats, w: Mapping[str, Floats], inner: Floats, bias: Floats) -> Floats:
    """The states of a gated recurrent unit over words, forth and back: float32 [n, 2 h].

    Gates are in torch's order (reset, update, new). Both directions run in one loop: a wording has few words, and each
    operation of numpy costs more than its arithmetic.
    """
    size = inner.shape[1]
    forth, back = (x @ w[f"gru_weight_ih{way}"].T + w[f"gru_bias_ih{way}"] for way in _WAYS)
    into = np.stack([forth, back[::-1]], axis=1)[:, :, None]
    state, out = np.zeros((2, 1, size), dtype=np.float32), np.empty((len(x), 2, size), np.float32)
    for place, row in enumerate(into):
        told = state @ inner + bias
        gates = 1 / (1 + np.exp(-(row[..., : 2 * size] + told[..., : 2 * size])))
        update = gates[..., size:]
        new = np.tanh(row[..., 2 * size :] + gates[..., :size] * told[..., 2 * size :])
        state = (1 - update) * new + update * state
        out[place] = state[:, 0]
    return np.concatenate([out[:, 0], out[::-1, 1]], axis=1)


def log_softmax(logits: Floats) -> Floats:
    """Log probabilities along the last axis."""
    shifted = logits - logits.max(axis=-1, keepdims=True)
    out: Floats = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return out


def _best(scores: Floats, count: int) -> list[int]:
    """The places of the highest finite scores, best first; ties by place."""
    order = np.argsort(-scores, kind="stable")[:count]
    found: list[int] = order[np.isfinite(scores[order])].tolist()
    return found
