"""Roles for graphs whose entities have no types: what relations join, as far as it is the same entities.

MetaQA's films are the heads of every relation and become one role, called by what its relations are done to ("film",
"movie"); directors, writers, tags are one each, called by the relation's noun and by who does the deed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from trivium.kg.plans.columns import GraphColumns
from trivium.kg.text import tokens
from trivium.policies.reader.chains.lexicon import lexicon
from trivium.policies.reader.chains.voice import voice_of
from trivium.policies.reader.english import Language
from trivium.policies.reader.names import words_of
from trivium.policies.reader.schema import Property, Role

MOST_RELATIONS = 80
"""Relations up to which roles are made; a graph of more is read by chains from its names alone."""
_SAMPLE = 40_000  # entities that are looked at
_SAME = 0.75  # share of the smaller end's entities that are in the larger one, from which both are one role
_SHARED = 0.04  # share from which an entity may have both roles
_NAMED = 2_000  # names of a role that are looked at
_CALLED = 0.75  # share of a role's names that have a noun, from which it is called so
_ENDS = 3  # relation ends that a role's entities are listed by


@dataclass(frozen=True)
class Roles:
    """Roles of a graph.

    Attributes:
        roles: each with its words and ends.
        of_end: the role of each adjacency code: r for the heads of relation r, r + R for its tails; -1 for none.
        overlaps: pairs of roles that share entities.
        of_property: for each property, the role that has most of its owners.
    """

    roles: list[Role]
    of_end: list[int]
    overlaps: list[tuple[int, int]]
    of_property: dict[str, int]


def induce(columns: GraphColumns, language: Language) -> Roles:
    """Find the roles; deterministic."""
    names = list(columns.relations)
    count = len(names)
    rows = np.linspace(0, len(columns) - 1, min(len(columns), _SAMPLE)).astype(np.int64)
    has = np.zeros((len(rows), 2 * count), dtype=np.float32)
    for place, row in enumerate(rows.tolist()):
        part = slice(int(columns.indptr[row]), int(columns.indptr[row + 1]))
        codes, ends = columns.codes[part], columns.ends[part]
        has[place, codes[ends < len(columns)]] = 1
    both = has.T @ has
    size = np.diag(both)
    least = np.maximum(np.minimum(size[:, None], size[None, :]), 1)
    group = list(range(2 * count))
    for one, other in np.argwhere(np.triu(both / least >= _SAME, 1)).tolist():
        if size[one] and size[other]:
            old, new = group[other], group[one]
            group = [new if each == old else each for each in group]
    kept = [each for each in dict.fromkeys(group) if any(size[i] for i, g in enumerate(group) if g == each)]
    kept.sort(key=lambda each: -max(float(size[i]) for i, g in enumerate(group) if g == each))
    number = {each: place for place, each in enumerate(kept)}
    of_end = [number[each] if size[i] else -1 for i, each in enumerate(group)]
    roles = []
    for each in kept:
        members = sorted((i for i, g in enumerate(group) if g == each and size[i]), key=lambda i: -float(size[i]))
        words = dict.fromkeys(
            word for code in members for word in nouns_of(names[code % count], code >= count, language)
        )
        words |= dict.fromkeys(_nouns_in(columns.labels(rows[has[:, members].any(axis=1)][:_NAMED]), language))
        share = len(columns) / max(len(rows), 1)
        held = tuple((code % count, code >= count) for code in members[:_ENDS])
        roles.append(Role("", tuple(words), int(float(size[members[0]]) * share), held))
    pairs = {
        (of_end[one], of_end[other])
        for one, other in np.argwhere(both / least >= _SHARED).tolist()
        if of_end[one] >= 0 and of_end[other] >= 0 and of_end[one] != of_end[other]
    }
    return Roles(roles, of_end, sorted(pairs), _owners(columns, has, rows, of_end))


def _nouns_in(names: Sequence[str], language: Language) -> list[tuple[str, ...]]:
    """The nouns that the names of nearly all of a role begin or end with: "Cabinet C", "Highways Committee"."""
    said = [[word.text for word in tokens(name)] for name in names]
    said = [words for words in said if len(words) > 1]
    counts = Counter(word for words in said for word in {words[0], words[-1]} if _may_be_noun(word, language))
    least = max(_CALLED * len(names), 2)
    return [(word,) for word, count in counts.items() if count >= least]


def _may_be_noun(word: str, language: Language) -> bool:
    return word.isalpha() and len(word) > 2 and word not in language.stop


def nouns_of(name: str, tail: bool, language: Language) -> list[tuple[str, ...]]:
    """What the entities at one end of a relation are called: the tails of `directed_by` are directors.

    Of a deed in the active, such as `works_for`, the heads do it.
    """
    words = words_of(name)
    content = tuple(word for word in words if word not in language.classes.in_names) or words
    deeds = [deed for word in content for deed in language.deeds.get(language.stem(word), ())]
    doers: list[tuple[str, ...]] = [(doer,) for deed in deeds for doer in deed.doers]
    things: list[tuple[str, ...]] = [(thing,) for deed in deeds for thing in deed.things]
    if deeds and is_done_to(name, language):
        return ([content[1:]] if content[1:] else []) if tail else things
    if deeds and voice_of(name, lexicon()) > 0:
        own = [content[1:]] if len(content) > 1 and words[-1] == content[-1] else []  # contains_allergen
        return [*own, *things] if tail else doers
    if words[-1:] == ("of",):  # `partOf`, `subClassOf`: the heads are the parts
        tail = not tail
    # A station has a station master.
    noun = len(words) == len(content) == 2 and language.stem(content[0]) not in language.deeds
    owner = [content[:1]] if noun and asks_who(content[1], language) else []
    if len(words) > 1 and content == words and words[-1] in language.classes.sorts:
        owner = [content[:-1]]  # an object has an object type
    if doers and voice_of(name, lexicon()) < 0:
        return doers if tail else things
    return [content, content[-1:], *doers] if tail else [*owner, *things]


def asks_who(noun: str, language: Language) -> bool:
    """Whether "who" asks for what a noun names."""
    return language.asked.get(language.stem(noun), {}).get("who", 0.0) >= 1


def tells_person(column: Property, language: Language) -> bool:
    """Whether a column is one of persons: when they were born, or what they live by."""
    return not language.classes.of_persons.isdisjoint(words_of(column.name))


def doers_of(name: str, language: Language) -> tuple[bool, frozenset[str]]:
    """Which end of a relation does its deed (True: the tails), and the stems of the nouns for who does it."""
    if is_done_to(name, language):  # who made a thing is not said by `made_from`
        return True, frozenset()
    deeds = [deed for word in words_of(name) for deed in language.deeds.get(language.stem(word), ())]
    tails = voice_of(name, lexicon()) <= 0
    return tails, frozenset(language.stem(doer) for deed in deeds for doer in deed.doers)


def is_done_to(name: str, language: Language) -> bool:
    """Whether a name says where or with what its heads are done to: `sold_at`, `made from material`; not `made_by`."""
    first, *rest = words_of(name) or ("",)
    done = first.endswith("ed") or language.irregular.get(first, first) != first
    return (
        done
        and bool(rest)
        and rest[0] in language.classes.literal - {"of", "to", "for"}
        and language.stem(first) not in language.intransitive
    )


def things_of(name: str, language: Language) -> frozenset[str]:
    """The stems of the nouns for what a relation's deed is done to."""
    deeds = [deed for word in words_of(name) for deed in language.deeds.get(language.stem(word), ())]
    return frozenset(language.stem(thing) for deed in deeds for thing in deed.things)


def nouns_of_ends(name: str, language: Language) -> tuple[frozenset[str], frozenset[str]]:
    """The stems of the nouns for a relation's heads and for its tails, where it is called by a deed."""
    deeds = [deed for word in words_of(name) for deed in language.deeds.get(language.stem(word), ())]
    doers = frozenset(language.stem(noun) for deed in deeds for noun in deed.doers)
    things = frozenset(language.stem(noun) for deed in deeds for noun in deed.things)
    both = doers & things
    doers, things = doers - both, things - both
    if is_done_to(name, language):
        return things, frozenset()
    return (doers, things) if voice_of(name, lexicon()) > 0 or words_of(name)[-1:] == ("of",) else (things, doers)


def _owners(columns: GraphColumns, has: np.ndarray, rows: np.ndarray, of_end: list[int]) -> dict[str, int]:
    out = {}
    for name, parts in columns.properties.items():
        owned = np.zeros(len(columns), dtype=bool)
        for column in parts:
            owned[column.owners] = True
        shares = owned[rows].astype(np.float32) @ has
        best = int(shares.argmax()) if len(shares) else -1
        if best >= 0 and of_end[best] >= 0:
            out[name] = of_end[best]
    return out
