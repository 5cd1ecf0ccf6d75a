"""A merged model behind an OpenAI-compatible server, asked in the very words of its training.

`TRIVIUM_LORA_SERVER` is the server's base URL and `TRIVIUM_LORA_MODEL` the model's name there; both are the operator's,
in the environment, and `TRIVIUM_LORA_KEY` where the server asks for one. Then `decompose=lora` needs neither torch nor
an adapter on this machine.
"""

from __future__ import annotations

import logging
import math
import os
from collections.abc import Callable, Sequence

from trivium.kg.errors import ModelError
from trivium.policies.lora.generation import Said

log = logging.getLogger("trivium.lora")

SERVER, MODEL, KEY = "TRIVIUM_LORA_SERVER", "TRIVIUM_LORA_MODEL", "TRIVIUM_LORA_KEY"
_SECONDS = 60.0


def served() -> Callable[[Sequence[str]], list[Said]] | None:
    """What a server says to each prompt, where the environment names one; raises `ModelError` where half is missing."""
    url, model = os.environ.get(SERVER), os.environ.get(MODEL)
    if not url:
        return None
    if not model:
        raise ModelError(f"{SERVER} is set and {MODEL} is not: name the model as that server calls it")

    def speak(prompts: Sequence[str]) -> list[Said]:
        return [_ask(url, model, prompt) for prompt in prompts]

    return speak


def _ask(url: str, model: str, prompt: str) -> Said:
    """One greedy completion; nothing, with a warning, where the server fails: the run goes on without it."""
    from openai import OpenAI, OpenAIError

    try:
        # The merged model's chat template hands the message on as it is.
        client = OpenAI(base_url=url, api_key=os.environ.get(KEY) or "none", timeout=_SECONDS, max_retries=1)
        with client:
            reply = client.chat.completions.create(
                model=model,
                messages=[{"role": "user", "content": prompt}],
                temperature=0,
                max_tokens=512,
                logprobs=True,
            )
    except OpenAIError as error:
        log.warning("the fine-tuned model's server failed: %s", type(error).__name__)
        return Said("", 0.0)
    if not reply.choices:
        return Said("", 0.0)
    choice = reply.choices[0]
    tokens = (choice.logprobs.content if choice.logprobs else None) or []
    sure = math.exp(sum(token.logprob for token in tokens) / len(tokens)) if tokens else 0.0
    return Said(choice.message.content or "", sure)
