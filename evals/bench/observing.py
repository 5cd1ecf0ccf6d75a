"""ODA's observation on a made-up graph of 2.5 million triples, and the paper's extraction of 3-hop neighborhoods.

The graph has hubs as real ones do (degrees by a power law) and names of two or three words. An observation is compared
with a bare numpy pass over the rows that it scores: gather, add, dot product, length.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter

import numpy as np

from trivium.evals.bench.report import Figure, percentile
from trivium.kg.additive_vectors import AdditiveVectors
from trivium.kg.catalog import cache_folder
from trivium.kg.embedded import EmbeddedStore, build
from trivium.kg.embedded.columns import Int32, Int64, ranges
from trivium.kg.embedded.snapshot import Snapshot
from trivium.kg.embedders import FloatArray
from trivium.kg.manifest import is_kg
from trivium.kg.types import Triple
from trivium.knowledge.knowledge import Knowledge
from trivium.policies.oda.observation import ObservationLimits, Scores, observe_entity

TRIPLES, ENTITIES, RELATIONS = 2_500_000, 400_000, 200
PAPER_ENTITIES, PAPER_SECONDS = 4_943, 54 * 60 + 42.834
_ASKED = 60
_GOAL_MS, _GOAL_RATIO = 50.0, 3.0
_BATCH = 50_000


def _split(text: str) -> list[str]:
    return text.split()


_WORDS = _split(
    """river stone bridge garden winter market harbour silver mountain letter shadow captain island mirror station
    forest engine violin castle window lantern desert sailor painter orchard thunder village temple canyon meadow
    copper falcon marble circus anchor velvet ribbon candle saddle timber pepper walnut"""
)
_PLACES = _split("north south east west upper lower old new great little saint royal first second third grand")


async def measure_observing() -> list[Figure]:
    """The observation's time, its ratio to a bare pass, and what the rows of entities take."""
    base = Knowledge.open(observed_folder())
    try:
        base.make_vectors(lambda *_: None)
        vectors = base.additive_vectors()
        assert vectors is not None
        return _observations(base, vectors)
    finally:
        await base.close()


def measure_extraction(folder: Path) -> Figure:
    """Time to gather all triples within 3 hops of 4,943 entities of a KG, beside the paper's for all of Wikidata."""
    store = EmbeddedStore.open(folder)
    try:
        snapshot = store.snapshot
        rows = np.linspace(0, snapshot.entities - 1, min(PAPER_ENTITIES, snapshot.entities)).astype(np.int64)
        began = perf_counter()
        found = sum(len(within(snapshot, int(row), 3)) for row in rows)
        seconds = perf_counter() - began
    finally:
        store.close_now()
    print(f"3 hops around {len(rows):,} entities: {found:,} triples in all", file=sys.stderr)
    name = f"3-hop extraction, {len(rows):,} entities"
    return Figure(name, seconds, "s", "the paper's, of T-REx in all Wikidata", PAPER_SECONDS)


def within(snapshot: Snapshot, entity: int, hops: int) -> Int64:
    """Places in the adjacency of every triple within so many hops, each triple in both its directions: int64 [n]."""
    seen = np.zeros(snapshot.size, dtype=bool)
    frontier = np.array([entity])
    places: list[Int64] = []
    for _ in range(hops):
        seen[frontier] = True
        starts, stops = snapshot.indptr[frontier], snapshot.indptr[frontier + 1]
        places.append(ranges(starts, stops - starts)[0])
        reached = np.unique(snapshot.dst[places[-1]]).astype(np.int64)
        frontier = reached[~seen[reached]]
        if not len(frontier):
            break
    return np.concatenate(places)


def _observations(base: Knowledge, vectors: AdditiveVectors) -> list[Figure]:
    snapshot, rng = vectors.snapshot, np.random.default_rng(0)
    rows = rng.choice(snapshot.dst, _ASKED)  # by degree: what users ask about is what much is known of
    times: list[float] = []
    bare: list[float] = []
    for row in [*rows[:5], *rows]:  # the first few warm up
        (asked,) = base.embedder.embed([f"which {' '.join(rng.choice(_WORDS, 3))} is it?"])
        passes: list[tuple[Int32, Int32]] = []

        def score(
            codes: Int32, ends: Int32, asked: FloatArray = asked, kept: list[tuple[Int32, Int32]] = passes
        ) -> Scores:
            kept.append((codes, ends))
            return vectors.cosines(asked, codes, ends)

        began = perf_counter()
        observe_entity(snapshot, score, int(row), ObservationLimits())
        times.append(perf_counter() - began)
        began = perf_counter()
        for codes, ends in passes:
            _bare_pass(vectors, asked, codes, ends)
        bare.append(perf_counter() - began)
    ours, theirs = percentile(times[5:], 0.5), percentile(bare[5:], 0.5)
    mib = snapshot.size * vectors.relations.shape[1] * 2 / 2**20
    return [
        Figure(f"observation, {TRIPLES:,} triples, p50", ours, "ms", "a bare numpy pass over its rows", theirs,
               f"<= {_GOAL_MS:g} ms", ours <= _GOAL_MS),
        Figure("observation against the bare pass", ours / theirs, "", "", 1.0, f"<= {_GOAL_RATIO:g}",
               ours / theirs <= _GOAL_RATIO),
        Figure("rows of entities, on disk, mapped", mib, "MiB", "a float32 vector a triple",
               TRIPLES * vectors.relations.shape[1] * 4 / 2**20),
    ]  # fmt: skip


def _bare_pass(vectors: AdditiveVectors, asked: FloatArray, codes: Int32, ends: Int32) -> Scores:
    """The same cosines in the plainest numpy."""
    rows = vectors.rows[ends].astype(np.float32) + vectors.relations[codes % vectors.snapshot.relations]
    cosines: Scores = (rows @ asked) / np.linalg.norm(rows, axis=1)
    return cosines


def observed_folder() -> Path:
    """The KG of 2.5 million triples, made once a cache."""
    folder = cache_folder() / "bench-observe"
    if not is_kg(folder):
        print(f"building a graph of {TRIPLES:,} triples, once", file=sys.stderr)
        folder.parent.mkdir(parents=True, exist_ok=True)
        build(folder, _triples())
    return folder


def _triples() -> Iterator[Sequence[Triple]]:
    """Triples whose heads and tails follow a power law, in batches."""
    rng = np.random.default_rng(0)
    names, relations = entity_names(ENTITIES), relation_names()
    for _ in range(TRIPLES // _BATCH):
        heads, tails = ((ENTITIES * rng.random(_BATCH) ** 2).astype(int) for _ in range(2))
        kinds = (RELATIONS * rng.random(_BATCH) ** 2).astype(int)
        columns = (heads.tolist(), kinds.tolist(), tails.tolist())
        yield [Triple(names[h], relations[r], names[t]) for h, r, t in zip(*columns, strict=True)]


def entity_names(count: int) -> list[str]:
    """So many names of two or three words."""
    return [_name(number) for number in range(count)]


def relation_names() -> list[str]:
    """The relations of the graph."""
    return [f"{_PLACES[n % len(_PLACES)]} {_WORDS[n % len(_WORDS)]} of" for n in range(RELATIONS)]


def _name(number: int) -> str:
    first, rest = _WORDS[number % len(_WORDS)], number // len(_WORDS)
    return f"{_PLACES[rest % len(_PLACES)]} {first} {rest // len(_PLACES)}"
