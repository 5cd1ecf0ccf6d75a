"""What people are shown of a relation's name."""

from __future__ import annotations

import pytest

from trivium.kg.indexes.words import relation_words, short_name


@pytest.mark.parametrize(
    ("name", "short", "words"),
    [
        ("http://example.org/P7_took_place_at", "took_place_at", "took place at"),
        ("http://example.org/P195i_had_presence", "had_presence", "had presence"),
        ("http://example.org/P31", "P31", "p31"),
        ("http://example.org/RO_0002202", "RO_0002202", "ro 0002202"),
        ("http://example.org/B2B_client", "B2B_client", "b2 b client"),
        ("P7_took_place_at", "P7_took_place_at", "p7 took place at"),
    ],
)
def test_codes_before_the_words_of_an_iri_are_left_out(name: str, short: str, words: str) -> None:
    assert (short_name(name), relation_words(name)) == (short, words)
