"""Rules for conditions on parts of texts: how a name begins or ends, what a title has inside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from trivium.kg.profile import LABEL_PROPERTY
from trivium.policies.reader import scores
from trivium.policies.reader.items import Item
from trivium.policies.reader.rules.base import NAMED, NOT, WHOLE, Gap, Rule, is_one, likeness
from trivium.policies.reader.rules.sets import SetRules
from trivium.policies.reader.schema import is_short
from trivium.policies.reader.sketch import Sketch


class TextRules(SetRules):
    """Sets narrowed by a part of a text."""

    def _text_rules(self) -> Iterator[tuple[str, Rule]]:
        yield ("P CP", self._texts_named)

    def _texts_named(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "authors whose name begins with J", where these are texts of a column: those texts."""
        numbers, flag, *_ = right.data
        if flag != NAMED or numbers or likeness(left) < WHOLE:
            return
        links, score = (left.links, right.links), left.score + right.score - scores.ALL_OF_TYPE
        for column in (self._schema.properties[number] for number in left.data):
            if column.profile.kind == "text" and is_short(column) and not (column.naming or column.is_type):
                term = ("p", (), column.name, "")
                node = ("where", ("all", column.type), text_condition(term, *right.data[2:]))
                yield Item("X", node, column.type, ("values", (term,)), score, links, "set")

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
