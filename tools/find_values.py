"""`find_values`: what of a graph other than its entities is called by a text: values of properties, schema names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import Field

from trivium.kg.text import fold_case, tokens
from trivium.knowledge.knowledge import Knowledge
from trivium.policies.reader.matching import Element, in_words
from trivium.policies.reader.reader import Reader
from trivium.tools.call import Arguments, Result, tool


class FindValuesArguments(Arguments):
    """Find which properties hold a text as their value, and which properties, relations and types are called so."""

    text: str = Field(min_length=1, description="a word or phrase of a question")


@dataclass(frozen=True, slots=True)
class FoundValue:
    """What a text is in a graph.

    Attributes:
        element: the property, relation or type, as in the readings of questions: `Vehicle.make`.
        value: the property's value as stored; None where the element itself is called so.
    """

    element: str
    value: str | None


@tool(FindValuesArguments)
async def find_values(kg: Knowledge, texts: Sequence[str]) -> list[list[FoundValue]]:
    """For each text the values that it is, and the elements of the schema that all of its words name, in part or whole.

    Nothing on a graph whose questions no plan reader reads (a database without its local copy).
    """
    reader = await kg.reader()
    return [_found(reader, text) if reader else [] for text in texts]


def _found(reader: Reader, text: str) -> list[FoundValue]:
    values = [FoundValue(_property(reader, number), value) for number, value in reader.values.exact(text)]
    words = [word.text for word in tokens(fold_case(text)) if word.text not in reader.language.stop]
    common = [
        {in_words(each.element, reader.schema) for each in reader.matcher.word(word) if each.exact} for word in words
    ]
    called = set.intersection(*common) if common else set()
    return [*values, *(FoundValue(name, None) for name in sorted(called))]


def _property(reader: Reader, number: int) -> str:
    own = len(reader.schema.properties)
    if number < own:
        return in_words(Element("property", number), reader.schema)
    (relation, *_), name = reader.edges[number - own]
    return in_words(Element("edge", relation, name), reader.schema)


@find_values.json
async def _(kg: Knowledge, args: FindValuesArguments) -> Result:
    (found,) = await find_values.operation(kg, [args.text])
    return {"values": [{"element": each.element, "value": each.value} for each in found]}
