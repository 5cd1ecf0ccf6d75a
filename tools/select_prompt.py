"""`select_prompt`: the arm that a KG's bandit pulls for a question; and feedback on runs (KnowGPT, section 4.2)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from trivium.kg.knowledge_base import KnowledgeBase
from trivium.policies.bandit.bandit import (
    FOLDER,
    BanditChoice,
    BanditSettings,
    Floats,
    KeptBandit,
    question_context,
    space_of,
)
from trivium.policies.bandit.log import BanditLog, Given


@dataclass(frozen=True)
class PromptChoice:
    """The bandit's choice for a question, and the question's context vector, float32 [d]."""

    choice: BanditChoice
    context: Floats


_bandits: WeakKeyDictionary[KnowledgeBase, dict[tuple[str, BanditSettings], KeptBandit]] = WeakKeyDictionary()


async def open_bandit(base: KnowledgeBase, model: str, settings: BanditSettings | None = None) -> KeptBandit:
    """The bandit of a KG for one chat model, opened once a process.

    Raises:
        UsageError: a setting is out of range.
        OSError, CorruptError, VersionError, BusyError: as `BanditLog.open`.
    """
    settings = settings or BanditSettings()
    known = _bandits.setdefault(base, {})
    if (model, settings) not in known:
        space = space_of(base.embedder.fingerprint, model)
        made = await asyncio.to_thread(KeptBandit.open, base.path, space, base.embedder.dimensions, settings)
        known.setdefault((model, settings), made)
    return known[model, settings]


async def select_prompt(
    base: KnowledgeBase, question: str, model: str, settings: BanditSettings | None = None, run: str = ""
) -> PromptChoice:
    """The arm for a question; raises as `open_bandit`."""
    bandit = await open_bandit(base, model, settings)
    context = await asyncio.to_thread(question_context, base.embedder, question)
    return PromptChoice(await asyncio.to_thread(bandit.choose, context, run), context)


async def bandit_models(base: KnowledgeBase) -> list[str]:
    """The chat models that the KG's bandit has pulled arms for, with the KG's embedder; raises as `open_bandit`."""

    def read() -> list[str]:
        log = BanditLog.open(base.path / FOLDER)
        try:
            prefix = space_of(base.embedder.fingerprint, "")
            return [space.removeprefix(prefix) for space in log.spaces() if space.startswith(prefix)]
        finally:
            log.close()

    return await asyncio.to_thread(read)


async def give_feedback(
    base: KnowledgeBase, run: str, reward: float, source: str = "user", question: str = ""
) -> Given:
    """Count a reward in [0, 1] for a run, whatever its model, once a run; `question` groups runs of one question.

    Raises:
        UsageError: the run is unknown here, or other feedback was counted for it.
        OSError, CorruptError, VersionError, BusyError: as `BanditLog.open`.
    """

    def give() -> Given:
        log = BanditLog.open(base.path / FOLDER)
        try:
            return log.give(run, reward, source, question)
        finally:
            log.close()

    return await asyncio.to_thread(give)
