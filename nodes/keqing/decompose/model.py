"""Decomposition by a chat model (Keqing, section 3.1), the KG's templates and its nearest learnt pairs in view."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from trivium.kg.types import EntityHit
from trivium.nodes.keqing.conditions import Condition
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.keqing.decompose.follow_up import LastAnswers, from_all, hits_of
from trivium.nodes.keqing.decompose.prompt import (
    DECOMPOSE,
    LAST_ANSWERS,
    OPERATORS,
    AskedComputation,
    AskedDecomposition,
    before,
    computation_problem,
    conditions,
    operators,
    sub_questions,
)
from trivium.nodes.model import ModelReply, ask_typed
from trivium.nodes.model.operator_prompts import operator_prompt
from trivium.nodes.model.prompt_data import as_data
from trivium.tools.decompose_question import NO_DEPENDENCY, Decomposition, SubQuestion
from trivium.tools.decomposition_hints import Exemplar, decomposition_hints
from trivium.tools.find_entities import find_entities
from trivium.tools.match_templates import match_templates

_ANSWERS = 20  # of the last run, named in the prompt
_TEMPLATES = 60  # in view: all of a small KG's, of a larger one's the nearest to the question


@dataclass(frozen=True, slots=True)
class ModelDecomposition:
    """A model's decomposition; None where its answer cannot be used, as the outcome says."""

    found: Decomposition | None
    outcome: ModelReply[AskedDecomposition]
    only: dict[int, Condition] = field(default_factory=dict)


async def decompose_by_model(
    question: str, topics: Sequence[str], context: KeqingContext, last: LastAnswers | None = None
) -> ModelDecomposition:
    """Ask the model once.

    Args:
        question: in words.
        topics: entities that it is known to be about, ids or labels.
        context: the run's settings, which name a model.
        last: what the thread's last run answered; the question may be about that.
    """
    kg = context.kg
    hits = await hits_of(last.ids, kg) if last else []
    hints = await decomposition_hints(kg, question, _TEMPLATES, context.exemplars)
    prompt = operator_prompt(DECOMPOSE).fill(
        question=as_data(question, 10_000),
        templates="\n".join(as_data(text) for text in hints.templates),
        exemplars="".join(map(_shown, hints.exemplars)),
        context=_before(last, hits) + _known(topics) + (OPERATORS if hints.computes else ""),
    )
    schema = AskedComputation if hints.computes else AskedDecomposition
    outcome: ModelReply[AskedDecomposition] = await ask_typed(
        context, None, prompt, schema, stage="decompose", check=computation_problem
    )
    if outcome.value is None:
        return ModelDecomposition(None, outcome)
    subs = await _with_habits(sub_questions(outcome.value, excludes_used=hints.excludes), kg)
    found = Decomposition(subs, await _linked(subs, topics, kg), operators=operators(outcome.value))
    if hits:
        found = from_all(found, LAST_ANSWERS, hits)
    return ModelDecomposition(found, outcome, conditions(outcome.value, last.ids if last else ()))


def _before(last: LastAnswers | None, hits: Sequence[EntityHit]) -> str:
    """The part of the prompt about the last run."""
    if last is None:
        return ""
    names = "; ".join(as_data(hit.label) for hit in hits[:_ANSWERS])
    more = f" and {len(hits) - _ANSWERS} more" if len(hits) > _ANSWERS else ""
    return before(as_data(last.question), names + more)


def _known(topics: Sequence[str]) -> str:
    """The part of the prompt about the entities that the client named."""
    return f"The user means these entities: {'; '.join(as_data(topic) for topic in topics)}.\n" if topics else ""


def _shown(exemplar: Exemplar) -> str:
    subs = json.dumps(list(exemplar.sub_questions), ensure_ascii=False)
    return f"Input: {as_data(exemplar.question)}\nOutput: {subs}\n\n"


async def _with_habits(subs: Sequence[SubQuestion], kg: str) -> tuple[SubQuestion, ...]:
    """Sub-questions in a template's very words exclude what they start from as the pairs of that template do."""
    found = await match_templates(kg, [sub.question for sub in subs], 1)
    own = [
        matches[0].template if matches and matches[0].template.text == sub.question else None
        for sub, matches in zip(subs, found, strict=True)
    ]
    habits = [template.exclusion if template else "cue" for template in own]
    return tuple(
        sub if habit == "cue" else replace(sub, excludes_used=habit == "always" and sub.dep != (NO_DEPENDENCY,))
        for sub, habit in zip(subs, habits, strict=True)
    )


async def _linked(subs: Sequence[SubQuestion], topics: Sequence[str], kg: str) -> dict[str, tuple[EntityHit, ...]]:
    """Mentions of the entities that the client named; all others are left to `link_entities`."""
    mentions = [name for sub in subs if sub.dep == (NO_DEPENDENCY,) for name in sub.seed_entities]
    if not topics or not mentions:
        return {}
    named = [hits[0] for hits in await find_entities(kg, list(topics), fuzzy=False) if hits]
    wanted = {hit.id: hit for hit in named}
    if len(wanted) == len(set(mentions)) == 1:
        return {mentions[0]: (named[0],)}
    found = await find_entities(kg, mentions, fuzzy=False)
    right = {name: [hit for hit in hits if hit.id in wanted] for name, hits in zip(mentions, found, strict=True)}
    return {name: tuple(hits[:1]) for name, hits in right.items() if hits}
