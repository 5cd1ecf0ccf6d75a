"""A plan said in words, to be compared with the question as a whole: "cities located in state texas"."""

from __future__ import annotations

from typing import Any

from trivium.kg.plans.columns import value_text
from trivium.kg.plans.plan import Value
from trivium.policies.reader.english import classes
from trivium.policies.reader.names import words_of
from trivium.policies.reader.schema import Schema, Walk
from trivium.policies.reader.sketch import Sketch

_SIGNS = {"=": "is", "!=": "is not", "<": "below", "<=": "at most", ">": "above", ">=": "at least"}
_FUNCTIONS = {"average": "average", "sum": "total", "minimum": "lowest", "maximum": "highest", "count": "number of"}


class Paraphrases:
    """Says sketches of one question in words.

    Args:
        schema: names of types, properties and relations.
        said: what the question calls the entities of an `ids` sketch.
    """

    def __init__(self, schema: Schema, said: dict[Sketch, str]) -> None:
        self._schema, self._said = schema, said
        self._known: dict[Sketch, str] = {}

    def say(self, sketch: Sketch) -> str:
        """The words of a set or result."""
        found = self._known.get(sketch)
        if found is None:
            found = self._known[sketch] = getattr(self, f"_{sketch[0]}")(*sketch[1:])
        return found

    def _type(self, number: int) -> str:
        if said := self._said.get(("all", number)):
            return said
        words = self._schema.types[number].words
        name = " ".join(words[0]) if words else "thing"
        return f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"

    def _relation(self, hop: Walk) -> str:
        words = words_of(self._schema.names[hop.relation])
        name = " ".join(words)
        if words[-1:] and words[-1] in classes().prepositions:
            return name if hop.direction != "in" else f"that is {name}"
        return f"that {name}" if hop.direction != "in" else f"{name} of"

    def _term(self, term: Sketch) -> str:
        if term[0] == "p":
            through = " ".join(" ".join(words_of(self._schema.names[hop.relation])) for hop in term[1])
            return f"{through} {' '.join(words_of(term[2]))} {term[3]}".strip()
        if term[0] == "n":
            return f"most {self._counted(term)}"
        if term[0] == "a":
            through = " ".join(" ".join(words_of(self._schema.names[hop.relation])) for hop in term[1])
            return f"{_FUNCTIONS[term[3]]} {' '.join(words_of(term[2]))} {through}"
        if term[0] == "w0":
            return " ".join(words_of(term[1]))
        return " ".join(" ".join(words_of(self._schema.names[hop.relation])) for hop in term[1])

    def _counted(self, term: Sketch) -> str:
        """What a count is of: "titles directed"."""
        through = " ".join(" ".join(words_of(self._schema.names[hop.relation])) for hop in term[1])
        if len(term) > 2:
            return f"{self.say(term[2])} {through}"
        hop = term[1][-1]
        ends = [(head, tail) for relation, head, tail in self._schema.joins if relation == hop.relation]
        reached = max((pair[hop.direction != "in"] for pair in ends), key=lambda kind: self._schema.types[kind].size)
        return f"{self._type(reached)} {through}"

    def _value(self, value: Any) -> str:
        if value[0] == "v":
            constant: Value = value[1]
            return value_text(constant)
        if value[0] == "vs":
            low, high = (each.value for each in value[1])
            if isinstance(low, float) and isinstance(high, float) and low % 10 == 0 and high == low + 9:
                return f"the {low:.0f}s"
            return " and ".join(str(each.value) for each in value[1])
        return self.say(value[1]) if value[0] == "plan" else self._term(value)

    def _condition(self, condition: Sketch) -> str:
        if condition[0] == "cmp":
            _, term, sign, value = condition
            if term[0] == "n":  # "at least 4 titles directed"
                return f"{_SIGNS.get(sign, sign)} {self._value(value)} {self._counted(term)}"
            return f"{self._term(term)} {_SIGNS.get(sign, sign)} {self._value(value)}"
        if condition[0] == "not":
            return f"not {self._condition(condition[1])}"
        if condition[0] == "has":
            hops = condition[1][1] if len(condition[1]) > 1 else ()
            own = " ".join(self._condition(hop.where) for hop in hops if hop.where)
            return f"{self._term(condition[1])} {own}"
        joined = " and " if condition[0] == "each" else " or "
        return joined.join(self._condition(each) for each in condition[1])

    def _ids(self, number: int, ids: tuple[str, ...]) -> str:
        kind = " ".join(self._schema.types[number].words[0]) if self._schema.types[number].words else ""
        return f"{kind} {self._said.get(('ids', number, ids), '')}".strip()

    def _all(self, number: int) -> str:
        return self._type(number)

    def _every(self) -> str:
        return "things"

    def _is(self, number: int, place: int, operator: str, value: Any) -> str:
        name = " ".join(words_of(self._schema.properties[place].name))
        return f"{self._type(number)} whose {name} {_SIGNS.get(operator, operator)} {self._value(value)}"

    def _and(self, one: Sketch, other: Sketch) -> str:
        return f"{self.say(one)} and {self.say(other)}"

    def _or(self, one: Sketch, other: Sketch) -> str:
        return f"{self.say(one)} or {self.say(other)}"

    def _same(self, source: Sketch, number: int) -> str:
        del number
        return f"same as {self.say(source)}"

    def _minus(self, one: Sketch, other: Sketch) -> str:
        return f"{self.say(one)} not {self.say(other)}"

    def _go(self, source: Sketch, hops: tuple[Walk, ...], number: int, sure: bool) -> str:
        del sure
        # Walked from the source: said from what is reached, backwards.
        steps = " ".join(self._relation(hop.back()) for hop in reversed(hops))
        own = " ".join(self._condition(hop.where) for hop in hops if hop.where)
        return f"{self._type(number)} {steps} {self.say(source)} {own}".strip()

    def _holds(self, one: Sketch, term: Sketch, sign: str, other: Sketch) -> str:
        return f"{self.say(one)} {self._term(term).removeprefix('most ')} {_SIGNS.get(sign, sign)} {self.say(other)}"

    def _than(self, one: Sketch, sign: str, other: Sketch) -> str:
        return f"{self.say(one)} {_SIGNS.get(sign, sign)} {self.say(other)}"

    def _where(self, source: Sketch, condition: Sketch) -> str:
        return f"{self.say(source)} with {self._condition(condition)}"

    def _top(self, source: Sketch, term: Sketch, descending: bool, limit: int | None, *_: Any) -> str:
        many = f"{limit} " if limit and limit > 1 else ""
        if term[0] == "n":
            return f"{many}{self.say(source)} with the {'most' if descending else 'fewest'} {self._counted(term)}"
        return f"{many}{self.say(source)} with the {'highest' if descending else 'lowest'} {self._term(term)}"

    def _values(self, source: Sketch, terms: tuple[Sketch, ...]) -> str:
        figures = frozenset(term for term in terms if term[0] in ("n", "a"))
        if not figures or terms[0] != ("e", ()):
            return f"{' and '.join(map(self._term, terms))} of {self.say(source)}"
        said, lists = " and ".join(map(self._figure, terms[1:])), False
        while source[0] == "where" and _only_lists(source[2], figures):
            source, lists = source[1], True
        return f"{said} for each {self.say(source).removesuffix('s')}" if lists else f"{self.say(source)} with {said}"

    def _figure(self, term: Sketch) -> str:
        """What a table says of each: "number of courses teaches"."""
        if term[0] != "n":
            return self._term(term)
        return f"number of {self.say(term[2]) if len(term) > 2 else self._counted(term)}"

    def _some(self, source: Sketch, limit: int, *_: Any) -> str:
        return f"{limit} {self.say(source)}"

    def _count(self, source: Sketch) -> str:
        return f"how many {self.say(source)}"

    def _plus(self, one: Sketch, other: Sketch) -> str:
        return f"{self.say(one)} and {self.say(other)}"

    def _calculate(self, operator: str, one: Sketch, other: Sketch) -> str:
        del operator
        return " ".join(self.say(each) for each in (one, other) if each[0] != "v")

    def _agg(self, function: str, source: Sketch, term: Sketch, distinct: bool = False) -> str:
        del distinct
        return f"{_FUNCTIONS[function]} {self._term(term)} of {self.say(source)}"

    def _walks(self, function: str, source: Sketch, hop: Walk, name: str, to: Sketch | None) -> str:
        end = f" and {self.say(to)}" if to else ""
        return f"{function} {' '.join(words_of(name))} {self._relation(hop)} {self.say(source)}{end}"

    def _tally(self, source: Sketch, hop: Walk, to: Sketch | None, start: int, key: Sketch, *said: str) -> str:
        del start
        value = self._walks(_FUNCTIONS[said[0]], source, hop, said[1], to)
        return f"{value} for each {self._term(key)}"

    def _often(self, source: Sketch, hop: Walk, name: str, *_: Any) -> str:
        return f"most frequent {' '.join(words_of(name))} {self._relation(hop)} {self.say(source)}"

    def _group(self, source: Sketch, keys: Any, aggregates: Any, *cut: Any) -> str:
        made = " and ".join(f"{_FUNCTIONS[f]} {self._term(t) if t else ''}" for f, t in aggregates)
        if len(cut) == len(("order", "descending", "limit")) and cut[2] and aggregates[0][0] == "sum":
            ranked = f"{'highest' if cut[1] else 'lowest'} {self._term(aggregates[0][1])}"
            return f"{' and '.join(map(self._term, keys))} with the {ranked} of {self.say(source)}"
        return f"{made} of {self.say(source)} for each {' and '.join(map(self._term, keys))}"

    def _multi(self, source: Sketch, aggregates: Any) -> str:
        return self._group(source, (), aggregates)

    def _yes(self, source: Sketch) -> str:
        return self.say(source)


def _only_lists(condition: Sketch, figures: frozenset[Sketch]) -> bool:
    """Whether a condition says only that a table's figures have something to count."""
    if condition[0] == "or":
        return all(_only_lists(each, figures) for each in condition[1])
    term = condition[1]
    return term in figures or (term[0] == "e" and ("n", term[1]) in figures)
