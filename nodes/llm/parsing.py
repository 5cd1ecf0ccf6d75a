"""Reading a typed answer out of what a model said: fences, prose and thoughts around it, small mistakes in its JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

T = TypeVar("T", bound=BaseModel)

_LONGEST = 200_000  # characters that are read; a longer text is no answer
_DEEPEST = 64  # brackets in a row before a text counts as no JSON
_THOUGHTS = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_FENCE = re.compile(r"```[\w-]*\n?(.*?)```", re.DOTALL)
_MOST_STARTS = 20  # brackets in prose at which JSON is looked for
_MAX_PROBLEMS = 5


def read(text: str, schema: type[T]) -> T | str:
    """The first thing in the text that is of the schema; else what is wrong with it, for the model to read."""
    said = _THOUGHTS.sub("", text[:_LONGEST]).strip()
    if not said:
        return "the answer is empty"
    problem = "the answer holds no JSON"
    for found in _candidates(said):
        try:
            return schema.model_validate(_wrapped(found, schema))
        except ValidationError as error:
            problem = _problems(error)
    return problem


def _candidates(said: str) -> Iterator[Any]:
    """JSON values in the text: the whole, fenced blocks, the first ones in prose, last what a repair makes of it."""
    for part in (said, *_FENCE.findall(said)):
        yield from _strict(part.strip())
    starts = [match.start() for match in re.finditer(r"[{\[]", said)]
    if not starts or re.search(rf"[\[{{]{{{_DEEPEST}}}", said):
        return
    decoder = json.JSONDecoder()
    for start in starts[:_MOST_STARTS]:
        try:
            value, _ = decoder.raw_decode(said, start)
        except (json.JSONDecodeError, RecursionError):
            continue
        yield value
    for start in sorted({said.find(bracket) for bracket in "{["} - {-1}):
        yield from _repaired(said[start:])


def _strict(part: str) -> Iterator[Any]:
    try:
        value = json.loads(part)
    except (json.JSONDecodeError, RecursionError):
        return
    if isinstance(value, dict | list):
        yield value


def _repaired(part: str) -> Iterator[Any]:
    from json_repair import repair_json

    try:
        value = repair_json(part, return_objects=True, skip_json_loads=True)
    except (ValueError, RecursionError):
        return
    if isinstance(value, dict | list):
        yield value


def _wrapped(value: object, schema: type[BaseModel]) -> object:
    """A bare list where an object with one field was asked for is that field."""
    fields = list(schema.model_fields)
    return {fields[0]: value} if isinstance(value, list) and len(fields) == 1 and fields != ["root"] else value


def _problems(error: ValidationError) -> str:
    """What is wrong, place by place, without the values."""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    places = [f"{'.'.join(map(str, each['loc'])) or 'the answer'}: {each['msg']}" for each in found[:_MAX_PROBLEMS]]
    more = len(found) - len(places)
    return "; ".join(places) + (f"; and {more} more" if more > 0 else "")
