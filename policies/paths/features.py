"""Features of entities: what the triples around one say (text), and where it is in the graph (structure).

Text (appendix B.2): each triple becomes a sentence, sentences are embedded, and those of an entity are pooled. With the
static embedder a sentence's vector is the sum of its parts', so the sentences of 100,000 triples take a second.

Structure: NetMF, the factorized random walks of one and two steps. Qiu et al., "Network Embedding as Matrix
Factorization" (2018), equation 1: M = log max(1, vol / (b T) (P + ... + P^T) D^-1) with T = 2 and b = 1, then a
truncated singular value decomposition. No policy on texts alone came past 91 % of the connected pairs at beam 8.
An entity with one neighbor (81 % of ConceptNet) is never between two others: it needs no column, and all such leaves of
one entity share a row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trivium.kg.embedded.columns import Int64, ranges
from trivium.kg.embedders import Embedder, additive, unit
from trivium.kg.indexes import relation_words
from trivium.kg.types import Progress
from trivium.policies.paths.graph import Floats, PathGraph, uniform

TEXT_DIMENSIONS = 128
_SENTENCES = 1 << 14  # embedded at once


@dataclass(frozen=True)
class PathFeatures:
    """Tables of one KG under one embedder.

    Attributes:
        text: unit rows float32 [E, d], B.2's embeddings by their d <= 128 main directions.
        relation: unit rows float32 [R, d], the relations' names in the same directions.
        log_degree: float32 [E], log(1 + distinct neighbors).
        basis: float32 [D, d], orthonormal columns: the embedder's space to that of `text`.
    """

    text: Floats
    relation: Floats
    log_degree: Floats
    basis: Floats


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
    return chosen * _signs(chosen)


def pool_sentences(
    graph: PathGraph,
    labels: Sequence[str],
    words: Sequence[str],
    embedder: Embedder,
    progress: Progress,
    rows: Int64 | None = None,
) -> Floats:
    """The mean of the sentence vectors around each entity, unit rows float32 [E, D]; its label's where it has none.

    `words` are the relations' names in words. With `rows`, int64 [n] ascending, only of these entities.
    """
    # Uncached: a cache of 20,000 texts would be flushed by a KG's labels.
    inner: Embedder = getattr(embedder, "inner", embedder)
    involved = np.arange(graph.entities)
    if rows is not None:  # only their labels and their neighbors' are embedded
        involved = np.union1d(rows, graph.around(rows).entity)
        labels = [labels[row] for row in involved.tolist()]
    rows = involved if rows is None else rows
    embed = _sentence_embedder(labels, words, inner, progress)
    pooled = np.zeros((len(rows), embedder.dimensions), dtype=np.float32)
    for start, stop in pairwise(_parts(graph, rows)):
        owner, part = _sentences_around(graph, rows[start:stop], involved)
        owners, at = np.unique(owner, return_index=True)
        if len(owners):
            pooled[start + owners] = np.add.reduceat(embed(part), at, axis=0)
        progress("sentences of triples", stop, len(rows))
    bare = np.flatnonzero(graph.degrees[rows] == 0)
    if len(bare):
        pooled[bare] = inner.embed([labels[place] for place in np.searchsorted(involved, rows[bare]).tolist()])
    return unit(pooled)


class _Sentences(NamedTuple):
    """m triples seen from an entity, each int64 [m]; `inverse` bool [m] where the entity is the tail."""

    entity: Int64
    relation: Int64
    other: Int64
    inverse: NDArray[np.bool_]


def _sentences_around(graph: PathGraph, rows: Int64, involved: Int64) -> tuple[Int64, _Sentences]:
    """The triples around some entities, in their order: whose each is (a place in `rows`), and their parts."""
    around = graph.around(rows)
    counts = np.diff(graph.code_bounds)[around.place]
    index, _ = ranges(graph.code_bounds[around.place], counts)
    codes = graph.codes[index].astype(np.int64)
    owner = np.repeat(around.owner, counts)
    entity, other = (np.searchsorted(involved, ends) for ends in (rows[owner], np.repeat(around.entity, counts)))
    return owner, _Sentences(entity, codes % max(graph.relations, 1), other, codes >= graph.relations)


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


def _parts(graph: PathGraph, rows: Int64) -> list[int]:
    """Bounds of runs of n rows with a bounded number of triples each, the first 0 and the last n."""
    triples = np.append(0, np.cumsum(np.diff(graph.code_bounds[graph.indptr])[rows]))
    bounds = [0]
    while bounds[-1] < len(rows):
        stop = int(np.searchsorted(triples, triples[bounds[-1]] + _SENTENCES, side="right")) - 1
        bounds.append(max(min(stop, len(rows)), bounds[-1] + 1))
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


WALK_COLUMNS = 256
"""Of walks of one and two steps: the first of three hops is chosen by them, and 128 miss a third more pairs."""
STEP_COLUMNS = 128
"""Of single steps: who has whom as a neighbor is told by fewer."""
_OVERSAMPLED = 10  # columns more than asked for, and
_PASSES = 2  # power iterations: Halko, Martinsson and Tropp (2011), algorithm 4.4
_WALKS = 12_000_000  # two-step walks that are counted; larger graphs are sampled down to it
_BLOCK = 1 << 14  # matrix entries gathered at once: 9 MB, so that pages are used again


@dataclass(frozen=True)
class _Sparse:
    """A sparse matrix by rows: indptr int64 [n + 1], columns int64 [z], values float32 [z]; `width` columns."""

    indptr: Int64
    columns: Int64
    values: Floats
    width: int

    @classmethod
    def of(cls, rows: Int64, columns: Int64, values: Floats, shape: tuple[int, int]) -> _Sparse:
        """From entries in any order; those of one place are added up."""
        key = rows * shape[1] + columns
        order = np.argsort(key, kind="stable")
        key = key[order]
        first = np.ones(len(key), dtype=bool)
        np.not_equal(key[1:], key[:-1], out=first[1:])
        starts = np.flatnonzero(first)
        summed = np.add.reduceat(values[order], starts) if len(starts) else values[:0]
        key = key[starts]
        indptr = np.zeros(shape[0] + 1, dtype=np.int64)
        np.cumsum(np.bincount(key // shape[1], minlength=shape[0]), out=indptr[1:])
        return cls(indptr, key % shape[1], summed.astype(np.float32), shape[1])

    @property
    def rows(self) -> Int64:
        """The row of each entry, int64 [z]."""
        return np.repeat(np.arange(len(self.indptr) - 1), np.diff(self.indptr))

    def transposed(self) -> _Sparse:
        """The same by columns."""
        return _Sparse.of(self.columns, self.rows, self.values, (self.width, len(self.indptr) - 1))

    def __matmul__(self, dense: Floats) -> Floats:
        """Product with float32 [width, k]: float32 [n, k]. Rows are taken in blocks of bounded size."""
        out = np.zeros((len(self.indptr) - 1, dense.shape[1]), dtype=np.float32)
        buffer = np.empty((_BLOCK, dense.shape[1]), dtype=np.float32)
        start = 0
        while start < len(out):
            low = int(self.indptr[start])
            stop = int(np.searchsorted(self.indptr, low + _BLOCK, side="right")) - 1
            stop = max(stop, start + 1)
            high = int(self.indptr[stop])
            size = high - low
            block = buffer[:size] if size <= _BLOCK else np.empty((size, dense.shape[1]), dtype=np.float32)
            np.take(dense, self.columns[low:high], axis=0, out=block)
            block *= self.values[low:high, None]
            filled = start + np.flatnonzero(np.diff(self.indptr[start : stop + 1]))
            if len(filled):
                out[filled] = np.add.reduceat(block, self.indptr[filled] - low, axis=0)
            start = stop
        return out


@dataclass(frozen=True)
class Structure:
    """Structural features of E entities; zeros where an entity's component has none with two neighbors.

    Attributes:
        walks: unit rows float32 [E, s], from walks of one and two steps: who stands near whom.
        aim: unit rows float32 [E, s], from single steps, an entity as the target of one.
        near: unit rows float32 [P, s], likewise, as where it starts: for the P entities with two neighbors or more,
            ascending. `aim[a] . near[b]` is high where b has a as its neighbor.
    """

    walks: Floats
    aim: Floats
    near: Floats


def structure(
    graph: PathGraph, walk_columns: int = WALK_COLUMNS, step_columns: int = STEP_COLUMNS, seed: int = 0
) -> Structure:
    """Structural features of at most so many columns, fewer in a small graph (at least 1).

    Some 45 s of one core for 100,000 triples.
    """
    core = np.flatnonzero(graph.degrees > 1)
    widths = [max(1, min(columns, len(core))) for columns in (walk_columns, step_columns)]
    walks, aim = (np.zeros((graph.entities, width), dtype=np.float32) for width in widths)
    if not len(core):
        return Structure(walks, aim, aim[:0])
    place = np.full(graph.entities, -1, dtype=np.int64)
    place[core] = np.arange(len(core))
    leaves = np.flatnonzero(graph.degrees == 1)
    hubs = place[graph.neighbors[graph.indptr[leaves]]]
    leaves, hubs = leaves[hubs >= 0], hubs[hubs >= 0]
    bearers, row_of_leaf = np.unique(hubs, return_inverse=True)
    two, _ = _factors(_log_walks(graph, core, place, bearers, (2, seed)), widths[0], seed)
    one, near = _factors(_log_walks(graph, core, place, bearers, (1, seed)), widths[1], seed)
    for out, left in ((walks, two), (aim, one)):
        out[core] = left[: len(core)]
        out[leaves] = left[len(core) + row_of_leaf]
    return Structure(unit(walks), unit(aim), unit(near))


def _log_walks(graph: PathGraph, core: Int64, place: Int64, bearers: Int64, walk: tuple[int, int]) -> _Sparse:
    """M of the module's docstring: a row for each core entity, then one for the leaves of each bearer.

    `walk` is T, 1 or 2, and the seed by which two steps are sampled in a large graph.
    """
    size, degrees = len(core), graph.degrees[core].astype(np.float64)
    around = graph.around(core)
    inner = np.flatnonzero(place[around.entity] >= 0)
    rows, columns = around.owner[inner], place[around.entity[inner]]
    step = _Sparse.of(rows, columns, (1 / degrees[rows]).astype(np.float32), (size, size))
    # A leaf's first step leads to its bearer for certain, its second one wherever the bearer's first would.
    parts = [(rows, columns, step.values), (size + np.arange(len(bearers)), bearers, np.ones(len(bearers), np.float32))]
    if walk[0] == 2:
        beyond, bounds = ranges(step.indptr[bearers], np.diff(step.indptr)[bearers])
        leaf_rows = size + np.repeat(np.arange(len(bearers)), np.diff(bounds))
        parts += [_two_steps(step, walk[1]), (leaf_rows, step.columns[beyond], step.values[beyond])]
    at, to, share = (np.concatenate(column) for column in zip(*parts, strict=True))
    walks = _Sparse.of(at, to, share, (size + len(bearers), size))
    scaled = walks.values * (graph.degrees.sum() / walk[0] / degrees[walks.columns])
    near = scaled > 1
    counts = np.bincount(walks.rows[near], minlength=len(walks.indptr) - 1)
    indptr = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    return _Sparse(indptr, walks.columns[near], np.log(scaled[near]).astype(np.float32), size)


def _two_steps(step: _Sparse, seed: int) -> tuple[Int64, Int64, Floats]:
    """Entries of P^2: every walk of two steps, or a sample of them in a large graph."""
    rows, counts = step.rows, np.diff(step.indptr)[step.columns]
    total = int(counts.sum())
    if total <= _WALKS:
        index, _ = ranges(step.indptr[step.columns], counts)
        return np.repeat(rows, counts), step.columns[index], np.repeat(step.values, counts) * step.values[index]
    # Each first step keeps at most so many second ones, drawn with replacement and weighing as much together.
    kept = np.minimum(counts, max(1, _WALKS // max(len(rows), 1)))
    origin = np.repeat(np.arange(len(rows)), kept)
    drawn = uniform(np.full(len(origin), seed), np.arange(len(origin)))
    index = step.indptr[step.columns[origin]] + (drawn * counts[origin]).astype(np.int64)
    share = (counts[origin] / kept[origin]).astype(np.float32)
    return rows[origin], step.columns[index], step.values[origin] * step.values[index] * share


def _factors(matrix: _Sparse, dimensions: int, seed: int) -> tuple[Floats, Floats]:
    """U and V, each times the root of the singular values: float32 [n, d] and [m, d], by randomized decomposition."""
    turned = matrix.transposed()
    width = min(dimensions + _OVERSAMPLED, matrix.width)
    random = np.random.default_rng(seed)
    sketch = matrix @ random.standard_normal((matrix.width, width)).astype(np.float32)
    for _ in range(_PASSES):
        sketch = matrix @ _orthonormal(turned @ _orthonormal(sketch))
    basis = _orthonormal(sketch)
    inner, values, right = np.linalg.svd((turned @ basis).T, full_matrices=False)
    roots = np.sqrt(values[:dimensions])
    left: Floats = (basis @ inner[:, :dimensions]) * roots
    signs = _signs(left)
    return left * signs, right[:dimensions].T * roots * signs


def _signs(columns: Floats) -> Floats:
    """1 or -1 for each column, so that its largest entry is positive: one sign for any linear algebra library."""
    largest = np.take_along_axis(columns, np.abs(columns).argmax(axis=0)[None], axis=0)
    signs: Floats = np.where(largest < 0, np.float32(-1), np.float32(1))
    return signs


def _orthonormal(columns: Floats) -> Floats:
    basis: Floats = np.linalg.qr(columns)[0]
    return basis


def carried_structure(graph: PathGraph, before: Structure, rows: Int64, core: Int64) -> Structure:
    """Structural features for the entities of a graph from those of an earlier state of it.

    A known entity keeps its rows. A new one gets what its neighbors say of it: the walks of those it is near to, and as
    a target, and as a start, what fits those it is joined with. So a policy goes on to know both.

    Args:
        graph: the graph now.
        before: the features of the earlier state.
        rows: int64 [E], each entity's row then, -1 for a new one.
        core: int64 [P], the rows that `before.near` is of.
    """
    known = rows >= 0
    walks, aim = (_gathered(table, rows) for table in (before.walks, before.aim))
    place = np.full(len(before.aim), -1, dtype=np.int64)
    place[core] = np.arange(len(core))
    starts = np.where(known, place[np.maximum(rows, 0)], -1)
    near = _gathered(before.near, starts)
    lacking = np.flatnonzero((graph.degrees > 1) & (starts < 0))
    for _ in range(2):  # a new entity may be joined with new ones alone
        fresh = np.flatnonzero(~known)
        walks[fresh], aim[fresh] = _around(graph, walks, fresh), _around(graph, near, fresh)
        near[lacking] = _around(graph, aim, lacking)
    return Structure(walks, aim, near[graph.degrees > 1])


def _gathered(table: Floats, rows: Int64) -> Floats:
    """Rows of a table, float32 [n, s]; zeros where a row is -1."""
    out = np.zeros((len(rows), table.shape[1]), dtype=np.float32)
    known = rows >= 0
    out[known] = table[rows[known]]
    return out


def _around(graph: PathGraph, table: Floats, rows: Int64) -> Floats:
    """The direction of the sum of the neighbors' rows of some entities, unit rows float32 [n, s]."""
    around = graph.around(rows)
    summed = np.zeros((len(rows), table.shape[1]), dtype=np.float32)
    np.add.at(summed, around.owner, table[around.entity])
    return unit(summed)
