"""What a reading leaves unread: the nouns, topics and owners that no word of a plan accounts for."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, takewhile

from trivium.kg.indexes.words import own_name
from trivium.kg.plans.plan import (
    Entities,
    Follow,
    HasType,
    Intersect,
    Minus,
    Node,
    OfType,
    QueryPlan,
    Top,
    Union,
    ValueOf,
    Where,
    nodes,
)
from trivium.kg.text import fold_case, singular, tokens
from trivium.kg.types import Hop
from trivium.policies.confidence.asks import is_plural
from trivium.policies.reader.chains.decomposer import Decomposition
from trivium.policies.reader.chains.open_world import asked_of
from trivium.policies.reader.english import classes, english
from trivium.policies.reader.names import words_of
from trivium.policies.reader.readings import Reading, elements_of

NAME = 0.84
"""Score of a match from which a name is the entity's."""
SAID = 0.75
"""Score of a match from which a word says what it is read as."""
PARTICIPLES = ("ed", "ing")
_LONG = 5
"""Letters of a word that may be a name in small letters."""


def owner_left(question: str, reading: Reading) -> str:
    """The noun for whose fact is asked for, where nothing accounts for it and the fact is of what is named; else "".

    "What language does the *director* of X speak?", answered by the film's. A noun that is only like the kind of what
    is named ("director", read as a film), or that only says that X has one, accounts for nothing.
    """
    plan = reading.plan
    ends = frozenset({plan.columns[0].property}) if isinstance(plan, ValueOf) else ends_of_plan(plan)
    naming = {
        fold_case(part.word) for part in reading.parts if part.score > 0 and own_name(part.element) in (ends or ())
    }
    said, beside = elements_of(plan), {name for node in nodes(plan) for name in _beside_named(node)}
    if not naming or not said - beside <= (ends or frozenset()):  # it may say what else is walked
        return ""
    words = [token.text for token in tokens(question)]
    liked = [
        part
        for part in reading.parts
        if own_name(part.element) in beside or (0 < part.score < SAID and own_name(part.element) not in said)
        if fold_case(part.word) not in naming
    ]
    left = {word for text in (*reading.unread, *(part.word for part in liked)) for word in fold_case(text).split()}
    read = {word for part in reading.parts for word in fold_case(part.word).split()} - left
    for part in reading.parts:
        name = [token.text for token in tokens(part.word)]
        whole = sorted(name) == sorted(token.text for token in tokens(part.element))  # "Kim Jae-Hwan", Jae-Hwan Kim
        if part.score < NAME or not whole or part.element in said:
            continue
        for start in (place for place in range(1, len(words)) if words[place : place + len(name)] == name):
            of, owners = start - 1 - (words[start - 1] == "the"), words[start + len(name) :][:2]
            if words[of] == "of" and of - 1 != asked_of(words) and "the" in words[max(of - 3, 0) : of - 1]:
                # But not the "number" of "the telephone number of X".
                owners = ["s", words[of - 1]] if words[of - 2] not in read else []
            if start > 1 and words[start - 2] in english().which:  # "which of X's boats": they are asked for
                continue
            if owners[:1] == ["s"] and not left.isdisjoint(owners[1:]):
                return owners[1]
    return ""


def _beside_named(node: Node) -> frozenset[str]:
    """The types and relations of what a set of named things is only intersected with."""
    if not isinstance(node, Intersect) or not any(isinstance(each, Entities) for each in node.sets):
        return frozenset()
    others = [each for each in node.sets if not any(isinstance(part, Entities) for part in nodes(each))]
    types = {part.type for each in others for part in nodes(each) if isinstance(part, OfType)}
    return frozenset(types.union(*(elements_of(each) for each in others)))


def ends_of_plan(plan: Node) -> frozenset[str] | None:
    """The relations and types that say what a plan's set is; None of what gives no set."""
    match plan:
        case Follow(steps=steps):
            return frozenset({steps[-1].relation})
        case OfType(type=name):
            return frozenset({name})
        case Intersect(sets=sets) | Union(sets=sets):
            return frozenset().union(*(ends_of_plan(each) or () for each in sets))
        case Where(source=source) | Top(source=source) | Minus(source=source):
            return ends_of_plan(source)
        case Entities():
            return frozenset()
    return None


def left_noun(question: str, found: Decomposition | None, plan: Reading | None) -> str:
    """The noun that is asked for and that nothing accounts for, "" where there is none: "in which *hospital* was …".

    A verb behind it is no part of it: "which *judge* eliminated Gia?", "which *museum* shows the emerald?".

    Args:
        question: in words.
        found: the decomposition whose chains answer.
        plan: the reading that answers in their place.
    """
    if plan is not None:
        left = {word for text in (*plan.unread, *plan.kinds) for word in fold_case(text).split()}
    else:
        left = set(found.support.strange) if found is not None and found.support is not None else set()
    words = [token.text for token in tokens(question)]
    for place in (place for place, word in enumerate(words) if word in english().which):
        noun = [*takewhile(lambda word: not says_nothing(word), words[place + 1 : place + 3])]
        if noun and noun[0] in left and (noun[1:] == [] or noun[1] in left or _is_deed(noun[1], words, found)):
            return noun[0]
    return ""


def _is_deed(word: str, words: Sequence[str], found: Decomposition | None) -> bool:
    """Whether a word behind a noun is a verb by its form: a past one, or one with "s" right before a name."""
    after = words[words.index(word) + 1 :]
    names = [[token.text for token in tokens(mention)] for mention in (found.links if found is not None else ())]
    before_name = any(name == after[: len(name)] or name == after[1 : len(name) + 1] for name in names if name)
    return word.endswith(PARTICIPLES[0]) or word in english().irregular or (is_plural(word) and before_name)


def left_nouns(question: str, reading: Reading) -> list[str]:
    """The nouns for things that no word of a plan accounts for: "how many *concerts* were looked into by officers".

    A plural that follows no one who might do it ("who owns"), or what is asked for, or stands behind "a" or behind a
    name with "the": "the Glass Harbour *replica*". No unit, no word that says little, and none right before a noun that
    is read.
    """
    language, words = english(), [token.text for token in tokens(question)]
    left = {word for text in reading.unread for word in fold_case(text).split()}
    read = {word for part in reading.parts if part.score > 0 for word in fold_case(part.word).split()}

    def is_one(word: str) -> bool:  # who or what does something
        several = is_plural(word) or word.endswith(PARTICIPLES)
        return word in classes().subjects or (word in read and not several)

    named = _behind_names(words, reading)
    out = []
    for place, word in enumerate(words):
        before, after = words[place - 1] if place else "", words[place + 1] if place + 1 < len(words) else ""
        says_little = language.stem(word) in language.generic or word in language.stop or word in language.irregular
        if word not in left or says_little or not word.isalpha() or word.endswith(PARTICIPLES):
            continue
        if word in language.units or singular(word) in language.units:
            continue
        ends = not after or after in language.stop or after in left or after.endswith(PARTICIPLES)
        asked = before in language.which or before in ("many", "a", "an")
        if place in named or (not is_one(before) if is_plural(word) else (asked and ends)):
            out.append(word)
    return out


def left_topics(question: str, reading: Reading) -> list[str]:
    """The words that nothing accounts for right behind a preposition, of five letters and more: "of *phenacetin*"."""
    left = {word for text in reading.unread for word in fold_case(text).split()}
    words = [token.text for token in tokens(question)]
    said = (word for before, word in pairwise(words) if before in classes().prepositions and word in left)
    return [word for word in said if word.isalpha() and len(word) >= _LONG]


def _behind_names(words: Sequence[str], reading: Reading) -> set[int]:
    """The places right behind a name that has "the" before it, where nothing is done: "is the Ford factory in Ulm?"."""
    out = set[int]()
    for part in reading.parts:
        name = [token.text for token in tokens(part.word)]
        own = [token.text for token in tokens(part.element)]
        if not is_name(part.word) or name[:1] == ["the"] or not set(name) <= set(own):
            continue
        for start in range(1, len(words) - len(name)):
            said = words[start : start + len(name)] == name and words[start - 1] == "the" and own[:1] != ["the"]
            if said and classes().do.isdisjoint(words[:start]):
                out.add(start + len(name))
    return out


def names_of_plan(reading: Reading) -> frozenset[str]:
    """The words for what a plan is about: of its types, relations and properties, and those that were read as such."""
    said = [part for part in reading.parts if part.score > 0]
    names = [*elements_of(reading.plan), *(part.word for part in said)]
    names += [node.type for node in nodes(reading.plan) if isinstance(node, OfType | HasType)]
    names += [own_name(part.element.partition(".")[0]) for part in said if " = " not in part.element]
    return frozenset(word for name in names for word in words_of(name) if word.isalpha())


def last_step(found: Decomposition | None, plan: QueryPlan | None) -> Hop | None:
    """The step that leads to what a plan gives, without a plan what chains do; None where it is no thing."""
    if plan is None:
        chains = [sub.chain for sub in found.sub_questions if sub.chain] if found is not None else []
        return chains[-1][-1] if chains else None
    while isinstance(plan, Where | Top | Minus):
        plan = plan.source
    if not isinstance(plan, Follow):
        return None
    return Hop(plan.steps[-1].relation, plan.steps[-1].direction == "in")


def says_nothing(text: str) -> bool:
    """Whether a text is of small words alone: "of the"."""
    return all(word in classes().function for word in fold_case(text).split())


def is_name(word: str) -> bool:
    """Whether a word is written as names and codes are: with a capital, or a digit."""
    return word[:1].isupper() or any(letter.isdigit() for letter in word)
