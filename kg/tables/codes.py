"""What the names of a kind are called besides: countries and states by their codes, S05, "Bell, Ann", "Austin, TX"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path

_FILE = Path(__file__).parent / "codes.txt"
_CODE = re.compile("[A-Z]{2,3}")
_NUMBERED = re.compile(r"(([^\W\d_]+) \d+)(?: ?[-\u2013:,(]|$)")
_BEHIND = re.compile(r"(?:[^\W\d_]+ )?\d+(?:\.\d+)*[^\W\d_]?(?:[.:)]| [-\u2013\u2014])\s+([^\W\d_].*)")
_INITIAL = re.compile(r"([^\W\d_])[ .-]?(\d{1,3})")
_WORD = r"[^\W\d_][^\s,()]*"
_TURNED = re.compile(rf"({_WORD}(?: {_WORD}){{0,3}}), ({_WORD}(?: {_WORD}){{0,4}})(?:,? [^,]+|,.*)?")
_PLACE = re.compile(r"[^\W\d_][^,()]*, ([^\W\d_][^,()]*)")
_LAST = re.compile(r"(.*\S), ([^\W\d_a-z][^\d_,()]{0,39})", re.DOTALL)
_DISTANCE = re.compile(r"\d.*? of (\S.*)")
_SHORT = 2  # letters that a first part has more than
_PARTS = 2_000  # different last parts, at most
_SAMPLED = 200  # texts that are looked at first
_HALF, _REPEATED = 0.5, 3  # share of texts with a last part; how many end in the same one, on average
_SHARED = 200  # things that a question's name is of at most
_MOST = 0.75  # share of texts that look like codes that are of one list; states of the USA may stand beside provinces
_COMMON, _SEVERAL = 0.8, 10  # share of a kind's names that end in one word; how many at least
_FEW = 3  # codes below which nothing is said
_MANY = 16  # codes of a kind from which they may be those of sports, whatever it is called
_COUNTRY = frozenset({"country", "nation", "nationality", "flag", "iso"})


def names_of_codes(texts: Collection[str], kind: str) -> Mapping[str, str]:
    """The names of those of a kind's texts that are codes of one list; empty where codes are of something else."""
    codes = [text for text in texts if _CODE.fullmatch(text)]
    countries, states, sports = _lists()
    of_countries = says_country(kind.split())
    lists = [countries, states] if of_countries else [states, countries]
    if of_countries or len(codes) >= _MANY:
        lists.append(sports)  # CHI, DEN and POR alone may be teams of towns
    told = [{text: known[text] for text in codes if text in known} for known in lists]
    most = max(told, key=len)  # the first of those that know as many
    return most if len(most) >= max(_MOST * len(codes), _FEW) else {}


def says_country(words: Collection[str]) -> bool:
    """Whether a column or relation of a name in words tells a country."""
    return not _COUNTRY.isdisjoint(words)


def names_without_kind(labels: Collection[str]) -> Mapping[str, str]:
    """Names without the last word that nearly all of a kind share: "Palo Alto" of "Palo Alto Caltrain"; else empty."""
    parted = [label.rpartition(" ") for label in labels]
    ends = Counter(end for rest, _, end in parted if rest)
    last, count = ends.most_common(1)[0] if ends else ("", 0)
    if not last[:1].isalpha() or count < max(_COMMON * len(labels), _SEVERAL):
        return {}
    return {f"{rest} {end}": rest for rest, _, end in parted if rest and end == last}


def names_by_number(labels: Collection[str]) -> Mapping[str, str]:
    """The numbers that nearly all of a kind have before their names: "Zone 6" of "Zone 6-Morgan Hill"; else empty."""
    found = {label: match for label in labels if (match := _NUMBERED.match(label))}
    words = Counter(match[2] for match in found.values())
    word, count = words.most_common(1)[0] if words else ("", 0)
    heads = {label: match[1] for label, match in found.items() if match[2] == word}
    if count < max(_COMMON * len(labels), _FEW) or len(set(heads.values())) < count:
        return {}
    return heads


def names_behind_numbers(labels: Collection[str]) -> Mapping[str, str]:
    """Names without the number that nearly all of a kind have before them: "Irish Red Ale" of "15A. Irish Red Ale"."""
    found = {label: match[1] for label in labels if (match := _BEHIND.fullmatch(label))}
    often = Counter(found.values())
    if len(found) < max(_COMMON * len(labels), _FEW):
        return {}
    return {label: name for label, name in found.items() if often[name] == 1}


def names_of_numbers(labels: Collection[str], kind: str) -> Mapping[str, str]:
    """What all of a kind are called that are but its initial and a number: "season 5" of S05; else empty."""
    found = {label: match for label in labels if (match := _INITIAL.fullmatch(label))}
    word = kind.rpartition(" ")[2]
    initials = {match[1].casefold() for match in found.values()}
    if len(found) < max(len(labels), _FEW) or initials != {word[:1].casefold()} or len(word) < _FEW:
        return {}
    names = {label: f"{word} {int(match[2])}" for label, match in found.items()}
    return names if len({*names.values()}) == len(names) else {}


def names_of_places(labels: Collection[str]) -> Mapping[str, str]:
    """The states or countries of a kind that are nearly all towns with one: Texas of "Austin, TX"; else empty.

    Each names several, up to 200, as many as a name may be of. "" of "Fresno, California": what is written out, the
    reader finds in the name.
    """
    found = {label: match[1] for label in labels if (match := _PLACE.fullmatch(label))}
    wholes = Counter(found.values())
    codes = {code: name for known in _lists()[:2] for code, name in known.items()}
    known = sum(whole in codes or whole in _names() for whole in wholes)
    if len(found) < max(_COMMON * len(labels), _SEVERAL) or known < max(_MOST * len(wholes), 2):
        return {}
    return {label: codes.get(whole, "") if wholes[whole] <= _SHARED else "" for label, whole in found.items()}


def last_parts(texts: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    """The last parts that texts share, as of places, by what they are called; else empty.

    "CA" and "California" by both names where texts are like "9km NE of Aguanga, CA". At least half of the texts end in
    a comma and a part without digits, and few such parts end many of them, or most are states or countries; they are
    no lists, whose last parts stand elsewhere, too. A sample is looked at first.
    """
    sample = [_LAST.fullmatch(text) for text in texts[:: max(len(texts) // _SAMPLED, 1)]]
    found = [match for match in sample if match]
    if len(texts) < _SEVERAL or len(found) < _HALF * len(sample) or _are_lists(found):
        return {}
    ends = Counter(match[2] for text in texts if (match := _LAST.fullmatch(text)))
    total, called = sum(ends.values()), _called(ends)
    known = sum(name in _names() for name in called.values())
    repeat = len(ends) <= min(total / _REPEATED, _PARTS) or known >= _MOST * len(ends)
    if total < _HALF * len(texts) or not repeat:
        return {}
    same: dict[str, list[str]] = {}
    for end, name in called.items():
        same.setdefault(name, []).append(end)
    return {said: tuple(sorted(same[name])) for end, name in called.items() for said in (end, name)}


def _are_lists(found: Sequence[re.Match[str]]) -> bool:
    """Whether last parts of texts stand before others, too: "Rock, Jazz" beside "Jazz, Pop"."""
    ends = {match[2] for match in found}
    return len(ends.intersection(part for match in found for part in match[1].split(", "))) * _REPEATED > len(ends)


def first_parts(texts: Sequence[str], last: Mapping[str, tuple[str, ...]]) -> Mapping[str, set[tuple[str, str]]]:
    """What texts of places have before their last parts, alone and with these: operators and parts of the texts by it.

    "Aguanga" is " of Aguanga, " in "9km NE of Aguanga, CA", and "Aguanga, California" is " of Aguanga, CA" there.
    """
    names: dict[str, list[str]] = {}
    for name, ends in last.items():
        for end in ends:
            names.setdefault(end, []).append(name)
    out: dict[str, set[tuple[str, str]]] = {}
    for text in texts:
        match = _LAST.fullmatch(text)
        for name in names.get(match[2], ()) if match else ():
            assert match is not None
            found = _DISTANCE.fullmatch(match[1])
            first = (found[1] if found else match[1]).partition(", ")[0]
            if first[:1].isalpha() and len(first) > _SHORT:
                alone = ("contains", f" of {first}, ") if found else ("starts_with", f"{first}, ")
                out.setdefault(first, set()).add(alone)
                whole = ("ends_with", f" of {found[1]}, {match[2]}") if found else ("=", text)
                out.setdefault(f"{first}, {name}", set()).add(whole)
    return out


def _called(ends: Collection[str]) -> dict[str, str]:
    """What last parts of places are called: of codes the states or countries that most of them are, else themselves."""
    countries, states, _ = _lists()
    codes = [end for end in ends if _CODE.fullmatch(end)]
    if sum(code in countries or code in states for code in codes) < _MOST * len(codes):
        return {end: end for end in ends}
    written = not {*states.values()}.difference(countries.values()).isdisjoint(ends)
    american = written or sum(code in states for code in codes) >= sum(code in countries for code in codes)
    known = {**countries, **states} if american else {**states, **countries}
    return {end: known.get(end, end) for end in ends}


def names_in_order(labels: Collection[str]) -> Mapping[str, str]:
    """Names as people say them where nearly all of a kind put the last name first: "Bell, Ann Lee"; else empty.

    What stands behind a second comma or in parentheses is left out.
    """
    found = {label: match for label in labels if (match := _TURNED.fullmatch(label))}
    if len(found) < max(_COMMON * len(labels), _FEW):
        return {}
    return {label: f"{match[2]} {match[1]}" for label, match in found.items()}


@cache
def _names() -> frozenset[str]:
    """The names of countries and states."""
    return frozenset(name for known in _lists() for name in known.values())


@cache
def _lists() -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """Countries and states by their codes, and countries by those of sports: NED, SUI, ENG."""
    countries, states, sports = (
        [line.split(" ", 1) for line in part.splitlines() if not line.startswith("#")]
        for part in _FILE.read_text(encoding="utf-8").strip().split("\n\n")
    )
    named: dict[str, str] = {}
    for two, rest in countries:
        three, _, name = rest.partition(" ")
        named |= {two: name, three: name}
    three_letters = {code: name for code, name in named.items() if len(code) > 2}
    return named, {line[0]: line[1] for line in states}, three_letters | {line[0]: line[1] for line in sports}
