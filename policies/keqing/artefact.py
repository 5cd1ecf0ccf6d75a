"""The learnt decomposer on disk: arrays as safetensors, the rest as JSON; nothing is ever unpickled."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from trivium.kg.embedders import Embedder
from trivium.kg.errors import CorruptError, EmbedderError, VersionError
from trivium.kg.files import write_atomic
from trivium.kg.types import Hop
from trivium.policies.keqing.chain_search import ChainModel, TaughtSlots
from trivium.policies.keqing.compact_decomposer import CompactDecomposer
from trivium.policies.keqing.learning import Learnt
from trivium.policies.keqing.mentions import MentionModel
from trivium.policies.keqing.readings import Reader
from trivium.policies.keqing.segment_model import SegmentModel
from trivium.policies.keqing.slot_model import SlotModel
from trivium.policies.keqing.word_table import WordTable
from trivium.policies.keqing.wording import Encoder, KnownWords, Vocabulary

FORMAT = 4
_MODEL, _ARRAYS = "decomposer.json", "decomposer-{}.safetensors"
_TABLES = ("own", "end", "start", "deed")  # of the segment model


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
        **_words(learnt.decomposer),
    }
    write_atomic(folder / _MODEL, json.dumps(model, ensure_ascii=False, indent=1).encode())
    stale = [path for path in folder.glob(_ARRAYS.format("*")) if path != arrays]
    for path in stale:
        path.unlink(missing_ok=True)
    return [arrays, folder / _MODEL, *stale]


def _words(decomposer: CompactDecomposer) -> dict[str, Any]:
    """What is kept as JSON: all but the arrays."""
    chains, known = _parts(decomposer.reader)
    taught = chains.taught
    return {
        "hops": [str(hop) for hop in chains.segments.hops],
        "stems": list(chains.segments.stems),
        "max_hops": chains.segments.max_hops,
        "known": sorted(known.words),
        "phrases": {str(hop): phrase for hop, phrase in decomposer.phrases.items()},
        "habits": [[str(before), str(hop), habit] for (before, hop), habit in decomposer.habits.items()],
        "initials": dict(decomposer.initials),
        "types": dict(decomposer.types),
        "taught": taught
        and {
            "hops": [str(hop) for hop in taught.model.hops],
            "max_hops": taught.model.max_hops,
            "buckets": taught.encoder.buckets,
            "words": list(taught.encoder.vocabulary.words),
            "lengths": sorted(taught.lengths),
            "wordings": taught.wordings,
        },
    }


def _parts(reader: Reader) -> tuple[ChainModel, KnownWords]:
    """The reader's parts as what learning makes; another kind of reader is none that can be kept."""
    if not isinstance(reader.chains, ChainModel) or not isinstance(reader.known, KnownWords):
        raise TypeError("only what trivium learn keqing makes can be saved")
    return reader.chains, reader.known


def _arrays(reader: Reader) -> dict[str, np.ndarray[Any, Any]]:
    chains, _ = _parts(reader)
    segments, taught = chains.segments, chains.taught
    out: dict[str, np.ndarray[Any, Any]] = {
        "vectors": segments.vectors.astype(np.float16),
        "voices": segments.voices.astype(np.float16),
        "follows": segments.follows.astype(np.float16),
        "mention_weights": reader.mentions.weights,
        "mention_mean": reader.mentions.mean,
        "mention_deviation": reader.mentions.deviation,
    }
    for name in _TABLES:
        table: WordTable = getattr(segments, name)
        out |= {f"{name}_bounds": table.bounds, f"{name}_hop": table.hop, f"{name}_weight": table.weight}
    if taught:
        out["sparse"] = taught.model.sparse.astype(np.float16)
        out["dense"] = taught.model.dense.astype(np.float16)
        out["taught_vectors"] = taught.encoder.vocabulary.vectors.astype(np.float16)
    return out


def has_decomposer(folder: Path) -> bool:
    """Whether a decomposer has been learnt there."""
    return (folder / _MODEL).exists()


def load_decomposer(folder: Path, embedder: Embedder) -> CompactDecomposer:
    """Read what `save_decomposer` wrote.

    Raises:
        CorruptError: a file is missing or damaged.
        EmbedderError: it was learnt with another embedder.
        VersionError: a newer Trivium wrote it, or one too old.
    """
    path = folder / _MODEL
    try:
        model = json.loads(path.read_bytes())
        if model["format"] > FORMAT:
            raise VersionError(f"{path} has format {model['format']}, this Trivium reads up to {FORMAT}: upgrade it")
        if model["format"] < FORMAT:
            raise VersionError(f"{path} is of an older Trivium: learn again with trivium learn keqing")
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
    reader = Reader(
        ChainModel(_segments(model, arrays, embedder), _taught(model["taught"], arrays, embedder)),
        KnownWords(frozenset(model["known"]), frozenset(model["stems"])),
        MentionModel(arrays["mention_weights"], arrays["mention_mean"], arrays["mention_deviation"]),
    )
    phrases = {Hop.parse(hop): text for hop, text in model["phrases"].items()}
    habits = {(Hop.parse(before), Hop.parse(hop)): habit for before, hop, habit in model["habits"]}
    return CompactDecomposer(reader, phrases, habits, model["initials"], model["types"])


def _segments(model: dict[str, Any], arrays: dict[str, np.ndarray[Any, Any]], embedder: Embedder) -> SegmentModel:
    tables = [WordTable(arrays[f"{name}_bounds"], arrays[f"{name}_hop"], arrays[f"{name}_weight"]) for name in _TABLES]
    return SegmentModel(
        tuple(map(Hop.parse, model["hops"])),
        tuple(model["stems"]),
        arrays["vectors"].astype(np.float32),
        tables[0],
        tables[1],
        tables[2],
        tables[3],
        arrays["voices"].astype(np.float32),
        arrays["follows"].astype(np.float32),
        embedder,
        model["max_hops"],
    )


def _taught(
    model: dict[str, Any] | None, arrays: dict[str, np.ndarray[Any, Any]], embedder: Embedder
) -> TaughtSlots | None:
    if model is None:
        return None
    single = {name: arrays[name].astype(np.float32) for name in ("sparse", "dense", "taught_vectors")}
    slots = SlotModel(tuple(map(Hop.parse, model["hops"])), model["max_hops"], single["sparse"], single["dense"])
    vocabulary = Vocabulary(tuple(model["words"]), single["taught_vectors"], embedder)
    return TaughtSlots(slots, Encoder(vocabulary, model["buckets"]), frozenset(model["lengths"]), model["wordings"])


def _damaged(folder: Path, why: str) -> str:
    return f"the decomposer in {folder} is damaged ({why}): learn again with trivium learn keqing"
