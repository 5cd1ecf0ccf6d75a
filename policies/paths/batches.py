"""Batches for the warm start: states of demonstrations with their good neighbours and a sample of the others."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from trivium.kg.embedded.columns import Int64, ranges
from trivium.policies.paths.beam import first_of_each
from trivium.policies.paths.demonstrations import Demonstrations
from trivium.policies.paths.graph import Floats, PathGraph
from trivium.policies.paths.task import PathTask


class Batch(NamedTuple):
    """n states with m steps: current, target, question, left int64 [n]; the rest [m], grouped by `owner`.

    entity, code int64 [m]; share float32 [m], what a step should be chosen with: 1 a state in all.
    """

    current: Int64
    target: Int64
    question: Int64
    left: Int64
    owner: Int64
    entity: Int64
    code: Int64
    share: Floats


def demonstrated(
    task: PathTask, taught: Demonstrations, states: Int64, room: int, random: np.random.Generator
) -> Batch:
    """A batch of states (numbers, int64 [n]) with at most `room` steps each, the good ones among them.

    Steps that no search ranks are left out: into the target, back, and to entities that lead nowhere.
    """
    graph, pair = task.graph, taught.pair[states]
    current, target, before = taught.current[states], task.pairs[pair, 1], taught.before[states]
    good = np.minimum(np.diff(taught.bounds)[states], room // 2)
    index, _ = ranges(taught.bounds[states], good)
    good_owner, good_entity, share = np.repeat(np.arange(len(states)), good), taught.entity[index], taught.share[index]
    owner, entity = _sampled(graph, current, 3 * room, random)
    wide = np.int64(graph.entities)
    other = (graph.degrees[entity] > 1) & (entity != target[owner]) & (entity != before[owner])
    other &= ~np.isin(owner * wide + entity, good_owner * wide + good_entity)
    owner, entity = owner[other], entity[other]
    order = np.lexsort((random.random(len(owner)), owner))  # which of a hub's neighbours stay is up to chance
    owner, entity = np.concatenate((good_owner, owner[order])), np.concatenate((good_entity, entity[order]))
    share = np.concatenate((share, np.zeros(len(order), np.float32)))
    grouped = np.argsort(owner, kind="stable")  # the good ones stay in front
    kept = grouped[first_of_each(owner[grouped], room)]
    owner, entity, share = owner[kept], entity[kept], share[kept]
    question = task.question[pair]
    code = graph.nearest_codes(graph.place(current[owner], entity), task.affinity, question[owner])
    return Batch(current, target, question, taught.left[states], owner, entity, code, share)


def _sampled(graph: PathGraph, entities: Int64, room: int, random: np.random.Generator) -> tuple[Int64, Int64]:
    """Neighbours of n entities, at most `room` each, evenly over a hub's: owner and entity, int64 [m]."""
    degrees = graph.degrees[entities]
    counts = np.minimum(degrees, room)
    slot, _ = ranges(np.zeros(len(entities), np.int64), counts)
    owner = np.repeat(np.arange(len(entities)), counts)
    shift = random.random(len(entities))[owner]
    many = degrees[owner]
    spread = np.minimum(((slot + shift) * many / counts[owner]).astype(np.int64), many - 1)
    place = graph.indptr[entities][owner] + np.where(many > room, spread, slot)
    return owner, graph.neighbors[place].astype(np.int64)
