"""`GraphStore`: the asynchronous, batched protocol that every backend implements.

`tests/contracts/graph_store.py` is the contract in tests; a backend is done when it passes them all.
Every method takes many inputs at once and answers in their order. Unknown ids are no error here: they have
no neighbors and reach nothing (the command line and the tools refuse them by name).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Protocol

from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.plan import QueryPlan
from trivium.kg.plans.result import PlanResult
from trivium.kg.profile import GraphProfile
from trivium.kg.types import (
    ChainResult,
    Direction,
    Entity,
    EntityHit,
    Hop,
    KGInfo,
    LogicalChain,
    Neighbor,
    ReasoningPath,
    RelationSchema,
    Triple,
    WalkedTriple,
)


class GraphStore(Protocol):
    """A KG that can be read in batches and written in transactions."""

    async def entities(self, ids: Sequence[str]) -> list[Entity | None]:
        """The entities with these ids; None where there is none."""
        ...

    async def labels(self, ids: Sequence[str]) -> list[str]:
        """The labels of these ids; an unknown id is its own label."""
        ...

    async def find(self, texts: Sequence[str], *, limit: int = 10, fuzzy: bool = True) -> list[list[EntityHit]]:
        """Candidates for each text, best first: by score, then degree, then id.

        Ids, labels and aliases are searched: exact, then folded (case, accents, punctuation), then, with `fuzzy`
        and only where those found nothing, with typos. An ambiguous name returns all its candidates up to `limit`.
        """
        ...

    async def find_partial(self, texts: Sequence[str], *, limit: int = 10) -> list[list[EntityHit]]:
        """Entities with a name of which each text is a part: all its words in their order, and others beside them.

        "harry truman" finds Harry S. Truman; folded as in `find`, whose own hits are left out. Best first: the larger
        the share of the name, the higher the score, in [0.7, 0.9); then degree, then id. `match` is "partial".
        """
        ...

    async def neighbors(
        self,
        ids: Sequence[str],
        *,
        relation: str | None = None,
        direction: Direction = "both",
        limit: int | None = None,
    ) -> list[list[WalkedTriple]]:
        """The triples around each entity, walked away from it, at most `limit` an entity; sorted by relation, then end.

        A self-loop stands once in `out` and once in `in`, and once in `both`.
        """
        ...

    async def labelled_neighbors(
        self, ids: Sequence[str], *, direction: Direction = "both", limit: int | None = None
    ) -> list[list[Neighbor]]:
        """As `neighbors`, each triple with the label of the entity that it leads to, in the same round trip.

        For who walks a graph layer by layer by what its entities are called.
        """
        ...

    async def hops(self, ids: Sequence[str]) -> list[frozenset[Hop]]:
        """The hops that leave each entity: which relations a chain from it may begin with, and in which direction."""
        ...

    async def transitions(self) -> dict[Hop, frozenset[Hop]]:
        """For every hop of the KG, the hops that leave some entity which it reaches."""
        ...

    async def follow(self, seeds: Sequence[str], chain: LogicalChain, *, limit: int | None = None) -> ChainResult:
        """Walk a chain from all seeds at once. `limit` caps the entities reached at every hop (lowest support dropped).

        An unknown relation reaches nothing. An empty chain reaches the seeds themselves by empty paths.
        """
        ...

    async def ends(self, seeds: Sequence[str], chain: LogicalChain, *, limit: int | None = None) -> frozenset[str]:
        """The ids and values of what `follow` reaches; cheaper, since nothing is ordered or proved."""
        ...

    async def reaches(self, seed: str, chain: LogicalChain, without: Sequence[str] = ()) -> bool:
        """Whether a chain leads from the seed to any entity but those of `without`; cheaper than `follow`."""
        ...

    async def paths(self, source: str, target: str, *, max_hops: int = 3, limit: int = 100) -> list[ReasoningPath]:
        """Simple paths (no entity twice), each step in either direction, shortest first, at most `limit`.

        A target that is not an entity's id, or is a `ValueText`, is a value: paths to it end in a property that has it.
        """
        ...

    async def contains(self, triples: Sequence[Triple]) -> list[bool]:
        """Whether each triple is stored."""
        ...

    async def qualifiers(self, triples: Sequence[Triple]) -> list[tuple[dict[str, str], ...]]:
        """What else is said of each triple: one mapping a statement of it, name -> value as text; () where nothing.

        A user's own graph in Neo4j has relationship properties (a role, a date); other KGs have none.
        """
        ...

    async def schema(self) -> list[RelationSchema]:
        """All relations, most triples first."""
        ...

    async def profile(self) -> GraphProfile:
        """Types, properties and relationships with their statistics: what plans are checked against.

        Raises:
            NoCopyError: of a large database that has no local copy.
        """
        ...

    async def columns(self) -> GraphColumns:
        """The graph as arrays, on which plans are tried and proved; raises as `profile`."""
        ...

    async def run_plan(
        self, plan: QueryPlan, *, seconds: float = 30.0, row_limit: int = 5_000_000, limit: int = 1000
    ) -> PlanResult:
        """What a plan gives: its first `limit` entities or rows, or its value, with evidence and paths.

        Entities of a set without an order of its own go by id.

        Args:
            plan: it fits the profile (`trivium.kg.plans.check`).
            seconds: after which it is ended.
            row_limit: rows that the answer, or a step of it, may have.
            limit: entities or rows that are given; the first 1,000 of them have paths.

        Raises:
            TimeLimitError: it took longer, or has more rows.
            NoCopyError: as `profile`.
        """
        ...

    def triples(self, *, batch_size: int = 10_000) -> AsyncIterator[list[Triple]]:
        """A stream of all triples in batches; never the whole graph in memory."""
        ...

    def all_entities(self, *, batch_size: int = 10_000) -> AsyncIterator[list[Entity]]:
        """A stream of all entities in batches, by id."""
        ...

    async def info(self) -> KGInfo:
        """Counts and content hash."""
        ...

    async def fingerprint(self) -> str:
        """Changes when triples come or go; asking costs no more than a round trip."""
        ...

    async def add(self, triples: Iterable[Triple], entities: Iterable[Entity] = ()) -> int:
        """Add triples (and name entities) in one transaction; returns how many triples were new."""
        ...

    async def delete(self, triples: Iterable[Triple]) -> int:
        """Delete triples in one transaction; entities left without a triple go too. Returns how many were there."""
        ...

    async def close(self) -> None:
        """Release files and connections; safe to call twice."""
        ...

    def close_now(self) -> None:
        """`close` for synchronous callers."""
        ...
