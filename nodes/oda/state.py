"""What ODA's stages hand on: ids and short paths. A stage that needs an observation computes it again, or caches it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from trivium.nodes.run.state import RunState, Step
from trivium.nodes.run.usage import add_events

ActionName = Literal["GetNeighbor", "GetPath", "Answer"]


class Action(TypedDict):
    """An action (section 2.2).

    `entities`: of GetNeighbor one, or several that one relation led to; of GetPath two; of Answer none. `thought`: why,
    in words. `by`: who chose it. `hop`: the relation by which similarity expects to get on from there, `^` before one
    walked from tail to head; None where it did not choose.
    """

    name: ActionName
    entities: list[str]
    thought: str
    by: Literal["model", "only_choice", "similarity", "human"]
    hop: str | None


class OdaState(RunState, total=False):
    """State of the `oda` graph."""

    topics: list[str]
    """The entities that the question starts from, ids: given, or linked."""
    named: list[str]
    """Other entities that the question names, ids: what a fact is checked against."""
    namesakes: dict[str, list[str]]
    """Of linked entities whose name others have too, all of that name: a fact may be about any of them."""
    mentions: list[str]
    """The words by which the question names what was linked; empty where the client gave the topics."""
    task_entities: list[str]
    """The task entities of this iteration, ids: the topics, then the tails of what was reflected."""
    iteration: int
    """Rounds begun, from 1."""
    action: Action | None
    """The action of this iteration."""
    proposed: Action | None
    """The next action where it was chosen together with the reflection (`OdaContext.combined`)."""
    result: list[list[Step]]
    """What this iteration's action gave, as paths: what `reflect` chooses among. GetNeighbor's have one triple each,
    walked away from the entity; of very many the nearest to the question."""
    history: list[Action]
    """The actions that were carried out, in order."""
    memory: list[list[Step]]
    """The network of paths (section 2.3)."""
    facts: list[str]
    """Facts in words that a model wrote, of the generated-fact reflection alone."""
    log: Annotated[list[dict[str, Any]], add_events]
    """What the stages did, in order: the answer's `steps`."""
