"""Names in a question that are none to the letter: parts of names, peoples for their countries, initials, typos.

They are looked up only where the exact names leave words of a question unexplained
(`policies.reader.chains.compact_decomposer`), and where a pair's topic is none of them (`pairs.py`).
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace

from trivium.kg.store import GraphStore
from trivium.kg.text import fold_name
from trivium.kg.types import EntityHit
from trivium.policies.reader.chains.mentions import MAX_SPAN, Mention, SplitQuestion
from trivium.policies.reader.chains.name_variants import countries
from trivium.policies.reader.english import classes

_FUZZY_SPANS = 20  # windows that are searched with typos
_SHORTEST_TYPO = 4  # letters of what may be misspelt: any three letters are nearly somebody's name ("gmt", MGMT)
_SHORT = 0.85  # the score of an entity that is named by initials, of a country that is named by its people

Initials = Mapping[str, Sequence[str]]
"""Ids of the entities that initials stand for, the best connected first."""


async def widened(
    question: SplitQuestion, known: Container[str], store: GraphStore, initials: Initials
) -> SplitQuestion:
    """The question with the names beside its exact ones that are none to the letter."""
    similar = _beside(await find_similar(question, known, store, initials), question, known)
    return replace(question, mentions=(*question.mentions, *similar)) if similar else question


async def find_similar(
    question: SplitQuestion, known: Container[str], store: GraphStore, initials: Initials | None = None
) -> tuple[Mention, ...]:
    """Mentions that no name is to the letter: parts of names, peoples for their countries, initials, then typos.

    Windows that begin and end with a word outside `known` are searched, the longest first; typos only in what is
    longer than all else that fits, since ordinary words resemble names too ("dominant", Dominica).
    """
    plain = question.plain
    unknown = [i for i, word in enumerate(plain) if word not in known]
    names = {(i, j + 1) for i in unknown for j in unknown if i <= j < i + MAX_SPAN}
    # One more word on either side may belong to the name, though questions hold it too: "united states".
    wider = names | {(i - 1, j) for i, j in names if i and plain[i - 1] not in classes().function}
    wider |= {(i, j + 1) for i, j in wider if j < len(plain) and plain[j] not in classes().function}
    windows = sorted(wider, key=lambda w: (w[0] - w[1], w[0]))[:_FUZZY_SPANS]
    spans = {w: question.text[question.words[w[0]].start : question.words[w[1] - 1].end] for w in windows}
    partial = await store.find_partial(list(spans.values()))
    found = [
        [*await short_for(span, store, initials or {}), *hits]
        for span, hits in zip(spans.values(), partial, strict=True)
    ]
    longest = max((j - i for (i, j), hits in zip(windows, found, strict=True) if hits), default=0)
    misspelt = [
        place
        for place, (i, j) in enumerate(windows)
        if j - i > longest and (i, j) in names and len(spans[i, j]) >= _SHORTEST_TYPO
    ]
    for place, hits in zip(misspelt, await store.find([list(spans.values())[i] for i in misspelt]), strict=True):
        found[place] = hits
    return tuple(
        Mention(i, j, span, tuple(hits)) for ((i, j), span), hits in zip(spans.items(), found, strict=True) if hits
    )


async def with_initials(question: SplitQuestion, store: GraphStore, initials: Initials) -> SplitQuestion:
    """The question with what its mentions are the initials of as further candidates: "UK" is a currency too."""
    mentions = list(question.mentions)
    for place, mention in enumerate(question.mentions):
        keys = initials.get(fold_name(mention.text), ()) if mention.stop - mention.start == 1 else ()
        if not keys:
            continue
        found = [hit for hits in await store.find(keys, limit=1, fuzzy=False) for hit in hits]
        known = {hit.id for hit in mention.hits}
        more = [replace(hit, score=_SHORT, match="partial") for hit in found if hit.id not in known]
        mentions[place] = replace(mention, hits=(*mention.hits, *sorted(more, key=lambda hit: -hit.degree)))
    return replace(question, mentions=tuple(mentions))


async def short_for(span: str, store: GraphStore, initials: Initials) -> list[EntityHit]:
    """The entities of these initials, and the country whose people or language a single word names."""
    folded = fold_name(span)
    whole = [hit for hits in await store.find(initials.get(folded, ()), limit=1, fuzzy=False) for hit in hits]
    whole.sort(key=lambda hit: -hit.degree)
    names = countries(folded) if " " not in folded else []
    people = [hit for hits in await store.find(names, limit=1, fuzzy=False) for hit in hits][:1] if names else []
    return [replace(hit, score=_SHORT, match="partial") for hit in (*whole, *people)]


def _beside(similar: Sequence[Mention], question: SplitQuestion, known: Container[str]) -> list[Mention]:
    """The similar mentions of words that no exact mention explains: "the novel Dune" is no misspelt name.

    A part of a name may be what an exact one is too ("Harvard", of the university), but not within a longer exact one:
    "san" of "San Antonio" means no San Jose.
    """
    words = question.plain
    explained = {
        place
        for mention in question.mentions
        for place in range(mention.start, mention.stop)
        if words[place] not in known
    }
    return [
        mention
        for mention in similar
        if not any(map(mention.inside, question.mentions))
        and (mention.hits[0].match == "partial" or explained.isdisjoint(range(mention.start, mention.stop)))
    ]
