"""The last stage of every method: the typed answer in the shape of the contract, and its message where a chat asked."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from trivium.kg.errors import QueryError, QueryTimeoutError
from trivium.nodes.run.abstain import Decision, Signals, Stop, judge, stopped_by
from trivium.nodes.run.answer_record import Answer, AnswerEntity, PathRecord, Value, usage
from trivium.nodes.run.context import Context
from trivium.nodes.run.conversation import is_chat, reply, struck
from trivium.nodes.run.markdown import plain
from trivium.nodes.run.path_text import path_texts
from trivium.nodes.run.qualifiers import qualified
from trivium.nodes.run.usage import Usage

NAMED = 12
"""Answers that a sentence names; the rest are counted."""


@dataclass
class Claim:
    """What a method would say, should `judge` let it.

    Attributes:
        text: the answer in words, with its evidence.
        answers: best first.
        value: where the answer is not an entity.
        choice: the id of the option chosen.
        values: literal values where there are several, and the rows of a table or group.
        evidence: rows of what was counted, summed or compared.
        plan: the query plan that was computed, and the same as `query`, for users to run.
        paths: what proves it.
        confidence: in [0, 1]; None where a model alone answered.
    """

    text: str = ""
    answers: list[AnswerEntity] = field(default_factory=list)
    value: Value | None = None
    choice: str | None = None
    paths: list[PathRecord] = field(default_factory=list)
    confidence: float | None = None
    values: list[Any] = field(default_factory=list)
    evidence: dict[str, Any] | None = None
    plan: dict[str, Any] | None = None
    query: dict[str, str] | None = None

    @property
    def found(self) -> bool:
        """Whether it claims anything."""
        return bool(self.answers or self.values) or self.value is not None or self.choice is not None


async def write_answer(  # noqa: PLR0913 - each is a part of the contract
    method: str,
    state: Mapping[str, Any],
    context: Context,
    claim: Claim,
    *,
    signals: Signals,
    steps: Sequence[dict[str, Any]],
    events: Sequence[dict[str, Any]] = (),
    state_update: Mapping[str, Any] | None = None,
    message_id: str | None = None,
) -> dict[str, Any]:
    """What a method's last stage returns.

    Args:
        method: its name.
        state: the run's.
        context: its settings.
        claim: what it would say.
        signals: what it knows about its reading; decides whether it may.
        steps: the method's own log.
        events: what a user should know, besides the state's.
        state_update: what the stage spent on the model, and its events.
        message_id: of the message whose tokens were streamed.
    """
    state_update = state_update or {}
    answer = record(
        method,
        state,
        context,
        claim,
        judge(signals),
        steps=steps,
        events=[*state_update.get("events", ()), *events],
        spent=state_update.get("usage"),
    )
    answer["paths"] = await qualified(answer["paths"], context.kg)
    return {"answer": answer, **state_update, **await reply(state, answer, context.kg, message_id=message_id)}


def record(  # noqa: PLR0913 - each is a part of the contract
    method: str,
    state: Mapping[str, Any],
    context: Context,
    claim: Claim,
    decision: Decision,
    *,
    steps: Sequence[dict[str, Any]] = (),
    events: Sequence[dict[str, Any]] = (),
    spent: Usage | None = None,
) -> Answer:
    """The typed answer; unless the decision is `answered` it claims nothing, whatever was found."""
    answered = decision.stop_reason == "answered"
    if left_out := context.left_out():
        message = f"no chat model is named, so these settings of preset {context.preset} are left out: "
        events = [*events, {"stage": "run", "event": "preset", "message": message + ", ".join(left_out)}]
    said = claim if answered else Claim(decision.message, confidence=claim.confidence)
    if not answered and claim.text and not claim.found:  # a method's own words for having found nothing
        said.text = claim.text
    return Answer(
        id="",
        question=(state.get("follow_up") or state).get("asked", state.get("question", "")),
        kg=context.kg,
        method=method,
        model=context.model,
        answer=said.text,
        answers=said.answers,
        choice=said.choice,
        value=said.value,
        values=said.values,
        confidence=None if said.confidence is None else round(min(max(said.confidence, 0.0), 1.0), 4),
        suggestions=list(decision.suggestions),
        evidence=said.evidence,
        paths=said.paths,
        plan=claim.plan,
        query=claim.query,
        steps=list(steps),
        stop_reason=decision.stop_reason,
        usage=usage(state.get("started") or time.time(), state.get("usage"), spent),
        events=[*state.get("events", ()), *events],
    )


def stop_of(error: Exception) -> Stop:
    """What the state keeps of an error that stops a run."""
    decision = stopped_by(error)
    return Stop(error=type(error).__name__, problem=str(error), reason=decision.stop_reason, message=decision.message)


_OF_ONE_QUERY = frozenset({QueryError.__name__, QueryTimeoutError.__name__})


def is_outage(answer: Answer) -> bool:
    """Whether the database as a whole failed a question, and not one query of it: of many no other can be answered."""
    return answer["stop_reason"] == "store_error" and answer["events"][-1]["event"] not in _OF_ONE_QUERY


def stopped_answer(method: str, state: Mapping[str, Any], context: Context) -> dict[str, Any]:
    """What the last stage of a stopped run returns: an answer that says what stopped it, and claims nothing."""
    stop: Stop = state["stopped"]
    event = {"stage": "run", "event": stop["error"], "message": stop["problem"]}
    decision = Decision(stop["reason"], stop["message"])
    answer = record(method, state, context, Claim(), decision, events=[event])
    if not is_chat(state):
        return {"answer": answer}
    from langchain_core.messages import AIMessage  # a run without a chat need not import the message classes

    return {"answer": answer, "messages": [*struck(state), AIMessage(plain(answer["answer"]), name=method)]}


def listed(names: Sequence[str], more: int = 0, *, last: str = " and ") -> str:
    """Names in a sentence: `A, B and C`, or `A, B and 7 more`; `last` stands before the last name."""
    if more:
        return f"{', '.join(names)} and {more} more"
    return last.join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def named(answers: Sequence[AnswerEntity]) -> str:
    """The first answers' labels, and how many more there are."""
    return listed([answer["label"] for answer in answers[:NAMED]], max(0, len(answers) - NAMED))


async def evidence(paths: Sequence[PathRecord], kg: str, label: str = "") -> str:
    """`Evidence for LABEL: A -r-> B; ...`, or nothing where there is no path."""
    if not paths:
        return ""
    about = f" for {label}" if label else ""
    return f"Evidence{about}: {'; '.join(await path_texts(paths, kg))}."
