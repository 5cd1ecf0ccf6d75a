"""Decomposition by a chat model (Keqing, section 3.1), the KG's templates and its nearest learnt pairs in view."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from trivium.kg.types import EntityHit
from trivium.knowledge.knowledge import Knowledge
from trivium.nodes.keqing.conditions import Condition
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.keqing.decompose_operators import HOW, AskedComputation, computation_problem, operators
from trivium.nodes.keqing.decompose_prompt import (
    DECOMPOSE,
    LAST_ANSWERS,
    AskedDecomposition,
    before,
    conditions,
    sub_questions,
)
from trivium.nodes.keqing.follow_up import LastAnswers, from_all, hits_of
from trivium.nodes.model import Outcome, ask_typed
from trivium.nodes.model.operator_prompts import operator_prompt
from trivium.nodes.model.prompt_data import as_data
from trivium.policies.keqing.computing.cues import has_cue
from trivium.policies.keqing.decomposer import NO_DEPENDENCY, Decomposition, SubQuestion
from trivium.policies.keqing.exemplars import Exemplar
from trivium.policies.keqing.mentions import split_question
from trivium.policies.keqing.phrasing import has_exclusion_cue

_ANSWERS = 20  # of the last run, named in the prompt
_TEMPLATES = 60  # in view: all of a small KG's, of a larger one's the nearest to the question


@dataclass(frozen=True, slots=True)
class AskedReading:
    """What a model made of a question; no decomposition where its answer cannot be used, as the outcome says."""

    found: Decomposition | None
    outcome: Outcome[AskedDecomposition]
    only: dict[int, Condition] = field(default_factory=dict)


async def decompose_by_llm(
    question: str,
    topics: Sequence[str],
    knowledge: Knowledge,
    context: KeqingContext,
    last: LastAnswers | None = None,
) -> AskedReading:
    """Ask the model once.

    Args:
        question: in words.
        topics: entities that it is known to be about, ids or labels.
        knowledge: the KG.
        context: the run's settings, which name a model.
        last: what the thread's last run answered; the question may be about that.
    """
    hits = await hits_of(last.ids, knowledge.store) if last else []
    filled = await _prompt(question, topics, knowledge, context, _before(last, hits))
    schema = AskedComputation if has_cue(question) else AskedDecomposition
    outcome: Outcome[AskedDecomposition] = await ask_typed(
        context, None, filled, schema, stage="decompose", check=computation_problem
    )
    if outcome.value is None:
        return AskedReading(None, outcome)
    cue = has_exclusion_cue([word.text for word in split_question(question)])
    subs = await _with_habits(sub_questions(outcome.value, excludes_used=cue), knowledge)
    linked = await _linked(subs, topics, knowledge)
    found = Decomposition(subs, linked, operators=operators(outcome.value))
    if hits:
        found = from_all(found, LAST_ANSWERS, hits)
    return AskedReading(found, outcome, conditions(outcome.value, last.ids if last else ()))


def _before(last: LastAnswers | None, hits: Sequence[EntityHit]) -> str:
    """What a model is told of the last run."""
    if last is None:
        return ""
    names = "; ".join(as_data(hit.label) for hit in hits[:_ANSWERS])
    more = f" and {len(hits) - _ANSWERS} more" if len(hits) > _ANSWERS else ""
    return before(as_data(last.question), names + more)


async def _prompt(
    question: str, topics: Sequence[str], knowledge: Knowledge, context: KeqingContext, about: str
) -> str:
    templates = await knowledge.base.templates()
    texts = [template.text for template in templates.templates]
    if len(texts) > _TEMPLATES:
        (nearest,) = await knowledge.near(templates.match, [question], _TEMPLATES)
        texts = [match.template.text for match in nearest]
    exemplars = await knowledge.near((await knowledge.exemplars()).nearest, question, context.exemplars)
    known = f"The user means these entities: {'; '.join(as_data(topic) for topic in topics)}.\n" if topics else ""
    return operator_prompt(DECOMPOSE).fill(
        question=as_data(question, 10_000),
        templates="\n".join(as_data(text) for text in texts),
        exemplars="".join(map(_shown, exemplars)),
        context=about + known + (HOW if has_cue(question) else ""),
    )


def _shown(exemplar: Exemplar) -> str:
    subs = json.dumps(list(exemplar.sub_questions), ensure_ascii=False)
    return f"Input: {as_data(exemplar.question)}\nOutput: {subs}\n\n"


async def _with_habits(subs: Sequence[SubQuestion], knowledge: Knowledge) -> tuple[SubQuestion, ...]:
    """Where a sub-question is a template whose pairs always, or never, leave out what they started from: so here."""
    templates = await knowledge.base.templates()
    habits = [known.exclusion if (known := templates.get(sub.question)) else "cue" for sub in subs]
    return tuple(
        sub if habit == "cue" else replace(sub, excludes_used=habit == "always" and sub.dep != (NO_DEPENDENCY,))
        for sub, habit in zip(subs, habits, strict=True)
    )


async def _linked(
    subs: Sequence[SubQuestion], topics: Sequence[str], knowledge: Knowledge
) -> dict[str, tuple[EntityHit, ...]]:
    """Mentions of the entities that the client named; all others are `link_entities`' to look up."""
    mentions = [name for sub in subs if sub.dep == (NO_DEPENDENCY,) for name in sub.seed_entities]
    if not topics or not mentions:
        return {}
    named = [hits[0] for hits in await knowledge.store.find(list(topics), fuzzy=False) if hits]
    wanted = {hit.id: hit for hit in named}
    if len(wanted) == len(set(mentions)) == 1:
        return {mentions[0]: (named[0],)}
    found = await knowledge.store.find(mentions, fuzzy=False)
    right = {name: [hit for hit in hits if hit.id in wanted] for name, hits in zip(mentions, found, strict=True)}
    return {name: tuple(hits[:1]) for name, hits in right.items() if hits}
