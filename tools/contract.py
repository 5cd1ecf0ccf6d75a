"""Parts of the contract's JSON that several tools return, the check of relation names, number types of arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from trivium.kg.errors import UnknownRelationError
from trivium.kg.types import ReasoningPath
from trivium.knowledge.knowledge import Knowledge
from trivium.tools.call import Result

Count = Annotated[int, Field(ge=1, le=100_000)]
Hops = Annotated[int, Field(ge=1, le=6)]
Width = Annotated[int, Field(ge=1, le=1_000)]


def triple_result(triple: Sequence[str | bool], score: float) -> Result:
    """A triple with its score; of a walked triple its direction is left out."""
    head, relation, tail = triple[:3]
    return {"head": head, "relation": relation, "tail": tail, "score": score}


def path_result(path: ReasoningPath, answer: str) -> Result:
    """A path: each triple as stored, `inverse` = walked from tail to head."""
    return {"triples": [step._asdict() for step in path], "answer": answer}


async def check_relations(kg: Knowledge, names: Sequence[str]) -> None:
    """Refuse a relation that the KG lacks.

    Raises:
        UnknownRelationError: the message names similar relations.
    """
    known = {relation.name for relation in await kg.store.schema()}
    for name in names:
        if name not in known:
            index = await kg.relations()
            _, (near,) = index.search(kg.embedder.embed([name]), 3)
            raise UnknownRelationError(f"no relation is named {name!r}; did you mean {', '.join(near)}?")
