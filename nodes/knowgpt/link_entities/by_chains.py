"""Candidate answers of an open question without a chat model: where the chains lead that express the question best."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from trivium.kg.types import LogicalChain
from trivium.nodes.knowgpt.state import Candidate
from trivium.tools.describe_entities import describe_entities
from trivium.tools.follow_chain import follow_chain
from trivium.tools.get_labels import get_labels
from trivium.tools.observe import ObservationLimits, observe
from trivium.tools.score_chains import score_chains

_CHAINS = 3
"""Chains of an entity that are followed, the best ones."""
_ENDS = 1_000
"""Entities that a chain is followed to at most, a hop."""


async def proposed_by_chains(
    question: str, sources: Sequence[str], kg: str, count: int, allows: Callable[[str], bool]
) -> list[Candidate]:
    """At most `count` entities that the best chains from the question's entities lead to, best first.

    What several of its entities lead to is proposed before what one does.
    """
    leaving = await _chains(question, sources, kg)
    names = await get_labels(kg, sources)
    scores = iter(await score_chains(kg, question, names, [chain for chains in leaving for chain in chains]))
    reached = dict[str, float]()
    for source, chains in zip(sources, leaving, strict=True):
        scored = sorted(((next(scores), chain) for chain in chains), key=lambda each: -each[0])
        ends = dict[str, float]()
        for score, chain in [each for each in scored if math.isfinite(each[0])][:_CHAINS]:
            found = await follow_chain(kg, [source], [chain], _ENDS)
            for end in found.reached:
                ends.setdefault(end.id, max(score, 0.0))
        for end_id, score in ends.items():
            if end_id not in sources and allows(end_id):
                reached[end_id] = reached.get(end_id, 0.0) + score
    ids = sorted(reached, key=lambda entity: -reached[entity])[:count]
    labels = await get_labels(kg, ids)
    return [Candidate(id=entity, text=label, entities=[entity]) for entity, label in zip(ids, labels, strict=True)]


async def _chains(question: str, sources: Sequence[str], kg: str) -> list[list[LogicalChain]]:
    """For each entity the chains of one step that leave it, and those that its observation shows."""
    described = await describe_entities(kg, sources)
    observed = await observe(kg, question, sources, ObservationLimits(max_hops=2))
    return [
        # Sorted: sets have no order, and equal scores have to fall the same way in every process.
        list(dict.fromkeys([*((hop,) for hop in sorted(entity.hops if entity else ())), *seen.chains]))
        for entity, seen in zip(described, observed, strict=True)
    ]
