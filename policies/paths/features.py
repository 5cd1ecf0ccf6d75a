"""Entity features of the path policy: what the triples around an entity say (KnowGPT, appendix B.2).

B.2 turns each triple into a sentence, embeds it, and pools the sentences of an entity. With the static embedder a
sentence's vector is the sum of its parts', so the sentences of 100,000 triples take a second and no index.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trivium.kg.embedded.columns import Int64
from trivium.kg.embedders import Embedder, additive, unit
from trivium.kg.indexes import relation_words
from trivium.policies.paths.graph import Floats, PathGraph

TEXT_DIMENSIONS = 128
_SENTENCES = 1 << 14  # embedded at once
Progress = Callable[[str, int, int | None], None]
"""Called with a stage's name, how much is done and the total, if known."""


@dataclass(frozen=True)
class PathFeatures:
    """Tables of one KG under one embedder.

    Attributes:
        text: unit rows float32 [E, d], B.2's embeddings by their d <= 128 main directions.
        relation: unit rows float32 [R, d], the relations' names in the same directions.
        log_degree: float32 [E], log(1 + distinct neighbours).
        basis: float32 [D, d], orthonormal columns: the embedder's space to that of `text`.
    """

    text: Floats
    relation: Floats
    log_degree: Floats
    basis: Floats

    def contexts(self, embedder: Embedder, questions: Sequence[str]) -> Floats:
        """Context embeddings c of questions: unit rows float32 [n, d]; a question without content is all zeros."""
        return unit(embedder.embed(questions) @ self.basis)


def make_features(
    graph: PathGraph, labels: Sequence[str], relations: Sequence[str], embedder: Embedder, progress: Progress
) -> PathFeatures:
    """The text features of a KG; labels in the order of its entities, relations in that of its codes.

    Raises:
        EmbedderError: the embedder is not installed or does not answer.
    """
    words = [relation_words(name) for name in relations]
    pooled = pool_sentences(graph, labels, words, embedder, progress)
    named = embedder.embed(words) if words else np.zeros((0, embedder.dimensions), np.float32)
    basis = main_directions(pooled, TEXT_DIMENSIONS)
    log_degree = np.log1p(graph.degrees).astype(np.float32)
    return PathFeatures(unit(pooled @ basis), unit(named @ basis), log_degree, basis)


def main_directions(vectors: Floats, dimensions: int) -> Floats:
    """The orthonormal directions in which n vectors of D dimensions are longest, float32 [D, min(dimensions, D)].

    Principal components of the vectors as they are, not of their deviations from the mean: a question has to be
    projected in the same way, and it lies elsewhere than the entities' mean.
    """
    _, directions = np.linalg.eigh((vectors.T @ vectors).astype(np.float64))
    chosen: Floats = np.ascontiguousarray(directions[:, ::-1][:, :dimensions], dtype=np.float32)
    return chosen


def pool_sentences(
    graph: PathGraph, labels: Sequence[str], words: Sequence[str], embedder: Embedder, progress: Progress
) -> Floats:
    """The mean of the sentence vectors around each entity, unit rows float32 [E, D]; its label's where it has none."""
    # Uncached: a cache of 20,000 texts would be flushed by a KG's labels.
    inner: Embedder = getattr(embedder, "inner", embedder)
    embed = _sentence_embedder(labels, words, inner, progress)
    pooled = np.zeros((graph.entities, embedder.dimensions), dtype=np.float32)
    for start, stop in pairwise(_parts(graph)):
        part = _sentences_around(graph, start, stop)
        owners, at = np.unique(part.entity, return_index=True)
        if len(owners):
            pooled[owners] = np.add.reduceat(embed(part), at, axis=0)
        progress("sentences of triples", stop, graph.entities)
    bare = np.flatnonzero(graph.degrees == 0).tolist()
    if bare:
        pooled[bare] = inner.embed([labels[row] for row in bare])
    return unit(pooled)


class _Sentences(NamedTuple):
    """m triples seen from an entity, each int64 [m]; `inverse` bool [m] where the entity is the tail."""

    entity: Int64
    relation: Int64
    other: Int64
    inverse: NDArray[np.bool_]


def _sentences_around(graph: PathGraph, start: int, stop: int) -> _Sentences:
    """The triples around the entities `start:stop`, in their order."""
    around = graph.around(np.arange(start, stop))
    counts = np.diff(graph.code_bounds)[around.place]
    first, last = graph.code_bounds[graph.indptr[start]], graph.code_bounds[graph.indptr[stop]]
    codes = graph.codes[first:last].astype(np.int64)
    return _Sentences(
        start + np.repeat(around.owner, counts),
        codes % max(graph.relations, 1),
        np.repeat(around.entity, counts),
        codes >= graph.relations,
    )


def _sentence_embedder(
    labels: Sequence[str], words: Sequence[str], embedder: Embedder, progress: Progress
) -> Callable[[_Sentences], Floats]:
    """Sentences to unit rows float32 [m, D]: by adding up the parts where vectors add up, else as texts, head first."""
    sums = additive(embedder)
    if sums is None:
        return lambda part: embedder.embed(_worded(part, labels, words))
    label_sums = _in_parts(sums.token_sums, labels, embedder.dimensions, progress)
    relation_sums = _in_parts(sums.token_sums, words, embedder.dimensions, progress)
    return lambda part: unit(label_sums[part.entity] + relation_sums[part.relation] + label_sums[part.other])


def _worded(part: _Sentences, labels: Sequence[str], words: Sequence[str]) -> list[str]:
    """Each triple as words."""
    rows = zip(*(column.tolist() for column in part), strict=True)
    return [
        f"{labels[o]} {words[r]} {labels[e]}" if inverse else f"{labels[e]} {words[r]} {labels[o]}"
        for e, r, o, inverse in rows
    ]


def _parts(graph: PathGraph) -> list[int]:
    """Bounds of runs of entities with a bounded number of triples each, the first 0 and the last E."""
    triples = graph.code_bounds[graph.indptr]
    bounds = [0]
    while bounds[-1] < graph.entities:
        stop = int(np.searchsorted(triples, triples[bounds[-1]] + _SENTENCES, side="right")) - 1
        bounds.append(max(min(stop, graph.entities), bounds[-1] + 1))
    return bounds


def _in_parts(
    embed: Callable[[Sequence[str]], Floats], texts: Sequence[str], dimensions: int, progress: Progress
) -> Floats:
    out = np.zeros((len(texts), dimensions), dtype=np.float32)
    for start in range(0, len(texts), _SENTENCES):
        part = texts[start : start + _SENTENCES]
        out[start : start + len(part)] = embed(part)
        progress("labels", start + len(part), len(texts))
    return out
