from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.neo4j_server.server import free_port
from tests.unit.app.cli.running import Trivium, refused
from trivium.kg.embedded.locks import build_lock, write_lock

FILES = {
    "one-column.tsv": (b"only one column\n", "line 1"),
    "later.tsv": (b"a good\tline\tcomes first\nonly one column\n", "line 2"),
    "latin.tsv": (b"a\tb\t\xff\xfe\n", "not UTF-8"),
    "utf16.tsv": ("a\tb\tc\n".encode("utf-16"), "UTF-16"),
    "empty.tsv": (b"", "contains no triples"),
    "blank.tsv": (b"\n \n", "contains no triples"),
    "false.tsv.gz": (b"a\tb\tc\n", "not a gzip file"),
    "odd.nt": (b"<x:a> <x:b> nothing .\n", "--skip-bad"),
    "missing.tsv": (None, "no such file"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_bad_file_is_refused_and_nothing_is_left(trivium: Trivium, tmp_path: Path, name: str) -> None:
    content, why = FILES[name]
    if content is not None:
        (tmp_path / name).write_bytes(content)
    before = sorted(tmp_path.iterdir())
    refused(trivium("kg", "build", "--out", tmp_path / "kg", tmp_path / name), "BadInputError", name, why)
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("command", ["add", "remove"])
@pytest.mark.parametrize("name", FILES)
def test_a_bad_file_changes_no_kg(trivium: Trivium, kg: Path, name: str, command: str) -> None:
    content, why = FILES[name]
    if content is not None:
        (kg.parent / name).write_bytes(content)
    before = trivium("kg", "info", kg, "--json").json
    good = kg.parent / "good.tsv"
    good.write_text("alien\tdirected_by\tscott\nnew\tis\there\n")
    refused(trivium("kg", command, kg, good, kg.parent / name), "BadInputError", name, why)
    assert trivium("kg", "info", kg, "--json").json == before
    assert trivium("kg", "verify", kg).out == "ok\n"


def test_a_bad_entities_file_is_refused(trivium: Trivium, kg: Path) -> None:
    (kg.parent / "names.tsv").write_text("alone\n")
    before = trivium("kg", "info", kg, "--json").json
    words = (kg.parent / "triples.tsv", "--entities", kg.parent / "names.tsv")
    refused(trivium("kg", "build", "--out", kg.parent / "new", *words), "BadInputError", "names.tsv, line 1")
    refused(trivium("kg", "add", kg, *words), "BadInputError", "names.tsv, line 1")
    assert not (kg.parent / "new").exists()
    assert trivium("kg", "info", kg, "--json").json == before


def test_a_folder_is_no_file(trivium: Trivium, kg: Path) -> None:
    refused(trivium("kg", "build", "--out", kg.parent / "new", kg.parent), "BadInputError", "is a folder")
    refused(trivium("kg", "export", kg, kg.parent), "BadInputError", "is a folder")


def test_build_refuses_a_folder_that_holds_anything(trivium: Trivium, kg: Path) -> None:
    before = trivium("kg", "info", kg, "--json").json
    refused(
        trivium("kg", "build", "--out", kg, kg.parent / "triples.tsv"), "KnowledgeBaseExistsError", "trivium kg add"
    )
    refused(trivium("kg", "build", "--out", kg.parent, kg.parent / "triples.tsv"), "KnowledgeBaseExistsError", "--out")
    assert trivium("kg", "info", kg, "--json").json == before


@pytest.mark.parametrize(
    "words",
    [
        "info {}",
        "verify {}",
        "find {} x",
        "neighbors {} x",
        "paths {} x y",
        "export {} {}/out.tsv",
        "copy {} {}/copy",
        "add {} {}/t",
        "remove {} {}/t",
    ],
)
def test_what_is_no_kg_is_refused_by_every_command(trivium: Trivium, tmp_path: Path, words: str) -> None:
    (tmp_path / "plain").mkdir()
    for folder in (tmp_path / "plain", tmp_path / "nowhere"):
        said = trivium("kg", *(word.format(folder) for word in words.split()))
        refused(said, "NotAKnowledgeBaseError", str(folder), "trivium kg build")
    assert list((tmp_path / "plain").iterdir()) == []


def test_a_newer_kg_is_refused(trivium: Trivium, kg: Path) -> None:
    manifest = json.loads((kg / "kg.json").read_text())
    (kg / "kg.json").write_text(json.dumps({**manifest, "format": 99}))
    refused(trivium("kg", "info", kg), "VersionError", "upgrade")
    refused(trivium("kg", "add", kg, kg.parent / "triples.tsv"), "VersionError", "upgrade")


def test_a_neo4j_uri_that_leads_nowhere(trivium: Trivium, kg: Path) -> None:
    nobody = f"bolt://127.0.0.1:{free_port()}"
    refused(trivium("kg", "copy", kg, nobody, "--write"), "UnreachableError", nobody, "is it running")
    refused(trivium("kg", "info", nobody), "UnreachableError", nobody)
    refused(trivium("kg", "info", "bolt://neo4j:secret@127.0.0.1"), "BadInputError", "TRIVIUM_NEO4J_PASSWORD")
    assert "secret" not in trivium("kg", "info", "bolt://neo4j:secret@127.0.0.1").err
    refused(trivium("kg", "info", "bolt:///nowhere"), "BadInputError", "bolt://HOST:PORT")
    refused(trivium("kg", "verify", nobody), "UsageError", "trivium kg copy", code=2)


def test_an_unknown_entity_is_named_with_similar_ones(trivium: Trivium, kg: Path) -> None:
    refused(trivium("kg", "neighbors", kg, "no such entity at all zzz"), "UnknownEntityError", "no such entity at all")
    refused(trivium("kg", "neighbors", kg, "Ridly Scot"), "UnknownEntityError", "did you mean 'Ridley Scott'?")
    refused(trivium("kg", "paths", kg, "alien", "Sigorney Weaver"), "UnknownEntityError", "'Sigourney Weaver'")
    refused(trivium("kg", "neighbors", kg, ""), "UnknownEntityError", "''")
    long = trivium("kg", "neighbors", kg, "x" * 100_000)
    refused(long, "UnknownEntityError", "…")
    assert len(long.err) < 300


def test_an_unknown_relation_is_named_with_similar_ones(trivium: Trivium, kg: Path) -> None:
    said = trivium("kg", "neighbors", kg, "alien", "--relation", "Directed-By")
    refused(said, "UnknownRelationError", "'Directed-By'", "did you mean 'directed_by'?")
    refused(trivium("kg", "neighbors", kg, "alien", "--relation", "qqq"), "UnknownRelationError", "'qqq'\n")


@pytest.mark.parametrize(
    "words",
    [["--limit", "0"], ["--limit", "many"], ["--direction", "up"]],
)
def test_bad_options_are_wrong_usage(trivium: Trivium, kg: Path, words: list[str]) -> None:
    said = trivium("kg", "neighbors", kg, "alien", *words)
    assert (said.code, said.out) == (2, "")
    assert f"Invalid value for '{words[0]}'" in said.err


def test_empty_text_is_wrong_usage(trivium: Trivium, kg: Path) -> None:
    refused(trivium("kg", "find", kg, " "), "UsageError", "empty", code=2)
    assert trivium("kg", "find", kg, "x" * 100_000, "--json").json == {"entities": []}


def test_the_sample_is_not_to_be_changed(trivium: Trivium, tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("a\tb\tc\n")
    refused(trivium("kg", "add", "sample", tmp_path / "t.tsv"), "UsageError", "kg copy sample", code=2)
    refused(trivium("kg", "remove", "sample", tmp_path / "t.tsv"), "UsageError", "kg copy sample", code=2)


def test_export_overwrites_no_kg(trivium: Trivium, kg: Path) -> None:
    refused(trivium("kg", "export", kg, kg / "triples.db"), "UsageError", "inside the KG", code=2)
    same = trivium("kg", "export", kg, kg.parent / "x", "--entities", kg.parent / "x")
    refused(same, "UsageError", "a file each", code=2)
    refused(trivium("kg", "export", kg, kg.parent / "no" / "x"), "BadInputError", "cannot be written")
    assert trivium("kg", "verify", kg).out == "ok\n"


def test_a_held_lock_is_busy(trivium: Trivium, kg: Path) -> None:
    with build_lock(kg.parent / "new"):
        said = trivium("kg", "build", "--out", kg.parent / "new", kg.parent / "triples.tsv")
    refused(said, "BusyError", "another process is building")
    with build_lock(kg):
        (kg.parent / "other.tsv").write_text("a\tb\tc\n")
        other = kg.parent / "other"
        assert trivium("kg", "build", "--out", other, kg.parent / "other.tsv").code == 0
        refused(trivium("kg", "copy", other, kg, "--replace"), "BusyError", str(kg))
    assert not (kg.parent / "new").exists()


def test_a_writer_that_goes_on_is_busy(trivium: Trivium, kg: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trivium.kg.embedded.locks.DEFAULT_WAIT", 0.1)
    with write_lock(kg):
        refused(trivium("kg", "add", kg, kg.parent / "triples.tsv"), "BusyError", "try again")
    assert trivium("kg", "add", kg, kg.parent / "triples.tsv", "--json").json["added"] == 0


def test_an_encoder_that_cannot_be_loaded_is_refused_before_anything_is_made(trivium: Trivium, tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("a\tr\tb\n")
    words = ("kg", "build", "--out", tmp_path / "kg", "--embedder", f"hf:{tmp_path}/t.tsv", tmp_path / "t.tsv")
    refused(trivium(*words), "EmbedderError", "", code=1)
    assert not (tmp_path / "kg").exists()
