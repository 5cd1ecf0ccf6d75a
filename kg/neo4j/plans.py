"""Run a query plan on a database: one Cypher query, ended by the server where it goes on for too long."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from neo4j.spatial import Point
from neo4j.time import Date, DateTime, Duration, Time

from trivium.kg.errors import QueryTimeoutError, TimeLimitError
from trivium.kg.plans.cypher import to_cypher
from trivium.kg.plans.plan import Group, QueryPlan, Top, Value
from trivium.kg.plans.result import EntityItem, Item, PlanResult
from trivium.kg.profile import GraphProfile, ValueKind

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
    columns = {"entities": ["id"], "value": ["value"]}.get(query.shape, [f"c{i}" for i in range(len(query.entities))])
    try:
        rows = await store.client.read_packed(
            f"{query.text} LIMIT {int(row_limit) + 1}" if query.shape != "value" else query.text,
            columns,
            seconds,
            **query.parameters,
        )
    except QueryTimeoutError as error:
        raise TimeLimitError(f"the query took longer than {seconds:g} s: ask for less, or allow more time") from error
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
        return PlanResult(entities=tuple(found), total=len(rows))
    cells: list[Sequence[Item]] = []
    for place, is_entity in enumerate(query.entities):
        column = [row[place] for row in shown]
        cells.append(await _items(store, column) if is_entity else [value_of(each) for each in column])
    keys = len(plan.keys) if isinstance(plan, Group) else 0
    return PlanResult(rows=tuple(zip(*cells, strict=True)), keys=keys, total=len(rows))


async def _items(store: Neo4jStore, ids: Sequence[str]) -> list[EntityItem]:
    labels = await store.labels(ids)
    return [EntityItem(id_, label) for id_, label in zip(ids, labels, strict=True)]


_TIMES: tuple[tuple[type[DateTime | Date | Time | Duration], ValueKind], ...] = (
    (DateTime, "datetime"),
    (Date, "date"),
    (Time, "time"),
    (Duration, "duration"),
)


def value_of(found: Any) -> Value | None:  # noqa: ANN401 - whatever a database gives
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
