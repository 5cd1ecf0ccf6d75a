"""The training loop: AdamW on whatever parameters may learn, held-out loss, early stop, checkpoints to resume from."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from trivium.policies.lora.base_model import BaseModel, quiet
from trivium.policies.lora.batches import Tokens, collate, epoch, in_order
from trivium.policies.lora.checkpoint import load_checkpoint, run_key, save_checkpoint
from trivium.policies.lora.settings import LoraSettings

if TYPE_CHECKING:
    from torch import Tensor
    from torch.nn import Parameter

Progress = Callable[[str, int, int | None, str], None]
"""Called with a stage's name, how much is done, the total if known, and a word on how it goes."""

_BETTER = 0.999  # of the best held-out loss, from which a look counts as an improvement
_FINAL_RATE = 0.1  # of the peak, at the last step
_CLIP = 1.0  # norm of the gradient


@dataclass(frozen=True, slots=True)
class TrainingReport:
    """How a run went.

    Attributes:
        examples, held_out: how many were trained on and how many only looked at.
        steps: taken in all, those before a resume included.
        loss: mean training loss a token since the last look.
        held_out_loss: the best one, in nats a token; None where nothing was held out.
        stopped_early: whether the held-out loss ended the run.
        resumed_from: the step at which a checkpoint was taken up; 0 for a run from its start.
    """

    examples: int
    held_out: int
    steps: int
    loss: float
    held_out_loss: float | None
    stopped_early: bool
    resumed_from: int


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
