"""Plans computed of several: the questions that one asks about several things are read apart, and joined.

"What percentage of the orders are from Germany", "are there more orders from Utah than from Ohio", "the difference in
price between A and B", "how many gin, rum and vodka cocktails are there": how a language says so is its own
(`trivium.policies.reader.english.compound`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

from trivium.kg.plans.plan import Holds, Operand, Value, nodes
from trivium.kg.text import fold_case
from trivium.policies.reader.asked_for import RESULTS
from trivium.policies.reader.candidates import Candidates
from trivium.policies.reader.english import Language
from trivium.policies.reader.english.clauses import plain as plainer
from trivium.policies.reader.english.compound import (
    ListOfNames,
    Share,
    TwoFigures,
    split_figures,
    split_list,
    split_shares,
)
from trivium.policies.reader.readings import Executor, Reading
from trivium.policies.reader.schema import Schema, Walk
from trivium.policies.reader.sketch import Drafter, Sketch
from trivium.policies.reader.tagging import Tagger

_NAME, _MEMBERS = 4, 8  # words of a listed name at either end of a list; members of a list
_NO_SETS = RESULTS | {"tally", "plus", "yes", "some"}

Ask = Callable[[str], Reading | None]
"""The best reading of a question."""


@dataclass
class Compounds:
    """Reads questions about several things as a question for each."""

    schema: Schema
    language: Language
    tagger: Tagger
    candidates: Candidates

    def of(self, question: str, plain: list[Reading], ask: Ask, run: Executor | None) -> list[Reading]:
        """The readings of a question, given those of the whole: what is computed of several first, not yet run."""
        question = plainer(" ".join(question.split()))  # runs of blanks would take patterns forever
        if shares := split_shares(question, self.language):
            return self._share(shares, plain, ask)
        if (figures := split_figures(question, self.language)) is not None:
            return self._figures(figures, plain, ask, run)
        if (listed := split_list(question)) is not None:
            return self._list(listed, plain, ask)
        return plain

    def _share(self, shares: Sequence[Share], plain: list[Reading], ask: Ask) -> list[Reading]:
        """The readings of a question for a share: of a column that is called so, else of the part in the whole."""
        said = fold_case(shares[0].word)
        if plain and any(fold_case(part.word) == said and part.score > 0 for part in plain[0].parts):
            return plain
        ways = [((each.part, each.whole), (each.part_of_total, each.total)) for each in shares]
        for pair in (way for each in ways for way in each):
            part, whole = _all_read(pair, ask) or (None, None)
            sketch = part and whole and share_of(part.sketch, whole.sketch, self.schema, percent=shares[0].percent)
            if part and whole and sketch:
                return [self._joined((part, whole), sketch), *plain]
        return _without(plain, shares[0].word)  # a figure is no share

    def _figures(self, found: TwoFigures, plain: list[Reading], ask: Ask, run: Executor | None) -> list[Reading]:
        """The readings of a question that compares two things' figures, in place of a set or a list."""
        if plain and any(isinstance(node, Operand) for node in nodes(plain[0].plan)):
            return plain  # of two columns
        called = plain and found.word == "difference"
        if called and any(found.word in fold_case(part.word).split() and part.score > 0 for part in plain[0].parts):
            return plain  # a column that is called so
        if not found.apart and plain and _is_read(plain[0]) and not plain[0].empty:
            return plain
        for pair in found.ways:
            one, other = _all_read(pair, ask) or (None, None)
            if one and other and one.sketch != other.sketch and self._comparable(one.sketch, other.sketch):
                if not found.apart:
                    return [self._joined((one, other), ("than", one.sketch, found.sign, other.sketch)), *plain]
                smaller = run is not None and run(Holds(one.plan, "<", other.plan)).size > 0  # type: ignore[arg-type]
                if found.sign and smaller != (found.sign == "<"):
                    return _without(plain, found.word)  # the other one is heavier
                sides = (other.sketch, one.sketch) if smaller else (one.sketch, other.sketch)
                return [self._joined((one, other), ("calculate", "-", *sides)), *plain]
        return _without(plain, found.word) if found.sign and found.apart else plain

    def _comparable(self, one: Sketch, other: Sketch) -> bool:
        """Whether two sketches are each one number of the same sort."""
        figures = {figure_of(each, self.schema) for each in (one, other)}
        single = all(each[0] != "values" or self.candidates.asked.is_single(each[1]) for each in (one, other))
        if len(figures) > 1 or None in figures or not single:
            return False
        kinds = [kind_of(each[1]) for each in (one, other)] if one[0] == "count" else [-1]
        return -1 in kinds or self.schema.compatible(*kinds)

    def _list(self, found: ListOfNames, plain: list[Reading], ask: Ask) -> list[Reading]:
        """The readings of a question for a figure for each member of a list."""
        members = self._members(found)
        if not members or (not found.each and plain and _is_table(plain[0])):
            return plain
        names, asked = members
        read = _all_read([asked.format(name) for name in names], ask)
        sketch = read and not any(each.empty for each in read) and for_each([each.sketch for each in read], self.schema)
        return [self._joined(read, sketch), *plain] if read and sketch else plain

    def _members(self, found: ListOfNames) -> tuple[list[str], str] | None:
        """The names of a list, and the question with a place for one of them; None where it lists other words."""
        before, after = found.before, found.after
        first = next((n for n in range(min(_NAME, len(before) - 1), 0, -1) if self._is_name(before[-n:])), 0)
        last = next((n for n in range(min(_NAME, len(after)), 0, -1) if self._is_name(after[:n])), 0)
        if not first or not last or len(found.between) + 2 > _MEMBERS:
            return None
        if not all(self._is_name(each.split()) for each in found.between):
            return None
        asked = " ".join((*before[:-first], "{}", *after[last:])).replace("{", "{{").replace("}", "}}")
        return [" ".join(before[-first:]), *found.between, " ".join(after[:last])], asked.replace("{{}}", "{}")

    def _is_name(self, words: Sequence[str]) -> bool:
        """Whether words are a thing's name or a value, all of them."""
        if len(words) > _NAME or {fold_case(words[0]), fold_case(words[-1])} & self.language.stop:
            return False
        tagged = self.tagger.tag(" ".join(words))
        whole = (0, len(tagged.positions))
        return any((start, stop) == whole and item.form in ("name", "value") for start, stop, item in tagged.items)

    def _joined(self, read: Sequence[Reading], sketch: Sketch) -> Reading:
        """The reading of what is computed of several, as doubtful as the most doubtful of them."""
        worst = min(read, key=lambda each: each.lexical)
        return replace(
            worst,
            plan=Drafter(self.schema).plan(sketch),
            sketch=sketch,
            outcome=None,
            parts=tuple(part for each in read for part in each.parts),
            repeats=any(each.repeats for each in read),
            other_sort=any(each.other_sort for each in read),
            unsaid=frozenset[str]().union(*(each.unsaid for each in read)),
            guessed=frozenset[str]().union(*(each.guessed for each in read)),
            opposed=frozenset[str]().union(*(each.opposed for each in read)),
            passed=frozenset[str]().union(*(each.passed for each in read)),
            borrowed=frozenset[str]().union(*(each.borrowed for each in read)),
        )


def _is_read(reading: Reading) -> bool:
    """Whether a question was read to the last word."""
    return not (reading.unread or reading.unused or reading.lacks)


def _all_read(questions: Sequence[str], ask: Ask) -> list[Reading] | None:
    """The best readings of questions; None where a word of one is not read."""
    out: list[Reading] = []
    for each in questions:
        found = ask(each)
        if found is None or not _is_read(found):
            return None
        out.append(found)
    return out


def _without(readings: list[Reading], word: str) -> list[Reading]:
    """Readings that do not do what a word asks for."""
    return [each if word in each.unused else replace(each, unused=(*each.unused, word)) for each in readings]


def _is_table(reading: Reading) -> bool:
    return reading.sketch[:1] in (("group",), ("tally",)) and _is_read(reading)


def figure_of(sketch: Sketch, schema: Schema) -> tuple[str, str] | None:
    """What a sketch's one number is: a function ("" for a value) and a column's name ("" for a count); else None."""
    if sketch[0] == "count":
        return "count", ""
    term = sketch[2][0] if sketch[0] == "values" and len(sketch[2]) == 1 else sketch[3] if sketch[0] == "agg" else None
    if term is None or term[0] != "p" or term[3:] not in ((), ("",)):
        return None
    if sketch[0] == "values" and term[1]:
        return None  # of several things that are joined to it
    numbers = all(each.profile.kind == "number" and not each.yearly for each in schema.called(term[2]))
    return (str(sketch[1]) if sketch[0] == "agg" else "", str(term[2])) if numbers else None


def share_of(part: Sketch, whole: Sketch, schema: Schema, *, percent: bool) -> Sketch | None:
    """The sketch of one number in another; None where they are no part and whole: of two kinds, or all of it."""
    if part == whole:
        return None
    if part[0] == "values" and whole[0] == "agg" and len(part[2]) == 1:  # one thing's only value is its sum
        part = ("agg", "sum", part[1], part[2][0])
    if part[0] == whole[0] == "agg":
        same = part[1] == whole[1] == "sum" and part[3][0] == "p" and whole[3][:2] == ("p", ())
        return _ratio(part, whole, percent=percent) if same and part[3][2] == whole[3][2] else None
    if part[:2] == ("values", whole) and len(part[2]) == 1 and part[2][0][:2] == ("p", ()):
        # "Which loans were returned" gives dates; a share of them is of those that have one.
        dated = all(each.dated for each in schema.called(part[2][0][2]))
        part = ("where", whole, ("has", part[2][0])) if dated else part
    if part[0] in _NO_SETS or whole[0] in _NO_SETS:
        return None
    kinds = kind_of(part), kind_of(whole)
    if -1 in kinds or not schema.compatible(*kinds):
        return None
    return _ratio(("count", part), ("count", whole), percent=percent)


def _ratio(part: Sketch, whole: Sketch, *, percent: bool) -> Sketch:
    share = ("calculate", "/", part, whole)
    return ("calculate", "*", ("v", Value("number", 100.0)), share) if percent else share


def kind_of(sketch: Sketch) -> int:
    """The type of the things of a set; -1 where it has none."""
    match sketch[0]:
        case "all" | "ids" | "is":
            return int(sketch[1])
        case "go":
            return int(sketch[3])
        case "and":
            return next((kind for each in _own_first(sketch[1:]) if (kind := kind_of(each)) >= 0), -1)
        case "where" | "top" | "minus" | "or":
            return kind_of(sketch[1])
        case _:
            return -1


def _own_first(parts: Sequence[Sketch]) -> list[Sketch]:
    return sorted(parts, key=lambda each: each[0] != "all")


def for_each(figures: Sequence[Sketch], schema: Schema) -> Sketch | None:
    """The table of figures that differ in one name or value; None where they differ in more."""
    kinds = {(each[0], each[1], *each[3:]) if each[0] == "agg" else each[:1] for each in figures}
    if len(kinds) > 1 or figures[0][0] not in ("count", "agg"):
        return None
    one = figures[0]
    found = _keyed([each[2 if one[0] == "agg" else 1] for each in figures], schema)
    if found is None:
        return None
    source, key = found
    aggregate = ("count", None) if one[0] == "count" else (one[1], one[3])
    return ("group", source, (key,), (aggregate,), None, False, None)


def _keyed(sets: Sequence[Sketch], schema: Schema) -> tuple[Sketch, Sketch] | None:
    """Sets that differ in one name or value as their union, and the term by which a member belongs to one of them."""
    first = sets[0]
    if len({(each[0], len(each)) for each in sets}) > 1 or len(set(sets)) < len(sets):
        return None
    match first[0]:
        case "and":
            parts = [[each[place] for each in sets] for place in (1, 2)]
            place = _differing(parts)
            found = _keyed(parts[place], schema) if place is not None else None
            return found and (
                ("and", *(found[0] if at == place else each[0] for at, each in enumerate(parts))),
                found[1],
            )
        case "where":
            place = _differing([[each[at] for each in sets] for at in (1, 2)])
            if place == 0:
                found = _keyed([each[1] for each in sets], schema)
                return found and (("where", found[0], first[2]), found[1])
            if place == 1:
                return _valued(first[1], [each[2] for each in sets], schema)
        case "go":
            if len({each[2:] for each in sets}) == 1:
                found = _led([each[1] for each in sets], first[2], schema)
                return found and (("go", found[0], *first[2:]), found[1])
        case "is":
            if first[3] == "=" and len({each[1:4] for each in sets}) == 1 and _is_one(first[2], schema):
                term = ("p", (), schema.properties[first[2]].name, "")
                return reduce(lambda one, other: ("or", one, other), sets), term
    return None


def _led(sets: Sequence[Sketch], hops: tuple[Walk, ...], schema: Schema) -> tuple[Sketch, Sketch] | None:
    """The same of what sets are reached from by hops, without a condition on the way."""
    first, back = sets[0], tuple(hop.back() for hop in reversed(hops))
    if any(hop.where for hop in hops):
        return None
    if all(each[0] == "ids" and len(each[2]) == 1 and each[1] == first[1] for each in sets):
        named = ("ids", first[1], tuple(each[2][0] for each in sets))
        return named, ("e", back, named)
    if first[0] == "go" and len({(each[0], *each[2:]) for each in sets}) == 1:
        found = _led([each[1] for each in sets], (*first[2], *hops), schema)
        return found and (("go", found[0], *first[2:]), found[1])
    return None


def _valued(source: Sketch, conditions: Sequence[Sketch], schema: Schema) -> tuple[Sketch, Sketch] | None:
    """Things of which a column is one of several values."""
    first = conditions[0]
    same = len({each[:3] for each in conditions}) == 1 and first[0] == "cmp" and first[2] == "="
    if not same or first[1][0] != "p" or any(each[3][0] != "v" for each in conditions):
        return None
    if any(each.profile.lists for each in schema.called(first[1][2])):
        return None
    values = ("vs", tuple(each[3][1] for each in conditions))
    return ("where", source, ("cmp", first[1], "=", values)), first[1]


def _is_one(number: int, schema: Schema) -> bool:
    """Whether things have one value of a column at most."""
    return not schema.properties[number].profile.lists


def _differing(parts: Sequence[Sequence[Any]]) -> int | None:
    """The one place at which sketches differ; None where they do at several."""
    places = [place for place, each in enumerate(parts) if len(set(each)) > 1]
    return places[0] if len(places) == 1 else None
