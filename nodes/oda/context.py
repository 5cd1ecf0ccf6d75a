"""Settings of an ODA run."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from trivium.kg.errors import UsageError
from trivium.nodes.run.access import NO_MODEL
from trivium.nodes.run.context import Context
from trivium.nodes.run.presets import ODA_PAPER, Preset
from trivium.tools.observe import ObservationLimits

Reflection = Literal["observed", "similarity", "random", "generated_fact"]


class OdaContext(Context):
    """Settings of an ODA run; a server's client may set each of them. The paper's values are the defaults."""

    paper: ClassVar[Preset] = ODA_PAPER

    temperature: Annotated[float | None, Field(ge=0, le=2, allow_inf_nan=False)] = 0.4
    """The model's temperature (section 3.2)."""

    completion_tokens: Annotated[int | None, Field(ge=1)] = 500
    """The longest answer of one request to the model, in tokens (section 3.2)."""

    max_iterations: Annotated[int, Field(ge=1)] = 8
    """Rounds of observe, act and reflect (section 3.2)."""

    max_hops: Annotated[int, Field(ge=1, le=6)] = 3
    """Turns of an observation, D (section 3.2)."""

    top_n: Annotated[int, Field(ge=1)] = 50
    """Triples kept of a turn, N (section 3.2)."""

    top_p: Annotated[int, Field(ge=1)] = 10
    """Triples of a turn whose tails the next turn starts from, P (section 3.2)."""

    direction: Literal["both", "out"] = "both"
    """Which triples are looked at around an entity; the authors' code takes outgoing ones alone."""

    hub_triples: Annotated[int, Field(ge=1)] = 10_000
    """Triples that an observation looks at around one entity; of a hub an even sample. The authors' code takes 300."""

    observed_entities: Annotated[int, Field(ge=1)] = 5
    """Task entities that are observed in one iteration, the first ones; all of them are candidates for an action."""

    reflected_triples: Annotated[int, Field(ge=1)] = 15
    """Triples that one reflection keeps at most (section 3.2)."""

    path_hops: Annotated[int, Field(ge=1, le=6)] = 3
    """The longest path that GetPath looks for; the paper gives no limit."""

    path_limit: Annotated[int, Field(ge=1)] = 20
    """Paths that GetPath returns at most, the shortest first; the paper gives no limit."""

    memory: Literal["simple", "paper"] = "simple"
    """How a reflected triple joins the memory; `paper`: the first path whose last tail is its head, else a path of its
    own (section 2.3); `simple`: also no triple twice, and no path that comes back."""

    shown_triples: Annotated[int, Field(ge=1)] = 30
    """Triples of the observation that a prompt shows, the nearest to the question."""

    candidate_triples: Annotated[int, Field(ge=1)] = 100
    """Triples of an action's result that a reflection chooses among, the nearest to the question."""

    observation: bool = True
    """False leaves the observation out (section 4.1)."""

    reflection: Reflection = "observed"
    """How triples are chosen: with the observation, or by one of section 4.2's ablations."""

    seed: int = 0
    """Of the random reflection."""

    combined: bool = False
    """One request for a reflection and the action after it, in place of the paper's two."""

    review: bool = False
    """Stop before an action is carried out, for a human to approve or edit it."""

    def check(self) -> None:
        """Refuse settings that no run can have; raises as `Context.check`, and `UsageError`."""
        super().check()
        if self.model != NO_MODEL:
            from trivium.nodes.oda.prompts import check_oda_prompts  # a run without a model has no prompt

            check_oda_prompts()
        elif self.reflection == "generated_fact":
            raise UsageError("reflection generated_fact has a model write the facts: name one, or choose another")

    @property
    def limits(self) -> ObservationLimits:
        """The observation's limits."""
        return ObservationLimits(self.max_hops, self.top_n, self.top_p, self.direction, self.hub_triples)
