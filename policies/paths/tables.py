"""Everything a path search reads of one KG: adjacency, text features, structure, rewards, the learned policy.

Features are derived from the KG and kept in its folder `paths/`, with what they were made from. After a write they stay
in use, since a policy knows entities by these very numbers: rows of known entities are carried over, new entities and
those with new neighbors get theirs from what is around them. `trivium learn knowgpt` makes all of them anew.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, Protocol
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from trivium.kg.artifact import Artifact, ArtifactKind
from trivium.kg.embedded import EmbeddedStore
from trivium.kg.embedded.columns import Int64, UInt64
from trivium.kg.embedded.snapshot import Snapshot
from trivium.kg.embedders import Embedder, unit
from trivium.kg.errors import CorruptError, OutdatedError, StaleError, VersionError
from trivium.kg.indexes import relation_words
from trivium.kg.knowledge_base import KnowledgeBase
from trivium.policies.paths.features import (
    PathFeatures,
    Progress,
    Structure,
    carried_structure,
    make_features,
    pool_sentences,
    structure,
)
from trivium.policies.paths.graph import Floats, PathGraph
from trivium.policies.paths.policy import FOLDER as POLICY_FOLDER
from trivium.policies.paths.policy import POLICY, PathInputs, PathModel, how_trained, load_policy
from trivium.policies.paths.reward import PathRewards, RewardWeights

log = logging.getLogger("trivium.paths")

FOLDER = "paths"
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
        graph: adjacency.
        features: text features.
        made_for: the fingerprint of the state of the KG that the features were first made for.
        mixed: whether the structure, once it is there, is of another state than the text.
    """

    def __init__(
        self, base: TablesHome, snapshot: Snapshot, kg_hash: str, progress: Progress, *, anew: bool = False
    ) -> None:
        self.base, self.snapshot, self.kg_hash, self._anew = base, snapshot, kg_hash, anew
        self.graph = PathGraph.from_snapshot(snapshot)
        self.made_for, self.mixed = kg_hash, False
        self.features = self._features(progress)
        self._structure: Structure | None = None
        self._lock = Lock()

    @property
    def embedder(self) -> Embedder:
        """The KG's embedder."""
        return self.base.embedder

    def structure(self, progress: Progress) -> Structure:
        """Structural features; seconds where they have to be made first."""
        with self._lock:
            if self._structure is None:
                self._structure = self._found_structure(progress)
            return self._structure

    def rewards(self, mapping: Floats | None = None, weights: RewardWeights | None = None) -> PathRewards:
        """Rewards under W, float32 [d, d]; without one W is the identity."""
        text, relation = self.features.text, self.features.relation
        if mapping is not None:
            text, relation = text @ mapping.T, relation @ mapping.T
        return PathRewards(text, relation, weights)

    def _features(self, progress: Progress) -> PathFeatures:
        log_degree = np.log1p(self.graph.degrees).astype(np.float32)
        kept = self._read(TEXT, ("text", "relation", "basis"))
        if kept is None:
            log.info("embedding the triples of %s, once", self.base.path)
            names = self.snapshot.names(np.arange(self.snapshot.entities))
            made = make_features(self.graph, names, self.snapshot.relation_names, self.embedder, progress)
            kept = self._write(TEXT, {"text": made.text, "relation": made.relation, "basis": made.basis})
        elif self.made_for != self.kg_hash:
            return self._carried_text(kept, log_degree, progress)
        return PathFeatures(kept["text"], kept["relation"], log_degree, kept["basis"])

    def _carried_text(self, kept: _Kept, log_degree: Floats, progress: Progress) -> PathFeatures:
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
        return PathFeatures(text, relation, log_degree, kept["basis"])

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

        self.base.keep(FOLDER, save)
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
        folder = self.base.path / FOLDER
        if not kind.exists(folder):
            return None
        try:
            found = kind.load(folder)
        except (CorruptError, OutdatedError, VersionError) as error:
            log.debug("%s of %s is made anew: %s", kind.name, self.base.path, error)
            return None
        stale = found.stale(kg=self.kg_hash, embedder=self.embedder.fingerprint)
        return None if "embedder" in stale or (stale and self._anew) else found


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
    folder = tables.base.path / POLICY_FOLDER
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
    inputs = PathInputs.of(tables.features, structure_, tables.graph.degrees)
    rewards = tables.rewards(learned.mapping, learned.weights)
    stale = learned.kg != tables.kg_hash
    return OpenPolicy(PathModel(inputs, learned.parameters), rewards, stale, how_trained(learned.report))
