"""What the graph knows of an entity, in words: what an answer that claims nothing offers instead."""

from __future__ import annotations

from collections.abc import Sequence

from trivium.kg.indexes.words import own_words, relation_words
from trivium.kg.types import Hop
from trivium.nodes.run.abstain import Suggestion
from trivium.tools.describe_entities import describe_entities
from trivium.tools.example_questions import example_questions
from trivium.tools.list_relations import list_relations
from trivium.tools.rank_texts import rank_texts

_KNOWN = 6
"""Relations that a message names."""
_ASKED = 3
"""Questions that are offered."""
_SHORT = 40
"""Characters of a name that a message repeats."""
_LINKING = frozenset({"by", "in", "at", "of", "on", "to", "from", "for", "with", "as"})


async def known_of(kg: str, entity: str, question: str) -> tuple[str, list[str]]:
    """The label of an entity and its own relations in words, nearest to the question first; ("", []) for none."""
    (found,) = await describe_entities(kg, [entity]) if entity else (None,)
    if found is None:
        return "", []
    heads = {each.name: each.head_types for each in await list_relations(kg)}
    whom = found.label if len(found.label) <= _SHORT else "it"
    named = {}  # a name says nothing of which relation is meant: hops are ranked without it
    for hop in sorted(found.hops):
        kinds = heads.get(hop.relation, ())
        named[hop_words(hop, kinds)] = hop_words(hop, kinds, whom)
    return found.label, [named[text] for text in await _nearest(kg, question, list(named))]


async def askable(kg: str) -> list[Suggestion]:
    """A few questions that the graph answers, for somebody who asked none."""
    return [
        Suggestion(id=each.question, label=each.question, why="this graph answers it")
        for each in await example_questions(kg, _ASKED)
    ]


async def known_in(kg: str) -> list[str]:
    """The graph's most frequent relations in words."""
    relations = sorted(await list_relations(kg), key=lambda each: -each.triples)
    return list(dict.fromkeys(own_words(each.name) for each in relations))[:_KNOWN]


def hop_words(hop: Hop, heads: Sequence[str] = (), whom: str = "it") -> str:
    """A hop as a noun phrase: `birth year`, `films directed by it`, `states with it as capital`."""
    words = own_words(hop.relation)
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
