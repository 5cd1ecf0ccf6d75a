"""Numbers for distinct texts, and the order of a column of texts, against Python's own dictionary and sort."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.kg.embedded.columns import StringColumn
from trivium.kg.embedded.numbering import Numbering, Texts, text_order
from trivium.kg.errors import BadInputError

# Few letters and lengths around eight bytes, so that texts begin alike and end inside, at and after a word.
TEXTS = st.lists(st.text("ab\0é\U0001f600\uffff", max_size=18), max_size=60)


@given(st.lists(TEXTS, min_size=1, max_size=4))
def test_equal_texts_have_one_number_and_others_another(batches: list[list[str]]) -> None:
    numbering, known = Numbering(), dict[str, int]()
    for batch in batches:
        numbers = numbering.of(Texts.of(batch))
        assert numbers.dtype == np.int32
        for text, number in zip(batch, numbers.tolist(), strict=True):
            assert known.setdefault(text, number) == number
    assert sorted(known.values()) == list(range(len(numbering)))
    texts = numbering.column().slice(0, len(numbering))
    assert {text: number for number, text in enumerate(texts)} == known


@given(TEXTS)
def test_the_order_is_that_of_python(texts: list[str]) -> None:
    order = text_order(StringColumn.pack(texts))
    assert [texts[row] for row in order.tolist()] == sorted(texts)


def test_many_texts_and_long_ones() -> None:
    texts = [f"name {number}" for number in range(200_000)] + ["x" * 9_999, "x" * 10_000, ""]
    numbering = Numbering()
    numbers = numbering.of(Texts.of(texts))
    assert len(set(numbers.tolist())) == len(texts) == len(numbering)
    assert (numbering.of(Texts.of(texts[::-1])) == numbers[::-1]).all()
    assert numbering.column()[int(numbers[123_456])] == texts[123_456]
    order = text_order(StringColumn.pack(texts))
    assert [texts[row] for row in order.tolist()] == sorted(texts)


def test_texts_that_differ_in_few_high_bits_are_told_apart_under_every_key() -> None:
    """Eight bytes are a word: a change of its highest bits must not be taken back by one of the next word's."""
    places = (7, 11, 15, 19, 23)
    texts = [
        "".join("xX"[place in places and bool(flipped >> places.index(place) & 1)] for place in range(24))
        for flipped in range(1 << len(places))
    ]
    for _ in range(200):
        numbering = Numbering()
        assert len(set(numbering.of(Texts.of(texts)).tolist())) == len(texts)


def test_what_is_no_utf8_is_refused_by_name() -> None:
    with pytest.raises(BadInputError, match=r"cannot be written as UTF-8: 'a\\ud800'"):
        Numbering().of(Texts.of(["b", "a\ud800"]))
