"""A KG directory opened for answering: its store, its embedder, and the indexes derived from it.

    triples.db, snapshot/, kg.json   the store (`trivium.kg.embedded`)
    indexes/relations, indexes/entities   relation names and entity labels by meaning; entities on first use
    templates/   question templates with their chains, and their index
    vectors.npz   vectors remembered by text
    vectors/   a row an entity of vectors that add up, where trivium kg vectors made them
    keqing/   what `trivium learn keqing` wrote (`trivium.policies.keqing.artefact`)

Whatever is derived and missing, stale or damaged is made again from the record, and the log says so.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from trivium.kg.additive_vectors import AdditiveVectors, open_vectors, vectors_path, write_vectors
from trivium.kg.catalog import cache_folder
from trivium.kg.embedded import EmbeddedStore, Snapshot
from trivium.kg.embedded.locks import write_lock
from trivium.kg.embedders import CachedEmbedder, additive, open_embedder
from trivium.kg.errors import BusyError, CorruptError, EmbedderError
from trivium.kg.indexes import VectorIndex, relation_words
from trivium.kg.manifest import register_derived
from trivium.kg.neo4j.settings import RemoteKG
from trivium.kg.store import GraphStore
from trivium.kg.templates import QuestionTemplate, TemplateIndex, completed, read_templates, schema_templates
from trivium.kg.types import Hop, RelationSchema

log = logging.getLogger("trivium.kg")

Texts = list[tuple[list[str], list[str]]]
"""Batches of keys with the texts that are embedded for them."""

TemplateMaker = Callable[[Sequence[RelationSchema]], list[QuestionTemplate]]
"""Makes the templates of a schema."""


class KnowledgeBase:
    """One KG, open. Indexes are loaded on first use.

    Attributes:
        path: the directory; for a KG in Neo4j the local folder of what is learnt of it.
        store: its `GraphStore`.
        embedder: the embedder by which its indexes are made, remembering vectors by text.
    """

    def __init__(
        self, path: Path, store: GraphStore, embedder: CachedEmbedder, walking: EmbeddedStore | None = None
    ) -> None:
        self.path = path
        self.store = store
        self.embedder = embedder
        self._templates: TemplateIndex | None = None
        self.template_maker: TemplateMaker = schema_templates
        """Makes the templates of a schema that nothing was learnt for; whoever knows better words puts theirs here."""
        self._relations: VectorIndex | None = None
        self._entities: VectorIndex | None = None
        self._vectors: AdditiveVectors | None = None
        self._walking = store if isinstance(store, EmbeddedStore) else walking

    @classmethod
    def open(cls, source: Path | str | RemoteKG, embedder: str = "static") -> KnowledgeBase:
        """Open a KG directory, or a KG in Neo4j with the local folder of what is learnt of it. Blocks.

        Raises:
            EmbedderError: the embedder is unknown.
            NotAKnowledgeBaseError, VersionError, CorruptError: as `EmbeddedStore.open`.
            StoreError: the database does not answer.
        """
        if isinstance(source, RemoteKG):
            return cls._open_remote(source, embedder)
        path = Path(source)
        return cls(path, EmbeddedStore.open(path), CachedEmbedder(open_embedder(embedder), path / "vectors.npz"))

    @classmethod
    def _open_remote(cls, remote: RemoteKG, embedder: str) -> KnowledgeBase:
        # Here, since the driver takes a quarter of a second to import and most KGs are directories.
        from trivium.kg.neo4j.opening import open_now
        from trivium.kg.neo4j.snapshots import open_snapshot_store

        opened, chosen = open_now(remote, cache_folder()), open_embedder(embedder)
        walking = open_snapshot_store(opened.folder)
        return cls(opened.folder, opened.store, CachedEmbedder(chosen, opened.folder / "vectors.npz"), walking)

    @property
    def learnt(self) -> Path:
        """The folder of what Keqing has learnt of this KG."""
        return self.path / "keqing"

    def snapshot(self) -> Snapshot | None:
        """The newest adjacency arrays for hot loops; None where the KG has none at hand.

        For a KG in Neo4j they are those of its walking snapshot (`trivium kg snapshot`), as old as that is.
        """
        return None if self._walking is None else self._walking.snapshot

    async def learning_store(self, show: Callable[[str, int, int | None], None]) -> GraphStore:
        """The store that learning reads, which asks a hundred thousand times: a directory's own.

        For a KG in Neo4j it is its walking snapshot, made first where there is none or the database has committed
        anything since: measured on MetaQA, 5 seconds of streaming save minutes of round trips.
        """
        if isinstance(self.store, EmbeddedStore):
            return self.store
        from trivium.kg.neo4j.snapshots import kept_snapshot, make_snapshot, open_snapshot_store
        from trivium.kg.neo4j.store import Neo4jStore

        if isinstance(self.store, Neo4jStore):
            state, kept = await self.store.client.fresh_state(0.0), kept_snapshot(self.path)
            if self._walking is None or kept is None or kept.state != state:
                await make_snapshot(self.store, self.path, show)
                old, self._walking = self._walking, await asyncio.to_thread(open_snapshot_store, self.path)
                if old is not None:
                    await old.close()
        return self._walking or self.store

    def additive_vectors(self) -> AdditiveVectors | None:
        """Rows of vectors that add up, for the newest snapshot; None without one, or where the embedder's do not."""
        snapshot, sums = self.snapshot(), additive(self.embedder)
        if snapshot is None or sums is None:
            return None
        if self._vectors is None or self._vectors.snapshot is not snapshot:
            self._vectors = open_vectors(self.path, snapshot, sums, self.embedder.fingerprint)
        return self._vectors

    def make_vectors(self, show: Callable[[str, int, int | None], None]) -> Path:
        """Make and keep the vectors of all entities, some 20 microseconds each; `show` hears of progress.

        Raises:
            BusyError: another process writes to the KG.
            EmbedderError: the embedder's vectors do not add up.
        """
        snapshot, sums = self.snapshot(), additive(self.embedder)
        if snapshot is None or sums is None:
            raise EmbedderError(
                f"{self.path}: rows an entity are made where a KG has a snapshot and its embedder's vectors add up, "
                f"as those of static do; this one is {self.embedder.name}"
            )
        path = vectors_path(self.path, snapshot, self.embedder.fingerprint)
        with write_lock(self.path):
            self._keep(path.parent.name, lambda _: write_vectors(path, snapshot, sums, show))
        self._vectors = None
        return path

    async def templates(self) -> TemplateIndex:
        """The question templates; those of the schema where nothing was learnt."""
        if self._templates is None:
            version = _version(await self.store.schema())
            found = await asyncio.to_thread(self._loaded_templates, version)
            self._templates = found or await self._made_templates(version)
        return self._templates

    async def relations(self) -> VectorIndex:
        """The relations by the meaning of their names; keys are relation names."""
        if self._relations is None:
            schema = await self.store.schema()
            texts = _relation_texts(schema)
            self._relations = await asyncio.to_thread(self._index, "relations", _version(schema), texts)
        return self._relations

    async def entities(self) -> VectorIndex:
        """The entities by the meaning of their labels; made on first use, which takes seconds a million."""
        if self._entities is None:
            texts = [
                ([entity.id for entity in batch], [entity.label for entity in batch])
                async for batch in self.store.all_entities()
            ]
            version = f"{(await self.store.info()).hash}-{sum(len(ids) for ids, _ in texts)}"
            self._entities = await asyncio.to_thread(self._index, "entities", version, texts)
        return self._entities

    async def save_templates(self, templates: Iterable[QuestionTemplate]) -> None:
        """Replace the KG's templates; raises `BusyError` while another process writes."""
        version = _version(await self.store.schema())
        index = TemplateIndex.build(list(templates), self.embedder, source_version=version)
        with write_lock(self.path):
            self._keep("templates", index.save)
            self.embedder.save()
        self._templates = index

    async def derive(self) -> None:
        """Make the relation and template indexes now, so that the first question does not wait for them."""
        await self.relations()
        await self.templates()
        self.embedder.save()

    def keep(self, name: str, save: Callable[[Path], None]) -> None:
        """Let `save` write what was derived into the folder `name` of the KG; passed over where that cannot be done.

        Blocks. The files are registered in the manifest, so that `trivium kg verify` guards them.
        """
        self._try_keep(name, save)

    async def close(self) -> None:
        """Release the store; safe to call twice."""
        await self.store.close()
        if self._walking is not None:
            await self._walking.close()

    def close_now(self) -> None:
        """`close` for synchronous callers."""
        self.store.close_now()
        if self._walking is not None:
            self._walking.close_now()

    def _loaded_templates(self, version: str) -> TemplateIndex | None:
        folder = self.path / "templates"
        if not folder.exists():
            return None
        try:
            loaded = TemplateIndex.load(folder, self.embedder)
        except (CorruptError, EmbedderError) as error:
            log.warning("%s; the template index is made again", error)
            return None
        return loaded if loaded.source_version == version else None

    async def _made_templates(self, version: str) -> TemplateIndex:
        """The templates that there were, if their file still reads, and the schema's own for every other hop.

        Those there were stay, mined or not: what was learnt writes its sub-questions in their very words.
        """
        schema = await self.store.schema()
        hops = {Hop(relation.name, inverse) for relation in schema for inverse in (False, True)}
        kept: list[QuestionTemplate] = []
        if (self.path / "templates").exists():
            try:
                kept = read_templates(self.path / "templates")
            except CorruptError as error:
                log.warning("%s; learnt templates are lost until the next trivium learn keqing", error)
        # A template that a relation which is gone shared with others stays theirs.
        left = [replace(t, chains=tuple(chain for chain in t.chains if hops.issuperset(chain))) for t in kept]
        kept = [template for template in left if template.chains]
        owned = {chain for found in kept for chain in found.chains}
        made = [found for found in self.template_maker(schema) if not owned.issuperset(found.chains)]
        said = [hop for found in made for hop, *more in found.chains if not more]
        index = TemplateIndex.build(completed(kept, made, said), self.embedder, source_version=version)
        await asyncio.to_thread(self._try_keep, "templates", index.save)
        return index

    def _index(self, name: str, version: str, texts: Texts) -> VectorIndex:
        """The index of that name, loaded, or made again where it is missing, stale or damaged."""
        folder = self.path / "indexes" / name
        if folder.exists():
            try:
                loaded = VectorIndex.load(folder, self.embedder)
                if loaded.source_version == version:
                    return loaded
                log.info("the index of %s is older than the KG; it is made again", name)
            except (CorruptError, EmbedderError) as error:
                log.warning("%s; it is made again", error)
        made = VectorIndex.build_batches(texts, self.embedder, source_version=version, half=name == "entities")
        self._try_keep(f"indexes/{name}", made.save)
        return made

    def _try_keep(self, name: str, save: Callable[[Path], None]) -> None:
        """Save what was derived; answering goes on where the folder cannot be written or is being written."""
        try:
            with write_lock(self.path, wait=0.0):
                self._keep(name, save)
        except (OSError, BusyError) as error:
            log.info("%s of %s is kept in memory only: %s", name, self.path, error)

    def _keep(self, name: str, save: Callable[[Path], None]) -> None:
        before = set(_files(self.path / name))
        save(self.path / name)
        register_derived(self.path, before | set(_files(self.path / name)))


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()] if folder.exists() else []


def _version(schema: Iterable[RelationSchema]) -> str:
    """Changes when a relation comes or goes."""
    return hashlib.sha256("\0".join(sorted(relation.name for relation in schema)).encode()).hexdigest()[:16]


def _relation_texts(schema: Iterable[RelationSchema]) -> Texts:
    names = [relation.name for relation in schema]
    return [(names, [relation_words(name) for name in names])]
