"""What a KG holds for a person who asks it: the findings of `trivium kg report`."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from trivium.kg.embedded.columns import Int64
from trivium.kg.indexes import own_words
from trivium.kg.indexes.words import is_opaque
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.profile import GraphProfile, PropertyProfile
from trivium.kg.store import GraphStore
from trivium.kg.text import fold_name
from trivium.kg.types import Hop, RelationSchema
from trivium.knowledge.written_questions import WrittenQuestion, write_questions
from trivium.policies.reader.chains.natural import natural_templates

_EXAMPLES = 3
_LISTED = 10  # hubs, repeated names
_ALIKE = 0.9  # share of the smaller relation's pairs that the other has
_UNTYPED = 0.1  # share of entities without a type from which on it is said
_FEW = 3  # triples of a relation that is compared with others


@dataclass(frozen=True)
class TypeFinding:
    """A type, its entities, and those of them with most triples."""

    name: str
    entities: int
    examples: tuple[str, ...]


@dataclass(frozen=True)
class RelationFinding:
    """A relation.

    Attributes:
        name: its name.
        triples: how many.
        heads: the most frequent type of its heads; "" where they have none.
        tails: that of its tails.
        words: a question forward and one backward, with `…` for the name.
        opaque: its name has no word that a question could use.
    """

    name: str
    triples: int
    heads: str
    tails: str
    words: tuple[str, ...]
    opaque: bool


@dataclass(frozen=True)
class AlikeRelations:
    """Two relations that state the same pairs: in one direction (`duplicate`) or opposite ones (`inverse`).

    `share` is the part of the smaller one's pairs that the other has, in [0.9, 1].
    """

    one: str
    other: str
    kind: str
    share: float


@dataclass(frozen=True)
class GraphReport:
    """What a KG holds.

    Attributes:
        entities: how many.
        triples: how many, those with values too.
        types: most entities first.
        relations: between entities, most triples first.
        values: (type, property) with its statistics.
        hubs: entities with most triples: label, triples.
        degrees: entities by their number of triples: 1, 2-3, 4-7, …
        unnamed: entities whose only name is an id without a word.
        unnamed_examples: some of them.
        repeated: names of several entities: name, how many; most first.
        repeated_names: how many such names there are.
        alike: relations that look like inverses or duplicates.
        questions: what the KG can answer.
    """

    entities: int
    triples: int
    types: tuple[TypeFinding, ...]
    relations: tuple[RelationFinding, ...]
    values: tuple[tuple[str, PropertyProfile], ...]
    hubs: tuple[tuple[str, int], ...]
    degrees: tuple[tuple[str, int], ...]
    unnamed: int
    unnamed_examples: tuple[str, ...]
    repeated: tuple[tuple[str, int], ...]
    repeated_names: int
    alike: tuple[AlikeRelations, ...]
    questions: tuple[WrittenQuestion, ...]

    def advice(self) -> list[str]:
        """What to add so that more questions are understood, most important first."""
        out = []
        if self.unnamed:
            share = f"{self.unnamed:,} of {self.entities:,} entities have no name"
            out.append(f"{share} ({', '.join(self.unnamed_examples)}): add labels with kg build --entities F")
        opaque = [each.name for each in self.relations if each.opaque]
        if opaque:
            line = f'trivium kg word KG {shlex.quote(opaque[0])} "the words that people use"'
            names = f"{', '.join(opaque[:_LISTED])}{' …' if len(opaque) > _LISTED else ''}"
            out.append(f"relation names without words: {names}; for each of them run: {line}")
        untyped = sum(each.entities for each in self.types if not each.name)
        if untyped > _UNTYPED * self.entities:
            share = "entities" if untyped == self.entities else f"{untyped:,} of {self.entities:,} entities"
            out.append(f"{share} have no types: add them as the fourth column of kg build --entities F")
        out += [f"{each.one} and {each.other} look like {each.kind}s ({each.share:.0%})" for each in self.alike]
        return out


async def report_on(store: GraphStore, *, questions: int = 20, seed: int = 0) -> GraphReport:
    """Look through a whole KG; seconds for a million triples.

    Args:
        store: the KG.
        questions: how many that it can answer are written.
        seed: of their choice.

    Raises:
        NoCopyError: as `GraphStore.columns`.
    """
    columns, profile, schema, info = (
        await store.columns(), await store.profile(), await store.schema(), await store.info(),
    )  # fmt: skip
    relations = [each for each in schema if each.kind is None]
    degrees = np.diff(columns.indptr)
    order = np.argsort(-degrees, kind="stable")
    labels = columns.labels(np.arange(len(columns), dtype=np.int64))
    names = Counter(filter(None, map(fold_name, labels)))
    unnamed = [id_ for id_, label in zip(columns.ids, labels, strict=True) if id_ == label and is_opaque(label)]
    repeated = [(name, count) for name, count in names.most_common() if count > 1]
    return GraphReport(
        entities=info.entities,
        triples=info.triples,
        types=_types(columns, profile, degrees, labels),
        relations=_relations(relations),
        values=tuple((each.name, part) for each in profile.types for part in each.properties),
        hubs=tuple((labels[row], int(degrees[row])) for row in order[:_LISTED].tolist() if degrees[row]),
        degrees=_histogram(degrees),
        unnamed=len(unnamed),
        unnamed_examples=tuple(unnamed[:_EXAMPLES]),
        repeated=tuple(repeated[:_LISTED]),
        repeated_names=len(repeated),
        alike=_alike(columns, relations),
        questions=tuple(await write_questions(store, questions, seed=seed, unanswerable=0)),
    )


def _types(
    columns: GraphColumns, profile: GraphProfile, degrees: Int64, labels: Sequence[str]
) -> tuple[TypeFinding, ...]:
    out = []
    for each in profile.types:
        rows = columns.types.get(each.name, np.arange(0 if each.name else len(columns)))
        best = rows[np.argsort(-degrees[rows], kind="stable")[:_EXAMPLES]].tolist()
        out.append(TypeFinding(each.name, each.entities, tuple(labels[row] for row in best)))
    return tuple(out)


def _relations(relations: Sequence[RelationSchema]) -> tuple[RelationFinding, ...]:
    words: dict[Hop, str] = {}
    for template in natural_templates(relations):
        for chain in template.chains:
            words.setdefault(chain[0], template.text.replace("[mask]", "…"))
    return tuple(
        RelationFinding(
            each.name,
            each.triples,
            "".join(each.head_types[:1]),
            "".join(each.tail_types[:1]),
            tuple(words[hop] for hop in (Hop(each.name, False), Hop(each.name, True)) if hop in words),
            is_opaque(own_words(each.name)),
        )
        for each in relations
    )


def _histogram(degrees: Int64) -> tuple[tuple[str, int], ...]:
    """Entities by number of triples, each class twice as wide as the one before."""
    if not len(degrees) or not degrees.max():
        return ()
    classes = np.bincount(np.log2(np.maximum(degrees, 1)).astype(int))
    ends = [(1 << place, (2 << place) - 1) for place in range(len(classes))]
    return tuple(
        (str(low) if low == high else f"{low}-{high}", int(count))
        for (low, high), count in zip(ends, classes, strict=True)
    )


def _alike(columns: GraphColumns, relations: Sequence[RelationSchema]) -> tuple[AlikeRelations, ...]:
    """Pairs of relations whose ends are the same; a relation with itself where it is stored both ways is none."""
    pairs: dict[str, Int64] = {}
    turned: dict[str, Int64] = {}
    for each in relations:
        if each.triples >= _FEW and each.name in columns.relation_codes:
            starts, ends, _ = columns.pairs(columns.relation_codes[each.name])
            pairs[each.name] = starts.astype(np.int64) * len(columns) + ends
            turned[each.name] = ends.astype(np.int64) * len(columns) + starts
    out = []
    for one, other in combinations(pairs, 2):
        first, second = pairs[one], pairs[other]
        small, large = sorted((len(first), len(second)))
        if small < _ALIKE * large:
            continue
        for kind, keys in (("duplicate", second), ("inverse", turned[other])):
            share = len(np.intersect1d(first, keys)) / small
            if share >= _ALIKE:
                out.append(AlikeRelations(one, other, kind, share))
                break
    return tuple(out)
