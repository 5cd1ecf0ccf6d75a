"""Settings of a Keqing run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nodes.context import Context
from nodes.settings import check_at_least

Supplement = Literal["auto", "always", "never"]


@dataclass(frozen=True)
class KeqingContext(Context):
    """Settings of a Keqing run; a server's client may set each of them."""

    templates_per_sub_question: int = 3
    """Templates matched to each sub-question, K of the paper's figure 5; tried in order without a model."""

    max_entities: int = 10_000
    """Entities kept at every hop, those with the most support; a run that was cut says so in its events."""

    supplement: Supplement = "auto"
    """Dense triples beside the chains' (section 3.2); `auto`: where the chains find nothing."""

    supplement_tokens: int = 1_000
    """Token budget of the evidence of a sub-question, the chains' triples and the supplement together."""

    review: bool = False
    """Stop before the first retrieval and show the sub-questions, for a human to approve or edit; needs a thread."""

    def check(self) -> None:
        """Refuse settings out of range; raises as `Context.check`."""
        super().check()
        check_at_least(self, 1, "templates_per_sub_question", "max_entities")
        check_at_least(self, 0, "supplement_tokens")
