"""What a run works on: an open KG and what was learnt of it, shared by all runs of a process."""

from __future__ import annotations

import asyncio
import threading
import time
import weakref
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from trivium.kg.catalog import SAMPLE, source
from trivium.kg.embedders import additive
from trivium.kg.errors import NotLearntError
from trivium.kg.knowledge_base import KnowledgeBase
from trivium.kg.manifest import MANIFEST
from trivium.kg.neo4j.settings import RemoteKG
from trivium.kg.store import GraphStore
from trivium.knowledge.sample import ensure_sample
from trivium.policies.keqing.artefact import has_decomposer, load_decomposer
from trivium.policies.keqing.compact_decomposer import CompactDecomposer
from trivium.policies.keqing.computing.composer import ComputingDecomposer
from trivium.policies.keqing.decomposer import Decomposer
from trivium.policies.keqing.exemplars import ExemplarIndex, load_exemplars, template_exemplars
from trivium.policies.keqing.natural import natural_templates
from trivium.policies.similarity_choice import RelationNames

if TYPE_CHECKING:  # fine-tuned models are opened where a run asks for them
    from trivium.policies.lora.serve import LoraReasoner

P = ParamSpec("P")
T = TypeVar("T")


@dataclass
class Knowledge:
    """An open KG with its trained decomposer, loaded on first use.

    Attributes:
        name: the KG argument as it was given.
        base: store, embedder, indexes and templates.
    """

    name: str
    base: KnowledgeBase
    _decomposer: Decomposer | None = field(default=None, repr=False)
    _tuned: Decomposer | None = field(default=None, repr=False)
    _reasoner: LoraReasoner | None = field(default=None, repr=False)
    _exemplars: ExemplarIndex | None = field(default=None, repr=False)

    @cached_property
    def relation_names(self) -> RelationNames:
        """Vectors of relations' names, by which ways are ranked; made as they are met."""
        return RelationNames(self.base.embedder)

    @property
    def store(self) -> GraphStore:
        """The KG's store."""
        return self.base.store

    @cached_property
    def embeds_fast(self) -> bool:
        """Whether embedding a short text takes microseconds, so that it may run in the event loop."""
        return additive(self.base.embedder) is not None

    async def near(self, look: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What a look-up by meaning finds; in a thread where embedding a text takes long."""
        if self.embeds_fast:
            return look(*args, **kwargs)
        return await asyncio.to_thread(look, *args, **kwargs)

    async def decomposer(self) -> Decomposer:
        """The trained decomposer; raises `NotLearntError` where `trivium learn keqing` has not run."""
        if self._decomposer is None:
            folder = self.base.learnt
            if not has_decomposer(folder):
                raise NotLearntError(
                    f"nothing was learnt on {self.name} yet: run trivium learn keqing --kg {self.name} "
                    "--questions F.jsonl, or without --questions to learn from its relations' names alone"
                )
            loaded: Decomposer = await asyncio.to_thread(load_decomposer, folder, self.base.embedder)
            self._decomposer = loaded
        return self._decomposer

    async def computing(self, inner: Decomposer) -> Decomposer:
        """A decomposer that hands plain questions to this one, and reads those that compute besides.

        Raises:
            NotLearntError: as `decomposer`, whose words and templates it uses.
        """
        compact = await self.decomposer()
        assert isinstance(compact, CompactDecomposer)
        known, templates = compact.reader.known, await self.base.templates()
        return ComputingDecomposer(inner, known, compact.phrases, templates, self.base.embedder)

    async def lora_decomposer(self) -> Decomposer:
        """The LoRA-tuned decomposer; loading its base model takes seconds to minutes, once.

        Raises:
            NotLearntError: `trivium learn lora` has not run.
            ModelError: its base model cannot be opened.
        """
        if self._tuned is None:
            from trivium.policies.lora.serve import open_lora_decomposer

            self._tuned = await open_lora_decomposer(self.base)
        return self._tuned

    async def lora_reasoner(self) -> LoraReasoner:
        """The LoRA-tuned candidate reasoner; raises as `lora_decomposer`."""
        if self._reasoner is None:
            from trivium.policies.lora.serve import open_lora_reasoner

            self._reasoner = await open_lora_reasoner(self.base)
        return self._reasoner

    async def exemplars(self) -> ExemplarIndex:
        """Questions with their decomposition: of the pairs it was taught with, or, without any, of its templates."""
        if self._exemplars is None:
            found = await asyncio.to_thread(load_exemplars, self.base.learnt)
            found = found or await template_exemplars((await self.base.templates()).templates, self.store)
            self._exemplars = await asyncio.to_thread(ExemplarIndex, found, self.base.embedder)
        return self._exemplars


@dataclass
class _Opened:
    """A KG of this process: where it is, the state of its learnt artefacts, and when that was last looked at."""

    source: Path | RemoteKG
    stamp: tuple[int, ...]
    checked: float
    knowledge: Knowledge


_CHECK_SECONDS = 1.0  # how old may what is known of a KG's learnt artefacts be
_opened: dict[str, _Opened] = {}
_opening: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)


async def open_knowledge(name: str) -> Knowledge:
    """The KG of a KG argument, opened once a process; what was learnt since is taken up within a second.

    Raises:
        NotAKnowledgeBaseError, VersionError, CorruptError: as `EmbeddedStore.open`.
        StoreError: the database of a KG in Neo4j does not answer.
    """
    found = _opened.get(name)
    now = time.monotonic()
    if found is None:
        found = await asyncio.to_thread(_open_once, name)
    elif now - found.checked > _CHECK_SECONDS:
        found.checked = now  # the other runs of this moment need not look as well
        found = _opened[name] = await asyncio.to_thread(_look, name, found)
    return found.knowledge


async def close_all() -> None:
    """Close every KG that `open_knowledge` opened."""
    while _opened:
        _, opened = _opened.popitem()
        await opened.knowledge.base.close()


def _open_once(name: str) -> _Opened:
    """Open a KG, unless another run did so in the meantime."""
    with _opening[name]:
        found = _opened.get(name)
        if found is None:
            found = _opened[name] = _look(name, None)
        return found


def _look(name: str, known: _Opened | None) -> _Opened:
    if known and known.stamp == _stamp(known.knowledge.base.path):
        known.knowledge.base.snapshot()  # here in a thread it looks for triples that others wrote
        return replace(known, checked=time.monotonic())
    found = known.source if known else ensure_sample() if name == SAMPLE else source(name)
    stamp = _stamp(found) if isinstance(found, Path) else None
    base = KnowledgeBase.open(found)
    base.template_maker = natural_templates
    knowledge = Knowledge(name, base)
    weakref.finalize(knowledge, knowledge.base.close_now)  # not before the last run that holds it has ended
    return _Opened(found, stamp or _stamp(knowledge.base.path), time.monotonic(), knowledge)


def _stamp(path: Path) -> tuple[int, ...]:
    """When what belongs to a KG's folder was last written."""
    tuned = (path / "lora" / stage / "lora.json" for stage in ("decompose", "reason"))
    files = (path / MANIFEST, path / "keqing" / "decomposer.json", *tuned)
    return tuple(file.stat().st_mtime_ns if file.exists() else 0 for file in files)
