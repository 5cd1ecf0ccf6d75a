"""The interface behind which every question decomposer stands (Keqing, section 3.1).

The compact trained one is `policies.reader.chains.compact_decomposer`; an LLM and a LoRA-tuned model come behind the
same protocol; `trivium.nodes.keqing.decompose` asks whichever the run's settings name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from trivium.kg.store import GraphStore
from trivium.kg.types import EntityHit, LogicalChain
from trivium.policies.reader.guidance import Chains

if TYPE_CHECKING:
    from trivium.policies.reader.chains.open_world import Support

MASK = "[mask]"
"""Stands in a sub-question for its seed entity (paper, table 1)."""

NO_DEPENDENCY = -1
"""The paper's "none" in `dep`."""


def generated(sub_question_id: int) -> str:
    """The paper's name for the answers of an earlier sub-question: `<GENERATED>-0`."""
    return f"<GENERATED>-{sub_question_id}"


@dataclass(frozen=True, slots=True)
class SubQuestion:
    """One sub-question of a decomposition (paper, table 1).

    Attributes:
        id: its number, from 0; larger than every id in `dep`.
        question: words with one `[mask]`.
        dep: ids of the sub-questions whose answers it starts from, `(-1,)` for none; several dependencies intersect.
        seed_entities: mentions in the question's own words, or `<GENERATED>-id` for each dependency.
        excludes_used: entities that the question started from are no answers to this sub-question ("other", "also").
        asked_type: the type of the KG that its answers have where some have it ("which mountains"); "" for any.
        chain: the logical chain that answers it, where the decomposer knows it; None for words that a template has to
            be found for.
    """

    id: int
    question: str
    dep: tuple[int, ...]
    seed_entities: tuple[str, ...]
    excludes_used: bool = False
    asked_type: str = ""
    chain: LogicalChain | None = None


@dataclass(frozen=True, slots=True)
class Decomposition:
    """A question taken apart.

    Attributes:
        sub_questions: in an order in which every dependency comes first; empty where no reading is feasible.
        links: the candidates of each mention, best first; the first is the one chosen with the chain, the others
            carry the same name and stay as alternatives.
        unread: names in the question that the chosen reading makes no use of.
        computes: the words outside its names that ask for a computation, which no chain is.
        taught: whether pairs taught the decomposer, and not the schema alone.
        typed: whether the graph's entities have types, over which a plan may say more than chains do.
        confidence: the share of the best reading among the feasible ones found, in [0, 1].
        support: how well the question's words support the reading, where the decomposer can tell.
        chains: for each entity that may be meant the chains that leave it, each with its nats behind the best.
        shown: whether pairs show the question in these words, with the chains that are read.
        doubt: nats that a reading which they do not show is less sure than it says, beside the schema's own; None where
            they are many and show chains of this length, and the schema's own reads nothing.
        stale: what was used although it is older than the KG, each with the command that renews it.
    """

    sub_questions: tuple[SubQuestion, ...]
    links: dict[str, tuple[EntityHit, ...]] = field(default_factory=dict)
    confidence: float = 0.0
    unread: tuple[str, ...] = ()
    computes: tuple[str, ...] = ()
    taught: bool = False
    typed: bool = True
    support: Support | None = None
    chains: Chains = field(default_factory=dict)
    shown: bool = False
    doubt: float | None = None
    stale: tuple[str, ...] = ()


class Decomposer(Protocol):
    """Takes a question apart into sub-questions with [mask], ids, dependencies and seed entities."""

    @property
    def name(self) -> str:
        """What the settings call it."""
        ...

    async def decompose(self, question: str, store: GraphStore, topic_entities: Sequence[str] = ()) -> Decomposition:
        """Decompose one question; `topic_entities` (ids or labels) are those already known to be meant."""
        ...
