"""The reasoning paths from a question's entities to its candidates' entities (KnowGPT, section 4.1).

All pairs are searched at once, by beam search under a policy: `learned` (`trivium learn knowgpt`), `structural` (the
untrained yardstick), `random`; or by `exact`, which reads all there is between two entities and is the ceiling. Where
the whole graph is at hand, exact search is cheap; a policy is for a small budget of expansions (docs/knowgpt-paths.md).

`PathTables` is what a search reads of one KG: adjacency, text features, structure. Features are derived from the KG
and kept in its folder `paths/`, with what they were made from. After a write they stay in use, since a policy knows
entities by these very numbers: rows of known entities are carried over, new entities and those with new neighbors get
theirs from what is around them. `trivium learn knowgpt` makes all of them anew.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache, cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from trivium.kg.artifact import Artifact, ArtifactKind
from trivium.kg.embedded import EmbeddedStore
from trivium.kg.embedded.columns import Int64, UInt64
from trivium.kg.embedded.snapshot import Snapshot
from trivium.kg.embedders import Embedder, unit
from trivium.kg.errors import CorruptError, EmbedderError, OutdatedError, StaleError, VersionError
from trivium.kg.indexes import relation_words
from trivium.kg.knowledge_base import KnowledgeBase
from trivium.kg.types import Progress, ReasoningPath, WalkedTriple
from trivium.policies.paths.exact import walk_exactly
from trivium.policies.paths.features import (
    PathFeatures,
    Structure,
    carried_structure,
    make_features,
    pool_sentences,
    structure,
)
from trivium.policies.paths.graph import Floats, PathGraph
from trivium.policies.paths.live import LiveGraph, TextScorer, live_rewards, walk_live
from trivium.policies.paths.policy import (
    LearnedScorer,
    PathInputs,
    PathModel,
    PathQuery,
    PathScorer,
    RandomScorer,
    StructuralScorer,
    walk_beam,
)
from trivium.policies.paths.reward import PathRanking, PathRewards, RankedPath, RewardWeights, best_paths

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

log = logging.getLogger("trivium.paths")

FOLDER = "knowgpt"
"""The folder of a KG's directory in which the policy is."""
_RENEW = "run trivium learn knowgpt"
POLICY = ArtifactKind("the path policy", "paths", 3, _RENEW)
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
        raise EmbedderError(f"the path policy was learned with the embedder {made!r}, not {embedder.name!r}: {_RENEW}")
    arrays = {name: array.astype(np.float32) for name, array in found.arrays.items()}
    try:
        weights, report = RewardWeights(**found.data["weights"]), found.data["report"]
        return PathPolicy(arrays.pop("W"), arrays, weights, report, found.made_from["kg"])
    except (KeyError, TypeError) as error:
        raise POLICY.unreadable(folder, error) from error


TABLES_FOLDER = "paths"
"""The folder of a KG's directory in which features are."""
FORMAT = 3
"""Changes when features are computed otherwise; older files are then made again."""
_AGAIN = "remove it, and it is made again"
TEXT = ArtifactKind("the paths' text features", "text", FORMAT, _AGAIN)
STRUCTURE = ArtifactKind("the paths' structural features", "structure", FORMAT, _AGAIN)
_Kept = dict[str, NDArray[Any]]
"""Features as float32, `keys` uint64 [E] and `degrees` int64 [E] of the entities that they are of."""


class TablesHome(Protocol):
    """Where tables are kept and what makes them; an open KG is one."""

    @property
    def path(self) -> Path:
        """The KG's folder."""
        ...

    @property
    def embedder(self) -> Embedder:
        """The KG's embedder."""
        ...

    def keep(self, name: str, save: Callable[[Path], None]) -> None:
        """Let `save` write into the folder `name` of the KG, where that can be done."""
        ...


class PathTables:
    """The tables of one snapshot of a KG under one embedder; shared between threads.

    Args:
        base: the KG.
        snapshot: names, ids and labels of its entities.
        kg_hash: the KG's fingerprint.
        progress: called while features are made.
        anew: make the features of this state of the KG, whatever is kept of an earlier one.

    Attributes:
        features: text features.
        made_for: the fingerprint of the state of the KG that the features were first made for.
        mixed: whether the structure, once it is there, is of another state than the text.
    """

    def __init__(
        self, base: TablesHome, snapshot: Snapshot, kg_hash: str, progress: Progress, *, anew: bool = False
    ) -> None:
        self.base, self.snapshot, self.kg_hash, self._anew = base, snapshot, kg_hash, anew
        self.made_for, self.mixed = kg_hash, False
        self.features = self._features(progress)
        self._structure: Structure | None = None
        self._lock = Lock()

    @cached_property
    def graph(self) -> PathGraph:
        """The adjacency."""
        return PathGraph.from_snapshot(self.snapshot)

    @property
    def embedder(self) -> Embedder:
        """The KG's embedder."""
        return self.base.embedder

    def contexts(self, questions: Sequence[str]) -> Floats:
        """Context embeddings c of questions: unit rows float32 [n, d]; a question without content is all zeros."""
        return unit(self.embedder.embed(questions) @ self.features.basis)

    def structure(self, progress: Progress) -> Structure:
        """Structural features; seconds where they have to be made first."""
        with self._lock:
            if self._structure is None:
                self._structure = self._found_structure(progress)
            return self._structure

    def _features(self, progress: Progress) -> PathFeatures:
        kept = self._read(TEXT, ("text", "relation", "basis"))
        if kept is None:
            log.info("embedding the triples of %s, once", self.base.path)
            names = self.snapshot.names(np.arange(self.snapshot.entities))
            made = make_features(self.graph, names, self.snapshot.relation_names, self.embedder, progress)
            kept = self._write(TEXT, {"text": made.text, "relation": made.relation, "basis": made.basis})
        elif self.made_for != self.kg_hash:
            return self._carried_text(kept, progress)
        return PathFeatures(kept["text"], kept["relation"], _log_degree(kept["degrees"]), kept["basis"])

    def _carried_text(self, kept: _Kept, progress: Progress) -> PathFeatures:
        """Text features of an earlier state, for the entities of this one."""
        rows = self._rows_before(kept)
        text = np.zeros((self.graph.entities, kept["text"].shape[1]), dtype=np.float32)
        known = rows >= 0
        text[known] = kept["text"][rows[known]]
        changed = np.flatnonzero(~known | (_take(kept["degrees"], rows) != self.graph.degrees))
        names = self.snapshot.names(np.arange(self.snapshot.entities))
        words = [relation_words(name) for name in self.snapshot.relation_names]
        pooled = pool_sentences(self.graph, names, words, self.embedder, progress, rows=changed)
        text[changed] = unit(pooled @ kept["basis"])
        relation = unit(self.embedder.embed(words) @ kept["basis"])
        return PathFeatures(text, relation, _log_degree(self.graph.degrees), kept["basis"])

    def _found_structure(self, progress: Progress) -> Structure:
        kept = self._read(STRUCTURE, ("walks", "aim", "near"))
        if kept is None:
            log.info("finding the structure of %s, once", self.base.path)
            progress("structure of the graph", 0, None)
            made = structure(self.graph)
            if self.made_for != self.kg_hash:  # of this state, where the text is of an earlier one: not kept
                self.mixed = True
                return made
            kept = self._write(STRUCTURE, {"walks": made.walks, "aim": made.aim, "near": made.near})
        elif self.made_for != self.kg_hash:
            rows = self._rows_before(kept)
            before = Structure(kept["walks"], kept["aim"], kept["near"])
            return carried_structure(self.graph, before, rows, np.flatnonzero(kept["degrees"] > 1))
        return Structure(kept["walks"], kept["aim"], kept["near"])

    @property
    def _hashes(self) -> UInt64:
        """A hash of each entity's id, uint64 [E]: by these rows are found again in another state of the KG."""
        hashes = np.empty(self.snapshot.entities, dtype=np.uint64)
        hashes[self.snapshot.arrays["key_order"]] = self.snapshot.arrays["key_hash"]
        return hashes

    def _rows_before(self, kept: _Kept) -> Int64:
        """The row of each entity in tables of an earlier state, int64 [E]; -1 for a new one."""
        before = kept["keys"]
        order = np.argsort(before)
        places = np.minimum(np.searchsorted(before, self._hashes, sorter=order), len(before) - 1)
        rows: Int64 = order[places]
        return np.where(before[rows] == self._hashes, rows, -1)

    def _write(self, kind: ArtifactKind, made: Mapping[str, Floats]) -> _Kept:
        """Keep features; returns them as they will be read again, so that every run sees the same numbers."""
        half = {name: array.astype(np.float16) for name, array in made.items()}
        own: _Kept = {"keys": self._hashes, "degrees": self.graph.degrees}
        sources = {"kg": self.kg_hash, "embedder": self.embedder.fingerprint}

        def save(folder: Path) -> None:
            kind.save(folder, {}, {**half, **own}, made_from=sources)

        self.base.keep(TABLES_FOLDER, save)
        return {name: array.astype(np.float32) for name, array in half.items()} | own

    def _read(self, kind: ArtifactKind, wanted: tuple[str, ...]) -> _Kept | None:
        """The features kept, and `keys` and `degrees` of what they were made for; None where they are of no use."""
        found = self._usable(kind)
        if found is None or not {*wanted, "keys", "degrees"} <= set(found.arrays):
            return None
        made_for = found.made_from["kg"]
        if kind is TEXT:
            self.made_for = made_for
        elif made_for != self.made_for:
            return None
        arrays: _Kept = {name: found.arrays[name].astype(np.float32) for name in wanted}
        return arrays | {name: found.arrays[name] for name in ("keys", "degrees")}

    def _usable(self, kind: ArtifactKind) -> Artifact | None:
        """What is kept, where it fits the embedder, and the KG unless it may be carried over."""
        folder = self.base.path / TABLES_FOLDER
        if not kind.exists(folder):
            return None
        try:
            found = kind.load(folder)
        except (CorruptError, OutdatedError, VersionError) as error:
            log.debug("%s of %s is made anew: %s", kind.name, self.base.path, error)
            return None
        stale = found.stale(kg=self.kg_hash, embedder=self.embedder.fingerprint)
        return None if "embedder" in stale or (stale and self._anew) else found


def _log_degree(degrees: Int64) -> Floats:
    return np.log1p(degrees).astype(np.float32)


def _take(column: NDArray[Any], rows: Int64) -> Int64:
    """Column values at rows, -1 where a row is -1."""
    taken: Int64 = np.where(rows >= 0, column[np.maximum(rows, 0)], -1)
    return taken


_tables: WeakKeyDictionary[KnowledgeBase, tuple[str, PathTables]] = WeakKeyDictionary()
_making = Lock()


async def path_tables(base: KnowledgeBase) -> PathTables | None:
    """The tables of the KG as it is now, shared by all who ask; None where it has no adjacency at hand."""
    snapshot = base.snapshot()
    if snapshot is None:
        return None
    known = _tables.get(base)
    if known is not None and known[0] == snapshot.stamp and isinstance(base.store, EmbeddedStore):
        return known[1]
    kg_hash = await base.store.fingerprint()  # a database may have changed since its snapshot was made

    def make() -> PathTables:
        with _making:  # whoever comes second finds what the first one made
            found = _tables.get(base)
            if found is None or found[0] != snapshot.stamp or found[1].kg_hash != kg_hash:
                found = _tables[base] = (snapshot.stamp, PathTables(base, snapshot, kg_hash, lambda *_: None))
            return found[1]

    return await asyncio.to_thread(make)


class OpenPolicy(NamedTuple):
    """A learned policy that can rank steps, the rewards it learned by, whether the KG has changed, how it learned."""

    model: PathModel
    rewards: PathRewards
    stale: bool
    trained: str


_learned: WeakKeyDictionary[PathTables, tuple[tuple[int, int, int], OpenPolicy]] = WeakKeyDictionary()


def learned_policy(tables: PathTables) -> OpenPolicy | None:
    """The policy learned on a KG, as it lies on disk now; None where none was. Blocks.

    Raises:
        CorruptError, EmbedderError, OutdatedError, VersionError: as `load_policy`.
        StaleError: its features are lost and were made again for a later state of the KG.
    """
    folder = tables.base.path / FOLDER
    if not POLICY.exists(folder):
        return None
    stamp = POLICY.stamp(folder)
    with _making:
        known = _learned.get(tables)
        if known is None or known[0] != stamp:
            known = _learned[tables] = (stamp, _opened(tables, folder))
        return known[1]


def _opened(tables: PathTables, folder: Path) -> OpenPolicy:
    learned = load_policy(folder, tables.embedder)
    structure_ = tables.structure(lambda *_: None)
    if learned.kg != tables.made_for or tables.mixed:
        raise StaleError(
            f"the path policy in {folder} was learned on another state of the KG, whose features are gone: "
            f"{POLICY.renew}, or ask for the policy structural"
        )
    stale, trained = learned.kg != tables.kg_hash, how_trained(learned.report)
    degrees = tables.graph.degrees
    rewards = PathRewards.of(tables.features, learned.mapping, learned.weights)
    inputs = PathInputs.of(tables.features, structure_, degrees)
    return OpenPolicy(PathModel(inputs, learned.parameters), rewards, stale, trained)


_LIVE = (
    "this KG is searched live, through its store: neighbors are ranked by their labels. "
    "A snapshot of the graph brings learned, structural and exact paths"
)
_STALE = "the path policy was learned before this KG changed; trivium learn knowgpt renews it"
PolicyName = Literal["learned", "structural", "random", "exact"]
UsedPolicy = Literal["learned", "structural", "random", "exact", "text"]
"""`text` is what a live graph gets: neighbors ranked by their labels."""


class Note(NamedTuple):
    """An event: its kind, `policy` or `stale`, and what to say."""

    event: str
    message: str


class ExtractedPath(NamedTuple):
    """A path from a source to a target (ids) and its total reward (equations 2 to 4)."""

    source: str
    target: str
    path: ReasoningPath
    reward: float


@dataclass(frozen=True)
class Extraction:
    """What was extracted.

    Attributes:
        paths: pair by pair in the order of sources, then targets; the best of a pair first.
        expanded: entities whose neighbors were read, counted once a pair, over all pairs.
        policy: the one that was used.
        events: what a user should know: a policy that stood in for another, or that is older than the KG.
        trained: how a learned policy was trained, in words; else empty.
    """

    paths: tuple[ExtractedPath, ...]
    expanded: int
    policy: UsedPolicy
    events: tuple[Note, ...] = ()
    trained: str = ""


async def extract_paths(  # noqa: PLR0913 - the tool's arguments, one by one, as the contract names them
    base: KnowledgeBase,
    question: str,
    sources: Sequence[str],
    targets: Sequence[str],
    *,
    max_hops: int = 3,
    beam_width: int = 8,
    paths_per_pair: int = 3,
    policy: PolicyName = "learned",
) -> Extraction:
    """The best paths from each source to each target, by total reward; no entity twice on a path.

    Args:
        base: the KG.
        question: in words, the context of equation 3.
        sources: entity ids of the question; one that is not an entity of the KG has no path.
        targets: entity ids of all candidate answers, the wrong ones too. A pair of one entity has no path.
        max_hops: K, the longest path.
        beam_width: entities a pair expanded at each hop but the first; `exact` does not look at it.
        paths_per_pair: at most so many paths of a pair.
        policy: who ranks the steps; without a learned one `structural` stands in, and an event says so. On a live
            graph all but `random` become `text`.

    Raises:
        CorruptError, VersionError: the learned policy is damaged, or a newer Trivium wrote it.
    """
    tables = await path_tables(base)
    if tables is None:
        pairs = list(dict.fromkeys((a, b) for a in sources for b in targets if a != b))
        return await _extract_live(base, question, pairs, _Limits(max_hops, beam_width, paths_per_pair), policy)
    pairs = list(dict.fromkeys((a, b) for a in sources for b in targets if a != b))
    rows = tables.snapshot.rows([key for pair in pairs for key in pair]).reshape(-1, 2)
    known = np.flatnonzero((rows >= 0).all(axis=1))
    request = _Request(tables, question, rows[known], _Limits(max_hops, beam_width, paths_per_pair))
    ranked, used, events = await asyncio.to_thread(_search_alone, request, policy)
    named = [pairs[place] for place in known.tolist()]
    paths = tuple(ExtractedPath(*named[path.pair], path.triples(tables.snapshot), path.reward) for path in ranked.paths)
    learned = await asyncio.to_thread(learned_policy, tables) if used == "learned" else None
    return Extraction(paths, int(ranked.expanded.sum()), used, events, learned.trained if learned else "")


class _Limits(NamedTuple):
    max_hops: int
    beam_width: int
    paths_per_pair: int


@dataclass(frozen=True)
class _Request:
    tables: PathTables
    question: str
    pairs: Int64
    limits: _Limits


async def _extract_live(
    base: KnowledgeBase, question: str, pairs: list[tuple[str, str]], limits: _Limits, policy: PolicyName
) -> Extraction:
    """The same through the store; whatever policy is asked for, but for `random`, labels rank the neighbors."""
    graph = LiveGraph(base)
    known = set(await graph.start([key for pair in pairs for key in pair]))
    pairs = [pair for pair in pairs if known.issuperset(pair)]
    rows = graph.rows([key for pair in pairs for key in pair]).reshape(-1, 2)
    contexts = await asyncio.to_thread(base.embedder.embed, [question])
    query = PathQuery(rows[:, 0], rows[:, 1], np.zeros(len(rows), np.int64), contexts)
    scorer: PathScorer = RandomScorer() if policy == "random" else TextScorer(graph)
    found, expanded = await walk_live(graph, scorer, query, (limits.beam_width, limits.max_hops))
    ranked = best_paths(found, live_rewards(graph), query, limits.paths_per_pair)
    paths = tuple(ExtractedPath(*pairs[path.pair], _live_triples(graph, path), path.reward) for path in ranked)
    used: UsedPolicy = "random" if policy == "random" else "text"
    return Extraction(paths, int(expanded.sum()), used, () if policy == "random" else (Note("policy", _LIVE),))


def _live_triples(graph: LiveGraph, path: RankedPath) -> ReasoningPath:
    """A path in ids, each triple as stored."""
    steps = []
    for start, end, code in zip(path.entities, path.entities[1:], path.codes, strict=False):
        backwards = bool(code % 2)
        head, tail = (graph.ids[end], graph.ids[start]) if backwards else (graph.ids[start], graph.ids[end])
        steps.append(WalkedTriple(head, graph.relations[code // 2], tail, backwards))
    return tuple(steps)


@cache
def _libraries() -> ThreadpoolController:
    """The numeric libraries of this process; finding them costs milliseconds, so once."""
    from threadpoolctl import ThreadpoolController  # opening a KG does without it

    return ThreadpoolController()


def _search_alone(request: _Request, policy: PolicyName) -> tuple[PathRanking, PolicyName, tuple[Note, ...]]:
    """Search on one thread: with small matrices two BLAS threads that wait for each other took 20 times as long."""
    with _libraries().limit(limits=1, user_api="blas"):
        return _search(request, policy)


def _search(request: _Request, policy: PolicyName) -> tuple[PathRanking, PolicyName, tuple[Note, ...]]:
    """Search all pairs; the policy used, and what stood in for what."""
    tables, limits = request.tables, request.limits
    contexts = tables.contexts([request.question])
    query = PathQuery(request.pairs[:, 0], request.pairs[:, 1], np.zeros(len(request.pairs), np.int64), contexts)
    rewards, scorer, used, events = _policy(tables, policy)
    affinity = contexts @ rewards.directions.T
    if scorer is None:
        found, expanded = walk_exactly(tables.graph, query, affinity, limits.max_hops)
    else:
        found, expanded = walk_beam(tables.graph, scorer, query, affinity, (limits.beam_width, limits.max_hops))
    return PathRanking(best_paths(found, rewards, query, limits.paths_per_pair), expanded), used, events


def _policy(
    tables: PathTables, policy: PolicyName
) -> tuple[PathRewards, PathScorer | None, PolicyName, tuple[Note, ...]]:
    """Rewards, scorer (None: exact search), the policy used, events."""
    try:
        learned, why = learned_policy(tables), "no path policy was learned on this KG"
    except (EmbedderError, OutdatedError, StaleError) as error:
        learned, why = None, str(error)
    # Every policy is judged by the same rewards: with W as it was learned, where it was.
    rewards = PathRewards.of(tables.features) if learned is None else learned.rewards
    events: tuple[Note, ...] = ()
    if policy == "learned":
        if learned is not None:
            if learned.stale:
                events = (Note("stale", _STALE),)
            return rewards, LearnedScorer(learned.model), policy, events
        policy = "structural"
        events = (Note("policy", f"{why}: the structural policy is used instead (trivium learn knowgpt)"),)
    if policy == "random":
        return rewards, RandomScorer(), policy, events
    if policy == "exact":
        return rewards, None, policy, events
    structure = tables.structure(lambda *_: None)
    return rewards, StructuralScorer(structure.walks, tables.features.log_degree), policy, events
