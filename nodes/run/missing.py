"""What a question asks for and the graph has not: names that no entity carries, a relation that an entity lacks."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

from trivium.kg.text import Token, tokens
from trivium.kg.types import LogicalChain
from trivium.nodes.run.abstain import Suggestion
from trivium.nodes.run.known import hop_words
from trivium.nodes.run.write_answer import listed
from trivium.tools.find_entities import find_entities
from trivium.tools.follow_chain import follow_chain
from trivium.tools.get_labels import get_labels

EXACT = frozenset({"exact", "folded"})
"""How an entity matches that is named as it stands."""
_NEAR = 0.6
"""Score of a name from which it is offered in place of an unknown one."""
_OFFERED = 3
_NAMED = 3  # entities that a message names as the way to what is missing


def unknown_names(
    question: str, links: Mapping[str, Sequence[str]], names: Collection[str], *, nothing: bool, unread: bool
) -> list[str]:
    """Names in the question that no entity carries: unread words written like names, with the names beside them.

    Args:
        question: in words.
        links: for each mention how the entities that it was taken for match its name (`EntityHit.match`), best first.
        names: unread words that look like part of a name, folded.
        unread: whether any word is unread: then what is written small is less likely a name.
        nothing: whether no name was found at all: then any capital within the question is one.
    """
    words = tokens(question)
    capital = [_capital(question, words, place) for place in range(len(words))]
    odd = [word.text in names or (nothing and high) for word, high in zip(words, capital, strict=True)]
    loose = {mention for mention, hits in links.items() if hits and hits[0] not in EXACT}
    inside = _covered(question, words, links)
    out = []
    for start, stop in _runs(words, [any(each) for each in zip(odd, inside, capital, strict=True)]):
        text = question[words[start].start : words[stop - 1].end]
        if (any(odd[start:stop]) and not text.isdigit()) or text in loose:
            out.append(text)
    return out or sorted(mention for mention in loose if mention != mention.lower() or not unread)


async def absent_names(names: Sequence[str], kg: str) -> list[str]:
    """Those of the names that no entity carries to the letter."""
    found = await find_entities(kg, list(names), limit=1, fuzzy=False) if names else []
    return [name for name, hits in zip(names, found, strict=True) if not hits]


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
    edges = [place for place, (a, b) in enumerate(pairwise([False, *joined, False])) if a != b]
    return list(zip(edges[::2], edges[1::2], strict=True))


async def near_names(names: Sequence[str], kg: str) -> list[Suggestion]:
    """The entities whose names are nearest to each of these."""
    found = await find_entities(kg, list(names), limit=_OFFERED, meaning=False) if names else []
    return [
        Suggestion(id=hit.id, label=hit.label, why=f"name like {name!r}")
        for name, hits in zip(names, found, strict=True)
        for hit in hits
        if hit.score >= _NEAR
    ]


async def missing_hop(chain: LogicalChain, about: str, kg: str, label: str) -> tuple[str, str]:
    """The first relation of a chain that leads nowhere from an entity, in words, and what lacks it; "" for none."""
    at, of = [about], label
    for hop in chain:
        reached = [item.id for item in (await follow_chain(kg, at, [(hop,)])).reached]
        if not reached:
            return hop_words(hop), of
        at = reached
        labels = await get_labels(kg, reached[:_NAMED])
        of = listed(labels, max(0, len(reached) - _NAMED))
    return "", ""
