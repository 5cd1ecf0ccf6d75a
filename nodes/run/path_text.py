"""A reasoning path as people read it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from trivium.kg.indexes.words import short_name
from trivium.nodes.run.answer_record import PathRecord
from trivium.tools.get_labels import get_labels


async def path_texts(paths: Sequence[PathRecord], kg: str) -> list[str]:
    """Paths as `A -relation-> B <-relation- C`, in labels; the arrow shows how the triple is stored."""
    told = []
    for path, (start, *labels) in zip(paths, await walked_labels(paths, kg), strict=True):
        arrows = [arrow_text(triple) for triple in path["triples"]]
        told.append(" ".join([start, *(f"{arrow} {label}" for arrow, label in zip(arrows, labels, strict=True))]))
    return told


def walked(path: PathRecord) -> list[str]:
    """The entities of a path, in order."""
    triples = path["triples"]
    first = triples[0]["tail" if triples[0]["inverse"] else "head"]
    return [first, *(triple["head" if triple["inverse"] else "tail"] for triple in triples)]


async def walked_labels(paths: Sequence[PathRecord], kg: str) -> list[list[str]]:
    """The labels of the entities of each path, in order; looked up together."""
    ids = [walked(path) for path in paths]
    if not ids:
        return []
    ends_of = [relation for path in paths for relation in ("", *map(leads_by, path["triples"]))]
    labels = iter(await get_labels(kg, [key for each in ids for key in each], ends_of=ends_of))
    return [list(islice(labels, len(each))) for each in ids]


def leads_by(triple: Mapping[str, Any]) -> str:
    """The relation whose tail a walked triple leads to; "" where it leads to the head."""
    return "" if triple["inverse"] else str(triple["relation"])


def arrow_text(triple: Mapping[str, Any]) -> str:
    """`-relation->`, or `<-relation-` where it is walked from tail to head; of a relation's IRI its local name."""
    name = short_name(triple["relation"])
    return f"<-{name}-" if triple["inverse"] else f"-{name}->"
