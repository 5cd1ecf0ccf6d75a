"""The learnt decomposer on disk: arrays as safetensors, the rest as JSON; nothing is ever unpickled."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from trivium.kg.artifact import Arrays, Artifact, ArtifactKind
from trivium.kg.embedders import Embedder
from trivium.kg.errors import EmbedderError, OutdatedError
from trivium.kg.types import Hop
from trivium.policies.reader.chains.chain_search import ChainModel
from trivium.policies.reader.chains.compact_decomposer import CompactDecomposer
from trivium.policies.reader.chains.mentions import MentionModel
from trivium.policies.reader.chains.readings import ChainReader
from trivium.policies.reader.chains.scoring.storage import assemble_learned, learned_arrays, learned_words
from trivium.policies.reader.chains.segment_model import SegmentModel
from trivium.policies.reader.chains.word_table import WordTable
from trivium.policies.reader.chains.wording import KnownWords
from trivium.policies.reader.ranking import PlanRanking

_FORMAT, _AGAIN = 7, "learn again with trivium learn keqing"
DECOMPOSER = ArtifactKind("the decomposer", "decomposer", _FORMAT, _AGAIN)
"""What learning left."""
CURRENT = ArtifactKind("the decomposer", "current", _FORMAT, _AGAIN)
"""The same with the words of the schema as it was after a later write; derived from the other."""

_TABLES = ("own", "end", "start", "deed")  # of the segment model


def save_decomposer(
    folder: Path,
    decomposer: CompactDecomposer,
    made_from: Mapping[str, str],
    *,
    pairs: int = 0,
    wordings: int = 0,
    embedder: str = "",
    kind: ArtifactKind = DECOMPOSER,
) -> list[Path]:
    """Write a decomposer in one step; returns the files written and removed.

    Weights and vectors are stored as float16: half the size.
    """
    data = {"embedder": embedder, "pairs": pairs, "wordings": wordings, **_words(decomposer)}
    return kind.save(folder, data, _arrays(decomposer.reader), made_from=made_from)


def _words(decomposer: CompactDecomposer) -> dict[str, Any]:
    """What is kept as JSON: all but the arrays."""
    chains, known = _parts(decomposer.reader)
    return {
        "hops": [str(hop) for hop in chains.segments.hops],
        "stems": list(chains.segments.stems),
        "max_hops": chains.segments.max_hops,
        "known": sorted(known.words),
        "phrases": {str(hop): phrase for hop, phrase in decomposer.phrases.items()},
        "habits": [[str(before), str(hop), habit] for (before, hop), habit in decomposer.habits.items()],
        "initials": dict(decomposer.initials),
        "types": dict(decomposer.types),
        "learned": decomposer.reader.learned and learned_words(decomposer.reader.learned),
        "ranking": dict(decomposer.ranking.weights),
        "idle": sorted(decomposer.ranking.idle),
        "trust": list(decomposer.ranking.trust),
    }


def _parts(reader: ChainReader) -> tuple[ChainModel, KnownWords]:
    """The reader's parts as what learning makes; another kind of reader is none that can be kept."""
    if not isinstance(reader.chains, ChainModel) or not isinstance(reader.known, KnownWords):
        raise TypeError("only what trivium learn keqing makes can be saved")
    return reader.chains, reader.known


def _arrays(reader: ChainReader) -> dict[str, np.ndarray[Any, Any]]:
    chains, _ = _parts(reader)
    segments, learned = chains.segments, reader.learned
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
    if learned:
        out |= learned_arrays(learned)
    return out


def load_decomposer(folder: Path, embedder: Embedder, kind: ArtifactKind = DECOMPOSER) -> CompactDecomposer:
    """Read what `save_decomposer` wrote.

    Raises:
        EmbedderError: it was learned with another embedder.
        CorruptError, VersionError: as `ArtifactKind.load`.
    """
    return read_decomposer(kind.load(folder), embedder, kind)


def read_decomposer(found: Artifact, embedder: Embedder, kind: ArtifactKind = DECOMPOSER) -> CompactDecomposer:
    """The decomposer of a loaded artifact; raises as `load_decomposer`."""
    if found.stale(embedder=embedder.fingerprint):
        made = found.data.get("embedder")
        raise EmbedderError(
            f"{kind.path(found.folder)} was learned with the embedder {made!r}, not {embedder.name!r}: {_AGAIN}"
        )
    try:
        return _assemble(found.data, found.arrays, embedder)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise kind.unreadable(found.folder, error) from error


def _assemble(model: dict[str, Any], arrays: Arrays, embedder: Embedder) -> CompactDecomposer:
    chains = ChainModel(_segments(model, arrays, embedder))
    reader = ChainReader(
        chains,
        KnownWords(frozenset(model["known"]), frozenset(model["stems"])),
        MentionModel(arrays["mention_weights"], arrays["mention_mean"], arrays["mention_deviation"]),
        assemble_learned(model["learned"], arrays, chains),
    )
    phrases = {Hop.parse(hop): text for hop, text in model["phrases"].items()}
    habits = {(Hop.parse(before), Hop.parse(hop)): habit for before, hop, habit in model["habits"]}
    return CompactDecomposer(reader, phrases, habits, model["initials"], model["types"], ranking=_ranking(model))


def load_ranking(folder: Path) -> PlanRanking | None:
    """What pairs taught about plans, which may be nothing; None without a lesson, or where an older Trivium wrote it.

    Raises:
        CorruptError, VersionError: as `ArtifactKind.load`.
    """
    if not DECOMPOSER.exists(folder):
        return None
    try:
        return _ranking(DECOMPOSER.head(folder).data)
    except OutdatedError:
        return None
    except (AttributeError, TypeError, ValueError) as error:
        raise DECOMPOSER.unreadable(folder, error) from error


def _ranking(model: Mapping[str, Any]) -> PlanRanking:
    weights = {str(name): float(weight) for name, weight in model.get("ranking", {}).items()}
    trust = tuple(map(float, model.get("trust", ())))
    return PlanRanking(weights, frozenset(map(str, model.get("idle", ()))), trust)


def _segments(model: dict[str, Any], arrays: Arrays, embedder: Embedder) -> SegmentModel:
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
