"""Names that stand in parts: what each part is called, and the names that the parts make together.

A person is called by first, middle and last name and suffix, in this order, as far as there are any; besides by fewer
of these, which several people may share.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Literal

Part = Literal["prefix", "first", "middle", "last", "suffix"]

PAIRS = (
    *(("first", "last"), ("given", "family"), ("fore", "sur"), ("firstname", "lastname")),
    *(("prénom", "nom"), ("prenom", "nom"), ("vorname", "nachname"), ("nombre", "apellido"), ("nombre", "apellidos")),
    *(("nome", "cognome"), ("voornaam", "achternaam")),
)
"""The words with which what first and last names are called begins, in several languages."""
FIRST = ("firstname", "givenname", "forename", "fname", "first")
LAST = ("lastname", "surname", "familyname", "lname", "last")
"""What first and last names are called, without blanks and marks, the best first."""

_WHOLE: tuple[Part, ...] = ("first", "middle", "last", "suffix")
_SHORTER: tuple[tuple[Part, ...], ...] = (("first", "middle", "last"), ("first", "last", "suffix"), ("first", "last"))
_CALLED: dict[str, Part] = {
    **dict.fromkeys(("firstname", "givenname", "forename"), "first"),
    **dict.fromkeys(("middle", "middlename", "middlenames", "namemiddle", "middleinitial", "additionalname"), "middle"),
    **dict.fromkeys(("lastname", "familyname", "surname"), "last"),
    **dict.fromkeys(("suffix", "namesuffix", "honorificsuffix"), "suffix"),
    **dict.fromkeys(("prefix", "nameprefix", "honorificprefix", "salutation"), "prefix"),
}
_WHOLE_NAMES = frozenset({"name", "fullname"})
_TITLES = frozenset(
    {"mr", "mrs", "ms", "miss", "mx", "dr", "prof", "professor", "sir", "dame", "lord", "lady", "rev", "reverend"}
    | {"hon", "father", "fr", "sister", "sr", "capt", "captain", "col", "colonel", "gen", "general", "herr", "frau"}
    | {"m", "mme", "mlle", "monsieur", "madame", "sig", "sr", "sra", "don", "doña", "dipl", "ing"}
)
_SAYS_NOTHING = frozenset({"has", "person"})  # before what a part is called


def part_of(words: Sequence[str]) -> Part | None:
    """The part that something called so holds: `middle-initial` the middle name, `hasFamilyName` the last one."""
    return _CALLED.get(_joined(words))


def is_whole(words: Sequence[str]) -> bool:
    """Whether what is called so holds whole names: `name`, `fullName`."""
    return _joined(words) in _WHOLE_NAMES


def _joined(words: Sequence[str]) -> str:
    return "".join(word for word in words if word not in _SAYS_NOTHING)


def find_pair(called: Mapping[tuple[str, ...], str]) -> tuple[str, str] | None:
    """What holds first and last names, given by the words that it is called by; None where one of them is not there.

    `first name`, `first` and `nameFirst` hold first names.
    """
    for first, last in PAIRS:
        found = [next((name for words, name in called.items() if _begins(words, part)), "") for part in (first, last)]
        if all(found):
            return found[0], found[1]
    return None


def _begins(words: tuple[str, ...], part: str) -> bool:
    return words[:1] == (part,) or words == ("name", part)


def whole_name(have: Iterable[Part]) -> tuple[Part, ...]:
    """The parts that make the name of someone of whom there are these."""
    return _those(_WHOLE, {*have})


def shorter_names(have: Iterable[Part]) -> list[tuple[Part, ...]]:
    """The parts that make what someone is called besides: with the prefix, and without middle name or suffix."""
    known = {*have}
    whole = whole_name(known)
    found: dict[tuple[Part, ...], None] = {("prefix", *whole): None} if "prefix" in known else {}
    found |= dict.fromkeys(_those(parts, known) for parts in _SHORTER)
    return [parts for parts in found if parts != whole]


def names_by_initial(parts: Sequence[Part | None], texts: Sequence[str]) -> Iterator[str]:
    """The whole name with the initial of the middle name, and that without the suffix: John F Kennedy.

    `parts` are those that the texts, "" where there is none, are of.
    """
    known = [(part, text) for part, text in zip(parts, texts, strict=True) if text]
    middle = next((text for part, text in known if part == "middle"), "")
    if len(middle) > 1 and middle[1:2] != ".":
        said = [(part, middle[0] if part == "middle" else text) for part, text in known]
        yield " ".join(text for _, text in said)
        if any(part == "suffix" for part, _ in said):
            yield " ".join(text for part, text in said if part != "suffix")


def _those(parts: Sequence[Part], known: Collection[Part]) -> tuple[Part, ...]:
    return tuple(part for part in parts if part in known)


def is_title(text: str) -> bool:
    """Whether a text is what stands before the names of people: "Dr.", "Prof. Dr.", "Sir"."""
    words = text.casefold().replace(".", " ").split()
    return bool(words) and _TITLES.issuperset(words)
