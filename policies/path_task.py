"""What both path environments share: the pairs to connect, the settings, and which neighbours an action may choose.

Everything here works on n walkers at once; the single environment passes n = 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kg.embedded.columns import Int64
from policies.path_draws import uniform
from policies.path_graph import Floats, PathGraph
from policies.path_reward import PathRewards

_PAIR, _SAMPLE, _SLOT = 1, 2, 3  # what a random number is drawn for


@dataclass(frozen=True)
class PathTask:
    """Pairs of entities of questions over one KG.

    Targets are the entities of all candidate answers: nothing here knows which of them is right.

    Attributes:
        graph: the KG.
        text: entity embeddings e of equation 1, float32 [E, d].
        rewards: tables and weights.
        pairs: int64 [n, 2], source and target, never the same.
        question: int64 [n], the row of `contexts` of each pair.
        contexts: unit rows float32 [q, d].
    """

    graph: PathGraph
    text: Floats
    rewards: PathRewards
    pairs: Int64
    question: Int64
    contexts: Floats

    def __post_init__(self) -> None:
        """Check the pairs; raises `ValueError` where there is none, or one from an entity to itself."""
        if not len(self.pairs) or (self.pairs[:, 0] == self.pairs[:, 1]).any():
            raise ValueError("a task needs at least one pair of two different entities")

    @cached_property
    def affinity(self) -> Floats:
        """The cosine of each relation with each context, float32 [q, R]."""
        return self.rewards.affinity(self.contexts)


@dataclass(frozen=True, slots=True)
class EpisodeSettings:
    """K and the size of the action space; the paper gives neither."""

    max_hops: int = 3
    """K: steps after which an episode ends."""
    max_actions: int = 64
    """Neighbours that can be chosen among; a hub shows a sample of its own."""

    def __post_init__(self) -> None:
        """Raises `ValueError` for a K or a size below 1."""
        if self.max_hops < 1 or self.max_actions < 1:
            raise ValueError(f"max_hops and max_actions are at least 1, not {self.max_hops} and {self.max_actions}")


def draw_pair(task: PathTask, seeds: Int64, episodes: Int64) -> Int64:
    """The pair of each walker's episode, int64 [n], uniform over the task's."""
    kind = np.full(len(seeds), _PAIR)
    chosen: Int64 = (uniform(seeds, kind, episodes) * len(task.pairs)).astype(np.int64)
    return chosen


def offered(
    graph: PathGraph, settings: EpisodeSettings, walkers: tuple[Int64, Int64, Int64], current: Int64, target: Int64
) -> Int64:
    """The neighbours offered to n walkers as places in `graph.neighbors`, int64 [n, max_actions]; -1 where none is.

    All neighbours in order, or of a hub as many as there is room for: one from each of equal stretches of its
    neighbours, at a place drawn anew at every step, so that no draw costs more than the room. The target is always
    among them when it is adjacent. `walkers` are seeds, episodes and steps, int64 [n] each.
    """
    room, degrees = settings.max_actions, graph.degrees[current]
    slots = np.arange(room)
    places = graph.indptr[current][:, None] + slots
    hubs = np.flatnonzero(degrees > room)
    if len(hubs):
        seeds, episodes, steps = (counter[hubs] for counter in walkers)
        shift = uniform(seeds, np.full(len(hubs), _SAMPLE), episodes, steps)
        many, starts = degrees[hubs], graph.indptr[current[hubs]]
        stretch = ((slots + shift[:, None]) * many[:, None] / room).astype(np.int64)
        # Rounding must not lead past the last neighbour.
        places[hubs] = starts[:, None] + np.minimum(stretch, many[:, None] - 1)
        wanted = graph.place(current[hubs], target[hubs])
        missed = np.flatnonzero((wanted >= 0) & ~(places[hubs] == wanted[:, None]).any(axis=1))
        # Any slot gives way: that of the target's own stretch would hide its other neighbours for good.
        kind = np.full(len(missed), _SLOT)
        slot = (uniform(seeds[missed], kind, episodes[missed], steps[missed]) * room).astype(np.int64)
        places[hubs[missed], slot] = wanted[missed]
    places[slots >= np.minimum(degrees, room)[:, None]] = -1
    return places
