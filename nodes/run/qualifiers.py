"""What a KG says of its triples beside them: a role, a date, an amount (relationship properties of a user's graph)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from trivium.kg.types import Triple
from trivium.nodes.model.prompt_data import as_data
from trivium.nodes.run.answer_record import PathRecord
from trivium.nodes.run.state import Step
from trivium.tools.triple_properties import triple_properties

_STATEMENTS = 3  # statements of one triple that evidence shows; a customer may have bought a thing a hundred times


async def qualified(paths: Sequence[PathRecord], kg: str) -> list[PathRecord]:
    """The paths with `qualifiers` in those of their triples that have some: a list of mappings, one a statement."""
    steps = [step for path in paths for step in path["triples"]]
    if not steps:
        return list(paths)
    triples = [Triple(step["head"], step["relation"], step["tail"]) for step in steps]
    asked = list(dict.fromkeys(triples))  # rows of a table share most of their triples
    found = dict(zip(asked, await triple_properties(kg, asked), strict=True))
    for step, triple in zip(steps, triples, strict=True):
        if statements := found[triple]:
            step["qualifiers"] = list(statements)
    return list(paths)


async def notes(steps: Iterable[Step], kg: str) -> dict[Triple, str]:
    """For each triple that has properties, its text behind the triple in evidence (`note_text`)."""
    triples = list(dict.fromkeys(Triple(*step[:3]) for step in steps))
    found = zip(triples, await triple_properties(kg, triples), strict=True)
    return {triple: note_text(statements) for triple, statements in found if statements}


def note_text(statements: Sequence[Mapping[str, str]]) -> str:
    """The first statements of a triple: ` [role: Neo; year: 1999]`."""
    shown = ("; ".join(f"{key}: {value}" for key, value in held.items()) for held in statements[:_STATEMENTS])
    return "".join(f" [{as_data(text)}]" for text in shown)
