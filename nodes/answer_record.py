"""The answer in the shape of the contract: a JSON object with ids as in the KG, and the same without evidence."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from typing_extensions import TypedDict

from nodes.state import Step


class AnswerEntity(TypedDict):
    """One answer, best first in its list; `score` in [0, 1]."""

    id: str
    label: str
    score: float


class PathRecord(TypedDict):
    """A reasoning path and the answer that it supports; each triple as stored, `inverse` = walked tail to head."""

    triples: list[dict[str, Any]]
    answer: str


class Usage(TypedDict):
    """What a run cost: chat-model calls and tokens, and wall seconds from its first stage to its answer."""

    llm_calls: int
    prompt_tokens: int
    completion_tokens: int
    seconds: float


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
    value: bool | int | float | str | None
    paths: list[PathRecord]
    steps: list[dict[str, Any]]
    stop_reason: str
    usage: Usage
    events: list[dict[str, Any]]


def usage(started: float) -> Usage:
    """The cost of a run without a model that began at `started`, seconds since the epoch."""
    return Usage(llm_calls=0, prompt_tokens=0, completion_tokens=0, seconds=round(time.time() - started, 6))


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
