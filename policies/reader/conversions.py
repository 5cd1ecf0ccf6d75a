"""How many of one unit are in another: "how many meters are in a furlong?", by what both are of a third one.

Units, currencies and the like have a number each that says how many of a base unit they are (`conversionMultiplier`).
Of two of one kind the quotient of these numbers is what is asked for. Every word of a question has to be a name, or one
of those that say what one makes of another: else nothing is read here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from trivium.policies.reader.english import Language
from trivium.policies.reader.items import Item
from trivium.policies.reader.matching import Element
from trivium.policies.reader.names import words_of
from trivium.policies.reader.schema import Property, Schema
from trivium.policies.reader.sketch import Sketch
from trivium.policies.reader.tagging import Tagged

_SCORE = 2.0
_TWO = 2


@dataclass
class Conversions:
    """Reads questions for how many of one thing are in another over a schema whose things have factors."""

    schema: Schema
    language: Language

    @cached_property
    def factors(self) -> dict[int, Property]:
        """The column of factors of each type that has one, and whose things all begin at the same zero."""
        classes, found = self.language.classes, dict[int, Property]()
        for kind, columns in enumerate(self.schema.of_type):
            numbers = [each for each in columns if each.profile.kind == "number"]
            own = [each for each in numbers if _says(each, classes.converting, classes.factors)]
            zeros = [each.profile for each in numbers if _says(each, classes.converting, classes.zeros)]
            if len(own) == 1 and all(each.minimum == each.maximum for each in zeros):
                found[kind] = own[0]
        return found

    def readings(self, tagged: Tagged) -> Iterator[tuple[Sketch, Item, float]]:
        """How many of the first thing that a question names one of the second is, as a sketch; else none."""
        asks = tuple(tagged.positions[0].casefold().split()) if tagged.positions else ()
        if not self.factors or asks not in (("how", "many"), ("how", "much")):
            return
        named = dict[int, dict[int, tuple[int, Item]]]()  # where each name begins, by type, and where it ends
        for start, stop, item in tagged.items:
            one = item.form == "name" and item.node and item.node[0] == "ids" and len(item.node[2]) == 1
            known = named.get(start, {}).get(item.type)
            if item.category == "S" and one and (known is None or known[0] < stop):
                named.setdefault(start, {})[item.type] = stop, item
        place, names = 1, list[dict[int, tuple[int, Item]]]()
        while place < len(tagged.positions):
            if place in named:
                names.append(named[place])
                place = max(stop for stop, _ in named[place].values())
            elif tagged.positions[place].casefold() in self.language.classes.making:
                place += 1
            else:
                return
        if len(names) == _TWO:
            yield from self._quotient(tagged, *names)

    def _quotient(
        self, tagged: Tagged, ones: dict[int, tuple[int, Item]], others: dict[int, tuple[int, Item]]
    ) -> Iterator[tuple[Sketch, Item, float]]:
        kind = min(others, key=lambda each: self.schema.types[each].size)  # of one kind: lengths, areas
        if kind not in ones or kind not in self.factors or ones[kind][1].node == others[kind][1].node:
            return
        one, other, column = ones[kind][1], others[kind][1], self.factors[kind]
        term = ("p", (), column.name, "")
        sketch = ("calculate", "/", ("values", other.node, (term,)), ("values", one.node, (term,)))
        said = (each for item in (one, other) for each in item.links)
        rest = tuple((place, Element("property", column.number), 1.0) for place in range(len(tagged.positions)))
        yield sketch, Item("S", sketch, kind, (), _SCORE, (*said, *rest)), _SCORE


def _says(column: Property, converting: frozenset[str], last: frozenset[str]) -> bool:
    words = words_of(column.name)
    return not converting.isdisjoint(words) and words[-1] in last
