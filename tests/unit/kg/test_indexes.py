"""`VectorIndex` against exact arithmetic, its files against damage, and relation names as words."""

import json
import stat
from pathlib import Path

import numpy as np
import pytest

from trivium.kg.artifact import check_artifacts
from trivium.kg.embedders.opening import HashingEmbedder
from trivium.kg.embedders.static import StaticEmbedder
from trivium.kg.errors import CorruptError, EmbedderError, VersionError
from trivium.kg.indexes import VectorIndex, relation_words

WORDS = HashingEmbedder(64)
TEXTS = ["directed by", "written by", "has genre", "release year", "starred actors", "in language", "has genre"]
KEYS = [f"r{i}" for i in range(len(TEXTS))]


def test_search_is_the_inner_product() -> None:
    index = VectorIndex.build(KEYS, TEXTS, WORDS)
    queries = WORDS.embed(["who directed", "genre", "year of release"])
    scores, keys = index.search(queries, 3)
    exact = queries @ WORDS.embed(TEXTS).T
    order = np.argsort(-exact, axis=1, kind="stable")[:, :3]
    assert keys == [[KEYS[row] for row in rows] for rows in order]
    np.testing.assert_allclose(scores, np.take_along_axis(exact, order, 1), atol=1e-6)
    assert keys[1][:2] == ["r2", "r6"], "equal scores keep the order of building"
    assert (scores.dtype, list(index.keys)) == (np.dtype(np.float32), KEYS)


def test_k_larger_than_the_index_and_empty_ones(tmp_path: Path) -> None:
    index = VectorIndex.build(KEYS, TEXTS, WORDS)
    scores, keys = index.search(WORDS.embed(["genre", ""]), 100)
    assert (scores.shape, sorted(keys[0])) == ((2, 7), KEYS)
    assert not scores[1].any()
    empty = VectorIndex.build([], [], WORDS)
    empty.save(tmp_path)
    for found in (empty, VectorIndex.load(tmp_path, WORDS)):
        scores, keys = found.search(WORDS.embed(["genre"]), 5)
        assert (len(found), scores.shape, keys) == (0, (1, 0), [[]])
    assert index.search(WORDS.embed([]), 3)[1] == []


@pytest.mark.parametrize("half", [False, True])
def test_saved_and_mapped_again(tmp_path: Path, half: bool) -> None:
    batches = [(KEYS[:3], TEXTS[:3]), ([], []), (KEYS[3:], TEXTS[3:])]
    index = VectorIndex.build_batches(batches, WORDS, source_version="v7", half=half)
    index.save(tmp_path / "index")
    again = VectorIndex.load(tmp_path / "index", WORDS)
    assert check_artifacts(tmp_path, ()) == []
    queries = WORDS.embed(["who directed", "genre"])
    np.testing.assert_array_equal(again.search(queries, 7)[0], index.search(queries, 7)[0])
    assert again.search(queries, 7)[1] == index.search(queries, 7)[1]
    assert (again.source_version, len(again)) == ("v7", 7)
    np.testing.assert_allclose(
        again.search(queries, 1)[0], VectorIndex.build(KEYS, TEXTS, WORDS).search(queries, 1)[0], atol=2e-3
    )


def test_the_same_index_is_the_same_bytes_and_old_files_go(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        VectorIndex.build(KEYS[:2], TEXTS[:2], WORDS).save(tmp_path / folder)
    old = VectorIndex.load(tmp_path / "b", WORDS)
    for folder in ("a", "b"):
        VectorIndex.build(KEYS, TEXTS, WORDS).save(tmp_path / folder)
    files = [{path.name: path.read_bytes() for path in (tmp_path / folder).iterdir()} for folder in ("a", "b")]
    assert files[0] == files[1]
    assert len(files[0]) == 3
    assert old.search(WORDS.embed(["directed by"]), 1)[1] == [["r0"]], "what is mapped stays readable"
    assert all(path.stat().st_mode & stat.S_IROTH for path in (tmp_path / "a").iterdir())


def test_another_embedder_is_refused(tmp_path: Path) -> None:
    VectorIndex.build(KEYS, TEXTS, WORDS).save(tmp_path)
    with pytest.raises(EmbedderError, match="made with the embedder hashing"):
        VectorIndex.load(tmp_path, HashingEmbedder(64, seed=1))


@pytest.mark.parametrize("victim", ["vectors", "keys", "index"])
def test_damage_is_noticed(tmp_path: Path, victim: str) -> None:
    VectorIndex.build(KEYS, TEXTS, WORDS).save(tmp_path)
    path = next(path for path in tmp_path.iterdir() if path.name.startswith(victim))
    whole = path.read_bytes()
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 0x80
    for damaged in (bytes(flipped), whole[:-5], b"", None):
        path.unlink(missing_ok=True)
        if damaged is not None:
            path.write_bytes(damaged)
        with pytest.raises((CorruptError, VersionError), match=r"it is made again|upgrade"):
            VectorIndex.load(tmp_path, WORDS)


def test_a_newer_index_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(CorruptError, match=r"index\.json"):
        VectorIndex.load(tmp_path, WORDS)
    VectorIndex.build(KEYS, TEXTS, WORDS).save(tmp_path)
    path = tmp_path / "index.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"format": 99}))
    with pytest.raises(VersionError, match=r"index\.json was written by a newer Trivium \(format 99"):
        VectorIndex.load(tmp_path, WORDS)


def test_any_key_survives_and_a_folder_that_cannot_be_is_an_os_error(tmp_path: Path) -> None:
    keys = ["half \ud800", "two\nlines", ""]
    index = VectorIndex.build(keys, ["x", "y", "z"], WORDS)
    index.save(tmp_path / "deep" / "index")
    assert VectorIndex.load(tmp_path / "deep" / "index", WORDS).keys == keys
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        index.save(tmp_path / "file")


def test_wrong_shapes_are_refused() -> None:
    index = VectorIndex.build(KEYS, TEXTS, WORDS)
    with pytest.raises(ValueError, match="7 keys for 6 texts"):
        VectorIndex.build(KEYS, TEXTS[:-1], WORDS)
    with pytest.raises(ValueError, match="shape"):
        VectorIndex.from_vectors(KEYS, np.zeros((7, 3), np.float32), WORDS)
    for vectors, k in ((np.zeros((1, 3), np.float32), 1), (np.zeros(64, np.float32), 1), (WORDS.embed(["a"]), 0)):
        with pytest.raises(ValueError, match="k >= 1"):
            index.search(vectors, k)


def test_given_vectors_are_normalised() -> None:
    index = VectorIndex.from_vectors(KEYS, 5 * WORDS.embed(TEXTS), WORDS)
    scores, keys = index.search(WORDS.embed(["has genre"]), 1)
    assert keys == [["r2"]]
    np.testing.assert_allclose(scores, 1, atol=1e-6)


def test_the_static_embedder_finds_relations_by_meaning() -> None:
    names = ["/film/film/directed_by", "/finance/currency/countries_used", "starredActors", "has_genre"]
    index = VectorIndex.build(names, [relation_words(name) for name in names], StaticEmbedder())
    _, keys = index.search(StaticEmbedder().embed(["film director", "which actors starred", "money of the nation"]), 1)
    assert keys == [["/film/film/directed_by"], ["starredActors"], ["/finance/currency/countries_used"]]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("http://iec.ch/TC57/CIM100#BaseVoltage.nominalVoltage", "nominal voltage"),  # as UML's classes are in RDF
        ("http://ex.org/page#Part.of.all", "part of all"),
        ("http://ex.org/Paris.jpg", "paris jpg"),
        ("http://ex.org/films#e.year", "e year"),
        ("Film.year", "film year"),
        ("directed_by", "directed by"),
        ("starredActors", "starred actors"),
        ("hasISBNNumber", "has isbn number"),
        ("/film/film/directed_by", "film directed by"),
        ("/film/actor/film./film/performance/film", "film actor film performance film"),
        ("http://dbpedia.org/ontology/birthPlace", "birth place"),
        ("http://www.w3.org/2002/07/owl#sameAs", "same as"),
        ("http://a.org/r/", "r"),
        ("urn:x:madeBy", "made by"),
        ("country of origin", "country of origin"),
        ("IsA", "is a"),
        ("监督", "监督"),
        ("->", "->"),
    ],
)
def test_relation_words(name: str, words: str) -> None:
    assert relation_words(name) == words
    assert relation_words(words) == words
