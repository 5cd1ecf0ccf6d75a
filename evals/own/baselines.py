"""What a chat model says without a method of ours: alone, thinking step by step, or shown triples near the question.

Their answers have the contract's shape, so that one scorer judges all; names that the KG has get their ids.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import Any

from pydantic import BaseModel, Field

from trivium.graphs.methods import JOBS, answer_in_order
from trivium.kg.errors import ModelError
from trivium.kg.loaders import Question
from trivium.nodes.model import ask_typed
from trivium.nodes.model.prompt_data import as_data
from trivium.nodes.run.abstain import Decision
from trivium.nodes.run.answer_record import Answer, AnswerEntity
from trivium.nodes.run.context import Context
from trivium.nodes.run.write_answer import Claim, record
from trivium.tools.find_entities import find_entities
from trivium.tools.get_labels import get_labels
from trivium.tools.link_text import link_text
from trivium.tools.search_triples import search_triples

_TRIPLES = 50  # shown of those nearest to the question, as Keqing's dense supplement considers


class Said(BaseModel):
    """Answers as names."""

    answers: list[str] = Field(default_factory=list)


class ThoughtSaid(BaseModel):
    """The same after a chain of thought, which comes first."""

    thoughts: str = ""
    answers: list[str] = Field(default_factory=list)


_ASK = "Answer the question with the names, numbers or dates that it asks for, yes or no, or a choice's letter."
_BASELINES: dict[str, tuple[str, type[Said | ThoughtSaid]]] = {
    "direct": (f"{_ASK}\n<question>{{question}}</question>{{choices}}", Said),
    "cot": (f"{_ASK} First think step by step.\n<question>{{question}}</question>{{choices}}", ThoughtSaid),
    "triples": (
        f"{_ASK} Use the triples of a knowledge graph.\n<triples>\n{{triples}}\n</triples>\n"
        "<question>{question}</question>{choices}",
        Said,
    ),
}
BASELINES = tuple(_BASELINES)
"""`direct`: the model alone; `cot`: chain of thought; `triples`: shown the triples nearest to the question."""


async def answer_baseline(
    name: str,
    questions: Sequence[Question],
    context: Context,
    jobs: int | None = None,
    done: Callable[[Answer], None] | None = None,
) -> AsyncGenerator[Answer]:
    """The answers of a baseline to many questions, in order; the arguments are those of `answer_many`."""
    asked = answer_in_order(questions, jobs or JOBS, lambda question: _answer(name, question, context), done)
    async with aclosing(asked) as answered:
        async for found in answered:
            yield found


async def _answer(name: str, question: Question, context: Context) -> Answer:
    started = time.time()
    template, schema = _BASELINES[name]
    options = "".join(f"\n{choice.id}: {as_data(choice.text)}" for choice in question.choices)
    shown = await _triples(question, context.kg) if "{triples}" in template else ""
    text = template.format(question=as_data(question.question, 10_000), choices=options, triples=shown)
    state: dict[str, Any] = {"question": question.question, "started": started}
    try:
        reply = await ask_typed(context, None, text, schema, stage=name)
    except ModelError as error:
        found = record(name, state, context, Claim(), Decision("budget", str(error)))
    else:
        names = list(dict.fromkeys(filter(None, map(str.strip, reply.value.answers)))) if reply.value else []
        claim = await _claim(names, question, context.kg)
        decision = Decision("answered" if claim.found else "not_found", "the model named nothing")
        found = record(name, {**state, "usage": reply.usage, "events": reply.events}, context, claim, decision)
    found["id"] = question.id
    return found


async def _triples(question: Question, kg: str) -> str:
    ids = list(question.topic_entities) or (await link_text(kg, [question.question]))[0]
    near = await search_triples(kg, question.question, ids, _TRIPLES) if ids else []
    ends = list(dict.fromkeys(end for each in near for end in (each.triple.head, each.triple.tail)))
    labels = dict(zip(ends, map(as_data, await get_labels(kg, ends)), strict=True))
    return "\n".join(
        f"({labels[each.triple.head]}, {each.triple.relation}, {labels[each.triple.tail]})" for each in near
    )


async def _claim(names: Sequence[str], question: Question, kg: str) -> Claim:
    if question.choices:
        ids = {choice.id.casefold(): choice.id for choice in question.choices}
        ids |= {choice.text.casefold(): choice.id for choice in question.choices}
        chosen = next((ids[name.casefold()] for name in names if name.casefold() in ids), None)
        return Claim(", ".join(names), choice=chosen)
    found = await find_entities(kg, names, 1, fuzzy=False) if names else []
    answers = [
        AnswerEntity(id=hits[0].id if hits else name, label=hits[0].label if hits else name, score=1.0)
        for name, hits in zip(names, found, strict=True)
    ]
    return Claim(", ".join(names), answers)
