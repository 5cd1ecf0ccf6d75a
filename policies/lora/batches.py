"""Examples as padded batches of token ids; the prompt is read, only the answer is learnt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from trivium.policies.lora.prompts import Example

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
