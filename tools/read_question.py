"""`read_question`: a question as ranked query plans, with what each word was read as."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Any

from pydantic import Field

from trivium.kg.errors import TimeLimitError
from trivium.kg.plans.check import problems
from trivium.kg.plans.codec import to_json
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.execute import Executor
from trivium.kg.plans.plan import Entities, QueryPlan, nodes
from trivium.kg.plans.text import write
from trivium.knowledge.knowledge import Knowledge
from trivium.policies.linking import NamedEntity
from trivium.policies.reader.english.asides import without_asides
from trivium.policies.reader.guidance import Chains
from trivium.policies.reader.reader import Reader
from trivium.policies.reader.readings import Outcome, Reading
from trivium.policies.reader.scores import ANY_FACT
from trivium.tools.call import Arguments, Result, tool
from trivium.tools.resolve_entities import resolve_entities

__all__ = ["Chains", "Reading", "read_question", "reading_result", "without_asides"]

SECONDS = 2.0
"""After which the reader returns what it has found."""

_ROWS = 2_000_000
_READINGS = 5


class ReadQuestionArguments(Arguments):
    """Read a question into query plans over this KG, best first, with the words that a plan leaves unread."""

    question: str = Field(min_length=1, max_length=10_000, description="the question in words")
    topic_entities: list[str] = Field(default_factory=list, description="entities it is about, ids or labels")


@tool(ReadQuestionArguments)
async def read_question(
    kg: Knowledge,
    question: str,
    topics: Sequence[str] = (),
    *,
    most: int = _READINGS,
    seconds: float = SECONDS,
    chains: Chains | None = None,
) -> list[Reading]:
    """The best distinct readings of a question, best first; none where no word could be read.

    Args:
        kg: the KG; one without arrays at hand (a database without its local copy) gives none.
        question: in words.
        topics: ids or labels of the entities that it is known to be about; a reading names one of them.
        most: readings returned.
        seconds: after which what was found is returned.
        chains: what a trained decomposer knows of the chains that are meant.

    Raises:
        UnknownEntityError: a topic is not an entity of the KG.
    """
    reader, store = await kg.reader(), kg.local_store
    if reader is None or store is None:
        return []
    columns = await store.columns()
    ids = await resolve_entities.operation(kg, topics) if topics else []
    known = [entity for entity in await store.entities(ids) if entity is not None]
    about = [NamedEntity(each.id, each.label, each.types, 1.0, 1, "exact") for each in known]
    found = await asyncio.to_thread(_read, reader, columns, question, about, most, seconds, chains)
    profile = await store.profile()
    found = [each for each in found if not problems(each.plan, profile)]  # one that does not fit cannot be run
    return [each for each in found if _names_one(each.plan, ids)] if ids else found


def is_any_fact(reading: Reading, readings: Sequence[Reading]) -> bool:
    """Whether a reading is only something that is known of the thing that a question names, and no word says it.

    Args:
        reading: one of the readings.
        readings: all of the question, best first.
    """
    return reading.score <= readings[0].score - ANY_FACT


def _names_one(plan: QueryPlan, ids: Sequence[str]) -> bool:
    return any(isinstance(node, Entities) and not set(ids).isdisjoint(node.ids) for node in nodes(plan))


def _read(
    reader: Reader,
    columns: GraphColumns,
    question: str,
    topics: list[NamedEntity],
    most: int,
    seconds: float,
    chains: Chains | None,
) -> list[Reading]:
    executor = Executor(columns, row_limit=_ROWS, deadline=time.monotonic() + seconds)

    def run(plan: QueryPlan) -> Outcome:
        try:
            return Outcome.of(executor.answer(plan))
        except TimeLimitError:
            return Outcome(-1)

    return reader.read(question, topics, seconds=seconds, most=most, executor=run, chains=chains)


@read_question.json
async def _(kg: Knowledge, args: ReadQuestionArguments) -> Result:
    found = await read_question.operation(kg, args.question, args.topic_entities)
    return {"plans": [reading_result(each) for each in found]}


def reading_result(reading: Reading) -> dict[str, Any]:
    """A reading as JSON: the plan, its score, its text, the words left unread, what each word was read as."""
    return {
        "plan": to_json(reading.plan),
        "score": round(reading.score, 4),
        "text": write(reading.plan),
        "unread": [*reading.unread, *reading.unused],
        "words": [{"word": part.word, "element": part.element, "score": part.score} for part in reading.parts],
    }
