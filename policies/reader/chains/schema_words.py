"""Words that suggest a hop before any training: its relation's name, its ends, and English synonyms of both.

Three profiles a hop: words of the relation itself, nouns for what it reaches, nouns for what it leaves. An inverse hop
has its forward hop's nouns the other way round.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from trivium.kg.indexes import name_path, relation_words
from trivium.kg.text import fold_case
from trivium.kg.types import Hop, RelationSchema
from trivium.policies.reader.chains.lexicon import Lexicon, stem
from trivium.policies.reader.chains.voice import doers_of, voice_of
from trivium.policies.reader.english import classes, english

Floats = NDArray[np.float32]
Weights = dict[str, float]

Synonyms = Mapping[str, Sequence[str]]
"""A user's own words for a relation, by its name, or for one direction of it, by `^name`."""

_NOUN = 0.9  # a type's name
_SYNONYM = 0.8
_GUESS = 0.6  # what a deed is commonly done to
_BETWEEN = 0.6  # words between the type a path leaves and its last property
_TYPE = 0.3  # the type's name as a word for the relation itself
_NEIGHBOUR = 0.8  # a noun that other hops leave the same entities by
_SURE = 0.6  # share of what a hop reaches from which another hop's noun is one for it
_ONE = 1.25  # what a hop reaches on average up to which it says where something is; a few have offices in two cities
_TYPES_READ = 2  # types read of each end, the most frequent


@dataclass
class HopWords:
    """Stems with weights in [0, 1]: the relation's own words, nouns for what the hop reaches and for what it leaves.

    `deed`: its own words that are verbs; `voice`: which way round a sentence says the hop (`voice.py`).
    """

    own: Weights
    end: Weights
    start: Weights
    deed: Weights = field(default_factory=dict)
    voice: int = 0


def _put(weights: Weights, words: Iterable[str], weight: float) -> None:
    for word in words:
        if word and word not in classes().stop_stems:
            weights[word] = max(weights.get(word, 0.0), weight)


def split_name(name: str) -> tuple[list[str], list[str], list[str]]:
    """A relation's name as (words of its own, nouns of the type it leaves, words between), stems.

    A Freebase-like path (`name_path`) `/film/actor/film./film/performance/film` leaves an `actor`, and says `film`;
    `performance` stands between. Any other name has words of its own alone.
    """
    parts = name_path(name)
    if not parts:
        return _stems(name), [], []
    between = [parts[0][-1], *parts[-1][-2:-1]] if len(parts) > 1 else []
    return _stems(parts[-1][-1]), _stems(parts[0][-2]), [word for segment in between for word in _stems(segment)]


def _stems(name: str) -> list[str]:
    """A name's words as a question's are read: folded, without accents or endings."""
    return [stem(word) for word in fold_case(relation_words(name)).split()]


def hop_words(
    schema: Sequence[RelationSchema],
    lexicon: Lexicon,
    hops: Sequence[Hop],
    follows: Floats,
    synonyms: Synonyms | None = None,
) -> dict[Hop, HopWords]:
    """The profiles of all hops; `follows` float32 [H, H] over `hops` as `follow_shares` gives them."""
    out: dict[Hop, HopWords] = {}
    typed = any(relation.head_types or relation.tail_types for relation in schema)
    for relation in schema:
        forward = _forward(relation, lexicon, typed=typed)
        out[Hop(relation.name, False)] = forward
        out[Hop(relation.name, True)] = HopWords(
            dict(forward.own), dict(forward.start), dict(forward.end), dict(forward.deed), -forward.voice
        )
    for name, words in (synonyms or {}).items():
        _put(out[Hop.parse(name)].own, map(stem, words), 1.0)
        if not name.startswith("^"):  # a relation's synonyms say both directions, as its own name does
            _put(out[Hop(name, True)].own, map(stem, words), 1.0)
    for relation in schema:
        _doubt_where(out[Hop(relation.name, False)].end, relation.triples / max(relation.heads, 1))
        _doubt_where(out[Hop(relation.name, True)].end, relation.triples / max(relation.tails, 1))
    starts = {hop: dict(words.start) for hop, words in out.items()}
    for number, hop in enumerate(hops):
        for other in np.flatnonzero(follows[number] >= _SURE).tolist():
            near = _NEIGHBOUR * float(follows[number, other])
            for noun, weight in starts[hops[other]].items():
                _put(out[hop].end, [noun], weight * near)
    return out


def _forward(relation: RelationSchema, lexicon: Lexicon, *, typed: bool) -> HopWords:
    own, types, between = split_name(relation.name)
    words = HopWords({}, {}, {}, voice=voice_of(relation.name, lexicon))
    content = [word for word in own if word not in classes().stop_stems]
    content += [part for word in content for part in lexicon.parts(word)]
    _put(words.own, content, 1.0)
    _put(words.own, between, _BETWEEN)
    _put(words.own, types, _TYPE)
    if words.voice:
        _put(words.deed, content[:1], 1.0)
        _put(words.end if words.voice < 0 else words.start, doers_of(content[0]) if content else (), _SYNONYM)
    by = bool(own) and own[-1] == "by"
    heads = [] if by or words.voice else _heads(own)
    if words.voice:
        _put_literal_ends(words, own)
    for word in content:
        for concept in lexicon.about(word):
            if types and word in concept.things and concept.doers.isdisjoint(types):
                continue  # an actor's film is nothing that is filmed, as a director's is
            _put(words.own, concept.words | concept.doers, _SYNONYM)
            if not concept.doers:
                _put(words.end, concept.words if word in heads else (), _SYNONYM)
                continue
            if words.voice:
                _put(words.deed, concept.words - concept.doers - concept.things, _SYNONYM)
            doer = by or (word in concept.doers and words.voice <= 0)  # "reports to": the deed, no report who does it
            _put(words.end if doer else words.start, concept.doers, _SYNONYM)
            _put(words.start if doer else words.end, () if types and doer else concept.things, _GUESS)
            if words.voice and any("who" in lexicon.asked.get(thing, {}) for thing in concept.things):
                # Who reports to whom, who teaches whom: both ends are people, and word order alone tells them apart.
                _put(words.start if doer else words.end, concept.doers & {"who"}, _SYNONYM)
    for word in types[-1:]:
        for concept in lexicon.about(word):
            if word in concept.doers and not concept.things.isdisjoint(heads):
                _put(words.own, concept.words, _SYNONYM)  # an actor's film is one that they act, play or appear in
    _put(words.end, [*heads, *(part for word in heads for part in lexicon.parts(word))], 1.0)
    _put_types(words, relation, types, lexicon)
    likely = () if typed or relation.kind is not None else heads[:1]
    _put_likely_asked(words.end, content, likely, lexicon)
    return words


def _put_likely_asked(end: Weights, own: Sequence[str], heads: Sequence[str], lexicon: Lexicon) -> None:
    """Say which asking words ask for what a name ends in, in a graph without types: "where" for a citytown.

    By half where another of its words asks for something else: a time zone is no place to be.
    """
    apart = len({max(asked, key=lambda word: asked[word]) for noun in own if (asked := lexicon.asked.get(noun))}) > 1
    for noun in (part for head in heads for part in [head, *lexicon.parts(head)]):
        for word, weight in lexicon.asked.get(noun, {}).items():
            _put(end, [stem(word)], _SYNONYM * weight / (1 + apart))


def _doubt_where(end: Weights, reached: float) -> None:
    """Let "where" ask less for what is reached from a thing by the dozen: what a state has in it is not where it is.

    Args:
        end: nouns for what a hop reaches.
        reached: its mean number.
    """
    where = stem("where")
    if where in end:
        end[where] /= 1 + math.log(max(reached / _ONE, 1))


def _put_literal_ends(words: HopWords, own: Sequence[str]) -> None:
    """Nouns for the ends of `head NAME tail`: a `capital of` leaves a capital, a `belongs_to_class` reaches a class."""
    if own[-1] == "of":
        _put(words.start, own[-2:-1], 1.0)
    elif own[-1] not in classes().literal and own[-1] != "by" and len(own) > 1:
        _put(words.end, own[-1:], 1.0)


def _heads(own: Sequence[str]) -> list[str]:
    """The nouns that a name says its triples end in: of `place of birth` place, and birth; else the last word."""
    content = [word for word in own if word not in classes().stop_stems]
    if "of" in own[1:-1]:
        return [own[own.index("of") - 1], content[-1]]
    return content[-1:]


def _put_types(words: HopWords, relation: RelationSchema, types: Sequence[str], lexicon: Lexicon) -> None:
    """Nouns for the ends from the types: those in the relation's name, and those that the KG gives its entities."""
    _put(words.start, types[-1:], _NOUN)
    _put(words.start, types[:-1], _NOUN / 2)
    for word in types[-1:]:
        for concept in lexicon.about(word):
            done = bool(concept.doers) and word in concept.things  # a type `film` is a movie, and no deed of filming
            said = concept.doers if word in concept.doers else concept.things if done else concept.words
            _put(words.start, said, _SYNONYM)
    for side, names in ((words.start, relation.head_types), (words.end, relation.tail_types)):
        nouns = [word for name in names[:_TYPES_READ] for word in _stems(name)]
        _put(side, nouns, _NOUN)
        _put_asked(side, nouns, lexicon)


def _put_asked(side: Weights, types: Sequence[str], lexicon: Lexicon) -> None:
    """Say which asking words ask for entities of these types: what they are is known better than from a deed's words.

    Where no type is known to English ("Q5", "Concept"), what the relation's words say stays.
    """
    asked: Weights = {}
    for noun in types:
        for word, weight in lexicon.asked.get(noun, {}).items():
            asked[word] = max(asked.get(word, 0.0), weight)
    for word in english().asks_for if asked else ():
        side.pop(stem(word), None)
        _put(side, [stem(word)] if word in asked else (), _NOUN * asked.get(word, 0.0))
        _put(side, map(stem, english().asks_for[word]) if asked.get(word) == 1 else (), _SYNONYM)
