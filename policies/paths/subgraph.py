"""P_sub: the heuristic subgraph around a question's entities (KnowGPT, appendix B.1).

Linked entities, and the bridges that lie on a 2-hop path between two of them; the 200 most relevant; all triples among
those. The paper's relevance is a language model's score of question and entity (QA-GNN); ours is the cosine of the
question with the entity's sentences (deviation, docs/deviations.md).
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from trivium.kg.distinct import sorted_distinct
from trivium.kg.embedded.columns import Int64
from trivium.kg.embedded.walk import neighbors
from trivium.kg.knowledge_base import KnowledgeBase
from trivium.kg.types import Triple
from trivium.policies.paths.extraction import PathTables, path_tables
from trivium.policies.paths.live import LiveGraph

KEPT = 200
"""Entities that are kept, the paper's number."""


@dataclass(frozen=True)
class Subgraph:
    """The entities kept (ids), most relevant first after the linked ones, their relevance, and all triples among them.

    `relevance` holds cosines in [-1, 1], one for each entity.
    """

    entities: tuple[str, ...]
    relevance: tuple[float, ...]
    triples: tuple[Triple, ...]


async def extract_subgraph(
    base: KnowledgeBase, question: str, sources: Sequence[str], targets: Sequence[str], *, limit: int = KEPT
) -> Subgraph:
    """P_sub around sources and targets (ids); ids that are not in the KG are ignored.

    Linked entities are kept before any bridge; of more than `limit` of them the most relevant.
    """
    tables = await path_tables(base)
    if tables is None:
        return await _extract_live(base, question, list(dict.fromkeys([*sources, *targets])), limit)
    linked = tables.snapshot.rows(list(dict.fromkeys([*sources, *targets])))
    return await asyncio.to_thread(_extract, tables, question, sorted_distinct(linked[linked >= 0]), limit)


def _extract(tables: PathTables, question: str, linked: Int64, limit: int) -> Subgraph:
    context = tables.contexts([question])[0]
    entities = np.concatenate((linked, bridges(tables, linked)))
    relevance = tables.features.text[entities] @ context
    order = np.lexsort((entities, -relevance, np.arange(len(entities)) >= len(linked)))[:limit]
    kept = entities[order]
    keys = tables.snapshot.keys.take(kept)
    return Subgraph(tuple(keys), tuple(relevance[order].tolist()), tuple(_triples_among(tables, kept)))


async def _extract_live(base: KnowledgeBase, question: str, linked: list[str], limit: int) -> Subgraph:
    """The same through the store, in batches; relevance by labels."""
    graph = LiveGraph(base)
    linked = await graph.start(linked)
    around = await graph.expand(graph.rows(linked))
    count = Counter(end for triples in around for end in {triple.end for triple in triples})
    # Sorted, so that entities of one relevance stand in the same order each time.
    between = sorted(key for key, seen in count.items() if seen > 1 and key not in linked)
    (context,) = await asyncio.to_thread(base.embedder.embed, [question])
    rows = graph.rows([*linked, *between])
    relevance = graph.text[rows] @ context
    order = np.lexsort((rows, -relevance, np.arange(len(rows)) >= len(linked)))[:limit]
    kept = [graph.ids[row] for row in rows[order].tolist()]
    inside = set(kept)
    triples = {Triple(*step[:3]) for found in await graph.expand(rows[order]) for step in found if step.end in inside}
    return Subgraph(tuple(kept), tuple(relevance[order].tolist()), tuple(sorted(triples)))


def bridges(tables: PathTables, linked: Int64) -> Int64:
    """Entities next to at least two of the linked ones, themselves not linked, ascending; int64 [n]."""
    around = tables.graph.around(linked)
    entity, count = np.unique(around.entity, return_counts=True)
    found: Int64 = np.setdiff1d(entity[count > 1], linked)
    return found


def _triples_among(tables: PathTables, kept: Int64) -> list[Triple]:
    """Every stored triple with both ends among the kept entities, int64 [n]."""
    snapshot = tables.snapshot
    out = neighbors(snapshot, kept, direction="out")
    inside = np.flatnonzero(np.isin(out.dst, kept))
    heads = kept[np.searchsorted(out.bounds, inside, side="right") - 1]
    names = snapshot.relation_names
    head_keys, tail_keys = snapshot.keys.take(heads), snapshot.keys.take(out.dst[inside])
    codes = out.rel[inside].tolist()
    return [Triple(h, names[r], t) for h, r, t in zip(head_keys, codes, tail_keys, strict=True)]
