"""What a newer Trivium wrote is refused by that name wherever it is read, and never called damaged."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from trivium.app.cli.main import run
from trivium.kg.artifact import ArtifactKind
from trivium.kg.embedded import EmbeddedStore, build
from trivium.kg.embedded.backup import CONTENTS, back_up, restore
from trivium.kg.embedded.layout import ARRAYS
from trivium.kg.embedded.mapped import FOLDER, HEADER, SnapshotError, open_arrays
from trivium.kg.embedded.record import RECORD
from trivium.kg.embedders import open_embedder
from trivium.kg.errors import CorruptError, OutdatedError, VersionError
from trivium.kg.examples import keep_examples, read_examples
from trivium.kg.files import json_checksum
from trivium.kg.indexes import INDEX, VectorIndex
from trivium.kg.manifest import MANIFEST, read_manifest
from trivium.kg.neo4j.made import Marker, read_marker
from trivium.kg.types import Triple
from trivium.policies.bandit.log import FILE, BanditLog
from trivium.policies.paths.extraction import POLICY, STRUCTURE, TEXT, load_policy
from trivium.policies.reader.chains.artifact import CURRENT, DECOMPOSER, load_decomposer, load_ranking
from trivium.policies.reader.chains.exemplars import EXEMPLARS
from trivium.policies.reader.chains.synonyms import SYNONYMS, keep_synonyms, kept_synonyms
from trivium.policies.reader.chains.templates import TEMPLATES, read_templates
from trivium.policies.reader.chains.versions import list_versions
from trivium.policies.reader.chains.written import WRITTEN, read_written

KINDS = [CURRENT, DECOMPOSER, EXEMPLARS, INDEX, POLICY, STRUCTURE, SYNONYMS, TEMPLATES, TEXT, WRITTEN]
READERS: dict[str, Callable[[Path], object]] = {
    "decomposer": lambda folder: load_decomposer(folder, open_embedder("hashing")),
    "ranking": load_ranking,
    "templates": read_templates,
    "synonyms": kept_synonyms,
    "written": read_written,
    "paths": lambda folder: load_policy(folder, open_embedder("hashing")),
    "index": lambda folder: VectorIndex.load(folder, open_embedder("hashing")),
}
NEWER = r"was written by a newer Trivium \(format 99; this one reads up to \d+\): upgrade Trivium"


def doctor(path: Path, **fields: Any) -> None:
    """Change fields of a JSON file, and its checksum with them, as another Trivium would have written it."""
    content = {**json.loads(path.read_bytes()), **fields}
    content.pop("checksum", None)
    path.write_text(json.dumps({**content, "checksum": json_checksum(content)}))


@pytest.fixture
def kg(tmp_path: Path) -> Path:
    """A small KG."""
    build(tmp_path / "kg", [[Triple("a", "knows", "b")]])
    return tmp_path / "kg"


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.stem)
def test_every_kind_of_artifact(tmp_path: Path, kind: ArtifactKind) -> None:
    kind.save(tmp_path, {"x": 1}, made_from={})
    doctor(kind.path(tmp_path), format=99, data={"of another": "shape"})
    for read in (kind.load, kind.head):
        with pytest.raises(VersionError, match=NEWER) as caught:
            read(tmp_path)
        assert not isinstance(caught.value, OutdatedError)


@pytest.mark.parametrize("name", READERS)
def test_what_reads_them_passes_it_on(tmp_path: Path, name: str) -> None:
    kind = DECOMPOSER if name == "ranking" else next(kind for kind in KINDS if kind.stem == name)
    kind.save(tmp_path, {"x": 1}, made_from={})
    doctor(kind.path(tmp_path), format=99)
    with pytest.raises(VersionError, match=NEWER):
        READERS[name](tmp_path)


@pytest.mark.parametrize("name", ["synonyms", "written", "templates"])
def test_a_whole_file_that_makes_no_sense_is_newer_and_a_broken_one_damaged(tmp_path: Path, name: str) -> None:
    kind = next(kind for kind in KINDS if kind.stem == name)
    kind.save(tmp_path, {"of another": "shape"}, made_from={})
    with pytest.raises(VersionError, match="was written by a newer Trivium, in a form that this one does not know"):
        READERS[name](tmp_path)
    path = kind.path(tmp_path)
    path.write_bytes(path.read_bytes().replace(b"shape", b"shapf"))
    with pytest.raises(CorruptError, match="is damaged"):
        READERS[name](tmp_path)


def test_the_record_and_the_manifest(kg: Path) -> None:
    doctor(kg / MANIFEST, format=99)
    with pytest.raises(VersionError, match=NEWER):
        read_manifest(kg)
    with closing(sqlite3.connect(kg / RECORD, isolation_level=None)) as connection:
        connection.execute("UPDATE meta SET format = 99")
    with pytest.raises(VersionError, match=NEWER):
        EmbeddedStore.open(kg)


def test_the_snapshot_says_so_and_is_derived_again(kg: Path) -> None:
    (header,) = (kg / FOLDER).glob(f"*/{HEADER}")
    content = json.loads(header.read_bytes())
    content.pop("checksum")
    assert set(content["files"]) <= set(ARRAYS)
    content["format"] = 99
    checksum = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    header.write_text(json.dumps({**content, "checksum": checksum}))
    with pytest.raises(SnapshotError, match="was written by a newer Trivium"):
        open_arrays(kg, header.parent.name)
    store = EmbeddedStore.open(kg)
    assert store.snapshot.triples == 1
    store.close_now()


def test_a_backup(kg: Path, tmp_path: Path) -> None:
    file, newer = tmp_path / "kg.zip", tmp_path / "newer.zip"
    back_up(kg, file, lambda *_: None)
    with ZipFile(file) as old, ZipFile(newer, "w") as new:
        for name in old.namelist():
            blob = old.read(name)
            new.writestr(name, json.dumps({**json.loads(blob), "format": 99}) if name == CONTENTS else blob)
    with pytest.raises(VersionError, match=NEWER):
        restore(newer, tmp_path / "restored", lambda *_: None)


def test_the_bandit_s_log(tmp_path: Path) -> None:
    BanditLog.open(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / FILE)) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(VersionError, match=NEWER):
        BanditLog.open(tmp_path)


def test_the_marker_in_a_database() -> None:
    with pytest.raises(VersionError, match=NEWER):
        read_marker({**Marker().fields(), "format": 99})


def test_the_questions_learned_from(tmp_path: Path) -> None:
    keep_examples(tmp_path, "keqing", [])
    doctor(tmp_path / "examples" / "keqing.json", format=99)
    with pytest.raises(VersionError, match=NEWER):
        read_examples(tmp_path, "keqing")


def test_a_version_that_is_kept(films_kg: Path, tmp_path: Path) -> None:
    folder = tmp_path / "keqing"
    shutil.copytree(films_kg / "keqing", folder)
    (about, *_) = sorted((folder / "versions").glob("*/version.json"))
    about.write_text(json.dumps({**json.loads(about.read_bytes()), "lessons": 3}))
    with pytest.raises(VersionError, match=r"was written by a newer Trivium \(it has lessons\): upgrade"):
        list_versions(folder)


def test_a_question_to_what_a_newer_one_taught(
    films_kg: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "films"
    shutil.copytree(films_kg, folder)
    doctor(folder / "keqing" / "decomposer.json", format=99)
    assert run(["ask", "who directed Alien?", "--kg", str(folder), "--method", "keqing"]) == 1
    said = " ".join(capsys.readouterr().err.split())
    assert "was written by a newer Trivium (format 99" in said
    assert "damaged" not in said


def test_words_that_are_kept_are_read_again(tmp_path: Path) -> None:
    keep_synonyms(tmp_path, {"knows": ["is a friend of"]})
    assert kept_synonyms(tmp_path) == {"knows": ["is a friend of"]}
