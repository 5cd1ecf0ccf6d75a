"""Fits `ChainNetwork` to masked wordings with their chains, in torch (the extra `train`); numpy serves it."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from trivium.policies.reader.chains.scoring.examples import ChainExample
from trivium.policies.reader.chains.scoring.network import (
    DIRECTION,
    KINDS,
    MAX_HOPS,
    SPECIAL,
    ChainInputs,
    ChainNetwork,
    Floats,
    collapsed,
)

if TYPE_CHECKING:
    import torch

Progress = Callable[[int, int], None]

_UNKNOWN = SPECIAL.index("<unknown>")


@dataclass(frozen=True)
class NetworkSettings:
    """Hyper-parameters of the network and its training."""

    word: int = 64
    state: int = 64
    """Size of each direction's state."""
    hop: int = 96
    """Hidden units of the net over a hop's words."""
    rate: float = 4e-3
    weight_decay: float = 1e-3
    dropout: float = 0.3
    forget: float = 0.15
    """Share of words whose learned vectors are hidden at each step."""
    take_out: float = 0.06
    """Share of examples whose hop is taken out of the schema at each step: "none" is then right."""
    batch: int = 48
    epochs: int = 16
    min_steps: int = 120
    max_steps: int = 1_500
    seed: int = 0


def has_torch() -> bool:
    """Whether the network can be trained here."""
    return importlib.util.find_spec("torch") is not None


def train_network(
    examples: Sequence[ChainExample],
    inputs: ChainInputs,
    settings: NetworkSettings,
    progress: Progress,
) -> ChainNetwork:
    """Fit a network from random weights by AdamW on the examples' cross-entropies.

    Deterministic for a seed on one machine. Uses one thread: matrices this small lose time with more.

    Raises:
        ValueError: there is no example.
    """
    import torch

    if not examples:
        raise ValueError("no example to learn from")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(settings.seed)
            return _Training(examples, inputs, settings).run(progress)
    finally:
        torch.set_num_threads(threads)


class _Training:
    """One training run."""

    def __init__(self, examples: Sequence[ChainExample], inputs: ChainInputs, settings: NetworkSettings) -> None:
        import torch

        self.settings, self.inputs = settings, inputs
        found = [inputs.of(example.wording) for example in examples]
        self.lengths = np.array([len(each.rows) for each in found])
        self.rows = [each.rows for each in found]
        # A word's vector and evidence are kept once: hundreds of hops for each would not fit otherwise.
        place: dict[str, int] = {}
        table: list[tuple[Floats, Floats]] = []
        self.words = []
        for example, each in zip(examples, found, strict=True):
            spelled = collapsed(example.wording).words
            for word, vector, said in zip(spelled, each.vectors, each.evidence, strict=True):
                if word not in place:
                    place[word] = len(table)
                    table.append((vector, said))
            self.words.append(np.array([place[word] for word in spelled]))
        self.vectors = torch.from_numpy(np.stack([vector for vector, _ in table]))
        self.evidence = torch.from_numpy(np.stack([said for _, said in table]))
        self.chains = np.full((len(examples), MAX_HOPS), -1)
        for row_, example in enumerate(examples):
            self.chains[row_, : len(example.chain)] = example.chain
        self.weight = np.array([example.weight for example in examples], dtype=np.float32)
        self.weight /= self.weight.mean()
        seen = sorted({code for example in examples for code in example.chain})
        self.hops = tuple(inputs.segments.hops[code] for code in seen)
        self.seen = torch.tensor(seen, dtype=torch.long)
        self.hop_inputs = torch.from_numpy(inputs.hops)
        self.inverse = self.hop_inputs[:, -DIRECTION].contiguous()
        self.turned = torch.from_numpy(inputs.segments.inverse)
        self.parameters = self._parameters()
        self.random = np.random.default_rng(settings.seed)

    def _parameters(self) -> dict[str, torch.Tensor]:
        import torch

        s = self.settings
        size, width = 2 * s.state, self.vectors.shape[1]

        def drawn(*shape: int, scale: float) -> torch.Tensor:
            return torch.randn(*shape) * scale

        gru = torch.nn.GRU(s.word, s.state, bidirectional=True, batch_first=True)
        self.gru = gru
        out = {
            "word_in": drawn(width, s.word, scale=width**-0.5 * 3),
            "word_bias": torch.zeros(s.word),
            "embedding": torch.cat(
                [drawn(len(SPECIAL), s.word, scale=0.5), torch.zeros(len(self.inputs.words), s.word)]
            ),
            "query": drawn(MAX_HOPS, size, scale=0.1),
            "query_before": drawn(size, size, scale=0.3 * size**-0.5),
            "coverage": torch.full((1,), 2.0),
            "gate_in": torch.zeros(size, KINDS),
            "gate_bias": torch.tensor([0.7, -1.0, -1.0, -2.0]),
            "hop_in": drawn(self.hop_inputs.shape[1], s.hop, scale=self.hop_inputs.shape[1] ** -0.5 * 4),
            "hop_bias": torch.zeros(s.hop),
            "hop_out": drawn(s.hop, size, scale=s.hop**-0.5 * 0.3),
            "residual": torch.zeros(len(self.hops), size),
            "inverse": torch.full((MAX_HOPS,), 0.5),
            "stop_in": torch.zeros(size),
            "stop_bias": torch.zeros(MAX_HOPS),
            "stop_unread": torch.full((MAX_HOPS,), -0.3),
            "none_in": torch.zeros(size),
            "none_bias": torch.zeros(1),
        }
        return {name: torch.nn.Parameter(value) for name, value in out.items()}

    def run(self, progress: Progress) -> ChainNetwork:
        import torch

        s, count = self.settings, len(self.rows)
        per_epoch = -(-count // s.batch)
        steps = min(max(s.epochs * per_epoch, s.min_steps), s.max_steps)
        trained = [*self.parameters.values(), *self.gru.parameters()]
        optimizer = torch.optim.AdamW(trained, lr=s.rate, weight_decay=s.weight_decay, fused=True)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, s.rate, total_steps=steps + 1, pct_start=0.1)
        order: list[int] = []
        for step in range(steps):
            if len(order) < min(s.batch, count):
                order = self.random.permutation(count).tolist()
            batch, order = order[: s.batch], order[s.batch :]
            loss = self._loss(np.array(batch))
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(trained, 1.0)
            optimizer.step()
            schedule.step()
            if step % 50 == 0:
                progress(step, steps)
        progress(steps, steps)
        return self.network()

    def network(self) -> ChainNetwork:
        """The weights as they are now."""
        # Copies: training goes on in the parameters' own memory.
        out: dict[str, Floats] = {name: value.detach().numpy().copy() for name, value in self.parameters.items()}
        for name, value in self.gru.named_parameters():
            out[f"gru_{name.replace('_l0', '')}"] = value.detach().numpy().copy()
        return ChainNetwork(out, self.hops)

    def _loss(self, batch: np.ndarray[Any, Any]) -> torch.Tensor:
        """The examples' mean cross-entropy, with dropout, and with the right hop of some taken out of the schema."""
        import torch
        from torch.nn.functional import cross_entropy

        words, said, most, there = self._read(batch)
        states = self._states(words, there)
        gates = torch.exp(states @ self.parameters["gate_in"] + self.parameters["gate_bias"])
        evidence = (gates[..., None] * said).sum(dim=2)
        vectors, chains = self._hop_vectors(), torch.from_numpy(self.chains[batch])
        other = len(vectors)  # the class "none" at the first position, "stop" after it
        out = torch.from_numpy(self.random.random(len(batch)) < self.settings.take_out) & (chains[:, 0] >= 0)
        gone = chains[out, 0]
        removed = torch.zeros(len(batch), other, dtype=torch.bool)
        removed[out, gone] = True
        removed[out, self.turned[gone]] = True
        unread, before = there.to(states.dtype), torch.zeros(len(batch), states.shape[2])
        losses, longest = torch.zeros(len(batch)), int((chains >= 0).sum(dim=1).max())
        for position in range(min(longest, MAX_HOPS - 1) + 1):
            share = self._attend(position, before, states, unread, there)
            unread = unread * (1 - share)
            context = (share[:, :, None] * states).sum(dim=1)
            scores = context @ vectors.T + (share[:, :, None] * evidence).sum(dim=1)
            scores = scores - self.parameters["inverse"][position] * self.inverse
            target = torch.where(chains[:, position] < 0, other, chains[:, position])
            if position == 0:
                scores, target = scores.masked_fill(removed, -1e9), torch.where(out, other, target)
                counted = torch.ones(len(batch))
            else:
                counted = ((chains[:, position - 1] >= 0) & ~out).to(states.dtype)
            last = self._other(position, context, (unread * most).sum(dim=1))
            found = cross_entropy(torch.cat([scores, last[:, None]], dim=1), target, reduction="none")
            losses = losses + counted * found
            before = vectors[chains[:, position].clamp(min=0)]
        return (losses * torch.from_numpy(self.weight[batch])).mean()

    def _read(self, batch: np.ndarray[Any, Any]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
        """Words [b, n, w] of b wordings, evidence [b, n, KINDS, H], its most [b, n], and which words exist."""
        import torch

        lengths = self.lengths[batch]
        rows, words = np.zeros((2, len(batch), int(lengths.max())), dtype=np.int64)
        for place, example in enumerate(batch):
            rows[place, : lengths[place]] = self.rows[example]
            words[place, : lengths[place]] = self.words[example]
        hidden = (self.random.random(rows.shape) < self.settings.forget) & (rows >= len(SPECIAL))
        found, p = torch.from_numpy(words), self.parameters
        own = p["embedding"][torch.from_numpy(np.where(hidden, _UNKNOWN, rows))]
        evidence = self.evidence[found]
        most = torch.maximum(evidence[:, :, 0], evidence[:, :, 1]).amax(dim=2)
        there = torch.from_numpy(np.arange(rows.shape[1]) < lengths[:, None])
        return torch.tanh(self.vectors[found] @ p["word_in"] + p["word_bias"] + own), evidence, most, there

    def _states(self, words: torch.Tensor, there: torch.Tensor) -> torch.Tensor:
        from torch.nn.functional import dropout
        from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

        share = self.settings.dropout
        packed = pack_padded_sequence(dropout(words, share), there.sum(dim=1), batch_first=True, enforce_sorted=False)
        states: torch.Tensor = pad_packed_sequence(self.gru(packed)[0], batch_first=True, total_length=words.shape[1])[
            0
        ]
        return dropout(states, share)

    def _hop_vectors(self) -> torch.Tensor:
        import torch

        p = self.parameters
        found = torch.tanh(self.hop_inputs @ p["hop_in"] + p["hop_bias"]) @ p["hop_out"]
        return found.index_add(0, self.seen, p["residual"])

    def _attend(
        self, position: int, before: torch.Tensor, states: torch.Tensor, unread: torch.Tensor, there: torch.Tensor
    ) -> torch.Tensor:
        import torch

        p = self.parameters
        queries = p["query"][position] + before @ p["query_before"]
        logits = (states @ queries[:, :, None])[:, :, 0] - p["coverage"] * (1 - unread)
        return torch.softmax(logits.masked_fill(~there, -1e9), dim=1)

    def _other(self, position: int, context: torch.Tensor, left: torch.Tensor) -> torch.Tensor:
        p = self.parameters
        if position == 0:
            return context @ p["none_in"] + p["none_bias"]
        return context @ p["stop_in"] + p["stop_bias"][position] + p["stop_unread"][position] * left
