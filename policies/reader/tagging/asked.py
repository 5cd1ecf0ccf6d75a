"""The type of the noun that a question starts with: "which *states* border …", "how many *rivers* …"."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from trivium.policies.reader.english import Language
from trivium.policies.reader.schema import Schema
from trivium.policies.reader.tagging.tagged import EXACTLY, NOUN, Tagged


@dataclass
class AskedNoun:
    """Finds the types that the head noun asks for."""

    schema: Schema
    language: Language

    def add(self, tagged: Tagged) -> None:
        """The type of the noun that a question starts with, unless the noun only says whose column is asked for."""
        if not tagged.positions:
            return
        asking, ones = (*tagged.first, "", "")[:2]
        tagged.asks_things |= asking in self.language.which and ones in self.language.classes.ones
        counts = {start for start, stop, item in tagged.items if item.category == "CNT" and stop == start + 1}
        ranked = {start for start, stop, item in tagged.items if item.category == "SUP" and stop == start + 1}
        found, columns, near = self._nouns(tagged)
        first = int(0 in counts or (0 in ranked and not found.get(0) and not any(tagged.gaps[1:2])))
        numbers = {start for start, stop, item in tagged.items if item.category == "NUM" and stop == start + 1}
        topped = {0, 1} <= ranked | numbers and ranked & {0, 1} and numbers & {0, 1} and not tagged.gaps[1]
        first = 2 if topped else first  # "top 3 employees", "four longest outages"
        values = {start for start, stop, item in tagged.items if item.form == "value" and stop == start + 1}
        if first in values and first not in found and not any(tagged.gaps[first + 1 : first + 2]):
            first += 1  # "drama films"
        counted = 0 in counts or (1 in counts and not tagged.gaps[1])
        which = bool(tagged.gaps[0] & self.language.which)
        nouns = found.get(first, {})
        if not nouns or first in columns or (stop := max(nouns)) >= len(tagged.positions):
            return
        while stop in found and not tagged.gaps[stop] and not self.language.is_many(tagged.positions[stop - 1]):
            nouns, stop = found[stop], max(found[stop])  # "crime locations"
            if stop >= len(tagged.positions):
                return
        if "s" in tagged.gaps[stop] or (not tagged.gaps[stop] and stop in columns | near):
            return
        who = any(
            start == 0 and item.links and item.links[0][1] in self.language.classes.who
            for start, _, item in tagged.items
        )
        if counted or which or who or topped or tagged.gaps[0] & self.language.commands:
            tagged.asked = frozenset(nouns[stop])
            tagged.asked_as = "count" if counted else "one" if which or who else "any"

    def _nouns(self, tagged: Tagged) -> tuple[dict[int, dict[int, set[int]]], set[int], set[int]]:
        """The types that nouns at each position name, by where they stop, and the positions that name columns alone.

        Last those of plurals that are like a column's name: "vehicle brands", by `make`.
        """
        exact: dict[int, dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
        near: dict[int, dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
        columns, like = set(), set()
        for start, stop, item in tagged.items:
            score = item.links[0][2] if item.links else 0.0
            # "which inspectors have …", not "which drama films"
            alone = stop >= len(tagged.positions) or tagged.gaps[stop]
            value = item.form == "value" and (stop - start > 1 or alone)
            if item.category == "S" and (item.form == "plain" or value):
                if score >= EXACTLY:
                    exact[start][stop].add(item.type)
                elif item.form == "plain" and score >= NOUN:
                    near[start][stop].add(item.type)
            elif item.category in ("P", "PL") and score >= NOUN and item.links[0][1] != "named":
                if item.category == "P" and any(self.schema.properties[each].naming for each in item.data):
                    continue
                if score >= EXACTLY:
                    columns.add(start)
                elif self.language.is_many(tagged.positions[start]) and start not in tagged.verbs:
                    like.add(start)
        return {**near, **exact}, columns, like - exact.keys() - near.keys()
