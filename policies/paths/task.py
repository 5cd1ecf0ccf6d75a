"""What both path environments share: the pairs to connect, the settings, and which neighbours an action may choose.

Everything here works on n walkers at once; the single environment passes n = 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trivium.kg.embedded.columns import Int32, Int64
from trivium.policies.paths.draws import uniform
from trivium.policies.paths.graph import Floats, PathGraph
from trivium.policies.paths.reward import PathRewards

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


class Offer(NamedTuple):
    """What n walkers may choose among, A = max_actions.

    actions int32 [n, A]: the neighbours, -1 where there is none. mask bool [n, A]: where there is one. starts int64
    [n]: where the current entity's neighbours begin in `graph.neighbors`. hub int64 [n]: the walker's row of `sampled`
    int64 [h, A], places in `graph.neighbors`, or -1 where all neighbours are offered, in order.
    """

    actions: Int32
    mask: NDArray[np.bool_]
    starts: Int64
    hub: Int64
    sampled: Int64

    def places(self, rows: Int64, slots: Int64) -> Int64:
        """Where in `graph.neighbors` the actions `slots` of walkers `rows` stand, int64 [m] each; for valid ones."""
        places = self.starts[rows] + slots
        hub = self.hub[rows]
        sampled = np.flatnonzero(hub >= 0)
        places[sampled] = self.sampled[hub[sampled], slots[sampled]]
        return places


def offered(
    graph: PathGraph, settings: EpisodeSettings, walkers: tuple[Int64, Int64, Int64], current: Int64, target: Int64
) -> Offer:
    """The neighbours offered to n walkers.

    All neighbours in order, or of a hub as many as there is room for: one from each of equal stretches of its
    neighbours, at a place drawn anew at every step, so that no draw costs more than the room. The target is always
    among them when it is adjacent. `walkers` are seeds, episodes and steps, int64 [n] each.
    """
    room, degrees, starts = settings.max_actions, graph.degrees[current], graph.indptr[current]
    # Rows of small tables, not comparisons: this runs for every walker at every step, and memory is what it waits for.
    there, blank = _filled(room)
    counts = np.minimum(degrees, room)
    mask = there.take(counts, axis=0)
    actions = graph.windows(room)[starts]
    actions |= blank.take(counts, axis=0)
    hub = np.full(len(current), -1, dtype=np.int64)
    hubs = np.flatnonzero(degrees > room)
    if not len(hubs):
        return Offer(actions, mask, starts, hub, np.empty((0, room), dtype=np.int64))
    hub[hubs] = np.arange(len(hubs))
    sampled = _sampled(graph, room, tuple(counter[hubs] for counter in walkers), current[hubs], target[hubs])
    actions[hubs] = graph.neighbors[sampled]
    return Offer(actions, mask, starts, hub, sampled)


@cache
def _filled(room: int) -> tuple[NDArray[np.bool_], Int32]:
    """For 0 to `room` actions which slots hold one, bool [room + 1, room], and int32 likewise: 0 there, -1 elsewhere.

    Any number "or" -1 is -1.
    """
    there = np.tri(room + 1, room, -1, dtype=bool)
    return there, there.astype(np.int32) - np.int32(1)


def _sampled(graph: PathGraph, room: int, walkers: tuple[Int64, ...], hubs: Int64, targets: Int64) -> Int64:
    """Places of `room` neighbours of each of h hubs, int64 [h, room]; see `offered`."""
    seeds, episodes, steps = walkers
    many, starts = graph.degrees[hubs], graph.indptr[hubs]
    shift = uniform(seeds, np.full(len(hubs), _SAMPLE), episodes, steps)
    stretch = ((np.arange(room) + shift[:, None]) * (many / room)[:, None]).astype(np.int64)
    # Rounding must not lead past the last neighbour.
    places: Int64 = starts[:, None] + np.minimum(stretch, many[:, None] - 1)
    wanted = graph.place(hubs, targets)
    near = np.flatnonzero(wanted >= 0)
    missed = near[~(places[near] == wanted[near, None]).any(axis=1)]
    # Any slot gives way: that of the target's own stretch would hide its other neighbours for good.
    kind = np.full(len(missed), _SLOT)
    slot = (uniform(seeds[missed], kind, episodes[missed], steps[missed]) * room).astype(np.int64)
    places[missed, slot] = wanted[missed]
    return places
