"""How often one hop follows another in the graph: the schema's transitions with their shares."""

from __future__ import annotations

import random

import numpy as np
from numpy.typing import NDArray

from trivium.kg.store import GraphStore
from trivium.kg.types import Hop

_SAMPLE = 20_000  # entities looked at; shares are exact in a smaller graph
_BATCH = 1_000
_RARE = 1e-4  # the share of a transition that exists and that the sample does not show

Floats = NDArray[np.float32]


async def follow_shares(store: GraphStore) -> tuple[tuple[Hop, ...], Floats]:
    """All hops, sorted, and float32 [H, H]: the share of the entities which hop i reaches that hop j leaves.

    0 stands for a transition that no entity has; chance transitions (a film and a person of one name) stay small.
    """
    transitions = await store.transitions()
    hops = tuple(sorted(transitions))
    number = {hop: place for place, hop in enumerate(hops)}
    together = np.zeros((len(hops), len(hops)), dtype=np.float32)
    ids = await _sample(store)
    for start in range(0, len(ids), _BATCH):
        found = await store.hops(ids[start : start + _BATCH])
        leaves = np.zeros((len(found), len(hops)), dtype=np.float32)
        for row, left in enumerate(found):
            leaves[row, [number[hop] for hop in left]] = 1
        # Pairs of hops that leave one entity, counted by a product of 0/1 matrices; their diagonal counts the entities.
        together += leaves.T @ leaves
    # What hop i reaches is what its inverse leaves.
    inverse = [number[Hop(hop.relation, not hop.inverse)] for hop in hops]
    shares = (together / np.maximum(np.diag(together), 1)[:, None])[inverse]
    possible = np.zeros((len(hops), len(hops)), dtype=np.bool_)
    for row, hop in enumerate(hops):
        possible[row, [number[after] for after in transitions[hop]]] = True
    return hops, np.where(possible, np.maximum(shares, np.float32(_RARE)), 0).astype(np.float32)


async def _sample(store: GraphStore) -> list[str]:
    """Ids drawn evenly from the stream of all (reservoir sampling), the same ones for the same graph."""
    rng, kept, seen = random.Random(0), list[str](), 0
    async for batch in store.all_entities():
        for entity in batch:
            seen += 1
            if len(kept) < _SAMPLE:
                kept.append(entity.id)
            # The n-th entity comes in with probability _SAMPLE / n: at the end all have had the same chance.
            elif (place := rng.randrange(seen)) < _SAMPLE:
                kept[place] = entity.id
    return kept
