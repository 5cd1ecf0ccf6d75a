"""`find_task_entities`: the entities that a question starts from, namesakes told apart (ODA, section 2.1)."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from trivium.knowledge.knowledge import Knowledge
from trivium.policies.oda.task_entities import TaskEntities, question_kind
from trivium.policies.oda.task_entities import find_task_entities as find
from trivium.tools.call import Arguments, Result, tool

__all__ = ["TaskEntities", "find_task_entities", "question_kind"]


class FindTaskEntitiesArguments(Arguments):
    """The entities that a question starts from, each with all entities of the same name."""

    question: str = Field(min_length=1, description="the question in words")


@tool(FindTaskEntitiesArguments)
async def find_task_entities(kg: Knowledge, question: str, topics: Sequence[str] = ()) -> TaskEntities:
    """The entities that a question names; `topics` are ids of those that it is known to be about."""
    return await find(question, topics, kg.store, kg.relation_names)


@find_task_entities.json
async def _(kg: Knowledge, args: FindTaskEntitiesArguments) -> Result:
    found = await find_task_entities.operation(kg, args.question)
    ids = list(found.entities)
    labels = await kg.store.labels(ids)
    return {
        "entities": [
            {"id": key, "label": label, "namesakes": found.entities[key]}
            for key, label in zip(ids, labels, strict=True)
        ]
    }
