"""Run a query plan on a database: one Cypher query, ended by the server where it goes on for too long.

What proves the answer is computed on the local copy (`Neo4jStore.run_plan`). Where that is old, the rows of a computed
answer are a second query, and paths are checked triple by triple.
"""

from __future__ import annotations

import math
import re
from collections.abc import Awaitable, Sequence
from typing import TYPE_CHECKING

from neo4j.spatial import Point
from neo4j.time import Date, DateTime, Duration, Time

from trivium.kg.errors import QueryTimeoutError, TimeLimitError
from trivium.kg.plans.cypher import to_cypher
from trivium.kg.plans.plan import (
    Aggregate,
    Calculate,
    Group,
    Holds,
    NonEmpty,
    QueryPlan,
    Rows,
    Term,
    Top,
    Value,
    ValueOf,
    Walks,
)
from trivium.kg.plans.proof import ROWS, evidence_of, evidence_terms, instead_of, needs_rows
from trivium.kg.plans.result import EntityItem, Evidence, Item, PlanResult, ProvenAnswer
from trivium.kg.profile import GraphProfile, ValueKind
from trivium.kg.types import Triple

if TYPE_CHECKING:
    from trivium.kg.neo4j.store import Neo4jStore


async def run_plan(
    store: Neo4jStore, plan: QueryPlan, profile: GraphProfile, *, seconds: float, row_limit: int, limit: int = 1000
) -> PlanResult:
    """The first `limit` entities or rows of a plan, without evidence and paths.

    Args:
        store: the database.
        plan: what to compute; it fits the profile (`trivium.kg.plans.check`).
        profile: of the database.
        seconds: after which the server ends the query.
        row_limit: rows of the whole answer, at most.
        limit: entities or rows that are given.

    Raises:
        TimeLimitError: the query took longer, or has more rows.
        StoreError: the database failed.
    """
    query = to_cypher(plan, store.view, profile)
    text = query.text if query.shape == "value" else query.packed(row_limit + 1)
    try:
        rows = await store.client.read(text, seconds, **query.parameters)
    except QueryTimeoutError as error:
        raise TimeLimitError(f"the query took longer than {seconds:g} s: ask for less, or allow more time") from error
    if query.shape != "value":
        ((rows,),) = rows
    if len(rows) > row_limit:
        raise TimeLimitError(f"the answer has more than {row_limit:,} rows; ask for less, or allow more rows")
    if query.shape == "value":
        value = None if not rows else value_of(rows[0][0])
        return PlanResult(value=value, total=int(value is not None))
    if query.shape == "entities" and not isinstance(plan, Top):  # a set without an order of its own goes by id
        rows.sort(key=lambda row: row[0].encode(errors="surrogatepass"))
    shown = rows[:limit]
    if query.shape == "entities":
        found = await _items(store, [row[0] for row in shown])
        return PlanResult(entities=tuple(each for each in found if each is not None), total=len(rows))
    cells: list[Sequence[Item]] = []
    for place, is_entity in enumerate(query.entities):
        column = [row[place] for row in shown]
        cells.append(await _items(store, column) if is_entity else [value_of(each) for each in column])
    keys = len(plan.keys) if isinstance(plan, Group) else 0
    return PlanResult(rows=tuple(zip(*cells, strict=True)), keys=keys, total=len(rows))


async def else_unproved(proof: Awaitable[PlanResult]) -> PlanResult:
    """A proof, or an empty one where it takes too long: the database's answer stands without."""
    try:
        return await proof
    except TimeLimitError:
        return PlanResult()


async def still_true(store: Neo4jStore, paths: Sequence[ProvenAnswer]) -> tuple[ProvenAnswer, ...]:
    """The paths whose triples the database has."""
    stored = iter(await store.contains([Triple(*step[:3]) for path in paths for step in path.triples]))
    return tuple(path for path, known in [(path, [next(stored) for _ in path.triples]) for path in paths] if all(known))


async def evidence(store: Neo4jStore, plan: QueryPlan, profile: GraphProfile, seconds: float) -> Evidence | None:
    """The first rows of what a plan counted, summed or compared, read from the database; None where there is nothing.

    Raises:
        StoreError: the database failed.
    """

    async def run(part: QueryPlan) -> PlanResult:
        return await run_plan(store, part, profile, seconds=seconds, row_limit=_MANY, limit=ROWS)

    try:
        match plan:
            case ValueOf() if not needs_rows(plan):
                return None
            case Aggregate() | Group() | NonEmpty() | ValueOf():
                rows = (await run(evidence_rows(plan.source, evidence_terms(plan)))).rows
                if isinstance(plan, NonEmpty) and not rows:
                    return _found_instead([await run(each) for each in instead_of(plan)])
                count = (await run(Aggregate(plan.source))).value
                return Evidence(rows, max(0, int(float(count.value)) - len(rows)) if count is not None else 0)
            case Calculate() | Holds():
                sides = [each if isinstance(each, Value) else await run(each) for each in (plan.left, plan.right)]
                return Evidence(tuple((each if isinstance(each, Value) else _scalar(each),) for each in sides), 0)
            case _:
                return None
    except TimeLimitError:
        return None


def _found_instead(known: Sequence[PlanResult]) -> Evidence:
    """For a "no", what the first of these found."""
    return next((evidence_of(each) for each in known if not each.is_empty), Evidence((), 0))


def evidence_rows(source: Rows, terms: Sequence[Term]) -> ValueOf:
    """The plan of the first rows of a source: the entities of each row, and what the terms read of it."""
    places = len(source.steps) + 1 if isinstance(source, Walks) else 1
    columns = (*(Term(start=place) for place in range(places)), *terms)
    return ValueOf(source, columns, distinct=False, order=0, limit=ROWS)


def _scalar(found: PlanResult) -> Item:
    """The one value of a side of a comparison."""
    return found.value if found.value is not None else found.rows[0][0] if found.rows else None


async def _items(store: Neo4jStore, ids: Sequence[str | None]) -> list[EntityItem | None]:
    """Entities by id; None, a missing cell, stays."""
    known = [id_ for id_ in ids if id_ is not None]
    labels = dict(zip(known, await store.labels(known), strict=True))
    return [None if id_ is None else EntityItem(id_, labels[id_]) for id_ in ids]


_MANY = 5_000_000  # rows that evidence may be taken from

_TIMES: tuple[tuple[type[DateTime | Date | Time | Duration], ValueKind], ...] = (
    (DateTime, "datetime"),
    (Date, "date"),
    (Time, "time"),
    (Duration, "duration"),
)


def value_of(found: object) -> Value | None:
    """A value of the database as a constant; None for null, NaN, empty text and what is no value."""
    if isinstance(found, bool) or (isinstance(found, str) and found):
        return Value.of(found)
    if isinstance(found, int | float):
        return None if math.isnan(found) else Value.of(float(found))
    if isinstance(found, Point):
        return Value("point", ",".join(f"{each:g}" for each in found))
    return next((Value(kind, _short(found.iso_format())) for type_, kind in _TIMES if isinstance(found, type_)), None)


def _short(text: str) -> str:
    """A time without zeros behind its seconds, as the database writes it as text."""
    return re.sub(r"\.(\d*?)0+(?!\d)", lambda match: f".{match[1]}" if match[1] else "", text)
