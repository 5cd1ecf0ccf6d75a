"""What is wrong with an answer in the contract's shape: its paths against the triples, its plan computed again."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Iterator, Mapping
from itertools import pairwise
from typing import Any

from trivium.kg.errors import PlanError, TimeLimitError
from trivium.kg.plans.codec import from_json
from trivium.kg.plans.result import PlanResult
from trivium.kg.plans.run import run_plan
from trivium.kg.store import GraphStore
from trivium.kg.text import listed
from trivium.kg.types import Triple

SECONDS = 60.0
"""The time limit of a plan that is computed again."""

_SHOWN = 3


async def answer_problems(line: Mapping[str, Any], store: GraphStore) -> list[str]:
    """What is wrong with an answer; [] where nothing is.

    Triples that are not stored, steps that do not join up, a path that ends elsewhere than at the answer that it
    names, an answer entity that neither a path nor a plan supports; and where the answer claims what a plan gave: what
    the plan does not give when it is computed again, or gives besides.

    Raises:
        StoreError: a database failed.
    """
    found = [problem async for problem in _paths(line, store)]
    if not is_claim(line):
        return found
    if line.get("plan") is not None:
        return [*found, *await _computed_again(line, store)]
    supported = {path.get("answer") for path in line["paths"]}
    bare = [each["id"] for each in line.get("answers") or () if each["id"] not in supported]
    return [*found, *(f"no path supports the answer {id_!r}" for id_ in bare[:_SHOWN])]


def is_claim(line: Mapping[str, Any]) -> bool:
    """Whether an answer claims anything; see the contract."""
    if line.get("stop_reason", "answered") != "answered":
        return False
    return bool(line.get("answers") or line.get("values") or line.get("choice")) or line.get("value") is not None


async def _paths(line: Mapping[str, Any], store: GraphStore) -> AsyncIterator[str]:
    triples = [Triple(t["head"], t["relation"], t["tail"]) for path in line["paths"] for t in path["triples"]]
    stored = await store.contains(triples)
    for triple, known in zip(triples, stored, strict=True):
        if not known:
            yield f"not in the KG: {tuple(triple)}"
    for path in line["paths"]:
        steps = [(t["tail"], t["head"]) if t.get("inverse") else (t["head"], t["tail"]) for t in path["triples"]]
        if any(before[1] != after[0] for before, after in pairwise(steps)):
            yield f"a path does not join up: {steps}"
        if steps and "answer" in path and steps[-1][1] != path["answer"]:
            yield f"a path ends at {steps[-1][1]!r}, not at the answer {path['answer']!r} that it names"


async def _computed_again(line: Mapping[str, Any], store: GraphStore) -> list[str]:
    """How an answer differs from what its plan gives now."""
    given = max(len(line.get("answers") or ()), len(line.get("values") or ()), 1)
    try:
        again = (await run_plan(store, from_json(line["plan"]), seconds=SECONDS, limit=given)).result
    except (PlanError, TimeLimitError) as error:
        return [f"the plan cannot be computed again: {error}"]
    return list(_differences(line, again))


def _differences(line: Mapping[str, Any], result: PlanResult) -> Iterator[str]:
    again, given = result.to_json(), line.get("value")
    value = again["value"]
    if value is None and given is not None and result.total == 1 and again["values"]:
        value = again["values"][0]  # an answer's one value may stand in `value` as well
    if not _is_same(given, value):
        yield f"the plan gives the value {value!r}, the answer says {given!r}"
    for name in ("answers", "values"):
        mine, theirs = list(map(_key, line.get(name) or ())), list(map(_key, again[name]))
        if extra := sorted(set(mine) - set(theirs)):
            verb = "is" if len(extra) == 1 else "are"
            yield f"the plan does not give {listed(extra, _SHOWN)}, which {verb} in {name}"
        elif missing := sorted(set(theirs) - set(mine)):
            yield f"the plan gives {listed(missing, _SHOWN)} as well, which {name} lack"
    if value is None and result.total > max(len(again["answers"]), len(again["values"])) and not _is_cut(line):
        yield f"the plan gives {result.total:,} answers, and the answer does not say that it has only the first"
    if (shown := line.get("evidence")) is not None and not _is_same(shown, again["evidence"]):
        yield "the evidence is not what the plan reads"


def _is_same(one: object, other: object) -> bool:
    """Whether two JSON values are equal, but for the last digits of sums and averages that stores round otherwise."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=1e-9)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_is_same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_is_same(one[name], other[name]) for name in one)
    return one == other


def _key(item: object) -> str:
    """An entity by its id, a row by its cells, a value as it is."""
    if isinstance(item, dict) and "key" in item:
        return repr(sorted((name, _cell(cell)) for name, cell in item.items()))
    if isinstance(item, dict) and "id" in item:
        return str(item["id"])
    return repr(_cell(item))


def _cell(cell: object) -> object:
    if isinstance(cell, list):
        return tuple(map(_cell, cell))
    return _key(cell) if isinstance(cell, dict) else float(f"{cell:.9g}") if isinstance(cell, float) else cell


def _is_cut(line: Mapping[str, Any]) -> bool:
    """Whether an answer says that it gives only the first of what there is."""
    return any(each.get("event") == "truncated" for each in line.get("events") or ())
