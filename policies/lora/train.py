"""Fine-tuning on an open KG, `trivium learn lora`: tokens, training loop, checkpoints, the adapter kept."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from trivium.kg.embedded import guard_files
from trivium.kg.errors import BadInputError
from trivium.kg.files import write_atomic
from trivium.kg.knowledge_base import KnowledgeBase
from trivium.kg.loaders import Question as Pair
from trivium.policies.keqing.artefact import load_decomposer
from trivium.policies.keqing.pairs import AlignedPair, align_pairs
from trivium.policies.lora.examples import Example, decomposition_examples, reasoning_examples
from trivium.policies.lora.model import (
    BaseModel,
    LoraSettings,
    Stage,
    TrainingReport,
    checkpoint_file,
    free_adapters,
    open_base,
    quiet,
    save_adapter,
)

if TYPE_CHECKING:
    from torch import Tensor
    from transformers import PreTrainedTokenizerBase

_IGNORED = -100  # torch's cross-entropy passes over these labels
_BUCKET = 32  # batches that are sorted by length together: less padding, and still a shuffled order


class Tokens(NamedTuple):
    """One example in token ids; the first `prompt` of them are read, the rest is learnt."""

    ids: tuple[int, ...]
    prompt: int


def tokenize(
    examples: Sequence[Example], tokenizer: PreTrainedTokenizerBase, max_tokens: int
) -> tuple[list[Tokens], int]:
    """The examples that fit, in their order, and how many were too long.

    Prompt and answer are tokenized apart, so that the answer begins where generation begins; it ends with end-of-text.
    """
    out, long = [], 0
    for example in examples:
        prompt = prompt_ids(example.prompt, tokenizer)
        answer = tokenizer(example.target, add_special_tokens=False).input_ids
        ids = (*prompt, *answer, tokenizer.eos_token_id)
        if len(ids) <= max_tokens:
            out.append(Tokens(ids, len(prompt)))
        else:
            long += 1
    return out, long


def prompt_ids(prompt: str, tokenizer: PreTrainedTokenizerBase) -> list[int]:
    """A prompt's token ids, begin-of-text before it where the model has one; the same for training and serving."""
    ids: list[int] = tokenizer(prompt, add_special_tokens=False).input_ids
    return ids if tokenizer.bos_token_id is None else [tokenizer.bos_token_id, *ids]


def epoch(count: int, lengths: Sequence[int], batch: int, seed: tuple[int, int]) -> list[list[int]]:
    """Places of the examples of each batch for one epoch; the same for the same seed, so that a run can resume."""
    random = np.random.default_rng(seed)
    order = random.permutation(count)
    batches = []
    for start in range(0, count, batch * _BUCKET):
        part = sorted(order[start : start + batch * _BUCKET].tolist(), key=lambda place: lengths[place])
        batches += [part[i : i + batch] for i in range(0, len(part), batch)]
    return [batches[place] for place in random.permutation(len(batches))]


def collate(rows: Sequence[Tokens], pad: int, device: str) -> dict[str, Tensor]:
    """input_ids, attention_mask and labels, each int64 [rows, longest], padded on the right."""
    import torch

    longest = max(len(row.ids) for row in rows)
    ids = np.full((len(rows), longest), pad, dtype=np.int64)
    mask = np.zeros_like(ids)
    labels = np.full_like(ids, _IGNORED)
    for place, row in enumerate(rows):
        ids[place, : len(row.ids)] = row.ids
        mask[place, : len(row.ids)] = 1
        labels[place, row.prompt : len(row.ids)] = row.ids[row.prompt :]
    arrays = {"input_ids": ids, "attention_mask": mask, "labels": labels}
    return {name: torch.from_numpy(array).to(device) for name, array in arrays.items()}


def in_order(rows: Sequence[Tokens], batch: int) -> Iterator[list[Tokens]]:
    """All rows once, the longest first, so that memory runs out at once or never."""
    ordered = sorted(rows, key=lambda row: -len(row.ids))
    for start in range(0, len(ordered), batch):
        yield ordered[start : start + batch]


if TYPE_CHECKING:
    from torch import Tensor

log = logging.getLogger("trivium.lora")

Place = Mapping[str, object]
"""What a checkpoint says in words: the run's key, its step, the losses so far."""


def run_key(*parts: object) -> str:
    """What a run is: a checkpoint of another base, other examples or other settings is not taken up."""
    return hashlib.sha256(json.dumps([str(part) for part in parts]).encode()).hexdigest()


def save_checkpoint(path: Path, tensors: dict[str, Tensor], place: Place) -> None:
    """Replace the checkpoint in one step: a run that is killed while writing resumes from the one before."""
    from safetensors.torch import save

    path.parent.mkdir(parents=True, exist_ok=True)
    on_cpu = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    write_atomic(path, save(on_cpu, metadata={"place": json.dumps(place)}))


def load_checkpoint(path: Path, key: str) -> tuple[dict[str, Tensor], Place] | None:
    """The checkpoint of the run of this key; None where there is none, or it is damaged or of another run."""
    from safetensors import SafetensorError, safe_open

    if not path.is_file():
        return None
    try:
        with safe_open(path, framework="pt", device="cpu") as file:
            place = json.loads((file.metadata() or {})["place"])
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - it is no mapping
    except (SafetensorError, OSError, KeyError, ValueError) as error:
        log.warning("the checkpoint %s is damaged (%s): training starts afresh", path, error)
        return None
    if place.get("key") != key:
        log.warning("the checkpoint %s is of another base, other questions or other settings: not used", path)
        return None
    return tensors, place


if TYPE_CHECKING:
    from torch import Tensor
    from torch.nn import Parameter

Progress = Callable[[str, int, int | None, str], None]
"""Called with a stage's name, how much is done, the total if known, and a word on how it goes."""

_BETTER = 0.999  # of the best held-out loss, from which a look counts as an improvement
_FINAL_RATE = 0.1  # of the peak, at the last step
_CLIP = 1.0  # norm of the gradient


@dataclass
class _State:
    """What changes from step to step, beside weights and optimizer."""

    step: int = 0
    loss: float = 0.0
    best: float = math.inf
    looks_without: int = 0
    stopped: bool = False


class Trainer:
    """One run over tokenized examples.

    Args:
        base: the model with its adapters, or all its weights, free to learn.
        rows: what is trained on; `held_out` is only looked at.
        settings: of the run.
        checkpoint: the file to resume from; None keeps no checkpoint.
        identity: what besides settings and rows makes this run this run.
    """

    def __init__(
        self,
        base: BaseModel,
        rows: Sequence[Tokens],
        held_out: Sequence[Tokens],
        settings: LoraSettings,
        checkpoint: Path | None = None,
        identity: str = "",
    ) -> None:
        import torch

        self.base, self.rows, self.held_out = base, list(rows), list(held_out)
        self.settings, self.checkpoint = settings, checkpoint
        self.free: dict[str, Parameter] = {n: p for n, p in base.model.named_parameters() if p.requires_grad}
        self.optimizer = torch.optim.AdamW(
            self.free.values(), lr=settings.learning_rate, weight_decay=settings.weight_decay
        )
        self.best: dict[str, Tensor] = {}
        self.state = _State()
        # The device is left out: a run may go on on another machine.
        self.key = run_key(replace(settings, device=""), identity, [row.ids for row in self.rows], len(self.held_out))
        self.per_epoch = max(1, -(-len(self.rows) // settings.batch))
        self.total = self.per_epoch * settings.epochs

    def run(self, progress: Progress) -> TrainingReport:
        """Train to the end, or until the held-out loss stops falling; the best weights are in the model then."""
        import torch

        resumed = self._resume()
        if not resumed:
            torch.manual_seed(self.settings.seed)
        with quiet():
            while self.state.step < self.total and not self.state.stopped:
                self._epoch(progress)
        if self.best:
            self._restore(self.best)
        self.base.model.eval()
        loss = None if math.isinf(self.state.best) else self.state.best
        return TrainingReport(
            len(self.rows), len(self.held_out), self.state.step, self.state.loss, loss, self.state.stopped, resumed
        )

    def _epoch(self, progress: Progress) -> None:
        """The rest of the present epoch."""
        number, done = divmod(self.state.step, self.per_epoch)
        lengths = [len(row.ids) for row in self.rows]
        batches = epoch(len(self.rows), lengths, self.settings.batch, (self.settings.seed, number))
        for places in batches[done:]:
            loss = self._step([self.rows[place] for place in places])
            self.state.step += 1
            # A running mean of the last twenty steps or so: single batches are too noisy to read.
            self.state.loss = loss if self.state.step == 1 else 0.95 * self.state.loss + 0.05 * loss
            progress("fine-tune", self.state.step, self.total, self._words())
            if self.state.step % self.settings.evaluate_every == 0 or self.state.step == self.total:
                self._look()
                if self.state.stopped:
                    return

    def _step(self, rows: Sequence[Tokens]) -> float:
        """One batch; returns its loss in nats a token."""
        import torch

        self.base.model.train()
        for group in self.optimizer.param_groups:
            group["lr"] = self.settings.learning_rate * self._rate()
        loss = self.base.model(**self._batch(rows)).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.free.values(), _CLIP)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return float(loss.detach())

    def _rate(self) -> float:
        """The share of the peak rate at this step: up in a line, then half a cosine down to `_FINAL_RATE`."""
        rise = max(1, round(self.settings.warmup * self.total))
        if self.state.step < rise:
            return (self.state.step + 1) / rise
        way = (self.state.step - rise) / max(1, self.total - rise)
        return _FINAL_RATE + (1 - _FINAL_RATE) * (1 + math.cos(math.pi * way)) / 2

    def _batch(self, rows: Sequence[Tokens]) -> dict[str, Tensor]:
        return collate(rows, self.base.tokenizer.pad_token_id, self.base.device)

    def _look(self) -> None:
        """Measure the held-out loss, keep the best weights, decide on stopping, and save where the run stands."""
        if self.held_out:
            loss = self._held_out_loss()
            if loss < _BETTER * self.state.best:
                self.state.best, self.state.looks_without = loss, 0
                self.best = {name: p.detach().cpu().clone() for name, p in self.free.items()}
            else:
                self.state.looks_without += 1
            self.state.stopped = self.state.looks_without >= self.settings.patience
        self._save()

    def _held_out_loss(self) -> float:
        """Nats a token over the held-out examples."""
        import torch

        self.base.model.eval()
        total, count = 0.0, 0
        with torch.inference_mode():
            for rows in in_order(self.held_out, self.settings.batch):
                learnt = sum(len(row.ids) - row.prompt for row in rows)
                total += float(self.base.model(**self._batch(rows)).loss) * learnt
                count += learnt
        return total / max(count, 1)

    def _words(self) -> str:
        best = "" if math.isinf(self.state.best) else f", held out {self.state.best:.3f}"
        return f"loss {self.state.loss:.3f}{best}"

    def _restore(self, weights: dict[str, Tensor]) -> None:
        import torch

        with torch.no_grad():
            for name, value in weights.items():
                self.free[name].copy_(value)

    def _save(self) -> None:
        """Weights `p.`, best weights `b.`, AdamW's moments `m.` and `v.`, and the random state, for dropout."""
        if self.checkpoint is None:
            return
        import torch

        tensors = {f"p.{name}": parameter for name, parameter in self.free.items()}
        tensors |= {f"b.{name}": value for name, value in self.best.items()}
        for name, parameter in self.free.items():
            moments = self.optimizer.state[parameter]
            tensors |= {f"m.{name}": moments["exp_avg"], f"v.{name}": moments["exp_avg_sq"]}
        tensors["random"] = torch.get_rng_state()
        state = self.state
        place = {
            "key": self.key,
            "step": state.step,
            "loss": state.loss,
            "best": None if math.isinf(state.best) else state.best,
            "looks_without": state.looks_without,
            "stopped": state.stopped,
        }
        save_checkpoint(self.checkpoint, tensors, place)

    def _resume(self) -> int:
        """Take up the checkpoint of this very run; returns its step, 0 where there is none."""
        found = load_checkpoint(self.checkpoint, self.key) if self.checkpoint else None
        if found is None:
            return 0
        import torch

        tensors, place = found
        self._restore({name: tensors[f"p.{name}"] for name in self.free})
        self.best = {name[2:]: value for name, value in tensors.items() if name.startswith("b.")}
        best = place["best"]
        self.state = _State(
            int(str(place["step"])),
            float(str(place["loss"])),
            math.inf if best is None else float(str(best)),
            int(str(place["looks_without"])),
            bool(place["stopped"]),
        )
        for name, parameter in self.free.items():
            self.optimizer.state[parameter] = {
                "step": torch.tensor(float(self.state.step)),
                "exp_avg": tensors[f"m.{name}"].to(parameter.device),
                "exp_avg_sq": tensors[f"v.{name}"].to(parameter.device),
            }
        torch.set_rng_state(tensors["random"])
        return self.state.step


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be fine-tuned: a base model by folder or hub name, for which stage, and how."""

    model: str
    stage: Stage = "decompose"
    settings: LoraSettings = field(default_factory=LoraSettings)


@dataclass(frozen=True, slots=True)
class Tuned:
    """What fine-tuning gave: the run's report, pairs that no example came from, and examples that were too long."""

    report: TrainingReport
    left_out: int
    too_long: int


async def fine_tune(base: KnowledgeBase, pairs: Sequence[Pair], wish: Wish, progress: Progress) -> Tuned:
    """Fine-tune a causal LM for one stage of Keqing and keep its adapter; a run that was killed goes on.

    The KG's templates and its compact decomposer are there already: they give the sub-questions their words.

    Raises:
        BadInputError: no pair gives an example, or all are too long.
        ModelError: the base model cannot be opened.
        NotLearntError: nothing was learnt on this KG yet.
        BusyError: another process is writing to the KG.
    """
    examples, left_out = await stage_examples(base, pairs, wish.stage, wish.settings.seed, progress)
    if not examples:
        raise BadInputError("no pair gives an example: each needs a chain that leads from a name in it to its answers")
    info = await base.store.info()
    report, too_long = await asyncio.to_thread(_run, base, wish, examples, info.hash, progress)
    return Tuned(report, left_out, too_long)


async def stage_examples(
    base: KnowledgeBase, pairs: Sequence[Pair], stage: Stage, seed: int, progress: Progress
) -> tuple[list[Example], int]:
    """The examples of a stage from pairs, and how many pairs gave none for want of a topic."""
    phrases = (await asyncio.to_thread(load_decomposer, base.learnt, base.embedder)).phrases
    aligned: list[AlignedPair | None] = []
    async for found in align_pairs(pairs, base.store):
        aligned.append(found)
        progress("align pairs", len(aligned), len(pairs), "")
    both = list(zip(pairs, aligned, strict=True))
    left_out = sum(item is None for item in aligned)
    if stage == "decompose":
        return decomposition_examples(both, phrases), left_out
    return [example async for example in reasoning_examples(both, phrases, base.store, seed)], left_out


def split(examples: Sequence[Example], share: float) -> tuple[list[Example], list[Example]]:
    """Examples to train on, and those held out: `share` of them by their text's hash, so always the same ones."""
    bound = int(share * 1_000_000)
    kept, out = list[Example](), list[Example]()
    for example in examples:
        digest = hashlib.sha1(example.prompt.encode(), usedforsecurity=False).digest()
        (out if int.from_bytes(digest[:8], "big") % 1_000_000 < bound else kept).append(example)
    return (kept, out) if kept else (out, [])


def _run(
    base: KnowledgeBase, wish: Wish, examples: Sequence[Example], kg_hash: str, progress: Progress
) -> tuple[TrainingReport, int]:
    """Open the base, train, save; in a thread. Returns the report, and how many examples were too long."""
    stage, settings = wish.stage, wish.settings
    progress("open the base model", 0, None, wish.model)
    opened = open_base(wish.model, device=settings.device, eight_bit=settings.eight_bit)
    free_adapters(opened, settings)
    kept, held_out = split(examples, settings.held_out)
    rows, long = tokenize(kept, opened.tokenizer, settings.max_tokens)
    looked_at, also_long = tokenize(held_out, opened.tokenizer, settings.max_tokens)
    if not rows:
        raise BadInputError(
            f"every example has more than {settings.max_tokens} tokens: raise that with --set max_tokens=N"
        )
    checkpoint = checkpoint_file(base.path, stage)
    trainer = Trainer(opened, rows, looked_at, settings, checkpoint, f"{opened.fingerprint} {stage}")
    report = trainer.run(progress)
    guard_files(base.path, save_adapter(base.path, stage, opened, settings, report, kg_hash))
    checkpoint.unlink(missing_ok=True)
    return report, long + also_long
