"""`assess_reading`: how far a reading of a question can be trusted, and what speaks against it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import Field

from trivium.kg.errors import NotLearnedError
from trivium.kg.plans.plan import ChainStep, Entities, Follow, Term, ValueOf, relations
from trivium.kg.text import fold_case, tokens
from trivium.kg.types import Hop, LogicalChain, chain_text
from trivium.knowledge.knowledge import Knowledge
from trivium.policies.confidence.asks import (
    asks_how_of_date,
    asks_truth,
    counts_in_place,
    end_of,
    gives_no_reason,
    is_misfit,
    is_small_talk,
    may_ask_truth,
)
from trivium.policies.confidence.model import DEFAULT, VETOES
from trivium.policies.confidence.signals import AnswerSignals, signals_of
from trivium.policies.confidence.unread import last_step, left_noun, left_nouns, left_topics, names_of_plan
from trivium.policies.reader.chains.decomposer import Decomposition
from trivium.policies.reader.english import classes
from trivium.policies.reader.english.asides import speaks_of_ties
from trivium.policies.reader.readings import Reading
from trivium.tools.call import Arguments, Result, tool
from trivium.tools.decompose_question import decompose_question
from trivium.tools.read_question import read_question

_MISSING = 1.0
"""Nats of lead from which a chain that the question's entity lacks is what was asked for."""
_SPOKEN = 1.0
"""Log-score of a chain from which the question's words speak for it."""


class AssessReadingArguments(Arguments):
    """How sure the reading of a question is, the words that it leaves unread, and the relation that is missing."""

    question: str = Field(min_length=1, max_length=10_000, description="the question in words")
    topic_entities: list[str] = Field(default_factory=list, description="ids of entities that it is about")


@dataclass(frozen=True, slots=True)
class Assessment:
    """How certain a reading is, before its answer is claimed.

    Attributes:
        confidence: the chance in [0, 1] that its answer is right.
        signals: what it is computed from.
        unread: words of the question that the reading accounts for by nothing, or that speak for other relations.
        names: those of them that are written like part of a name.
        missing: the chain that was asked for where the question's entity lacks it; empty for none.
        chat: whether it names nothing and is no question for a knowledge graph.
        about: id of the entity that the question is about, "" for none.
        truth: whether it asks for yes or no.
        alone: of chains, whether no plan would answer in their place: many pairs show chains of their length, the graph
            has no types, and the question may not ask for yes or no.
        most: of chains, what the confidence is at most once the plan reader has read the question, too.
    """

    confidence: float
    signals: AnswerSignals
    unread: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    missing: LogicalChain = ()
    about: str = ""
    chat: bool = False
    truth: bool = False
    alone: bool = False
    most: float = 1.0

    @property
    def vetoed(self) -> bool:
        """Whether it is ruled out regardless of other signals, since it answers another question."""
        return any(getattr(self.signals, name) for name in VETOES)


@tool(AssessReadingArguments)
async def assess_reading(
    kg: Knowledge,
    question: str,
    found: Decomposition,
    readings: Sequence[Reading],
    *,
    plan: bool,
    said: str = "",
) -> Assessment:
    """The assessment of an answer that comes from a decomposition, or with `plan` from the first of the readings.

    Args:
        kg: the KG.
        question: in words.
        found: the decomposition.
        readings: the plan reader's, best first.
        plan: whose answer it is.
        said: the question with its asides, where `question` is without them.
    """
    best = readings[0] if readings else None
    kinds = {relation.name: relation.kind for relation in await kg.store.schema()}
    end = end_of(found, best.plan if plan and best else None)
    figure = kinds.get(end) not in (None, "text", "point", "boolean")
    misfit = is_misfit(question, end, kinds) or await _is_other_kind(kg, question, found, best if plan else None)
    step = last_step(found, best.plan if plan and best else None)
    reasonless = gives_no_reason(question, end or (step.relation if step else ""), kinds)
    misfit = misfit or reasonless
    truth = kinds.get(end) == "boolean"
    signals = signals_of(found, readings, plan=plan, question=question, misfit=misfit, figure=figure, truth=truth)
    if reasonless or counts_in_place(question, end, kinds) or asks_how_of_date(question, end, kinds):
        signals = replace(signals, opposed=max(signals.opposed, 1.0))
    if speaks_of_ties(said or question):
        signals = replace(signals, tied=0.0)
    if plan and best is not None:
        signals = replace(signals, alien=await _strangeness(kg, question, best))
    sure, truth = DEFAULT.confidence(signals), asks_truth(question)
    known = found.support
    if plan and best is not None:
        names = tuple(fold_case(word) for word in best.unread if word[:1].isupper() or any(map(str.isdigit, word)))
        about, missing = _lacking(readings) if not signals.vague else ("", ())
        about = about or (known.about if known and not known.wrong else "")
        chat = not names and not about and is_small_talk(question, read=not signals.thin)
        unused = [each for each in best.unused if not best.unread or not _only_asks(each)]
        return Assessment(sure, signals, (*best.unread, *unused), names, missing, about, chat, truth)
    if known is None:
        return Assessment(sure, signals, chat=not found.links and is_small_talk(question), truth=truth)
    lacks = known.score >= _SPOKEN and (known.gap >= _MISSING or not found.sub_questions)
    missing = known.asked if lacks and not known.strange else ()
    if signals.half:  # what is asked of the names that are left is what is missing
        return Assessment(sure, signals, found.computes, (), missing, known.about, truth=truth)
    unread = tuple(dict.fromkeys([*known.strange, *(() if missing else known.foreign)]))
    unread = tuple(word for word in unread if word not in classes().asking)  # "nothing on where" says nothing
    chat = not found.sub_questions and not known.about and is_small_talk(question)
    alone = found.taught and found.doubt is None and not found.typed and not may_ask_truth(question)
    most = DEFAULT.most(signals)
    return Assessment(sure, signals, unread, known.names, missing, known.about, chat, truth, alone, most)


async def _is_other_kind(kg: Knowledge, question: str, found: Decomposition, plan: Reading | None) -> bool:
    """Whether another kind of thing is asked for than is given, by a noun that nothing accounts for: a hospital."""
    noun, step = left_noun(question, found, plan), last_step(found, plan.plan if plan else None)
    reader = await kg.reader() if noun and step else None
    if reader is None or step is None:
        return False
    read = {word for text in tokens(question) if (word := text.text) != noun}
    return reader.asked_kinds.is_other(noun, step.relation, inverse=step.inverse, read=read)


async def _strangeness(kg: Knowledge, question: str, plan: Reading) -> float:
    """How unlike the nouns that a plan leaves unread are to all that it is about; 0 on a graph without types.

    One more for each word behind a preposition that is none of everyday: "of phenacetin" is surely a name.
    """
    reader = await kg.reader() if plan.typed and plan.unread else None
    if reader is None:
        return 0.0
    nouns, names, walked = left_nouns(question, plan), names_of_plan(plan), relations(plan.plan)
    strange = [word for word in left_topics(question, plan) if word not in nouns and reader.asked_kinds.is_rare(word)]
    return sum(reader.asked_kinds.strangeness(noun, names, walked) for noun in nouns) + len(strange)


def _only_asks(operator: str) -> bool:
    """Whether an operator begins as a question does, so that what is asked for is what is missing: "how many"."""
    return fold_case(operator).split()[0] in classes().asking


def _lacking(readings: Sequence[Reading]) -> tuple[str, LogicalChain]:
    """The id of a named entity and the one step that is asked of it and leads nowhere; ("", ()) where that is not so.

    It is asked where the best reading by words alone reads all of the question, and some word says the step.
    """
    best = max(readings, key=lambda each: each.lexical)
    if not best.empty or best.unread or best.unused or best.unsaid or best.guessed:
        return "", ()
    match best.plan:
        case Follow(source=Entities(ids=(entity,)), steps=(step,)) if step == ChainStep(step.relation, step.direction):
            return entity, (Hop(step.relation, step.direction == "in"),)
        case ValueOf(source=Entities(ids=(entity,)), columns=(column,)) if column == Term(property=column.property):
            return entity, (Hop(column.property, False),)
    return "", ()


@assess_reading.json
async def _(kg: Knowledge, args: AssessReadingArguments) -> Result:
    try:
        found = await decompose_question.operation(kg, args.question, args.topic_entities)
    except NotLearnedError:
        found = Decomposition(())
    readings = await read_question.operation(kg, args.question, args.topic_entities)
    assessed = await assess_reading.operation(kg, args.question, found, readings, plan=not found.sub_questions)
    return {"readings": [assessment_result(assessed)]}


def assessment_result(found: Assessment) -> dict[str, Any]:
    """An assessment as JSON."""
    return {
        "confidence": round(found.confidence, 4),
        "signals": found.signals.to_json(),
        "unread": list(found.unread),
        "names": list(found.names),
        "missing": chain_text(found.missing) if found.missing else [],
        "about": found.about,
        "chat": found.chat,
    }
