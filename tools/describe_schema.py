"""`describe_schema`: the part of a graph's schema that a question is about, in readable lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from pydantic import Field

from trivium.kg.indexes.words import relation_words
from trivium.kg.profile import PropertyProfile, RelationshipProfile, TypeProfile
from trivium.knowledge.knowledge import Knowledge
from trivium.tools.call import Arguments, Result, tool
from trivium.tools.contract import Count
from trivium.tools.rank_texts import nearness

_MEANT = 1.0
"""Added for a type that is known to be meant, so that it comes first."""
_JOINED = 0.3
"""Added for a type that a relationship shown joins."""
_EXAMPLES = 2  # values shown of a property of texts
_LONGEST = 30  # characters of such a value
_PROPERTIES = 12  # of a type


class DescribeSchemaArguments(Arguments):
    """The types, properties and relations of the KG that a question is about, nearest first, for writing a plan."""

    question: str = Field(min_length=1, max_length=10_000, description="the question in words")
    types: list[str] = Field(default_factory=list, description="types known to be meant")
    limit: Count = Field(20, description="maximum number of lines")


class SchemaSlice(NamedTuple):
    """A part of a schema.

    Attributes:
        types: `Type: property (kind), …`, a line for each.
        relationships: `Head relation → Tail`, with properties of their own in parentheses.
        left_out: types and relationships that are not among them.
    """

    types: list[str]
    relationships: list[str]
    left_out: int


@tool(DescribeSchemaArguments)
async def describe_schema(kg: Knowledge, question: str, types: Sequence[str] = (), limit: int = 20) -> SchemaSlice:
    """The types and relationships nearest to the question, at most `limit` lines in all.

    Args:
        kg: the KG.
        question: in words.
        types: types that are known to be meant; their relationships come first.
        limit: lines; a relationship brings no line for its types.
    """
    profile, meant = await kg.store.profile(), frozenset(types)
    kinds = [each for each in profile.types if each.properties or each.name]
    links = list(profile.relationships)
    own = [" ".join(map(relation_words, [each.name, *(prop.name for prop in each.properties)])) for each in kinds]
    ends = [" ".join(map(relation_words, (each.head_type, each.relation, each.tail_type))) for each in links]
    scores = await nearness(kg, question, [*own, *ends])
    near = scores[len(kinds) :] + [_MEANT * len({each.head_type, each.tail_type} & meant) / 2 for each in links]
    relationships = [links[at] for at in np.argsort(-near, kind="stable")[: limit * 2 // 3]]
    joined = {name for each in relationships for name in (each.head_type, each.tail_type)}
    near = scores[: len(kinds)] + [_MEANT * (each.name in meant) + _JOINED * (each.name in joined) for each in kinds]
    shown = [kinds[at] for at in np.argsort(-near, kind="stable")[: limit - len(relationships)]]
    left_out = len(kinds) + len(links) - len(shown) - len(relationships)
    return SchemaSlice(list(map(_type_line, shown)), list(map(_relationship_line, relationships)), left_out)


def _type_line(each: TypeProfile) -> str:
    own = [prop for prop in each.properties if not prop.foreign_key]
    said = ", ".join(map(_property, own[:_PROPERTIES]))
    more = f", and {len(own) - _PROPERTIES} more" if len(own) > _PROPERTIES else ""
    return f"{each.name or '(any entity)'}{f': {said}' if said else ''}{more}"


def _property(each: PropertyProfile) -> str:
    if each.kind == "text":
        texts = [f'"{text}"' for text in each.examples if len(text) <= _LONGEST][:_EXAMPLES]
        return f"{each.name} ({', '.join(['text', *texts])})"
    spread = f" {_short(each.minimum)}..{_short(each.maximum)}" if each.minimum != each.maximum else ""
    return f"{each.name} ({each.kind}{f' in {each.unit}' if each.unit else ''}{spread})"


def _short(bound: str) -> str:
    """A bound with as many digits as tell its size."""
    try:
        return f"{float(bound):.6g}"
    except ValueError:
        return bound


def _relationship_line(each: RelationshipProfile) -> str:
    own = ", ".join(f"@{prop.name} ({prop.kind})" for prop in each.properties)
    return f"{each.head_type or '*'} {each.relation} → {each.tail_type or '*'}{f' ({own})' if own else ''}"


@describe_schema.json
async def _(kg: Knowledge, args: DescribeSchemaArguments) -> Result:
    found = await describe_schema.operation(kg, args.question, args.types, args.limit)
    return {
        "types": [{"text": line} for line in found.types],
        "relationships": [{"text": line} for line in found.relationships],
        "left_out": found.left_out,
    }
