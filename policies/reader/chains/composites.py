"""Questions put together from shorter ones, for chain lengths that the pairs do not show.

"what genre is [mask]" and "which films did [mask] direct" give "what genre is the films [mask] direct": no English to
be proud of, but its words stand where those of a real question would, the inner hop's next to the mask.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise

from trivium.kg.types import Hop, LogicalChain
from trivium.policies.reader.chains.decomposer import MASK
from trivium.policies.reader.chains.wording import Wording
from trivium.policies.reader.english import classes

_MOST_DRAWN = 6  # a frequent step is drawn at most so many times as often as one never seen

Example = tuple[Wording, LogicalChain]


def compose(
    examples: Sequence[Example], follows: Mapping[Hop, frozenset[Hop]], max_hops: int, count: int, seed: int = 0
) -> list[Example]:
    """Up to `count` distinct composites of two or three examples, whose chains have 2 to `max_hops` hops.

    `follows`: the hops that may come after each. Chains are drawn evenly, then their wordings; which hop comes next is
    drawn by how often the examples' own chains have it there. A step straight back is taken only where they do, or
    where no example has a second hop.
    """
    rng = random.Random(seed)
    nexts = _next_hops([chain for _, chain in examples], follows)
    by_chain: dict[LogicalChain, list[Wording]] = defaultdict(list)
    by_first: dict[Hop, list[Example]] = defaultdict(list)
    for wording, chain in examples:
        by_chain[chain].append(wording)
        by_first[chain[0]].append((wording, chain))
    chains = sorted(by_chain)
    found: dict[Example, None] = {}
    for _ in range(4 * count):
        chain = rng.choice(chains)
        example = (rng.choice(by_chain[chain]), chain)
        for _ in range(rng.choice((1, 2))):
            example = _around(example, by_first, nexts, max_hops, rng)
        if len(example[1]) > len(chain):
            found[example] = None
        if len(found) >= count:
            break
    return list(found)


def _next_hops(chains: Sequence[LogicalChain], follows: Mapping[Hop, frozenset[Hop]]) -> dict[Hop, list[Hop]]:
    """The hops that may come after each, one listed as often as it is to be drawn."""
    seen = Counter(pair for chain in chains for pair in pairwise(chain))
    out = {}
    for hop, after in follows.items():
        back = Hop(hop.relation, not hop.inverse)
        out[hop] = [
            other
            for other in sorted(after)
            for _ in range(min(seen[hop, other], _MOST_DRAWN) + (other != back or not seen))
        ]
    return out


def _around(
    inner: Example,
    by_first: Mapping[Hop, Sequence[Example]],
    follows: Mapping[Hop, Sequence[Hop]],
    max_hops: int,
    rng: random.Random,
) -> Example:
    """The inner example within an outer one that may follow it; the inner one itself where none fits."""
    nexts = [hop for hop in follows.get(inner[1][-1], ()) if hop in by_first]
    if not nexts:
        return inner
    outer, chain = rng.choice(by_first[rng.choice(nexts)])
    if len(inner[1]) + len(chain) > max_hops:
        return inner
    words = [*outer.words[: outer.mask], *_as_noun(inner[0].words, rng), *outer.words[outer.mask + 1 :]]
    return Wording(tuple(words), words.index(MASK)), inner[1] + chain


def _as_noun(words: Sequence[str], rng: random.Random) -> list[str]:
    """A question's words as the thing it asks for: asking words and (half of the time) auxiliaries dropped."""
    out = list(words)
    while out and out[0] in classes().asking | classes().dropped_verbs:
        out = out[1:]
    for place in range(max(len(out) - 3, 0), len(out)):
        if out[place] in classes().asking:  # "[mask] directed which movies" -> "movies [mask] directed"
            out = out[place + 1 :] + out[:place]
            break
    if rng.random() < 0.5:
        out = [word for word in out if word not in classes().dropped_verbs]
    return ["the", *out] if rng.random() < 0.5 and out[0] != MASK else out
