"""The answer in the shape of the contract: a JSON object with ids as in the KG, and the same without evidence."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from typing_extensions import TypedDict

from trivium.nodes.run.abstain import StopReason, Suggestion
from trivium.nodes.run.state import Step
from trivium.nodes.run.usage import NO_USAGE, Usage, add_usage

Value = bool | int | float | str
"""An answer that is not an entity: true or false, a number, a date or text."""


class AnswerEntity(TypedDict):
    """One answer, best first in its list; `score` in [0, 1]."""

    id: str
    label: str
    score: float


class PathRecord(TypedDict):
    """A reasoning path and the answer that it supports; each triple as stored, `inverse` = walked tail to head."""

    triples: list[dict[str, Any]]
    answer: str


class Answer(TypedDict):
    """The typed result of every method; see "The contract" in the design."""

    id: str
    question: str
    kg: str
    method: str
    model: str
    answer: str
    answers: list[AnswerEntity]
    choice: str | None
    value: Value | None
    values: list[Any]
    confidence: float | None
    suggestions: list[Suggestion]
    evidence: dict[str, Any] | None
    paths: list[PathRecord]
    plan: dict[str, Any] | None
    query: dict[str, str] | None
    steps: list[dict[str, Any]]
    stop_reason: StopReason
    usage: Usage
    events: list[dict[str, Any]]


def usage(started: float, *spent: Usage | None) -> Usage:
    """The cost of a run that began at `started`, seconds since the epoch.

    Calls and tokens are those of `spent`: the state's `usage`, if it has one, and what the last stage spent itself.
    `seconds` is wall time from the first stage until now, the model's share included.
    """
    total = NO_USAGE
    for part in spent:
        if part:
            total = add_usage(total, part)
    return Usage(
        llm_calls=total["llm_calls"],
        prompt_tokens=total["prompt_tokens"],
        completion_tokens=total["completion_tokens"],
        seconds=round(time.time() - started, 6),
    )


def path_record(steps: Sequence[Step], answer: str) -> PathRecord:
    """A walked path as the contract has it."""
    triples = [{"head": h, "relation": r, "tail": t, "inverse": inverse} for h, r, t, inverse in steps]
    return PathRecord(triples=triples, answer=answer)


def answer_problem(line: Mapping[str, Any]) -> str | None:
    """What keeps a JSON object from being an answer whose paths can be verified; None where nothing does."""
    paths = line.get("paths")
    if not isinstance(paths, list):
        return 'it has no list of "paths"'
    for path in paths:
        triples = path.get("triples") if isinstance(path, dict) else None
        if not isinstance(triples, list):
            return 'a path has no list of "triples"'
        for triple in triples:
            if not isinstance(triple, dict) or any(
                not isinstance(triple.get(k), str) for k in ("head", "relation", "tail")
            ):
                return "a triple lacks a head, relation or tail"
    return None
