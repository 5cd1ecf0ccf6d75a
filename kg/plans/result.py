"""`PlanResult`: what a plan gives, with ids and texts in place of rows; the same from every store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from trivium.kg.plans.cells import ENTITY, Cells
from trivium.kg.plans.columns import GraphColumns, value_text
from trivium.kg.plans.execute import Answer, Executor, Listed
from trivium.kg.plans.plan import Group, QueryPlan, Value
from trivium.kg.types import Json, WalkedTriple


@dataclass(frozen=True, slots=True)
class EntityItem:
    """An entity in a result."""

    id: str
    label: str


Item: TypeAlias = EntityItem | Value | None
"""A cell of a result; None is a missing value."""


@dataclass(frozen=True, slots=True)
class ProvenAnswer:
    """A path that supports an answer.

    Attributes:
        triples: as walked; the tail of a property is its text.
        answer: id of the entity, or text of the value, that it supports.
    """

    triples: tuple[WalkedTriple, ...]
    answer: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was counted, summed or compared.

    Attributes:
        rows: the first rows: entity or key, and what was read of it.
        more: how many others there are.
    """

    rows: tuple[tuple[Item, ...], ...]
    more: int

    def to_json(self) -> dict[str, Any]:
        """`rows` and `more` as in an answer."""
        return {"rows": [[item_json(each) for each in row] for row in self.rows], "more": self.more}


@dataclass(frozen=True, slots=True)
class PlanResult:
    """What a plan gives.

    Attributes:
        entities: of a set: its first entities, in its order (by id where it has none).
        rows: of a list, table or group: its first rows.
        keys: how many columns of `rows` are keys of a group; 0 in a list or table.
        value: of a count, aggregate, comparison: the value; None where it has none.
        total: how many entities or rows there are in all; 1 for a value, 0 where it has none.
        evidence: what it was computed from, or None.
        paths: paths that support the first answers.
    """

    entities: tuple[EntityItem, ...] = ()
    rows: tuple[tuple[Item, ...], ...] = ()
    keys: int = 0
    value: Value | None = None
    total: int = 0
    evidence: Evidence | None = None
    paths: tuple[ProvenAnswer, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is no answer; a count of 0 is one."""
        return self.total == 0

    def to_json(self) -> dict[str, Any]:
        """`answers`, `value`, `values`, `total`, `evidence` and `paths` as in an answer."""
        return {
            "answers": self.answers(),
            "value": None if self.value is None else value_json(self.value),
            "values": self.values(),
            "total": self.total,
            "evidence": self.evidence and self.evidence.to_json(),
            "paths": [
                {"triples": [triple._asdict() for triple in path.triples], "answer": path.answer} for path in self.paths
            ],
        }

    def answers(self) -> list[dict[str, Any]]:
        """Entities, and the values of a list, as `{"id", "label", "score"}`."""
        items: list[Item] = list(self.entities)
        if self.rows and not self.keys and len(self.rows[0]) == 1:
            items += [row[0] for row in self.rows]
        return [{"id": item_id(each), "label": item_label(each), "score": 1.0} for each in items if each is not None]

    def values(self) -> list[Any]:
        """Values of a list; the rows of a table or group as `row_json` has them."""
        if self.rows and len(self.rows[0]) == 1 and not self.keys:
            return [value_json(row[0]) for row in self.rows if isinstance(row[0], Value)]
        return [row_json(row, self.keys or 1) for row in self.rows]


def row_json(row: Sequence[Item], keys: int) -> dict[str, Any]:
    """A row whose first `keys` columns are its key: `{"key", "value"}`, each the text or number of one column.

    An entity is its label; `id` is that of `key`, `value_id` that of `value`. Of several key columns `keys` has all, of
    several others `values`, entities as `{"id", "label"}`.
    """
    first, *_ = own = row[keys:] or (None,)
    out: dict[str, Any] = {"key": _cell(row[0]), "value": _cell(first)}
    if isinstance(row[0], EntityItem):
        out["id"] = row[0].id
    if isinstance(first, EntityItem):
        out["value_id"] = first.id
    if keys > 1:
        out["keys"] = [item_json(each) for each in row[:keys]]
    if len(own) > 1:
        out["values"] = [item_json(each) for each in own]
    return out


def _cell(item: Item) -> Json:
    return item.label if isinstance(item, EntityItem) else item_json(item)


def item_id(item: Item) -> str:
    """The id of an entity, the text of a value, "" for nothing."""
    return "" if item is None else item.id if isinstance(item, EntityItem) else value_text(item)


def item_label(item: Item) -> str:
    """The label of an entity, the text of a value, "" for nothing."""
    return item.label if isinstance(item, EntityItem) else item_id(item)


def item_json(item: Item) -> Json:
    """A cell as JSON: an entity as `{"id", "label"}`, else its value."""
    if isinstance(item, EntityItem):
        return {"id": item.id, "label": item.label}
    return None if item is None else value_json(item)


def value_json(value: Value) -> bool | int | float | str:
    """A value as JSON: whole numbers without a fraction, dates and the like as text."""
    if isinstance(value.value, float) and value.value.is_integer() and abs(value.value) < 2**53:
        return int(value.value)
    return value.value


def materialize(executor: Executor, plan: QueryPlan, *, limit: int = 1000) -> PlanResult:
    """Execute a plan and give its first `limit` entities or rows with ids and texts; without evidence and paths."""
    answer = executor.answer(plan)
    keys = len(plan.keys) if isinstance(plan, Group) else 0
    return to_result(executor.graph, answer, keys=keys, limit=limit)


def to_result(graph: GraphColumns, answer: Answer, *, keys: int = 0, limit: int = 1000) -> PlanResult:
    """An executor's answer with ids and texts."""
    if answer is None:
        return PlanResult()
    if isinstance(answer, Value):
        return PlanResult(value=answer, total=1)
    if isinstance(answer, Listed):
        columns = [items(graph, cells, answer.at[:limit, i].tolist()) for i, cells in enumerate(answer.columns)]
        return PlanResult(rows=tuple(zip(*columns, strict=True)), keys=keys, total=len(answer.at))
    rows = answer[:limit]
    labels = graph.labels(rows.astype(np.int64))
    found = (EntityItem(graph.ids[row], label) for row, label in zip(rows.tolist(), labels, strict=True))
    return PlanResult(entities=tuple(found), total=len(answer))


def items(graph: GraphColumns, cells: Cells, at: list[int]) -> list[Item]:
    """Cells as items; -1 is missing."""
    out: list[Item] = []
    for place in at:
        if place < 0:
            out.append(None)
        elif cells.kind[place] == ENTITY:
            out.append(entity_item(graph, int(cells.key[place])))
        else:
            out.append(cells.value(place))
    return out


def entity_item(graph: GraphColumns, row: int) -> EntityItem:
    """The entity of a row."""
    return EntityItem(graph.ids[row], graph.labels(np.array([row], dtype=np.int64))[0])
