"""What words speak for a hop before any pair is seen: its relation's name, its ends, and English for both.

Three profiles a hop: words of the relation itself, nouns for what it reaches, nouns for what it leaves. An inverse hop
has its forward hop's nouns the other way round.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kg.indexes import relation_words
from kg.types import Hop, RelationSchema
from policies.english import Lexicon, stem

Floats = NDArray[np.float32]
Weights = dict[str, float]

_STOP = frozenset("a an and as at by for from has have in is of on or s the this to type was with people node".split())
_NOUN = 0.9  # a type's name
_SYNONYM = 0.8
_GUESS = 0.6  # what a deed is commonly done to
_BETWEEN = 0.6  # words between the type a path leaves and its last property
_TYPE = 0.3  # the type's name as a word for the relation itself
_NEIGHBOUR = 0.8  # a noun that other hops leave the same entities by
_SURE = 0.6  # share of what a hop reaches from which another hop's noun is one for it
_TYPES_READ = 2  # types read of each end, the most frequent


@dataclass
class HopWords:
    """Stems with weights in [0, 1]: the relation's own words, nouns for what the hop reaches and for what it leaves."""

    own: Weights
    end: Weights
    start: Weights


def _put(weights: Weights, words: Iterable[str], weight: float) -> None:
    for word in words:
        if word and word not in _STOP:
            weights[word] = max(weights.get(word, 0.0), weight)


def split_name(name: str) -> tuple[list[str], list[str], list[str]]:
    """A relation's name as (words of its own, nouns of the type it leaves, words between), stems.

    A Freebase-like path `/film/actor/film./film/performance/film` leaves an `actor`, and says `film`; `performance`
    stands between. Any other name has words of its own alone.
    """
    parts = [part.strip("/").split("/") for part in name.split("./")]
    if not name.startswith("/") or any(len(part) < 3 for part in parts):
        return [stem(w) for w in relation_words(name).split()], [], []
    words = [[stem(w) for w in re.findall(r"[a-z]+", seg.lower())] for seg in (parts[-1][-1], parts[0][-2])]
    between = [stem(w) for seg in ([parts[0][-1], *parts[-1][-2:-1]] if len(parts) > 1 else []) for w in re.findall(r"[a-z]+", seg.lower())]
    return words[0], words[1], between


def hop_words(schema: Sequence[RelationSchema], lexicon: Lexicon, follows: Mapping[Hop, Mapping[Hop, float]], synonyms: Mapping[str, Sequence[str]] = {}) -> dict[Hop, HopWords]:
    """The profiles of all hops. `follows`: for each hop, the share of what it reaches that each other hop leaves."""
    out: dict[Hop, HopWords] = {}
    for relation in schema:
        forward = _forward(relation, lexicon)
        for place in (relation.name,):
            _put(forward.own, [stem(w) for w in synonyms.get(place, ())], 1.0)
        out[Hop(relation.name, False)] = forward
        out[Hop(relation.name, True)] = HopWords(dict(forward.own), forward.start, forward.end)
        _put(out[Hop(relation.name, True)].own, [stem(w) for w in synonyms.get("^" + relation.name, ())], 1.0)
    first = {hop: dict(words.start) for hop, words in out.items()}
    for hop, words in out.items():
        near: Weights = defaultdict(float)
        for other, share in follows.get(hop, {}).items():
            if share >= _SURE:
                for noun, weight in first[other].items():
                    near[noun] = max(near[noun], weight * _NEIGHBOUR * share)
        for noun, weight in near.items():
            words.end[noun] = max(words.end.get(noun, 0.0), weight)
    return out


def _forward(relation: RelationSchema, lexicon: Lexicon) -> HopWords:
    own, types, between = split_name(relation.name)
    words = HopWords({}, {}, {})
    content = [word for word in own if word not in _STOP]
    content += [part for word in content for part in lexicon.parts(word)]
    _put(words.own, content, 1.0)
    _put(words.own, between, _BETWEEN)
    _put(words.own, types, _TYPE)
    by = bool(own) and own[-1] == "by"
    heads = [] if by else _heads(own)
    for word in content:
        for concept in lexicon.about(word):
            _put(words.own, concept.words | concept.doers, _SYNONYM)
            if not concept.doers:
                _put(words.end, concept.words if word in heads else (), _SYNONYM)
                continue
            doer = by or word in concept.doers
            _put(words.end if doer else words.start, concept.doers, _SYNONYM)
            _put(words.start if doer else words.end, () if types and doer else concept.things, _GUESS)
    _put(words.end, [*heads, *(part for word in heads for part in lexicon.parts(word))], 1.0)
    _put_types(words, relation, types, lexicon)
    return words


def _heads(own: Sequence[str]) -> list[str]:
    """The nouns that a name says its triples end in: of `place of birth` place, and birth; else the last word."""
    content = [word for word in own if word not in _STOP]
    if "of" in own[1:-1]:
        return [own[own.index("of") - 1], content[-1]]
    return content[-1:]


def _put_types(words: HopWords, relation: RelationSchema, types: Sequence[str], lexicon: Lexicon) -> None:
    """Nouns for the ends from the types: those in the relation's name, and those that the KG gives its entities."""
    _put(words.start, types[-1:], _NOUN)
    _put(words.start, types[:-1], _NOUN / 2)
    for word in types[-1:]:
        for concept in lexicon.about(word):
            _put(words.start, concept.doers if word in concept.doers else concept.words, _SYNONYM)
    for side, names in ((words.start, relation.head_types), (words.end, relation.tail_types)):
        for name in names[:_TYPES_READ]:
            _put(side, [stem(word) for word in relation_words(name).split()], _NOUN)
