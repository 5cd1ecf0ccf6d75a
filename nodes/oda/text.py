"""What ODA's prompts show: every entity by its label with its id, never an id alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from trivium.kg.indexes.words import brief_name
from trivium.kg.text import fold_name
from trivium.kg.types import WalkedTriple
from trivium.nodes.oda.memory import triples_of
from trivium.nodes.oda.state import Action, OdaState
from trivium.tools.get_labels import get_labels
from trivium.tools.observe import Observation

_NOTHING = "(none)"
_ENDS = 20  # entities named in a line
_SEEN = 6  # those of a line that is only a guide
_MANY = 15  # single triples of the memory from which they share lines


@dataclass(frozen=True, slots=True)
class PromptLine:
    """A line of a prompt, and the triples that it stands for."""

    text: str
    triples: list[WalkedTriple]


def numbered(lines: Sequence[PromptLine]) -> str:
    """The lines, numbered from 1."""
    return "\n".join(f"{place}. {line.text}" for place, line in enumerate(lines, 1)) or _NOTHING


class EntityNames:
    """Labels of the entities that one prompt names, asked for at once."""

    def __init__(self, labels: dict[str, str]) -> None:
        self._labels = labels
        self._called = Counter(map(fold_name, labels.values()))

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
        head, tail = self._told_apart(triple.head), self._told_apart(triple.tail)
        return f"({head}, {brief_name(triple.relation)}, {tail})"

    def triples(self, triples: Iterable[WalkedTriple]) -> str:
        """The triples of an observation, a line for each start and relation, of many entities the first."""
        return "\n".join(line.text for line in self.lines(triples, _SEEN)) or _NOTHING

    def lines(self, triples: Iterable[WalkedTriple], most: int = _ENDS) -> list[PromptLine]:
        """The triples as they are stored, each once; those of one start and relation share a line.

        `(Lured; Shockproof, directed_by, Douglas Sirk)`. Entities of one name are told apart by their ids.
        """
        groups: dict[tuple[str, str, bool], list[WalkedTriple]] = {}
        seen: set[tuple[str, str, str]] = set()
        for triple in triples:
            if triple[:3] not in seen:
                seen.add(triple[:3])
                groups.setdefault((triple.start, triple.relation, triple.inverse), []).append(triple)
        out = []
        for (start, relation, inverse), found in groups.items():
            ends = [self._told_apart(triple.end) for triple in found[:most]]
            many = "; ".join(ends) + (f"; and {len(found) - most} more" if len(found) > most else "")
            head, tail = (many, self._told_apart(start)) if inverse else (self._told_apart(start), many)
            out.append(PromptLine(f"({head}, {brief_name(relation)}, {tail})", found))
        return out

    def _told_apart(self, key: str) -> str:
        """The label, with the id where another entity is called the same."""
        return self.entity(key) if self._called[fold_name(self.label(key))] > 1 else self.label(key)

    def entities(self, keys: Iterable[str]) -> str:
        """Entities in a line."""
        return "; ".join(map(self.entity, keys)) or _NOTHING

    def actions(self, history: Iterable[Action]) -> str:
        """Actions in a line each."""
        return "\n".join(f"{done['name']}({self.entities(done['entities'])})" for done in history) or _NOTHING

    def memory(self, state: OdaState) -> str:
        """The paths of the memory, a line each, and the facts in words; of many single triples as `lines` has them."""
        memory = [[WalkedTriple(*step) for step in path] for path in state["memory"]]
        single = [path[0] for path in memory if len(path) == 1]
        shared = self.lines(single) if len(single) > _MANY else []
        paths = [" -> ".join(map(self.triple, path)) for path in memory if not shared or len(path) > 1]
        return "\n".join([*(line.text for line in shared), *paths, *state["facts"]]) or _NOTHING


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
