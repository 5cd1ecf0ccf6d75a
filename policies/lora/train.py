"""Fine-tuning on an open KG, `trivium learn lora`: examples to tokens, transformers' Trainer, the adapter kept."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import math
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trivium.kg.embedded import keep
from trivium.kg.errors import BadInputError
from trivium.kg.knowledge_base import KnowledgeBase
from trivium.kg.loaders import Question as Pair
from trivium.policies.lora.examples import Example, chain_examples, decomposition_examples, reasoning_examples
from trivium.policies.lora.model import (
    BaseModel,
    LoraSettings,
    Stage,
    TrainingReport,
    add_adapters,
    open_base,
    quiet,
    save_adapter,
    stage_folder,
)
from trivium.policies.reader.chains.artifact import load_decomposer
from trivium.policies.reader.chains.pairs import AlignedPair, align_pairs

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase, TrainerCallback

log = logging.getLogger("trivium.lora")

Progress = Callable[[str, int, int | None, str], None]
"""Called with a stage's name, how much is done, the total if known, and a word on how it goes."""
Row = dict[str, list[int]]
"""An example in token ids: `input_ids`, and `labels` of the same length, -100 where nothing is learned."""

_IGNORED = -100  # torch's cross-entropy passes over these labels
_FINAL_RATE = 0.1  # of the peak learning rate, at the last step


def tokenize(examples: Sequence[Example], tokenizer: PreTrainedTokenizerBase, max_tokens: int) -> tuple[list[Row], int]:
    """The examples that fit, in their order, and how many were too long.

    The prompt is read, only the answer is learned. Both are tokenized apart, so that the answer begins where generation
    begins; it ends with end-of-text.
    """
    out, long = list[Row](), 0
    for example in examples:
        prompt = prompt_ids(example.prompt, tokenizer)
        answer = [*tokenizer(example.target, add_special_tokens=False).input_ids, tokenizer.eos_token_id]
        if len(prompt) + len(answer) <= max_tokens:
            out.append({"input_ids": prompt + answer, "labels": [_IGNORED] * len(prompt) + answer})
        else:
            long += 1
    return out, long


def prompt_ids(prompt: str, tokenizer: PreTrainedTokenizerBase) -> list[int]:
    """A prompt's token ids, begin-of-text before it where the model has one; the same for training and serving."""
    ids: list[int] = tokenizer(prompt, add_special_tokens=False).input_ids
    return ids if tokenizer.bos_token_id is None else [tokenizer.bos_token_id, *ids]


def train(
    base: BaseModel,
    rows: Sequence[Row],
    held_out: Sequence[Row],
    settings: LoraSettings,
    folder: Path,
    progress: Progress,
    identity: str = "",
) -> TrainingReport:
    """Train whatever parameters of the model may learn; with held-out rows the best state is in the model afterwards.

    Checkpoints are kept in `folder`/training-KEY, where KEY stands for this run: base (`identity`), rows and settings.
    A run that was killed goes on from its newest whole one; those of other runs are removed. The folder is removed by
    the caller when what was trained is safe.
    """
    from transformers import DataCollatorForSeq2Seq, PrinterCallback, Trainer, TrainingArguments, set_seed

    run = _run_folder(folder, settings, identity, rows, held_out)
    total = math.ceil(len(rows) / settings.batch) * settings.epochs
    measured: dict[str, Any] = {"eval_strategy": "no"}
    if held_out:
        measured = {
            "eval_strategy": "steps", "eval_steps": settings.evaluate_every, "load_best_model_at_end": True,
            "metric_for_best_model": "eval_loss", "greater_is_better": False,
        }  # fmt: skip
    arguments = TrainingArguments(
        output_dir=str(run), seed=settings.seed, data_seed=settings.seed, use_cpu=base.device == "cpu",
        per_device_train_batch_size=settings.batch, per_device_eval_batch_size=settings.batch,
        num_train_epochs=settings.epochs, train_sampling_strategy="group_by_length",
        learning_rate=settings.learning_rate, weight_decay=settings.weight_decay, max_grad_norm=1.0,
        warmup_steps=round(settings.warmup * total), lr_scheduler_type="cosine_with_min_lr",
        lr_scheduler_kwargs={"min_lr_rate": _FINAL_RATE}, logging_steps=min(20, total),
        save_steps=settings.evaluate_every, save_total_limit=1, report_to=[], disable_tqdm=True,
        dataloader_pin_memory=False, remove_unused_columns=False, **measured,
    )  # fmt: skip
    base.tokenizer.padding_side = "right"
    set_seed(settings.seed)
    with quiet():
        trainer = Trainer(
            base.model, arguments, data_collator=DataCollatorForSeq2Seq(base.tokenizer, label_pad_token_id=_IGNORED),
            train_dataset=list(rows), eval_dataset=list(held_out) or None,
            callbacks=_callbacks(settings, total, progress, stop_early=bool(held_out)),
        )  # fmt: skip
        trainer.remove_callback(PrinterCallback)  # it writes on stdout
        begun = _newest_checkpoint(run)
        trainer.train(resume_from_checkpoint=None if begun is None else str(begun))
    base.model.eval()
    state = trainer.state
    losses = [row["loss"] for row in state.log_history if "loss" in row]
    resumed = 0 if begun is None else int(begun.name.rsplit("-", 1)[1])
    best, steps = state.best_metric, state.global_step
    return TrainingReport(
        len(rows), len(held_out), steps, float(losses[-1]) if losses else 0.0, best, steps < total, resumed
    )


def _callbacks(settings: LoraSettings, total: int, progress: Progress, *, stop_early: bool) -> list[TrainerCallback]:
    """Trainer's callbacks: what is shown, and the early stop."""
    from transformers import EarlyStoppingCallback, TrainerCallback

    class ShowProgress(TrainerCallback):  # type: ignore[misc]  # transformers hands its classes out untyped
        """Tells how far it is after every step."""

        def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:  # noqa: ANN401, ARG002
            losses = [f"loss {row['loss']:.3f}" for row in state.log_history if "loss" in row]
            best = [] if state.best_metric is None else [f"held out {state.best_metric:.3f}"]
            progress("fine-tune", state.global_step, total, ", ".join([*losses[-1:], *best]))

    return [ShowProgress(), *([EarlyStoppingCallback(settings.patience)] if stop_early else [])]


def _run_folder(
    folder: Path, settings: LoraSettings, identity: str, rows: Sequence[Row], held_out: Sequence[Row]
) -> Path:
    """Where this run's checkpoints are; those of other bases, examples or settings are removed."""
    # The device is left out: a run may go on on another machine.
    parts = [{**asdict(settings), "device": ""}, identity, [row["input_ids"] for row in rows], len(held_out)]
    own = folder / f"training-{hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]}"
    for other in folder.glob("training-*"):
        if other != own:
            log.warning("the checkpoint %s is of another base, other questions or other settings: removed", other)
            shutil.rmtree(other, ignore_errors=True)
    return own


def _newest_checkpoint(run: Path) -> Path | None:
    """The newest whole checkpoint of a run: its `trainer_state.json` is written last."""
    found = sorted(run.glob("checkpoint-*"), key=lambda path: int(path.name.rsplit("-", 1)[1]), reverse=True)
    for path in found:
        try:
            json.loads((path / "trainer_state.json").read_bytes())
        except (OSError, ValueError) as error:
            log.warning("the checkpoint %s is damaged (%s): not used", path, error)
            shutil.rmtree(path, ignore_errors=True)
        else:
            return path
    return None


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
        NotLearnedError: nothing was learned on this KG yet.
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
    if stage == "chains":
        return chain_examples(both), left_out
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
    add_adapters(opened, settings)
    kept, held_out = split(examples, settings.held_out)
    rows, long = tokenize(kept, opened.tokenizer, settings.max_tokens)
    looked_at, also_long = tokenize(held_out, opened.tokenizer, settings.max_tokens)
    if not rows:
        raise BadInputError(
            f"every example has more than {settings.max_tokens} tokens: raise that with --set max_tokens=N"
        )
    folder = stage_folder(base.path, stage)
    report = train(opened, rows, looked_at, settings, folder, progress, opened.fingerprint)
    keep(base.path, lambda: save_adapter(base.path, stage, opened, settings, report, kg_hash))
    for run in folder.glob("training-*"):
        shutil.rmtree(run, ignore_errors=True)
    return report, long + also_long
