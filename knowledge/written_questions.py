"""Questions with their answers, written from a KG: what it can be asked, and what it must not answer.

Worded from the schema (`trivium.policies.reader.chains.natural`), answered by query plans. Kinds: `relation` and
`inverse` (one hop), `two hops`, `value`, `condition`, `superlative`, `count`, and `unanswerable` (a name or a relation
that the KG lacks, a fact that an entity lacks, a relation of another type, a second hop that leads nowhere).
"""

from __future__ import annotations

import json
import random
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

import numpy as np

from trivium.kg.indexes import own_words, relation_words
from trivium.kg.plans.columns import Column, GraphColumns, number_text, value_text
from trivium.kg.plans.text import parse
from trivium.kg.profile import GraphProfile, PropertyProfile, TypeProfile
from trivium.kg.store import GraphStore
from trivium.kg.types import Hop, RelationSchema, schema_hops
from trivium.policies.reader.chains.natural import own_wordings, plural
from trivium.policies.reader.english import classes, english

UNANSWERABLE = "unanswerable"
_MOST_ANSWERS = 12  # a question with more answers says little about a method
_TRIES = 40  # a writer that fails so often in a row has nothing to say on this KG
_LONGEST = 60  # characters of a name


@dataclass(frozen=True)
class WrittenQuestion:
    """A question line (`trivium.kg.loaders.read_questions`): `answers` are ids or values as text, () for none."""

    id: str
    question: str
    answers: tuple[str, ...]
    kind: str

    def line(self) -> str:
        """As a line of a question file."""
        return json.dumps(asdict(self), ensure_ascii=False)


async def write_questions(
    store: GraphStore, count: int, *, seed: int = 0, unanswerable: float = 0.25
) -> list[WrittenQuestion]:
    """Write up to `count` different questions, the kinds in turn; fewer where the KG has too little for them.

    Args:
        store: the KG.
        count: how many.
        seed: of every choice; the same KG and seed give the same questions.
        unanswerable: share of questions that the KG cannot answer, in [0, 1].

    Raises:
        NoCopyError: as `GraphStore.profile`.
    """
    writer = _Writer(store, await store.columns(), await store.profile(), await store.schema(), random.Random(seed))
    none = round(count * unanswerable)
    found = await _in_turn(writer.answerable(), count - none)
    found += await _in_turn(writer.unanswerable(), none)
    return [WrittenQuestion(str(number), *each) for number, each in enumerate(found, 1)]


_Draft = tuple[str, tuple[str, ...], str]
"""Words, answers, kind."""


async def _in_turn(writers: Sequence[AsyncIterator[_Draft]], count: int) -> list[_Draft]:
    """One question of each writer in turn, no words twice, until there are `count` or all have ended."""
    found: dict[str, _Draft] = {}
    left = list(writers)
    while left and len(found) < count:
        for each in list(left):
            draft = await anext(each, None)
            if draft is None:
                left.remove(each)
            elif len(found) < count:
                found.setdefault(draft[0], draft)
    return list(found.values())


class _Writer:
    """Writes single questions; each method tries one, and returns None where what it chose gives none."""

    def __init__(
        self,
        store: GraphStore,
        columns: GraphColumns,
        profile: GraphProfile,
        schema: Sequence[RelationSchema],
        random_: random.Random,
    ) -> None:
        self._store, self._columns, self._profile, self._random = store, columns, profile, random_
        self._relations = {each.name: each for each in schema if each.kind is None and each.name in columns.relations}
        self._wordings = own_wordings(schema)
        mirrors = _mirrors(columns, self._relations)
        said = [each for name, each in self._relations.items() if name not in mirrors]
        self._hops = [hop for hop in schema_hops(said) if self._wordings.get(hop)]
        self._types = [each for each in profile.types if relation_words(each.name).replace(" ", "").isalpha()]
        self._named = [
            (each, part)
            for each in profile.types
            for part in each.properties
            # Nobody asks for the name of what is named, nor for its key.
            if _sayable(part) and part.name not in each.naming and not (part.unique and _is_key(part))
        ]
        self._numbers = [
            (each, part) for each, part in self._named if each.name and part.kind == "number" and not _is_key(part)
        ]
        self._forward = [hop for hop in self._hops if not hop.inverse]
        self._nouns = [hop for hop in self._forward if _is_noun(hop.relation, self._wordings[hop][0])]

    def answerable(self) -> list[AsyncIterator[_Draft]]:
        """Writers of questions with answers, by kind."""
        inverse = [hop for hop in self._hops if hop.inverse]
        counted = [
            hop for hop in self._hops if self._wordings[hop][0].startswith("which ") and self._leads_to_many(hop)
        ]
        return [
            self._repeat("relation", self._forward, self._one_hop),
            self._repeat("value", self._named, self._value),
            self._repeat("inverse", inverse, self._one_hop),
            self._repeat("superlative", self._numbers, self._superlative),
            self._repeat("condition", self._numbers, self._condition),
            self._repeat("count", counted, self._count),
            self._repeat("two hops", self._nouns, self._two_hops),
        ]

    def unanswerable(self) -> list[AsyncIterator[_Draft]]:
        """Writers of questions that the KG cannot answer."""
        return [
            self._repeat(UNANSWERABLE, self._forward, self._unknown_name),
            self._repeat(UNANSWERABLE, self._forward, self._lacking),
            self._repeat(UNANSWERABLE, self._forward, self._of_another_type),
            self._repeat(UNANSWERABLE, self._foreign_nouns(), self._absent_relation),
            self._repeat(UNANSWERABLE, self._nouns, self._second_lacking),
        ]

    async def _repeat(self, kind: str, subjects: Sequence[Any], write: Callable[[Any], Any]) -> AsyncIterator[_Draft]:
        """Questions of one kind, its subjects in a random order, again and again until nothing new comes of them."""
        failed = 0
        known = set[str]()
        while subjects and failed < _TRIES:
            for subject in self._random.sample(list(subjects), len(subjects)):
                made = await write(subject)
                if made is not None and made[0] not in known:
                    failed = 0
                    known.add(made[0])
                    yield (*made, kind)
                elif (failed := failed + 1) >= _TRIES:
                    break

    async def _one_hop(self, hop: Hop) -> tuple[str, tuple[str, ...]] | None:
        row = self._start(hop)
        name = await self._name(row)
        if name is None:
            return None
        relation, wording = self._relations[hop.relation], self._wordings[hop][0]
        [asked_for] = (relation.head_types if hop.inverse else relation.tail_types)[:1] or [""]
        named = asked_for and wording.startswith(f"which {plural(relation_words(asked_for))} ")
        only = f" | where is {_named(asked_for)}" if named else ""
        answers = await self._run(f"ids {_quoted(self._columns.ids[row])} | follow {_step(hop)}{only}")
        return (self._worded(hop, name), answers) if answers else None

    async def _two_hops(self, second: Hop) -> tuple[str, tuple[str, ...]] | None:
        """The B of the A of X, where what A reaches has a B."""
        made = await self._two_named(second)
        answers = await self._run(made[1]) if made else None
        return (made[0], answers) if made and answers else None

    async def _two_named(self, second: Hop) -> tuple[str, str] | None:
        """The B of the A of X in words, and as a plan; X has an A."""
        firsts = [hop for hop in self._nouns if hop != second]
        if not firsts:
            return None
        first = self._random.choice(firsts)
        row = self._start(first)
        name = await self._name(row)
        if name is None:
            return None
        words = f"what is the {own_words(second.relation)} of the {own_words(first.relation)} of {name}?"
        return words, f"ids {_quoted(self._columns.ids[row])} | follow {_step(first)}, {_step(second)}"

    async def _count(self, hop: Hop) -> tuple[str, tuple[str, ...]] | None:
        """How many, where the hop's own wording says which."""
        asked = await self._one_hop(hop)
        return (asked[0].replace("which ", "how many ", 1), (str(len(asked[1])),)) if asked else None

    async def _value(self, subject: tuple[TypeProfile, PropertyProfile]) -> tuple[str, tuple[str, ...]] | None:
        _, part = subject
        column = self._columns.main(part.name)
        if column is None or not len(column.owners):
            return None
        row = int(self._random.choice(column.owners))
        name = await self._name(row)
        if name is None:
            return None
        answers = await self._run(f"ids {_quoted(self._columns.ids[row])} | values {_named(part.name)}")
        return (f"what is the {_called(part)[0]} of {name}?", answers) if answers else None

    async def _superlative(self, subject: tuple[TypeProfile, PropertyProfile]) -> tuple[str, tuple[str, ...]] | None:
        kind, part = subject
        largest = self._random.random() < 0.7
        plan = f"type {_named(kind.name)} | where has {_named(part.name)} | {'top' if largest else 'bottom'} 2 by "
        both = (await self._store.run_plan(parse(plan + _named(part.name)))).entities
        column = self._columns.main(part.name)
        if len(both) < 2 or column is None:
            return None
        first, second = (self._keys(column, each.id) for each in both[:2])
        if not first or first == second:
            return None
        words = f"which {relation_words(kind.name)} has the {'highest' if largest else 'lowest'} "
        return f"{words}{_called(part)[0]}?", (both[0].id,)

    async def _condition(self, subject: tuple[TypeProfile, PropertyProfile]) -> tuple[str, tuple[str, ...]] | None:
        kind, part = subject
        column = self._columns.main(part.name)
        if column is None or len(column.keys) < 3:
            return None
        ends = column.keys[-min(len(column.keys) - 1, _MOST_ANSWERS) :]
        bound = number_text(float(self._random.choice(ends[:-1].tolist())))
        answers = await self._run(f"type {_named(kind.name)} | where {_named(part.name)} > {bound}")
        called, unit = _called(part)
        words = f"which {plural(relation_words(kind.name))} have a {called} above {f'{bound} {unit}'.strip()}?"
        return (words, answers) if answers else None

    async def _unknown_name(self, hop: Hop) -> tuple[str, tuple[str, ...]] | None:
        """A name with the letters of two others, which nothing in the KG resembles."""
        names = [await self._name(self._start(hop)) for _ in range(2)]
        if None in names:
            return None
        letters = sorted("".join(filter(str.isalpha, "".join(map(str, names)))).lower())
        self._random.shuffle(letters)
        made = "".join(letters[:9]).capitalize()
        [hits] = await self._store.find([made])
        return None if len(made) < 5 or hits else (self._worded(hop, made), ())

    async def _lacking(self, hop: Hop) -> tuple[str, tuple[str, ...]] | None:
        """A fact that others of its type have, and this entity has not."""
        heads = self._relations[hop.relation].head_types[:1]
        rows = self._columns.types.get(heads[0], np.empty(0)) if heads else np.arange(len(self._columns))
        return await self._without(hop, int(self._random.choice(rows))) if len(rows) else None

    async def _of_another_type(self, hop: Hop) -> tuple[str, tuple[str, ...]] | None:
        """A relation that no entity of the type has."""
        heads = set(self._relations[hop.relation].head_types)
        others = [each for each in self._types if each.name not in heads and each.name in self._columns.types]
        if not heads or not others:
            return None
        return await self._without(hop, int(self._random.choice(self._columns.types[self._random.choice(others).name])))

    def _foreign_nouns(self) -> list[str]:
        """Nouns that people ask for and that no relation, property or type of the KG has a word of."""
        names = [
            *self._relations,
            *(part.name for _, part in self._named),
            *(each.name for each in self._profile.types),
        ]
        own = {english().stem(word) for name in names for word in relation_words(name).split()}
        return [noun for noun in english().foreign if own.isdisjoint(map(english().stem, noun.split()))]

    async def _absent_relation(self, noun: str) -> tuple[str, tuple[str, ...]] | None:
        """A noun of no relation, asked of an entity that has facts."""
        name = await self._name(self._start(self._random.choice(self._hops))) if self._hops else None
        if name is None:
            return None
        return self._random.choice((f"what is the {noun} of {name}?", f"what is {name}'s {noun}?")), ()

    async def _second_lacking(self, second: Hop) -> tuple[str, tuple[str, ...]] | None:
        """The B of the A of X, where X has an A and none of them a B."""
        made = await self._two_named(second)
        if made is None:
            return None
        words, plan = made
        found = await self._store.run_plan(parse(plan), limit=1)
        return None if found.value is not None or any(True for _ in found.answers()) else (words, ())

    async def _without(self, hop: Hop, row: int) -> tuple[str, tuple[str, ...]] | None:
        """A question about a hop that does not leave the entity, in either direction, nor one that its words name."""
        name = await self._name(row)
        [leaving] = await self._store.hops([self._columns.ids[row]])
        words = self._content(hop.relation)
        if name is None or any(not words.isdisjoint(self._content(each.relation)) for each in leaving):
            return None
        return self._worded(hop, name), ()

    def _content(self, relation: str) -> set[str]:
        """The content words of a relation's name, by their stems; the name itself without any."""
        words = [word for word in relation_words(relation).split() if word not in english().stop]
        return {english().stem(word) for word in words} or {relation}

    def _start(self, hop: Hop) -> int:
        """The row of an entity from which the hop leads somewhere."""
        code = self._columns.relation_codes[hop.relation] + hop.inverse * len(self._columns.relations)
        starts, _, _ = self._columns.pairs(code)
        return int(starts[self._random.randrange(len(starts))]) if len(starts) else -1

    def _leads_to_many(self, hop: Hop) -> bool:
        relation = self._relations[hop.relation]
        return relation.triples > (relation.tails if hop.inverse else relation.heads)

    def _keys(self, column: Column, id_: str) -> list[float]:
        [row] = self._columns.rows([id_]).tolist()
        owners, values = column.by_owner
        low, high = np.searchsorted(owners, [row, row + 1])
        return sorted(column.keys[values[low:high]].tolist())

    async def _name(self, row: int) -> str | None:
        """The entity's label, where it names this entity alone and a person can say it."""
        if row < 0:
            return None
        [label] = self._columns.labels(np.array([row], dtype=np.int64))
        if not any(map(str.isalpha, label)) or len(label) > _LONGEST or "?" in label:
            return None
        [hits] = await self._store.find([label], limit=2, fuzzy=False)
        return label if len(hits) == 1 else None

    def _worded(self, hop: Hop, name: str) -> str:
        return self._wordings[hop][0].replace("[mask]", name)

    async def _run(self, plan: str) -> tuple[str, ...] | None:
        """The answers of a plan as ids and texts; None where there are none or too many."""
        result = await self._store.run_plan(parse(plan), limit=_MOST_ANSWERS + 1)
        if result.value is not None:
            return (value_text(result.value),)
        answers = tuple(dict.fromkeys(each["id"] for each in islice(result.answers(), _MOST_ANSWERS + 1)))
        return answers if 0 < len(answers) <= _MOST_ANSWERS else None


def _mirrors(columns: GraphColumns, relations: Mapping[str, RelationSchema]) -> set[str]:
    """Relations whose triples are another's turned around, of two the longer name: nobody asks for them by it."""
    out, before = set[str](), dict[int, list[str]]()
    for name in sorted(relations, key=lambda each: (len(each), each)):
        same = before.setdefault(relations[name].triples, [])
        starts, ends, _ = columns.pairs(columns.relation_codes[name])
        for other in same:
            back = columns.pairs(columns.relation_codes[other] + len(columns.relations))
            if np.array_equal(starts, back[0]) and np.array_equal(ends, back[1]):
                symmetric = np.array_equal(starts, columns.pairs(columns.relation_codes[other])[0])
                out |= set() if symmetric else {name}
        same.append(name)
    return out


def _sayable(part: PropertyProfile) -> bool:
    """Whether a person would ask for the property by its name: no key, no long text."""
    words = relation_words(part.name)
    short = max(map(len, part.examples), default=0) <= _LONGEST
    return words.replace(" ", "").isalpha() and _reads_as_noun(words) and short and not part.foreign_key


def _is_key(part: PropertyProfile) -> bool:
    """Whether numbers tell things apart and measure nothing: nobody asks for the highest `genre_id`."""
    return relation_words(part.name).split()[-1] in ("id", "ids", "key", "code", "number")


def _called(part: PropertyProfile) -> tuple[str, str]:
    """A property in words, and its unit where that is its whole name: `milliseconds` are a duration."""
    words = relation_words(part.name)
    measured = english().unit_hints.get(words, ()) if part.kind == "number" else ()
    return (measured[0], words) if measured else (words, "")


def _is_noun(relation: str, wording: str) -> bool:
    """Whether "the … of X" reads as English with the relation's name in it: what has a verb is worded with it."""
    words = own_words(relation)
    return wording.endswith(f" is the {words} of [mask]?") and _reads_as_noun(words)


def _reads_as_noun(words: str) -> bool:
    first, *rest = words.split()
    inner = [first, *(word for word in rest[:-1] if word != "of"), *rest[-1:]]
    return not any(word in classes().linking or word.endswith("ed") for word in inner)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _named(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _step(hop: Hop) -> str:
    return f"{'^' if hop.inverse else ''}{_named(hop.relation)}"
