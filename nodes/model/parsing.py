"""Reading a typed answer out of what a model said: fences, prose and thoughts around it, small mistakes in its JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

T = TypeVar("T", bound=BaseModel)

_LONGEST = 200_000  # characters that are read; a longer text is not an answer
_DEEPEST = 64  # brackets in a row before a text counts as no JSON
_THOUGHT_END = re.compile(r"</think(?:ing)?>")
_THOUGHT_START = re.compile(r"\s*<think(?:ing)?>")
_FENCE = re.compile(r"```[\w-]*\n?(.*?)```", re.DOTALL)
_MOST_STARTS = 20  # brackets in prose at which JSON is looked for
_LONGEST_REPAIR = 20_000  # characters of a text that is repaired
_MOST_BRACKETS = 400  # opening brackets in it
_MAX_PROBLEMS = 5


def read(text: str, schema: type[T]) -> T | str:
    """The first thing in the text that is of the schema; else what is wrong with it, for the model to read."""
    said = without_thoughts(text[:_LONGEST]).strip()
    if not said:
        return "the answer is empty"
    problem = "the answer contains no JSON"
    for found in _candidates(said):
        try:
            return schema.model_validate(_wrapped(found, schema))
        except ValidationError as error:
            problem = _problems(error)
    return problem


def without_thoughts(text: str) -> str:
    """What a model says after it has thought aloud in `<think>`; nothing where it never came to an end."""
    said = _THOUGHT_END.split(text)[-1]
    return "" if _THOUGHT_START.match(said) else said


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
        yield from _repaired(_value_at(said, start))


def _strict(part: str) -> Iterator[Any]:
    try:
        value = json.loads(part)
    except (json.JSONDecodeError, RecursionError):
        return
    if isinstance(value, dict | list):
        yield value


def _value_at(said: str, start: int) -> str:
    """From a bracket to where all are closed; to the end where they never are."""
    depth = 0
    for bracket in re.finditer(r"[{}\[\]]", said[start:]):
        depth += 1 if bracket[0] in "{[" else -1
        if depth == 0:
            return said[start : start + bracket.end()]
    return said[start:]


def _repaired(part: str) -> Iterator[Any]:
    """What a repair makes of it; not of what it would take seconds for, as its time grows with the brackets squared."""
    from json_repair import repair_json

    if len(part) > _LONGEST_REPAIR or len(re.findall(r"[{\[(]", part)) > _MOST_BRACKETS:
        return
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
