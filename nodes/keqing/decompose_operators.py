"""Operators as a model writes them beside its sub-questions, and the words by which it is told of them."""

from __future__ import annotations

from typing import Annotated, Literal, cast

from pydantic import BaseModel, BeforeValidator, Field, model_validator

from trivium.kg.errors import BadInputError
from trivium.nodes.keqing.decompose_prompt import AskedDecomposition, problem
from trivium.policies.keqing.computing.operators import Kind, Operator, check_operator

HOW = """\
The input asks for something to be computed. Write sub-questions for the plain parts, and beside "sub_questions" a \
list "operators" on their results, each {"operator": name, "id": number after all others, "dep": ids_it_takes}:
- "count" (a): how many. "union", "intersection", "difference" (a, b): or, and, a but not b. "most" (a) with "sign" \
"max" or "min": what occurs most or least among the answers of a.
- "filter" (a, v): answers of a whose value is "sign" "<", "<=", ">", ">=" or "=" "value", or "between" "1970..1979"; \
v is a sub-question for the value that starts from a. "extreme" (a, v): those with the greatest ("sign" "max") or \
least ("min") value; "asks_value": true where the value itself is asked for.
- "compare" (a, b): yes or no, whether a's value is "sign" b's, or with "by": "count" its number of answers. "choose" \
(a, b), "sign" "max" or "min": which of the two seed entities has the greater or lesser.

"""
"""Added to the prompt of a question that has a cue of a computation, and to no other."""


def _listed(value: object) -> object:
    return value if isinstance(value, list) else [value]


def _written(value: object) -> object:
    """A bound as text; models write years as numbers."""
    return "" if value is None else str(value) if isinstance(value, int | float) else value


class AskedOperator(BaseModel):
    """An operator as a model writes it."""

    operator: str
    id: int
    dep: Annotated[list[int], BeforeValidator(_listed)]
    sign: str = ""
    value: Annotated[str, BeforeValidator(_written)] = ""
    by: Literal["value", "count"] = "value"
    asks_value: bool = False


class AskedComputation(AskedDecomposition):
    """The list of table 1, and what is computed on its results."""

    operators: list[AskedOperator] = Field(default_factory=list)

    @model_validator(mode="before")
    @classmethod
    def _bare(cls, value: object) -> object:
        """A list alone is a decomposition without operators, as a model may well write it."""
        return {"sub_questions": value} if isinstance(value, list) else value


def operators(asked: AskedDecomposition) -> tuple[Operator, ...]:
    """The operators as the graph computes them; none of a plain decomposition."""
    written = asked.operators if isinstance(asked, AskedComputation) else []
    return tuple(
        Operator(one.id, cast(Kind, one.operator), tuple(one.dep), one.sign, one.value, one.by, one.asks_value)
        for one in written
    )


def computation_problem(asked: AskedDecomposition) -> str | None:
    """What keeps a decomposition from being walked and computed, for the model to read; None where nothing does."""
    if wrong := problem(asked):
        return wrong
    known = [sub.id for sub in asked.sub_questions]
    for operator in operators(asked):
        if operator.id in known:
            return f"operator {operator.id} needs an id of its own, after those of the sub-questions"
        try:
            check_operator(operator, known)
        except BadInputError as error:
            return str(error)
        known.append(operator.id)
    return None
