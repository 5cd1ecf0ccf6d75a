"""`observe`: ODA's recursive observation of a KG around task entities (paper, section 2.1).

For each task entity, D turns of two steps. Update: all triples around the turn's entities are sorted together by the
cosine of "relation tail" with the question, and the top N join the observation. Refine: the tails of the top P are
where the next turn starts. So an observation grows by at most N triples a turn, whatever its neighbourhood holds.

Three roads, by what the KG and its embedder offer: a snapshot and vectors that add up (every triple scored exactly,
milliseconds); a snapshot and any other embedder (each "relation tail" is embedded once, and remembered); the store's
protocol alone (`trivium.tools.observe_batches`).
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from weakref import WeakKeyDictionary

from trivium.kg.embedded.columns import Int32
from trivium.kg.embedded.snapshot import Snapshot
from trivium.kg.indexes import relation_words
from trivium.kg.knowledge_base import KnowledgeBase
from trivium.tools.observation import Limits, Observation
from trivium.tools.observe_arrays import Scorer, Scores, observe_entity
from trivium.tools.observe_batches import observe_through_store
from trivium.tools.search_triples import triple_cosines

DEFAULT_LIMITS = Limits()
_REMEMBERED = 1_024  # observations kept a KG: some 30 MB at most
_INLINE = 2  # entities observed in the event loop, a few milliseconds each; more of them go to a thread

_Key = tuple[str, str, str, Limits]
_remembered: WeakKeyDictionary[KnowledgeBase, OrderedDict[_Key, Observation]] = WeakKeyDictionary()


async def observe(
    base: KnowledgeBase, question: str, entities: Sequence[str], limits: Limits = DEFAULT_LIMITS, *, run: str = ""
) -> list[Observation]:
    """The observation around each entity (ids), in their order; that of an unknown id is empty.

    Observations are remembered for as long as the KG stays as it is: the stages of a run ask for the same one.

    Args:
        base: the KG.
        question: in words.
        entities: the task entities.
        limits: how far and how wide to look.
        run: names the run, within which a KG without a snapshot is taken to stay as it is.
    """
    snapshot = base.snapshot()
    known = _remembered.setdefault(base, OrderedDict())
    version = snapshot.stamp if snapshot else run
    keys = {entity: (version, question, entity, limits) for entity in entities}
    missing = [entity for entity, key in keys.items() if key not in known]
    if missing:
        for entity, found in zip(missing, await _observe(base, snapshot, question, missing, limits), strict=True):
            known[keys[entity]] = found
    told = [known[keys[entity]] for entity in entities]
    # The oldest go first; never those of this very call, which other stages of the run ask for next.
    while len(known) > max(_REMEMBERED, len(keys)):
        known.popitem(last=False)
    return told


async def _observe(
    base: KnowledgeBase, snapshot: Snapshot | None, question: str, entities: Sequence[str], limits: Limits
) -> list[Observation]:
    if snapshot is None:
        return await observe_through_store(base, question, entities, limits)
    vectors = base.additive_vectors()
    if vectors is None or vectors.snapshot is not snapshot or len(entities) > _INLINE or vectors.cold:
        return await asyncio.to_thread(_on_snapshot, base, snapshot, question, entities, limits)
    return _on_snapshot(base, snapshot, question, entities, limits)


def _on_snapshot(
    base: KnowledgeBase, snapshot: Snapshot, question: str, entities: Sequence[str], limits: Limits
) -> list[Observation]:
    score = _scorer(base, snapshot, question)
    rows = [snapshot.row(entity) for entity in entities]
    return [
        Observation(entity) if row < 0 else observe_entity(snapshot, score, row, limits)
        for entity, row in zip(entities, rows, strict=True)
    ]


def _scorer(base: KnowledgeBase, snapshot: Snapshot, question: str) -> Scorer:
    vectors = base.additive_vectors()
    if vectors is not None and vectors.snapshot is snapshot:
        (asked,) = base.embedder.embed([question])
        return lambda codes, ends: vectors.cosines(asked, codes, ends)
    names = [relation_words(name) for name in snapshot.relation_names]

    def score(codes: Int32, ends: Int32) -> Scores:
        relations = [names[code % snapshot.relations] for code in codes.tolist()]
        return triple_cosines(base, question, relations, snapshot.names(ends))

    return score
