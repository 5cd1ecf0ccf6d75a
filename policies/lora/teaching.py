"""`trivium learn lora` on an open KG: examples, fine-tuning, and the adapter kept in the KG's directory."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

from trivium.kg.embedded import guard_files
from trivium.kg.errors import BadInputError
from trivium.kg.knowledge_base import KnowledgeBase
from trivium.kg.loaders import Question as Pair
from trivium.policies.keqing.artefact import load_decomposer
from trivium.policies.keqing.pairs import AlignedPair, align_pairs
from trivium.policies.lora.artefact import Stage, checkpoint_file, free_adapters, save_adapter
from trivium.policies.lora.base_model import open_base
from trivium.policies.lora.batches import tokenize
from trivium.policies.lora.examples import decomposition_examples, reasoning_examples
from trivium.policies.lora.prompts import Example
from trivium.policies.lora.settings import LoraSettings
from trivium.policies.lora.training import Progress, Trainer, TrainingReport


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
