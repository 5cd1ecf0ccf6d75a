"""Whether what a method found by itself is what was asked: the same assessment for ODA and KnowGPT as for Keqing.

The question is read as Keqing reads it; an answer stands where a reading that is sure enough gives it: where a plan
computes all that is claimed, or where paths to it walk each of the chains that a decomposition walks, whole. Keqing
assesses the very reading that it answers by (`trivium.nodes.keqing.decompose`).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

from trivium.kg.errors import NotLearnedError, PlanError, TimeLimitError
from trivium.kg.plans.plan import Aggregate, Entities
from trivium.kg.plans.result import value_json
from trivium.kg.types import Hop, LogicalChain, chain_text
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
from trivium.tools.decompose_question import Decomposition, SubQuestion, decompose_question
from trivium.tools.find_task_entities import question_kind
from trivium.tools.read_question import Reading, read_question
from trivium.tools.run_plan import run_plan

_SECONDS = 2.0
"""After which a reading's plan counts as one that gives something else."""
_ROWS = 10_000
"""Answers of a reading's plan that are compared."""
_AGREED = 1.0
"""Log-odds by which an answer is surer where the method found the reading's answer by its own means."""


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

    What a model answered, a choice, and "yes" or "no" are not assessed; nor is an answer over a KG that is too large to
    be learned unasked. Where the client says what the question is about, what was found stands unless a reading that is
    sure enough gives something else.

    Args:
        question: in words.
        context: the run's settings.
        claim: what the method would say.
        read: whether it mapped the question to the graph at all.
        given: whether the client says what the question is about.
        by_model: whether a model answered, and not what stands in for one that could not be asked.
        topics: ids of the entities that it is about, where the client gave them or a chat said them before.
    """
    if by_model or claim.choice is not None or isinstance(claim.value, bool):
        return Signals(claim.found, read=read)
    try:
        found = await decompose_question(context.kg, question, topics)
    except NotLearnedError:
        return Signals(claim.found, read=read)
    readings = [
        each
        for each in await read_question(context.kg, question, topics, chains=found.chains)
        if not isinstance(each.plan, Entities)
    ]
    sources = [plan for plan in (False, True) if (readings if plan else found.sub_questions or not readings)]
    assessed = [(await assess_reading(context.kg, question, found, readings, plan=plan), plan) for plan in sources]
    assessed.sort(key=lambda each: -each[0].confidence)
    if claim.found:
        least = context.least_confidence()
        own, claim.confidence = claim.confidence, 0.0
        # What comes here is no "yes" or "no": to a question for one it is no answer, nor is a name to "how many".
        counts = question_kind(question) == "count"
        for assessment, plan in assessed if not counts or _is_number(claim) else ():
            if counts and readings and not plan:  # paths do not show whether all was counted, a plan does
                continue
            gives = await _computes(claim, readings[0], context.kg) if plan else _walks(claim, found)
            if gives and not assessment.truth:
                claim.confidence = _agreed(assessment)
                break
        if given and assessed[0][0].confidence < least:
            claim.confidence = max(claim.confidence, own or 0.0)
            return Signals(found=True)
        if claim.confidence >= least:
            return Signals(found=True, readings=() if topics else await _readings(question, found, context.kg))
    return await _missing(question, context, assessed[0][0], found, read=read, doubtful=claim.found)


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
    """A reading's chance to be right, given that the method, which reads no question, found the same.

    Where a part of a name is left unread ("Heat 3"), or the reading answers another question (the director, to "who
    paid the director of X?"), so may the method, and agreeing says nothing.
    """
    chance = found.confidence
    if found.names or found.vetoed:
        return chance
    return 1 / (1 + math.exp(-math.log(chance / (1 - chance)) - _AGREED)) if 0 < chance < 1 else chance


async def _computes(claim: Claim, reading: Reading, kg: str) -> bool:
    """Whether a reading's plan gives all that is claimed."""
    try:
        result = (await run_plan(kg, reading.plan, seconds=_SECONDS, limit=_ROWS)).result
    except (PlanError, TimeLimitError):
        return False
    if isinstance(reading.plan, Aggregate):
        return claim.value is not None and result.value is not None and claim.value == value_json(result.value)
    given = result.answers()
    ids, labels = {each["id"] for each in given}, {each["label"] for each in given}
    return all(item["id"] in ids or item["label"] in labels for item in claim.answers)


def _walks(claim: Claim, found: Decomposition) -> bool:
    """Whether the paths of each answer walk every chain of a decomposition, from a named entity to the answer."""
    asked = set(whole_chains(found.sub_questions))
    walked: dict[str, set[LogicalChain]] = defaultdict(set)
    for path in claim.paths:
        walked[path["answer"]].add(tuple(Hop(step["relation"], step["inverse"]) for step in path["triples"]))
    return bool(asked) and bool(walked) and all(asked <= chains for chains in walked.values())


def whole_chains(subs: Sequence[SubQuestion]) -> list[LogicalChain]:
    """The chains from what a question names to its answer, through all sub-questions; none where one has no chain."""
    behind: dict[int, list[LogicalChain]] = {}
    for sub in subs:
        before = [chain for dep in sub.dep if dep in behind for chain in behind[dep]] or [()]
        behind[sub.id] = [(*chain, *sub.chain) for chain in before] if sub.chain else []
    used = {dep for sub in subs for dep in sub.dep}
    ends = [behind[sub.id] for sub in subs if sub.id not in used]
    return [chain for each in ends for chain in each] if all(behind.values()) else []


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
