"""Questions about matches: rows that join two things of one kind, each with a figure of its own.

A table of matches has two relations to teams (`home_team`, `away_team`) and two numbers (`home_score`, `away_score`)
that belong to them by a word of their names. Who won is in no cell; "who beat Arsenal 3-1 at home?" compares the two
numbers. Every word of a question has to be one of contests, a team's name, a value of the rows or what they are joined
to ("in the 2022-2023 season of Ligue 1") or a word without content: else nothing is read here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from typing import Any, NamedTuple

from trivium.kg.plans.plan import Value
from trivium.kg.text import tokens
from trivium.policies.reader.english import Language
from trivium.policies.reader.items import Item
from trivium.policies.reader.matching import Element
from trivium.policies.reader.names import words_of
from trivium.policies.reader.schema import Property, Schema, Walk
from trivium.policies.reader.sketch import Sketch
from trivium.policies.reader.tagging import Tagged

_SCORE = 2.0
_RESULT = re.compile(r"(?<![\w.-])(\d{1,2})\s?[-\u2013:]\s?(\d{1,2})(?![\w-]|\.\d)")
_COLUMNS = ("score", "goals", "goal", "points", "runs", "pts", "ft")
_VERBS = ("win", "lose", "draw", "play", "host", "visit", "score", "concede", "blank", "clean", "nil")
_BOTH = 2
_NOTHING = ("v", Value("number", 0.0))


class Contest(NamedTuple):
    """Rows of one type that join two things of another.

    Attributes:
        rows, sides: numbers of the types of rows and of what they join.
        relations, columns: of each side the relation and the name of its figure.
        at_home: whether the first side is at home, and the second is its guest.
        date: the name of the property that says when; "" where none or several do. timed: whether to the minute.
    """

    rows: int
    sides: int
    relations: tuple[int, int]
    columns: tuple[Property, Property]
    at_home: bool
    date: str
    timed: bool = False

    def of(self, side: int, team: Sketch) -> Sketch:
        """The rows in which a team is on a side."""
        return ("go", team, (Walk(self.relations[side], "in"),), self.rows, True)

    def teams(self, side: int, rows: Sketch) -> Sketch:
        """Those on a side of rows."""
        return ("go", rows, (Walk(self.relations[side], "out"),), self.sides, True)

    def term(self, side: int) -> Sketch:
        """The figure of a side."""
        return ("p", (), self.columns[side].name, "")


@dataclass
class _ContestQuestion:
    """What a question says of contests.

    Attributes:
        asks: `when`, `count`, `count_who`, `who`, `goals`, `did`.
        verb: what the subject does; `noun`: whether it is called by a noun ("wins"), before the subject.
        day: whether a date is asked for, without the time.
        side: `home` or `away`, where the subject is.
        before, after: teams named before and after the verb.
        result: the figures in the order said.
        only: sets of rows that all are in: those of a league, of a season.
        links: what was read as what.
    """

    asks: str = ""
    verb: str = ""
    noun: bool = False
    day: bool = False
    side: str = ""
    most: str = ""
    before: list[Sketch] = field(default_factory=list)
    after: list[Sketch] = field(default_factory=list)
    result: tuple[float, float] | None = None
    only: list[Sketch] = field(default_factory=list)
    links: list[Any] = field(default_factory=list)


class Matches:
    """Reads questions about the contests of a schema.

    Args:
        schema: in which contests are looked for.
        language: whose words there are for them.
    """

    def __init__(self, schema: Schema, language: Language) -> None:
        self._schema, self._language = schema, language

    @cached_property
    def contests(self) -> list[Contest]:
        """Those of the schema whose figures belong to their sides by name."""
        found = []
        ends = [(relation, head, tail) for relation, head, tail in self._schema.joins if head != tail]
        for one, rows, sides in ends:
            for other, *pair in ends:
                contest = self._contest(one, other, rows, sides) if one < other and pair == [rows, sides] else None
                found += [contest] if contest else []
        return found

    def _contest(self, one: int, other: int, rows: int, sides: int) -> Contest | None:
        first, second = (set(words_of(self._schema.names[each])) for each in (one, other))
        marks = first - second, second - first
        numbers = [each for each in self._schema.of_type[rows] if each.profile.kind == "number" and each.ordered]
        for word in _COLUMNS:
            own = [
                [each for each in numbers if mark <= (words := set(words_of(each.name))) and word in words]
                for mark in marks
            ]
            if all(marks) and all(len(each) == 1 for each in own):
                dates = [each for each in self._schema.of_type[rows] if each.dated]
                home = self._language.contests["home"]
                at_home = not marks[0].isdisjoint(home), not marks[1].isdisjoint(home)
                pair = (one, other) if not at_home[1] else (other, one)
                columns = (own[0][0], own[1][0]) if not at_home[1] else (own[1][0], own[0][0])
                date = dates[0].name if len(dates) == 1 else ""
                timed = bool(date) and dates[0].profile.kind == "datetime"
                return Contest(rows, sides, pair, columns, any(at_home), date, timed)
        return None

    def readings(self, tagged: Tagged) -> Iterator[tuple[Sketch, Item, float]]:
        """What a question asks of contests, as sketches; none where a word says something else."""
        for contest in self.contests:
            said = self._said(tagged, contest)
            sketch = _sketch(said, contest) if said is not None else None
            if sketch is not None and said is not None:
                kind = contest.sides if said.asks in ("who", "count_who") else contest.rows
                yield sketch, Item("S", sketch, kind, (), _SCORE, tuple(said.links)), _SCORE

    def _said(self, tagged: Tagged, contest: Contest) -> _ContestQuestion | None:
        """What the words of a question say of contests; None where one says anything else."""
        words, places, names = tokens(tagged.text), _places(tagged), self._names(tagged, contest)
        filters = self._filters(tagged, contest)
        beside = {word for *_, name in filters for word in words_of(name)}
        said, classes = _ContestQuestion(), self._language.contests
        score = _RESULT.search(tagged.text)
        said.result = (float(score[1]), float(score[2])) if score else None
        relations, named = [Element("relation", each) for each in contest.relations], -1
        for number, word in enumerate(words):
            place, before = places[number], words[number - 1].text if number else ""
            what: Element | str = word.text
            if score and score.start() <= word.start < score.end():
                pass
            elif place >= 0 and (found := next((each for each in names if each[0] <= place < each[1]), None)):
                if found[0] != named:
                    (said.after if said.verb else said.before).append(found[2])
                    said.side = said.side or ("away" if before == "at" and said.verb else "")
                named = found[0]
            elif place >= 0 and (only := next((each for each in filters if each[0] <= place < each[1]), None)):
                said.only += [] if only[2] in said.only else [only[2]]
                what = only[3]
            elif word.text in beside:
                pass  # "season 2022-2023"
            else:
                kind = next((name for name, known in classes.items() if word.text in known), "")
                if not _take(said, kind, word.text, before) and word.text not in self._language.stop:
                    return None
                what = Element("type", contest.rows) if kind == "match" else word.text
            if place >= 0:
                said.links += [(place, what, 1.0), *((place, each, 0.0) for each in relations)]
        return said

    def _names(self, tagged: Tagged, contest: Contest) -> list[tuple[int, int, Sketch]]:
        """The teams that a question names: from and to which position, and the team; the longest names first."""
        found = [
            (start, stop, item.node)
            for start, stop, item in tagged.items
            if item.category == "S" and item.form == "name" and item.node and item.node[0] == "ids"
            if len(item.node[2]) == 1 and self._schema.compatible(item.type, contest.sides)
        ]
        return sorted(found, key=lambda each: each[0] - each[1])

    def _filters(self, tagged: Tagged, contest: Contest) -> list[tuple[int, int, Sketch, Element, str]]:
        """What rows a question names by a value or by what they are joined to, which are no teams.

        From and to which position, the rows, what was read, and how the property or relation is called.
        """
        found = []
        for start, stop, item in tagged.items:
            if item.category != "S" or item.node is None or self._schema.compatible(item.type, contest.sides):
                continue
            element = item.links[0][1]
            if item.form == "value" and item.type == contest.rows and isinstance(element, Element):
                found.append((start, stop, item.node, element, self._schema.properties[item.node[2]].name))
            elif item.form == "name" and item.node[0] == "ids":
                ways = [r for r, head, tail in self._schema.joins if (head, tail) == (contest.rows, item.type)]
                if len(ways) == 1:
                    rows = ("go", item.node, (Walk(ways[0], "in"),), contest.rows, True)
                    found.append((start, stop, rows, Element("relation", ways[0]), self._schema.names[ways[0]]))
        return sorted(found, key=lambda each: each[0] - each[1])


def _places(tagged: Tagged) -> list[int]:
    """The position of each word of a question; -1 of those that have none."""
    words = [word.text for word in tokens(tagged.text)]
    found, start = [-1] * len(words), 0
    for place, text in enumerate(tagged.positions):
        own = [word.text for word in tokens(text)]
        at = next((n for n in range(start, len(words) - len(own) + 1) if words[n : n + len(own)] == own), -1)
        if at >= 0 and own:
            found[at : at + len(own)] = [place] * len(own)
            start = at + len(own)
    return found


def _take(said: _ContestQuestion, kind: str, word: str, before: str) -> bool:
    """Note what a word says; False where it says nothing of contests, or not in this place."""
    if kind.startswith("ask_"):
        ask = kind.removeprefix("ask_")
        said.day |= word in ("date", "day")
        if ask == "who" and said.asks in ("count", "who") and not said.verb:
            said.asks = "who" if said.asks == "who" else "count_who"
        elif ask == "goals" and (said.asks == "count" or not said.asks):
            said.asks = "goals"
        elif ask == "goals":
            return said.verb in ("score", "concede", "") or bool(said.most)
        elif not said.asks:
            said.asks = ask
        else:
            return ask == said.asks
        return True
    if kind == "home" and before == "from":
        return said.side == "away"  # "away from home"
    if kind in ("home", "away"):
        kept = said.side in ("", kind)
        said.side = kind
        return kept
    if kind == "most":
        said.most = word
        return True
    if kind == "fail":
        said.verb = said.verb or "blank"
        return said.verb == "blank"
    if kind in _VERBS:
        if (said.verb == "blank" and kind == "score") or (said.verb and kind == "play"):
            return True  # "fail to score", "score against X"
        kept = said.verb in ("", kind, "play")
        said.verb, said.noun = (
            kind,
            not said.before and said.asks == "count" and before in ("many", "of", "home", "away"),
        )
        return kept
    return kind in ("match", "idle")


def _sketch(said: _ContestQuestion, contest: Contest) -> Sketch | None:
    """What is said as a sketch; None where it says too little, or more than can be computed."""
    teams = [*said.before, *said.after]
    asked = said.asks if said.asks != "who" or said.most or teams else ""
    if len(teams) > _BOTH or not asked or not said.verb or (said.side and not contest.at_home):
        return None
    if said.most:
        return _first(said, contest) if asked == "who" and not teams and not said.result else None
    subject, other = None, None
    if len(teams) == _BOTH:
        subject, other = teams
    elif teams and (said.before or said.noun or asked == "goals"):
        subject = teams[0]
    elif teams:
        other = teams[0]
    return _asked(said, contest, subject, other)


def _asked(said: _ContestQuestion, contest: Contest, subject: Sketch | None, other: Sketch | None) -> Sketch | None:
    """What is asked of the rows with a subject and another team, where they are said."""
    sides = [0, 1] if contest.at_home or not said.side else []
    if said.verb in ("host", "visit") or said.side:
        sides = [0 if said.verb == "host" or (said.side == "home" and said.verb != "visit") else 1]
    if said.verb in ("host", "visit") and (not contest.at_home or said.side):
        return None
    rows = [_rows(said, contest, side, subject, other) for side in sides]
    if said.asks in ("who", "count_who"):
        if (subject is None) == (other is None):
            return None
        found = [
            contest.teams(side if subject is None else 1 - side, each) for side, each in zip(sides, rows, strict=True)
        ]
        return _any(found) if said.asks == "who" else ("count", _any(found))
    if said.asks == "goals":
        own = said.verb == "score"
        if subject is None or said.verb not in ("score", "concede") or said.result:
            return None
        sums = [
            ("agg", "sum", each, contest.term(side if own else 1 - side), False)
            for side, each in zip(sides, rows, strict=True)
        ]
        return sums[0] if len(sums) == 1 else ("plus", *sums)
    if said.asks == "count":
        named = subject is not None or (
            other is None and (said.verb in ("draw", "nil") or (said.verb == "win" and said.side))
        )
        return ("count", _any(rows[:1] if subject is None and said.verb != "win" else rows)) if named else None
    if subject is None or other is None:
        return None
    if said.asks == "when":
        part = "date" if said.day and contest.timed else ""
        return ("values", _any(rows), (("p", (), contest.date, part),)) if contest.date else None
    return ("yes", _any(rows))


def _rows(said: _ContestQuestion, contest: Contest, side: int, subject: Sketch | None, other: Sketch | None) -> Sketch:
    """The rows with the subject on a side, and what it did there."""
    rows: Sketch = ("all", contest.rows)
    parts = [contest.of(at, team) for at, team in ((side, subject), (1 - side, other)) if team is not None]
    parts += said.only
    if parts:
        rows = reduce(lambda one, part: ("and", one, part), parts)
    own, others = contest.term(side), contest.term(1 - side)
    sign = {"win": ">", "lose": "<", "draw": "="}.get(said.verb, "")
    if sign:
        rows = ("where", rows, ("cmp", own, sign, others))
    for term in {"blank": [own], "clean": [others], "nil": [own, others]}.get(said.verb, []):
        rows = ("where", rows, ("cmp", term, "=", _NOTHING))
    if said.result is not None:
        most, least = max(said.result), min(said.result)
        figures = (least, most) if said.verb == "lose" else (most, least) if said.verb == "win" else said.result
        for term, figure in zip((own, others), figures, strict=True):
            rows = ("where", rows, ("cmp", term, "=", ("v", Value("number", figure))))
    return rows


def _first(said: _ContestQuestion, contest: Contest) -> Sketch | None:
    """Those that did something the most at home, or away; both together no plan adds up."""
    if said.verb not in ("win", "lose", "draw", "score", "concede", "blank", "clean") or not said.side:
        return None
    side = 0 if said.side == "home" else 1
    hop = (Walk(contest.relations[side], "in"),)
    if said.verb in ("score", "concede"):
        figure = contest.columns[side if said.verb == "score" else 1 - side].name
        term: Sketch = ("a", hop, figure, "sum", False)
    else:
        term = ("n", hop, _rows(said, contest, side, None, None))
    return ("top", ("all", contest.sides), term, said.most == "most", 1)


def _any(sets: Sequence[Sketch]) -> Sketch:
    return sets[0] if len(sets) == 1 else ("or", *sets)
