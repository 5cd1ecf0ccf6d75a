"""Fields described by the docstring under them in every JSON schema made of a class: what Studio and clients show."""

from __future__ import annotations

from dataclasses import is_dataclass
from typing import Any

from pydantic import ConfigDict, GetJsonSchemaHandler, TypeAdapter
from pydantic_core import CoreSchema

DESCRIBED = ConfigDict(use_attribute_docstrings=True)
"""For a TypedDict: `@with_config(DESCRIBED)`."""


class Described:
    """Base of a dataclass whose schema describes inherited fields too; pydantic reads the class's own docstrings."""

    __pydantic_config__ = DESCRIBED

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        made = handler(core)
        own = handler.resolve_ref_schema(made)["properties"]
        for base in filter(is_dataclass, cls.__mro__[1:]):
            for name, field in TypeAdapter(base).json_schema()["properties"].items():
                own[name].setdefault("description", field.get("description", ""))
        return made
