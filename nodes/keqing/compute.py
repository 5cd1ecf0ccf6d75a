"""Stage `compute`: one operator on the results of sub-questions, with the triples that it used (docs/operators.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from trivium.kg.indexes import relation_words
from trivium.kg.text import fold_case
from trivium.kg.types import Hop, parse_chain
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.keqing.state import Found, KeqingState, OperatorState, Retrieved, Used
from trivium.nodes.run.state import Step
from trivium.policies.keqing.computing.apply import compared, extremes, filtered
from trivium.policies.keqing.computing.literals import Literal, Shown, read_literal
from trivium.policies.keqing.computing.operators import bounds_of
from trivium.policies.keqing.english import english, stem
from trivium.tools.follow_chain import follow_chain
from trivium.tools.get_labels import get_labels
from trivium.tools.neighbors import neighbors

_VALUES_EACH = 20  # values of one entity that are looked at


class ComputeInput(TypedDict):
    """What one computation is sent: the operator, and what it depends on, in its order."""

    operator: OperatorState
    inputs: list[Retrieved]


def ready(state: KeqingState) -> list[ComputeInput]:
    """The operators whose inputs are there and which are not computed themselves."""
    done = state["retrieved"]
    return [
        ComputeInput(operator=operator, inputs=[done[str(dep)] for dep in operator["dep"]])
        for operator in state.get("operators") or ()
        if str(operator["id"]) not in done and all(str(dep) in done for dep in operator["dep"])
    ]


async def compute(state: ComputeInput, runtime: Runtime[KeqingContext]) -> dict[str, Any]:
    """Compute one operator; its result stands among what was retrieved, so that others can start from it."""
    kg = runtime.context.kg
    operator, inputs = state["operator"], state["inputs"]
    kind = operator["operator"]
    if kind in ("union", "intersection", "difference"):
        done = _joined(operator, inputs)
    elif kind == "count":
        done = await _counted(operator, inputs, kg)
    elif kind == "most":
        done = await _most(operator, inputs, kg)
    elif kind in ("compare", "choose"):
        done = await _of_two(operator, inputs, kg)
    else:
        done = await _by_value(operator, inputs, kg)
    return {"retrieved": {str(operator["id"]): done}}


def _record(
    operator: OperatorState,
    inputs: Sequence[Retrieved],
    found: list[Found],
    *,
    value: bool | Shown | None = None,
    used: Sequence[Used] = (),
) -> Retrieved:
    """An operator's result in the shape of a retrieval's; it matches as well as its weakest input."""
    matches = [done["match"] for done in inputs if done["match"]]
    return Retrieved(
        id=operator["id"],
        seeds=[],
        match=min(matches, key=lambda match: match["score"], default=None),
        found=found,
        excluded=[],
        truncated=any(done["truncated"] for done in inputs),
        supplement=[],
        value=value,
        used=list(used),
    )


def _kept(done: Retrieved, ids: Sequence[str]) -> list[Found]:
    """These of a result's entities, in its order; their paths are those of the result."""
    wanted = set(ids)
    return [Found(id=item["id"], support=item["support"], path=[]) for item in done["found"] if item["id"] in wanted]


def _ids(done: Retrieved) -> list[str]:
    return [item["id"] for item in done["found"]]


def _joined(operator: OperatorState, inputs: Sequence[Retrieved]) -> Retrieved:
    """Union, intersection, difference."""
    first, *others = inputs
    if operator["operator"] == "union":
        found: dict[str, Found] = {}
        for done in inputs:
            found |= {item["id"]: item for item in _kept(done, _ids(done)) if item["id"] not in found}
        return _record(operator, inputs, list(found.values()))
    sets = [set(_ids(done)) for done in others]
    if operator["operator"] == "intersection":
        return _record(operator, inputs, _kept(first, list(set(_ids(first)).intersection(*sets))))
    return _record(operator, inputs, _kept(first, list(set(_ids(first)).difference(*sets))))


async def _counted(operator: OperatorState, inputs: Sequence[Retrieved], kg: str) -> Retrieved:
    """How many were found; where one number was, the KG has counted already: "how many people live in X"."""
    (done,) = inputs
    if len(done["found"]) == 1:
        (label,) = await get_labels(kg, _ids(done))
        value = read_literal(label)
        if value is not None and value.kind == "number" and not _is_time(done["found"][0]):
            return _record(operator, inputs, _kept(done, _ids(done)), value=value.shown)
    return _record(operator, inputs, [], value=len(done["found"]))


def _is_time(found: Found) -> bool:
    """Whether the relation that led to a number is one of time: years are counted, employees are not."""
    words = fold_case(relation_words(found["path"][-1][1])).split() if found["path"] else []
    return any("when" in english().asked.get(stem(word), {}) for word in words)


async def _most(operator: OperatorState, inputs: Sequence[Retrieved], kg: str) -> Retrieved:
    """Those that the most, or fewest, walks lead to; the last steps of all the winners' walks are used."""
    (done,) = inputs
    if not done["found"]:
        return _record(operator, inputs, [])
    rank = max if operator["sign"] == "max" else min
    best = rank(item["support"] for item in done["found"])
    ids = [item["id"] for item in done["found"] if item["support"] == best]
    last = {(step[1], step[3]) for item in done["found"] for step in item["path"][-1:]}
    used: list[Used] = []
    seeds = set(done["seeds"])
    for relation, inverse in last:
        around = await neighbors(kg, ids, relation=relation, direction="out" if inverse else "in")
        for key, walked in zip(ids, around, strict=True):
            steps: list[Step] = [(t.head, t.relation, t.tail, inverse) for t in walked if t.end in seeds]
            used += [Used(answer=key, path=[step]) for step in steps]
    return _record(operator, inputs, _kept(done, ids), used=used)


class _Valued(TypedDict):
    """The values of entities, and the step that leads to each."""

    values: dict[str, list[Literal]]
    steps: dict[str, list[list[Step]]]


async def _values(ids: Sequence[str], by: Retrieved, kg: str) -> _Valued:
    """Each entity's own values along the chains that the sub-question for the value matched."""
    out = _Valued(values={key: [] for key in ids}, steps={key: [] for key in ids})
    for chain in by["match"]["chains"] if by["match"] else ():
        for key, paths in zip(ids, await _walked(ids, parse_chain(chain), kg), strict=True):
            ends = [head if inverse else tail for head, _, tail, inverse in (path[-1] for path in paths)]
            for label, path in zip(await get_labels(kg, ends), paths, strict=True):
                value = read_literal(label)
                if value is not None:
                    out["values"][key].append(value)
                    out["steps"][key].append(path)
    return out


async def _walked(ids: Sequence[str], chain: Sequence[Hop], kg: str) -> list[list[list[Step]]]:
    """For each entity its walks along a chain: of one hop all of them at once, else one by one."""
    if len(chain) == 1:
        (hop,) = chain
        direction = "in" if hop.inverse else "out"
        around = await neighbors(kg, ids, relation=hop.relation, direction=direction, limit=_VALUES_EACH)  # type: ignore[arg-type]  # one of the three words
        return [[[(t.head, t.relation, t.tail, t.inverse)] for t in walked] for walked in around]
    results = [await follow_chain(kg, [key], [tuple(chain)], _VALUES_EACH) for key in ids]
    return [[[(*step,) for step in item.path] for item in result.reached] for result in results]


async def _by_value(operator: OperatorState, inputs: Sequence[Retrieved], kg: str) -> Retrieved:
    """Filter and extreme: entities by the values that a second sub-question leads to from each of them."""
    base, by = inputs[0], inputs[1]
    ids = _ids(base)
    found = await _values(ids, by, kg)
    if operator["operator"] == "filter":
        bounds = bounds_of(operator["sign"], operator["value"])
        if len(inputs) > 2:
            labels = await get_labels(kg, _ids(inputs[2]))
            bounds = [(operator["sign"], value) for label in labels if (value := read_literal(label)) is not None][:1]
        chosen = filtered(ids, found["values"], bounds) if bounds else {}
    else:
        chosen = extremes(ids, found["values"], operator["sign"])
    used = [Used(answer=key, path=found["steps"][key][place]) for key, places in chosen.items() for place in places[:1]]
    if operator["asks_value"] and used:
        shown = found["values"][used[0]["answer"]][chosen[used[0]["answer"]][0]].shown
        return _record(operator, inputs, _value_entities(used), value=shown)
    return _record(operator, inputs, _kept(base, list(chosen)), used=used)


def _value_entities(used: Sequence[Used]) -> list[Found]:
    """The values themselves as what was found, each by the way from its entity."""
    ends: dict[str, Found] = {}
    for item in used:
        head, _, tail, inverse = item["path"][-1]
        end = head if inverse else tail
        ends.setdefault(end, Found(id=end, support=1, path=list(item["path"])))
    return list(ends.values())


async def _of_two(operator: OperatorState, inputs: Sequence[Retrieved], kg: str) -> Retrieved:
    """Compare and choose: by what each sub-question found, or by how much."""
    values: list[list[Literal]] = []
    for done in inputs:
        if operator["by"] == "count":
            values.append([Literal(float(len(done["found"])), len(done["found"]), "number")])
        else:
            labels = await get_labels(kg, _ids(done))
            values.append([value for label in labels if (value := read_literal(label)) is not None])
    if operator["operator"] == "compare":
        return _record(operator, inputs, [], value=compared(values[0], values[1], operator["sign"]))
    seeds = [done["seeds"][0] if done["seeds"] else "" for done in inputs]
    chosen = extremes(seeds, dict(zip(seeds, values, strict=True)), operator["sign"])
    used = [
        Used(answer=seed, path=list(item["path"]))
        for seed, done in zip(seeds, inputs, strict=True)
        for item in done["found"]
        if item["path"]
    ]
    found = [Found(id=seed, support=1, path=[]) for seed in seeds if seed in chosen]
    return _record(operator, inputs, found, used=used)
