"""Relations that a value tells: what rows that join two things say that the one is to the other.

A credit of a person for a film has a job, a role in time of an agent for an article is that of the author. Such values
(director, author) are relations from the film to the person, and are read as those of a graph with a `director` are.
Only nouns for who does something are taken, and none that a relation or column of the graph is called by.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.plan import Value
from trivium.kg.text import tokens
from trivium.policies.reader.english import Language
from trivium.policies.reader.names import words_of
from trivium.policies.reader.roles import asks_who, tells_person
from trivium.policies.reader.schema import Schema, Told, Walk
from trivium.policies.reader.sketch import Sketch

_MOST = 60  # values of a category
_ROWS = 2  # rows with one value, on average, from which it is a category
_ONE = 0.95  # share of the rows that lead to one thing, from which they join it with another
_SAMPLED = 200  # rows whose labels are looked at
_LONGEST = 3  # words of a noun
_TAKEN = 24  # values of one category that become relations, those of the most rows


@dataclass
class ToldRelations:
    """Finds such relations in a graph's arrays.

    Args:
        columns: the graph.
        schema: its types and relations.
        language: nouns for who does something.
    """

    columns: GraphColumns
    schema: Schema
    language: Language

    def found(self) -> list[Told]:
        """The relations that values tell, by category those of the most rows first; deterministic."""
        return [*self._of_rows(), *self._of_relationships()]

    def _of_rows(self) -> Iterator[Told]:
        """Those of rows without names that join two things, as credits do."""
        for kind, ends in sorted(self._ends.items()):
            people = [(walk, end) for walk, end in ends if end in self._persons]
            if len({walk for walk, _ in people}) != 1 or not self._is_nameless(self.schema.types[kind].name):
                continue
            others = [(walk, end) for walk, end in ends if walk != people[0][0] and end != kind]
            for name, condition in self._categories(kind):
                used = {walk.relation for walk in condition[1][1]}
                joined = [(walk, end) for walk, end in others if walk.relation not in used]
                for first in dict.fromkeys(walk for walk, _ in joined):
                    pairs = [(head, tail) for walk, head in joined if walk == first for _, tail in people]
                    yield Told(name, (first.back(), people[0][0]), condition, tuple(pairs))

    @cached_property
    def _ends(self) -> dict[int, list[tuple[Walk, int]]]:
        """By type the things that each of its things leads to one of: the walk to them, and their type."""
        out: dict[int, list[tuple[Walk, int]]] = defaultdict(list)
        for relation, head, tail in sorted(self.schema.stored):
            profile = self.schema.profiles[self.schema.names[relation]]
            if profile.heads >= _ONE * profile.triples:
                out[head].append((Walk(relation, "out"), tail))
            if profile.tails >= _ONE * profile.triples:
                out[tail].append((Walk(relation, "in"), head))
        return out

    def _categories(self, kind: int) -> Iterator[tuple[str, Sketch]]:
        """The nouns that rows of a type have as a value or lead to, each with the condition on a row that it has it."""
        for column in self.schema.of_type[kind]:
            if column.profile.kind == "text" and not column.is_type and not column.profile.lists:
                term: Sketch = ("p", (), column.name, "")
                texts = self._values(self.schema.types[kind].name, column.name)
                for text, values in self._taken(texts, column.name):
                    yield text, ("cmp", term, "=", _one_of(values))
        for relation in sorted({relation for relation, head, _ in self.schema.stored if head == kind}):
            name = self.schema.names[relation]
            kinds = {tail for known, head, tail in self.schema.stored if (known, head) == (relation, kind)}
            other = not kinds.isdisjoint(self._telling) and not self._tells_role(name)
            if self.schema.profiles[name].tails > _MOST or other:
                continue
            ends = self._tails(self.schema.types[kind].name, name)
            rows = dict(zip(self.columns.labels(np.array([*ends], dtype=np.int64)), ends, strict=True))
            for text, values in self._taken({label: ends[row] for label, row in rows.items()}, name):
                ids = tuple(self.columns.ids[rows[each]] for each in values)
                yield text, ("cmp", ("e", (Walk(relation, "out"),)), "=", ("plan", ("ids", -1, ids)))

    def _of_relationships(self) -> Iterator[Told]:
        """Those of relationships that have such a value themselves."""
        for relation, name in enumerate(self.schema.names):
            profile, statements = self.schema.profiles.get(name), self.columns.statements.get(name)
            pairs = [(head, tail) for known, head, tail in sorted(self.schema.stored) if known == relation]
            plain = [pair for pair in pairs if self.schema.kinds.isdisjoint(pair)]
            sides = {(head in self._persons, tail in self._persons) for head, tail in plain}
            if profile is None or statements is None or sides not in ({(True, False)}, {(False, True)}):
                continue
            turned = (True, False) in sides
            for own in profile.properties:
                texts: Counter[str] = Counter()
                for column in statements.properties.get(own.name, ()) if own.kind == "text" else ():
                    texts.update(dict(zip(column.texts, np.diff(column.starts).tolist(), strict=True)))
                for text, values in self._taken(texts, own.name):
                    condition = ("cmp", ("w0", own.name), "=", _one_of(values))
                    walk = Walk(relation, "in" if turned else "out", condition)
                    told = (pair[::-1] if turned else pair for pair in pairs)
                    yield Told(text, (walk,), None, tuple(pair for pair in told if pair[1] in self._persons))

    def _taken(self, counts: Mapping[str, int], name: str) -> list[tuple[str, tuple[str, ...]]]:
        """The values of a category that are nouns for who does something and that nothing else is called by.

        Each with those that it stands for: actors may be actresses.
        """
        if not 1 < len(counts) <= _MOST or sum(counts.values()) < _ROWS * len(counts):
            return []
        nouns = [text for text in counts if self._is_doer(text, name) and not self._is_known(text)]
        nouns = sorted(nouns, key=lambda text: (-counts[text], text))[:_TAKEN]
        return [(text, (text, *(each for each in nouns if _is_she(each, text)))) for text in nouns]

    def _is_doer(self, text: str, column: str) -> bool:
        """Whether a text is a noun for who does something; in a column of roles, whether it ends as such nouns do."""
        words = words_of(text)
        if not 0 < len(words) <= _LONGEST or not text.replace(" ", "").replace("_", "").isalpha():
            return False
        noun = self.language.stem(words[-1])
        if noun in self.language.doers or asks_who(noun, self.language):
            return True
        return self._tells_role(column) and self.language.deed_of(words[-1]) != ""

    def _tells_role(self, name: str) -> bool:
        """Whether a column or relation is called by a word for roles: `job`, `withRole`."""
        concepts, stem = self.language.concepts, self.language.stem
        roles = concepts.get(stem("role"), frozenset())
        return any(roles & concepts.get(stem(word), frozenset()) for word in words_of(name))

    def _is_known(self, text: str) -> bool:
        """Whether a relation or column is called by a noun, or by what whoever is called so does: `directed_by`."""
        noun = words_of(text)
        stems = {self.language.stem(noun[-1]), self.language.deed_of(noun[-1])} if len(noun) == 1 else set[str]()
        return noun in self._names or any(
            len(name) == 1 and self.language.stem(name[0]) in stems for name in self._names
        )

    @cached_property
    def _names(self) -> frozenset[tuple[str, ...]]:
        """The words of the names of relations and columns, without those that say nothing."""
        named = [*self.schema.names, *(each.name for each in self.schema.properties)]
        idle = self.language.classes.in_names
        return frozenset(tuple(word for word in words_of(name) if word not in idle) for name in named)

    @cached_property
    def _telling(self) -> frozenset[int]:
        """The types whose things have facts of their own, which are no category of others."""
        columns = {each.type for each in self.schema.properties if not each.is_type}
        return frozenset(columns | {head for _, head, _ in self.schema.stored})

    @cached_property
    def _persons(self) -> frozenset[int]:
        """The types of those who do something: people, by what they are called or have."""
        return frozenset(
            number
            for number, role in enumerate(self.schema.types)
            if any(words and asks_who(words[-1], self.language) for words in role.words)
            or any(tells_person(column, self.language) for column in self.schema.of_type[number])
        )

    def _is_nameless(self, kind: str) -> bool:
        """Whether the things of a type are called by numbers or keys alone: `credit 7`."""
        rows = np.asarray(self.columns.types.get(kind, np.zeros(0, np.int64))[:_SAMPLED], dtype=np.int64)
        own = {self.language.stem(word) for word in words_of(kind)}

        def says_nothing(label: str) -> bool:
            words = [word.text for word in tokens(label)]
            return all(self.language.stem(word) in own or any(map(str.isdigit, word)) for word in words)

        return bool(len(rows)) and all(map(says_nothing, self.columns.labels(rows)))

    def _values(self, kind: str, name: str) -> Counter[str]:
        """How many things of a type have each value of a column."""
        members = np.zeros(len(self.columns), dtype=bool)
        members[self.columns.types[kind]] = True
        counts: Counter[str] = Counter()
        for column in self.columns.properties.get(name, ()):
            if column.kind == "text" and len(column.keys) <= _MOST:
                used = np.bincount(column.value_of_row[members[column.owners]], minlength=len(column.keys))
                counts.update({text: int(count) for text, count in zip(column.texts, used, strict=True) if count})
        return counts

    def _tails(self, kind: str, relation: str) -> dict[int, int]:
        """The rows that a relation leads to from things of a type, each with how often."""
        rows, columns = np.asarray(self.columns.types[kind], dtype=np.int64), self.columns
        lengths = columns.indptr[rows + 1] - columns.indptr[rows]
        before = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths)[:-1]))
        at = np.repeat(columns.indptr[rows] - before, lengths) + np.arange(int(lengths.sum()))
        ends = columns.ends[at][columns.codes[at] == columns.relation_codes.get(relation, -1)]
        found, counts = np.unique(ends[ends < len(columns)], return_counts=True)
        return dict(zip(found.tolist(), counts.tolist(), strict=True))


def _one_of(values: tuple[str, ...]) -> Sketch:
    """What a column is compared with: one value, or several of which it has one."""
    found = tuple(Value("text", each) for each in values)
    return ("v", found[0]) if len(found) == 1 else ("vs", found)


def _is_she(noun: str, other: str) -> bool:
    """Whether a noun is another one for women: an actress, a hostess."""
    base, she = other.casefold(), noun.casefold()
    return she == f"{base}ess" or (base[-2:] in ("er", "or") and she == f"{base[:-2]}ress")
