"""What is claimed where a graph lacks what is asked: `trivium eval removed-facts [--part dev2] [--misses]`.

Each question of `trivium eval small-graphs` that is answered rightly is asked again of the graph without a property or
relation that its plan uses (`property`, `relation`), and, where it asks one thing for a fact, without that very fact
(`value`). What is still answered rightly, by another way, is no false claim.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from trivium.evals.small_graphs import PARTS, Asked, graphs, made, measure
from trivium.graphs.auto import graph
from trivium.kg.plans.codec import from_json
from trivium.kg.plans.plan import Entities, Follow, QueryPlan, Term, ValueOf
from trivium.kg.types import QualifiedTriple, Statement, Triple
from trivium.knowledge.knowledge import Knowledge, close_all
from trivium.nodes.auto.context import AutoContext
from trivium.nodes.run.operator import own_runs
from trivium.policies.reader.readings import elements_of

Kind = Literal["property", "relation", "value"]
_KEPT = frozenset({"type", "name"})  # what a graph hardly can do without


@dataclass(frozen=True, slots=True)
class Removed:
    """A question that was answered rightly, with the reply of the graph without `what`."""

    kind: Kind
    what: str
    asked: Asked

    @property
    def is_false(self) -> bool:
        """Whether something is claimed that is not right."""
        return self.asked.claims and not self.asked.right


def without(element: str) -> Callable[[Triple], Triple | None]:
    """Leaves out a relation or property, of entities and of relationships."""

    def change(triple: Triple) -> Triple | None:
        if triple.relation == element:
            return None
        if not isinstance(triple, QualifiedTriple):
            return triple
        left = (
            Statement(tuple(each for each in found.properties if each[0] != element), found.id)
            for found in triple.statements
        )
        kept = tuple(each for each in left if each.properties)
        return QualifiedTriple(*triple, kept) if kept else Triple(*triple)

    return change


def fact_of(plan: QueryPlan) -> tuple[str, str, bool] | None:
    """The entity, relation or property, and whether it is walked inversely, of a plan that looks up one fact."""
    match plan:
        case Follow(source=Entities(ids=(entity,)), steps=(step,)) if step.direction != "any":
            return entity, step.relation, step.direction == "in"
        case ValueOf(source=Entities(ids=(entity,)), columns=(column,)) if column == Term(property=column.property):
            return entity, column.property, False
    return None


def _without_facts(facts: Iterable[tuple[str, str, bool]]) -> Callable[[Triple], Triple | None]:
    known = set(facts)

    def change(triple: Triple) -> Triple | None:
        own = {(triple.head, triple.relation, False), (str(triple.tail), triple.relation, True)}
        return triple if known.isdisjoint(own) else None

    return change


async def removed(part: str, name: str, work: Path, min_confidence: float | None = None) -> list[Removed]:
    """The questions of a graph that are answered rightly, asked of it without what they ask for.

    Args:
        part: of `trivium eval small-graphs`.
        name: the graph's.
        work: a folder for the graphs that are made.
        min_confidence: from which the graphs without something claim; the whole one always does as it is set.
    """
    done = await measure(part, name, work / "whole")
    right = [(each, from_json(each.answer["plan"])) for each in done if _is_planned(each)]
    kinds = await _kinds(work / "whole" / part / name)
    facts = {each.question.id: fact for each, plan in right if (fact := fact_of(plan)) and fact[1] not in _KEPT}
    by_element: dict[str, list[Asked]] = defaultdict(list)
    for each, plan in right:
        for element in sorted(elements_of(plan) - _KEPT):
            by_element[element].append(each)
    out: list[Removed] = []
    for number, (element, asked) in enumerate(sorted(by_element.items())):
        kg = await made(part, name, work / str(number), without(element))
        again = await _again(asked, kg, min_confidence)
        out += [Removed(kinds.get(element, "property"), element, each) for each in again]
    if facts:
        kg = await made(part, name, work / "facts", _without_facts(facts.values()))
        again = await _again([each for each, _ in right if each.question.id in facts], kg, min_confidence)
        out += [Removed("value", facts[each.question.id][1], each) for each in again]
    return out


def _is_planned(asked: Asked) -> bool:
    return bool(asked.right and asked.question.answers and asked.answer["plan"])


async def _kinds(kg: Path) -> dict[str, Kind]:
    """What each name of a schema is; properties of relationships are not in it."""
    base = Knowledge.open(kg)
    try:
        return {each.name: "property" if each.kind else "relation" for each in await base.store.schema()}
    finally:
        await base.close()


async def _again(asked: Sequence[Asked], kg: Path, min_confidence: float | None) -> list[Asked]:
    context = AutoContext(kg=str(kg), min_confidence=min_confidence)
    try:
        return [
            Asked(
                each.graph,
                each.question,
                (await graph.ainvoke({"question": each.question.question}, context=context))["answer"],
            )
            for each in asked
        ]
    finally:
        await close_all()


def table(done: Iterable[Removed]) -> str:
    """A line a kind: questions, and in percent false claims, right by another way, `not_found`."""
    groups: dict[str, list[Removed]] = defaultdict(list)
    for each in done:
        groups[each.kind].append(each)
    lines = [f"{'without the':12} {'n':>5} {'false claims, %':>16} {'right, %':>9} {'not_found, %':>13}"]
    for kind, found in sorted(groups.items()):
        shares = [
            100 * sum(flags) / len(found)
            for flags in (
                [each.is_false for each in found],
                [each.asked.right for each in found],
                [each.asked.answer["stop_reason"] == "not_found" for each in found],
            )
        ]
        lines.append(f"{kind:12} {len(found):5} {shares[0]:16.1f} {shares[1]:9.1f} {shares[2]:13.1f}")
    return "\n".join(lines)


@own_runs()
def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, and with --misses what was claimed."""
    parser = argparse.ArgumentParser(prog="trivium eval removed-facts", description=__doc__)
    parser.add_argument("--part", choices=PARTS, default="dev", help="of `trivium eval small-graphs`")
    parser.add_argument("--misses", action="store_true", help="show the false claims")
    given = parser.parse_args(arguments)
    done: list[Removed] = []
    for name in graphs(given.part):
        with tempfile.TemporaryDirectory(prefix="trivium-") as work:
            done += asyncio.run(removed(given.part, name, Path(work)))
    print(table(done))
    for each in done if given.misses else ():
        if each.is_false:
            asked = each.asked
            print(f"{asked.graph} without {each.what}: {asked.question.question}\n    {asked.answer['answer']}")
