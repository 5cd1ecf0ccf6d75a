"""`trivium learn keqing` on an open KG: learn, then keep what was learnt in the KG's directory."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from kg.embedded.locks import write_lock
from kg.knowledge_base import KnowledgeBase
from kg.loaders import Question as Pair
from kg.manifest import register_derived
from policies.exemplars import make_exemplars, save_exemplars
from policies.keqing_artefact import save_decomposer
from policies.keqing_learning import Learnt, Progress, learn


async def teach(base: KnowledgeBase, pairs: Sequence[Pair] | None, progress: Progress) -> Learnt:
    """Learn from pairs, or with None from the schema alone; decomposer and templates replace those there were.

    A KG in Neo4j is learnt from its walking snapshot (`KnowledgeBase.learning_store`).

    Raises:
        BadInputError: the pairs teach nothing on this KG.
        BusyError: another process is writing.
    """
    store = await base.learning_store(progress)
    learnt = await learn(pairs, store, base.embedder, progress)
    exemplars = await make_exemplars(pairs or (), learnt.decomposer, store)
    await base.save_templates(learnt.templates)
    info = await base.store.info()

    def keep() -> None:
        with write_lock(base.path):
            files = save_decomposer(base.learnt, learnt, base.embedder, info.hash)
            register_derived(base.path, [*files, save_exemplars(base.learnt, exemplars)])

    await asyncio.to_thread(keep)
    return learnt
