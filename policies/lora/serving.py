"""Opening what was fine-tuned for answering: from a KG's directory to a decomposer and a reasoner."""

from __future__ import annotations

import asyncio
from functools import partial

from trivium.kg.knowledge_base import KnowledgeBase
from trivium.policies.keqing.artefact import has_decomposer, load_decomposer
from trivium.policies.lora.artefact import open_adapter
from trivium.policies.lora.decomposer import LoraDecomposer
from trivium.policies.lora.generation import generate
from trivium.policies.lora.reasoner import LoraReasoner
from trivium.policies.lora.served import served


async def open_lora_decomposer(base: KnowledgeBase) -> LoraDecomposer:
    """The decomposer of a KG, from its adapter or from the server that the environment names.

    Raises:
        ModelError, NotLearntError, CorruptError, VersionError: as `open_adapter` and `served`.
    """
    speak = served() or partial(generate, await asyncio.to_thread(open_adapter, base.path, "decompose"))
    habits = {}
    if has_decomposer(base.learnt):
        habits = dict((await asyncio.to_thread(load_decomposer, base.learnt, base.embedder)).habits)
    return LoraDecomposer(speak, await base.templates(), habits)


async def open_lora_reasoner(base: KnowledgeBase) -> LoraReasoner:
    """The candidate reasoner of a KG; raises as `trivium.policies.lora.artefact.open_adapter` does."""
    tuned = await asyncio.to_thread(open_adapter, base.path, "reason")
    return LoraReasoner(partial(generate, tuned))
