"""Rows of vectors that add up: the same as embedding the words, made late or from a file."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from trivium.kg.additive_vectors import _widen
from trivium.kg.embedded.verify import verify
from trivium.kg.embedders import CachedEmbedder, FloatArray, unit
from trivium.kg.errors import EmbedderError
from trivium.kg.indexes import own_words, relation_words
from trivium.kg.types import Triple
from trivium.knowledge.knowledge import Knowledge


@pytest.fixture
def base(films_kg: Path, tmp_path: Path) -> Iterator[Knowledge]:
    """A copy of the films, which a test may write to."""
    shutil.copytree(films_kg, tmp_path / "kg")
    opened = Knowledge.open(tmp_path / "kg")
    yield opened
    opened.store.close_now()


class _Contextual:
    """Vectors of whole texts, which do not add up."""

    name, dimensions, fingerprint = "contextual", 4, "contextual"

    def embed(self, texts: Sequence[str]) -> FloatArray:
        return np.full((len(texts), 4), 0.5, np.float32)


def _silent(*_: object) -> None:
    """Progress that nobody hears."""


def test_a_cosine_is_that_of_the_words(base: Knowledge) -> None:
    vectors, snapshot = base.additive_vectors(), base.snapshot()
    assert vectors is not None
    assert snapshot is not None
    (asked,) = base.embedder.embed(["who directed the film Heat?"])
    words = [relation_words(snapshot.hop(code).relation) for code in snapshot.rel.tolist()]
    said = [f"{word} {name}" for word, name in zip(words, snapshot.names(snapshot.dst), strict=True)]
    found = vectors.cosines(asked, snapshot.rel, snapshot.dst)
    assert found == pytest.approx(base.embedder.embed(said) @ asked, abs=1e-3)
    assert float(np.abs(found).max()) <= 1.0001


def test_rows_from_the_file_are_those_made_late(base: Knowledge) -> None:
    late = base.additive_vectors()
    assert late is not None
    rows = np.arange(late.snapshot.size)
    made = late.entities(rows)
    assert late.cold
    path = base.make_vectors(_silent)
    mapped = base.additive_vectors()
    assert mapped is not None
    assert not mapped.cold
    np.testing.assert_array_equal(mapped.entities(rows), made)
    assert path.stat().st_size < 2 * made.size + 256  # two bytes a number
    assert verify(base.path) == []


async def test_another_state_of_the_kg_has_other_rows_and_the_old_file_goes(base: Knowledge) -> None:
    old = base.make_vectors(_silent)
    await base.store.add([Triple("heat", "directed_by", "aaa new one")])
    vectors = base.additive_vectors()
    assert vectors is not None
    assert vectors.cold
    row = vectors.snapshot.row("aaa new one")
    expected = unit(vectors.entities(np.array([row])))
    assert expected @ base.embedder.embed(["aaa new one"])[0] == pytest.approx([1.0], abs=1e-3)
    assert base.make_vectors(_silent) != old
    assert not old.exists()


def test_a_damaged_file_is_left_aside(base: Knowledge, caplog: pytest.LogCaptureFixture) -> None:
    path = base.make_vectors(_silent)
    path.write_bytes(path.read_bytes()[:50])
    vectors = base.additive_vectors()
    assert vectors is not None
    assert vectors.cold
    assert "is damaged; its vectors are made again" in caplog.text
    assert any(path.name in problem for problem in verify(base.path))


def test_an_embedder_whose_vectors_do_not_add_up_has_no_rows(films_kg: Path) -> None:
    base = Knowledge.open(films_kg)
    base.embedder = CachedEmbedder(_Contextual())
    try:
        assert base.additive_vectors() is None
        with pytest.raises(EmbedderError, match="this KG uses contextual"):
            base.make_vectors(_silent)
    finally:
        base.store.close_now()


def test_half_floats_are_widened_exactly() -> None:
    every = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    finite = every[np.isfinite(every)]
    np.testing.assert_array_equal(_widen(finite), finite.astype(np.float32))
    assert len(finite) == 63_488


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("/people/person/place_of_birth", "place of birth"),
        ("/film/actor/film./film/performance/film", "film"),
        ("people.person.placeOfBirth", "place of birth"),
        ("http://rdf.freebase.com/ns/people.person.place_of_birth", "place of birth"),
        ("http://example.org/ns/film.actor.film..film.performance.role", "role"),
        ("http://example.org/v1.2/born", "born"),
        ("http://example.org/schema#directedBy", "directed by"),
        ("No. of seats / rows", "no of seats rows"),
        ("directed_by", "directed by"),
        ("/", "/"),
    ],
)
def test_a_relations_own_name(name: str, words: str) -> None:
    assert own_words(name) == words
    assert own_words(name) in relation_words(name)
