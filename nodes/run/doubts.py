"""Whether what a method found by itself is what was asked: the same assessment for ODA and KnowGPT as for Keqing.

The question is read as Keqing reads it; an answer stands where a reading that is sure enough walks the relations that
one of the answer's paths walks, in as many steps. Keqing assesses the very reading that it answers by
(`trivium.nodes.keqing.decompose`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from trivium.kg.errors import NotLearntError
from trivium.kg.plans.plan import ChainStep, Entities, Term, nodes
from trivium.kg.types import chain_text
from trivium.kg.values import read_value
from trivium.nodes.run.abstain import Signals, Suggestion
from trivium.nodes.run.context import Context
from trivium.nodes.run.missing import (
    Link,
    absent_names,
    askable,
    known_beside,
    missing_hop,
    namesakes,
    near_names,
    phrases,
    unknown_names,
    widened,
)
from trivium.nodes.run.write_answer import Claim
from trivium.tools.assess_reading import Assessment, assess_reading
from trivium.tools.decompose_question import Decomposition, decompose_question
from trivium.tools.find_task_entities import question_kind
from trivium.tools.read_question import Reading, read_question

_AGREED = 1.0
"""Log-odds by which an answer is surer where the method found the reading's relation by its own means."""


async def doubts(
    question: str,
    context: Context,
    claim: Claim,
    *,
    read: bool,
    given: bool,
    by_model: bool,
    topics: Sequence[str] = (),
) -> Signals:
    """The signals of a run over an open question; `claim.confidence` becomes the assessment's.

    What a model answered, a choice, "yes" or "no", and a question whose topics the client gave are not assessed; nor is
    an answer over a KG that has learned nothing.

    Args:
        question: in words.
        context: the run's settings.
        claim: what the method would say.
        read: whether it mapped the question to the graph at all.
        given: whether the client says what the question is about.
        by_model: whether a model answered, and not what stands in for one that could not be asked.
        topics: which entity a name in the question stands for, ids, where a chat said it before.
    """
    if by_model or given or claim.choice is not None or isinstance(claim.value, bool):
        return Signals(claim.found, read=read)
    try:
        found = await decompose_question(context.kg, question, topics)
    except NotLearntError:
        return Signals(claim.found, read=read)
    readings = [
        each for each in await read_question(context.kg, question, topics) if not isinstance(each.plan, Entities)
    ]
    walked = [[step["relation"] for step in path["triples"]] for path in claim.paths]
    sources = [plan for plan in (False, True) if (readings if plan else found.sub_questions or not readings)]
    assessed = [
        (await assess_reading(context.kg, question, found, readings, plan=plan), _relations(found, readings, plan=plan))
        for plan in sources
    ]
    # What comes here is no "yes" or "no": to a question for one it is no answer, nor is a name to "how many".
    counted = question_kind(question) == "count" and not _is_number(claim)
    fits = [
        _agreed(each)
        for each, own in assessed
        if any(set(path) <= set(own) and len(path) <= len(own) for path in walked) and not each.truth and not counted
    ]
    if claim.found:
        claim.confidence = max(fits, default=0.0)
        if claim.confidence >= context.least_confidence():
            return Signals(found=True, readings=() if topics else await _readings(question, found, context.kg))
    best = max((each for each, _ in assessed), key=lambda each: each.confidence)
    return await _missing(question, context, best, found, read=read, doubtful=claim.found)


def _is_number(claim: Claim) -> bool:
    return claim.value is not None or any(read_value(item["label"]).kind == "number" for item in claim.answers[:1])


async def _readings(question: str, found: Decomposition, kg: str) -> list[Suggestion]:
    """The entities of one name that the question may mean alike."""
    subs = [
        {"id": sub.id, "dep": list(sub.dep), **({"chain": chain_text(sub.chain)} if sub.chain else {})}
        for sub in found.sub_questions
    ]
    links = {
        mention: [Link(id=hit.id, label=hit.label, score=hit.score, degree=hit.degree, match=hit.match) for hit in hits]
        for mention, hits in found.links.items()
    }
    return await namesakes(question, subs, links, kg)


def _agreed(found: Assessment) -> float:
    """A reading's chance to be right, given that the method, which reads no question, walked the same relation.

    Where a part of a name is left unread ("Heat 3"), both may be about another thing, and agreeing says nothing.
    """
    chance = found.confidence
    if found.names:
        return chance
    return 1 / (1 + math.exp(-math.log(chance / (1 - chance)) - _AGREED)) if 0 < chance < 1 else chance


def _relations(found: Decomposition, readings: Sequence[Reading], *, plan: bool) -> list[str]:
    """The relations that a reading walks, and the properties that it reads, each as often as it does."""
    if not plan:
        return [hop.relation for sub in found.sub_questions for hop in sub.chain or ()]
    best = readings[0].plan
    read = [node.property for node in nodes(best) if isinstance(node, Term) and node.property]
    return [*(node.relation for node in nodes(best) if isinstance(node, ChainStep)), *read]


async def _missing(
    question: str, context: Context, best: Assessment, found: Decomposition, *, read: bool, doubtful: bool
) -> Signals:
    """What the question asks for and the graph has not, and what it knows instead."""
    links = {mention: [hit.match for hit in hits] for mention, hits in found.links.items()}
    nothing = not links and not best.about
    named = unknown_names(question, links, best.names, nothing=nothing, unread=bool(best.unread))
    unknown = await widened(await absent_names(named, context.kg), question, context.kg)
    chat = best.chat and not unknown
    suggestions = await (askable(context.kg) if chat else near_names(unknown, context.kg))
    label, knows = await known_beside(context.kg, best.about, question, unknown, best.unread, suggestions)
    missing, of = "", ""
    if not unknown and best.missing:
        missing, of = await missing_hop(best.missing, best.about, context.kg, label)
    return Signals(
        found=False,
        read=read,
        doubtful=doubtful,
        unknown=unknown,
        unread=phrases(question, best.unread),
        missing=missing,
        of=of,
        about=label,
        knows=knows,
        suggestions=suggestions,
        chat=chat,
    )
