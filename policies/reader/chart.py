"""The chart: items of neighboring spans combined into larger readings, joins taken from the schema graph.

The rules stand in `trivium.policies.reader.rules`, a file a subject: a rule belongs to a pair of categories
(`trivium.policies.reader.items`) and gives the items that two neighbors of these make together. Scores add up
(`trivium.policies.reader.scores`).
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from heapq import heapify, heappush, heapreplace
from operator import attrgetter, itemgetter
from typing import Any, TypeAlias

from trivium.policies.reader import scores
from trivium.policies.reader.columns import Columns
from trivium.policies.reader.english import WordClasses
from trivium.policies.reader.items import Category, Item
from trivium.policies.reader.rules.base import NONE, Gap, Rule
from trivium.policies.reader.rules.columns import ColumnRules
from trivium.policies.reader.rules.comparisons import ComparisonRules
from trivium.policies.reader.rules.modifiers import ModifierRules
from trivium.policies.reader.rules.superlatives import SuperlativeRules
from trivium.policies.reader.schema import Property, Schema
from trivium.policies.reader.tagging import Tagged

Cell: TypeAlias = dict[Category, list[Item]]

_total = itemgetter(0)
_score = attrgetter("score")
_LIMIT = ("limit",)
_ENDED = frozenset({"M", "R"})
"""Categories that reach sets by themselves."""


class _Readings:
    """The readings of a span, each meaning once; those behind the `beam` best of their category are left out.

    All stay that reach sets by themselves.

    Attributes:
        found: by what they mean.
        best: the best score so far.
    """

    __slots__ = ("_beam", "_scores", "best", "found")

    def __init__(self, beam: int) -> None:
        self.found: dict[tuple[Any, ...], Item] = {}
        self.best = NONE
        self._beam = beam
        self._scores: dict[Category, list[float]] = defaultdict(list)  # of the best of each category, a heap

    def least(self, category: Category) -> float:
        """The score below which a reading of a category is left out."""
        known = self._scores[category]
        return known[0] if len(known) == self._beam else NONE

    def add(self, item: Item, least: float = NONE) -> None:
        """Add a reading that scores at `least` this; of two that mean the same the better one stays."""
        score, known = item.score, self._scores[item.category]
        full = len(known) == self._beam
        if score < least or (full and score < known[0] and item.category not in _ENDED):
            return
        self.best = max(self.best, score)
        key = item.category, item.node, item.type, item.data
        other = self.found.setdefault(key, item)  # trees of sketches: to hash one takes as long as to make it
        if other is not item:
            if score <= other.score:
                return
            self.found[key] = item
            if other.score in known:
                known.remove(other.score)
                heapify(known)
                full = False
        if not full:
            heappush(known, score)
        elif score > known[0]:
            heapreplace(known, score)


class Chart(ColumnRules, ModifierRules, SuperlativeRules, ComparisonRules):
    """Parses tagged questions of one schema by all rules; holds no state of a question."""

    def __init__(self, schema: Schema, columns: Columns, silent: frozenset[int], words: WordClasses) -> None:
        super().__init__(schema, columns, silent, words)
        rules: dict[tuple[Category, Category], list[Rule]] = defaultdict(list)
        for pair, rule in self._all_rules():
            left, right = pair.split()
            rules[left, right].append(rule)  # type: ignore[index]
        self._rules = dict(rules)
        self._ordering = (self._extreme, self._extreme_after, self._by_key)

    def _all_rules(self) -> Iterator[tuple[str, Rule]]:
        yield from self._set_rules()
        yield from self._modifier_rules()
        yield from self._column_rules()
        yield from self._condition_rules()
        yield from self._superlative_rules()
        yield from self._comparison_rules()
        yield from self._result_rules()
        yield from self._group_rules()
        yield from self._relationship_rules()

    def counts(self, column: Property) -> bool:
        """Whether there may be more or fewer of what a column holds."""
        return self._columns.counts(column)

    def parse(self, tagged: Tagged, deadline: float) -> list[Item]:
        """Readings of the whole question, best first; when `deadline` (`time.monotonic`) is past, what there is."""
        size = len(tagged.positions)
        cells: dict[tuple[int, int], Cell] = {}
        seeds: dict[tuple[int, int], list[Item]] = defaultdict(list)
        for start, stop, item in tagged.items:
            seeds[start, stop].append(item)
        work = scores.WORK
        for length in range(1, size + 1):
            for start in range(size - length + 1):
                late = work <= 0 or time.monotonic() > deadline
                whole = length == size
                most = scores.LATE_PAIRS if late else scores.ROOT_PAIRS if whole else scores.PAIRS
                single = length == 1  # what a word means shows beside others
                beam = scores.BEAM if whole or single else scores.LATE_BEAM if late else scores.beam(size)
                found, done = self._fill(tagged, cells, seeds, start, start + length, most, beam)
                work -= done
                cells[start, start + length] = self._prune(found, beam, 60 if whole or single else scores.CELL)
        last = cells.get((0, size), {})
        return sorted((item for items in last.values() for item in items), key=lambda item: -item.score)

    def _fill(
        self,
        tagged: Tagged,
        cells: dict[tuple[int, int], Cell],
        seeds: dict[tuple[int, int], list[Item]],
        start: int,
        stop: int,
        most: int,
        beam: int,
    ) -> tuple[dict[tuple[Any, ...], Item], int]:
        """The readings of a span, from the `most` best pairs of neighbors in it, and how many readings were made."""
        kept = _Readings(beam)
        for item in (*seeds.get((start, stop), ()), *self._skipping(tagged, cells, start, stop)):
            kept.add(item)
        window = scores.ROOT_WINDOW if stop - start == len(tagged.positions) else scores.WINDOW
        least = max((item.score for item in kept.found.values()), default=-100.0) - window
        done = 0
        for total, a, b, rules, gap in self._pairs(tagged, cells, start, stop, least)[:most]:
            if total < least:
                break
            between = gap | b.lead if b.lead else gap
            limited = a.data[:1] == _LIMIT or b.data[:1] == _LIMIT
            for rule in rules:
                bounded = self._bounded.get(rule)
                if bounded is None:
                    reads = rule(a, b, between)
                else:
                    result: Category = "X" if "X" in (a.category, b.category) else "S"
                    reads = bounded(a, b, between, max(least, kept.least(result)))
                for item in reads:
                    done += 1
                    if item is None or item.score < least:
                        continue
                    # "4 engines" is a top 4 only with something to order by; else its number is left unread.
                    lost = limited and rule not in self._ordering and item.data[:1] != _LIMIT
                    kept.add(item.worse(scores.LOST_LIMIT) if lost else item, least)
                    least = max(least, kept.best - window)
        for item in [item for item in kept.found.values() if item.category in _ENDED]:
            for end in self._other_end(item) if item.category == "M" else self._all_reached(item):
                kept.add(end)
        return kept.found, done

    @staticmethod
    def _skipping(tagged: Tagged, cells: dict[tuple[int, int], Cell], start: int, stop: int) -> Iterator[Item]:
        """Readings that leave the first or the last position unread."""
        if stop - start > 1:
            for side, place in (((start + 1, stop), start), ((start, stop - 1), stop - 1)):
                for items in cells[side].values():
                    for item in items:
                        out = item.worse(tagged.unread[place])
                        if place == start and tagged.gaps[start + 1]:
                            out.lead = item.lead | tagged.gaps[start + 1]
                        yield out

    def _pairs(
        self, tagged: Tagged, cells: dict[tuple[int, int], Cell], start: int, stop: int, least: float
    ) -> list[tuple[float, Item, Item, list[Rule], Gap]]:
        """Neighbors in a span that rules may combine, by the sum of their scores, at `least` this, best first."""
        out = []
        for split in range(start + 1, stop):
            left, right, gap = cells[start, split], cells[split, stop], tagged.gaps[split]
            for one, ones in left.items():
                for other, others in right.items():
                    rules = self._rules.get((one, other))
                    if rules is None:
                        continue
                    for a in ones:
                        if a.score + others[0].score < least:
                            break
                        for b in others:
                            total = a.score + b.score
                            if total < least:
                                break
                            out.append((total, a, b, rules, gap))
        out.sort(key=_total, reverse=True)
        return out

    @staticmethod
    def _prune(found: dict[tuple[Any, ...], Item], beam: int, most: int) -> Cell:
        cell: Cell = {}
        total = 0
        for item in sorted(found.values(), key=_score, reverse=True):
            kept = cell.setdefault(item.category, [])
            if len(kept) < beam:
                kept.append(item)
                total += 1
                if total >= most:
                    break
        return cell
