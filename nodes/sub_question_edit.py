"""Sub-questions as a human wrote them, checked and completed."""

from __future__ import annotations

from collections.abc import Sequence
from graphlib import CycleError, TopologicalSorter

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from kg.errors import UsageError
from nodes.keqing_state import SubQuestionState
from policies.decomposer import NO_DEPENDENCY

MASK = "[mask]"
MOST = 20
"""Sub-questions of one question."""


class _Edited(BaseModel):
    """One sub-question; what is left out is filled in."""

    model_config = ConfigDict(extra="forbid")

    id: int | None = None
    question: str = Field(min_length=1, max_length=1_000)
    dep: list[int] = []
    seed_entities: list[str] = []


class _Edit(BaseModel):
    model_config = ConfigDict(extra="ignore")  # the interrupt's own value, edited, may be sent back whole

    sub_questions: list[_Edited] = Field(min_length=1, max_length=MOST)


def read_edit(reply: object, before: Sequence[SubQuestionState]) -> list[SubQuestionState]:
    """The sub-questions of a reply, every dependency first.

    Args:
        reply: `{"sub_questions": [...]}`, or the list alone.
        before: those that were shown; one of the same id keeps what is not edited.

    Raises:
        UsageError: they cannot be used; the message says why, for the human.
    """
    try:
        edit = _Edit.model_validate({"sub_questions": reply} if isinstance(reply, list) else reply)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise UsageError(f"{'.'.join(map(str, first['loc'])) or 'the reply'}: {first['msg']}") from None
    subs = {sub.id if sub.id is not None else place: sub for place, sub in enumerate(edit.sub_questions)}
    if len(subs) < len(edit.sub_questions):
        raise UsageError("two sub-questions have the same id: give each its own")
    kept = {sub["id"]: sub["excludes_used"] for sub in before}
    return [_complete(key, subs, excludes_used=kept.get(key, False)) for key in _ordered(subs)]


def _ordered(subs: dict[int, _Edited]) -> list[int]:
    needs = {key: [dep for dep in sub.dep if dep != NO_DEPENDENCY] for key, sub in subs.items()}
    for key, deps in needs.items():
        if unknown := [dep for dep in deps if dep not in subs]:
            raise UsageError(
                f"sub-question {key} starts from {unknown[0]}, which is none of {', '.join(map(str, subs))}"
            )
    try:
        return list(TopologicalSorter(needs).static_order())
    except CycleError as error:
        raise UsageError(f"sub-questions wait for each other: {' -> '.join(map(str, error.args[1]))}") from None


def _complete(key: int, subs: dict[int, _Edited], *, excludes_used: bool) -> SubQuestionState:
    """A sub-question with its mask, dependencies and seeds."""
    sub = subs[key]
    deps = [dep for dep in sub.dep if dep != NO_DEPENDENCY]
    if deps:
        seeds = [f"<GENERATED>-{dep}" for dep in deps]
    elif not (seeds := [name.strip() for name in sub.seed_entities if name.strip()]):
        raise UsageError(f"sub-question {key} starts from nothing: name an entity in seed_entities, or ids in dep")
    text = sub.question
    for name in sub.seed_entities:
        text = text if MASK in text else text.replace(name, MASK)
    if MASK not in text:
        raise UsageError(f"sub-question {key} needs {MASK} where its entity belongs: {sub.question!r}")
    return SubQuestionState(
        id=key, question=text, dep=deps or [NO_DEPENDENCY], seed_entities=seeds, excludes_used=excludes_used
    )
