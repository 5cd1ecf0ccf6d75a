"""TypedDict fields described by the docstring under them in JSON schemas: what Studio and clients show.

Pydantic reads the docstrings of a class itself; here inherited fields keep theirs, too.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from pydantic import ConfigDict, GetJsonSchemaHandler, TypeAdapter
from pydantic_core import CoreSchema
from typing_extensions import get_original_bases, is_typeddict

T = TypeVar("T")

_BY_DOCSTRINGS = ConfigDict(use_attribute_docstrings=True)


def described(kind: type[T]) -> type[T]:
    """Decorate a TypedDict, which can have no base but others of its kind."""
    bases = list(filter(is_typeddict, get_original_bases(kind)))
    made: Any = kind
    made.__pydantic_config__ = _BY_DOCSTRINGS
    made.__get_pydantic_json_schema__ = lambda core, handler: _with_inherited(core, handler, bases)
    return kind


def _with_inherited(core: CoreSchema, handler: GetJsonSchemaHandler, bases: Iterable[type]) -> dict[str, Any]:
    made = handler(core)
    own = handler.resolve_ref_schema(made)["properties"]
    for base in bases:
        for name, field in TypeAdapter(base).json_schema()["properties"].items():
            own[name].setdefault("description", field.get("description", ""))
    return made
