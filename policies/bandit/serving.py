"""The bandit of an opened KG: its choice for a question, the pulls it records, feedback (KnowGPT, section 4.2)."""

from __future__ import annotations

import asyncio
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
        space = space_of(base.embedder.fingerprint, model, as_written=settings.as_written)
        made = await asyncio.to_thread(KeptBandit.open, base.path, space, base.embedder.dimensions, settings)
        known.setdefault((model, settings), made)
    return known[model, settings]


async def choose_prompt(
    base: KnowledgeBase, question: str, model: str, settings: BanditSettings | None = None
) -> BanditChoice:
    """The arm for a question; raises as `open_bandit`."""
    bandit = await open_bandit(base, model, settings)
    return await asyncio.to_thread(bandit.choose, await _context(base, question, settings))


async def record_pull(
    base: KnowledgeBase, question: str, model: str, run: str, arm: str, settings: BanditSettings | None = None
) -> None:
    """Log that a run pulled this arm, so that feedback on the run reaches it; raises as `BanditLog.choose`."""
    bandit = await open_bandit(base, model, settings)
    await asyncio.to_thread(bandit.remember, run, arm, await _context(base, question, settings))


async def _context(base: KnowledgeBase, question: str, settings: BanditSettings | None) -> Floats:
    as_written = settings is not None and settings.as_written
    return await asyncio.to_thread(question_context, base.embedder, question, as_written=as_written)


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
