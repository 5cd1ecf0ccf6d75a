"""What keeps a question from one answer: unknown names, names of several, a relation that an entity lacks."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Any

from typing_extensions import TypedDict

from trivium.kg.indexes.words import own_words, relation_words
from trivium.kg.text import Token, tokens
from trivium.kg.types import EXACT_MATCHES, Hop, LogicalChain, parse_chain
from trivium.kg.values import ERAS
from trivium.nodes.run.abstain import Suggestion
from trivium.nodes.run.write_answer import listed
from trivium.tools.decompose_question import NO_DEPENDENCY
from trivium.tools.describe_entities import describe_entities
from trivium.tools.example_questions import example_questions
from trivium.tools.find_entities import find_entities
from trivium.tools.find_values import find_values
from trivium.tools.follow_chain import follow_chain
from trivium.tools.get_labels import get_labels
from trivium.tools.list_relations import list_relations
from trivium.tools.rank_texts import rank_texts

_KNOWN = 6
"""Relations that a message names."""
_ASKED = 3
"""Questions that are offered."""
_CONTENT = 4
"""Letters from which on a word may well be more than a function word."""
_SHORT = 40
"""Characters of a name that a message repeats."""
_PRONOUN = "i"  # is always written as a name is
_NO_NAMES = frozenset({_PRONOUN, *ERAS})  # with a capital wherever they stand
_LINKING = frozenset({"by", "in", "at", "of", "on", "to", "from", "for", "with", "as"})


async def known_of(kg: str, entity: str, question: str) -> tuple[str, list[str]]:
    """The label of an entity and its own relations in words, nearest to the question first; ("", []) for none."""
    (found,) = await describe_entities(kg, [entity]) if entity else (None,)
    if found is None:
        return "", []
    schema = {each.name: each for each in await list_relations(kg)}
    whom = found.label if len(found.label) <= _SHORT else "it"
    named = {}  # a name says nothing of which relation is meant: hops are ranked without it
    for hop in sorted(found.hops):
        kinds = schema[hop.relation].head_types if hop.relation in schema else ()
        words = schema[hop.relation].words if hop.relation in schema else ""
        named[hop_words(hop, kinds, words=words)] = hop_words(hop, kinds, whom, words)
    return found.label, [named[text] for text in await _nearest(kg, question, list(named))]


async def known_beside(
    kg: str, entity: str, question: str, unknown: Sequence[str], unread: Sequence[str], near: Sequence[Suggestion]
) -> tuple[str, list[str]]:
    """`known_of` an entity that a question without an answer is about, else `known_in` with no label.

    An entity that only words of an unknown name, or words that nothing accounts for, have in common with the question
    ("Robert" Bolt for "Robert Redford") is not what it is about, unless it is offered as what may have been meant.
    """
    label, knows = await known_of(kg, entity, question)
    lost = {token.text for text in (*unknown, *unread) for token in tokens(text)}
    common = {token.text for token in tokens(label)} & {token.text for token in tokens(question)}
    told = {word for word in common - lost if len(word) >= _CONTENT or not common & lost}
    if label and (told or not common or any(each["id"] == entity for each in near)):
        return label, knows
    return "", await known_in(kg)


async def askable(kg: str) -> list[Suggestion]:
    """A few questions that the graph answers, for somebody who asked none."""
    return [
        Suggestion(id=each.question, label=each.question, why="this graph answers it")
        for each in await example_questions(kg, _ASKED)
    ]


async def known_in(kg: str) -> list[str]:
    """The graph's most frequent relations in words."""
    relations = sorted(await list_relations(kg), key=lambda each: -each.triples)
    return list(dict.fromkeys(each.words or own_words(each.name) for each in relations))[:_KNOWN]


def hop_words(hop: Hop, heads: Sequence[str] = (), whom: str = "it", words: str = "") -> str:
    """A hop as a noun phrase: `birth year`, `films directed by it`, `bands with it as member` (`has_member`)."""
    words = words or own_words(hop.relation)
    words = words.removeprefix("has ") or words
    if not hop.inverse:
        return words
    kinds = sorted(heads)
    things = _plural(relation_words(kinds[0])) if len(kinds) == 1 else "things"
    linked = words.split()[-1] in _LINKING or words.endswith("ing")
    return f"{things} {words} {whom}" if linked else f"{things} with {whom} as {words}"


async def _nearest(kg: str, question: str, texts: Sequence[str]) -> list[str]:
    scores = await rank_texts(kg, question, texts)
    order = sorted(range(len(texts)), key=lambda place: -scores[place])
    return [texts[place] for place in order[:_KNOWN]]


def _plural(noun: str) -> str:
    if noun.endswith("s"):
        return noun
    return f"{noun[:-1]}ies" if noun.endswith("y") and noun[-2:-1] not in "aeiou" else f"{noun}s"


_NEAR = 0.6
"""Score of a name from which it is offered in place of an unknown one."""
_LIKE = 0.8
"""Score of a name from which words around an unknown one are taken for its own."""
_LONGEST = 8
"""Words of such a name."""
_STRETCHES = 12
"""Of them that are looked up."""
_WIDENED = 3
"""Unknown names of a question that are looked at so."""
_OFFERED = 3
_SEVERAL = 2
_KNOWN_BETTER = 3
"""Times the triples of its namesake from which an entity is meant without a word that says so."""
_NAMED = 3  # entities that a message names as the way to what is missing


class Link(TypedDict):
    """An entity that a mention was taken for: `degree` counts its triples, `match` as in `EntityHit`."""

    id: str
    label: str
    score: float
    degree: int
    match: str


def unknown_names(
    question: str,
    links: Mapping[str, Sequence[str]],
    names: Collection[str],
    *,
    nothing: bool,
    unread: bool,
    read: Collection[str] = (),
) -> list[str]:
    """Names in the question that no entity carries: unread words written like names, with the names beside them.

    Args:
        question: in words.
        links: for each mention how the entities that it was taken for match its name (`EntityHit.match`), best first.
        names: unread words that look like part of a name, folded.
        unread: whether any word is unread: then what is written small is less likely a name.
        nothing: whether no name was found at all: then any capital within the question is one.
        read: folded words that are something of the graph's: the value of a property.
    """
    words = tokens(question)
    capital = [_capital(question, words, place) for place in range(len(words))]
    odd = [
        word.text in names or (nothing and high and word.text not in read and word.text not in _NO_NAMES)
        for word, high in zip(words, capital, strict=True)
    ]
    loose = {mention for mention, hits in links.items() if hits and hits[0] not in EXACT_MATCHES}
    inside = _covered(question, words, links)
    out = []
    for start, stop in _runs(words, [any(each) for each in zip(odd, inside, capital, strict=True)]):
        text = question[words[start].start : words[stop - 1].end]
        if (any(odd[start:stop]) and not text.isdigit()) or text in loose:
            out.append(text)
    return out or sorted(mention for mention in loose if mention != mention.lower() or not unread)


def phrases(question: str, words: Collection[str]) -> list[str]:
    """Words of a question in its order, folded, neighbors as one phrase: "hair color"."""
    said = tokens(question)
    lost = {token.text for word in words for token in tokens(word)}
    runs = _runs_of([word.text in lost for word in said])
    return list(dict.fromkeys(" ".join(word.text for word in said[start:stop]) for start, stop in runs))


async def absent_names(names: Sequence[str], kg: str) -> list[str]:
    """Those of the names that no entity has exactly, and that are neither a value nor a word of the schema."""
    if not names:
        return []
    entities = await find_entities(kg, list(names), limit=1, fuzzy=False)
    values = await find_values(kg, list(names))
    return [name for name, *found in zip(names, entities, values, strict=True) if not any(found)]


async def widened(names: Sequence[str], question: str, kg: str) -> list[str]:
    """Unknown names, each with the words around it that belong to it: "Written on the Wnd", of which "Wnd" is unknown.

    A stretch of the question that begins and ends with a capital or the name itself belongs to the name where
    something is called like it, letter by letter.
    """
    words, out = tokens(question), list(names)
    for number, name in enumerate(names[:_WIDENED]):
        at = question.find(name)
        inside = [place for place, word in enumerate(words) if at <= word.start < at + len(name)] if at >= 0 else []
        if not inside:
            continue
        around = range(max(0, inside[-1] - _LONGEST + 1), min(len(words), inside[0] + _LONGEST))
        edges = sorted({inside[0], inside[-1], *(each for each in around if _capital(question, words, each))})
        pairs = [(one, two) for one in edges for two in edges if one <= inside[0] and inside[-1] <= two]
        longer = [(one, two) for one, two in pairs if 0 < two - one < _LONGEST][:_STRETCHES]
        spans = [question[words[one].start : words[two].end] for one, two in longer]
        found = await find_entities(kg, spans, limit=1, meaning=False) if spans else []
        like = [(hits[0].score, span) for span, hits in zip(spans, found, strict=True) if hits]
        score, span = max(like, default=(0.0, name))
        if score >= _LIKE:
            out[number] = span
    return out


def _capital(question: str, words: Sequence[Token], place: int) -> bool:
    return place > 0 and question[words[place].start].isupper()


def _covered(question: str, words: Sequence[Token], links: Collection[str]) -> list[bool]:
    spans = [(at, at + len(mention)) for mention in links if mention and (at := question.find(mention)) >= 0]
    return [any(start <= word.start < stop for start, stop in spans) for word in words]


def _runs(words: Sequence[Token], marked: Sequence[bool]) -> list[tuple[int, int]]:
    """Stretches of marked words; "in" or "of" between two of them belongs to the name."""
    joined = list(marked)
    for place in range(1, len(words) - 1):
        linking = words[place].text in ("in", "of", "the", "and", "for")
        joined[place] = joined[place] or (linking and marked[place - 1] and marked[place + 1])
    return _runs_of(joined)


def _runs_of(marked: Sequence[bool]) -> list[tuple[int, int]]:
    """Where each stretch of marked places starts and stops."""
    edges = [place for place, (a, b) in enumerate(pairwise([False, *marked, False])) if a != b]
    return list(zip(edges[::2], edges[1::2], strict=True))


async def namesakes(
    question: str, subs: Sequence[Mapping[str, Any]], links: Mapping[str, Sequence[Link]], kg: str
) -> list[Suggestion]:
    """The entities of one name that the question may mean alike, each with its kind and what is found for it.

    Nothing where the question's words tell them apart, where one is far better known, or where the answer is the same.
    """
    deps = [[NO_DEPENDENCY], *([sub["id"]] for sub in subs)]
    one_line = all(
        sub["dep"] == dep and "chain" in sub and "only" not in sub for sub, dep in zip(subs, deps, strict=False)
    )
    if len(links) != 1 or not one_line:
        return []
    (hits,) = links.values()
    alike = [hit for hit in hits if _alike(hit, hits[0])][:_OFFERED]
    if len(alike) < _SEVERAL:
        return []
    chain = [hop for sub in subs for hop in sub["chain"]]
    ids = [hit["id"] for hit in alike]
    described = await describe_entities(kg, ids, relations=False)
    kinds = [list(each.types) if each else [] for each in described]
    fitting = [_is_said(own, question) for own in kinds]
    if fitting[0] and not all(fitting):
        return []
    reached = [(await follow_chain(kg, [key], [parse_chain(chain)])).reached for key in ids]
    if len({frozenset(item.id for item in each) for each in reached if each}) < 2:
        return []
    out = []
    for hit, own, found in zip(alike, kinds, reached, strict=True):
        if found:
            labels = await get_labels(kg, [item.id for item in found[:_NAMED]])
            why = f"{', '.join([*own[:1], hit['id']])}: {listed(labels, max(0, len(found) - _NAMED))}"
            out.append(Suggestion(id=hit["id"], label=hit["label"], why=why))
    return out


def _alike(hit: Link, first: Link) -> bool:
    """Whether a namesake may be meant as well as the first: named as well, and not far less known."""
    same = hit["match"] == first["match"] or {hit["match"], first["match"]} <= EXACT_MATCHES
    return same and hit["match"] != "fuzzy" and hit["degree"] * _KNOWN_BETTER >= first["degree"]


def _is_said(kinds: Sequence[str], question: str) -> bool:
    """Whether the question says one of the kinds: "the film Psycho"."""
    said = {word.text.removesuffix("s") for word in tokens(question)}
    return any(word.removesuffix("s") in said for kind in kinds for word in relation_words(kind).split())


async def near_names(names: Sequence[str], kg: str) -> list[Suggestion]:
    """The entities whose names are nearest to each of these."""
    found = await find_entities(kg, list(names), limit=_OFFERED, meaning=False) if names else []
    near = [(name, hit) for name, hits in zip(names, found, strict=True) for hit in hits if hit.score >= _NEAR]
    described = await describe_entities(kg, [hit.id for _, hit in near]) if near else []
    kinds = [" ".join(map(relation_words, each.types[:1])) if each else "" for each in described]
    return [
        Suggestion(id=hit.id, label=hit.label, why=", ".join(filter(None, [kind, f"name like {name!r}"])))
        for (name, hit), kind in zip(near, kinds, strict=True)
    ]


async def missing_hop(chain: LogicalChain, about: str, kg: str, label: str) -> tuple[str, str]:
    """The first relation of a chain that leads nowhere from an entity, in words, and what lacks it; "" for none.

    The other way round the words name that as well, and it is "": `nothing with "set in" Norway`.
    """
    at, of = [about], label
    for hop in chain:
        reached = [item.id for item in (await follow_chain(kg, at, [(hop,)])).reached]
        if not reached:
            return (await _pointing(hop, of, kg), "") if hop.inverse else (hop_words(hop), of)
        at = reached
        labels = await get_labels(kg, reached[:_NAMED])
        of = listed(labels, max(0, len(reached) - _NAMED))
    return "", ""


async def _pointing(hop: Hop, whom: str, kg: str) -> str:
    """What has a relation to something and is missing, in words of any relation: verbs, nouns and prepositions."""
    known = next((each for each in await list_relations(kg) if each.name == hop.relation), None)
    kinds = known.head_types if known is not None else ()
    what = f"no {relation_words(kinds[0])}" if len(kinds) == 1 else "nothing"
    return f'{what} with "{hop_words(Hop(hop.relation, False))}" {whom}'
