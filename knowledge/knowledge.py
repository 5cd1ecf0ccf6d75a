"""Opening a KG, and an open KG with everything that is learned and derived from it.

`Knowledge.open` opens a KG argument: a directory, a name from `trivium.toml`, a Neo4j URI, or the bundled sample.
`open_knowledge` shares one open KG among all runs of a process. From here a directory is opened by
`EmbeddedStore.open`, `trivium.kg.embedded.state` (the record's last transaction and the snapshot that shows it) and
`trivium.kg.embedded.mapped` (the snapshot's files). What lies in a KG's folder:

    triples.db, snapshot/, kg.json   the store (`trivium.kg.embedded`)
    indexes/relations, indexes/entities   relation names and entity labels by meaning; entities on first use
    templates/   question templates with their chains and vectors
    vectors.npz   vectors remembered by text
    vectors/   a row an entity of vectors that add up, where trivium kg vectors made them
    keqing/, knowgpt/, lora/   what trivium learn wrote
    examples/   the questions that it learned from

**The freshness rule.** Everything derived carries the fingerprints of what it was made from (`sources`). After a write
what is cheap is made again at the next use (`derived`); the rest stays in use and is named by `stale`, with the command
that renews it.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import threading
import time
import weakref
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, Self, TypeVar

from trivium.kg.additive_vectors import AdditiveVectors, open_vectors, vectors_path, write_vectors
from trivium.kg.artifact import joined
from trivium.kg.catalog import (
    SAMPLE,
    cache_folder,
    find_named,
    named_embedder,
    named_glossary,
    named_kgs,
    state_folder,
)
from trivium.kg.embedded import EmbeddedStore, Snapshot, keep
from trivium.kg.embedded.backup import copy_state
from trivium.kg.embedded.locks import write_lock
from trivium.kg.embedded.mapped import FOLDER as SNAPSHOT
from trivium.kg.embedders import CachedEmbedder, additive, open_embedder
from trivium.kg.errors import (
    BusyError,
    CorruptError,
    EmbedderError,
    NotLearnedError,
    TriviumError,
    UsageError,
    VersionError,
)
from trivium.kg.indexes import INDEX, VectorIndex, own_words, relation_words
from trivium.kg.manifest import read_manifest, set_embedder
from trivium.kg.neo4j.settings import RemoteKG
from trivium.kg.store import GraphStore
from trivium.kg.text import fold_name
from trivium.kg.types import KGInfo, Progress, RelationSchema

if TYPE_CHECKING:
    from trivium.kg.neo4j.snapshots import LocalCopy
    from trivium.policies.lora.serve import LoraDecomposer, LoraReasoner
    from trivium.policies.oda.similarity_choice import RelationNames
    from trivium.policies.reader.chains.compact_decomposer import CompactDecomposer
    from trivium.policies.reader.chains.exemplars import ExemplarIndex
    from trivium.policies.reader.chains.templates import TemplateIndex
    from trivium.policies.reader.reader import Reader

P = ParamSpec("P")
T = TypeVar("T")

log = logging.getLogger("trivium.kg")

Texts = list[tuple[list[str], list[str]]]
"""Batches of keys with the texts that are embedded for them."""

_CHEAP_TRIPLES = 200_000
"""Triples up to which whatever reads the whole graph is made again after every write: a second or two."""


_TRIPLES_LEARNT, _RELATIONS_LEARNT = 500_000, 500
"""Up to which the schema is learned unasked: time and memory grow with the square of the relations. Ten seconds at both
bounds; 3,000 relations of a triple each take 50 seconds and 740 MB."""


def is_learned_at_once(held: KGInfo) -> bool:
    """Whether Keqing learns a KG's schema unasked: at a build, and at the first question where it did not."""
    return held.triples <= _TRIPLES_LEARNT and held.relations <= _RELATIONS_LEARNT


class Knowledge:
    """One open KG. What is learned and derived is loaded at its first use, and checked for freshness at every use.

    Attributes:
        name: the KG argument as it was given.
        path: its directory; for a KG in Neo4j, and where `[server] state` names a place, the folder of what is learned
            from it.
        store: its `GraphStore`.
        embedder: the KG's embedder, remembering vectors by text.
        copies: of a KG in Neo4j its local copy.
        source, place: what it was opened from, and of a directory which one that was (`is_replaced`).
    """

    def __init__(
        self,
        path: Path,
        store: GraphStore,
        embedder: CachedEmbedder,
        copies: LocalCopy | None = None,
        name: str = "",
    ) -> None:
        self.name = name or str(path)
        self.path = path
        self.store = store
        self.embedder = embedder
        self.copies = copies
        self._vectors: AdditiveVectors | None = None
        self._derived: dict[str, tuple[str, Any]] = {}
        self._making: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, defaultdict[str, asyncio.Lock]] = (
            weakref.WeakKeyDictionary()
        )
        self._schema: tuple[list[RelationSchema], str, int] = ([], "", 0)
        self.source: Path | RemoteKG = path
        self.place: tuple[int, ...] = ()
        self._surveyed = ""

    @classmethod
    def open(cls, kg: str | Path | RemoteKG, embedder: str | None = None, *, write: bool = False) -> Self:
        """Open a KG argument; the caller closes it. Blocks.

        Args:
            kg: a directory, a name of `trivium.toml`, a Neo4j URI, or `sample`; or where `find_kg` found it.
            embedder: in place of the KG's own, which `trivium.toml` or its manifest names.
            write: refuse a KG that may not be changed.

        Raises:
            NotAKnowledgeBaseError: it is not a KG.
            VersionError, CorruptError: as `EmbeddedStore.open`.
            EmbedderError: the embedder is unknown.
            StoreError: the database of a KG in Neo4j does not answer.
            UsageError, WriteRefusedError: with `write`, the sample, or a user's own graph.
        """
        if write and kg == SAMPLE:
            raise UsageError(f"the bundled sample is read-only; copy it first: trivium kg copy {SAMPLE} DIR")
        name = kg if isinstance(kg, str) else ""
        while True:
            found = find_kg(kg)
            wanted, state = embedder or (named_embedder(name) if name else None), state_folder(name)
            place = _place(found)
            try:
                made = cls._open(found, name, wanted, state, write=write)
            except (TriviumError, OSError):
                _wait_for(found)
                if place == _place(found):
                    raise
                continue
            _wait_for(found)
            made.source, made.place = found, place
            if not made.is_replaced():  # all of it is from one folder
                return made
            made.close_now()

    @classmethod
    def _open(cls, found: Path | RemoteKG, name: str, wanted: str | None, state: Path | None, *, write: bool) -> Self:
        if isinstance(found, Path):
            chosen = open_embedder(wanted or read_manifest(found).embedder)
            path = state or found
            if path is not found:
                copy_state(found, path, (SNAPSHOT,))
            return cls(path, EmbeddedStore.open(found), CachedEmbedder(chosen, path / "vectors.npz"), name=name)
        # Here, since the driver takes a quarter of a second to import and most KGs are directories.
        from trivium.kg.neo4j.opening import OF_THIS_MACHINE, open_now

        opened = open_now(found, cache_folder())
        try:
            if write:
                opened.store.check_writable()
            path = state or opened.folder
            if path is not opened.folder:
                copy_state(opened.folder, path, OF_THIS_MACHINE)
            chosen = open_embedder(wanted or read_manifest(path).embedder)
            made = cls(path, opened.store, CachedEmbedder(chosen, path / "vectors.npz"), opened.copies, name)
            made._surveyed = opened.store.client.state
            return made
        except BaseException:
            opened.store.close_now()
            raise

    def is_replaced(self) -> bool:
        """Whether its folder went, or another one got its name (`trivium kg copy --replace`)."""
        return self.place != _place(self.source)

    async def close(self) -> None:
        """Release the store; safe to call twice."""
        await self.store.close()
        if self.copies is not None and self.copies.store is not None:
            await self.copies.store.close()

    def close_now(self) -> None:
        """`close` for synchronous callers."""
        _close(self.store, self.copies)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close_now()

    @property
    def learnt(self) -> Path:
        """The folder of what Keqing has learned from this KG."""
        return joined(self.path, "keqing")

    # Arrays and vectors

    @property
    def local_store(self) -> EmbeddedStore | None:
        """The store whose arrays are at hand: a directory's own, of a KG in Neo4j its local copy; None without one."""
        if isinstance(self.store, EmbeddedStore):
            return self.store
        return None if self.copies is None else self.copies.store

    def snapshot(self) -> Snapshot | None:
        """The newest adjacency arrays for hot loops; None where the KG has none at hand.

        For a KG in Neo4j they are those of its local copy, as old as that is (`trivium.kg.neo4j.snapshots`).
        """
        return None if self.local_store is None else self.local_store.snapshot

    async def learning_store(self, show: Progress) -> GraphStore:
        """The store that learning reads, which asks a hundred thousand times: a directory's own.

        For a KG in Neo4j it is its local copy, made first where there is none or the database has committed anything
        since.
        """
        return self.store if self.copies is None else await self.copies.renew(show)

    def additive_vectors(self) -> AdditiveVectors | None:
        """Rows of vectors that add up, for the newest snapshot; None without one, or where the embedder's do not."""
        snapshot, sums = self.snapshot(), additive(self.embedder)
        if snapshot is None or sums is None:
            return None
        if self._vectors is None or self._vectors.snapshot is not snapshot:
            self._vectors = open_vectors(self.path, snapshot, sums, self.embedder.fingerprint)
        return self._vectors

    def make_vectors(self, show: Progress) -> Path:
        """Make and keep the vectors of all entities, about 20 microseconds each; `show` receives the progress.

        Raises:
            BusyError: another process writes to the KG.
            EmbedderError: the embedder's vectors do not add up.
        """
        snapshot, sums = self.snapshot(), additive(self.embedder)
        if snapshot is None or sums is None:
            raise EmbedderError(
                f"{self.path}: a vector for each entity needs a snapshot and an embedder whose vectors add up, such as "
                f"static; this KG uses {self.embedder.name}"
            )
        path = vectors_path(self.path, snapshot, self.embedder.fingerprint)
        keep(self.path, lambda: _written(path.parent, lambda _: write_vectors(path, snapshot, sums, show)))
        self._vectors = None
        return path

    def vectors_are_stale(self) -> bool:
        """Whether the rows of vectors that were made are those of an earlier state of the KG."""
        snapshot = self.snapshot()
        if snapshot is None or additive(self.embedder) is None:
            return False
        path = vectors_path(self.path, snapshot, self.embedder.fingerprint)
        return not path.exists() and any(path.parent.glob("*.npy"))

    @cached_property
    def embeds_fast(self) -> bool:
        """Whether embedding a short text takes microseconds, so that it may run in the event loop."""
        return additive(self.embedder) is not None

    async def near(self, look: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What a look-up by meaning finds; in a thread where embedding a text takes long."""
        if self.embeds_fast:
            return look(*args, **kwargs)
        return await asyncio.to_thread(look, *args, **kwargs)

    # Freshness

    async def sources(self) -> dict[str, str]:
        """The fingerprints of what artifacts are made from, as they are now.

        `kg`: the triples (of a user's own database its last commit, whatever that changed); `schema`: the relations;
        `embedder`: its weights.
        """
        schema = await self.store.schema()
        if schema != self._schema[0]:
            names = sorted(f"{each.name}\0{each.kind or ''}" for each in schema)
            self._schema = (schema, _digest([*names, *self._directions()]), sum(each.triples for each in schema))
        kg = await self.store.fingerprint()
        return {"kg": kg, "schema": self._schema[1], "embedder": self.embedder.fingerprint}

    def look_again(self) -> None:
        """Read a user's own database as it is now, where it has committed anything since. Blocks."""
        if isinstance(self.store, EmbeddedStore):
            return
        from trivium.kg.neo4j.store import Neo4jStore

        if isinstance(self.store, Neo4jStore) and isinstance(self.source, RemoteKG) and not self.store.view.made:
            from trivium.kg.neo4j.opening import open_store

            client = self.store.client
            state = client.wait(client.fresh_state(_CHECK_SECONDS))
            if state != self._surveyed:
                found = client.wait(open_store(client, self.source, cache_folder(), quiet=True))
                if found.view != self.store.view:
                    self.store.use_view(found.view)
                self._surveyed = state

    def _directions(self) -> list[str]:
        """How a database's relations are turned: what was learned of one direction does not fit the other."""
        if isinstance(self.store, EmbeddedStore):
            return []
        from trivium.kg.neo4j.store import Neo4jStore

        view = self.store.view if isinstance(self.store, Neo4jStore) else None
        return (
            []
            if view is None
            else [f"{way}: {name}" for way in ("reversed", "symmetric") for name in getattr(view, way)]
        )

    async def cheap_sources(self) -> dict[str, str]:
        """Those sources with which what reads the whole graph is made again at once: of a large KG, the schema's."""
        return self.cheap(await self.sources())

    def cheap(self, now: dict[str, str]) -> dict[str, str]:
        """`cheap_sources` out of the sources as they are."""
        if not isinstance(self.store, EmbeddedStore):  # reading all of a database after each commit is not cheap
            return {"schema": now["schema"], "embedder": now["embedder"]}
        if self._schema[2] <= _CHEAP_TRIPLES:
            return now
        return {"schema": now["schema"], "embedder": now["embedder"]}

    async def derived(self, name: str, fingerprint: str, make: Callable[[], Awaitable[T]]) -> T:
        """A value made from the KG, kept in memory and made again where its fingerprint has changed.

        One is kept a name. Those who ask for it at the same time in one event loop wait for the first one's.
        """
        known = self._derived.get(name)
        if known is None or known[0] != fingerprint:
            locks = self._making.setdefault(asyncio.get_running_loop(), defaultdict(asyncio.Lock))
            async with locks[name]:
                known = self._derived.get(name)
                if known is None or known[0] != fingerprint:
                    known = self._derived[name] = (fingerprint, await make())
        value: T = known[1]
        return value

    def keep(self, name: str, save: Callable[[Path], object]) -> None:
        """Let `save` write what was derived into the folder `name` of the KG; passed over where that cannot be done.

        Blocks. The files are registered in the manifest, so that `trivium kg verify` guards them.
        """
        folder = self.path / name
        try:
            keep(self.path, lambda: _written(folder, save), wait=0.0)
        except (OSError, BusyError) as error:
            log.info("%s of %s is kept in memory only: %s", name, self.path, error)

    # Indexes

    async def relations(self) -> VectorIndex:
        """The relations by the meaning of their names; keys are relation names."""
        now = await self.sources()

        async def make() -> VectorIndex:
            names = [relation.name for relation in await self.store.schema()]
            texts = [(names, [relation_words(name) for name in names])]
            return await asyncio.to_thread(self._index, "relations", now["schema"], texts)

        return await self.derived("relations", f"{now['schema']} {now['embedder']}", make)

    async def entities(self, *, renew: bool = False) -> VectorIndex:
        """The entities by the meaning of their labels; made on first use, which takes seconds a million.

        Of a large KG the one that there is stays in use after a write, until `renew`.
        """
        now = await self.sources()
        cheap = renew or "kg" in await self.cheap_sources()
        version = self._entities_version(now["kg"])

        async def make() -> VectorIndex:
            if not cheap and (kept := await asyncio.to_thread(self._kept_index, "entities", None)) is not None:
                return kept
            texts = [
                ([entity.id for entity in batch], [entity.label for entity in batch])
                async for batch in self.store.all_entities()
            ]
            return await asyncio.to_thread(self._index, "entities", version, texts)

        if renew:
            self._derived.pop("entities", None)
        return await self.derived("entities", f"{version if cheap else ''} {now['embedder']}", make)

    def entities_are_stale(self, kg: str) -> bool:
        """Whether the index of entities that is kept is older than the KG, whose fingerprint is given."""
        folder = self.path / "indexes" / "entities"
        try:
            return INDEX.exists(folder) and bool(INDEX.head(folder).stale(source=self._entities_version(kg)))
        except (CorruptError, VersionError):
            return False  # it is made again at its next use

    def _entities_version(self, kg: str) -> str:
        # A label may change while all triples stay.
        names = self.store.meta.names.hexdigest() if isinstance(self.store, EmbeddedStore) else ""
        return _digest([kg, names])

    def choose_embedder(self) -> None:
        """Note that this embedder makes the KG's vectors from now on; raises `BusyError` while another one writes."""
        if read_manifest(self.path).embedder != self.embedder.name:
            with write_lock(self.path):
                set_embedder(self.path, self.embedder.name)

    async def derive(self) -> None:
        """Make the relation and template indexes now, so that the first question does not wait for them."""
        await self.relations()
        await self.templates()
        await asyncio.to_thread(self.embedder.save)

    def _index(self, name: str, version: str, texts: Texts) -> VectorIndex:
        """The index of that name, loaded, or made again where it is missing, stale or damaged."""
        loaded = self._kept_index(name, version)
        if loaded is not None:
            return loaded
        made = VectorIndex.build_batches(texts, self.embedder, source_version=version, half=name == "entities")
        self.keep(f"indexes/{name}", made.save)
        return made

    def _kept_index(self, name: str, version: str | None) -> VectorIndex | None:
        """The index as it was kept; None where it is missing, damaged, another embedder's or of another `version`."""
        folder = self.path / "indexes" / name
        if not folder.exists():
            return None
        try:
            loaded = VectorIndex.load(folder, self.embedder)
        except (CorruptError, EmbedderError, VersionError) as error:
            log.warning("%s; it is made again", error)
            return None
        if version is not None and loaded.source_version != version:
            log.info("the index of %s is older than the KG; it is made again", name)
            return None
        return loaded

    # Plans

    async def glossary(self) -> dict[str, list[str]]:
        """Phrases for elements of the schema: the user's own, and what RDF calls its relations."""
        iris = [each.name for each in await self.store.schema() if "://" in each.name]

        async def make() -> list[tuple[str, str]]:
            found = [each for each in await self.store.entities(iris) if each is not None and each.label != each.id]
            said = [(fold_name(text), each.id) for each in found for text in (each.label, *each.aliases)]
            return [each for each in dict.fromkeys(said) if each[0] not in ("", fold_name(relation_words(each[1])))]

        words = named_glossary(self.name)
        for phrase, relation in await self.derived("glossary", await self.store.fingerprint(), make) if iris else ():
            words.setdefault(phrase, []).append(relation)
        return words

    async def schema(self) -> list[RelationSchema]:
        """The relations, most triples first, with what people call those whose own names have no words."""
        found = await self.store.schema()
        called: dict[str, str] = {}
        for phrase, elements in (await self.glossary()).items():
            for element in elements:
                called.setdefault(element, phrase)
        if not called:
            return found
        from trivium.kg.indexes.words import is_opaque

        def own(relation: RelationSchema) -> str:
            return called.get(relation.name, "") if is_opaque(own_words(relation.name)) else ""

        return [replace(each, words=own(each)) for each in found]

    async def reader(self) -> Reader | None:
        """The reader of questions into plans, made from the newest arrays; None where the KG has none at hand."""
        store = self.local_store
        if store is None:
            return None
        from trivium.policies.reader.chains.artifact import DECOMPOSER, load_ranking
        from trivium.policies.reader.opening import reader_of

        words = await self.glossary()
        version = f"{(await store.profile()).fingerprint} {words} {DECOMPOSER.stamp(self.learnt)}"

        async def make() -> Reader:
            ranking = await asyncio.to_thread(load_ranking, self.learnt)
            return await reader_of(store, self.embedder, words, ranking)

        return await self.derived("reader", version, make)

    # Keqing

    async def templates(self) -> TemplateIndex:
        """The question templates: those learned, and those of the schema for every other relation."""
        from trivium.policies.reader.chains.natural import natural_templates
        from trivium.policies.reader.chains.templates import current_templates

        return await current_templates(self, natural_templates)

    async def decomposer(self) -> CompactDecomposer:
        """The trained decomposer, its schema's words up to date; where nothing was learned, made from the schema now.

        Raises:
            NotLearnedError: `trivium learn keqing` has not run, and the KG is too large to do without
                (`learns_at_once`).
            CorruptError, VersionError: what it left is damaged, or a newer Trivium's.
        """
        from trivium.policies.reader.chains.artifact import DECOMPOSER
        from trivium.policies.reader.chains.teaching import current_decomposer

        learned = self.learnt
        if not any(stamp := DECOMPOSER.stamp(learned)):
            await asyncio.to_thread(_wait_for, self.path)
            stamp = DECOMPOSER.stamp(learned)
        if not any(stamp) and not await self.learns_at_once():
            raise NotLearnedError(
                f"nothing was learned on {self.name} yet: run trivium learn keqing --kg {self.name} "
                "--questions F.jsonl, or without --questions to learn from its relations' names alone"
            )
        now = await self.cheap_sources()
        own: dict[str, list[str]] = {}
        for phrase, elements in (await self.glossary()).items():
            for element in elements:
                own.setdefault(element, []).extend(phrase.split())
        if own:
            now = {**now, "words": _digest([f"{element}\0{words}" for element, words in sorted(own.items())])}
        fingerprint = f"{stamp} {sorted(now.items())}"
        return await self.derived("decomposer", fingerprint, lambda: current_decomposer(self, now, own))

    async def learns_at_once(self) -> bool:
        """Whether Keqing learns the schema at the first question, which takes ten seconds at most.

        Of a KG in Neo4j that needs the local copy, which is made unasked up to `trivium.kg.neo4j.snapshots.FIRST`.
        """
        gone = isinstance(self.source, Path) and not self.source.is_dir()  # with what may have been learned
        return self.local_store is not None and not gone and is_learned_at_once(await self.local_store.info())

    async def exemplars(self) -> ExemplarIndex:
        """Questions with their decomposition, of the pairs it was taught with."""
        from trivium.policies.reader.chains.exemplars import EXEMPLARS, ExemplarIndex, load_exemplars

        async def make() -> ExemplarIndex:
            found = await asyncio.to_thread(load_exemplars, self.learnt)
            return await asyncio.to_thread(ExemplarIndex, found, self.embedder)

        schema = (await self.sources())["schema"]
        return await self.derived("exemplars", f"{EXEMPLARS.stamp(self.learnt)} {schema}", make)

    @cached_property
    def relation_names(self) -> RelationNames:
        """Vectors of relations' names, by which ways are ranked; made as they are met."""
        from trivium.policies.oda.similarity_choice import RelationNames

        return RelationNames(self.embedder)

    async def lora_decomposer(self, writes: Literal["decompose", "chains"] = "decompose") -> LoraDecomposer:
        """The LoRA-tuned decomposer; loading its base model takes seconds to minutes, once.

        Args:
            writes: the stage it was tuned for: sub-questions in words, or logical chains.

        Raises:
            NotLearnedError: `trivium learn lora` has not run for this stage.
            ModelError: its base model cannot be opened.
        """
        from trivium.policies.lora.serve import open_lora_chains, open_lora_decomposer

        templates = await self.templates()
        open_it = open_lora_decomposer if writes == "decompose" else open_lora_chains
        found: LoraDecomposer = await self.derived(
            f"lora {writes}",
            f"{changed_at(self.path / 'lora' / writes / 'lora.json')} {templates.schema}",
            lambda: open_it(self, templates),
        )
        return found

    async def lora_reasoner(self) -> LoraReasoner:
        """The LoRA-tuned candidate reasoner; raises as `lora_decomposer`."""
        from trivium.policies.lora.serve import open_lora_reasoner

        stamp = changed_at(self.path / "lora" / "reason" / "lora.json")
        return await self.derived("lora reason", str(stamp), lambda: open_lora_reasoner(self))


# Opening


def find_kg(kg: str | Path | RemoteKG) -> Path | RemoteKG:
    """Where the KG of a KG argument is; the bundled sample is made on its first use.

    Raises:
        NotAKnowledgeBaseError, BadInputError: as `trivium.kg.catalog.find_named`.
    """
    if not isinstance(kg, str):
        return kg
    if kg != SAMPLE:
        return find_named(kg)
    named_kgs()  # a mistake in the settings is told before the sample is made
    # Here, since learning from the sample needs much that no other KG needs to be opened.
    from trivium.knowledge.sample import ensure_sample

    return ensure_sample()


def find_directory(kg: str) -> Path:
    """As `find_kg`, for a command that works on a directory; raises `UsageError` for a KG in Neo4j."""
    found = find_kg(kg)
    if isinstance(found, RemoteKG):
        raise UsageError(f"{kg} is a KG in Neo4j; this needs a KG directory: trivium kg copy {kg} DIR makes one")
    return found


@dataclass
class _Shared:
    """An open KG of this process, when opening it began, and when its folder was last looked at."""

    knowledge: Knowledge
    opened: float
    checked: float


_CHECK_SECONDS = 1.0  # how long a folder that was put in another's place goes unnoticed
_MISSING_SECONDS = 1.0  # how long a folder may be missing while another one gets its name
_shared: dict[str, _Shared] = {}
_opening: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)


async def open_knowledge(name: str, *, refresh: bool = True) -> Knowledge:
    """The KG of a KG argument, opened once a process and shared by its runs; `close_all` closes it.

    Args:
        name: the KG argument.
        refresh: see what was committed before this call; without, what was 20 ms ago will do.

    Raises:
        As `Knowledge.open`.
    """
    found = _shared.get(name)
    now = time.monotonic()
    if found is None or now - found.checked > _CHECK_SECONDS:
        if found is not None:
            found.checked = now  # the other runs of this moment need not look as well
        found = await asyncio.to_thread(_open_shared, name)
    if not refresh:
        return found.knowledge
    if isinstance(found.knowledge.store, EmbeddedStore):
        if found.opened <= now:  # a question sees whatever was written before it
            await found.knowledge.store.refresh()
    elif found.knowledge.copies is not None:
        await found.knowledge.copies.fresh(_CHECK_SECONDS)  # and those of a small database's last commit
    return found.knowledge


def opened() -> list[Knowledge]:
    """The KGs that `open_knowledge` holds open now."""
    return [shared.knowledge for shared in list(_shared.values())]


async def close_all() -> None:
    """Close every KG that `open_knowledge` opened."""
    while _shared:
        _, opened = _shared.popitem()
        await opened.knowledge.close()


def _open_shared(name: str) -> _Shared:
    """The shared KG of that name; opened where it is not, or where another folder has taken its place."""
    with _opening[name]:
        known = _shared.get(name)
        if known is not None:
            _wait_for(known.knowledge.source)
            if not known.knowledge.is_replaced():
                known.knowledge.look_again()
                return known
        begun = time.monotonic()
        knowledge = Knowledge.open(name)
        # Not before the last run that holds it has ended.
        weakref.finalize(knowledge, _close, knowledge.store, knowledge.copies)
        found = _shared[name] = _Shared(knowledge, begun, time.monotonic())
        return found


def _close(store: GraphStore, copies: LocalCopy | None) -> None:
    store.close_now()
    if copies is not None and copies.store is not None:
        copies.store.close_now()


def _place(source: Path | RemoteKG) -> tuple[int, ...]:
    """Changes where a folder is removed, or another one gets its name (`trivium kg copy --replace`)."""
    if not isinstance(source, Path):
        return ()
    try:
        found = source.stat()
    except OSError:
        return (0, 0)
    return (found.st_dev, found.st_ino)


def _wait_for(source: Path | RemoteKG) -> None:
    """Wait for a folder that is missing between the two renames of `trivium kg copy --replace`. Blocks."""
    until = time.monotonic() + _MISSING_SECONDS
    while isinstance(source, Path) and not source.exists() and time.monotonic() < until:
        time.sleep(0.002)


def _written(folder: Path, save: Callable[[Path], object]) -> Iterable[Path]:
    """Let `save` write into a folder; the files that are there afterwards, and those that went."""
    before = set(_files(folder))
    save(folder)
    return before | set(_files(folder))


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())


def changed_at(path: Path) -> int:
    """Changes when a file, or a folder's list of them, does: its time in nanoseconds, 0 where it is not there."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def _digest(texts: Sequence[str]) -> str:
    return hashlib.sha256("\0".join(texts).encode(errors="surrogatepass")).hexdigest()[:16]
