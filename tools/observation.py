"""What an observation is, and the limits that keep it small (ODA, section 2.1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from trivium.kg.types import Direction, Hop, LogicalChain, WalkedTriple


@dataclass(frozen=True, slots=True)
class Limits:
    """How far and how wide to look."""

    max_hops: int = 3
    """Turns, D of the paper."""

    top_n: int = 50
    """Triples kept of a turn, N."""

    top_p: int = 10
    """Triples of a turn whose tails the next one starts from, P."""

    direction: Direction = "both"
    """The authors' code looks at outgoing triples alone."""

    per_entity: int = 10_000
    """Triples looked at around one entity; of a hub an even sample over its relations. The authors' code takes 300."""


class Observed(NamedTuple):
    """A triple of an observation.

    `triple` as it was walked, away from where its turn started; `score` the cosine with the question, in [-1, 1];
    `turn` in [1, D].
    """

    triple: WalkedTriple
    score: float
    turn: int


@dataclass(frozen=True, eq=False)
class Observation:
    """What one task entity shows: turn by turn, each turn's best triple first; no triple twice."""

    entity: str
    triples: tuple[Observed, ...] = ()

    def __iter__(self) -> Iterator[Observed]:
        return iter(self.triples)

    def __len__(self) -> int:
        return len(self.triples)

    @cached_property
    def chains(self) -> list[LogicalChain]:
        """The chains by which it leads away from its entity, each once, in the order seen."""
        reached: dict[str, LogicalChain] = {self.entity: ()}
        found: dict[LogicalChain, None] = {}
        turn, new = 0, dict[str, LogicalChain]()
        for triple, _, number in self.triples:
            if number > turn:  # a turn starts from where the ones before it ended
                reached, turn, new = {**new, **reached}, number, {}
            behind = reached.get(triple.start)
            if behind is not None:
                chain = (*behind, Hop(triple.relation, triple.inverse))
                found[chain] = None
                new.setdefault(triple.end, chain)
        return list(found)
