"""Settings of a KnowGPT run."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from trivium.kg.errors import UsageError
from trivium.nodes.run.access import NO_MODEL
from trivium.nodes.run.context import Context
from trivium.nodes.run.presets import KNOWGPT_PAPER, Preset

Prompt = Literal[
    "auto", "rl/sentences", "rl/triples", "rl/graph", "sub/sentences", "sub/triples", "sub/graph", "direct"
]


class KnowGPTContext(Context):
    """Settings of a KnowGPT run; a server's client may set each of them."""

    paper: ClassVar[Preset] = KNOWGPT_PAPER

    prompt: Prompt = "auto"
    """The arm, extraction and format. `auto`: the bandit chooses; `direct`: no knowledge at all, to compare with."""

    bandit: Literal["linucb", "greedy", "paper"] = "linucb"
    """How the bandit chooses; `paper`: equations 6 to 8 as written, over the question's own embedding and from pulls of
    its own; `linucb`: the same bound over regressions that learn from each other (deviations B2, B3); `greedy`: the
    same without exploring."""

    bandit_lambda: Annotated[float | None, Field(gt=0, allow_inf_nan=False)] = None
    """lambda of equation 7; None is 60, and 1 for `bandit=paper`: the paper gives no value."""

    bandit_delta: Annotated[float, Field(gt=0, le=1)] = 0.3
    """delta of equation 8, in (0, 1]: the smaller, the longer every arm is explored."""

    discount: Annotated[float, Field(gt=0, le=1)] = 1.0
    """What feedback weighs after one more piece of it, in (0, 1]; below 1 the bandit follows a model that drifts."""

    review: bool = False
    """Stop before the prompt is chosen and show the arms, for a human to choose another; needs a thread."""

    candidates: Annotated[int, Field(ge=1, le=100)] = 8
    """Candidate answers that are proposed for an open question."""

    propose: Literal["auto", "kg", "llm"] = "auto"
    """Who proposes them; `auto`: the model where one is named, else the KG around the question's entities."""

    max_hops: Annotated[int, Field(ge=1, le=6)] = 3
    """Longest path, K of section 4.1."""

    beam_width: Annotated[int, Field(ge=1)] = 8
    """Entities that the path policy looks around at each hop of a pair."""

    paths_per_pair: Annotated[int, Field(ge=1)] = 3
    """Paths kept of each pair of entities."""

    policy: Literal["learned", "structural", "random", "exact"] = "learned"
    """Who walks: the learned policy, or, to compare, an untrained one, chance, or an exact search."""

    max_triples: Annotated[int, Field(ge=1)] = 60
    """Triples that the extraction hands on, those of the largest reward."""

    evidence_tokens: Annotated[int, Field(ge=0)] = 350
    """Token budget of the knowledge in the prompt, estimated by characters."""

    description: Literal["auto", "llm", "rules"] = "auto"
    """Who writes graph descriptions; `auto`: the model, as in the paper, where one is named."""

    def check(self) -> None:
        """Refuse settings that no run can have; raises as `Context.check`."""
        super().check()
        if self.model != NO_MODEL:
            from trivium.nodes.knowgpt.prompts import check_knowgpt_prompts  # a run without a model has no prompt

            check_knowgpt_prompts()
        elif self.prompt == "direct" or "llm" in (self.propose, self.description):
            raise UsageError("this setting asks a model, but none is named: name one, such as openai:gpt-4o-mini")
