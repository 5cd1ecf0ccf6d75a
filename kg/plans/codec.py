"""Plans as JSON: `to_json` and `from_json`.

Fields that have their default are left out. A set, row source, condition or result has its `op`; a step of a chain is
"rel", "^rel" or "~rel", or an object with `relation` and conditions; a constant is a number, boolean or text, or
`{"date": "2020-01-31"}` and the like. A term may be the name of its property alone; one that computes with a second
property has an `operand`: `{"property": "shipped", "operand": {"operator": "-", "property": "ordered"}}`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields
from typing import Any, TypeAlias, cast, get_args

from trivium.kg.errors import PlanError
from trivium.kg.plans.plan import (
    ARITHMETIC,
    FUNCTIONS,
    OPERATORS,
    PARTS,
    UNITS,
    Aggregate,
    Aggregation,
    AllOf,
    AnyOf,
    Calculate,
    ChainStep,
    Compare,
    Entities,
    Follow,
    Group,
    Has,
    HasType,
    Having,
    Holds,
    Intersect,
    Minus,
    NonEmpty,
    Not,
    OfType,
    Operand,
    QueryPlan,
    Term,
    Top,
    Union,
    Value,
    ValueOf,
    Walks,
    Where,
)
from trivium.kg.profile import ValueKind
from trivium.kg.text import closest
from trivium.kg.types import Json

_OPS: dict[str, type] = {
    "entities": Entities,
    "type": OfType,
    "follow": Follow,
    "intersect": Intersect,
    "union": Union,
    "minus": Minus,
    "where": Where,
    "top": Top,
    "walks": Walks,
    "values": ValueOf,
    "aggregate": Aggregate,
    "group": Group,
    "calculate": Calculate,
    "holds": Holds,
    "nonempty": NonEmpty,
    "compare": Compare,
    "has": Has,
    "has_type": HasType,
    "and": AllOf,
    "or": AnyOf,
    "not": Not,
}
OP_OF: dict[type, str] = {kind: op for op, kind in _OPS.items()}
"""The `op` of each class."""

_SETS = ("entities", "type", "follow", "intersect", "union", "minus", "where", "top")
_CONDITIONS = ("compare", "has", "has_type", "and", "or", "not")
_RESULTS = ("values", "aggregate", "group", "calculate", "holds", "nonempty")
_KINDS: tuple[str, ...] = get_args(ValueKind)

# What a field of a type holds: a name of `_READERS`, `_CHOICES` or `_ALLOWED`.
_FORMS = {
    "str": "text",
    "bool": "boolean",
    "int": "integer",
    "Term": "term",
    "Value": "value",
    "Steps": "step*",
    "Aggregation": "aggregation",
    "Having": "having",
    "EntitySet": "set",
    "Rows": "rows",
    "Condition": "condition",
    "Scalar": "scalar",
    "Value | tuple[Value, ...] | Term | QueryPlan": "right",
    "Operator": "operator",
    "Function": "function",
    "Function | Literal['']": "function",
    "Part": "part",
    "Direction": "direction",
    "Arithmetic": "arithmetic",
    "Unit": "unit",
    "Operand": "operand",
}

_CHOICES: dict[str, tuple[str, ...]] = {
    "operator": OPERATORS,
    "function": FUNCTIONS,
    "part": PARTS[1:],
    "direction": ("out", "in", "any"),
    "arithmetic": ARITHMETIC,
    "unit": UNITS[1:],
}


Part: TypeAlias = Any
"""A plan, or a part of one: a node, a term, a value, a tuple of them."""


def _form(annotation: str) -> str:
    """What a field holds by its annotation: a form, with "*" for a list of these and "?" for one that may be null."""
    if annotation.endswith(" | None"):
        return f"{_form(annotation.removesuffix(' | None'))}?"
    if annotation.startswith("tuple["):
        return f"{_form(annotation.removeprefix('tuple[').removesuffix(', ...]'))}*"
    return _FORMS[annotation]


def to_json(part: Part) -> Json:
    """A plan, or a part of one, as JSON values."""
    if isinstance(part, tuple):
        return [to_json(each) for each in part]
    if isinstance(part, Value):
        return part.value if part.kind in ("number", "boolean", "text") else {part.kind: part.value}
    if isinstance(part, ChainStep) and part.where is None and part.to is None:
        return str(part)
    if not hasattr(part, "__dataclass_fields__"):
        return part
    out: dict[str, Any] = {"op": OP_OF[type(part)]} if type(part) in OP_OF else {}
    for name, default in _defaults(type(part)):
        value = getattr(part, name)
        if default is MISSING or value != default:
            out[name] = to_json(value)
    return out


_DEFAULTS: dict[type, tuple[tuple[str, object], ...]] = {}


def _defaults(kind: type) -> tuple[tuple[str, object], ...]:
    """The fields of a kind of node, in order, each with its default; remembered as `plan.field_names` are."""
    found = _DEFAULTS.get(kind)
    if found is None:
        found = _DEFAULTS[kind] = tuple((each.name, each.default) for each in fields(kind))
    return found


def dumps(plan: QueryPlan) -> str:
    """A plan as one line of JSON."""
    return json.dumps(to_json(plan), ensure_ascii=False)


def loads(text: str) -> QueryPlan:
    """A plan from JSON; raises `PlanError`."""
    try:
        data = json.loads(text)
    except ValueError as error:
        raise PlanError(f"the plan is not valid JSON: {error}") from None
    return from_json(data)


def from_json(data: Json) -> QueryPlan:
    """A plan from JSON values; raises `PlanError` that says where and what is wrong."""
    return cast(QueryPlan, _read("plan", data, "plan"))


def _read(form: str, data: Json, where: str) -> Part:
    if form.endswith("?"):
        return None if data is None else _read(form[:-1], data, where)
    if form.endswith("*"):
        items = data if isinstance(data, list) else [data]
        return tuple(_read(form[:-1], each, f"{where}[{i}]") for i, each in enumerate(items))
    if form in _CHOICES:
        return _choice(_CHOICES[form], data, where, form)
    if form in _READERS:
        return _READERS[form](data, where)
    if form == "scalar" and not (isinstance(data, Mapping) and "op" in data):
        return _value(data, where)
    return _op(form, data, where)


_ALLOWED = {
    "plan": (*_SETS, *_RESULTS),
    "set": _SETS,
    "rows": (*_SETS, "walks"),
    "condition": _CONDITIONS,
    "scalar": ("aggregate", "values", "calculate", "holds", "nonempty"),
    "right": (*_SETS, "aggregate", "values", "calculate"),
}


def _op(form: str, data: Json, where: str) -> Part:
    allowed = _ALLOWED[form]
    if not isinstance(data, Mapping):
        raise PlanError(f"{where}: expected an object with 'op', got {_shown(data)}")
    op = data.get("op")
    if op not in allowed:
        near = closest(str(op), allowed)
        raise PlanError(f"{where}.op: {_shown(op)} is not allowed here; use one of {', '.join(allowed)}{near}")
    return _fields(_OPS[op], {name: each for name, each in data.items() if name != "op"}, f"{where}.{op}")


def _fields(kind: type, data: Json, where: str) -> Part:
    if not isinstance(data, Mapping):
        raise PlanError(f"{where}: expected an object, got {_shown(data)}")
    known = {each.name: each for each in fields(kind)}
    for name in data:
        if name not in known:
            near = closest(str(name), list(known))
            raise PlanError(f"{where}: unknown field {name!r}; fields: {', '.join(known)}{near}")
    given = {name: _read(_form(str(known[name].type)), each, f"{where}.{name}") for name, each in data.items()}
    missing = [name for name, each in known.items() if name not in given and each.default is MISSING]
    if missing:
        raise PlanError(f"{where}: missing field {missing[0]!r}")
    return kind(**given)


def _term(data: Json, where: str) -> Term:
    if isinstance(data, str):
        return Term(property=data)
    return cast(Term, _fields(Term, data, where))


def _step(data: Json, where: str) -> ChainStep:
    if isinstance(data, str):
        if not data.lstrip("^~"):
            raise PlanError(f"{where}: empty relation")
        return ChainStep.parse(data)
    return cast(ChainStep, _fields(ChainStep, data, where))


def _right(data: Json, where: str) -> Part:
    if isinstance(data, list):
        return tuple(_value(each, f"{where}[{i}]") for i, each in enumerate(data))
    if isinstance(data, Mapping):
        if "op" in data:
            return _op("right", data, where)
        if not (len(data) == 1 and next(iter(data)) in _KINDS):
            return _term(data, where)
    return _value(data, where)


def _value(data: Json, where: str) -> Value:
    if isinstance(data, Mapping) and len(data) == 1:
        kind, value = next(iter(data.items()))
        if kind in _KINDS:
            good = {"number": int | float, "boolean": bool}.get(kind, str)
            if isinstance(value, good) and (kind == "boolean" or not isinstance(value, bool)):
                return Value(kind, float(value) if kind == "number" else value)
    elif isinstance(data, bool | int | float | str):
        return Value.of(data)
    raise PlanError(f'{where}: expected a number, boolean, text or {{"date": "2020-01-31"}}, got {_shown(data)}')


def _choice(allowed: Sequence[str], data: Json, where: str, what: str) -> str:
    if data not in allowed:
        raise PlanError(f"{where}: {_shown(data)} is no {what}; use one of {', '.join(allowed)}")
    return cast(str, data)


def _typed(data: Json, kind: type, where: str, what: str) -> Json:
    if not isinstance(data, kind):
        raise PlanError(f"{where}: expected {what}, got {_shown(data)}")
    return data


def _integer(data: Json, where: str) -> int:
    if isinstance(data, bool) or not isinstance(data, int) or data < 0:
        raise PlanError(f"{where}: expected a whole number from 0, got {_shown(data)}")
    return data


_READERS: dict[str, Callable[[Any, str], Any]] = {
    "text": lambda data, where: _typed(data, str, where, "a text"),
    "boolean": lambda data, where: _typed(data, bool, where, "true or false"),
    "integer": _integer,
    "value": _value,
    "step": _step,
    "term": _term,
    "operand": lambda data, where: _fields(Operand, data, where),
    "aggregation": lambda data, where: _fields(Aggregation, data, where),
    "having": lambda data, where: _fields(Having, data, where),
    "right": _right,
}


def _shown(data: Json) -> str:
    text = repr(data)
    return text if len(text) <= 60 else text[:57] + "..."
