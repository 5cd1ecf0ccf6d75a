"""A learnt path policy on disk: W and the network as safetensors, the rest as JSON; nothing is ever unpickled."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load

from trivium.kg.embedders import Embedder
from trivium.kg.errors import CorruptError, EmbedderError, StaleError, TriviumError, VersionError
from trivium.kg.files import write_atomic
from trivium.policies.paths.graph import Floats
from trivium.policies.paths.reward import RewardWeights
from trivium.policies.paths.tables import pack

FOLDER = "knowgpt"
FORMAT = 2
_MODEL, _ARRAYS = "paths.json", "paths-{}.safetensors"
_AGAIN = "learn again with trivium learn knowgpt"


@dataclass(frozen=True)
class LearntPaths:
    """What `trivium learn knowgpt` leaves behind.

    Attributes:
        mapping: W, float32 [d, d].
        parameters: the network's, as `trivium.policies.paths.model` names them.
        weights: of the rewards that it was trained on.
        report: what was learnt from and how well it did, for people.
    """

    mapping: Floats
    parameters: dict[str, Floats]
    weights: RewardWeights
    report: dict[str, Any]


def save_paths(folder: Path, learnt: LearntPaths, embedder: Embedder, kg_hash: str) -> list[Path]:
    """Write a policy in one step (the JSON names the arrays' file); returns the files written or removed."""
    folder.mkdir(parents=True, exist_ok=True)
    blob = pack({"W": learnt.mapping, **learnt.parameters}, {})
    digest = hashlib.sha256(blob).hexdigest()
    arrays = folder / _ARRAYS.format(digest[:16])
    write_atomic(arrays, blob)
    model = {
        "format": FORMAT, "arrays": arrays.name, "sha256": digest, "embedder": embedder.name,
        "embedder_fingerprint": embedder.fingerprint, "kg_hash": kg_hash, "weights": asdict(learnt.weights),
        "report": learnt.report,
    }  # fmt: skip
    write_atomic(folder / _MODEL, json.dumps(model, ensure_ascii=False, indent=1).encode())
    stale = [path for path in folder.glob(_ARRAYS.format("*")) if path != arrays]
    for path in stale:
        path.unlink(missing_ok=True)
    return [arrays, folder / _MODEL, *stale]


def has_paths(folder: Path) -> bool:
    """Whether a path policy has been learnt there."""
    return (folder / _MODEL).exists()


def modified(folder: Path) -> int:
    """When the policy there was learnt, in nanoseconds: changes with every `trivium learn knowgpt`."""
    return (folder / _MODEL).stat().st_mtime_ns


def load_paths(folder: Path, embedder: Embedder, kg_hash: str) -> LearntPaths:
    """Read what `save_paths` wrote.

    Raises:
        CorruptError: a file is missing or damaged.
        EmbedderError: it was learnt with another embedder.
        StaleError: it was learnt on another KG, on this one before it changed, or by a Trivium before this one.
        VersionError: a newer Trivium wrote it.
    """
    path = folder / _MODEL
    try:
        model = json.loads(path.read_bytes())
        if model["format"] > FORMAT:
            raise VersionError(f"{path} has format {model['format']}, this Trivium reads up to {FORMAT}: upgrade it")
        if model["format"] < FORMAT:
            raise StaleError(f"{path} was learnt by an older Trivium, which saw entities otherwise: {_AGAIN}")
        if model["embedder_fingerprint"] != embedder.fingerprint:
            told = f"the path policy was learnt with the embedder {model['embedder']!r}, not {embedder.name!r}"
            raise EmbedderError(f"{told}: {_AGAIN}")
        if model["kg_hash"] != kg_hash:
            told = f"the path policy was learnt on a KG with hash {model['kg_hash'][:12]}, this one has {kg_hash[:12]}"
            raise StaleError(f"{told}: {_AGAIN}, or ask for the policy structural")
        blob = (folder / model["arrays"]).read_bytes()
        if hashlib.sha256(blob).hexdigest() != model["sha256"]:
            raise CorruptError(_damaged(folder, "its arrays differ from their checksum"))
        arrays = {name: array.astype(np.float32) for name, array in load(blob).items()}
        return LearntPaths(arrays.pop("W"), arrays, RewardWeights(**model["weights"]), model["report"])
    except TriviumError:
        raise  # a StaleError is a ValueError too
    except (OSError, AttributeError, KeyError, TypeError, ValueError, SafetensorError) as error:
        raise CorruptError(_damaged(folder, str(error))) from error


def _damaged(folder: Path, why: str) -> str:
    return f"the path policy in {folder} is damaged ({why}): {_AGAIN}"
