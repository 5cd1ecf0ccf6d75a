"""Whether the noun that is asked for may be for what a relation or a property leads to."""

from __future__ import annotations

from typing import Any, cast

import pytest

from tests.opened import opened
from trivium.kg.embedders import Embedder
from trivium.kg.embedders.static import StaticEmbedder
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.survey import profile_of
from trivium.policies.reader.asked_kinds import AskedKinds
from trivium.policies.reader.opening import names_of, open_reader


@pytest.mark.parametrize(
    ("noun", "name", "other"),
    [
        ("colours", "origin", True),
        ("country", "origin", False),  # "where" asks for both
        ("museum", "made_by", True),
        ("company", "made_by", False),
    ],
)
def test_no_color_is_an_origin(noun: str, name: str, *, other: bool) -> None:
    cars: list[Any] = [("900", ["Car"], {"origin": "Sweden"}), ("Saab", ["Firm"], {})]
    graph = GraphColumns.of(cars, [("900", "made_by", "Saab", {})])
    reader = open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())
    assert reader.asked_kinds.is_other(noun, name, inverse=False, read=frozenset({"come"})) is other


class _Sentences:
    """An embedder of sentences, which knows no words one by one."""

    inner = None


def test_only_vectors_of_words_tell_which_are_rare() -> None:
    kinds = opened([("900", ["Car"], {"origin": "Sweden"})], [])[1].asked_kinds
    assert (kinds.is_rare("phenacetin"), kinds.is_rare("company"), kinds.is_rare("companies")) == (True, False, False)
    assert not AskedKinds(kinds.schema, kinds.language, cast("Embedder", _Sentences())).is_rare("phenacetin")
