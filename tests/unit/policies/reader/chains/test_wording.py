"""Wordings as features: the same words the same features, and unknown words read as near known ones."""

from __future__ import annotations

import numpy as np
import pytest

from trivium.kg.embedders.opening import HashingEmbedder
from trivium.kg.embedders.static import StaticEmbedder
from trivium.policies.reader.chains.decomposer import MASK
from trivium.policies.reader.chains.wording import NAME, UNKNOWN, Encoder, Vocabulary, Wording, mask_words

WORDS = ["who", "directed", "which", "films", "did", "direct", "other", "the", "of"]
BUCKETS = 512


@pytest.fixture
def encoder() -> Encoder:
    return Encoder(Vocabulary.learn(WORDS, HashingEmbedder(32)), BUCKETS)


def _masked(text: str) -> Wording:
    words = text.split()
    return mask_words(words, words.index("X"), words.index("X") + 1)


def test_the_mask_stands_for_all_words_of_a_mention() -> None:
    wording = mask_words(["who", "directed", "blade", "runner", "first"], 2, 4)
    assert wording == Wording(("who", "directed", MASK, "first"), 2)
    assert mask_words(["x"], 0, 1) == Wording((MASK,), 0)


def test_encoding_is_deterministic_and_in_range(encoder: Encoder) -> None:
    again = Encoder(Vocabulary.learn(WORDS[::-1], HashingEmbedder(32)), BUCKETS)
    for text in ("who directed X", "X", "which films did X direct"):
        first, second = encoder.encode(_masked(text)), again.encode(_masked(text))
        np.testing.assert_array_equal(first.ids, second.ids)
        np.testing.assert_array_equal(first.dense, second.dense)
        assert (str(first.ids.dtype), str(first.dense.dtype), first.dense.shape) == ("int64", "float32", (3 * 32,))
        assert (np.diff(first.ids) > 0).all()
        assert first.ids.min() >= 0
        assert first.ids.max() < BUCKETS


def test_the_side_of_the_mask_matters(encoder: Encoder) -> None:
    before, after = encoder.encode(_masked("X directed")), encoder.encode(_masked("directed X"))
    assert set(before.ids) != set(after.ids)
    width = 32
    np.testing.assert_array_equal(before.dense[:width], after.dense[:width])
    np.testing.assert_array_equal(before.dense[width : 2 * width], after.dense[2 * width :])
    assert not before.dense[width : 2 * width].any(), "nothing stands left of the mask"


def test_masked_and_hidden_names_carry_no_vector(encoder: Encoder) -> None:
    bare, named = encoder.encode(_masked("X")), encoder.encode(Wording((NAME, MASK), 1))
    assert not bare.dense.any()
    assert not named.dense.any()
    assert set(bare.ids) != set(named.ids), "that a name stands there is a feature all the same"


def test_unknown_words_are_read_as_near_known_ones() -> None:
    vocabulary = Vocabulary.learn(["films", "directed", "genre"], StaticEmbedder())
    assert [vocabulary.read(word) for word in ("films", "movies", "movie")] == ["films"] * 3
    assert vocabulary.read("zebra") == UNKNOWN
    assert "movies" not in vocabulary
    encoder = Encoder(vocabulary, BUCKETS)
    known, near = encoder.encode(_masked("films directed X")), encoder.encode(_masked("movies directed X"))
    np.testing.assert_array_equal(known.ids, near.ids)
    np.testing.assert_array_equal(known.dense, near.dense)


def test_an_empty_vocabulary_reads_nothing() -> None:
    vocabulary = Vocabulary.learn([], HashingEmbedder(8))
    assert vocabulary.read("films") == UNKNOWN
    assert vocabulary.rows(["films"]) == []
    assert not Encoder(vocabulary, 16).encode(_masked("films X")).dense.any()
