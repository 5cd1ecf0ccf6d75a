"""A KG in plain Python, slow and plainly right: what the stores are compared with."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from trivium.kg.content_hash import ContentHash, statement_lanes, statements_of, triple_lanes
from trivium.kg.types import Direction, LogicalChain, ReasoningPath, Triple, WalkedTriple


def random_triples(seed: int, *, entities: int = 30, relations: int = 4, triples: int = 120) -> list[Triple]:
    """Distinct triples of a seeded random graph, self-loops and parallel relations among them."""
    rng = random.Random(seed)
    made = {
        Triple(f"e{rng.randrange(entities)}", f"r{rng.randrange(relations)}", f"e{int(entities * rng.random() ** 2)}")
        for _ in range(triples)
    }
    return sorted(made)


class NaiveGraph:
    """The reference: every operation as its definition says, over a list of triples."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        self.all = sorted(set(triples))

    def steps(self, entity: str, direction: Direction = "both") -> Iterator[WalkedTriple]:
        """Every triple around an entity, walked away from it; a self-loop once."""
        for head, relation, tail in self.all:
            if head == entity and direction != "in":
                yield WalkedTriple(head, relation, tail, False)
            if tail == entity and direction != "out" and not (direction == "both" and head == tail):
                yield WalkedTriple(head, relation, tail, True)

    def neighbors(self, entity: str, relation: str | None, direction: Direction) -> list[WalkedTriple]:
        """As `GraphStore.neighbors` of one entity, without a limit."""
        found = [step for step in self.steps(entity, direction) if relation in (None, step.relation)]
        return sorted(found, key=lambda step: (step.relation, step.end, step.inverse))

    def degree(self, entity: str) -> int:
        """How many triples it has; a self-loop counts twice."""
        return sum((triple.head == entity) + (triple.tail == entity) for triple in self.all)

    def follow(self, seeds: Iterable[str], chain: LogicalChain) -> Counter[str]:
        """Entities reached, and how many distinct walks end in each."""
        known = {entity for triple in self.all for entity in (triple.head, triple.tail)}
        layer = Counter({seed: 1 for seed in seeds if seed in known})
        for relation, inverse in chain:
            after: Counter[str] = Counter()
            for head, name, tail in self.all:
                start, end = (tail, head) if inverse else (head, tail)
                if name == relation and layer[start]:
                    after[end] += layer[start]
            layer = after
        return layer

    def paths(self, source: str, target: str, max_hops: int) -> set[ReasoningPath]:
        """All simple paths of 1 to `max_hops` steps."""
        found: set[ReasoningPath] = set()

        def extend(path: ReasoningPath, visited: frozenset[str], at: str) -> None:
            if at == target:
                found.add(path)
            elif len(path) < max_hops:
                for step in self.steps(at):
                    if step.end not in visited:
                        extend((*path, step), visited | {step.end}, step.end)

        if source != target:
            extend((), frozenset([source]), source)
        return found


def is_path(path: ReasoningPath, start: str, end: str, stored: set[Triple]) -> bool:
    """Whether a path leads from start to end over stored triples."""
    at = start
    for step in path:
        if step.start != at or Triple(step.head, step.relation, step.tail) not in stored:
            return False
        at = step.end
    return at == end


def hash_triples(batches: Iterable[Sequence[Triple]]) -> str:
    """The content hash of a stream of batches of distinct triples, as `KGInfo.hash` shows it."""
    total, statements = ContentHash(), ContentHash()
    for batch in batches:
        total = total.plus(triple_lanes(batch))
        statements = statements.plus(statement_lanes(statements_of(batch)))
    return total.hexdigest(statements)
