"""Plans with answers that were checked by hand, in tests/data/plans, and how each way to compute them is read.

A line is a plan as text and its answers, by `|`: ids of entities, values, or the cells of a row by blanks. GeoQuery's
lines have the id of a question instead, whose gold stands in the data set.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pyoxigraph

from trivium.kg.loaders.rdf_terms import name_of
from trivium.kg.plans.result import PlanResult, item_id, value_json

FOLDER = Path(__file__).parents[1] / "data" / "plans"


def read_plans(name: str) -> list[tuple[str, set[str]]]:
    """The plans of a file with their answers."""
    lines = (FOLDER / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
    return [(text, of_texts(found.split("|"))) for text, found in (line.split("\t") for line in lines)]


def of_texts(texts: Iterable[str]) -> set[str]:
    """Answers, none empty; numbers are written one way."""
    return {" ".join(_number(cell) for cell in text.split(" ")) for text in texts if text}


def _number(cell: str) -> str:
    if not re.fullmatch(r"-?\d+(\.\d+)?(e[-+]?\d+)?", cell, re.IGNORECASE):
        return cell
    return f"{float(cell):.9g}"


def of_result(found: PlanResult) -> set[str]:
    """What a store or the executor gives."""
    if found.value is not None:
        return of_texts([_text(value_json(found.value))])
    rows = [[item_id(each) for each in row] for row in found.rows] or [[each.id] for each in found.entities]
    return of_texts(" ".join(row) for row in rows)


def of_cypher(rows: Iterable[Sequence[Any]]) -> set[str]:
    """The rows of a Cypher query that is shown."""
    return of_texts(" ".join(map(_text, row)) for row in rows)


def of_sparql(store: pyoxigraph.Store, query: str) -> set[str]:
    """What the SPARQL that is shown gives on the exported graph."""
    return of_texts(" ".join(map(_term, row)) for row in store.query(query))  # type: ignore[union-attr]


def _term(term: Any) -> str:  # noqa: ANN401 - a term of RDF, or nothing
    if term is None:
        return ""
    return name_of(term.value) if isinstance(term, pyoxigraph.NamedNode) else str(term.value)


def _text(value: Any) -> str:  # noqa: ANN401 - whatever a database gives
    if value is None:
        return ""
    if isinstance(value, bool):
        return json.dumps(value)
    return value.iso_format() if hasattr(value, "iso_format") else str(value)
