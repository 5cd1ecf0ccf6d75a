"""Everything a path search reads of one KG: adjacency, text features, structure, rewards; made once, kept on disk.

Text and structure are derived from the KG: they lie in its folder `paths/` under the KG's and the embedder's hash, and
are made again where they are missing, stale or damaged. What is learnt, W and the policy, lies elsewhere
(`trivium.policies.paths.policy`).
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Protocol

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import load, save

from trivium.kg.embedded.snapshot import Snapshot
from trivium.kg.embedders import Embedder
from trivium.kg.files import write_atomic
from trivium.policies.paths.features import PathFeatures, Progress, Structure, make_features, structure
from trivium.policies.paths.graph import Floats, PathGraph
from trivium.policies.paths.reward import PathRewards, RewardWeights

log = logging.getLogger("trivium.paths")

FOLDER = "paths"
FORMAT = 2
"""Changes when features are computed otherwise; older files are then made again."""
_TEXT, _STRUCTURE = "text.safetensors", "structure.safetensors"


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

    Attributes:
        base: the KG.
        snapshot: names, ids and labels of its entities.
        kg_hash: the KG's content hash.
        version: the KG's content hash and the embedder's fingerprint.
        graph: adjacency.
        features: text features.
    """

    def __init__(self, base: TablesHome, snapshot: Snapshot, kg_hash: str, progress: Progress) -> None:
        self.base, self.snapshot = base, snapshot
        self.kg_hash = kg_hash
        self.version = f"{FORMAT}:{kg_hash}:{base.embedder.fingerprint}"
        self.graph = PathGraph.from_snapshot(snapshot)
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
                kept = self._read(_STRUCTURE, ("walks", "aim", "near"))
                if kept is None:
                    log.info("finding the structure of %s, once", self.base.path)
                    progress("structure of the graph", 0, None)
                    made = structure(self.graph)
                    kept = self._write(_STRUCTURE, {"walks": made.walks, "aim": made.aim, "near": made.near})
                self._structure = Structure(kept["walks"], kept["aim"], kept["near"])
            return self._structure

    def rewards(self, mapping: Floats | None = None, weights: RewardWeights | None = None) -> PathRewards:
        """Rewards under W, float32 [d, d]; without one W is the identity."""
        text, relation = self.features.text, self.features.relation
        if mapping is not None:
            text, relation = text @ mapping.T, relation @ mapping.T
        return PathRewards(text, relation, weights)

    def _features(self, progress: Progress) -> PathFeatures:
        kept = self._read(_TEXT, ("text", "relation", "basis"))
        log_degree = np.log1p(self.graph.degrees).astype(np.float32)
        if kept is not None:
            return PathFeatures(kept["text"], kept["relation"], log_degree, kept["basis"])
        log.info("embedding the triples of %s, once", self.base.path)
        names = self.snapshot.names(np.arange(self.snapshot.entities))
        made = make_features(self.graph, names, self.snapshot.relation_names, self.embedder, progress)
        kept = self._write(_TEXT, {"text": made.text, "relation": made.relation, "basis": made.basis})
        return PathFeatures(kept["text"], kept["relation"], log_degree, kept["basis"])

    def _write(self, name: str, arrays: Mapping[str, Floats]) -> dict[str, Floats]:
        """Keep arrays; returns them as they will be read again, so that every run sees the same numbers."""
        blob = pack(arrays, {"version": self.version})
        self.base.keep(FOLDER, lambda folder: _into(folder, name, blob))
        return {key: array.astype(np.float32) for key, array in load(blob).items()}

    def _read(self, name: str, wanted: Sequence[str]) -> dict[str, Floats] | None:
        """The arrays `wanted` of a file; None where it is missing, damaged or of another version of KG or Trivium."""
        try:
            kept = unpack(self.base.path / FOLDER / name, self.version)
            return {key: kept[key] for key in wanted}  # a build before this one may have named them otherwise
        except (OSError, KeyError, ValueError, SafetensorError) as error:
            log.debug("%s of %s is made anew: %s", name, self.base.path, error)
            return None


def pack(arrays: Mapping[str, Floats], metadata: Mapping[str, str]) -> bytes:
    """Arrays as float16 in the safetensors format: half the size, and a cosine moves by some 0.0005."""
    half = {name: np.ascontiguousarray(array, dtype=np.float16) for name, array in arrays.items()}
    return save(half, metadata=dict(metadata))


def unpack(path: Path, version: str) -> dict[str, Floats]:
    """What `pack` wrote, as float32; raises `ValueError` for another version, else as safetensors does."""
    with safe_open(path, framework="numpy") as file:
        told = (file.metadata() or {}).get("version")
        if told != version:
            raise ValueError(f"made for {json.dumps(told)}")
        return {name: file.get_tensor(name).astype(np.float32) for name in file.keys()}  # noqa: SIM118 - no mapping


def _into(folder: Path, name: str, blob: bytes) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    write_atomic(folder / name, blob)
