"""A reasoning path as people read it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trivium.kg.indexes.words import short_name
from trivium.nodes.run.answer_record import PathRecord
from trivium.tools.get_labels import get_labels


async def path_text(path: PathRecord, kg: str) -> str:
    """A path as `A -relation-> B <-relation- C`, in labels; the arrow shows how the triple is stored."""
    triples = path["triples"]
    first = triples[0]["tail" if triples[0]["inverse"] else "head"]
    ends = [triple["head" if triple["inverse"] else "tail"] for triple in triples]
    start, *labels = await get_labels(kg, [first, *ends])
    arrows = [arrow_text(triple) for triple in triples]
    return " ".join([start, *(f"{arrow} {label}" for arrow, label in zip(arrows, labels, strict=True))])


def arrow_text(triple: Mapping[str, Any]) -> str:
    """`-relation->`, or `<-relation-` where it is walked from tail to head; of a relation's IRI its local name."""
    name = short_name(triple["relation"])
    return f"<-{name}-" if triple["inverse"] else f"-{name}->"
