"""Settings of a Keqing run."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from trivium.kg.errors import UsageError
from trivium.nodes.run.access import NO_MODEL
from trivium.nodes.run.context import Context
from trivium.nodes.run.presets import KEQING_PAPER, Preset

Supplement = Literal["auto", "always", "never"]
_VERY_WORDS = 0.999  # cosine from which a sub-question is the template's own text, up to rounding


class KeqingContext(Context):
    """Settings of a Keqing run; a server's client may set each of them."""

    paper: ClassVar[Preset] = KEQING_PAPER

    templates_per_sub_question: Annotated[int, Field(ge=1)] = 3
    """Templates matched to each sub-question, K of the paper's figure 5; tried in order without a model."""

    match: Literal["auto", "cosine"] = "auto"
    """Which chains a sub-question follows; `auto`: the decomposer's own where it names one, else its nearest
    templates; `cosine`: its nearest templates always, by their text alone (equation 2)."""

    max_entities: Annotated[int, Field(ge=1)] = 10_000
    """Entities kept at every hop, those with the most support; a run that was cut says so in its events."""

    supplement: Supplement = "auto"
    """Dense triples beside the chains' (section 3.2); `auto`: where the chains find nothing."""

    evidence_tokens: Annotated[int, Field(ge=0)] = 2_000
    """Token budget of the evidence of a sub-question, the chains' triples and the supplement together."""

    review: bool = False
    """Stop before the first retrieval and show the sub-questions, for a human to approve or edit; needs a thread."""

    decompose: Literal["auto", "trained", "llm", "lora", "lora_chains"] = "auto"
    """Who decomposes; `auto`: the trained decomposer where it is sure, the model where it is not. Without a model
    always the trained one; `lora`: what `trivium learn lora` fine-tuned, which writes sub-questions in words;
    `lora_chains`: the one of `--stage chains`, which writes logical chains, the weaker side of the paper's figure 6."""

    sure: Annotated[float, Field(ge=0, le=1)] = 0.95
    """The trained decomposer's confidence, in [0, 1], from which `auto` asks no model; `trivium eval keqing-sure` says
    what it is worth."""

    plan: Literal["auto", "trained", "llm"] = "auto"
    """Who chooses among the reader's query plans; `auto`: the model where the reader is not sure (`sure`), on graphs
    with types and for questions that compute something; `llm`: always. Without a model always the reader."""

    exemplars: Annotated[int, Field(ge=0)] = 4
    """Learned questions with their decomposition shown to the model that decomposes, those nearest to the question."""

    reason: Literal["auto", "chains", "llm", "lora"] = "auto"
    """Who chooses among a sub-question's candidates; `auto`: the model, but for sub-questions in the very words of a
    template, whose chains are the answer. Without a model always the chains; `lora`: the fine-tuned reasoner."""

    triple_format: Literal["tuples", "text"] = "tuples"
    """How the model that reasons is shown triples (section 3.3): `tuples` for models as they are, `text` for tuned."""

    respond: Literal["auto", "rules", "llm"] = "auto"
    """Who words the answer; `auto`: the model where one is named."""

    def judges(self, score: float) -> bool:
        """Whether the model chooses among the candidates of a sub-question whose best template has this cosine."""
        if self.reason == "lora":
            return True
        if self.model == NO_MODEL or self.reason == "chains":
            return False
        return self.reason == "llm" or score < _VERY_WORDS

    def check(self) -> None:
        """Refuse settings that no run can have; raises as `Context.check`."""
        super().check()
        if self.model != NO_MODEL:
            from trivium.nodes.keqing.prompts import check_keqing_prompts  # a run without a model has no prompt

            check_keqing_prompts()
        elif "llm" in (self.decompose, self.plan, self.reason, self.respond):
            raise UsageError("a stage is set to llm, but no model is named: name one, such as openai:gpt-4o-mini")
