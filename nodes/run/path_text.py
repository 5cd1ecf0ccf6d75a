"""A reasoning path as people read it."""

from __future__ import annotations

from trivium.nodes.run.answer_record import PathRecord
from trivium.tools.get_labels import get_labels


async def path_text(path: PathRecord, kg: str) -> str:
    """A path as `A -relation-> B <-relation- C`, in labels; the arrow shows how the triple is stored."""
    triples = path["triples"]
    first = triples[0]["tail" if triples[0]["inverse"] else "head"]
    ends = [triple["head" if triple["inverse"] else "tail"] for triple in triples]
    start, *labels = await get_labels(kg, [first, *ends])
    arrows = [f"<-{t['relation']}-" if t["inverse"] else f"-{t['relation']}->" for t in triples]
    return " ".join([start, *(f"{arrow} {label}" for arrow, label in zip(arrows, labels, strict=True))])
