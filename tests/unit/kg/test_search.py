"""Finding by text: what typos are forgiven, in what order, and how much is compared among many like names."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from rapidfuzz import fuzz

from trivium.kg.embedded import EmbeddedStore, Snapshot, build, search
from trivium.kg.embedded.columns import StringColumn
from trivium.kg.embedded.names import grams_of
from trivium.kg.embedded.search import find, find_similar
from trivium.kg.similarity import FUZZY, MIN_SIMILARITY, similarities
from trivium.kg.types import Entity, Triple

WORDS = ["alien", "brazil", "casablanca", "drive", "eraserhead", "fargo", "gilda", "heat", "inception", "jaws"]


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    rng = random.Random(0)
    names = {" ".join(rng.sample(WORDS, 3)) + f" {i}" for i in range(3000)}
    triples = [Triple(name, "is", "film") for name in sorted(names)]
    return snapshot_of(tmp_path_factory.mktemp("films") / "kg", triples, [Entity("film", "Motion Picture", ("movie",))])


def snapshot_of(path: Path, triples: list[Triple], entities: list[Entity]) -> Snapshot:
    build(path, [triples], entities)
    store = EmbeddedStore.open(path)
    found = store.snapshot
    store.close_now()
    return found


def typo(text: str, rng: random.Random) -> str:
    place = rng.randrange(1, len(text) - 1)
    swapped = text[:place] + text[place + 1] + text[place] + text[place + 2 :]
    return rng.choice([text[:place] + text[place + 1 :], text[:place] + "q" + text[place:], swapped])


def test_a_typo_finds_the_name_first(films: Snapshot) -> None:
    rng, right = random.Random(1), 0
    names = rng.sample(films.keys.slice(0, films.entities - 1), 100)
    for name in names:
        wrong = typo(name, rng)
        hits = find(films, [wrong])[0]
        right += bool(hits) and hits[0].id == name
        assert [(-hit.score, -hit.degree, hit.id) for hit in hits] == sorted((-h.score, -h.degree, h.id) for h in hits)
    assert right >= 85  # a typo in the number may well be another film's number


def test_fuzzy_scores_are_the_similarity(films: Snapshot) -> None:
    for hit in find_similar(films, "motoin pictur", limit=3):
        assert hit.score == pytest.approx(FUZZY * fuzz.ratio("motoin pictur", "motion picture") / 100)
    name = films.keys[5]
    shuffled = " ".join(reversed(name.split()))
    assert (find(films, [shuffled])[0][0].id, find(films, [shuffled])[0][0].score) == (name, FUZZY)


def test_unlike_names_are_not_found(films: Snapshot) -> None:
    assert find(films, ["something else entirely", "xx", "?", ""]) == [[], [], [], []]
    for hit in find_similar(films, "alien brazil", limit=100):
        assert hit.score >= FUZZY * MIN_SIMILARITY - 1e-9


def test_limit(films: Snapshot) -> None:
    assert len(find(films, ["alien brazil heat 12"], limit=2)[0]) == 2
    assert len(find(films, ["movie"], limit=5)[0]) == 1


def test_an_entity_comes_once_by_its_best_name(tmp_path: Path) -> None:
    named = [Entity("usa", "USA", ("U.S.A.", "U S A", "United States")), Entity("x", "united states")]
    snapshot = snapshot_of(tmp_path / "kg", [Triple("usa", "near", "x")], named)
    (usa, states, dotted) = find(snapshot, ["USA", "United States", "u.s.a"])
    assert [(hit.id, hit.score) for hit in usa] == [("usa", 1.0)]
    assert [(hit.id, hit.match) for hit in states] == [("usa", "exact"), ("x", "folded")]
    assert [(hit.id, hit.label, hit.match) for hit in dotted] == [("usa", "USA", "folded")]


def test_trigrams_stand_between_blanks() -> None:
    codes, bounds = grams_of(StringColumn.pack(["ab", "c", "", "x" * 500]))
    assert [int(code).to_bytes(3, "big") for code in codes[:3].tolist()] == [b" ab", b"ab ", b" c "]
    assert np.diff(bounds).tolist() == [2, 1, 0, 96]


def test_of_many_like_names_those_that_share_most_are_scored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Decoys of the same length share the trigrams of one word, the name that is meant those of both."""
    decoys = [Triple(f"silver {letter}{number:05}", "r", "x") for letter in "abc" for number in range(40)]
    snapshot = snapshot_of(tmp_path / "kg", [*decoys, Triple("silver lining", "r", "x")], [])
    assert find(snapshot, ["silver linign"])[0][0].id == "silver lining"
    monkeypatch.setattr(search, "_SCORED", 3)
    assert find(snapshot, ["silver linign"])[0][0].id == "silver lining"


@pytest.mark.slow
def test_many_like_names_cost_a_bounded_number_of_comparisons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    triples = [Triple(f"entity {i}", "r", f"entity {i + 1}") for i in range(200_000)]
    snapshot = snapshot_of(tmp_path / "kg", triples, [])
    compared = [0]

    def counted(text: str, names: Sequence[str]) -> list[float]:
        compared[0] += len(names)
        return similarities(text, names)

    monkeypatch.setattr(search, "similarities", counted)
    for text in ("entiy 1234", "entity 12x45", "enttiy 499", "entity", "entity 99999999", "e", "entity entity"):
        compared[0] = 0
        find(snapshot, [text])
        assert compared[0] <= search._SCORED, text
    assert find(snapshot, ["entiy 1234"])[0][0].id == "entity 1234"
    compared[0] = 0
    spans = [f"who {i} was the entity of" for i in range(145)] + [f"entity {i}" for i in range(5)]
    assert [hits[0].id for hits in find(snapshot, spans, fuzzy=False)[145:]] == spans[145:]
    assert not compared[0]


def test_a_name_is_found_without_what_its_parentheses_tell(tmp_path: Path) -> None:
    triples = [
        Triple("Heat (1995)", "is", "film"),
        Triple("Heat (1986)", "is", "film"),
        Triple("m1", "is", "film"),
        Triple("f(x)", "is", "song"),
        Triple("(500)", "is", "song"),
    ]
    kg = snapshot_of(tmp_path / "kg", triples, [Entity("m1", "Launch of Nelson (1814)", ("Nelson afloat (ship)",))])
    found = find(kg, ["heat", "Heat (1995)", "launch of nelson", "Nelson afloat", "f", "film"], fuzzy=False)
    assert [[hit.id for hit in hits] for hits in found] == [
        ["Heat (1986)", "Heat (1995)"], ["Heat (1995)"], ["m1"], ["m1"], [], ["film"],
    ]  # fmt: skip
    assert [hit.match for hit in (found[0][0], found[1][0])] == ["folded", "exact"]
