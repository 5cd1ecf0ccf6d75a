"""Policies that rank the steps of a path, and the beam search that follows them.

The learned policy: the state of equation 1, [e_t ; e_target - e_t], and what is added to it (deviations P3 to P7 in
docs/deviations.md) make a query vector by a small MLP; every neighbor that can be walked through has a key. The logit
of a step is their product, plus three terms that the untrained yardstick has too: structural cosines and log degree. So
a forward pass over thousands of neighbors is a gather and a row-wise product, with keys computed once. Torch trains the
same functions.

Beam search knows an entity's neighbors only once it has expanded it, and expands at most `width` entities per pair and
hop (one at the first): a budget of 1 + width * (K - 1). It never looks at the target's own neighborhood. A neighbor
that is the target completes a path; the others are ranked by a `PathScorer` and the best `width` are expanded next.
Several partial paths to one entity take one place in the beam: its neighbors are read once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from trivium.kg.distinct import sorted_distinct
from trivium.kg.embedded.columns import Int64, ranges
from trivium.policies.paths.features import PathFeatures, Structure
from trivium.policies.paths.graph import Floats, PathGraph, uniform

MAX_LEFT = 6
"""Steps left that the network tells apart; more count as this many."""
SPREAD = np.float32(3.0)
"""Unit rows of 128 columns are multiplied by this, so that inputs have a spread of a few tenths."""
TERMS = 3  # cosine of walks, nearness, log degree
Array = Any
"""A numpy array or a torch tensor: the functions below read the same on both."""
_ROWS = 1 << 7  # rows multiplied at once: two blocks of 160 KB stay in a core's own cache


class PathSteps(NamedTuple):
    """m possible steps: where from, where to, by which code, in which pair; each int64 [m].

    `state` numbers the partial path that a step would prolong, so that scores can be shared among its steps.
    """

    state: Int64
    current: Int64
    entity: Int64
    code: Int64
    pair: Int64


class PathQuery(NamedTuple):
    """n pairs to connect: `source`, `target` int64 [n]; `question` int64 [n], rows of `contexts` float32 [q, d]."""

    source: Int64
    target: Int64
    question: Int64
    contexts: Floats


class PathScorer(Protocol):
    """Ranks steps: the higher the better, within one pair."""

    def score(self, steps: PathSteps, query: PathQuery, left: int, so_far: Floats) -> Floats:
        """A score for each of m steps, float32 [m].

        Args:
            steps: in the order of their states.
            query: what is looked for.
            left: steps that remain after this one, at least 1.
            so_far: float32 [states], what the state's own last step scored; 0 at the source.
        """
        ...


@dataclass(frozen=True, slots=True)
class PathNetwork:
    """Sizes of the network."""

    hidden: int = 256
    """Units of both hidden layers."""
    keys: int = 64
    """Columns of queries and keys."""


@dataclass(frozen=True)
class PathInputs:
    """What the network reads of a KG: tables of its entities and relations.

    Attributes:
        text: unit rows float32 [E, d].
        relation: float32 [R, d], SPREAD times the relations' text.
        structure: its `walks` and `aim`, `near` give two terms of the logit.
        log_degree: float32 [E].
        passable: int64 [P], entities with two neighbors or more; only they have keys.
        place: int64 [E], the place in `passable`, -1 for the others.
    """

    text: Floats
    relation: Floats
    structure: Structure
    log_degree: Floats
    passable: Int64
    place: Int64

    @classmethod
    def of(cls, features: PathFeatures, structure: Structure, degrees: Int64) -> PathInputs:
        """The inputs of a KG; degrees int64 [E]."""
        passable = np.flatnonzero(degrees > 1)
        place = np.full(len(degrees), -1, dtype=np.int64)
        place[passable] = np.arange(len(passable))
        return cls(features.text, features.relation * SPREAD, structure, features.log_degree, passable, place)

    @property
    def columns(self) -> int:
        """Of an entity's row, d + s + s1."""
        return sum(table.shape[1] for table in (self.text, self.structure.walks, self.structure.aim))

    def rows(self, entities: Int64) -> Floats:
        """Features of n entities: unit rows of text, walks and aim, concatenated, float32 [n, columns].

        Put together when asked for: kept, it would double what a large KG takes.
        """
        known = self.structure
        made: Floats = np.concatenate((self.text[entities], known.walks[entities], known.aim[entities]), axis=1)
        return made

    def states(self, current: Int64, target: Int64, contexts: Floats, left: Int64) -> Floats:
        """The network's input for n states, float32 [n, state_columns]; contexts float32 [n, d], left int64 [n]."""
        here, there, text = self.rows(current), self.rows(target), self.text.shape[1]
        there[:, :text] -= here[:, :text]  # equation 1: the way, not the place
        steps: Floats = np.eye(MAX_LEFT, dtype=np.float32)[np.clip(left, 0, MAX_LEFT - 1)]
        return np.concatenate((here * SPREAD, there * SPREAD, contexts * SPREAD, steps), axis=1)

    def key_inputs(self) -> Floats:
        """The network's input for each passable entity, float32 [P, key_columns]."""
        degree = self.log_degree[self.passable, None] * np.float32(0.3)
        made: Floats = np.concatenate((self.rows(self.passable) * SPREAD, degree), axis=1)
        return made

    def terms(self, entity: Int64, target: Int64) -> Floats:
        """The three plain terms of n steps, float32 [n, TERMS]."""
        out = np.zeros((len(entity), TERMS), dtype=np.float32)
        walks, aim, near = self.structure.walks, self.structure.aim, self.structure.near
        out[:, 0] = row_products(walks, entity, walks, target)
        onward = np.flatnonzero(self.place[entity] >= 0)
        out[onward, 1] = row_products(near, self.place[entity[onward]], aim, target[onward])
        out[:, 2] = self.log_degree[entity]
        return out


def initial_parameters(inputs: PathInputs, network: PathNetwork, seed: int, *, prior: bool = True) -> dict[str, Floats]:
    """Parameters before training, float32: the network near nothing, the plain terms near the untrained yardstick.

    Without the `prior` the plain terms are zero, and nothing is known of arrivals and dead ends.
    """
    random = np.random.default_rng(seed)
    state = 2 * inputs.columns + inputs.relation.shape[1] + MAX_LEFT
    key, hidden, size = inputs.columns + 1, network.hidden, network.keys
    known = np.float32(prior)

    def drawn(rows: int, columns: int, scale: float = 1.0) -> Floats:
        made: Floats = (random.standard_normal((rows, columns)) * scale / np.sqrt(rows)).astype(np.float32)
        return made

    return {
        "query_in": drawn(state, hidden), "query_in_bias": np.zeros(hidden, np.float32),
        "query_out": drawn(hidden, size, 0.1), "query_skip": drawn(state, size, 0.1),
        "query_bias": np.zeros(size, np.float32),
        "key_in": drawn(key, hidden), "key_in_bias": np.zeros(hidden, np.float32), "key_out": drawn(hidden, size),
        "relation": drawn(inputs.relation.shape[1], size), "worth": np.zeros((hidden, 1), np.float32),
        "terms": np.tile(np.array([10.0, 8.0, 1.0], np.float32) * known, (MAX_LEFT, 1)),
        # A neighbor that is the target, and one that leads nowhere.
        "arrival": np.array([20.0], np.float32) * known, "dead_end": np.array([-6.0], np.float32) * known,
    }  # fmt: skip


def rectified(values: Array) -> Array:
    """max(0, x), by operations that arrays and tensors share."""
    return values * (values > 0)


def queries(parameters: Mapping[str, Array], states: Array, kept: Array | float = 1.0) -> Array:
    """Query vectors [n, keys] of states [n, state_columns]; `kept` [n, hidden] drops units while training."""
    hidden = rectified(states @ parameters["query_in"] + parameters["query_in_bias"]) * kept
    return hidden @ parameters["query_out"] + states @ parameters["query_skip"] + parameters["query_bias"]


def keys(parameters: Mapping[str, Array], inputs: Array) -> tuple[Array, Array]:
    """Keys [P, keys] and worths [P, 1] of passable entities."""
    hidden = rectified(inputs @ parameters["key_in"] + parameters["key_in_bias"])
    return hidden @ parameters["key_out"], hidden @ parameters["worth"]


class PathModel:
    """A trained policy over one KG's inputs, in numpy.

    The plain terms are folded into keys and queries, so that a step costs one gathered row and one product. The first
    layer is applied to current entity, target and question apart, and adds up: an entity in many states costs one row.

    Args:
        inputs: the KG's.
        parameters: as `initial_parameters` names them, float32.
    """

    def __init__(self, inputs: PathInputs, parameters: Mapping[str, Floats]) -> None:
        self.inputs, self.parameters = inputs, dict(parameters)
        made, worth = keys(self.parameters, inputs.key_inputs())
        scale, structure = scale_of(parameters), inputs.structure
        self._keys: Floats = np.concatenate((made * scale, structure.walks[inputs.passable], structure.near), axis=1)
        self._worth: Floats = worth[:, 0]
        self._relations: Floats = inputs.relation @ self.parameters["relation"] * scale
        # What `queries` multiplies the state with, hidden units and the way around them side by side.
        first = np.concatenate((self.parameters["query_in"], self.parameters["query_skip"]), axis=1)
        first[:-MAX_LEFT] *= SPREAD
        here, self._target, self._question, self._left = np.split(first, np.cumsum(_widths(inputs))[:-1])
        text, self._current = inputs.text.shape[1], here.copy()
        self._current[:text] -= self._target[:text]  # the state holds the way: the target's text less the entity's own
        self._left += np.concatenate((self.parameters["query_in_bias"], self.parameters["query_bias"]))

    def asked(self, current: Int64, target: Int64, contexts: Floats, left: Int64) -> Floats:
        """What n states look for in a key, float32 [n, keys + s + s1]; see `PathInputs.states`."""
        structure, steps = self.inputs.structure, np.clip(left, 0, MAX_LEFT - 1)
        first = self._rows(current, self._current)
        first += self._rows(target, self._target)
        first += contexts @ self._question
        first += self._left[steps]
        units = self.parameters["query_in"].shape[1]
        hidden = np.maximum(first[:, :units], 0)
        mix = self.parameters["terms"][steps]
        parts = (
            hidden @ self.parameters["query_out"] + first[:, units:],
            structure.walks[target] * mix[:, :1],
            structure.aim[target] * mix[:, 1:2],
        )
        made: Floats = np.concatenate(parts, axis=1)
        return made

    def _rows(self, entities: Int64, weights: Floats) -> Floats:
        """The inputs of n entities times weights, float32 [n, columns]; each entity once, however often it stands."""
        distinct, place = np.unique(entities, return_inverse=True)
        rows: Floats = (self.inputs.rows(distinct) @ weights)[place]
        return rows

    def logits(self, owner: Int64, asked: Floats, steps: tuple[Int64, Int64, Int64], left: Int64) -> Floats:
        """The logit of each of m steps, float32 [m].

        Args:
            owner: int64 [m], the row of `asked` that a step belongs to, ascending.
            asked: float32 [n, ...], as `asked` gives them.
            steps: neighbor, target and code of each step, int64 [m] each.
            left: int64 [n], steps that remain afterwards.
        """
        entity, target, code = steps
        place = self.inputs.place[entity]
        out = np.full(len(entity), self.parameters["dead_end"], dtype=np.float32)
        # Only what leads on has a key; of a hub's neighbors most are leaves.
        onward = np.flatnonzero(place >= 0)
        owner, place, code = owner[onward], place[onward], code[onward]
        out[onward] = row_products(asked, owner, self._keys, place)
        related = asked[:, : self._relations.shape[1]] @ self._relations.T
        degree = self.parameters["terms"][np.clip(left, 0, MAX_LEFT - 1), 2]
        plain = self._worth[place] + degree[owner] * self.inputs.log_degree[entity[onward]]
        out[onward] += plain + related[owner, code % max(related.shape[1], 1)]
        out[entity == target] = self.parameters["arrival"]
        return out


def _widths(inputs: PathInputs) -> list[int]:
    """Columns of the parts of a state: current entity, target, question, steps left; see `PathInputs.states`."""
    return [inputs.columns, inputs.columns, inputs.relation.shape[1], MAX_LEFT]


def scale_of(parameters: Mapping[str, Array]) -> np.float32:
    """What products of queries and keys are multiplied by."""
    return np.float32(4 / np.sqrt(parameters["query_bias"].shape[0]))


@dataclass(frozen=True)
class LearnedScorer:
    """Ranks steps by the policy's logits.

    Not by the log-probability of the whole path: that would set a good step from a hub, which shares its probability
    among hundreds, below a poor one from an entity with few neighbors (beam 2: 95.4 % of pairs, not 96.2 %).
    """

    model: PathModel

    def score(self, steps: PathSteps, query: PathQuery, left: int, so_far: Floats) -> Floats:
        """See `PathScorer`."""
        del so_far
        first = np.flatnonzero(np.concatenate(([True], steps.state[1:] != steps.state[:-1])))
        owner = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(steps.state))))
        pair, current = steps.pair[first], steps.current[first]
        contexts = query.contexts[query.question[pair]]
        remain = np.full(len(first), left)
        asked = self.model.asked(current, query.target[pair], contexts, remain)
        return self.model.logits(owner, asked, (steps.entity, query.target[steps.pair], steps.code), remain)


_DEGREE_WEIGHT = np.float32(0.1)


@dataclass(frozen=True)
class StructuralScorer:
    """The untrained yardstick: cosine of the neighbor's structure with the target's, + 0.1 log degree.

    structure: unit rows float32 [E, s]; log_degree: float32 [E].
    """

    structure: Floats
    log_degree: Floats

    def score(self, steps: PathSteps, query: PathQuery, left: int, so_far: Floats) -> Floats:
        """See `PathScorer`; neither the way here nor what is left counts."""
        del left, so_far
        wanted = query.target[steps.pair]
        near = row_products(self.structure, steps.entity, self.structure, wanted)
        score: Floats = near + self.log_degree[steps.entity] * _DEGREE_WEIGHT
        return score


@dataclass(frozen=True)
class RandomScorer:
    """Any neighbor as good as another, by the seed."""

    seed: int = 0

    def score(self, steps: PathSteps, query: PathQuery, left: int, so_far: Floats) -> Floats:
        """See `PathScorer`."""
        del query, so_far
        seeds = np.full(len(steps.entity), self.seed)
        drawn = uniform(seeds, steps.pair, np.full(len(seeds), left), steps.current, steps.entity)
        return drawn.astype(np.float32)


_KEPT = 16  # partial paths kept to one entity of the beam, the best


class FoundPaths(NamedTuple):
    """n complete paths of h hops: entities int64 [n, h + 1], codes int64 [n, h], pair int64 [n]."""

    entities: Int64
    codes: Int64
    pair: Int64


class Expansion(NamedTuple):
    """What the store says of k entities: bounds int64 [k + 1] into entity and code, int64 [m]; one row a neighbor."""

    bounds: Int64
    entity: Int64
    code: Int64


@dataclass
class Beam:
    """The state of a search; `frontier` is what it wants expanded, `advance` takes the answer.

    Attributes:
        query: the pairs.
        scorer: ranks the steps.
        width: entities a pair that are expanded at every hop but the first.
        hops: K.
        dead_end: bool [E], entities with one neighbor, which no path passes through; None where that is not known.
        found: complete paths, one batch a hop.
        expanded: int64 [n], entities expanded for each pair; each counts once a pair.
        seen: which they were, (pair, entity) int64 [k] each, one item a hop.
    """

    query: PathQuery
    scorer: PathScorer
    width: int
    hops: int
    dead_end: NDArray[np.bool_] | None = None
    found: list[FoundPaths] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Start at the sources."""
        pairs = np.arange(len(self.query.source))
        self.expanded: Int64 = np.zeros(len(pairs), dtype=np.int64)
        self._entities: Int64 = self.query.source[:, None]
        self._codes: Int64 = np.empty((len(pairs), 0), dtype=np.int64)
        self._pair, self._scores = pairs, np.zeros(len(pairs), dtype=np.float32)
        self.seen: list[tuple[Int64, Int64]] = []

    @property
    def frontier(self) -> Int64:
        """The entities to expand, one row a partial path, int64 [k]; empty when the search is over."""
        return self._entities[:, -1]

    @property
    def questions(self) -> Int64:
        """The question of each row of `frontier`, int64 [k]: it decides among parallel relations."""
        return self.query.question[self._pair]

    def advance(self, around: Expansion) -> None:
        """Take the neighbors of `frontier`, row by row; note complete paths and choose what to expand next."""
        self._note_expanded()
        state = np.repeat(np.arange(len(self._pair)), np.diff(around.bounds))
        simple = (self._entities[state] != around.entity[:, None]).all(axis=1)
        state, entity, code = state[simple], around.entity[simple], around.code[simple]
        pair = self._pair[state]
        hit = entity == self.query.target[pair]
        self._complete(state[hit], entity[hit], code[hit])
        left = self.hops - self._codes.shape[1] - 1
        onward = ~hit if self.dead_end is None else ~hit & ~self.dead_end[entity]
        state, entity, code, pair = state[onward], entity[onward], code[onward], pair[onward]
        steps = PathSteps(state, self._entities[state, -1], entity, code, pair)
        if left and len(steps.state):
            steps = self._unexpanded(steps)
        if left == 0 or not len(steps.state):
            steps = PathSteps(*(column[:0] for column in steps))
            self._go_on(steps, np.zeros(0, dtype=np.float32))
            return
        scores = self.scorer.score(steps, self.query, left, self._scores)
        kept = best_entities(steps.pair, steps.entity, scores, self.width)
        self._go_on(PathSteps(*(column[kept] for column in steps)), scores[kept])

    def _note_expanded(self) -> None:
        wide = np.int64(1 << 40)
        key = sorted_distinct(self._pair * wide + self._entities[:, -1])
        pair, entity = key // wide, key % wide
        self.expanded += np.bincount(pair, minlength=len(self.expanded))
        self.seen.append((pair, entity))

    def _unexpanded(self, steps: PathSteps) -> PathSteps:
        """Steps to entities that this pair has not expanded yet: what they lead to is known already."""
        fresh = np.ones(len(steps.pair), dtype=bool)
        wide = np.int64(1 << 40)
        key = steps.pair * wide + steps.entity
        for pair, entity in self.seen[1:]:  # the source is on every path
            fresh &= ~np.isin(key, pair * wide + entity)
        return PathSteps(*(column[fresh] for column in steps))

    def _complete(self, state: Int64, entity: Int64, code: Int64) -> None:
        entities = np.column_stack((self._entities[state], entity))
        self.found.append(FoundPaths(entities, np.column_stack((self._codes[state], code)), self._pair[state]))

    def _go_on(self, steps: PathSteps, scores: Floats) -> None:
        entities = np.column_stack((self._entities[steps.state], steps.entity))
        self._codes = np.column_stack((self._codes[steps.state], steps.code))
        self._entities, self._pair, self._scores = entities, steps.pair, scores


def best_entities(pair: Int64, entity: Int64, scores: Floats, width: int) -> Int64:
    """The rows of the `width` best entities of each pair, by their best score; int64, grouped by pair.

    Up to `_KEPT` rows of one entity are kept. Equal scores go to the smaller entity, so that runs agree.
    """
    if not len(pair):
        return np.zeros(0, dtype=np.int64)
    wide = np.int64(1 << 40)
    order = np.lexsort((-scores, pair * wide + entity))
    group = (pair * wide + entity)[order]
    starts = np.flatnonzero(np.concatenate(([True], group[1:] != group[:-1])))
    sizes = np.diff(np.append(starts, len(group)))
    best, owner = scores[order[starts]], pair[order[starts]]
    ranked = np.lexsort((entity[order[starts]], -best, owner))
    heads = first_of_each(owner[ranked], width)
    chosen = ranked[heads]
    index, _ = ranges(starts[chosen], np.minimum(sizes[chosen], _KEPT))
    rows: Int64 = order[index]
    return rows


def first_of_each(sorted_groups: Int64, count: int) -> NDArray[np.int64]:
    """The places of the first `count` members of each group, int64; `sorted_groups` int64 [n], equal ones together."""
    if not len(sorted_groups):
        return np.zeros(0, dtype=np.int64)
    starts = np.flatnonzero(np.concatenate(([True], sorted_groups[1:] != sorted_groups[:-1])))
    sizes = np.diff(np.append(starts, len(sorted_groups)))
    rank = np.arange(len(sorted_groups)) - np.repeat(starts, sizes)
    return np.flatnonzero(rank < count)


def walk_beam(
    graph: PathGraph, scorer: PathScorer, query: PathQuery, affinity: Floats, limits: tuple[int, int]
) -> tuple[list[FoundPaths], Int64]:
    """Beam search on adjacency; `limits` are the width and K. What it found, and int64 [n] entities expanded.

    affinity float32 [q, R] decides among parallel relations.
    """
    width, hops = limits
    beam = Beam(query, scorer, width, hops, graph.degrees < 2)
    while len(beam.frontier):
        beam.advance(expand(graph, beam.frontier, beam.questions, affinity))
    return beam.found, beam.expanded


def expand(graph: PathGraph, frontier: Int64, questions: Int64, affinity: Floats) -> Expansion:
    """The neighbors of k entities, with the relation that each one's question chooses."""
    around = graph.around(frontier)
    codes = graph.nearest_codes(around.place, affinity, questions[around.owner])
    bounds = np.concatenate(([0], np.cumsum(graph.degrees[frontier]))).astype(np.int64)
    return Expansion(bounds, around.entity, codes)


def row_products(left: Floats, rows: Int64, right: Floats, others: Int64) -> Floats:
    """Products of n pairs of rows of two tables, float32 [n]; rows, others int64 [n]."""
    out = np.empty(len(rows), dtype=np.float32)
    for start in range(0, len(rows), _ROWS):
        part = slice(start, start + _ROWS)
        out[part] = np.vecdot(left.take(rows[part], axis=0), right.take(others[part], axis=0))
    return out
