"""Stage `review`: a human sees the sub-questions before anything is retrieved, and approves or edits them.

The run stops with an interrupt that shows them (`trivium.nodes.run.human`). What is decided here is read from the
state: a resumed run need not carry the context of the one that stopped.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from langgraph.runtime import Runtime
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from trivium.kg.errors import UsageError
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.keqing.decompose.prompt import (
    AskedDecomposition,
    AskedSubQuestion,
    SubQuestionArguments,
    problem,
    sub_questions,
)
from trivium.nodes.keqing.link_entities import link, mentions_of
from trivium.nodes.keqing.state import KeqingState, SubQuestionState
from trivium.nodes.run.human import Request, reviewed
from trivium.nodes.run.missing import Link
from trivium.tools.decompose_question import SubQuestion
from trivium.tools.find_entities import find_entities

_HOW = (
    'Resume with true to go on, or with {"sub_questions": [...]} as shown, edited: all of them, in any order; "dep" '
    "names the ids whose answers a sub-question starts from, or is left out for one that starts from its seed_entities."
)
_CANDIDATES = 5
_HIDDEN = {"excludes_used", "asked_type"}  # of a sub-question, which a human cannot edit


async def review(state: KeqingState, runtime: Runtime[KeqingContext]) -> dict[str, Any]:
    """Stop until the sub-questions are approved, or edited into ones that can be used.

    Raises:
        UsageError: the run has no thread, so that nobody could resume it.
    """

    async def read(reply: object) -> dict[str, Any]:
        return await _edited(state, read_edit(reply, state["sub_questions"]), runtime.context.kg)

    decided = await reviewed(runtime, _request(state), read)
    stopped = {} if decided.rejected is None else {"stopped": decided.stopped}
    return {**_resumed(state), **(decided.edit or {}), **stopped}


def _request(state: KeqingState) -> Request:
    """What the interrupt carries."""
    subs = [{k: v for k, v in sub.items() if k not in _HIDDEN} for sub in state["sub_questions"]]
    more = {
        "stage": "review",
        "question": state["question"],
        "sub_questions": subs,
        "entities": {mention: [hit["id"] for hit in hits] for mention, hits in state["links"].items()},
        "templates": {key: [match["template"] for match in found] for key, found in state["matches"].items()},
    }
    lines = [
        f"{sub['id']}. {sub['question']}, starting from {', '.join(sub['seed_entities'])}"
        for sub in state["sub_questions"]
    ]
    lines = [f"Question: {state['question']}", *lines]
    return Request("decompose", {"sub_questions": subs}, lines, _HOW, _Edit.model_json_schema(), more)


def _resumed(state: KeqingState) -> dict[str, Any]:
    """The run goes on without another stop, and the time that it waited for a human is not its own."""
    return {"settings": {**state["settings"], "review": False}, "started": time.time()}


async def _edited(state: KeqingState, subs: list[SubQuestionState], kg: str) -> dict[str, Any]:
    """The state after an edit: new names are linked, and templates matched again; raises `UsageError`."""
    wanted = mentions_of(subs)
    links: dict[str, list[Link]] = {name: state["links"][name] for name in wanted if state["links"].get(name)}
    new = [name for name in wanted if name not in links]
    for name, hits in zip(new, await find_entities(kg, new, _CANDIDATES) if new else [], strict=True):
        if not hits:
            raise UsageError(f"no entity is named {name!r} or anything like it: name another one in seed_entities")
        links[name] = [link(hit) for hit in hits]
    noted = {"stage": "review", "event": "edited", "message": "a human edited the sub-questions"}
    return {"sub_questions": subs, "links": links, "matches": {}, "events": [noted], "plan": None}


class _Edited(BaseModel):
    """One sub-question, in the shape in which it was shown; what is left out is filled in."""

    model_config = ConfigDict(extra="forbid")

    id: int | None = None
    question: str = Field(max_length=1_000)
    dep: list[int] = []
    seed_entities: list[str] = []
    only: dict[str, Any] | None = None
    """Shown, not to be edited: the condition of a follow-up question stays as it was."""
    chain: list[str] | None = None
    """Shown, not to be edited: dropped where the words are edited, which are then matched to templates."""


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
                args=SubQuestionArguments(seed_entities=[name.strip() for name in sub.seed_entities if name.strip()]),
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
    if before and before["question"] == sub.question:
        if "chain" in before:
            done["chain"] = before["chain"]
        if "asked_type" in before:
            done["asked_type"] = before["asked_type"]
    return done
