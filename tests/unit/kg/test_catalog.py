"""KG arguments: folders, and names that the operator set in trivium.toml."""

from __future__ import annotations

from pathlib import Path

import pytest

from trivium.kg.catalog import (
    SETTINGS_FILE,
    cache_folder,
    find_named,
    named_confidence,
    named_embedder,
    named_kgs,
    state_folder,
)
from trivium.kg.errors import BadInputError, NotAKnowledgeBaseError


def test_names_are_relative_to_their_settings(tmp_path: Path) -> None:
    settings = tmp_path / SETTINGS_FILE
    settings.write_text('[kg.movies]\npath = "graphs/movies"\n[kg."far away"]\npath = "/srv/kg"\n')
    assert named_kgs(settings) == {"movies": tmp_path / "graphs" / "movies", "far away": Path("/srv/kg")}
    assert named_kgs(tmp_path / "none.toml") == {}


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ('[kgs.a]\npath = "x"', "kgs"),
        ('[kg.a]\npath = "x"\nroad = 1', "road"),
        ('[kg.a]\nuri = "bolt://h"\nroad = 1', "road"),
    ],
)
def test_what_nothing_reads_is_refused_by_name(tmp_path: Path, text: str, unknown: str) -> None:
    settings = tmp_path / SETTINGS_FILE
    settings.write_text(text)
    with pytest.raises(BadInputError, match=f"no (table|setting) '{unknown}'"):
        named_kgs(settings)


@pytest.mark.parametrize(("written", "read"), [("0.5", 0.5), ("1", 1.0), ("0", 0.0)])
def test_a_confidence_is_a_number_from_0_to_1(tmp_path: Path, written: str, read: float) -> None:
    settings = tmp_path / SETTINGS_FILE
    settings.write_text(f'[kg.a]\npath = "x"\nmin_confidence = {written}')
    assert named_confidence("a", settings) == read
    assert named_confidence("b", settings) is None


@pytest.mark.parametrize("written", ["true", "-0.1", "1.1", '"high"'])
def test_another_confidence_is_refused(tmp_path: Path, written: str) -> None:
    settings = tmp_path / SETTINGS_FILE
    settings.write_text(f'[kg.a]\npath = "x"\nmin_confidence = {written}')
    with pytest.raises(BadInputError, match="min_confidence must be a number from 0 to 1"):
        named_kgs(settings)


@pytest.mark.parametrize("text", ["[kg.a", '[kg.a]\nroad = "x"', "[kg.a]\npath = 3", 'kg = "a"', '[kg]\na = "x"'])
def test_settings_that_name_no_path_are_refused(tmp_path: Path, text: str) -> None:
    settings = tmp_path / SETTINGS_FILE
    settings.write_text(text)
    with pytest.raises(BadInputError, match=SETTINGS_FILE) as caught:
        named_kgs(settings)
    assert caught.value.path == settings


def test_an_embedder_by_name(tmp_path: Path) -> None:
    settings = tmp_path / SETTINGS_FILE
    settings.write_text(
        '[kg.a]\npath = "a"\nembedder = "minilm"\n[kg.b]\nuri = "bolt://h"\nembedder = "hashing"\n[kg.c]\npath = "c"'
    )
    assert [named_embedder(name, settings) for name in ("a", "b", "c", "d")] == ["minilm", "hashing", None, None]
    assert set(named_kgs(settings)) == {"a", "b", "c"}
    settings.write_text('[kg.a]\npath = "a"\nembedder = 3')
    with pytest.raises(BadInputError, match="embedder must be a text"):
        named_embedder("a", settings)


def test_settings_that_are_not_utf8_are_refused(tmp_path: Path) -> None:
    (tmp_path / SETTINGS_FILE).write_bytes(b"[kg.caf\xe9]\npath = 'x'")
    with pytest.raises(BadInputError, match="TOML"):
        named_kgs(tmp_path / SETTINGS_FILE)
    assert named_kgs(tmp_path / "other.toml") == {}


def test_a_name_goes_before_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "movies").mkdir()
    assert find_named("movies") == Path("movies")
    (tmp_path / SETTINGS_FILE).write_text('[kg.movies]\npath = "elsewhere"\n')
    assert find_named("movies") == Path("elsewhere")


def test_what_is_neither_is_refused_with_the_names_there_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / SETTINGS_FILE).write_text('[kg.zoo]\npath = "z"\n[kg.movies]\npath = "m"\n')
    with pytest.raises(NotAKnowledgeBaseError, match="sample, movies, zoo") as caught:
        find_named("moovies")
    assert "trivium kg build --out moovies" in str(caught.value)


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIVIUM_CACHE", "/a")
    monkeypatch.setenv("XDG_CACHE_HOME", "/b")
    assert cache_folder() == Path("/a")
    monkeypatch.delenv("TRIVIUM_CACHE")
    assert cache_folder() == Path("/b/trivium")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache" / "trivium"


def test_the_folder_of_what_is_learned_is_named_for_named_kgs_alone(tmp_path: Path) -> None:
    settings = tmp_path / SETTINGS_FILE
    named = '[kg.films]\npath = "kg"\n[kg.base]\nuri = "bolt://localhost"\n[kg."../up"]\npath = "kg"\n'
    settings.write_text(named)
    assert state_folder("films", settings) is None
    settings.write_text(f'{named}[server]\nstate = "learned"\n')
    assert state_folder("films", settings) == tmp_path / "learned" / "films"
    assert state_folder("base", settings) == tmp_path / "learned" / "base"
    assert [state_folder(kg, settings) for kg in ("bolt://localhost", "sample", str(tmp_path), "")] == [None] * 4
    with pytest.raises(BadInputError, match=r"name kg '\.\./up' with letters"):
        state_folder("../up", settings)
    for wrong in ("5", '""', "[]", '"bolt://localhost"'):
        settings.write_text(f"{named}[server]\nstate = {wrong}\n")
        with pytest.raises(BadInputError, match="state must be a folder"):
            state_folder("films", settings)
