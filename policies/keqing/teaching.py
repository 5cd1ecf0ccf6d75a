"""`trivium learn keqing` on an open KG: learn, then keep what was learnt in the KG's directory."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from trivium.kg.embedded.locks import write_lock
from trivium.kg.knowledge_base import KnowledgeBase
from trivium.kg.loaders import Question as Pair
from trivium.kg.manifest import register_derived
from trivium.policies.keqing.artefact import save_decomposer
from trivium.policies.keqing.exemplars import make_exemplars, save_exemplars
from trivium.policies.keqing.learning import Learnt, Progress, learn
from trivium.policies.keqing.schema_words import Synonyms
from trivium.policies.keqing.synonyms import keep_synonyms, kept_synonyms, still_named
from trivium.policies.keqing.versions import keep_version, restore_files, version_before, version_templates
from trivium.policies.keqing.written import read_written


async def teach(
    base: KnowledgeBase, pairs: Sequence[Pair] | None, progress: Progress, synonyms: Synonyms | None = None
) -> Learnt:
    """Learn from pairs, or with None from the schema alone; what there was stays as a version.

    `synonyms` are the user's own words for relations, kept for the lessons to come; None takes those kept, of relations
    that the KG still has, and an empty mapping forgets them. Templates that a chat model wrote for the KG are used too.

    A KG in Neo4j is learnt from its walking snapshot (`KnowledgeBase.learning_store`).

    Raises:
        BadInputError: the pairs teach nothing on this KG, or synonyms name a relation that it has not.
        BusyError: another process is writing.
    """
    store = await base.learning_store(progress)
    words = synonyms
    if words is None:
        words = still_named(kept_synonyms(base.learnt), {relation.name for relation in await store.schema()})
    learnt = await learn(pairs, store, base.embedder, progress, words, read_written(base.learnt))
    exemplars = await make_exemplars(pairs or (), learnt.decomposer, store)
    await base.save_templates(learnt.templates)
    info = await base.store.info()

    def keep() -> None:
        with write_lock(base.path):
            files = save_decomposer(base.learnt, learnt, base.embedder, info.hash)
            files.append(save_exemplars(base.learnt, exemplars))
            files += keep_synonyms(base.learnt, words)
            files += keep_version(base.learnt, learnt.templates, learnt.pairs, learnt.wordings, len(words))
            register_derived(base.path, files)

    await asyncio.to_thread(keep)
    return learnt


async def roll_back(base: KnowledgeBase, number: int | None = None) -> int:
    """Put an earlier version in use, by default the one before; returns its number.

    Raises:
        NotLearntError: there is no such version.
        BusyError: another process is writing.
    """
    chosen = version_before(base.learnt) if number is None else number
    await base.save_templates(version_templates(base.learnt, chosen))

    def keep() -> None:
        with write_lock(base.path):
            register_derived(base.path, restore_files(base.learnt, chosen))

    await asyncio.to_thread(keep)
    return chosen
