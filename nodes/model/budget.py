"""What a run may spend on its model, and what it has spent.

Usage is state (`run.usage`): each stage returns what it spent itself, so that parallel nodes add up, a checkpoint
carries it, and nothing outlives a run. A `Budget` is what is left; `after` derives another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trivium.nodes.run.usage import Usage, estimate_tokens

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage


def prompt_tokens(messages: Sequence[BaseMessage]) -> int:
    """Tokens of a prompt, estimated."""
    return sum(estimate_tokens(str(message.text)) for message in messages)


@dataclass(frozen=True, slots=True)
class Budget:
    """What is left to spend: requests sent to the model, tokens of prompts and completions, seconds spent on them.

    A request starts only while all three allow it; the last one may overrun the tokens by the length of its answer.
    """

    calls: int = 32
    tokens: int = 200_000
    seconds: float = 180.0

    def after(self, usage: Usage) -> Budget:
        """What is left once this was spent."""
        return Budget(
            calls=self.calls - usage["llm_calls"],
            tokens=self.tokens - usage["prompt_tokens"] - usage["completion_tokens"],
            seconds=self.seconds - usage["seconds"],
        )

    def refusal(self, tokens: int) -> str | None:
        """Why a prompt of so many tokens may not be sent; None where it may."""
        if self.calls < 1:
            return "the run's budget of model calls is used up"
        if self.seconds <= 0:
            return "the run's seconds for the model are used up"
        if tokens > self.tokens:
            return f"the prompt needs about {tokens:,} tokens, {max(self.tokens, 0):,} of the run's are left"
        return None
