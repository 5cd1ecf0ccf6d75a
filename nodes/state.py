"""What the stages of every method hand on: ids and short paths, never subgraphs, so that a checkpoint stays small.

A method's own state extends `RunState` and stands in `nodes/METHOD_state.py`.
"""

from __future__ import annotations

from typing import Any

from typing_extensions import TypedDict

Step = tuple[str, str, str, bool]
"""A walked triple: head, relation, tail, inverse."""


class QuestionInput(TypedDict, total=False):
    """Input of every method."""

    question: str
    """The question in words."""
    topic_entities: list[str]
    """Entities it is about, ids or labels, where the client knows them; else they are found in the question.

    The first stage sees them; a thread's next question does not.
    """


class RunState(QuestionInput, total=False):
    """What the states of all methods have."""

    started: float
    """When the first stage began, seconds since the epoch."""
    answer: dict[str, Any]
    """The typed result (`nodes.answer_record`)."""


class AnswerOutput(TypedDict, total=False):
    """Output of every method."""

    answer: dict[str, Any]
    """The typed result, in the shape of the contract."""
