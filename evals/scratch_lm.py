"""A causal LM from random weights as Keqing's decomposer on MetaQA: `python -m trivium.evals.scratch_lm [--size 50M]`.

Says what the paper's road gives without anybody's pretrained weights, beside the compact decomposer on the same
questions: a Llama and its tokenizer are built here, all weights are trained on table 1's prompt, and held-out questions
are decomposed and answered in the graph. Runs on a CPU or a GPU; `50M` wants a GPU. A run that was killed goes on.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter

from trivium.evals.ablations.asking import made_kg, need_data, taught
from trivium.evals.metaqa import HOPS, is_held_out, read_metaqa, spread
from trivium.evals.metrics import Score, mean, score
from trivium.kg.catalog import cache_folder
from trivium.kg.loaders import Question
from trivium.kg.types import parse_chain
from trivium.knowledge.knowledge import Knowledge
from trivium.nodes.run.operator import own_runs
from trivium.policies.lora.examples import Example
from trivium.policies.lora.model import BaseModel, LoraSettings, chosen_device, fingerprint, need_lora, quiet
from trivium.policies.lora.serve import LoraDecomposer, generate
from trivium.policies.lora.train import split, stage_examples, tokenize, train
from trivium.policies.reader.chains.artifact import load_decomposer
from trivium.policies.reader.chains.decomposer import Decomposer, Decomposition

SIZES = {"1M": (128, 4, 4, 2_000), "10M": (256, 8, 8, 8_000), "50M": (512, 12, 8, 8_000)}
"""Hidden size, layers, heads, tokens of the vocabulary; the names are rough counts of the weights."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to train on and to ask.

    `names` copies of each example carry other entities' names, so that copying a name is learned rather than the name.
    """

    size: str
    pairs: int
    asked: int
    names: int
    settings: LoraSettings


def build_model(folder: Path, size: str, texts: Sequence[str]) -> None:
    """Write a Llama of random weights and a byte-level BPE tokenizer trained on the texts."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    hidden, layers, heads, vocabulary = SIZES[size]
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    bpe.train_from_iterator(
        texts,
        trainers.BpeTrainer(
            vocab_size=vocabulary, special_tokens=["<s>", "</s>"], initial_alphabet=alphabet, show_progress=False
        ),
    )
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=bpe, bos_token="<s>", eos_token="</s>", pad_token="</s>")
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=hidden, intermediate_size=3 * hidden, num_hidden_layers=layers,
        num_attention_heads=heads, num_key_value_heads=heads, max_position_embeddings=1024, tie_word_embeddings=True,
        bos_token_id=0, eos_token_id=1, pad_token_id=1,
    )  # fmt: skip
    with quiet():
        LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def renamed(examples: Sequence[Example], names: Sequence[str], copies: int, seed: int = 0) -> list[Example]:
    """The examples, and copies of each with its first seed entity called otherwise, in question and answer alike."""
    chance, out = random.Random(seed), list(examples)
    for example in examples:
        start = example.target.index('"seed_entities": ["') + len('"seed_entities": ["')
        name = example.target[start : example.target.index('"', start)]
        out += [
            Example(example.prompt.replace(name, other), example.target.replace(f'"{name}"', f'"{other}"'))
            for other in chance.sample(names, copies)
            if name in example.prompt and '"' not in other and "\\" not in other
        ]
    return out


async def measure(data: Path, plan: Plan) -> None:
    """Train, then ask the same held-out questions of both decomposers; prints as it goes."""
    need_lora()
    folder = made_kg("metaqa", data)
    learnt = [q for h in HOPS for q in spread([q for q in read_metaqa(data, h) if not is_held_out(q)], plan.pairs)]
    asked = {h: spread([q for q in read_metaqa(data, h) if is_held_out(q)], plan.asked) for h in HOPS}
    async with taught(folder, learnt) as base:
        compact = load_decomposer(base.learnt, base.embedder)
        examples, _ = await stage_examples(base, learnt, "decompose", 0, lambda *_: None)
        names = [entity.label async for batch in base.store.all_entities() for entity in batch]
        tuned = await asyncio.to_thread(_train, plan, examples, names)
        lora = LoraDecomposer(partial(generate, tuned), await base.templates(), compact.habits)
        print(f"{'':6} {'n':>5} {'decomposed as gold':>24} {'Hits@1':>18} {'exact sets':>18}")
        print(f"{'':6} {'':5} {'LM':>12} {'compact':>11} {'LM':>9} {'compact':>8} {'LM':>9} {'compact':>8}")
        for hops, questions in asked.items():
            theirs, same = await _ask(lora, questions, base)
            ours, ours_same = await _ask(compact, questions, base)
            figures = (same, ours_same, theirs.top1, ours.top1, theirs.exact, ours.exact)
            shown = " ".join(f"{100 * figure:{w}.1f}" for figure, w in zip(figures, (12, 11, 9, 8, 9, 8), strict=True))
            print(f"{hops}-hop {len(questions):6} {shown}", flush=True)


def _train(plan: Plan, examples: Sequence[Example], names: Sequence[str]) -> BaseModel:
    """All weights of a fresh model on the examples; resumes from the cache."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder = cache_folder() / f"scratch-lm-{plan.size}"
    kept, held_out = split(examples, plan.settings.held_out)
    kept = renamed(kept, names, plan.names)
    build_model(folder, plan.size, [part for example in kept for part in example])
    device = chosen_device(plan.settings.device)
    with quiet():
        model = AutoModelForCausalLM.from_pretrained(folder).to(device)
    tuned = BaseModel(str(folder), fingerprint(str(folder), None), model, AutoTokenizer.from_pretrained(folder), device)
    rows, _ = tokenize(kept, tuned.tokenizer, plan.settings.max_tokens)
    looked_at, _ = tokenize(held_out, tuned.tokenizer, plan.settings.max_tokens)
    weights = sum(parameter.numel() for parameter in model.parameters())
    tokens = sum(len(row["input_ids"]) for row in rows)
    print(f"{weights:,} weights, {len(rows):,} examples, {tokens:,} tokens an epoch, on {device}", flush=True)
    began = perf_counter()
    report = train(tuned, rows, looked_at, plan.settings, folder, _progress, "scratch")
    held = "" if report.held_out_loss is None else f", held out {report.held_out_loss:.4f} nats a token"
    print(f"{report.steps} steps in {perf_counter() - began:.0f} s: loss {report.loss:.4f}{held}", flush=True)
    return tuned


def _progress(stage: str, done: int, total: int | None, note: str) -> None:
    if done % 50 == 0:
        print(f"{stage} {done}/{total}: {note}", file=sys.stderr, flush=True)


async def _ask(decomposer: Decomposer, questions: Sequence[Question], base: Knowledge) -> tuple[Score, float]:
    """The scores of what the decompositions lead to, and the share that walks the gold chain."""
    scores, same = [], 0
    templates = await base.templates()
    for question in questions:
        found = await decomposer.decompose(question.question, base.store)
        walked = [templates.match([sub.question], 1)[0][0].template.chains[0] for sub in found.sub_questions]
        same += tuple(hop for chain in walked for hop in chain) == (question.chain or parse_chain([]))
        scores.append(score(await _answers(found, base), question.answers))
    return mean(scores), same / max(len(questions), 1)


async def _answers(found: Decomposition, base: Knowledge) -> list[tuple[str, str]]:
    """What a line of sub-questions leads to, topics left out where they say so: (id, label), most support first."""
    templates, frontier, used = await base.templates(), list[str](), set[str]()
    for sub in found.sub_questions:
        if sub.dep == (-1,):
            frontier = [hits[0].id for mention in sub.seed_entities if (hits := found.links.get(mention))]
            used = set(frontier)
        chain = templates.match([sub.question], 1)[0][0].template.chains[0]
        reached = (await base.store.follow(frontier, chain)).reached
        frontier = [item.id for item in reached if not (sub.excludes_used and item.id in used)]
    return list(zip(frontier, await base.store.labels(frontier), strict=True))


@own_runs()
def main(arguments: Sequence[str] | None = None) -> int:
    """Train and measure; raises `TriviumError` where the data or the extra is not here."""
    parser = argparse.ArgumentParser(prog="python -m trivium.evals.scratch_lm", description=__doc__)
    parser.add_argument("--data", type=Path, help="the folder that holds metaqa/")
    parser.add_argument("--size", choices=SIZES, default="1M")
    parser.add_argument("--pairs", type=int, default=1_500, help="a hop to learn from")
    parser.add_argument("--asked", type=int, default=100, help="held-out questions a hop")
    parser.add_argument("--names", type=int, default=1, help="copies of each example with other names")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--rate", type=float, default=1e-3, help="peak learning rate")
    parser.add_argument("--device", default="auto")
    given = parser.parse_args(arguments)
    settings = LoraSettings(
        learning_rate=given.rate, epochs=given.epochs, batch=32, device=given.device, dropout=0.0, evaluate_every=100
    )
    plan = Plan(given.size, given.pairs, given.asked, given.names, settings)
    asyncio.run(measure(need_data(given.data), plan))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
