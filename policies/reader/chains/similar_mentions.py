"""Approximate mentions in a question: parts of names, demonyms, initials, typos.

They are looked up only where the exact names leave words of a question unexplained
(`policies.reader.chains.compact_decomposer`), and where a pair's topic is none of them (`pairs.py`).
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace

from rapidfuzz import fuzz

from trivium.kg.similarity import MIN_SIMILARITY, TYPO, digits_of
from trivium.kg.store import GraphStore
from trivium.kg.text import fold_name
from trivium.kg.types import EntityHit
from trivium.policies.reader.chains.mentions import MAX_SPAN, Mention, SplitQuestion
from trivium.policies.reader.chains.name_variants import countries, initials
from trivium.policies.reader.english import classes

_FUZZY_SPANS = 20  # windows that are searched with typos
_SHORTEST_TYPO = 4  # letters of what may be misspelt: any three letters are nearly somebody's name ("gmt", MGMT)
_SHORTEST_START = 3  # letters of a word that stands for a longer one that begins with it: Ben, Russia of "russian"
_SHORT = 0.85  # the score of an entity that is named by initials, of a country that is named by its people

Initials = Mapping[str, Sequence[str]]
"""Ids of the entities that initials stand for, the best connected first."""


async def widened(
    question: SplitQuestion, known: Container[str], store: GraphStore, initials: Initials
) -> SplitQuestion:
    """The question with approximate mentions added to its exact ones."""
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
    names = {(i, j + 1) for i in unknown for j in unknown if i <= j < i + MAX_SPAN and not _cuts(question, i, j + 1)}
    # One more word on either side may belong to the name, though questions hold it too: "united states".
    wider = names | {(i - 1, j) for i, j in names if i and plain[i - 1] not in classes().function}
    wider |= {(i, j + 1) for i, j in wider if j < len(plain) and plain[j] not in classes().function}
    wider = {window for window in wider if not _cuts(question, *window)}
    windows = sorted(wider, key=lambda w: (w[0] - w[1], w[0]))[:_FUZZY_SPANS]
    spans = {w: question.text[question.words[w[0]].start : question.words[w[1] - 1].end] for w in windows}
    texts = list(spans.values())
    partial = await store.find_partial(texts)
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
    for place, hits in zip(misspelt, await store.find([texts[i] for i in misspelt]), strict=True):
        typed = digits_of(texts[place])
        found[place] = [hit for hit in hits if hit.match != "fuzzy" or digits_of(hit.label) == typed]
    return tuple(
        Mention(i, j, span, tuple(hits)) for ((i, j), span), hits in zip(spans.items(), found, strict=True) if hits
    )


def _cuts(question: SplitQuestion, start: int, stop: int) -> bool:
    """Whether a window begins or ends within a number that is written with points or hyphens: "14.14.0"."""
    first, last = question.words[start], question.words[stop - 1]
    before, after = question.text[max(first.start - 2, 0) : first.start], question.text[last.end : last.end + 2]
    cut_before = first.text[0].isdigit() and before[-1:] in (".", "-") and before[:1].isalnum()
    return cut_before or (last.text[-1].isdigit() and after[:1] in (".", "-") and after[1:].isalnum())


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


def place_of(question: SplitQuestion, label: str, known: Container[str]) -> tuple[int, int] | None:
    """The words of a question that name an entity which is known to be meant; None where none of them does.

    The label with a typo or with its spaces elsewhere; else the span whose words are most those of the label (Dice's
    coefficient), each but for an ending, a typo or what it is short for; initials and a people count as the whole.
    It begins and ends with a word of the label's, and no verb or asking word stands between: "state was the air force
    academy" names no more of United States Air Force Academy than its last three. Of spans alike that with more words
    outside `known` is taken.
    """
    plain, name = question.plain, fold_name(label)
    if (spelt := _spelt_alike(plain, name)) is not None:
        return spelt
    english = classes()
    own = _joined_letters(name.split())
    idle = english.question | english.function
    content = [part for part in own if part not in idle]
    apart = (english.asking | english.auxiliaries | english.being).difference(own)
    alike = [frozenset(i for i, part in enumerate(content) if _is_form_of(word, part)) for word in plain]
    short = initials(label)
    whole = {i for i, word in enumerate(plain) if word not in idle and (word == short or name in countries(word))}
    best, score = None, (0.0, 0)
    for i in sorted(whole | {i for i, meant in enumerate(alike) if meant}):
        for j in range(i, min(i + MAX_SPAN, len(plain))):
            if plain[j] in apart:
                break
            said = [place for place in range(i, j + 1) if alike[place] or plain[place] not in own]
            matched = min(len(said), len(frozenset().union(*alike[i : j + 1]))) if alike[j] else 0
            likeness = 1.0 if i == j and i in whole else 2 * matched / (len(said) + len(content))
            found = (likeness, sum(plain[place] not in known for place in said))
            if found > score:
                best, score = (i, j + 1), found
    return best


def _joined_letters(words: Sequence[str]) -> list[str]:
    """The words with single letters in a row as one: `j r r tolkien` -> jrr, tolkien."""
    out = list[str]()
    joined = False
    for word in words:
        if joined and len(word) == 1:
            out[-1] += word
        else:
            out.append(word)
            joined = len(word) == 1
    return out


def _is_form_of(word: str, part: str) -> bool:
    """Whether a word is a name's part, the start of it, made from it, or misspelt."""
    shorter = min(len(word), len(part))
    if word == part or (shorter >= _SHORTEST_START and (word.startswith(part) or part.startswith(word))):
        return True
    return shorter > _SHORTEST_TYPO and fuzz.ratio(word, part) >= 100 * MIN_SIMILARITY


def _spelt_alike(plain: Sequence[str], name: str) -> tuple[int, int] | None:
    """The span that is a name but for its spaces or a typo; None where none is.

    One of as many words, about names at both its ends, may be less alike: the name is known to be meant.
    """
    size, idle = len(name.split()), classes().question | classes().function
    found = list[tuple[float, tuple[int, int]]]()
    for i in range(len(plain)):
        for j in range(i + 1, min(len(plain), i + size + 1) + 1):
            near = j - i == size and idle.isdisjoint((plain[i], plain[j - 1]))
            likeness = fuzz.ratio(" ".join(plain[i:j]), name)
            if likeness >= 100 * (MIN_SIMILARITY if near else TYPO):
                found.append((likeness, (i, j)))
    return max(found)[1] if found else None


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
