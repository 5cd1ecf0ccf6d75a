"""Stage `decompose`: the question as sub-questions with [mask], dependencies and seed entities (Keqing, 3.1)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from trivium.kg.errors import NotLearnedError
from trivium.kg.plans.plan import Holds, NonEmpty, relations
from trivium.kg.text import fold_case
from trivium.kg.types import chain_text
from trivium.nodes.keqing.conditions import Besides, Condition
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.keqing.decompose.follow_up import (
    LastAnswers,
    Resolved,
    StandaloneQuestion,
    continues,
    ends,
    from_all,
    last_answers,
    opens,
    points_back,
    points_outside,
    remember,
    resolve,
)
from trivium.nodes.keqing.decompose.plan import (
    Planned,
    plan_about_all,
    plan_besides,
    plan_narrowed,
    plan_question,
    planned,
    written_reading,
)
from trivium.nodes.keqing.link_entities import link
from trivium.nodes.keqing.state import AssessedState, KeqingState, SubQuestionState
from trivium.nodes.run.access import NO_MODEL
from trivium.nodes.run.context import MIN_CONFIDENCE
from trivium.nodes.run.conversation import begun, choices_in, question_of, topics_of
from trivium.nodes.run.usage import Usage, fresh_channels
from trivium.tools.assess_reading import Assessment, assess_reading
from trivium.tools.decompose_question import Decomposition, SubQuestion, decompose_question
from trivium.tools.read_question import Reading, without_asides

_SURE = 0.8
"""Chance of being right from which what pairs taught is not compared with the plan reader's reading."""

_SURE_ALONE = 0.65
"""The same where no plan would answer in their place (`Assessment.alone`). Of MetaQA's new wordings and of topics that
lack what they ask, one in 38 so sure was withheld by what the plan reader said, as many right as wrong."""

_SUREST = 2.5
"""Nats beyond which an answer is not surer; as where held-out pairs are judged (`reader.chains.scoring.learn`)."""

_RATHER = 0.5
"""How much a nat counts by which another reading over the whole schema is ahead, where pairs' reading and the schema's
own are compared. What pairs taught is too sure of what an entity has in place of what was asked: weights fitted to
held-out pairs and the same questions of other topics count it two or three times as much."""

_CLOSE = 3.0
"""Nats by which another reading is ahead of the schema's own, from which that one answers nothing in their place."""

_MEANT = 1.0
"""Nats from which the schema's own reading answers where pairs ask in the same words for what the entity lacks."""


@dataclass(frozen=True, slots=True)
class _Decomposed:
    """A decomposition with its conditions, who made it (`llm`, `lora`, or "" for the trained decomposer), its cost."""

    found: Decomposition
    only: Mapping[int, Condition] = field(default_factory=dict)
    by: str = ""
    planned: Planned | None = None
    reading: Planned | None = None
    assessment: Assessment | None = None
    usage: Usage | None = None
    events: list[dict[str, Any]] = field(default_factory=list)


async def decompose(state: KeqingState, runtime: Runtime[KeqingContext]) -> dict[str, Any]:
    """Read the question; no sub-question where no reading fits the graph."""
    question, topics = question_of(state), topics_of(state)
    fresh = begun(state, question)
    last = last_answers(state)
    if choices_in(question)[1]:
        made = _Decomposed(Decomposition(()))  # `respond` says so
    else:
        made = await _decomposed(question, topics, None if topics else last, runtime.context)
    found = made.found
    return {
        **fresh,
        **fresh_channels(state, made.usage, made.events),
        **({"decomposed_by": made.by} if made.by or state.get("decomposed_by") else {}),
        "sub_questions": [_sub_question(sub, made.only.get(sub.id)) for sub in found.sub_questions],
        "assessed": _assessed(made.assessment, runtime.context),
        "links": {mention: [link(hit) for hit in hits] for mention, hits in found.links.items()},
        "confidence": found.confidence,
        "unread": list(found.unread),
        "retrieved": Overwrite({}),  # a thread's next question starts without the last one's results
        **({"previous": None} if state.get("previous") else {}),
        **({"remembered": kept} if last and (kept := remember(last)) != state.get("remembered") else {}),
        # Each for itself: `auto` on the same thread empties `plan`.
        **{channel: None for channel in ("plan", "outcome") if state.get(channel)},
        **(made.planned.state() if made.planned else {}),
        "reading": made.reading.log() if made.reading else None,
    }


def _assessed(found: Assessment | None, context: KeqingContext) -> AssessedState | None:
    """The assessment as the state keeps it. What a human reviews is not withheld."""
    if found is None:
        return None
    withheld = found.confidence < context.least_confidence() and not context.review
    return AssessedState(
        confidence=found.confidence,
        signals=found.signals.to_json(),
        unread=list(found.unread),
        names=list(found.names),
        missing=chain_text(found.missing),
        about=found.about,
        chat=found.chat,
        withheld=withheld,
    )


async def _decomposed(
    question: str, topics: Sequence[str], last: LastAnswers | None, context: KeqingContext
) -> _Decomposed:
    """The trained decomposer's reading where it is sure, or there is no model; else the model's, if it gives one."""
    if context.decompose in ("lora", "lora_chains"):
        return await _tuned(question, topics, last, context)
    if context.model == NO_MODEL or context.decompose == "trained":
        return await _trained(question, topics, last, context.kg)
    trained = None
    if context.decompose == "auto":
        trained = await _trained_if_any(question, topics, last, context.kg)
        if trained and context.plan != "llm" and _is_sure(trained, context):
            return trained
    if context.plan != "trained":
        trained = trained or await _trained_if_any(question, topics, last, context.kg)
        if trained and trained.reading and _chooses_plan(trained.reading, context):
            return await _by_chosen_plan(question, trained, trained.reading, context)
    from trivium.nodes.keqing.decompose.model import decompose_by_model  # a run without a model does not import it

    written = await decompose_by_model(question, topics, context, last if last and last.ids else None)
    if written.found is not None:
        spent = written.outcome
        return _Decomposed(written.found, written.only, "llm", usage=spent.usage, events=spent.events)
    trained = trained or await _trained_if_any(question, topics, last, context.kg)
    trained = trained or _Decomposed(Decomposition(()))
    return replace(trained, usage=written.outcome.usage, events=[*trained.events, *written.outcome.events])


async def _trained(question: str, topics: Sequence[str], last: LastAnswers | None, kg: str) -> _Decomposed:
    """The trained decomposer's reading; of a question that points back, one about the last answers."""
    followed = await _followed(question, last, kg) if last and points_back(question) else None
    if followed is not None:
        return followed
    read = await _read(question, topics, kg)
    # "and who starred in them?" without a name of its own and without an answer before it asks for nothing.
    named = [*read.found.links, *(read.planned.links if read.planned else ())]
    from_nothing = read.planned is not None and not read.planned.links and continues(question)
    outside = not topics and points_outside(opens(question), named)
    return _Decomposed(Decomposition(())) if from_nothing or outside else read


async def _followed(question: str, last: LastAnswers, kg: str) -> _Decomposed | None:
    """A question that points back, about the last answers; None where it is about something else.

    Of several wordings the surest reading answers, and is withheld as any other.
    """
    resolved = await resolve(question, last, kg)
    if isinstance(resolved, Resolved):
        noted = {"stage": "decompose", "event": "follow_up", "message": resolved.note}
        by_plan = resolved.found.computes or not resolved.found.sub_questions
        if by_plan and (computed := await plan_narrowed(resolved, kg)) is not None:
            plan, assessment = computed
            return _Decomposed(Decomposition(()), planned=plan, reading=plan, assessment=assessment, events=[noted])
        return _Decomposed(resolved.found, resolved.only, events=[noted, *_stale(resolved.found)])
    best = await surest(resolved, kg)
    if best is None:
        return None
    wording, read = best
    read = replace(read, events=[{"stage": "decompose", "event": "follow_up", "message": wording.note}, *read.events])
    if len(wording.meant) > 1:
        if read.planned is not None:
            read = replace(read, planned=await plan_about_all(read.planned, wording, kg))
        else:
            read = replace(read, found=from_all(read.found, wording.one, wording.meant))
    return await _besides(read, wording.besides, kg) if wording.besides else read


async def _besides(read: _Decomposed, others_than: Sequence[str], kg: str) -> _Decomposed:
    """A reading without some of what it finds."""
    if read.planned is not None:
        return replace(read, planned=await plan_besides(read.planned, others_than, kg))
    only: dict[int, Condition] = {number: Besides(op="besides", ids=list(others_than)) for number in ends(read.found)}
    return replace(read, only=only)


async def surest(wordings: Sequence[StandaloneQuestion], kg: str) -> tuple[StandaloneQuestion, _Decomposed] | None:
    """The wording of a follow-up that reads best, with its reading; None where none is about what was meant.

    Raises:
        NotLearnedError: as `_read`.
    """
    best: tuple[StandaloneQuestion, _Decomposed] | None = None
    for wording in wordings:
        read = await _about(wording, kg)
        if read is not None and (best is None or _sure(read) > _sure(best[1])):
            best = wording, read
    return best


async def _about(wording: StandaloneQuestion, kg: str) -> _Decomposed | None:
    """The reading of a follow-up's wording; None where it is not about what was meant."""
    if not wording.one:
        return await _read(wording.text, [], kg)
    # Names that the question has besides must be read too; where that gives nothing, they were no names.
    for topics in ([], [wording.one]) if wording.named else ([wording.one],):
        read = await _read(wording.text, topics, kg)
        linked = [hits[0].id for hits in read.found.links.values() if hits]
        linked += [hits[0]["id"] for hits in (read.planned.links if read.planned else {}).values()]
        if wording.one in linked:
            return read
    return None


async def _read(question: str, topics: Sequence[str], kg: str) -> _Decomposed:
    """A plan or a decomposition: where pairs taught the decomposer, its own first, else the reader's plan.

    From the schema alone the reader's plan answers. On a graph without types a chain from a named entity is read by
    chains, and by the plan where they are not sure enough to claim it, or pass over a word that speaks for a relation.

    Raises:
        NotLearnedError: neither has a reading, and no decomposer was trained on the KG.
    """
    untrained: NotLearnedError | None = None
    said, question = question, without_asides(question)
    try:
        found = await decompose_question(kg, question, topics)
    except NotLearnedError as error:
        found, untrained = Decomposition(()), error
    read = await _read_by(found, untrained, question, topics, kg, said)
    claimed = _sure(read) >= MIN_CONFIDENCE
    if not found.taught or found.doubt is None or (claimed and found.shown):
        return read  # what many pairs would not claim, the schema alone does not either: "who directed Paris?"
    # What pairs taught is beside itself with words that they do not show: by how much, held-out pairs said.
    by_schema = await decompose_question(kg, question, topics, "schema")
    other = await _read_by(by_schema, untrained, question, topics, kg, said)
    if not claimed and found.support is not None and found.support.lacking:
        # Pairs ask in these very words for what this entity lacks: "what position does Ajax play?". They may ask for
        # another thing of it ("a player from Peru", by pairs a club's), but for none that the schema matches better.
        surer = not _behind(other) and _log_odds(other) >= _MEANT
    else:
        rather = _RATHER * (_behind(read) - _behind(other))
        surer = _log_odds(other) > _log_odds(read) - found.doubt - rather if claimed else _behind(other) < _CLOSE
    return other if _sure(other) >= MIN_CONFIDENCE and surer else read


def _sure(read: _Decomposed) -> float:
    return read.assessment.confidence if read.assessment else 0.0


def _behind(read: _Decomposed) -> float:
    """Nats by which another reading over the whole schema is ahead."""
    return read.assessment.signals.gap if read.assessment else 0.0


def _log_odds(read: _Decomposed) -> float:
    """Of its being right; beyond `_SUREST` there is no more to say."""
    sure = max(_sure(read), 1e-6)
    return min(math.log(sure / max(1 - sure, 1e-6)), _SUREST)


async def _read_by(
    found: Decomposition, untrained: NotLearnedError | None, question: str, topics: Sequence[str], kg: str, said: str
) -> _Decomposed:
    """The surer one of a decomposition and the reader's plan; raises as `_read`. `said`: the question with asides."""
    taught: _Decomposed | None = None
    if found.taught and found.sub_questions and not found.computes and _reads_all(found) and not _names_in_part(found):
        # No plan would answer in its place; it would only say how sure the chains are.
        assessment = await assess_reading(kg, question, found, (), plan=False)
        sure, best = assessment.confidence, _Decomposed(found, events=_stale(found), assessment=assessment)
        if assessment.alone and (assessment.most < MIN_CONFIDENCE or (sure >= _SURE_ALONE and not assessment.missing)):
            return best
        if sure >= _SURE:
            taught = best
            if not assessment.missing and not _strange(found):
                return taught
    # What pairs taught of the chains guides a plan that computes; another one judges them by what it reads on its own.
    planned = await plan_question(question, topics, kg, found.chains if found.taught and found.computes else None)
    if untrained is not None and (planned is None or planned.reading.unread):
        raise untrained
    if found.computes and (planned is None or planned.is_chain):
        # No plan computes: the chains' answer is one to the question without these words, and has to say so.
        found = replace(found, unread=(*found.unread, *(planned.reading.unused if planned else found.computes)))
    readings = planned.readings if planned else ()
    assessed = [
        (by_chains, await assess_reading(kg, question, found, readings, plan=not by_chains, said=said))
        for by_chains in _sources(found, planned)
    ]
    unread = {word for text in planned.reading.unread for word in fold_case(text).split()} if planned else set[str]()
    reads_more = planned is not None and bool(_strange(found)) and _strange(found).isdisjoint(unread)
    if taught and not reads_more and not any(each.missing for by_chains, each in assessed if not by_chains):
        return taught  # only the schema's chains miss what they would rather ask: "which directors did X work for"
    by_chains, assessment = max(assessed, key=lambda each: each[1].confidence)
    if len(assessed) > 1 and planned and not planned.reading.typed and assessed[0][1].confidence >= MIN_CONFIDENCE:
        foreign = found.support is not None and bool(found.support.foreign)
        reads = planned.reading.unread
        misses = (foreign and not reads) or (_goes_on(planned.reading, found) and set(reads) <= set(found.unread))
        beyond = not reads and _goes_beyond(planned.reading, found)  # no word is left for the rest of the way
        misses = misses or (beyond and assessed[0][1].confidence < _SURE)
        by_chains, assessment = (by_chains, assessment) if misses else assessed[0]
    if assessment.confidence < MIN_CONFIDENCE:  # where nothing is claimed, what the graph lacks is said
        by_chains, assessment = next((each for each in assessed if each[1].missing), (by_chains, assessment))
    if by_chains:
        return _Decomposed(found, events=_stale(found), reading=planned, assessment=assessment)
    return _Decomposed(Decomposition(()), planned=planned, reading=planned, assessment=assessment)


def _sources(found: Decomposition, planned: Planned | None) -> tuple[bool, ...]:
    """Whose answer it may be, the chains' (True) or the plan's (False); of both, the surer one's."""
    if planned is None or not found.sub_questions:
        return (planned is None,)
    if isinstance(planned.reading.plan, Holds | NonEmpty):  # chains cannot say yes or no
        return (False,)
    if found.computes and not planned.is_chain:
        return (False,)
    both, typed = planned.reading.unread and not found.unread, planned.reading.typed
    if found.taught and (both or _reads_all(found)):
        return (True, False) if typed else (True,)
    if both or (planned.is_chain and not typed):
        return (True,) if found.taught else (True, False)
    return (False,)


def _goes_on(reading: Reading, found: Decomposition) -> bool:
    """Whether a plan walks what chains do and goes on by words for the rest: "what kind of animal does X have"."""
    walked = {hop.relation for sub in found.sub_questions for hop in sub.chain or ()}
    further = frozenset(relations(reading.plan)) - walked
    return bool(further) and walked <= frozenset(relations(reading.plan)) and further.isdisjoint(reading.unsaid)


def _goes_beyond(reading: Reading, found: Decomposition) -> bool:
    """Whether chains walk all that a plan does, and on from there: "what dishes did X create", to where they are."""
    walked = [hop.relation for sub in found.sub_questions for hop in sub.chain or ()]
    same = list(relations(reading.plan))
    return len(walked) > len(same) and walked[: len(same)] == same


def _strange(found: Decomposition) -> frozenset[str]:
    """Words that are like none that the chains are said with: "dramas", of somebody's films."""
    return frozenset(found.support.strange) if found.support else frozenset()


def _reads_all(found: Decomposition) -> bool:
    """Whether the reading leaves no name or number of the question unread."""
    return not found.unread and not (found.support and found.support.names)


def _names_in_part(found: Decomposition) -> bool:
    """Whether an entity is named by a part of its name, initials or a typo: the plan reader may know a better one."""
    return bool(found.support and (found.support.loose or found.support.wrong))


def _stale(found: Decomposition) -> list[dict[str, Any]]:
    """An event for each thing used that was learned before the last change of the KG."""
    return [{"stage": "decompose", "event": "stale", "message": message} for message in found.stale]


async def _trained_if_any(
    question: str, topics: Sequence[str], last: LastAnswers | None, kg: str
) -> _Decomposed | None:
    """As `_trained`; None where no decomposer was trained on the KG."""
    try:
        return await _trained(question, topics, last, kg)
    except NotLearnedError:
        return None


async def _tuned(question: str, topics: Sequence[str], last: LastAnswers | None, context: KeqingContext) -> _Decomposed:
    """The LoRA-tuned model's reading; the trained decomposer's, with an event, where it writes none."""
    writes: Literal["lora", "lora_chains"] = "lora_chains" if context.decompose == "lora_chains" else "lora"
    found = await decompose_question(context.kg, question, topics, writes)
    trained = None if found.sub_questions else await _trained_if_any(question, topics, last, context.kg)
    if trained is None:
        return _Decomposed(found, by="lora")
    message = "the fine-tuned model wrote no decomposition that can be read; the trained decomposer's is used"
    return replace(
        trained, events=[{"stage": "decompose", "event": "lora_unreadable", "message": message}, *trained.events]
    )


def _chooses_plan(read: Planned, context: KeqingContext) -> bool:
    """Whether the model chooses a plan in place of writing sub-questions: what chains cannot say, or over types."""
    by_types = context.decompose == "auto" and read.reading.typed
    return context.plan == "llm" or by_types or not read.is_chain


async def _by_chosen_plan(question: str, trained: _Decomposed, read: Planned, context: KeqingContext) -> _Decomposed:
    """The plan that the model picked or wrote; nothing where it says that the graph cannot answer.

    Where the model could not be asked, the trained decomposer's reading stands.
    """
    from trivium.nodes.keqing.decompose.choose_plan import choose_plan  # a run without a model does not import it

    choice = await choose_plan(question, read.readings, context)
    spent, events = choice.reply.usage, [*trained.events, *choice.reply.events]
    if choice.none:
        doubted = replace(trained.assessment, confidence=0.0) if trained.assessment else None
        return _Decomposed(Decomposition(()), reading=read, assessment=doubted, usage=spent, events=events)
    if choice.picked is None and choice.written is None:
        return replace(trained, usage=spent, events=events)
    best = choice.picked or (written_reading(choice.written) if choice.written is not None else read.reading)
    chosen = await planned([best, *(each for each in read.readings if each is not best)], context.kg)
    return _Decomposed(Decomposition(()), by="llm", planned=chosen, reading=chosen, usage=spent, events=events)


def _is_sure(trained: _Decomposed, context: KeqingContext) -> bool:
    """Whether no model needs to decompose: the reading has most of the probability, and leaves no name unread."""
    if trained.planned is not None:
        known = trained.assessment
        return known is not None and known.confidence >= context.sure and not known.unread
    found = trained.found
    return bool(found.sub_questions) and found.confidence >= context.sure and not found.unread


def _sub_question(sub: SubQuestion, only: Condition | None) -> SubQuestionState:
    record = SubQuestionState(
        id=sub.id,
        question=sub.question,
        dep=list(sub.dep),
        seed_entities=list(sub.seed_entities),
        excludes_used=sub.excludes_used,
    )
    if only is not None:
        record["only"] = only
    if sub.asked_type:
        record["asked_type"] = sub.asked_type
    if sub.chain:
        record["chain"] = chain_text(sub.chain)
    return record
