"""Readings: of namesakes the better known is meant unless the words speak clearly for the other."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import pytest

from trivium.kg.types import EntityHit, Hop
from trivium.policies.reader.chains.chain_search import ScoredChain
from trivium.policies.reader.chains.mentions import DEFAULT_MENTION_MODEL, Mention, SplitQuestion, split_question
from trivium.policies.reader.chains.readings import ChainReader, candidates
from trivium.policies.reader.chains.wording import Wording

OF_FILM, OF_COUNTRY = Hop("film_language", inverse=False), Hop("official_language", inverse=False)
COUNTRY, FILM = EntityHit("c", "Brazil", 0.98, 400, "folded"), EntityHit("f", "Brazil", 0.98, 20, "folded")
HOPS = {"c": frozenset({OF_COUNTRY}), "f": frozenset({OF_FILM})}


@dataclass(frozen=True)
class Finder:
    """Scores two chains, whatever is asked."""

    film: float
    country: float

    def best(self, wording: Wording, first: Collection[Hop], limit: int) -> list[ScoredChain]:
        """Both, if they may be left."""
        scores = ((self.film, OF_FILM), (self.country, OF_COUNTRY))
        return [ScoredChain(score, (hop,)) for score, hop in scores if hop in first][:limit]

    def explains(self, word: str) -> bool:
        """Never asked here."""
        return bool(word)


@pytest.mark.parametrize(("lead", "meant"), [(0.5, "c"), (1.0, "c"), (3.0, "f"), (-1.0, "c")])
def test_the_better_known_namesake_is_meant_unless_words_say_otherwise(lead: float, meant: str) -> None:
    text = "what language does brazil speak"
    words = split_question(text)
    question = SplitQuestion(text, words, (Mention(3, 4, "brazil", (COUNTRY, FILM)),))
    reader = ChainReader(Finder(lead, 0.0), frozenset({"what", "language", "does", "speak"}), DEFAULT_MENTION_MODEL)
    best, second = reader.readings(question, HOPS, two=False)
    assert [hit.id for hit in candidates(best.topics[0], HOPS)] == [meant]
    assert best.score - second.score < max(lead, 3.0)
    alone = SplitQuestion(text, words, (Mention(3, 4, "brazil", (FILM,)),))
    (only,) = reader.readings(alone, HOPS, two=False)
    assert only.score == pytest.approx(lead)  # nothing is lost where nobody else has the name
