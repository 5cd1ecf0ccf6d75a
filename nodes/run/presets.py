"""Presets: the settings by which each method runs as its paper describes it (`preset="paper"`, `--preset paper`).

What a paper names, or its authors' code does, and what differs from the method's defaults. Settings that a run names
itself come first. docs/reference/fidelity.md says row by row what no setting can give.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

PresetName = Literal["none", "paper"]


@dataclass(frozen=True, slots=True)
class Preset:
    """Settings of one method.

    Attributes:
        settings: by name.
        with_model: those that take a chat model; a run without one leaves them out, with an event `preset`.
    """

    settings: Mapping[str, object] = field(default_factory=dict)
    with_model: Mapping[str, object] = field(default_factory=dict)

    def chosen(self, *, model: bool) -> dict[str, object]:
        """The settings of a run with or without a chat model."""
        return {**self.settings, **(self.with_model if model else {})}


NOTHING = Preset()

KEQING_PAPER = Preset(
    {
        "supplement": "always",  # section 3.2: dense triples beside the chains'
        "match": "cosine",  # equation 2: every sub-question goes to the K templates nearest in words
        "plan": "trained",  # the paper's questions become sub-questions, never plans that a model picks
    },
    {
        "decompose": "llm",  # section 3.1; `decompose=lora` is the fine-tuned model, where one was tuned
        "reason": "llm",  # equation 4: the candidates of all K templates, for every sub-question
        "respond": "llm",  # section 3.4
    },
)

KNOWGPT_PAPER = Preset(
    {
        "bandit": "paper",  # equations 6 to 8 as written, over the question's own embedding
        "policy": "learned",  # section 4.1.3
    },
    {"description": "llm"},  # section 4.2.1: graph descriptions by the black-box model
)

KNOWGPT_TRAINING_PAPER: Mapping[str, object] = {
    "warm_start": "bfs",  # DeepPath, which section 4.1.3 follows: shortest paths first, then policy gradients
    "rl_steps": 100,  # not given; what is best on held-out pairs is kept
    "rl_rate": 1e-3,  # not given
    "rehearsal": 0.0,  # section 4.1.3 knows no demonstrations beside the rewards
    "entropy": 0.0,
}
"""`trivium learn knowgpt --preset paper`: arguments of `PathTraining.changed`."""

ODA_PAPER = Preset(
    {
        "temperature": 0.4,  # section 3.2
        "completion_tokens": 500,  # section 3.2
        "max_iterations": 8,  # section 3.2
        "max_hops": 3,  # D, section 3.2
        "top_n": 50,  # N
        "top_p": 10,  # P
        "direction": "out",  # the authors' code
        "hub_triples": 300,  # the authors' code
        "observed_entities": 50,  # section 2.1: every task entity; a reflection leaves 15 at most
        "reflected_triples": 15,  # section 3.2
        "memory": "paper",  # section 2.3: the first path whose last tail is the triple's head, without more rules
        "reflection": "observed",
        "combined": False,  # two requests an iteration
    }
)
