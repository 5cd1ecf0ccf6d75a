"""What ODA's prompts show: every entity by its label with its id, never an id alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from trivium.kg.types import WalkedTriple
from trivium.nodes.oda.memory import triples_of
from trivium.nodes.oda.state import Action, OdaState
from trivium.tools.get_labels import get_labels
from trivium.tools.observe import Observation

_NOTHING = "(none)"


class EntityNames:
    """Labels of the entities that one prompt names, asked for at once."""

    def __init__(self, labels: dict[str, str]) -> None:
        self._labels = labels

    @classmethod
    async def of(cls, kg: str, entities: Iterable[str]) -> EntityNames:
        """The labels of these ids."""
        ids = list(dict.fromkeys(entities))
        return cls(dict(zip(ids, await get_labels(kg, ids), strict=True)))

    def entity(self, key: str) -> str:
        """`Tokyo [prefecture/tokyo]`, or the id where it is its own label."""
        label = self._labels.get(key, key)
        return key if label == key else f"{label} [{key}]"

    def label(self, key: str) -> str:
        """The label alone."""
        return self._labels.get(key, key)

    def triple(self, triple: WalkedTriple) -> str:
        """`(head, relation, tail)` as it is stored."""
        return f"({self.entity(triple.head)}, {triple.relation}, {self.entity(triple.tail)})"

    def triples(self, triples: Iterable[WalkedTriple]) -> str:
        """A line a triple."""
        return "\n".join(dict.fromkeys(map(self.triple, triples))) or _NOTHING

    def numbered(self, triples: Sequence[WalkedTriple]) -> str:
        """A line a triple, numbered from 1."""
        return "\n".join(f"{place}. {self.triple(triple)}" for place, triple in enumerate(triples, 1)) or _NOTHING

    def entities(self, keys: Iterable[str]) -> str:
        """Entities in a line."""
        return "; ".join(map(self.entity, keys)) or _NOTHING

    def actions(self, history: Iterable[Action]) -> str:
        """Actions in a line each."""
        return "\n".join(f"{done['name']}({self.entities(done['entities'])})" for done in history) or _NOTHING

    def memory(self, state: OdaState) -> str:
        """The paths of the memory, a line each, and the facts in words."""
        paths = [" -> ".join(self.triple(WalkedTriple(*step)) for step in path) for path in state["memory"]]
        return "\n".join([*paths, *state["facts"]]) or _NOTHING


def named_in(triples: Iterable[WalkedTriple]) -> list[str]:
    """The entities of some triples."""
    return [entity for triple in triples for entity in (triple.head, triple.tail)]


def entities_of_run(state: OdaState) -> list[str]:
    """The entities of the memory, the history and the candidates' stage."""
    actions = [entity for done in state["history"] for entity in done["entities"]]
    return [*named_in(triples_of(state["memory"])), *actions, *state["task_entities"], *state["topics"]]


def nearest(observations: Iterable[Observation], count: int) -> list[WalkedTriple]:
    """The triples of several observations that are nearest to the question, each once."""
    found = sorted((each for observation in observations for each in observation), key=lambda each: -each.score)
    stored: dict[tuple[str, str, str], WalkedTriple] = {}
    for each in found:
        stored.setdefault(each.triple[:3], each.triple)
    return list(stored.values())[:count]
