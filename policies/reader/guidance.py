"""What a trained decomposer knows of a question's chains, brought to bear on plans.

A plan that walks from an entity by another chain than the one that its words mean, as the decomposer reads them, is
behind by as many nats. So what pairs taught stays in force where a question computes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trivium.kg.plans.plan import (
    Aggregate,
    Compare,
    Entities,
    Follow,
    Node,
    QueryPlan,
    Steps,
    Term,
    Top,
    ValueOf,
    Where,
    children,
)
from trivium.kg.types import Hop, LogicalChain

Chains = Mapping[str, Mapping[LogicalChain, float]]
"""For an entity's id the chains that may be meant to leave it, each with its nats behind the likeliest one, >= 0."""

_OTHER = 1.0

_Walk = tuple[str, LogicalChain]


def behind(plan: QueryPlan, chains: Chains) -> float:
    """Nats by which a plan's chains are behind the likeliest ones, summed over its entities; 0 without any known."""
    total = 0.0
    for entity in {walk[0] for walk in _walks(plan)}:
        known = chains.get(entity)
        if known:
            furthest = max(known.values())
            total += max(_behind(chain, known, furthest) for key, chain in _walks(plan) if key == entity)
    return total


def _behind(chain: LogicalChain, known: Mapping[LogicalChain, float], furthest: float) -> float:
    """Of a chain, by the likeliest known one that goes the same way; what only one of the two walks costs a nat a hop.

    A value read at the end is free: superlatives and bounds read one.
    """
    same = [
        less + _OTHER * (max(0, len(each) - len(chain)) + max(0, len(chain) - len(each) - 1))
        for each, less in known.items()
        if chain and each[: len(chain)] == chain[: len(each)]
    ]
    return min(same, default=furthest + _OTHER)


def _walks(node: Node) -> list[_Walk]:
    """The entities that a plan starts from, each with the whole chain that it walks, values at its end included."""
    match node:
        case ValueOf(source=source, columns=terms):
            return [each for term in terms for each in _read(_walks(source), term)] or _walks(source)
        case Aggregate(source=source, term=Term() as term) | Top(source=source, by=term):
            return _read(_walks(source), term)
        case Entities(ids=ids):
            return [(each, ()) for each in ids]
        case Follow(source=source, steps=steps):
            return [*_extended(_walks(source), steps), *_within(steps)]
        case Where(source=source, condition=condition):
            read = [each for term in _read_by(condition) for each in _read(_walks(source), term)]
            return [*(read or _walks(source)), *_conditions(condition)]
        case _:
            return [walk for part in children(node) for walk in _walks(part)]


def _read_by(condition: Node) -> list[Term]:
    return [condition.left] if isinstance(condition, Compare) and condition.left.property else []


def _read(walks: list[_Walk], term: Term) -> list[_Walk]:
    if term.relationship:
        return [*walks, *_within(term.steps)]
    if term.aggregate:
        return [*_extended(walks, term.steps), *_within(term.steps)]
    tail = (Hop(term.property, False),) if term.property else ()
    return [(key, (*chain, *tail)) for key, chain in _extended(walks, term.steps)]


def _extended(walks: list[_Walk], steps: Steps) -> list[_Walk]:
    hops = tuple(Hop(step.relation, step.direction == "in") for step in steps)
    return [(key, (*chain, *hops)) for key, chain in walks]


def _within(steps: Steps) -> Iterator[_Walk]:
    """Walks from what a step has to lead to, back over the step."""
    for step in steps:
        if isinstance(step.to, Compare) and not isinstance(step.to.right, Term | tuple):
            back = Hop(step.relation, step.direction != "in")
            yield from ((key, (*chain, back)) for key, chain in _walks(step.to.right))


def _conditions(condition: Node) -> list[_Walk]:
    """Walks from the entities of a condition, back over the steps that have to lead to them."""
    if isinstance(condition, Compare) and not isinstance(condition.right, Term | tuple):
        back = tuple(Hop(step.relation, step.direction != "in") for step in reversed(condition.left.steps))
        return [(key, (*chain, *back)) for key, chain in _walks(condition.right)]
    return [walk for part in children(condition) for walk in _conditions(part)]
