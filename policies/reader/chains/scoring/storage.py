"""What pairs taught, as JSON and arrays; kept in the decomposer's artifact (`policies.reader.chains.artifact`)."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from trivium.kg.artifact import Arrays
from trivium.kg.types import Hop
from trivium.policies.reader.chains.chain_search import ChainModel
from trivium.policies.reader.chains.scoring.loglinear import LogLinearScorer, SlotModel
from trivium.policies.reader.chains.scoring.network import ChainInputs, ChainNetwork, PreparedNetwork
from trivium.policies.reader.chains.scoring.scorer import ChainCandidates, LearnedReader, Mix, TrainedScorer
from trivium.policies.reader.chains.wording import Encoder, Vocabulary

_PREFIX = "learned_"


def learned_words(learned: LearnedReader) -> dict[str, Any]:
    """All but the arrays."""
    found = learned.candidates
    out: dict[str, Any] = {
        "mix": asdict(learned.mix),
        "words": {word: sorted(relations) for word, relations in sorted(found.words.items())},
        "lengths": sorted(found.lengths),
        "wordings": found.wordings,
        "shown": [[list(map(str, chain)), sorted(texts)] for chain, texts in sorted(found.shown.items())],
    }
    match found.scorer:
        case PreparedNetwork() as prepared:
            words, hops = list(prepared.inputs.words), [str(hop) for hop in prepared.hops]
            return {**out, "kind": "network", "vocabulary": words, "hops": hops}
        case LogLinearScorer() as scorer:
            slots, encoder = scorer.slots, scorer.encoder
            own: dict[str, Any] = {
                "vocabulary": list(encoder.vocabulary.words),
                "hops": [[hop.relation, hop.inverse] for hop in slots.hops],
            }
            return {**out, "kind": "log-linear", **own, "max_hops": slots.max_hops, "buckets": encoder.buckets}
    raise TypeError("only what trivium learn keqing makes can be saved")


def learned_arrays(learned: LearnedReader) -> dict[str, np.ndarray[Any, Any]]:
    """Weights and vectors as float16: half the size."""
    scorer = learned.candidates.scorer
    arrays: dict[str, np.ndarray[Any, Any]] = {}
    if isinstance(scorer, PreparedNetwork):
        arrays = dict(scorer.weights)
    elif isinstance(scorer, LogLinearScorer):
        arrays = {
            "sparse": scorer.slots.sparse,
            "dense": scorer.slots.dense,
            "vectors": scorer.encoder.vocabulary.vectors,
        }
    return {_PREFIX + name: array.astype(np.float16) for name, array in arrays.items()}


def assemble_learned(data: dict[str, Any] | None, arrays: Arrays, lexical: ChainModel) -> LearnedReader | None:
    """The reader of loaded JSON and arrays; raises KeyError, TypeError or ValueError where they make no sense."""
    if data is None:
        return None
    single = {
        name.removeprefix(_PREFIX): array.astype(np.float32)
        for name, array in arrays.items()
        if name.startswith(_PREFIX)
    }
    segments = lexical.segments
    scorer: TrainedScorer
    if data["kind"] == "network":
        network = ChainNetwork(single, tuple(map(Hop.parse, data["hops"])))
        scorer = network.prepared(ChainInputs(segments, tuple(data["vocabulary"])))
    else:
        hops = tuple(Hop(str(relation), bool(inverse)) for relation, inverse in data["hops"])
        slots = SlotModel(hops, data["max_hops"], single["sparse"], single["dense"])
        vocabulary = Vocabulary(tuple(data["vocabulary"]), single["vectors"], segments.embedder)
        scorer = LogLinearScorer(slots, Encoder(vocabulary, data["buckets"]), segments)
    words = data["words"] if isinstance(data["words"], dict) else dict.fromkeys(data["words"], ())  # before 2026-11-23
    shown = {str(word): frozenset(map(str, relations)) for word, relations in words.items()}
    said = {tuple(map(Hop.parse, chain)): frozenset(map(str, stems)) for chain, stems in data.get("shown", ())}
    candidates = ChainCandidates(lexical, scorer, shown, frozenset(data["lengths"]), data["wordings"], said)
    return LearnedReader(candidates, Mix(**data["mix"]))
