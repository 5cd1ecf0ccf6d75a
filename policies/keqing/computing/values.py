"""Which relation gives a set of entities a value that can be compared."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from trivium.kg.embedders import Embedder
from trivium.kg.indexes import relation_words
from trivium.kg.store import GraphStore
from trivium.kg.types import Hop
from trivium.policies.keqing.computing.literals import read_literal

_LOOKED_AT = 30  # entities, and
_AROUND = 200  # triples of each
_MOSTLY = 0.6  # share of a relation's tails that have to be values
_COMMON = 0.05  # share of the entities that have to have one


async def value_relations(ids: Sequence[str], store: GraphStore) -> list[str]:
    """Relations that lead from most of these entities to numbers, dates or words of a scale; the most common first."""
    looked_at = list(ids[:_LOOKED_AT])
    around = await store.neighbors(looked_at, direction="out", limit=_AROUND)
    tails: dict[str, list[str]] = defaultdict(list)
    having: Counter[str] = Counter()
    for walked in around:
        having.update({triple.relation for triple in walked})
        for triple in walked:
            tails[triple.relation].append(triple.tail)
    found = []
    for relation, ends in tails.items():
        labels = await store.labels(ends)
        share = sum(read_literal(label) is not None for label in labels) / len(labels)
        if share >= _MOSTLY and having[relation] >= _COMMON * len(looked_at):
            found.append(relation)
    return sorted(found, key=lambda relation: (-having[relation], relation))


def nearest_relation(relations: Sequence[str], words: str, embedder: Embedder) -> Hop | None:
    """Of these relations the one whose name is nearest in meaning to the question's words; None where there is none."""
    if not relations:
        return None
    if len(relations) == 1:
        return Hop(relations[0], inverse=False)
    asked, *named = embedder.embed([words, *(relation_words(relation) for relation in relations)])
    cosines = [float(asked @ vector) for vector in named]
    return Hop(relations[cosines.index(max(cosines))], inverse=False)


async def are_values(ids: Sequence[str], store: GraphStore) -> bool:
    """Whether most of these entities are values themselves."""
    labels = await store.labels(list(ids[:_LOOKED_AT]))
    return bool(labels) and sum(read_literal(label) is not None for label in labels) >= _MOSTLY * len(labels)
