"""The content hash depends on the set of triples and on nothing else."""

from __future__ import annotations

import random

import numpy as np

from tests.contracts.naive import hash_triples, random_triples
from trivium.kg.content_hash import ContentHash, hash_coded, hash_strings, triple_lanes
from trivium.kg.types import Triple

TRIPLES = random_triples(0)


def test_order_and_batches_do_not_matter() -> None:
    shuffled = random.Random(0).sample(TRIPLES, len(TRIPLES))
    expected = hash_triples([TRIPLES])
    assert hash_triples([shuffled[:50], [], shuffled[50:]]) == expected
    assert len(expected) == 32


def test_it_is_this_very_hash() -> None:
    # A change here changes the hash of every KG on disk and in Neo4j: raise the format versions with it.
    assert hash_triples([]) == ContentHash().hexdigest()
    assert hash_triples([[Triple("a", "knows", "b")]]) == "723adff13a376f17eb3da68303eded6f"


def test_every_part_and_its_place_matter() -> None:
    variants = [("a", "r", "b"), ("b", "r", "a"), ("r", "a", "b"), ("a", "b", "r"), ("a", "r", "bb"), ("aa", "r", "b")]
    assert len({hash_triples([[Triple(*variant)]]) for variant in variants}) == len(variants)
    crossed = [Triple("a", "r", "b"), Triple("c", "r", "d")], [Triple("a", "r", "d"), Triple("c", "r", "b")]
    assert hash_triples([crossed[0]]) != hash_triples([crossed[1]])


def test_adding_and_taking_away_cancel() -> None:
    start = ContentHash().plus(triple_lanes(TRIPLES))
    there = start.minus(triple_lanes(TRIPLES[:40]))
    assert there == ContentHash().plus(triple_lanes(TRIPLES[40:]))
    assert there.plus(triple_lanes(TRIPLES[:40])) == start
    assert start.plus(triple_lanes([])) == start


def test_coded_arrays_give_the_same() -> None:
    entities = sorted({name for triple in TRIPLES for name in (triple.head, triple.tail)})
    relations = sorted({triple.relation for triple in TRIPLES})
    heads, codes, tails = (
        np.array([names.index(triple[part]) for triple in TRIPLES], dtype=np.int32)
        for part, names in ((0, entities), (1, relations), (2, entities))
    )
    coded = hash_coded(hash_strings(entities), hash_strings(relations), heads, codes, tails)
    assert coded.hexdigest() == hash_triples([TRIPLES])
    assert coded.triples == len(TRIPLES)
