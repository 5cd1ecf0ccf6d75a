"""Ranking of ways by similarity: names left out, inverse and further hops, and words that speak for hops."""

from __future__ import annotations

import numpy as np
import pytest

from trivium.kg.embedders import open_embedder
from trivium.kg.types import Hop, LogicalChain, parse_chain
from trivium.policies.oda.similarity_choice import RelationNames, SimilarityChoice, without_names


@pytest.fixture(scope="module")
def names() -> RelationNames:
    return RelationNames(open_embedder("static"))


def chains(*written: str) -> list[LogicalChain]:
    return [parse_chain(chain.split()) for chain in written]


def best(names: RelationNames, question: str, label: str, *written: str) -> str:
    found = SimilarityChoice(question, [label], names).best(chains(*written))
    assert found is not None
    return " ".join(map(str, found[1]))


def test_the_names_of_entities_say_nothing_about_relations() -> None:
    assert without_names("Who directed The Writer of O?", ["The Writer of O"]) == "who directed"
    assert without_names("The Writer", ["the writer"]) == "The Writer"
    assert without_names("where is Ålesund", ["Alesund"]) == "where is"


def test_a_relations_own_name_counts(names: RelationNames) -> None:
    told = best(
        names,
        "where was Mary Shelley born?",
        "Mary Shelley",
        "/people/person/place_of_birth",
        "/people/person/profession",
        "^/people/person/place_of_birth",
    )
    assert told == "/people/person/place_of_birth"
    both = SimilarityChoice("where was she born", [], names).scores(chains("born_in", "^born_in"))
    assert both[0] - both[1] == pytest.approx(0.05)


def test_each_hop_needs_a_word_of_its_own(names: RelationNames) -> None:
    two = "^directed_by starring"
    assert best(names, "who starred in the films directed by Sirk?", "Sirk", "^directed_by", "starring", two) == two
    assert best(names, "which films did Sirk direct?", "Sirk", "^directed_by", two) == "^directed_by"
    there_and_back = SimilarityChoice("which films were directed by him", [], names)
    assert there_and_back.scores(chains("directed_by ^directed_by"))[0] == -np.inf
    again = SimilarityChoice("which other films were directed by the director of Heat", ["Heat"], names)
    assert np.isfinite(again.scores(chains("directed_by ^directed_by"))[0])


def test_what_is_impossible_is_not_chosen(names: RelationNames) -> None:
    choice = SimilarityChoice("who?", [], names)
    assert choice.best([]) is None
    assert choice.best(chains("directed_by starring")) is None
    found = choice.best(chains("directed_by"))
    assert found is not None
    assert found[1] == (Hop("directed_by", inverse=False),)
    assert choice.scores(chains("directed_by", "directed_by")).shape == (2,)
