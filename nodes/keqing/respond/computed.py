"""What a computation leads to in the answer: its value, and the paths of everything that it counted or compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from trivium.nodes.keqing.state import KeqingState
from trivium.nodes.run.answer_record import PathRecord, path_record
from trivium.nodes.run.path_text import path_text
from trivium.nodes.run.state import Step
from trivium.tools.get_labels import get_labels

Value = bool | int | float | str

Trace = Callable[[str, Iterable[int]], list[list[Step]]]
"""Whole paths to an entity that some sub-questions found."""

_NAMED = 12  # entities named behind a number


def computed(state: KeqingState, trace: Trace) -> tuple[Value | None, list[PathRecord]]:
    """The value of the last operator, None where it gives entities, and the paths beside those of the answers.

    Paths support what an operator looked at: a counted film, a compared year; triples that it used for an answer
    support that answer.
    """
    operators, retrieved = state.get("operators") or [], state["retrieved"]
    done = [retrieved[str(operator["id"])] for operator in operators if str(operator["id"]) in retrieved]
    paths = [_path_to(used["answer"], used["path"]) for result in done for used in result.get("used", ())]
    if not done:
        return None, paths
    (last,) = [operator for operator in operators if operator["id"] == done[-1]["id"]]
    if last["operator"] in ("count", "compare", "choose"):
        for dep in last["dep"]:
            found = retrieved[str(dep)]["found"]
            paths += [path_record(path, item["id"]) for item in found for path in trace(item["id"], [dep])]
    return done[-1].get("value"), paths


def _path_to(answer: str, steps: Sequence[Step]) -> PathRecord:
    """The path of triples that a computation used, walked so that it ends at the answer."""
    head, _, tail, inverse = steps[-1]
    if (head if inverse else tail) != answer:
        steps = [(h, relation, t, not backwards) for h, relation, t, backwards in reversed(steps)]
    return path_record(steps, answer)


async def computed_sentence(value: Value, paths: list[PathRecord], kg: str) -> str:
    """The value in words, what it was computed from, and the first path of the evidence."""
    said = ("Yes" if value else "No") if isinstance(value, bool) else str(value)
    ids = list(dict.fromkeys(path["answer"] for path in paths))
    if not ids:
        return f"{said}."
    names = await get_labels(kg, ids[:_NAMED])
    more = f" and {len(ids) - len(names)} more" if len(ids) > len(names) else ""
    proof = "; ".join([await path_text(path, kg) for path in paths[:2]])
    return f"{said}. From {', '.join(names)}{more}. Evidence: {proof}."
