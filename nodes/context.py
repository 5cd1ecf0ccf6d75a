"""`Context`: the settings that every method's run has; a method's own stand in `nodes/METHOD_context.py`."""

from __future__ import annotations

from dataclasses import dataclass

from kg.errors import ModelError


@dataclass(frozen=True)
class Context:
    """Settings of a run, chosen by the client and the same for every node; a server's client may set each of them."""

    kg: str = "sample"
    """The KG: a name that the operator gave, or on the command line a directory."""

    model: str = "none"
    """The chat model; `none` answers by the paper's stages without an LLM."""

    def check(self) -> None:
        """Refuse settings that no run can have, before it starts.

        Raises:
            ModelError: a chat model is named; this release answers without one.
        """
        if self.model != "none":
            raise ModelError(f"model {self.model!r} cannot be used: this release answers with --model none alone")
