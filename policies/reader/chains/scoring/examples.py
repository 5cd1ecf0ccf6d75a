"""Training examples of a chain scorer: masked wordings with their chains, from aligned pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from trivium.policies.reader.chains.chain_search import ChainModel
from trivium.policies.reader.chains.composites import compose
from trivium.policies.reader.chains.decomposer import MASK
from trivium.policies.reader.chains.mentions import Mention
from trivium.policies.reader.chains.pairs import AlignedPair
from trivium.policies.reader.chains.phrasing import wording_of
from trivium.policies.reader.chains.wording import NAME, KnownWords, Wording
from trivium.policies.reader.english import classes

_RARE = 2_000  # pairs from which a word must occur twice to count as the questions' own phrasing
_NO_TOPIC = 0.3  # weight of a wording with another word than a name masked
_COMPOSITES = 2_000  # at most, and
_COMPOSITES_EACH = 6  # for each wording that they are made of
_COMPOSITE = 0.3  # their weight
_MOST = 50  # pairs of one wording that count


class ChainExample(NamedTuple):
    """A wording with the codes of its chain, empty where the masked name is not a topic; `weight` > 0."""

    wording: Wording
    chain: tuple[int, ...]
    weight: float = 1.0


def phrasing_words(pairs: Sequence[AlignedPair]) -> set[str]:
    """Words outside the topics; in a large set, and of other names, those of more than one pair: names slip in."""
    counts: Counter[str] = Counter()
    plain = set[str]()
    for pair in pairs:
        inside = {i for place in pair.gold for i in _places(pair.question.mentions[place])}
        written = [m for m in pair.question.mentions if m.start and m.text[:1].isupper()]  # names, topics or not
        inside |= {i for mention in written for i in _places(mention)}
        counts.update({word for i, word in enumerate(pair.question.plain) if i not in inside})
        named = {i for mention in pair.question.mentions for i in _places(mention)}
        plain.update(word for i, word in enumerate(pair.question.plain) if i not in named)
    return {word for word, count in counts.items() if count > 1 or (len(pairs) < _RARE and word in plain)}


def _places(mention: Mention) -> range:
    return range(mention.start, mention.stop)


def examples_of(pairs: Iterable[AlignedPair], known: KnownWords, lexical: ChainModel) -> list[ChainExample]:
    """Distinct wordings with their chains, and those of names and words that are no topic."""
    counts, others = Counter[tuple[Wording, tuple[int, ...]]](), Counter[Wording]()
    random = np.random.default_rng(0)
    number = lexical.segments.number
    for pair in pairs:
        for place, mention in enumerate(pair.question.mentions):
            wording = wording_of(pair.question, mention, known)
            if place in pair.gold:
                chain = pair.chains[pair.gold.index(place)]
                if all(hop in number for hop in chain):
                    counts[wording, tuple(number[hop] for hop in chain)] += 1
            elif pair.more and not any(mention.overlaps(pair.question.mentions[other]) for other in pair.gold):
                continue  # what narrows the answers no further may be a topic all the same
            elif not all(word in known for word in pair.question.plain[mention.start : mention.stop]):
                counts[wording, ()] += 1
        if (turned := _other_word(pair, random)) is not None:
            others[turned] += 1
    found = [ChainExample(wording, chain, min(n, _MOST) ** 0.5) for (wording, chain), n in sorted(counts.items())]
    taken = {example.wording for example in found}
    others_ = [(wording, n) for wording, n in sorted(others.items()) if wording not in taken]
    return [*found, *(ChainExample(wording, (), _NO_TOPIC * min(n, _MOST) ** 0.5) for wording, n in others_)]


def _other_word(pair: AlignedPair, random: np.random.Generator) -> Wording | None:
    """The pair's question with its topics as names and a word of its phrasing masked: what a chance name looks like."""
    inside = {i: place for place in pair.gold for i in _places(pair.question.mentions[place])}
    words = list[str]()
    for i, word in enumerate(pair.question.plain):
        if i not in inside:
            words.append(word)
        elif not words or words[-1] != NAME:
            words.append(NAME)
    free = [i for i, word in enumerate(words) if word != NAME and word not in classes().question]
    if not free:
        return None
    place = free[int(random.integers(len(free)))]
    words[place] = MASK
    return Wording(tuple(words), place)


def composites(examples: Sequence[ChainExample], lexical: ChainModel) -> list[ChainExample]:
    """Wordings put together from two or three, for chains that no pair shows; none is longer than the pairs' are."""
    segments = lexical.segments
    shown = [(each.wording, tuple(segments.hops[code] for code in each.chain)) for each in examples if each.chain]
    if not shown:
        return []
    transitions = {
        hop: frozenset(segments.hops[code] for code in np.flatnonzero(segments.follows[place]).tolist())
        for place, hop in enumerate(segments.hops)
    }
    longest = min(max(len(chain) for _, chain in shown), segments.max_hops)
    taken = set(shown)
    made = compose(shown, transitions, longest, min(_COMPOSITES, _COMPOSITES_EACH * len(shown)))
    return [
        ChainExample(wording, tuple(segments.number[hop] for hop in chain), _COMPOSITE)
        for wording, chain in made
        if (wording, chain) not in taken
    ]
