"""Rules for conditions on parts of texts: how a name begins or ends, what a title has inside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from trivium.kg.profile import LABEL_PROPERTY
from trivium.policies.reader.items import Item
from trivium.policies.reader.rules.base import NAMED, NOT, is_one
from trivium.policies.reader.rules.sets import SetRules
from trivium.policies.reader.sketch import Sketch


class TextRules(SetRules):
    """Sets narrowed by a part of a text."""

    def _where_text(self, left: Item, right: Item, score: float, links: Any) -> Iterator[Item]:
        columns, flag, sign, value = right.data
        if is_one(left):
            return
        for term, cost in self._texts_of(left, columns, named=flag == NAMED):
            node = ("where", left.node, text_condition(term, sign, value))
            yield Item("S", node, left.type, (), score - cost, links, "set", True, left.extreme)

    def _texts_of(self, source: Item, columns: Sequence[int], *, named: bool) -> Iterator[tuple[Sketch, float]]:
        """The texts of a set that are meant, as terms with what each costs: columns, or what its things are called."""
        own = any(self._schema.compatible(source.type, self._schema.properties[number].type) for number in columns)
        if own or not named:
            yield from self._term(source, columns)
        elif (term := self._name_of(source.type)) is not None:
            yield term, 0.0

    def _name_of(self, kind: int) -> Sketch | None:
        """What things of a type are called, as a term; None of rows without names."""
        if kind in self.records:
            return None
        naming = [each for each in self._schema.of_type[kind] if each.naming]
        if kind in self.row_names:
            naming = [self._schema.properties[self.row_names[kind]]]
        return ("p", (), naming[0].name if len(naming) == 1 else LABEL_PROPERTY, "")


def text_condition(term: Sketch, sign: str, value: Sketch) -> Sketch:
    """The condition that a text has, or does not have, a part."""
    condition = ("cmp", term, sign.removeprefix(NOT), value)
    return ("not", condition) if sign.startswith(NOT) else condition
