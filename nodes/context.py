"""`Context`: the settings of a run, chosen by the client and the same for every node."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kg.errors import ModelError, UsageError

Supplement = Literal["auto", "always", "never"]


@dataclass(frozen=True)
class Context:
    """Settings of a run; a server's client may set each of them."""

    kg: str = "sample"
    """The KG: a name that the operator gave, or on the command line a directory."""

    model: str = "none"
    """The chat model; `none` answers by the paper's stages without an LLM."""

    templates_per_sub_question: int = 3
    """Templates matched to each sub-question, K of the paper's figure 5; tried in order without a model."""

    max_entities: int = 10_000
    """Entities kept at every hop, those with the most support; a run that was cut says so in its events."""

    supplement: Supplement = "auto"
    """Dense triples beside the chains' (section 3.2); `auto`: where the chains find nothing."""

    supplement_tokens: int = 1_000
    """Token budget of the evidence of a sub-question, the chains' triples and the supplement together."""

    def check(self) -> None:
        """Refuse settings that no run can have, before it starts.

        Raises:
            ModelError: a chat model is named; this release answers without one.
            UsageError: a number is out of its range.
        """
        if self.model != "none":
            raise ModelError(f"model {self.model!r} cannot be used: this release answers with --model none alone")
        for name in ("templates_per_sub_question", "max_entities"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} must be at least 1, not {getattr(self, name)}")
        if self.supplement_tokens < 0:
            raise UsageError(f"supplement_tokens must not be negative, not {self.supplement_tokens}")
