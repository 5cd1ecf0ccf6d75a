"""Composites: chains that the pairs do not show, worded from parts that they do."""

from __future__ import annotations

from itertools import pairwise

from trivium.kg.types import Hop
from trivium.policies.reader.chains.composites import Example, compose
from trivium.policies.reader.chains.decomposer import MASK
from trivium.policies.reader.chains.wording import Wording

GENRE, DIRECTED, MADE, YEAR = (
    Hop("has_genre", False),
    Hop("directed_by", False),
    Hop("directed_by", True),
    Hop("year", False),
)
EXAMPLES: list[Example] = [
    (Wording(("what", "genre", "is", MASK), 3), (GENRE,)),
    (Wording(("who", "directed", MASK), 2), (DIRECTED,)),
    (Wording(("which", "films", "did", MASK, "direct"), 3), (MADE,)),
    (Wording(("when", "was", MASK, "released"), 2), (YEAR,)),
]
FOLLOWS = {
    GENRE: frozenset[Hop](),
    YEAR: frozenset[Hop](),
    DIRECTED: frozenset({MADE}),
    MADE: frozenset({GENRE, DIRECTED, YEAR}),
}


def test_composites_are_longer_feasible_and_distinct() -> None:
    made = compose(EXAMPLES, FOLLOWS, 3, 200)
    assert len(made) == len(set(made)) > 10
    for wording, chain in made:
        assert 2 <= len(chain) <= 3
        assert all(after in FOLLOWS[before] for before, after in pairwise(chain))
        assert wording.words.count(MASK) == 1
        assert wording.words[wording.mask] == MASK


def test_the_inner_hops_words_stand_next_to_the_mask() -> None:
    made = compose(EXAMPLES, FOLLOWS, 2, 200)
    texts = {" ".join(wording.words) for wording, chain in made if chain == (MADE, GENRE)}
    assert any("genre" in text and text.index("genre") < text.index("films") for text in texts)
    assert {chain for _, chain in made} <= {(MADE, GENRE), (MADE, YEAR), (DIRECTED, MADE), (MADE, DIRECTED)}
    assert {(MADE, GENRE), (MADE, YEAR)} <= {chain for _, chain in made}


def test_the_same_seed_gives_the_same_ones_and_no_more_than_asked() -> None:
    assert compose(EXAMPLES, FOLLOWS, 3, 8, seed=5) == compose(EXAMPLES, FOLLOWS, 3, 8, seed=5)
    assert len(compose(EXAMPLES, FOLLOWS, 3, 3)) == 3
    assert compose(EXAMPLES, dict.fromkeys(FOLLOWS, frozenset[Hop]()), 3, 8) == []
