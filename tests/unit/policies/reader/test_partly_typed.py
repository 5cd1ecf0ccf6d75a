"""Graphs whose entities have types in part, or none: what the reader's schema holds of them."""

from __future__ import annotations

from trivium.kg.embedders.static import StaticEmbedder
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.survey import profile_of
from trivium.kg.plans.text import write
from trivium.policies.reader.opening import names_of, open_reader
from trivium.policies.reader.schema import Schema

EDGES = [("Alien", "directed_by", "Ridley Scott"), ("Blade Runner", "directed_by", "Ridley Scott")]


def test_an_entity_without_a_type_among_others_with_one_is_read() -> None:
    films: list[tuple[str, list[str], dict[str, object]]] = [(name, ["film"], {}) for name in ("Alien", "Blade Runner")]
    graph = GraphColumns.of([*films, ("Ridley Scott", [], {})], EDGES)
    reader = open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())
    best, *_ = reader.read("how many films did Ridley Scott direct?")
    assert write(best.plan) == 'ids "Ridley Scott" | follow ^directed_by | count'
    assert best.unread == ()


def test_where_no_entity_has_a_type_there_is_none() -> None:
    graph = GraphColumns.of([(name, [], {}) for name in ("Alien", "Blade Runner", "Ridley Scott")], EDGES)
    assert not Schema.of(profile_of(graph)).types
