"""What files of RDF that are read together say of classes: those above each, and what instances' types are called.

A type is called by its class's local name; by the class's label where that name says nothing: it has no word (`Q5`
"human"), or is a word and a number that other classes share (`ProductType10` "sheeny", `CHEBI_24431`). A label that
another class has as well, or is called by, changes nothing, and neither does one that is as good as none ("Thing").
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path

from trivium.kg.indexes.words import is_opaque, without_code
from trivium.kg.loaders.rdf_names import Label
from trivium.kg.loaders.rdf_terms import OWN, RDF, local_name, name_of

OWL = "http://www.w3.org/2002/07/owl#"
VOCABULARIES = (OWL, RDF, "http://www.w3.org/2000/01/rdf-schema#")
# `owl:NamedIndividual` says that a thing is one, and not what it is.
_NO_TYPES = {f"{OWL}NamedIndividual", f"{OWL}Thing", "http://www.w3.org/2000/01/rdf-schema#Resource"}
_ROOTS = frozenset(("thing", "entity", "resource", "class", "property"))  # names of what an ontology calls all it has
_NUMBERED = re.compile(r"(?P<before>[^\W\d_](?:\w*?\D)??)[_-]?(?P<number>\d+)")
_SERIES = 3  # classes that one word and a number each make a series; a number of so many digits is an id
_DIGITS = 4
_LONGEST = 64  # characters of a name


class Classes:
    """The classes of files that are read together; what they say is complete once all of them are read."""

    def __init__(self) -> None:
        self._above: dict[str, dict[str, None]] = {}
        self._read: dict[Path, tuple[Collection[str], Callable[[str], Label | None]]] = {}
        self._told: dict[str, list[str]] | None = None
        self._names: dict[str, str] = {}
        self._called: Mapping[str, str] = {}

    def put_below(self, one: str, outer: str) -> None:
        """Say that a class is below another."""
        self._above.setdefault(one, {})[outer] = None

    def take(self, path: Path, used: Collection[str], label: Callable[[str], Label | None]) -> None:
        """Take what a file says: the classes that its things are instances of, and a thing's first label."""
        self._read[path] = used, label
        self._told = None

    def used(self) -> list[str]:
        """The classes that things are instances of."""
        return list(dict.fromkeys(each for types, _ in self._read.values() for each in types))

    def call(self, names: Mapping[str, str]) -> None:
        """Say what types are called, by class, whatever the files say."""
        self._called = names
        self._told = None

    def types(self, own: Iterable[str]) -> tuple[str, ...]:
        """What the types of an instance of these classes are called: theirs, then those above them, nearest first."""
        if self._told is None:
            self._told = self._tell()
            self._names = self._name()
        own = [each for each in own if each not in _NO_TYPES]
        return tuple(dict.fromkeys(self._names.get(each) or type_name(each) for each in (*own, *self._over(own))))

    def _tell(self) -> dict[str, list[str]]:
        """By class those right above it that say more of its instances."""
        below = Counter(outer for above in self._above.values() for outer in above)
        return {
            each: [outer for outer in above if _names_more(each, outer, below[outer])]
            for each, above in self._above.items()
        }

    def _over(self, types: Iterable[str]) -> Iterator[str]:
        """The classes above these, nearest first."""
        assert self._told is not None
        met, open_ = set(types), list(types)
        for each in open_:
            for outer in self._told.get(each, ()):
                if outer not in met:
                    met.add(outer)
                    open_.append(outer)
                    yield outer

    def _name(self) -> dict[str, str]:
        """By class what its instances' type is called."""
        used = self.used()
        names = {each: type_name(each) for each in (*used, *self._over(used))}
        series = Counter(map(_series, {*names, *self._above}))
        labels = {each: self._label(each) for each, name in names.items() if _says_nothing(name, series[_series(each)])}
        taken = Counter(each.casefold() for each in (*names.values(), *labels.values()))
        alone = {each: label for each, label in labels.items() if label and taken[label.casefold()] == 1}
        return {**names, **alone, **self._called}

    def _label(self, each: str) -> str:
        """What a class is labeled, where that may name a type; else ""."""
        said = (found for _, label in self._read.values() if (found := label(each)))
        best = min(said, key=lambda label: label.rank, default=None)
        name = " ".join(best.text.split()) if best else ""
        fits = len(name) <= _LONGEST and not is_opaque(name) and name.casefold() not in _ROOTS
        return name if fits else ""


def type_name(iri: str) -> str:
    """What a class's IRI calls a type."""
    return name_of(iri) if iri.startswith(OWN) else without_code(local_name(iri))


def _series(iri: str) -> str:
    """What an IRI and those of its series share: all but a number at the end; "" where it has none."""
    found = _NUMBERED.fullmatch(local_name(iri))
    return iri[: -len(found["number"])] if found else ""


def _says_nothing(name: str, alike: int) -> bool:
    """Whether a class's name says nothing of its instances; `alike` are the classes of its series."""
    found = _NUMBERED.fullmatch(name)
    return is_opaque(name) or (found is not None and (alike >= _SERIES or len(found["number"]) >= _DIGITS))


def _names_more(each: str, outer: str, below: int) -> bool:
    """Whether a class above another says more of its instances: one of another vocabulary that holds several classes.

    One that holds no other class aligns vocabularies, and is no second name: brick:Quantity is a qudt:QuantityKind.
    """
    own = each[: -len(local_name(each))] == outer[: -len(local_name(outer))]
    known = outer.startswith(VOCABULARIES) or local_name(outer).casefold() in _ROOTS
    return (own or below > 1) and not known
