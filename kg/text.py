"""Folding and tokens: how a name in a question and a name in the KG become comparable."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches
from functools import lru_cache
from typing import NamedTuple

# A CJK character is a token of its own, since these scripts set no spaces between words.
_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_TOKEN = re.compile(rf"[{_CJK}]|(?:(?![{_CJK}_])[\w\u0300-\u036f])+")


class Token(NamedTuple):
    """A folded word and where it stands in the original text: `text[start:end]`."""

    text: str
    start: int
    end: int


_MARKS = re.compile(r"[@:/]|^\D*\d+$|\d{3}|[.!?]$")  # which names of words hardly have
_NUMBERED = re.compile(r"([a-z]{1,5}) ?0*(\d{1,6})([a-z]?)")
_MOST_DIGITS = 6  # of a number that catalogs fill up with zeros
_SHORT = 500  # characters of a text whose words are remembered


def fold_case(text: str) -> str:
    """Case and accents folded, white space collapsed; punctuation kept."""
    if text.isascii():
        return " ".join(text.lower().split())
    # First decomposed, then folded: casefold alone leaves the accents in composed letters.
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    return " ".join("".join(c for c in decomposed if not unicodedata.combining(c)).split())


def tokens(text: str) -> list[Token]:
    """The words of a text, folded, with their places; punctuation, white space and underscores separate words."""
    return list(_remembered(text) if len(text) <= _SHORT else _tokens(text))


@lru_cache(maxsize=256)  # a question's stages each take it apart anew
def _remembered(text: str) -> tuple[Token, ...]:
    return _tokens(text)


def _tokens(text: str) -> tuple[Token, ...]:
    if text.isascii():  # lower case stands at the same places
        return tuple(Token(m[0], m.start(), m.end()) for m in _TOKEN.finditer(text.lower()))
    return tuple(Token(fold_case(m[0]), m.start(), m.end()) for m in _TOKEN.finditer(text))


def is_code(text: str, word: Token) -> bool:
    """Whether a word that says little is written as a code: "stations in OR", "members of the WHO"."""
    return word.end - word.start > 1 and text[word.start : word.end].isupper()


def is_code_of_one(text: str, words: Sequence[Token], place: int) -> bool:
    """Whether such a word is the name of one thing, and no word is written so for weight: "in the US"."""
    return place > 0 and words[place - 1].text == "the" and is_code(text, words[place]) and not text.isupper()


def fold_name(text: str) -> str:
    """The key under which a name is looked up: its folded words, one space between them.

    A name of punctuation alone ("?", "!!!") keeps it, so that it can still be found.
    """
    return " ".join(token.text for token in tokens(text)) or fold_case(text)


_IN_SHORT = {
    "us": "united states",
    "uk": "united kingdom",
    "st": "saint",
    "mt": "mount",
    "ft": "fort",
    "univ": "university",
    "dept": "department",
    "intl": "international",
    "natl": "national",
    "assn": "association",
    "bros": "brothers",
    "corp": "corporation",
    "inc": "incorporated",
    "govt": "government",
    "inst": "institute",
    "jr": "junior",
}
"""Words of names that are written short."""


def other_spellings(name: str) -> list[str]:
    """How else a name is written, folded: a code with or without a blank and zeros, "and" as a sign that folds away.

    "ngc891" and "ngc0891" for "NGC 891", "a 320" for "A-320"; "oil gas", of Oil & Gas, for "oil and gas"; "united
    states mint" for "US Mint", "st john" for "Saint John".
    """
    folded = fold_name(name)
    match = _NUMBERED.fullmatch(folded)
    if match is None:
        words = folded.split()
        pairs = [*_IN_SHORT.items(), *((full, short) for short, full in _IN_SHORT.items())]
        inside = f" {folded} "
        found = [inside.replace(f" {one} ", f" {other} ", 1).strip() for one, other in pairs if f" {one} " in inside]
        found = found if len(words) > 1 else []  # "US" alone may be anything
        return [folded.replace(" and ", " "), *found] if " and " in folded else found
    letters, number, last = match.groups()
    numbers = [number.zfill(size) for size in range(len(number), _MOST_DIGITS + 1)]
    found = [f"{letters}{blank}{each}{last}" for blank in ("", " ") for each in numbers]
    return [each for each in found if each != folded]


def read_like_names(texts: Collection[str], least: float) -> bool:
    """Whether so many of some texts are words that begin with a capital, and no sentences, codes or addresses."""
    good = sum(
        text[:1].isupper() and (" " in text or any(map(str.islower, text))) and not _MARKS.search(text)
        for text in texts
    )
    return good >= max(least * len(texts), 1)


def closest(name: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: "; closest: 'a', 'b'", or "" where nothing resembles it."""
    by_key = {fold_name(each): each for each in known}
    near = get_close_matches(fold_name(name), by_key, 3, 0.5)
    return f"; closest: {', '.join(repr(by_key[each]) for each in near)}" if near else ""


def listed(names: Iterable[str], most: int) -> str:
    """The first names, and how many more there are."""
    found = list(names)
    return ", ".join(found[:most]) + (f" and {len(found) - most} more" if len(found) > most else "")


NUMBERED_ROW = re.compile(r"\brow\d+$")
"""What a row is called whose table has no names (`trivium.kg.tables.apply`)."""

_BOTH = frozenset({"series", "species"})  # plurals that are singulars
_IN_IE = frozenset({"movies", "cookies", "rookies", "zombies", "calories", "prairies", "brownies", "selfies", "genies"})

_IN_OE = frozenset({"canoes", "throes", "tiptoes", "mistletoes"})  # longer than "toes", and no kind of shoes
_IN_S = frozenset(
    {"aliases", "atlases", "biases", "canvases", "gases", "pancreases", "buses", "viruses", "statuses", "bonuses"}
    | {"campuses", "censuses", "choruses", "circuses", "cactuses", "octopuses", "walruses", "surpluses", "lenses"}
)
IN_U = frozenset({"apus", "cpus", "emus", "gnus", "gpus", "gurus", "haikus", "menus", "npus", "skus", "tpus", "tutus"})
"""Plurals of words that end in "u": no class, virus or bus is one."""

_IN_VES = ("wolves", "shelves", "thieves", "knives", "wives", "calves", "halves", "hooves", "loaves", "scarves")
_IRREGULAR = {
    "elves": "elf",
    "mice": "mouse",
    "dormice": "dormouse",
    "geese": "goose",
    "teeth": "tooth",
    "feet": "foot",
    "oxen": "ox",
}

_OTHER_NAMES = frozenset({"alias", "alt", "aka", "synonym", "nickname", "abbreviation", "pseudonym"})
_OTHER = frozenset(
    {"other", "another", "alternative", "alternate", "alt", "former", "official", "common", "short", "native", "local"}
    | {"localized", "display", "full"}
)


def is_other_name(words: Sequence[str], own: Collection[str] = ()) -> bool:
    """Whether words call what a thing is called besides: `aliases`, `official name`; `own`: words for the thing."""
    said = {word if word in _OTHER_NAMES else singular(word) for word in parted(words)}.difference(own)
    if said & _OTHER_NAMES and said <= _OTHER_NAMES | {"name"}:
        return True
    return "name" in said and bool(said & _OTHER) and said <= _OTHER | {"name"}


def parted(words: Iterable[str]) -> list[str]:
    """Words with what says which names a column holds as a word of its own: `alternatenames` are alternate names."""
    found = []
    for word in words:
        end = next((end for end in ("names", "name") if word.endswith(end)), "")
        stem = word.removesuffix(end)
        found += [stem, end] if end and stem in _OTHER else [word]
    return found


def irregular_singular(word: str) -> str:
    """The singular of a plural that changes within or not at all: wolves, mice, series; "" of any other word."""
    if word in _BOTH:
        return word
    if word.endswith(_IN_VES):
        return word[:-3] + ("fe" if word.endswith(("knives", "wives")) else "f")
    return _IRREGULAR.get(word, "")


def singular(word: str) -> str:
    """An English plural without its ending: countries, boxes, heroes, airports; other words as they are."""
    if found := irregular_singular(word):
        return found
    if word in _IN_IE or word in IN_U:
        return word[:-1]
    if word in _IN_S:
        return word[:-2]
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if len(word) > 5 and word.endswith("oes") and not word.endswith("shoes") and word not in _IN_OE:
        return word[:-2]
    if word.endswith(("sses", "xes", "ches", "shes", "zzes", "tzes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
