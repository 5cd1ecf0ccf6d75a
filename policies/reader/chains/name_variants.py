"""What else a name in a question may stand for: peoples for their countries and languages, initials for whole names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache

from trivium.kg.text import fold_name
from trivium.policies.reader.english import FOLDER, classes

_FILE = FOLDER / "demonyms.txt"
_ENDINGS = ("n", "i", "an", "ic", "er", "ian", "ean", "ese", "ish")  # what leaves most of the name first
_FINALS = ("", "a", "y", "e", "ia", "o")
_AFTER_I = ("", "ia")  # Iraqi, Somali: "Atlantis" are no people of Atlanta
_SHORTEST = 4  # letters of a people's name that keep its country recognisable
_CAPITAL = re.compile(r"\b[A-Z]")


def countries(word: str) -> list[str]:
    """Names that a folded word may be made from as a people's: `nigerians` -> nigeria among others, none looked up."""
    known = _irregular().get(word)
    if known:
        return list(known)
    base = word[:-1] if word.endswith("s") and not word.endswith("ss") else word
    return list(
        dict.fromkeys(
            base[: -len(ending)] + final
            for ending in _ENDINGS
            if base.endswith(ending) and len(base) - len(ending) >= _SHORTEST - (ending in ("i", "n"))
            for final in (_FINALS if ending != "i" else _AFTER_I)
        )
    )


def is_people(word: str) -> bool:
    """Whether a folded word is a people's that no ending tells: `welsh`, `french`."""
    return word in _irregular()


def initials(label: str) -> str:
    """The folded initials of a name of two to six capitalised words: `University of Southern California` -> usc."""
    letters = _CAPITAL.findall(label)
    return fold_name("".join(letters)) if 2 <= len(letters) <= 6 and " " in label else ""


def initials_of(entities: Iterable[tuple[str, str, int]], most: int) -> Mapping[str, list[str]]:
    """For each initials the ids of the entities, the best connected first; from (id, label, degree)."""
    found: dict[str, list[tuple[int, str]]] = {}
    for key, label, degree in entities:
        if short := initials(label):
            found.setdefault(short, []).append((-degree, key))
    return {short: [key for _, key in sorted(items)[:most]] for short, items in found.items()}


def namesakes_of(entities: Iterable[tuple[str, str]]) -> Mapping[str, list[str]]:
    """For a word that is the name of one entity, others that it may mean too; from (id, label).

    "Irish" is a language here, and "Irish people" are called so as well; "Russian" may stand for Russia. Where no
    entity is called by the word alone, parts of names and peoples are looked up anyway
    (`trivium.policies.reader.chains.similar_mentions`).
    """
    by_name = {fold_name(label): key for key, label in entities}
    found: dict[str, list[str]] = {}
    for name, key in by_name.items():
        word, _, last = name.rpartition(" ")
        if last in classes().peoples and " " not in word and word in by_name:
            found.setdefault(word, []).append(key)
        if " " not in name:
            meant = next((by_name[country] for country in countries(name) if country in by_name), None)
            if meant is not None:
                found.setdefault(name, []).append(meant)
    return found


@cache
def _irregular() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for line in _FILE.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            word, name = line.split(" ", 1)
            found[word] = (*found.get(word, ()), name)
    return found
