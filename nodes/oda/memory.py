"""ODA's memory, a network of paths (section 2.3), as pure functions over the steps that a state holds."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from trivium.kg.types import Hop, LogicalChain, WalkedTriple
from trivium.nodes.run.state import Step

Memory = list[list[Step]]
"""Paths in the order in which they began; each step starts where the one before it ended."""


def remember(memory: Sequence[Sequence[Step]], triples: Iterable[WalkedTriple], *, simple: bool = True) -> Memory:
    """The memory with more triples: each goes to the first path whose last tail is its head, else begins a path.

    `simple` (deviation 10): a triple that is there already is not taken up again, and a path does not come back to an
    entity that it has passed: such a triple begins a path of its own.
    """
    paths: Memory = [list(path) for path in memory]
    known = {tuple(step[:3]) for path in paths for step in path}
    for triple in triples:
        if simple and triple[:3] in known:
            continue
        known.add(triple[:3])
        fitting = (path for path in paths if _end(path[-1]) == triple.start)
        path = next((path for path in fitting if not (simple and triple.end in _passed(path))), None)
        if path is None:
            paths.append([_step(triple)])
        else:
            path.append(_step(triple))
    return paths


def triples_of(memory: Sequence[Sequence[Step]]) -> list[WalkedTriple]:
    """All triples of the memory, path by path."""
    return [WalkedTriple(*step) for path in memory for step in path]


def traces(memory: Sequence[Sequence[Step]], topics: Sequence[str]) -> dict[str, tuple[WalkedTriple, ...]]:
    """For each entity that the memory joins to a topic the shortest way from one, over the triples of all paths.

    Triples are walked as they were found, away from the topics. A topic has the empty way.
    """
    around: dict[str, list[WalkedTriple]] = {}
    for triple in triples_of(memory):
        around.setdefault(triple.start, []).append(triple)
    found: dict[str, tuple[WalkedTriple, ...]] = dict.fromkeys(topics, ())
    queue = deque(topics)
    while queue:
        entity = queue.popleft()
        for triple in around.get(entity, ()):
            if triple.end not in found:
                found[triple.end] = (*found[entity], triple)
                queue.append(triple.end)
    return found


def chain_of(path: Sequence[WalkedTriple]) -> LogicalChain:
    """The relations along a path."""
    return tuple(Hop(triple.relation, triple.inverse) for triple in path)


def start_of(path: Sequence[WalkedTriple], entity: str) -> str:
    """Where the way to an entity begins: the entity itself where the way is empty."""
    return path[0].start if path else entity


def chains_from(memory: Sequence[Sequence[Step]], topic: str) -> list[LogicalChain]:
    """The chains of one hop or more by which the memory leads from a topic, each once."""
    return list(dict.fromkeys(chain_of(way) for way in traces(memory, [topic]).values() if way))


def _step(triple: WalkedTriple) -> Step:
    return (triple.head, triple.relation, triple.tail, triple.inverse)


def _end(step: Step) -> str:
    return WalkedTriple(*step).end


def _passed(path: Sequence[Step]) -> set[str]:
    return {WalkedTriple(*path[0]).start, *(_end(step) for step in path)}
