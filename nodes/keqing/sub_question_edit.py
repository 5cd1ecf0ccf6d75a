"""Sub-questions as a human wrote them, checked and completed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from trivium.kg.errors import UsageError
from trivium.nodes.keqing.decompose_prompt import (
    Arguments,
    AskedDecomposition,
    AskedSubQuestion,
    problem,
    sub_questions,
)
from trivium.nodes.keqing.state import SubQuestionState
from trivium.policies.keqing.decomposer import SubQuestion


class _Edited(BaseModel):
    """One sub-question, in the shape in which it was shown; what is left out is filled in."""

    model_config = ConfigDict(extra="forbid")

    id: int | None = None
    question: str = Field(max_length=1_000)
    dep: list[int] = []
    seed_entities: list[str] = []
    only: dict[str, Any] | None = None
    """Shown, not to be edited: the condition of a follow-up question stays as it was."""


class _Edit(BaseModel):
    model_config = ConfigDict(extra="ignore")  # the interrupt's own value, edited, may be sent back whole

    sub_questions: list[_Edited]


def read_edit(reply: object, before: Sequence[SubQuestionState]) -> list[SubQuestionState]:
    """The sub-questions of a reply, every dependency first; they are held to what a model's are held to.

    Args:
        reply: `{"sub_questions": [...]}`, or the list alone.
        before: those that were shown; one of the same id keeps what is not shown.

    Raises:
        UsageError: they cannot be used; the message says why, for the human.
    """
    try:
        edit = _Edit.model_validate({"sub_questions": reply} if isinstance(reply, list) else reply)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise UsageError(f"{'.'.join(map(str, first['loc'])) or 'the reply'}: {first['msg']}") from None
    asked = AskedDecomposition(
        sub_questions=[
            AskedSubQuestion(
                question=sub.question,
                id=place if sub.id is None else sub.id,
                dep=sub.dep,
                args=Arguments(seed_entities=[name.strip() for name in sub.seed_entities if name.strip()]),
            )
            for place, sub in enumerate(edit.sub_questions)
        ]
    )
    if wrong := problem(asked):
        raise UsageError(wrong)
    # By id, since a human may add, drop and move sub-questions.
    kept = {sub["id"]: sub for sub in before}
    return [_complete(sub, kept.get(sub.id)) for sub in sub_questions(asked, excludes_used=False)]


def _complete(sub: SubQuestion, before: SubQuestionState | None) -> SubQuestionState:
    """A sub-question with what cannot be edited of the one that was shown."""
    done = SubQuestionState(
        id=sub.id,
        question=sub.question,
        dep=list(sub.dep),
        seed_entities=list(sub.seed_entities),
        excludes_used=before["excludes_used"] if before else False,
    )
    if before and "only" in before:
        done["only"] = before["only"]
    if before and "chain" in before and before["question"] == sub.question:
        done["chain"] = before["chain"]
    return done
