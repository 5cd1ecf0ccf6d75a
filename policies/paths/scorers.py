"""Who ranks the steps of a beam search without having learnt anything: chance, and the structural yardstick."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trivium.policies.paths.beam import Query, Steps
from trivium.policies.paths.draws import uniform
from trivium.policies.paths.graph import Floats
from trivium.policies.paths.model import row_products

_DEGREE_WEIGHT = np.float32(0.1)


@dataclass(frozen=True)
class StructuralScorer:
    """The untrained yardstick: cosine of the neighbour's structure with the target's, + 0.1 log degree.

    structure: unit rows float32 [E, s]; log_degree: float32 [E].
    """

    structure: Floats
    log_degree: Floats

    def score(self, steps: Steps, query: Query, left: int, so_far: Floats) -> Floats:
        """See `PathScorer`; neither the way here nor what is left counts."""
        del left, so_far
        wanted = query.target[steps.pair]
        near = row_products(self.structure, steps.entity, self.structure, wanted)
        score: Floats = near + self.log_degree[steps.entity] * _DEGREE_WEIGHT
        return score


@dataclass(frozen=True)
class RandomScorer:
    """Any neighbour as good as another, by the seed."""

    seed: int = 0

    def score(self, steps: Steps, query: Query, left: int, so_far: Floats) -> Floats:
        """See `PathScorer`."""
        del query, so_far
        seeds = np.full(len(steps.entity), self.seed)
        drawn = uniform(seeds, steps.pair, np.full(len(seeds), left), steps.current, steps.entity)
        return drawn.astype(np.float32)
