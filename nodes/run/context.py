"""`Context`: the settings that every method's run has; a method's own are in `nodes/METHOD/context.py`.

Ranges and kinds are checked when a context is made, and an unknown setting is refused by name. `check` adds what
depends on the operator: the KGs and models that clients may use, and the model's key.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Annotated, Any, ClassVar, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from trivium.kg.catalog import SAMPLE, named_confidence
from trivium.kg.errors import UsageError
from trivium.nodes.run.access import NO_MODEL, check_policy
from trivium.nodes.run.presets import NOTHING, Preset, PresetName

DEFAULT_KG = "TRIVIUM_DEFAULT_KG"
"""The environment variable by which an operator names the KG of runs that name none."""

MIN_CONFIDENCE = 0.5
"""The confidence below which an answer claims nothing, where neither the run nor the KG's settings name one."""

ContextT = TypeVar("ContextT", bound="Context")

_PLAIN = {
    "greater than or equal to": "at least",
    "less than or equal to": "at most",
    "valid integer": "whole number",
    "valid string": "text",
    "a text": "text",
}
_SHOWN = 80  # characters of a refused value that an error shows


class Context(BaseModel):
    """Settings of a run, chosen by the client and the same for every node; a server's client may set each of them."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, use_attribute_docstrings=True)

    paper: ClassVar[Preset] = NOTHING
    """What `preset="paper"` sets; the router's is empty, since each method has its own."""

    kg: str = Field(default_factory=lambda: os.environ.get(DEFAULT_KG) or SAMPLE)
    """The KG: a name that the operator gave, or on the command line a directory; `sample` is the bundled one."""

    model: str = NO_MODEL
    """The chat model, as `openai:NAME` or `PROVIDER:NAME`; `none` answers by the paper's stages without an LLM."""

    preset: PresetName = "none"
    """`paper`: the settings of the method's paper, where the run does not set them itself."""

    temperature: Annotated[float | None, Field(ge=0, le=2, allow_inf_nan=False)] = 0.0
    """The model's temperature, in [0, 2]; None leaves the server's own, and models that take none get none."""

    completion_tokens: Annotated[int | None, Field(ge=1, le=1_000_000)] = None
    """The longest answer of one request to the model, in tokens; None leaves the server's own."""

    seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 30.0
    """Seconds that a question may take, the time spent on the model not counted; then the answer claims nothing, with
    the stop reason `time_limit`."""

    max_llm_calls: Annotated[int, Field(ge=0)] = 32
    """Requests that a run may send to the model, repair turns and retries among them; 0 sends none."""

    max_tokens: Annotated[int, Field(ge=0)] = 200_000
    """Tokens of prompts and completions that a run may spend; the last completion may overrun them."""

    request_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 120.0
    """Seconds to wait for one answer of the model; of an answer that is streamed, for each piece of it."""

    max_seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 300.0
    """Seconds that a run may spend on the model, all its stages together."""

    stage_seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 150.0
    """Seconds that one stage may spend on the model, its waits and repair turn included; then it does without."""

    fallback: bool = True
    """Whether a stage whose model gives no usable answer does without it, and says so; False refuses the run."""

    min_confidence: Annotated[float | None, Field(ge=0, le=1, allow_inf_nan=False)] = None
    """The confidence, in [0, 1], below which an answer claims nothing; None takes the KG's own of `trivium.toml`,
    `[kg.NAME] min_confidence`, else 0.5. 0 claims whatever was found."""

    def least_confidence(self) -> float:
        """The confidence below which this run's answer claims nothing; raises `BadInputError` as `named_confidence`."""
        if self.min_confidence is not None:
            return self.min_confidence
        named = named_confidence(self.kg)
        return MIN_CONFIDENCE if named is None else named

    def __init__(self, **settings: Any) -> None:
        if settings.get("preset") == "paper":
            model = settings.get("model", NO_MODEL) != NO_MODEL
            settings = {**type(self).paper.chosen(model=model), **settings}
        try:
            super().__init__(**settings)
        except ValidationError as error:
            raise UsageError(_problem(type(self), error.errors(include_url=False)[0])) from None

    @classmethod
    def of(cls, context: object) -> Self:
        """These settings out of a run's: those that were set and that this class has, its own defaults for the rest.

        Args:
            context: of this class, of another method (the router hands each method its own), or none of ours.
        """
        if type(context) is cls:
            return context
        if not isinstance(context, Context):
            return cls()
        return cls(**{name: value for name, value in context.chosen().items() if name in cls.model_fields})

    def left_out(self) -> list[str]:
        """The settings of the preset that take a model, as `NAME=VALUE`, where the run has none."""
        if self.preset == "none" or self.model != NO_MODEL:
            return []
        return [f"{name}={value}" for name, value in type(self).paper.with_model.items()]

    def chosen(self) -> dict[str, Any]:
        """The settings that were chosen, and the KG: what a thread's state keeps of a run."""
        return {"kg": self.kg, **{name: getattr(self, name) for name in self.model_fields_set}}

    def check(self) -> None:
        """Refuse settings that no run can have, before it starts. Blocks a little where a model is named.

        Raises:
            ModelError: the model is unknown, its package is not installed, or its key is missing.
            UsageError: on a server, a setting is not one that the operator allows.
        """
        check_policy(self)
        if self.model != NO_MODEL:
            from trivium.nodes.model import check_model  # a run without a model pays nothing for the layer

            check_model(self.model)


def context_of(kind: type[ContextT], state: Mapping[str, Any]) -> ContextT:
    """The settings that a run's state keeps.

    Raises:
        UsageError: they are not settings of this method; a client may write to a thread's state.
    """
    settings = state["settings"]
    if not isinstance(settings, dict):
        raise UsageError(f"a thread's settings are an object, not {str(settings)[:80]!r}")
    return kind(**settings)


async def check_context(context: Context) -> None:
    """`context.check()` for a run's first stage: in a thread where it may block, as an event loop must not.

    Without a model, and for OpenAI-compatible ones, a check is a few looks at the environment; others are built for it.
    """
    if context.model == NO_MODEL or context.model.startswith("openai:"):
        context.check()
    else:
        await asyncio.to_thread(context.check)


def read_setting(kind: type[Context], text: str) -> tuple[str, object]:
    """A setting from `NAME=VALUE`; raises `UsageError` where there is no such setting, or it takes no such value."""
    name, equals, value = text.partition("=")
    field = kind.model_fields.get(name)
    if not equals or field is None:
        raise UsageError(f"{text!r} is not a setting: write NAME=VALUE, NAME one of {', '.join(kind.model_fields)}")
    annotation: Any = Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation
    adapter = TypeAdapter[Any](annotation)
    problems = list[ErrorDetails]()
    for given in (value, None) if value in ("", "none") else (value,):
        try:
            return name, adapter.validate_python(given)
        except ValidationError as error:
            problems += error.errors(include_url=False)
    raise UsageError(_problem(kind, {**problems[0], "loc": (name,)}))


def _problem(kind: type[Context], error: ErrorDetails) -> str:
    """A validation error in one line: the setting, what is wrong, its value."""
    name = str(error["loc"][0]) if error["loc"] else "settings"
    if error["type"] == "extra_forbidden":
        near = get_close_matches(name, kind.model_fields, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"choose one of {', '.join(kind.model_fields)}"
        return f"unknown setting {name!r}: {hint}"
    said = error["msg"].removeprefix("Input should be ").partition(", unable")[0]
    for wording, plain in _PLAIN.items():
        said = said.replace(wording, plain)
    return f"{name} must be {said}, not {repr(error['input'])[:_SHOWN]}"
