"""The typed operators: what they take, what they give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from trivium.kg.errors import BadInputError
from trivium.policies.keqing.computing.literals import SIGNS, read_literal
from trivium.policies.keqing.computing.literals import Literal as Value

Kind = Literal["count", "filter", "extreme", "most", "union", "intersection", "difference", "compare", "choose"]
"""What an operator does with the results of what it depends on.

- `count` (a): how many entities a found.
- `filter` (a, v) or (a, v, b): those of a whose value by v, walked from each, is `sign` the bound, or b's value.
- `extreme` (a, v): those of a with the greatest (`max`) or least (`min`) value by v.
- `most` (a): those that the most (`max`) or fewest (`min`) walks of a lead to.
- `union`, `intersection`, `difference` (a, b): entities of a or b; of both; of a and not of b.
- `compare` (a, b): whether a's value, or with `by` = `count` its number of results, is `sign` b's.
- `choose` (a, b, ...): the seed of the one whose value, or number of results, is the greatest or least.
"""

By = Literal["value", "count"]
"""What `compare` and `choose` look at: the value that a sub-question found, or how many results."""

_INPUTS = {
    "count": (1, 1),
    "filter": (2, 3),
    "extreme": (2, 2),
    "most": (1, 1),
    "union": (2, 9),
    "intersection": (2, 9),
    "difference": (2, 2),
    "compare": (2, 2),
    "choose": (2, 9),
}
_EXTREMES = ("max", "min")


@dataclass(frozen=True, slots=True)
class Operator:
    """One operator of a decomposition.

    Attributes:
        id: its number; sub-questions and operators are numbered together, each after what it depends on.
        kind: what it does.
        dep: ids of the sub-questions and operators that it takes, in the order that `Kind` says.
        sign: `<`, `<=`, `>`, `>=`, `=` of `filter` and `compare`; `between` of `filter`, both ends included; `max`,
            `min` of `extreme`, `most` and `choose`.
        value: the bound of a `filter` of two inputs, as the question wrote it; `1970..1979` for `between`.
        by: of `compare` and `choose`.
        asks_value: whether an `extreme`'s value is the answer ("when did the first film come out?").
    """

    id: int
    kind: Kind
    dep: tuple[int, ...]
    sign: str = ""
    value: str = ""
    by: By = "value"
    asks_value: bool = False


def check_operator(operator: Operator, known: Sequence[int]) -> None:
    """Refuse an operator that cannot be computed, with the reason in words that a model too can mend.

    Raises:
        BadInputError: an unknown kind or sign, too few or many inputs, an input that does not come before it.
    """
    if operator.kind not in get_args(Kind):
        raise BadInputError(f"operator {operator.kind!r} is none of {', '.join(get_args(Kind))}")
    least, most = _INPUTS[operator.kind]
    if not least <= len(operator.dep) <= most:
        raise BadInputError(f"{operator.kind} takes {least} to {most} results, not {len(operator.dep)}")
    if missing := [dep for dep in operator.dep if dep not in known]:
        raise BadInputError(f"operator {operator.id} depends on {missing[0]}, which does not come before it")
    allowed = {
        "filter": (*SIGNS, "between"),
        "compare": SIGNS,
        "extreme": _EXTREMES,
        "most": _EXTREMES,
        "choose": _EXTREMES,
    }
    if operator.kind in allowed and operator.sign not in allowed[operator.kind]:
        raise BadInputError(f"{operator.kind} takes one of {', '.join(allowed[operator.kind])}, not {operator.sign!r}")
    if operator.kind == "filter" and len(operator.dep) == 2 and not bounds_of(operator.sign, operator.value):
        raise BadInputError(
            f"a filter needs a value to compare with, such as 1990 or for between 1970..1979, not {operator.value!r}"
        )


Bounds = list[tuple[str, Value]]
"""Signs with the values that they compare with; all have to hold of one and the same value."""


def bounds_of(sign: str, value: str) -> Bounds:
    """What a filter's sign and value ask for; empty where the value cannot be read."""
    parts = value.split("..") if sign == "between" else [value]
    signs = (">=", "<=") if sign == "between" else (sign,)
    read = [read_literal(part) for part in parts]
    found = [bound for bound in read if bound is not None]
    return list(zip(signs, found, strict=True)) if len(found) == len(signs) == len(read) else []
