"""`Context`: the settings that every method's run has; a method's own stand in `nodes/METHOD/context.py`."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass, field

from trivium.kg.catalog import SAMPLE
from trivium.kg.errors import UsageError
from trivium.nodes.run.access import NO_MODEL, check_policy
from trivium.nodes.run.described import Described
from trivium.nodes.run.settings import check_at_least, check_kinds

DEFAULT_KG = "TRIVIUM_DEFAULT_KG"
"""The environment variable by which an operator names the KG of runs that name none."""


@dataclass(frozen=True)
class Context(Described):
    """Settings of a run, chosen by the client and the same for every node; a server's client may set each of them."""

    kg: str = field(default_factory=lambda: os.environ.get(DEFAULT_KG) or SAMPLE)
    """The KG: a name that the operator gave, or on the command line a directory; `sample` is the bundled one."""

    model: str = NO_MODEL
    """The chat model, as `openai:NAME` or `PROVIDER:NAME`; `none` answers by the paper's stages without an LLM."""

    temperature: float | None = 0.0
    """The model's temperature, in [0, 2]; None leaves the server's own, and models that take none get none."""

    completion_tokens: int | None = None
    """The longest answer of one request to the model, in tokens; None leaves the server's own."""

    max_llm_calls: int = 32
    """Requests that a run may send to the model, repair turns and retries among them; 0 sends none."""

    max_tokens: int = 200_000
    """Tokens of prompts and completions that a run may spend; the last completion may overrun them."""

    max_seconds: float = 180.0
    """Seconds that a run may spend on the model, all its stages together."""

    stage_seconds: float = 60.0
    """Seconds that one stage may spend on the model, its waits and repair turn included; then it does without."""

    def check(self) -> None:
        """Refuse settings that no run can have, before it starts. Blocks a little where a model is named.

        Raises:
            ModelError: the model is unknown, its package is not installed, or its key is missing.
            UsageError: a setting is out of its range, of another kind, or on a server not the operator's.
        """
        check_kinds(self)
        check_policy(self)
        check_at_least(self, 0, "max_llm_calls", "max_tokens", "max_seconds", "stage_seconds", "temperature")
        check_at_least(self, 1, "completion_tokens")
        if self.temperature is not None and self.temperature > 2:
            raise UsageError(f"temperature must be at most 2, not {self.temperature}")
        if self.model != NO_MODEL:
            from trivium.nodes.model import check_model  # a run without a model pays nothing for the layer

            check_model(self.model)


async def check_context(context: Context) -> None:
    """`context.check()` for a run's first stage: in a thread where it may block, as an event loop must not.

    Without a model, and for OpenAI-compatible ones, a check is a few looks at the environment; others are built for it.
    """
    if context.model == NO_MODEL or str(context.model).startswith("openai:"):
        context.check()
    else:
        await asyncio.to_thread(context.check)
