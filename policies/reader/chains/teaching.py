"""`trivium learn keqing` on an open KG: learn, keep what was learned, and bring it up to date after a write."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path

from trivium.kg.catalog import named_glossary
from trivium.kg.embedded import EmbeddedStore, keep
from trivium.kg.errors import CorruptError, EmbedderError, OutdatedError, VersionError
from trivium.kg.examples import keep_examples
from trivium.kg.knowledge_base import KnowledgeBase
from trivium.kg.loaders import Question as Pair
from trivium.policies.reader.chains.artifact import (
    CURRENT,
    DECOMPOSER,
    load_decomposer,
    read_decomposer,
    save_decomposer,
)
from trivium.policies.reader.chains.compact_decomposer import CompactDecomposer
from trivium.policies.reader.chains.exemplars import make_exemplars, save_exemplars
from trivium.policies.reader.chains.learning import Learnt, Progress, learn, with_schema
from trivium.policies.reader.chains.schema_words import Synonyms
from trivium.policies.reader.chains.synonyms import keep_synonyms, kept_synonyms, still_named
from trivium.policies.reader.chains.templates import save_templates
from trivium.policies.reader.chains.versions import (
    drop_version,
    keep_version,
    list_versions,
    restore_files,
    version_before,
    version_templates,
)
from trivium.policies.reader.chains.written import read_written
from trivium.policies.reader.english import english
from trivium.policies.reader.opening import reader_of
from trivium.policies.reader.pair_plans import pair_plans
from trivium.policies.reader.ranking import Ranked

log = logging.getLogger("trivium.keqing")


async def teach(
    base: KnowledgeBase,
    pairs: Sequence[Pair] | None,
    progress: Progress,
    synonyms: Synonyms | None = None,
    *,
    network: bool = True,
    correction: bool = False,
) -> Learnt:
    """Learn from pairs, or with None from the schema alone; what there was stays as a version.

    `synonyms` are the user's own words for relations, kept for the lessons to come; None takes those kept, of relations
    that the KG still has, and an empty mapping forgets them. Templates that a chat model wrote for the KG are used too.
    The pairs are kept, so that `trivium learn --renew` can learn from them again.

    `network`: as in `trivium.policies.reader.chains.learning.learn`. `correction`: the pairs are those learned
    from before and one correction.

    A KG in Neo4j is learned from its walking snapshot (`KnowledgeBase.learning_store`).

    Raises:
        BadInputError: the pairs teach nothing on this KG, or synonyms name a relation that it has not.
        BusyError: another process is writing.
    """
    store = await base.learning_store(progress)
    words = synonyms
    if words is None:
        words = still_named(kept_synonyms(base.learnt), {relation.name for relation in await store.schema()})
    made_from = await base.sources()
    plans: Sequence[Sequence[Ranked] | None] = ()
    if pairs and isinstance(store, EmbeddedStore) and (columns := await store.columns()).types:
        reader = await reader_of(store, base.embedder, named_glossary(base.name))
        plans = await asyncio.to_thread(pair_plans, reader, columns, pairs, progress)
    written = read_written(base.learnt)
    learnt = await learn(pairs, store, base.embedder, progress, words, written, network=network, plans=plans)
    exemplars = await make_exemplars(pairs or (), learnt.decomposer, store)
    await save_templates(base, learnt.templates)

    def save() -> list[Path]:
        files = save_decomposer(
            base.learnt,
            learnt.decomposer,
            made_from,
            pairs=learnt.pairs,
            wordings=learnt.wordings,
            embedder=base.embedder.name,
        )
        files += save_exemplars(base.learnt, exemplars, made_from)
        files += keep_synonyms(base.learnt, words)
        files += CURRENT.remove(base.learnt)
        counts = (learnt.pairs, learnt.wordings, len(words))
        files += keep_version(base.learnt, learnt.templates, *counts, correction=correction)
        return [*files, *keep_examples(base.path, "keqing", pairs)]

    await asyncio.to_thread(keep, base.path, save)
    return learnt


async def roll_back(base: KnowledgeBase, number: int | None = None) -> int:
    """Put an earlier version in use, by default the one before; returns its number.

    Raises:
        NotLearnedError: there is no such version.
        BusyError: another process is writing.
    """
    chosen = version_before(base.learnt) if number is None else number
    await save_templates(base, version_templates(base.learnt, chosen))
    await asyncio.to_thread(
        keep, base.path, lambda: [*restore_files(base.learnt, chosen), *CURRENT.remove(base.learnt)]
    )
    return chosen


async def take_back(base: KnowledgeBase, pairs: Sequence[Pair] | None) -> int:
    """Put the version before in use with the pairs that it was learned from, and forget the one taken back.

    Returns the number of the version now in use; raises as `roll_back`.
    """
    taken = next((version.number for version in list_versions(base.learnt) if version.current), 0)
    number = await roll_back(base)
    await asyncio.to_thread(
        keep,
        base.path,
        lambda: [*keep_examples(base.path, "keqing", pairs), *drop_version(base.learnt, taken)],
    )
    return number


async def current_decomposer(
    base: KnowledgeBase, now: Mapping[str, str], own: Synonyms | None = None
) -> CompactDecomposer:
    """The learned decomposer with the words of the schema as it is now; where there is none, the schema's alone.

    What pairs taught stays as it was. With another embedder than it was learned with, or where an older Trivium wrote
    it, the schema alone speaks until the next `trivium learn keqing`.

    Args:
        base: the KG.
        now: the fingerprints that it has to be up to date with.
        own: the words of `[kg.NAME.words]`, beside the synonyms that were kept.

    Raises:
        CorruptError, VersionError: it is damaged, or a newer Trivium wrote it.
    """
    folder, old = base.learnt, None
    try:
        await asyncio.to_thread(english)  # the word lists are read from disk, once
        if DECOMPOSER.exists(folder):
            artifact = await asyncio.to_thread(DECOMPOSER.load, folder)
            old = await asyncio.to_thread(read_decomposer, artifact, base.embedder)
            if not artifact.stale(**now):
                return old
    except (EmbedderError, OutdatedError) as error:
        log.warning("%s; until then the schema's words are used", error)
    if (made := await asyncio.to_thread(_kept, base, now)) is not None:
        return made
    store = await base.learning_store(lambda *_: None)
    kept, own = kept_synonyms(folder), own or {}
    both = {name: [*kept.get(name, ()), *own.get(name, ())] for name in (*kept, *own)}
    words = still_named(both, {relation.name for relation in await store.schema()})
    if old is None:
        made = (await learn(None, store, base.embedder, lambda *_: None, words, read_written(folder))).decomposer
    else:
        made = await with_schema(old, store, base.embedder, words, read_written(folder))
    name = base.embedder.name
    await asyncio.to_thread(
        base.keep, folder.name, lambda where: save_decomposer(where, made, now, embedder=name, kind=CURRENT)
    )
    return made


def _kept(base: KnowledgeBase, now: Mapping[str, str]) -> CompactDecomposer | None:
    """What another process, or this one before, brought up to date; None where it did not."""
    try:
        if CURRENT.exists(base.learnt) and not CURRENT.head(base.learnt).stale(**now):
            return load_decomposer(base.learnt, base.embedder, CURRENT)
    except (CorruptError, EmbedderError, VersionError) as error:
        log.info("%s; it is made again", error)
    return None
