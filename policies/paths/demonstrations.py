"""Demonstrations for the supervised warm start: at each state of a good path, how good its neighbours are.

DeepPath, the paper's base method, warms up on paths of breadth-first search, which are good for nothing but reaching.
Ours are all simple paths of a pair, ranked by their total reward: a neighbour's share is a softmax over the best
reward that a path through it earns, so that a state may have several good answers (deviation, docs/deviations.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trivium.kg.embedded.columns import Int64
from trivium.policies.paths.exact import all_paths, as_found
from trivium.policies.paths.features import Progress
from trivium.policies.paths.graph import Floats
from trivium.policies.paths.task import PathTask

_PAIRS = 4_096  # searched at once


@dataclass(frozen=True, slots=True)
class DemonstrationSettings:
    """Which paths teach, and how sharply."""

    max_hops: int = 3
    """K."""
    window: float = 0.25
    """Paths whose reward is further below their pair's best than this teach nothing."""
    temperature: float = 0.05
    """Of the softmax over rewards; at 0.02 only near-optimal neighbours count, and fewer pairs connect at beam 1."""


class Demonstrations(NamedTuple):
    """S states with their good neighbours.

    pair, current, before, left int64 [S]: the pair of the task, where the walker is, the entity before it (-1 at the
    source), steps that remain after this one. bounds int64 [S + 1] into entity int64 [Z] and share float32 [Z], which
    adds up to 1 in each state. `connected` bool [pairs]: which of the pairs any path joins.
    """

    pair: Int64
    current: Int64
    before: Int64
    left: Int64
    bounds: Int64
    entity: Int64
    share: Floats
    connected: NDArray[np.bool_]


class _Choices(NamedTuple):
    """n choices of paths: the state's pair, entity, entity before and steps left, the neighbour, the path's reward."""

    pair: Int64
    current: Int64
    before: Int64
    left: Int64
    entity: Int64
    reward: Floats


def demonstrate(task: PathTask, settings: DemonstrationSettings, progress: Progress) -> Demonstrations:
    """All demonstrations of a task; the last step into the target is none, since any search takes it.

    About 30 s a 100,000 pairs of ConceptNet on one core.
    """
    chosen, connected = list[_Choices](), np.zeros(len(task.pairs), dtype=bool)
    for start in range(0, len(task.pairs), _PAIRS):
        rows = np.arange(start, min(start + _PAIRS, len(task.pairs)))
        found, reached = _choices(task, rows, settings)
        chosen += found
        connected[rows] = reached
        progress("demonstrations", start + len(rows), len(task.pairs))
    chosen = [part for part in chosen if len(part.pair)]
    if not chosen:
        nothing = np.zeros(0, dtype=np.int64)
        none = np.zeros(0, dtype=np.float32)
        return Demonstrations(nothing, nothing, nothing, nothing, np.zeros(1, np.int64), nothing, none, connected)
    return _states(_joined(chosen), settings, connected)


def _joined(parts: Sequence[_Choices]) -> _Choices:
    """All parts, one after the other."""
    return _Choices(
        np.concatenate([part.pair for part in parts]),
        np.concatenate([part.current for part in parts]),
        np.concatenate([part.before for part in parts]),
        np.concatenate([part.left for part in parts]),
        np.concatenate([part.entity for part in parts]),
        np.concatenate([part.reward for part in parts]),
    )


def _rows(all_: _Choices, rows: NDArray[Any]) -> _Choices:
    """Some of them, by place or by mask."""
    return _Choices(
        all_.pair[rows], all_.current[rows], all_.before[rows], all_.left[rows], all_.entity[rows], all_.reward[rows]
    )


def _choices(task: PathTask, rows: Int64, settings: DemonstrationSettings) -> tuple[list[_Choices], NDArray[np.bool_]]:
    """The choices on good paths of some pairs, and which of the pairs a path joins."""
    pairs = task.pairs[rows]
    best = np.full(len(rows), -np.inf, dtype=np.float32)
    batches = []
    for entities, pair in all_paths(task.graph, pairs[:, 0], pairs[:, 1], settings.max_hops):
        found = as_found(task.graph, entities, pair, task.affinity, task.question[rows])
        rewards = task.rewards.totals(found.entities, found.codes, task.contexts[task.question[rows[pair]]])
        np.maximum.at(best, pair, rewards)
        batches.append((entities, pair, rewards))
    out = []
    for entities, pair, rewards in batches:
        good = np.flatnonzero(rewards >= best[pair] - settings.window)
        for j in range(entities.shape[1] - 2):
            before = entities[good, j - 1] if j else np.full(len(good), -1)
            left = np.full(len(good), settings.max_hops - j - 1)
            out.append(
                _Choices(rows[pair[good]], entities[good, j], before, left, entities[good, j + 1], rewards[good])
            )
    return out, np.isfinite(best)


def _states(found: _Choices, settings: DemonstrationSettings, connected: NDArray[np.bool_]) -> Demonstrations:
    """Group choices by state, keep each neighbour's best reward, and share by softmax."""
    order = np.lexsort((-found.reward, found.entity, found.before, found.current, found.left, found.pair))
    found = _rows(found, order)
    new_state = _changes(found.pair, found.left, found.current, found.before)
    kept = new_state | _changes(found.entity)
    found, new_state = _rows(found, kept), new_state[kept]
    starts = np.flatnonzero(new_state)
    state = np.cumsum(new_state) - 1
    best = np.maximum.reduceat(found.reward, starts)
    share = np.exp((found.reward - best[state]) / np.float32(settings.temperature))
    share /= np.add.reduceat(share, starts)[state]
    first = _rows(found, starts)
    bounds = np.append(starts, len(state)).astype(np.int64)
    share = share.astype(np.float32)
    return Demonstrations(first.pair, first.current, first.before, first.left, bounds, found.entity, share, connected)


def _changes(*columns: Int64) -> NDArray[np.bool_]:
    """Bool [n]: where any column differs from the row before; the first row does."""
    out = np.ones(len(columns[0]), dtype=bool)
    out[1:] = False
    for column in columns:
        out[1:] |= column[1:] != column[:-1]
    return out
