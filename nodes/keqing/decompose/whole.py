"""Follow-ups made whole, for the methods that read a question as a whole, ODA and KnowGPT.

What Keqing resolves into sub-questions becomes a question in words that point to nothing, and the entities that are
meant. Where the chat does not say what is meant, or the method cannot ask it, nothing is claimed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from trivium.kg.errors import NotLearnedError
from trivium.nodes.keqing.decompose.follow_up import (
    LastAnswers,
    Resolved,
    StandaloneQuestion,
    asks_instead,
    last_answers,
    opens,
    points_back,
    points_outside,
    remember,
    resolve,
)
from trivium.nodes.keqing.decompose.stage import surest
from trivium.nodes.run.abstain import unnamed
from trivium.nodes.run.conversation import NO_OPTIONS, choices_in
from trivium.nodes.run.state import FollowUp
from trivium.tools.decompose_question import NO_DEPENDENCY, Decomposition, SubQuestion, decompose_question
from trivium.tools.find_task_entities import find_task_entities, question_kind
from trivium.tools.link_text import link_text

_BY_YEAR = "This method does not narrow the last answers down by a year: ask by auto or keqing, or name what is meant."
_OTHERS = "This method chooses one answer and looks for no others: ask by auto, keqing or oda."
_EACH = "This method answers yes or no about one thing at a time: name the one that is meant."


@dataclass(frozen=True, slots=True)
class Whole:
    """A question as it is to be answered.

    Attributes:
        question: in words that point to nothing, where it could be made so.
        of_one: the same about the first of `about`.
        channels: what the first stage writes of it.
        events: how it was read.
        about: the entities that are meant, any one of them, ids.
        among: the last answers among which it asks, ids.
        besides: what it asks for others than, ids.
        named: whether the question names something besides what is meant.
        unclear: why nothing can be claimed; "" else.
    """

    question: str
    of_one: str
    channels: dict[str, Any] = field(default_factory=dict)
    events: list[dict[str, Any]] = field(default_factory=list)
    about: Sequence[str] = ()
    among: Sequence[str] = ()
    besides: Sequence[str] = ()
    named: bool = True
    unclear: str = ""

    def allows(self, entity: str) -> bool:
        """Whether it may be an answer, as far as the last answers say."""
        return not self.among or entity in self.among


async def made_whole(
    question: str,
    state: Mapping[str, Any],
    kg: str,
    stage: str,
    *,
    topics: Sequence[str] = (),
    choices: bool = False,
    others: bool = True,
) -> Whole:
    """A run's question, made whole by what its thread or its client says of the last answers.

    Args:
        question: as it was asked.
        state: the run's.
        kg: the KG.
        stage: the name of the stage that begins the run, for its events.
        topics: what the client says the question is about: then it points to that.
        choices: whether it has options; then "these" are the options.
        others: whether the method finds all answers, so that some can be left out.

    Raises:
        UsageError: what the client gives as the last answer is none.
    """
    last = last_answers(state)
    channels: dict[str, Any] = {"previous": None} if state.get("previous") else {}
    if last and (kept := remember(last)) != state.get("remembered"):
        channels["remembered"] = kept
    found = None if choices or not choices_in(question)[1] else Whole(question, question, unclear=NO_OPTIONS)
    if found is None and last and not topics and points_back(question):
        found = await _followed(question, last, kg, choices=choices)
    if found is not None and found.besides and not others:
        found = Whole(question, question, unclear=_OTHERS) if not choices else replace(found, besides=())
    if found is None and not topics and not choices:
        found = await _unclear(question, kg)
    if found is None:
        return Whole(question, question, channels)
    follow_up = FollowUp(
        asked=question,
        of_one=found.of_one,
        about=list(found.about),
        among=list(found.among),
        besides=list(found.besides),
        unclear=found.unclear,
    )
    events = [{"stage": stage, **event} for event in found.events]
    return replace(found, channels={**channels, "follow_up": follow_up}, events=events)


async def _followed(question: str, last: LastAnswers, kg: str, *, choices: bool) -> Whole | None:
    """A question that points back, about the last answers; None where it is about something else."""
    resolved = await resolve(question, last, kg, _decomposed)
    if isinstance(resolved, Resolved):
        if choices:
            return None
        if not resolved.worded:
            return Whole(question, question, unclear=_BY_YEAR)
        return Whole(resolved.worded, resolved.worded, events=_noted(resolved.note), among=resolved.ids)
    wording = await _best(resolved, kg)
    if wording is None:
        return None
    if len(wording.meant) > 1 and question_kind(wording.text) == "fact":
        return Whole(question, question, unclear=_EACH)
    about = [wording.one, *(hit.id for hit in wording.meant if hit.id != wording.one)] if wording.one else []
    return Whole(
        wording.together or wording.text,
        wording.text,
        events=_noted(wording.note),
        about=about,
        besides=wording.besides,
        named=wording.named or not wording.one,
    )


async def _best(wordings: Sequence[StandaloneQuestion], kg: str) -> StandaloneQuestion | None:
    """The wording that reads best; the first where nothing can read it and the question names nothing else."""
    try:
        best = await surest(wordings, kg)
    except NotLearnedError:
        best = None
    if best is not None:
        return best[0]
    return next((wording for wording in wordings if not wording.named), None)


async def _decomposed(kg: str, question: str) -> Decomposition:
    """As `decompose_question`; on a KG that has learned nothing a question about what it names, as a whole."""
    try:
        return await decompose_question(kg, question)
    except NotLearnedError:
        # By exact names alone: what else a question's words resemble is no name in it.
        (named,) = await link_text(kg, [question])
        names = (await find_task_entities(kg, question)).mentions if named else []
        subs = (SubQuestion(0, question, (NO_DEPENDENCY,), tuple(names)),) if names else ()
        return Decomposition(subs, dict.fromkeys(names, ()))


async def _unclear(question: str, kg: str) -> Whole | None:
    """A question that speaks of something which neither it nor the chat names, None for any other."""
    if name := asks_instead(question):
        return Whole(question, question, unclear=f'The question does not say what is asked about "{name}".')
    text = opens(question)
    if not points_outside(text):
        return None
    pointing = points_outside(text, (await _decomposed(kg, text)).links)
    return Whole(question, question, unclear=unnamed(pointing)) if pointing else None


def _noted(note: str) -> list[dict[str, Any]]:
    return [{"event": "follow_up", "message": note}]
