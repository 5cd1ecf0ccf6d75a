"""`example_questions`: what a KG can be asked, in words."""

from __future__ import annotations

from pydantic import Field

from trivium.kg.errors import NoCopyError
from trivium.knowledge.knowledge import Knowledge
from trivium.knowledge.written_questions import WrittenQuestion, write_questions
from trivium.tools.call import Arguments, Result, tool

_WRITTEN = 24


class ExampleQuestionsArguments(Arguments):
    """Questions that the KG answers, of different kinds, written from its schema and names; none if it is large."""

    count: int = Field(5, ge=1, le=_WRITTEN, description="how many at most")


@tool(ExampleQuestionsArguments)
async def example_questions(kg: Knowledge, count: int = 5) -> list[WrittenQuestion]:
    """The first of the questions that were written of the KG as it is."""

    async def written() -> list[WrittenQuestion]:
        try:
            return await write_questions(kg.store, _WRITTEN, unanswerable=0)
        except NoCopyError:
            return []

    info = await kg.store.info()
    return (await kg.derived("example questions", info.hash, written))[:count]


@example_questions.json
async def _(kg: Knowledge, args: ExampleQuestionsArguments) -> Result:
    found = await example_questions.operation(kg, args.count)
    return {"questions": [{"question": each.question, "kind": each.kind} for each in found]}
