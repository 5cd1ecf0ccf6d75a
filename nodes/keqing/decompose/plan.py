"""The question read into a query plan, and the plan written as Keqing's sub-questions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from trivium.kg.plans.codec import to_json
from trivium.kg.plans.plan import (
    SETS,
    Aggregate,
    ChainStep,
    Entities,
    EntitySet,
    Follow,
    Intersect,
    Minus,
    Node,
    NonEmpty,
    OfType,
    QueryPlan,
    Term,
    Top,
    ValueOf,
    Where,
    chain_of,
    nodes,
    rewritten,
)
from trivium.kg.plans.sub_questions import PlanStep, sub_questions
from trivium.kg.plans.text import write
from trivium.kg.types import Hop, chain_text
from trivium.nodes.keqing.decompose.follow_up import Resolved, StandaloneQuestion
from trivium.nodes.keqing.state import SubQuestionState
from trivium.nodes.run.missing import Link
from trivium.tools.assess_reading import Assessment, assess_reading
from trivium.tools.describe_entities import describe_entities
from trivium.tools.read_question import Chains, Reading, is_any_fact, read_question
from trivium.tools.word_relations import word_relations


@dataclass(frozen=True, slots=True)
class Planned:
    """A question's plan.

    Attributes:
        reading: the best reading.
        others: those after it.
        steps: the plan as sub-questions.
        links: the plan's entities by label.
    """

    reading: Reading
    others: tuple[Reading, ...]
    steps: tuple[PlanStep, ...]
    links: dict[str, list[Link]]

    @property
    def is_chain(self) -> bool:
        """Whether the plan only follows chains from named entities, and intersects them."""
        return is_chain(self.reading.plan)

    def state(self) -> dict[str, Any]:
        """What the state keeps of it."""
        return {
            "plan": to_json(self.reading.plan),
            "plan_text": write(self.reading.plan),
            "sub_questions": [_sub_question(step) for step in self.steps],
            "links": self.links,
            "unread": [*self.reading.unread, *self.reading.unused],
        }

    @property
    def readings(self) -> tuple[Reading, ...]:
        """All of them, best first."""
        return (self.reading, *self.others)

    def log(self) -> dict[str, Any]:
        """The reading as the answer's log has it."""
        words = [[part.word, part.element, part.score] for part in self.reading.parts]
        unread = [*self.reading.unread, *self.reading.unused]
        text = write(self.reading.plan)
        return {"text": text, "words": words, "unread": unread}


async def plan_question(question: str, topics: Sequence[str], kg: str, chains: Chains | None = None) -> Planned | None:
    """The best reading of a question as a plan; None where no word of it could be read.

    Args:
        question: in words.
        topics: ids or labels of the entities that it is known to be about.
        kg: the KG.
        chains: what the trained decomposer knows of the chains that are meant.
    """
    found = await read_question(kg, question, topics, chains=chains)
    # A plan that only names the question's own entities answers nothing; a "yes" or "no" is never by half.
    readings = [
        each
        for each in found
        if not isinstance(each.plan, Entities) and not (isinstance(each.plan, NonEmpty) and each.unused)
    ]
    if not readings or is_any_fact(readings[0], found):
        return None
    return await planned(readings, kg)


async def plan_narrowed(resolved: Resolved, kg: str) -> tuple[Planned, Assessment] | None:
    """The plan of a follow-up that computes over the last answers, and how far its reading can be trusted.

    None where no plan computes it.
    """
    found = await plan_question(resolved.worded, [], kg, resolved.found.chains) if resolved.worded else None
    if found is None or found.is_chain:
        return None
    plan = _changed(found.reading.plan, lambda things: Intersect((things, Entities(resolved.ids))))
    if plan is None:
        return None
    assessment = await assess_reading(kg, resolved.worded, resolved.found, found.readings, plan=True)
    return await planned([replace(found.reading, plan=plan)], kg), assessment


async def plan_besides(read: Planned, others_than: Sequence[str], kg: str) -> Planned:
    """A plan without some of what it finds; itself where it is about no set of entities."""
    plan = _changed(read.reading.plan, lambda things: Minus(things, Entities(tuple(others_than))))
    return read if plan is None else await planned([replace(read.reading, plan=plan), *read.others], kg)


def _changed(plan: QueryPlan, change: Callable[[EntitySet], EntitySet]) -> QueryPlan | None:
    """A plan with the set that it finds, or computes over, changed; None where it is about no set."""
    if isinstance(plan, Aggregate | ValueOf | Top | Where) and isinstance(plan.source, SETS):
        return replace(plan, source=change(plan.source))
    return change(plan) if isinstance(plan, SETS) else None


async def plan_about_all(read: Planned, wording: StandaloneQuestion, kg: str) -> Planned:
    """The plan of a follow-up's wording, about all that are meant in place of the one that it names."""
    one, all_of_them = Entities((wording.one,)), Entities(tuple(hit.id for hit in wording.meant))
    plan = rewritten(read.reading.plan, lambda node: all_of_them if node == one else node)
    return await planned([replace(read.reading, plan=plan), *read.others], kg)


async def planned(readings: Sequence[Reading], kg: str) -> Planned:
    """The first of these readings as sub-questions; the others stay beside it."""
    best, *others = readings
    ids = list(dict.fromkeys(each for node in nodes(best.plan) if isinstance(node, Entities) for each in node.ids))
    found = await describe_entities(kg, ids, relations=False)
    labels = {each: entity.label for each, entity in zip(ids, found, strict=True) if entity is not None}
    wording = await word_relations(kg, _hops(best.plan))
    steps = sub_questions(best.plan, wording.get, labels)
    links = {label: [Link(id=each, label=label, score=1.0, degree=1, match="exact")] for each, label in labels.items()}
    return Planned(best, tuple(others), tuple(steps), links)


def written_reading(plan: QueryPlan) -> Reading:
    """A plan that a model wrote, as a reading without words."""
    return Reading(plan, score=0.0, parts=(), unread=(), unused=(), outcome=None, lexical=0.0)


def _hops(plan: QueryPlan) -> list[Hop]:
    """What templates are looked up for: the relations that a plan walks, and the properties that it reads."""
    found = [Hop(node.relation, node.direction == "in") for node in nodes(plan) if isinstance(node, ChainStep)]
    read = (name for node in nodes(plan) if isinstance(node, Term) for name in node.properties())
    return [*found, *(Hop(name, False) for name in read)]


def is_chain(plan: QueryPlan) -> bool:
    """Whether a plan is chains from named entities, their intersection, or one plain property at their end."""
    if isinstance(plan, ValueOf):
        (column, *more) = plan.columns
        if more or column != Term(property=column.property) or plan.limit is not None:
            return False
        return isinstance(plan.source, Entities | Follow | Intersect) and _chains(plan.source)
    return not isinstance(plan, Entities) and _chains(plan)


def _chains(node: Node) -> bool:
    match node:
        case Entities() | OfType(type=""):  # on a graph without types "films" may be any entity: no condition
            return True
        case Follow():
            return chain_of(node.steps) is not None and _chains(node.source)
        case Intersect():
            return all(map(_chains, node.sets))
        case _:
            return False


def _sub_question(step: PlanStep) -> SubQuestionState:
    record = SubQuestionState(
        id=step.id,
        question=step.question,
        dep=list(step.dep),
        seed_entities=list(step.seed_entities),
        excludes_used=False,
    )
    if step.chain is not None:
        record["chain"] = chain_text(step.chain)
    return record
