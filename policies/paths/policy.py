"""The path policy: its network, the numpy forward pass that serves it, and how it is kept on disk.

The state of equation 1, [e_t ; e_target - e_t], and what is added to it (deviations P3 to P7 in docs/deviations.md)
make a query vector by a small MLP; every neighbor that can be walked through has a key. The logit of a step is their
product, plus three terms that the untrained yardstick has too: structural cosines and log degree. So a forward pass
over thousands of neighbors is a gather and a row-wise product, with keys computed once. Torch trains the same
functions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from trivium.kg.artifact import ArtifactKind
from trivium.kg.embedded.columns import Int64
from trivium.kg.embedders import Embedder
from trivium.kg.errors import EmbedderError
from trivium.policies.paths.features import PathFeatures, Structure, row_products
from trivium.policies.paths.graph import Floats
from trivium.policies.paths.reward import RewardWeights
from trivium.policies.paths.search import PathQuery, PathSteps

MAX_LEFT = 6
"""Steps left that the network tells apart; more count as this many."""
SPREAD = np.float32(3.0)
"""Unit rows of 128 columns are multiplied by this, so that inputs have a spread of a few tenths."""
TERMS = 3  # cosine of walks, nearness, log degree
Array = Any
"""A numpy array or a torch tensor: the functions below read the same on both."""


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
        """What is known of n entities, unit rows of text, walks and aim side by side, float32 [n, columns].

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


FOLDER = "knowgpt"
"""The folder of a KG's directory in which the policy is."""
_AGAIN = "run trivium learn knowgpt"
POLICY = ArtifactKind("the path policy", "paths", 3, _AGAIN)
"""Its file is `paths.json`."""


@dataclass(frozen=True)
class PathPolicy:
    """What `trivium learn knowgpt` leaves behind.

    Attributes:
        mapping: W, float32 [d, d].
        parameters: the network's, as `initial_parameters` names them.
        weights: of the rewards that it was trained on.
        report: what it was learned from and how well it did, for people.
        kg: the content hash of the KG whose features it knows.
    """

    mapping: Floats
    parameters: dict[str, Floats]
    weights: RewardWeights
    report: dict[str, Any]
    kg: str


def how_trained(report: Mapping[str, Any]) -> str:
    """How the policy that is served was trained, in words, from the report of its training."""
    served, start = report.get("served"), report.get("warm_start")
    if served is None:
        return "trained before reports named it"
    warm = {"ranked": "imitation of paths ranked by reward", "bfs": "imitation of shortest paths"}.get(str(start), "")
    if served == REINFORCE:
        return f"REINFORCE after {warm}" if warm else "REINFORCE alone"
    return warm if served == WARM_START else "untrained parameters"


WARM_START, REINFORCE = "warm start", "REINFORCE"
"""The phases of training."""


def save_policy(folder: Path, learned: PathPolicy, embedder: Embedder) -> list[Path]:
    """Write a policy in one step, its arrays as float16; returns the files written or removed."""
    arrays = {"W": learned.mapping, **learned.parameters}
    half = {name: array.astype(np.float16) for name, array in arrays.items()}
    data = {"embedder": embedder.name, "weights": asdict(learned.weights), "report": learned.report}
    return POLICY.save(folder, data, half, made_from={"kg": learned.kg, "embedder": embedder.fingerprint})


def load_policy(folder: Path, embedder: Embedder) -> PathPolicy:
    """Read what `save_policy` wrote.

    Raises:
        CorruptError, OutdatedError, VersionError: as `ArtifactKind.load`.
        EmbedderError: it was learned with another embedder.
    """
    found = POLICY.load(folder)
    if found.stale(embedder=embedder.fingerprint):
        made = found.data.get("embedder")
        raise EmbedderError(f"the path policy was learned with the embedder {made!r}, not {embedder.name!r}: {_AGAIN}")
    arrays = {name: array.astype(np.float32) for name, array in found.arrays.items()}
    try:
        weights, report = RewardWeights(**found.data["weights"]), found.data["report"]
        return PathPolicy(arrays.pop("W"), arrays, weights, report, found.made_from["kg"])
    except (KeyError, TypeError) as error:
        raise POLICY.unreadable(folder, error) from error
