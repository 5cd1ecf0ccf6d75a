"""Greedy generation: what the fine-tuned model says to a prompt, and how sure it is."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import NamedTuple

from trivium.policies.lora.base_model import BaseModel, quiet
from trivium.policies.lora.batches import prompt_ids

_lock = threading.Lock()  # one generation at a time: two on the same cores or the same card only slow each other


class Said(NamedTuple):
    """A generated text without its end mark, and the geometric mean of its tokens' probabilities, in [0, 1]."""

    text: str
    confidence: float


def generate(base: BaseModel, prompts: Sequence[str], max_new_tokens: int = 512) -> list[Said]:
    """The most probable continuation of each prompt, token by token; blocks, and takes turns with other threads."""
    import torch

    if not prompts:
        return []
    rows = [prompt_ids(prompt, base.tokenizer) for prompt in prompts]
    longest = max(map(len, rows))
    pad = base.tokenizer.pad_token_id
    # Padded on the left: generation goes on from the last column.
    ids = torch.tensor([[pad] * (longest - len(row)) + row for row in rows], device=base.device)
    mask = torch.tensor([[0] * (longest - len(row)) + [1] * len(row) for row in rows], device=base.device)
    with _lock, quiet(), torch.inference_mode():
        out = base.model.generate(
            input_ids=ids,
            attention_mask=mask,
            max_new_tokens=max_new_tokens,
            do_sample=False,
            temperature=None,
            top_p=None,
            top_k=None,
            pad_token_id=pad,
            eos_token_id=base.tokenizer.eos_token_id,
            return_dict_in_generate=True,
            output_scores=True,
        )
        said = out.sequences[:, longest:]
        # Step by step: the whole vocabulary's scores of all steps at once would take gigabytes.
        steps = [step.float().log_softmax(-1).gather(1, said[:, [i]]) for i, step in enumerate(out.scores)]
        chosen = torch.cat(steps, dim=1).cpu()
    texts = []
    for row, scores in zip(said.tolist(), chosen, strict=True):
        end = row.index(base.tokenizer.eos_token_id) if base.tokenizer.eos_token_id in row else len(row)
        text = base.tokenizer.decode(row[:end], skip_special_tokens=True)
        sure = float(scores[: end + 1].mean().exp())
        texts.append(Said(text, sure))
    return texts
