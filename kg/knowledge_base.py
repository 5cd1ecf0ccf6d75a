"""What learning and searching need of an open KG. `trivium.knowledge.Knowledge` is the class that has it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Protocol, TypeVar

from trivium.kg.additive_vectors import AdditiveVectors
from trivium.kg.embedded import Snapshot
from trivium.kg.embedders import CachedEmbedder
from trivium.kg.indexes import VectorIndex
from trivium.kg.store import GraphStore
from trivium.kg.types import Progress

T = TypeVar("T")


class KnowledgeBase(Protocol):
    """One open KG, as policies see it: policies do not import the class that opens it."""

    @property
    def name(self) -> str:
        """The KG's name, directory or address, as it was opened."""
        ...

    @property
    def path(self) -> Path:
        """The KG's directory; for a KG in Neo4j the local folder of what is learned from it."""
        ...

    @property
    def store(self) -> GraphStore:
        """The KG's store."""
        ...

    @property
    def embedder(self) -> CachedEmbedder:
        """The KG's embedder, in front of the vectors that it has made already."""
        ...

    @property
    def learnt(self) -> Path:
        """The folder of what Keqing has learned from the KG."""
        ...

    def snapshot(self) -> Snapshot | None:
        """The newest adjacency arrays; None where the KG has none at hand."""
        ...

    def additive_vectors(self) -> AdditiveVectors | None:
        """Rows of vectors that add up for the newest snapshot; None without one, or with another kind of embedder."""
        ...

    async def sources(self) -> dict[str, str]:
        """The fingerprints of what artifacts are made from: `kg`, `schema`, `embedder`."""
        ...

    async def relations(self) -> VectorIndex:
        """The relations by the meaning of their names; keys are relation names."""
        ...

    async def entities(self) -> VectorIndex:
        """The entities by the meaning of their labels; keys are ids."""
        ...

    async def learning_store(self, show: Progress) -> GraphStore:
        """The store that learning reads, which asks a hundred thousand times."""
        ...

    async def derived(self, name: str, fingerprint: str, make: Callable[[], Awaitable[T]]) -> T:
        """A value made from the KG, made again where its fingerprint has changed."""
        ...

    def keep(self, name: str, save: Callable[[Path], object]) -> None:
        """Let `save` write what was derived into the folder `name` of the KG; passed over where that cannot be done."""
        ...
