"""Number types of the tools' argument schemas."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

Count = Annotated[int, Field(ge=1, le=100_000)]
Hops = Annotated[int, Field(ge=1, le=6)]
Width = Annotated[int, Field(ge=1, le=1_000)]
