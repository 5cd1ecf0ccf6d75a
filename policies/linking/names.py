"""`NameIndex`: which entities a text may name; in a snapshot, and in memory, for tests and small graphs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from trivium.kg.embedded.search import find_named, find_partial, find_similar
from trivium.kg.embedded.snapshot import Snapshot
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.similarity import FUZZY, TYPO, any_order, is_typo, part_score
from trivium.kg.text import fold_name
from trivium.kg.types import EntityHit, MatchKind


class NamedEntity(NamedTuple):
    """An entity that a text may name.

    Attributes:
        id: its id.
        label: what it is called.
        types: its types, () where it has none.
        score: in (0, 1]; 1 is its name to the letter.
        degree: how many triples it has.
        match: how the text names it.
    """

    id: str
    label: str
    types: tuple[str, ...]
    score: float
    degree: int
    match: MatchKind


class NameIndex(Protocol):
    """Looks up many texts in one call; safe to call from several threads."""

    def find(self, texts: Sequence[str]) -> list[list[NamedEntity]]:
        """For each text the entities with that name but for case, accents and punctuation, best first."""
        ...

    def find_near(self, text: str, most: int = 10) -> list[NamedEntity]:
        """At most so many entities of whose name the text is a part, or that it is with a typo; best first."""
        ...


@dataclass
class MemoryNames:
    """Names in dictionaries.

    Args:
        entities: (id, label, types, names besides the label, degree).
        most: entities that a text gives at most.
    """

    entities: Iterable[tuple[str, str, tuple[str, ...], tuple[str, ...], int]]
    most: int = 400
    _by_name: dict[str, list[NamedEntity]] = field(default_factory=lambda: defaultdict(list), repr=False)
    _by_word: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set), repr=False)

    def __post_init__(self) -> None:
        for identifier, label, types, others, degree in self.entities:
            for place, name in enumerate(dict.fromkeys((label, *others))):
                folded = fold_name(name)
                if folded:
                    score = 1.0 if not place else 0.97
                    self._by_name[folded].append(NamedEntity(identifier, label, types, score, degree, "exact"))
                    for word in folded.split() if " " in folded else ():
                        self._by_word[word].add(folded)
        self.entities = ()

    def find(self, texts: Sequence[str]) -> list[list[NamedEntity]]:
        """See `NameIndex`."""
        return [self._by_name.get(fold_name(text), [])[: self.most] for text in texts]

    def find_near(self, text: str, most: int = 10) -> list[NamedEntity]:
        """Names that hold all words of the text, else those that it is with a typo."""
        from rapidfuzz import fuzz, process

        words = fold_name(text).split()
        if not words or len("".join(words)) < 3:
            return []
        holding = set.intersection(*(self._by_word.get(word, set()) for word in words))
        holding = {name for name in holding if Counter(words) <= Counter(name.split())}
        if holding:
            out = [
                each._replace(score=part_score(words, name) or any_order(words, name), match="partial")
                for name in holding
                for each in self._by_name[name]
            ]
        else:
            text = " ".join(words)
            near = process.extract(
                text, list(self._by_name), scorer=fuzz.ratio, score_cutoff=100 * TYPO / FUZZY, limit=5
            )
            out = [
                each._replace(score=score, match="fuzzy")
                for name, likeness, _ in near
                if is_typo(text, name, score := FUZZY * likeness / 100)
                for each in self._by_name[name]
            ]
        return sorted(out, key=lambda each: (-each.score, -each.degree, each.id))[:most]


_MOST = 200  # entities that share a name


class SnapshotNames:
    """See `trivium.policies.linking.names.NameIndex`; immutable as its snapshot is.

    Args:
        snapshot: the KG's.
        columns: the same graph as arrays, for the types of entities.
    """

    def __init__(self, snapshot: Snapshot, columns: GraphColumns) -> None:
        self._snapshot = snapshot
        self._types: list[tuple[str, set[int]]] = [(name, set(rows.tolist())) for name, rows in columns.types.items()]
        self._rows = columns.rows

    def find(self, texts: Sequence[str]) -> list[list[NamedEntity]]:
        """Exact and folded matches of each text, best first."""
        return [[self._named(hit) for hit in hits] for hits in find_named(self._snapshot, texts, limit=_MOST)]

    def find_near(self, text: str, most: int = 10) -> list[NamedEntity]:
        """Entities with a part of the name, else with the name mistyped."""
        if hits := find_partial(self._snapshot, text, limit=most):
            return [self._named(hit) for hit in hits]
        folded = fold_name(text)
        near = find_similar(self._snapshot, text)
        return [self._named(hit) for hit in near if is_typo(folded, fold_name(hit.label), hit.score)]

    def _named(self, hit: EntityHit) -> NamedEntity:
        row = int(self._rows([hit.id])[0])
        types = tuple(name for name, rows in self._types if row in rows)
        return NamedEntity(hit.id, hit.label, types, hit.score, hit.degree, hit.match)
