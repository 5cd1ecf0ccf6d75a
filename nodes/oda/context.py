"""Settings of an ODA run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from trivium.kg.errors import UsageError
from trivium.nodes.run.access import NO_MODEL
from trivium.nodes.run.context import Context
from trivium.nodes.run.settings import check_at_least
from trivium.tools.observe import ObservationLimits

Reflection = Literal["observed", "similarity", "random", "generated_fact"]


@dataclass(frozen=True)
class OdaContext(Context):
    """Settings of an ODA run; a server's client may set each of them. The paper's values are the defaults."""

    temperature: float | None = 0.4
    """The model's temperature (section 3.2)."""

    completion_tokens: int | None = 500
    """The longest answer of one request to the model, in tokens (section 3.2)."""

    max_iterations: int = 8
    """Rounds of observe, act and reflect (section 3.2)."""

    max_hops: int = 3
    """Turns of an observation, D (section 3.2)."""

    top_n: int = 50
    """Triples kept of a turn, N (section 3.2)."""

    top_p: int = 10
    """Triples of a turn whose tails the next turn starts from, P (section 3.2)."""

    direction: Literal["both", "out"] = "both"
    """Which triples are looked at around an entity; the authors' code takes outgoing ones alone."""

    hub_triples: int = 10_000
    """Triples that an observation looks at around one entity; of a hub an even sample. The authors' code takes 300."""

    observed_entities: int = 5
    """Task entities that are observed in one iteration, the first ones; all of them are candidates for an action."""

    reflected_triples: int = 15
    """Triples that one reflection keeps at most (section 3.2)."""

    path_hops: int = 3
    """The longest path that GetPath looks for; the paper gives no limit."""

    path_limit: int = 20
    """Paths that GetPath returns at most, the shortest first; the paper gives no limit."""

    shown_triples: int = 50
    """Triples of the observation that a prompt shows, the nearest to the question."""

    candidate_triples: int = 100
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
        """Refuse settings out of range; raises as `Context.check`, and `UsageError`."""
        super().check()
        check_at_least(self, 1, "max_iterations", "max_hops", "top_n", "top_p", "hub_triples", "observed_entities")
        check_at_least(self, 1, "reflected_triples", "path_limit", "shown_triples", "candidate_triples", "path_hops")
        if self.path_hops > 6:
            raise UsageError(f"path_hops must be at most 6, not {self.path_hops}: paths grow with every hop")
        if self.model != NO_MODEL:
            from trivium.nodes.oda.prompts import check_oda_prompts  # a run without a model has no prompt

            check_oda_prompts()
        elif self.reflection == "generated_fact":
            raise UsageError("reflection generated_fact has a model write the facts: name one, or choose another")

    @property
    def limits(self) -> ObservationLimits:
        """The observation's limits."""
        return ObservationLimits(self.max_hops, self.top_n, self.top_p, self.direction, self.hub_triples)
