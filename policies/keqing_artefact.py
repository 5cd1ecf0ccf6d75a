"""The learnt decomposer on disk: arrays as safetensors, the rest as JSON; nothing is ever unpickled."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from kg.embedders import Embedder
from kg.errors import CorruptError, EmbedderError, VersionError
from kg.files import write_atomic
from kg.types import Hop
from policies.compact_decomposer import CompactDecomposer
from policies.keqing_learning import Learnt
from policies.mentions import MentionModel
from policies.readings import Reader
from policies.slot_model import SlotModel
from policies.wording import Encoder, Vocabulary

FORMAT = 2
_MODEL, _ARRAYS = "decomposer.json", "decomposer-{}.safetensors"


def save_decomposer(folder: Path, learnt: Learnt, embedder: Embedder, kg_hash: str) -> list[Path]:
    """Write a decomposer in one step (the JSON names the arrays' file); returns the files written.

    Weights and vectors are stored as float16: half the size.
    """
    folder.mkdir(parents=True, exist_ok=True)
    reader = learnt.decomposer.reader
    blob = save(_arrays(reader))
    arrays = folder / _ARRAYS.format(hashlib.sha256(blob).hexdigest()[:16])
    write_atomic(arrays, blob)
    model = {
        "format": FORMAT,
        "arrays": arrays.name,
        "sha256": hashlib.sha256(blob).hexdigest(),
        "embedder": embedder.name,
        "embedder_fingerprint": embedder.fingerprint,
        "kg_hash": kg_hash,
        "pairs": learnt.pairs,
        "wordings": learnt.wordings,
        "buckets": reader.encoder.buckets,
        "max_hops": reader.slots.max_hops,
        "hops": [str(hop) for hop in reader.slots.hops],
        "words": list(reader.encoder.vocabulary.words),
        "phrases": {str(hop): phrase for hop, phrase in learnt.decomposer.phrases.items()},
        "habits": [[str(before), str(hop), habit] for (before, hop), habit in learnt.decomposer.habits.items()],
    }
    write_atomic(folder / _MODEL, json.dumps(model, ensure_ascii=False, indent=1).encode())
    stale = [path for path in folder.glob(_ARRAYS.format("*")) if path != arrays]
    for path in stale:
        path.unlink(missing_ok=True)
    return [arrays, folder / _MODEL, *stale]


def _arrays(reader: Reader) -> dict[str, np.ndarray[Any, Any]]:
    return {
        "sparse": reader.slots.sparse.astype(np.float16),
        "dense": reader.slots.dense.astype(np.float16),
        "vectors": reader.encoder.vocabulary.vectors.astype(np.float16),
        "follows": reader.follows.astype(np.uint8),
        "mention_weights": reader.mentions.weights,
        "mention_mean": reader.mentions.mean,
        "mention_deviation": reader.mentions.deviation,
    }


def has_decomposer(folder: Path) -> bool:
    """Whether a decomposer has been learnt there."""
    return (folder / _MODEL).exists()


def load_decomposer(folder: Path, embedder: Embedder) -> CompactDecomposer:
    """Read what `save_decomposer` wrote.

    Raises:
        CorruptError: a file is missing or damaged.
        EmbedderError: it was learnt with another embedder.
        VersionError: a newer Trivium wrote it.
    """
    path = folder / _MODEL
    try:
        model = json.loads(path.read_bytes())
        if model["format"] > FORMAT:
            raise VersionError(f"{path} has format {model['format']}, this Trivium reads up to {FORMAT}: upgrade it")
        if model["embedder_fingerprint"] != embedder.fingerprint:
            raise EmbedderError(
                f"{path} was learnt with the embedder {model['embedder']!r}, not {embedder.name!r}: "
                "learn again with trivium learn keqing"
            )
        blob = (folder / model["arrays"]).read_bytes()
        if hashlib.sha256(blob).hexdigest() != model["sha256"]:
            raise CorruptError(_damaged(folder, "its arrays differ from their checksum"))
        return _assemble(model, load(blob), embedder)
    except (OSError, AttributeError, KeyError, TypeError, ValueError, SafetensorError) as error:
        raise CorruptError(_damaged(folder, str(error))) from error


def _assemble(model: dict[str, Any], arrays: dict[str, np.ndarray[Any, Any]], embedder: Embedder) -> CompactDecomposer:
    single = {name: arrays[name].astype(np.float32) for name in ("sparse", "dense", "vectors")}
    hops = tuple(Hop.parse(hop) for hop in model["hops"])
    vocabulary = Vocabulary(tuple(model["words"]), single["vectors"], embedder)
    reader = Reader(
        Encoder(vocabulary, model["buckets"]),
        SlotModel(hops, model["max_hops"], single["sparse"], single["dense"]),
        MentionModel(arrays["mention_weights"], arrays["mention_mean"], arrays["mention_deviation"]),
        arrays["follows"].astype(bool),
    )
    phrases = {Hop.parse(hop): text for hop, text in model["phrases"].items()}
    habits = {(Hop.parse(before), Hop.parse(hop)): habit for before, hop, habit in model["habits"]}
    return CompactDecomposer(reader, phrases, habits)


def _damaged(folder: Path, why: str) -> str:
    return f"the decomposer in {folder} is damaged ({why}): learn again with trivium learn keqing"
