"""English as the reader needs it: operators and question words (`words.toml`), synonyms (`concepts.txt`, …).

Another language is a folder beside it with the words of these lists in its own (`trivium.policies.reader.gloss`).
"""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from trivium.kg.plans.plan import Arithmetic
from trivium.kg.text import IN_U, irregular_singular, singular

FOLDER = Path(__file__).parent
_BASE = 4  # letters of a verb without its ending from which nouns are told to be made of it
_DOER = 3  # letters of who does something without the ending, at least: "box-er"
_TWO = frozenset({"or", "than", "as"})
DECADE = re.compile(r"((?:1\d|20)?\d0)s$|(twent|thirt|fort|fift|sixt|sevent|eight|ninet)ies$")
"""A decade in digits or in words: `1950s`, `80s`, `eighties`."""
_RANKED = {"max": ">", "min": "<"}  # signs of what ranks two things
_TENS = ("twent", "thirt", "fort", "fift", "sixt", "sevent", "eight", "ninet")

Phrase = tuple[str, ...]
"""Folded words of an operator, as they follow each other in a question."""


@dataclass(frozen=True)
class Superlative:
    """What a superlative ranks by.

    Attributes:
        direction: `max`, `min`; `most`, `least`, `fewest`, `count` rank by a count.
        hints: words of the columns that it ranks by, best first; none: any column.
    """

    direction: str
    hints: tuple[str, ...]


@dataclass(frozen=True)
class Comparative:
    """A sign (`>`, `<=`, `!=`, `before`, `between`, `age>`, …) and words of the columns that it compares."""

    sign: str
    hints: tuple[str, ...]


class Deed(NamedTuple):
    """Nouns of who does a deed and of what it is done to ("director", "film")."""

    doers: tuple[str, ...]
    things: tuple[str, ...]


@dataclass(frozen=True)
class WordClasses:
    """Closed classes of words by what they do in a question; `words.toml` says it of each beside its words."""

    asking: frozenset[str]
    yes_no: frozenset[str]
    may: frozenset[str]
    once: frozenset[str]
    revised: frozenset[str]
    sexed: frozenset[str]
    sexes: frozenset[str]
    kinds: frozenset[str]
    sorts: frozenset[str]
    same: frozenset[str]
    ones_like_it: frozenset[str]
    exclusion: frozenset[str]
    function: frozenset[str]
    amassing: frozenset[str]
    doers: frozenset[str]
    lacking: frozenset[str]
    until: frozenset[str]
    who: frozenset[str]
    subjects: frozenset[str]
    occurring: frozenset[str]
    weights: frozenset[str]
    members: frozenset[str]
    uncomputed: frozenset[str]
    of_any_column: frozenset[str]
    adverbs: frozenset[str]
    happening: frozenset[str]
    verbs_too: frozenset[str]
    of_persons: frozenset[str]
    persons: frozenset[str]
    identity: frozenset[str]
    no_figure: frozenset[str]
    open: frozenset[str]
    do: frozenset[str]
    being: frozenset[str]
    parting: frozenset[str]
    present: frozenset[str]
    leading: frozenset[str]
    before_nouns: frozenset[str]
    before_one: frozenset[str]
    before_kinds: frozenset[str]
    before_wholes: frozenset[str]
    ones_making: frozenset[str]
    ones_own: frozenset[str]
    selves: frozenset[str]
    converting: frozenset[str]
    factors: frozenset[str]
    zeros: frozenset[str]
    making: frozenset[str]
    memberships: frozenset[str]
    apart: frozenset[str]
    inside: frozenset[str]
    across: frozenset[str]
    with_: frozenset[str]
    clauses: frozenset[str]
    others: frozenset[str]
    ones: frozenset[str]
    each: frozenset[str]
    any_: frozenset[str]
    having: frozenset[str]
    rows: frozenset[str]
    files: frozenset[str]
    occasions: frozenset[str]
    dating: frozenset[str]
    anybody: frozenset[str]
    physical: frozenset[str]
    added: frozenset[str]
    unit_columns: frozenset[str]
    earning: frozenset[str]
    idle_deeds: frozenset[str]
    worth: frozenset[str]
    pieces: frozenset[str]
    unadded: frozenset[str]
    spells: frozenset[str]
    one_of_many: frozenset[str]
    overall: frozenset[str]
    within: frozenset[str]
    alone: frozenset[str]
    theirs: frozenset[str]
    among: frozenset[str]
    joining: frozenset[str]
    hyphened: frozenset[str]
    joins: frozenset[str]
    in_names: frozenset[str]
    stop_stems: frozenset[str]
    prepositions: frozenset[str]
    ends: frozenset[str]
    literal: frozenset[str]
    linking: frozenset[str]
    verbs_of_names: frozenset[str]
    any_type: frozenset[str]
    peoples: frozenset[str]
    auxiliaries: frozenset[str]
    dropped_verbs: frozenset[str]
    asks_or_orders: frozenset[str]
    little: frozenset[str]
    no_topic: frozenset[str]
    placeholders: frozenset[str]
    you: frozenset[str]
    asks: frozenset[str]
    parts_of_years: frozenset[str]
    parts_of_days: frozenset[str]
    parts_of_dates: frozenset[str]
    endings: frozenset[str]
    reasons: frozenset[str]
    causing: frozenset[str]
    when_where: frozenset[str]
    noun_endings: frozenset[str]
    nouns_in_est: frozenset[str]
    gatherings: frozenset[str]
    numbered_kinds: frozenset[str]
    counting_up: frozenset[str]

    @cached_property
    def question(self) -> frozenset[str]:
        """Words that every question may hold."""
        return self.function | self.asking | self.kinds | self.same | self.ones_like_it

    @cached_property
    def phrasing(self) -> frozenset[str]:
        """Words that questions are made of: by themselves no names, though a film may be called "From"."""
        return self.question | self.prepositions | self.little

    @cached_property
    def idle(self) -> frozenset[str]:
        """Words that speak for no relation, auxiliaries among them."""
        return self.auxiliaries | self.little

    @cached_property
    def empty(self) -> frozenset[str]:
        """Words that a commonsense KG has as concepts and that tell nothing apart: "someone", "need to", "you"."""
        return self.idle | self.no_topic | self.placeholders | self.you

    @cached_property
    def unnamed(self) -> frozenset[str]:
        """Words that by themselves name nothing."""
        return self.idle | self.asks_or_orders


@dataclass(frozen=True)
class Language:
    """The word lists of one language; words are folded, `irregular` gives base forms.

    Attributes:
        concepts: for a stem, the numbers of the concepts that it belongs to.
        doers: for a stem, the numbers of those in which it is who does the deed, and no word for the deed.
        deeds: for a stem of a deed ("direct"), the nouns of who does it and of what it is done to.
        ordinals: superlatives that are adverbs too ("first"), unless they follow one of `ranked_after`.
        places: ordinals that count a column up: "second", 2.
        how_often: words for how often something was: "twice", 2.
        grouped_parts: words for the parts of dates that are grouped by: "monthly", month.
        hours: words for hours of the day: "noon", 12.
        year_parts: parts of a year, with their months: "quarter", 3.
        idle: phrases that say nothing, unless the graph has one of their words: "on file".
        half: the words that add one half to a number in words.
        more: words that compare two things by a count, with the sign.
        of_two: comparatives that rank two things: "older".
        counted: words for what a column counts, with words of that column: "people", "population".
        verbs: verbs among the `stop` words that relations may be called by: "know".
        vague: adjectives without a bound of their own ("major"): as superlatives, read as above or below the average.
        hierarchy: words around a name that ask for what is above or under it.
        hierarchy_names: names of relations to what is "wider" and to what is "narrower", in words.
        text_parts: words for how a text begins or ends and for what it has inside.
        other_names: words that ask what things are called besides, in short, and in another language.
        short_names: words of columns of short names, the likest first: those that are `sure`, and others.
        idioms: phrases with the plainer words for the same, as `re.sub` takes them.
        kin: for a noun for a relative, the noun without the sex, and the sex ("" for either): mother, (parent, female).
        which: question words that a noun may follow: "which states".
        sides: for a stem of a verb of little meaning of its own ("make", "receive"), the sides of a deed that its
            subject is on: `agent`, `patient`.
        kinds_of_value: last words of a name that say of what kind its value is: `releaseDate`.
        carried: nouns that count, unless a property is called so: "quantity of".
        degrees: words behind degrees, with words of the columns that they are of: "north", "latitude".
        together: words for several columns, with a word of each: "coordinates", latitude and longitude.
        measures: for a unit, what it measures and how many of the smallest unit it is: "hours", (time, 3600).
        contests: words of contests by what they say: `win`, `host`.
        spans: words for how far two columns are apart, and for how long something lasts, by what they say.
        arithmetic: phrases between two columns that are computed with, and the operator: "divided by", /.
        shares: words that ask for a share, and what stands between the whole and the part.
        opposites: words of columns for the beginning and for the end of one thing; the first pair is of a life.
        measured: what a hint of superlatives and bounds measures, as `measures` calls it: "price", money.
        identity: the noun for what "who is X" and "what does X do" ask for.
        origin: nouns for what "where is X from" asks for.
        commands: verbs before what is asked for: "list the states".
        requests: beginnings of what is asked for politely: "could you gather …".
        foreign: nouns that people ask for and hardly a graph records: "shoe size".
        asked: for a stem of a noun, the question words that ask for it, with weights in (0, 1].
        asks_for: question words for a kind of entity, with nouns for all of that kind.
        classes: of function words.
        intransitive: stems of verbs whose past before a preposition says what the subject does: `starred_in`.
        groups: stems of doers that are no persons.
        small_talk: pairs of words that order what no graph holds: "tell me a joke".
        anywhere: names of places that mean the same over whatever event they stand.
        sorts_of: stems of nouns -> those of nouns for things of that sort: hurricanes are storms.
        wordings: stems of what people say ("room for") -> those of words of schemas that it asks for: `capacity`.
        plurals: irregular ones.
        deed_endings: what the stem of a verb becomes a noun with: "treat-ment".
        event_endings: the same in whole words: "resign-ation".
        doer_endings: what ends nouns for who does something: "box-er".
        activity_endings: what ends nouns for what they do: "box-ing".
    """

    stop: frozenset[str]
    generic: frozenset[str]
    naming: frozenset[str]
    identity: str
    describing: tuple[str, ...]
    origin: tuple[str, ...]
    wholes: frozenset[str]
    carriers: frozenset[str]
    kinds_of_value: frozenset[str]
    carried: frozenset[str]
    symmetric: frozenset[str]
    which: frozenset[str]
    commands: frozenset[str]
    verbs: frozenset[str]
    sides: Mapping[str, tuple[str, ...]]
    counted: Mapping[str, tuple[str, ...]]
    vague: Mapping[str, Superlative]
    idioms: tuple[tuple[re.Pattern[str], str], ...]
    kin: dict[str, tuple[str, str]]
    phrases: Mapping[Phrase, tuple[str, ...]]
    asking: Mapping[str, tuple[str, ...]]
    how: Mapping[str, tuple[str, ...]]
    count: tuple[Phrase, ...]
    aggregates: Mapping[Phrase, str]
    superlatives: Mapping[str, Superlative]
    of_two: Mapping[str, Superlative]
    more: Mapping[Phrase, str]
    ordinals: frozenset[str]
    ranked_after: frozenset[str]
    adjectives: Mapping[str, tuple[str, ...]]
    comparatives: Mapping[Phrase, Comparative]
    group: Mapping[Phrase, bool]
    negation: tuple[Phrase, ...]
    same: tuple[Phrase, ...]
    logic: Mapping[Phrase, str]
    numbers: Mapping[str, int]
    number_signs: Mapping[str, str]
    places: Mapping[str, int]
    how_often: Mapping[str, int]
    grouped_parts: Mapping[str, str]
    hours: Mapping[str, int]
    year_parts: Mapping[str, int]
    idle: tuple[Phrase, ...]
    half: list[str]
    scales: Mapping[str, float]
    units: frozenset[str]
    units_of_columns: frozenset[str]
    values: Mapping[str, tuple[str, ...]]
    unit_hints: Mapping[str, tuple[str, ...]]
    degrees: Mapping[str, tuple[str, ...]]
    together: Mapping[str, tuple[str, ...]]
    measures: Mapping[str, tuple[str, float]]
    measured: Mapping[str, str]
    contests: Mapping[str, frozenset[str]]
    spans: Mapping[str, frozenset[str]]
    hierarchy: Mapping[str, frozenset[str]]
    hierarchy_names: Mapping[str, frozenset[Phrase]]
    other_names: Mapping[str, frozenset[str]]
    text_parts: Mapping[str, frozenset[str]]
    short_names: Mapping[str, tuple[str, ...]]
    opposites: tuple[tuple[str, str], ...]
    arithmetic: Mapping[Phrase, Arithmetic]
    shares: Mapping[str, str]
    months: Mapping[str, int]
    irregular: Mapping[str, str]
    abbreviations: Mapping[str, tuple[str, ...]]
    concepts: Mapping[str, frozenset[int]]
    doers: Mapping[str, frozenset[int]]
    deeds: Mapping[str, tuple[Deed, ...]]
    foreign: tuple[str, ...]
    requests: tuple[Phrase, ...]
    asked: Mapping[str, Mapping[str, float]]
    asks_for: Mapping[str, tuple[str, ...]]
    classes: WordClasses
    intransitive: frozenset[str]
    groups: frozenset[str]
    small_talk: tuple[Phrase, ...]
    anywhere: frozenset[str]
    sorts_of: Mapping[str, frozenset[str]]
    wordings: Mapping[Phrase, frozenset[str]]
    plurals: Mapping[str, str]
    deed_endings: tuple[str, ...]
    event_endings: tuple[str, ...]
    doer_endings: tuple[str, ...]
    activity_endings: tuple[str, ...]

    @classmethod
    def open(cls, folder: Path = FOLDER) -> Language:
        """Read the folder's files."""
        raw = tomllib.loads((folder / "words.toml").read_text(encoding="utf-8"))
        irregular = raw["irregular"]
        lines = [line for name in ("concepts.txt", "everyday.txt") for line in _lines(folder / name)]
        return cls(
            stop=_words(raw["stop"]),
            generic=frozenset(stem(word, irregular) for word in raw["generic"].split()),
            naming=_words(raw["naming"]),
            identity=raw["identity"],
            describing=tuple(raw.get("describing", "").split()),
            origin=tuple(raw["origin"].split()),
            wholes=_words(raw.get("wholes", "")),
            carriers=_words(raw.get("carriers", "")),
            kinds_of_value=_words(raw.get("kinds_of_value", "")),
            carried=_words(raw.get("carried", "")),
            symmetric=_words(raw["symmetric"]),
            which=_words(raw["which"]),
            commands=_words(raw["commands"]),
            verbs=_words(raw["verbs"]),
            sides={stem(w, irregular): (side,) for side, text in raw["sides"].items() for w in text.split()},
            counted=_split(raw["counted"]),
            vague=_superlatives(raw["vague"]),
            idioms=tuple((re.compile(rf"\b{said}\b"), plain) for said, plain in raw["idioms"].items()),
            kin={noun: (text.split()[0], "".join(text.split()[1:])) for noun, text in raw["kin"].items()},
            phrases={tuple(phrase.split()): tuple(text.split()) for phrase, text in raw["phrases"].items()},
            asking=_split(raw["asking"]),
            how=_split(raw["how"]),
            count=_phrases(raw["count"]["phrases"]),
            aggregates={phrase: kind for kind, texts in raw["aggregate"].items() for phrase in _phrases(texts)},
            superlatives=_superlatives(raw["superlative"]),
            of_two=_superlatives(raw.get("of_two", {})),
            ordinals=_words(raw.get("ordinal", {}).get("words", "")),
            ranked_after=_words(raw.get("ordinal", {}).get("after", "")),
            more={tuple(phrase.split()): sign for phrase, sign in raw.get("more", {}).items()},
            adjectives=_split(raw["adjective"]),
            comparatives=_comparatives(raw["comparative"], raw.get("of_two", {})),
            group={phrase: phrase in _phrases(raw["group"]["weak"]) for phrase in _phrases(raw["group"]["phrases"])},
            negation=_phrases(raw["negation"]["phrases"]),
            same=_phrases(raw["same"]["phrases"]),
            logic={phrase: kind for kind, texts in raw["logic"].items() for phrase in _phrases(texts)},
            numbers=raw["numbers"],
            number_signs=raw.get("signs", {}),
            places=raw.get("places", {}),
            how_often=raw.get("how_often", {}),
            grouped_parts=raw.get("grouped_parts", {}),
            hours=raw.get("hours", {}),
            year_parts=raw.get("year_parts", {}),
            idle=_phrases(raw["idle"]["phrases"]) if "idle" in raw else (),
            half=raw.get("half", "").split(),
            scales=raw["scales"],
            units=_words(raw["units"]["words"]),
            units_of_columns=_words(raw["units"].get("in_names", "")),
            values=_split(raw["values"]),
            unit_hints=_split(raw["unit_hints"]),
            degrees=_split(raw.get("degrees", {})),
            together=_split(raw.get("together", {})),
            measures={
                unit: (measure, float(size))
                for measure, units in raw.get("measures", {}).items()
                for unit, size in units.items()
            },
            contests={name: _words(text) for name, text in raw.get("contests", {}).items()},
            spans={name: _words(text) for name, text in raw.get("spans", {}).items()},
            hierarchy={name: _words(text) for name, text in raw["hierarchy"].items() if isinstance(text, str)},
            other_names={name: _words(text) for name, text in raw["other_names"].items()},
            text_parts={name: _words(text) for name, text in raw["text_parts"].items()},
            short_names=_split(raw["short_names"]),
            hierarchy_names={
                name.removesuffix("_names"): frozenset(_phrases(texts))
                for name, texts in raw["hierarchy"].items()
                if isinstance(texts, list)
            },
            opposites=tuple(raw.get("opposites", {}).items()),
            arithmetic={
                phrase: sign for sign, texts in raw.get("arithmetic", {}).items() for phrase in _phrases(texts)
            },
            shares=raw.get("shares", {}),
            measured={hint: what for what, hints in raw.get("measured", {}).items() for hint in hints.split()},
            months=raw["months"],
            irregular=irregular,
            abbreviations=_split(raw["abbreviations"]),
            concepts=_concepts(lines, irregular),
            doers=_doers(lines, irregular),
            deeds=_deeds(lines, irregular),
            foreign=tuple(" ".join(noun.split()) for noun in raw.get("foreign", "").split(",")),
            requests=_phrases(raw.get("requests", "").split(",")),
            asked=_asked(folder / "asked.txt", irregular),
            asks_for=_split(raw["asks_for"]),
            classes=WordClasses(**{name: _words(text) for name, text in raw["classes"].items()}),
            intransitive=frozenset(stem(word, irregular) for word in raw["intransitive"].split()),
            groups=frozenset(stem(word, irregular) for word in raw["groups"].split()),
            small_talk=_phrases(raw["small_talk"]["phrases"]),
            anywhere=frozenset(raw["anywhere"]["names"]),
            sorts_of=_sorts_of(_lines(folder / "kinds.txt"), irregular),
            wordings=_wordings(_lines(folder / "wordings.txt"), irregular),
            plurals=raw["plurals"],
            deed_endings=tuple(raw["deed_endings"].split()),
            event_endings=tuple(raw.get("event_endings", "").split()),
            doer_endings=tuple(raw.get("doer_endings", "").split()),
            activity_endings=tuple(raw.get("activity_endings", "").split()),
        )

    @cached_property
    def _computing(self) -> Mapping[str, tuple[Phrase, ...]]:
        """By its first word, the phrases by which a question asks for a computation."""
        single = [*self.superlatives, *self.of_two]
        phrases = {
            *self.count,
            *self.aggregates,
            *self.comparatives,
            *self.negation,
            *self.more,
            *(tuple(word.split()) for word in single),
            *(phrase for phrase, weak in self.group.items() if not weak),
            *(phrase for phrase, kind in self.logic.items() if kind == "or"),
            *((word,) for word in self.classes.uncomputed),
            *self.arithmetic,
        }
        out: dict[str, list[Phrase]] = defaultdict(list)
        for phrase in sorted(phrases, key=len, reverse=True):
            out[phrase[0]].append(phrase)
        return {word: tuple(found) for word, found in out.items()}

    def computing(self, words: Sequence[str]) -> list[tuple[int, int]]:
        """The spans of folded words by which a question asks for a computation: operators and decades, not numbers."""
        out, place = list[tuple[int, int]](), 0
        while place < len(words):
            known = self._computing.get(words[place])
            if known is None:  # most words
                if DECADE.match(words[place]):
                    out.append((place, place + 1))
                place += 1
                continue
            found = next((each for each in known if tuple(words[place : place + len(each)]) == each), ())
            after = words[place + len(found)] if place + len(found) < len(words) else ""
            bound = self.comparatives.get(found)
            if bound and bound.hints == ("count",) and not (after[:1].isdigit() or after in self.numbers):
                found = ()  # "under", "over", "up to": prepositions but for numbers
            elif len(found) == 1 and found in self.count and place and after == "as":
                found = ()  # "which works count as horror"
            elif found in self.more or " ".join(found) in self.of_two:
                found = found if _TWO.intersection(words[place + 1 :]) else ()  # "which earlier film does it continue"
            elif words[place] in self.ordinals and after and not self._ranks(words, place):
                found = ()  # "when did it first come out"
            if found or DECADE.match(words[place]):
                out.append((place, place + max(len(found), 1)))
            place += max(len(found), 1)
        return out

    def _ranks(self, words: Sequence[str], place: int) -> bool:
        """Whether an ordinal that may be an adverb ranks what follows: "the first storm", "first storm to …"."""
        return words[place - 1] in self.ranked_after if place else words[1] not in self.naming

    def stem(self, word: str) -> str:
        """The word without its ending, or its base form's."""
        return self._stem(word)

    def is_one_of(self, word: str, verbs: Iterable[str]) -> bool:
        """Whether a word is a form of one of some verbs."""
        base = self.irregular.get(word.casefold(), word.casefold())
        return self.stem(base) in set(map(self.stem, verbs))

    def is_past(self, word: str) -> bool:
        """Whether a word may be a verb's past: "hatched", "born"."""
        return word.endswith("ed") or word in self.irregular

    def derived(self, word: str) -> list[str]:
        """Nouns for what happened that a verb's past may be made into, and the other way round, none looked up.

        "Resigned" of "resignation", "died" of "death"; "retirements" of "retired".
        """
        if self.is_past(word):
            base = self.irregular.get(word, "") or word.removesuffix("ed")
            bases = {base, self.stem(word)}
            found = {one + ending for one in bases for ending in self.event_endings if len(one) >= _BASE}
            return sorted(found | {each for each in bases if len(each) >= _BASE})
        one = singular(word)
        bases = {one.removesuffix(end) for end in self.event_endings if one.endswith(end)}
        found = {base + end for base in bases if len(base) >= _BASE for end in ("ed", "d")}
        return sorted(found | self._activities(one))

    def _activities(self, doer: str) -> set[str]:
        """What who is called so may do: boxing, archery, gymnastics, judo, triathlon; none looked up."""
        bases = {doer.removesuffix(end) for end in self.doer_endings if doer.endswith(end)}
        bases |= {doer} if bases else set()  # "archer-y", "gymnast-ics"
        long = {base for base in bases if len(base) >= _DOER}
        whole = {base for base in long if len(base) >= _BASE}  # "golf" of golfers
        return (whole | {base + end for base in long for end in self.activity_endings}) - {doer}

    def deed_of(self, doer: str) -> str:
        """The stem of the verb for what a doer does, by the noun's ending: that of "edit" of an editor; else ""."""
        bases = [doer.removesuffix(end) for end in self.doer_endings if doer.endswith(end)]
        return next((self.stem(base) for base in bases if len(base) >= _DOER), "")

    def is_number(self, word: str) -> bool:
        """Whether a word is a number, in digits or in letters."""
        return word[:1].isdigit() or word in self.numbers

    def is_many(self, word: str) -> bool:
        """Whether a word is a plural: "locations", "people"."""
        folded = word.casefold()
        return (
            (word.endswith("s") and not word.endswith("ss"))
            or bool(irregular_singular(folded))
            or folded in self.plurals.values()
        )

    @cached_property
    def relatives(self) -> frozenset[str]:
        """Stems of nouns for relatives, of which none means another."""
        return frozenset(self.stem(noun) for each in self.kin for noun in (each, f"grand{each}"))

    @cached_property
    def unmeasured(self) -> frozenset[str]:
        """Units that measure nothing we know, which may be the initials of something else: HP of hit points."""
        return self.units.difference(self.measures) - self.stop

    @cached_property
    def words(self) -> frozenset[str]:
        """All stems of the lists: what is among them is no abbreviation."""
        return frozenset(self.concepts) | frozenset(self.asked) | self.stop | self.units

    @cached_property
    def nouns(self) -> frozenset[str]:
        """Stems of nouns that the lists have for sorts of things."""
        return frozenset(self.sorts_of).union(*self.sorts_of.values())

    def is_request(self, words: Sequence[str]) -> bool:
        """Whether folded words begin as a polite request, which asks for no yes or no."""
        return any(tuple(words[: len(phrase)]) == phrase for phrase in self.requests if phrase)

    @cached_property
    def _stem(self) -> Callable[[str], str]:
        """`stem`, remembered: of a question's words and the schema's each plan asks anew."""
        return lru_cache(maxsize=16_384)(lambda word: stem(word, self.irregular))


def stem(word: str, irregular: Mapping[str, str]) -> str:
    """The word without a common English ending: `directed`, `directs` and `directing` are `direct`."""
    word = irregular.get(word, "") or irregular_singular(word) or word
    if len(word) <= 3 or not word.isascii():
        return word
    if word in IN_U:  # "GPUs"
        return word[:-1]
    for ending, least in (("ings", 4), ("ing", 4), ("ed", 3), ("ies", 3), ("es", 3), ("s", 3)):
        kept = ("ss", "us", "is") if ending != "es" else ("ees",)  # class; but employees, degrees
        if word.endswith(ending) and len(word) - len(ending) >= least and not word.endswith(kept):
            word = word[: -len(ending)] + ("y" if ending == "ies" else "")
            break
    if len(word) > 3 and word[-1] == "e":
        word = word[:-1]
    if len(word) > 3 and word[-1] == word[-2] and word[-1] in "bdgmnprt":
        word = word[:-1]
    return word[:-1] + "i" if len(word) > 3 and word[-1] == "y" else word


def one_spelling(stem: str) -> str:
    """A stem as American English spells it: "offens" of "offence", "color" of "colour"."""
    for british, american in (("enc", "ens"), ("our", "or"), ("isation", "ization")):
        if stem.endswith(british) and len(stem) > len(british) + 1:
            return stem[: -len(british)] + american
    return stem


def decade(word: str) -> tuple[int, int] | None:
    """The first and the last year of a decade; None where a word is none. Two digits are of the last century."""
    found = DECADE.match(word)
    if found is None:
        return None
    first = int(found[1]) if found[1] else 10 * (_TENS.index(found[2]) + 2)
    return (first, first + 9) if first >= 100 else (1900 + first, 1909 + first)


@cache
def english() -> Language:
    """The language that comes with Trivium."""
    return Language.open()


def classes() -> WordClasses:
    """Its classes of function words."""
    return english().classes


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _split(table: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    return {word: tuple(str(text).split()) for word, text in table.items()}


def _comparatives(phrases: Mapping[str, str], of_two: Mapping[str, str]) -> dict[Phrase, Comparative]:
    """Bounds by their phrases; of words that rank two things ("deeper") those before "than" and behind "or" as well."""
    ranked = {f"{word} than": f"{_RANKED[text.split()[0]]} {text.partition(' ')[2]}" for word, text in of_two.items()}
    least = {
        f"or {word}": f"{_RANKED[text.split()[0]]}= {text.partition(' ')[2]} after" for word, text in of_two.items()
    }
    said = {**ranked, **least, **phrases}
    return {
        tuple(phrase.split()): Comparative(text.split()[0], tuple(text.split()[1:])) for phrase, text in said.items()
    }


def _superlatives(table: Mapping[str, str]) -> dict[str, Superlative]:
    return {word: Superlative(text.split()[0], tuple(text.split()[1:])) for word, text in table.items()}


def _phrases(texts: list[str]) -> tuple[Phrase, ...]:
    return tuple(tuple(text.replace("'", " ").split()) for text in texts)


def _lines(path: Path) -> list[str]:
    parts = (line.partition("#")[0].strip() for line in path.read_text(encoding="utf-8").splitlines())
    return [part for part in parts if part]


def _concepts(lines: Sequence[str], irregular: Mapping[str, str]) -> dict[str, frozenset[int]]:
    """Lines `year date when` and `direct > director > film movie`: words and doers are one concept, things another."""
    out: dict[str, set[int]] = defaultdict(set)
    for number, line in enumerate(lines):
        words, doers, _ = (*line.split(">"), "", "")[:3]
        for word in (*words.split(), *doers.split()):
            if word not in ("who", "when", "where", "many"):
                out[stem(word, irregular)].add(number)
    return {word: frozenset(numbers) for word, numbers in out.items()}


def _doers(lines: Sequence[str], irregular: Mapping[str, str]) -> dict[str, frozenset[int]]:
    """Of the same lines, for each doer that is no word for the deed, those that have it."""
    out: dict[str, set[int]] = defaultdict(set)
    for number, line in enumerate(lines):
        words, doers, _ = (*line.split(">"), "", "")[:3]
        deeds = {stem(word, irregular) for word in words.split()}
        for doer in {stem(word, irregular) for word in doers.split()} - deeds:
            out[doer].add(number)
    return {word: frozenset(numbers) for word, numbers in out.items()}


def _sorts_of(lines: Sequence[str], irregular: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """Lines `storm > hurricane cyclone`: for a wider noun's stem those of the nouns of that sort."""
    out: dict[str, set[str]] = defaultdict(set)
    for line in lines:
        wider, _, narrower = line.partition(">")
        for word in wider.split():
            out[stem(word, irregular)] |= {stem(each, irregular) for each in narrower.split()}
    return {word: frozenset(sorts) for word, sorts in out.items()}


def _wordings(lines: Sequence[str], irregular: Mapping[str, str]) -> dict[Phrase, frozenset[str]]:
    """Lines `capacity: hold, room for`: for the stems of what people say those of the words of schemas."""
    out: dict[Phrase, set[str]] = defaultdict(set)
    for line in lines:
        word, _, said = line.partition(":")
        for phrase in said.split(","):
            out[tuple(stem(each, irregular) for each in phrase.split())].add(stem(word, irregular))
    return {phrase: frozenset(words) for phrase, words in out.items()}


def _deeds(lines: Sequence[str], irregular: Mapping[str, str]) -> dict[str, tuple[Deed, ...]]:
    out: dict[str, list[Deed]] = defaultdict(list)
    for line in lines:
        words, *ends = (part.split() for part in line.split(">"))
        if len(ends) == 2:
            deed = Deed(*(tuple(word for word in end if word != "who") for end in ends))
            for word in words:
                out[stem(word, irregular)].append(deed)
    return {word: tuple(deeds) for word, deeds in out.items()}


def _asked(path: Path, irregular: Mapping[str, str]) -> dict[str, dict[str, float]]:
    """Lines `who person employee` and `who? company` (half as likely)."""
    out: dict[str, dict[str, float]] = defaultdict(dict)
    for line in _lines(path):
        asking, *nouns = line.split()
        for noun in nouns:
            kinds = out[stem(noun, irregular)]
            kinds[asking.rstrip("?")] = max(kinds.get(asking.rstrip("?"), 0.0), 0.5 if asking.endswith("?") else 1.0)
    return dict(out)
