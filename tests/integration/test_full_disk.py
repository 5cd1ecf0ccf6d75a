"""A disk without room: what reads goes on, what writes says so and leaves all as it was."""

from __future__ import annotations

import errno
import json
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from trivium.app.cli.main import run
from trivium.kg.databases import FrozenConnection, open_for_reading, translated
from trivium.kg.embedded import EmbeddedStore, add_triples
from trivium.kg.types import Triple

SIZE = 12  # MiB


@pytest.fixture
def full(films_kg: Path, tmp_path: Path) -> Iterator[Path]:
    """A KG on a file system of its own without a free byte; a machine where none can be mounted skips."""
    place = tmp_path / "full"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}m", "tmpfs", str(place)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        shutil.copytree(films_kg, place / "kg")
        with (place / "fill").open("wb", buffering=0) as file, suppress(OSError):
            while file.write(bytes(4096)):
                pass
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], capture_output=True, check=True)


def test_reading_goes_on_and_writing_says_why_not(
    full: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kg, more = full / "kg", tmp_path / "more.tsv"
    more.write_text("".join(f"new {i}\tdirected_by\tsomebody {i}\n" for i in range(3000)))
    questions = tmp_path / "q.jsonl"
    questions.write_text('{"id": "1", "question": "who directed Alien?"}\n')
    for method in ("auto", "keqing", "knowgpt", "oda"):
        assert run(["ask", "who directed Alien?", "--kg", str(kg), "--method", method, "--json"]) == 0
        claimed = [answer["id"] for answer in json.loads(capsys.readouterr().out)["answers"]]
        assert claimed == ["scott"] or method == "knowgpt", claimed  # KnowGPT has not learned from this KG
    for command in (["info", str(kg)], ["verify", str(kg)], ["export", str(kg), str(tmp_path / "before.tsv")]):
        assert run(["kg", *command]) == 0
    capsys.readouterr()
    writing = (
        ["kg", "add", str(kg), str(more)],
        ["kg", "build", "--out", str(full / "other"), str(more)],
        ["kg", "export", str(kg), str(full / "x.tsv")],
        ["kg", "backup", str(kg), str(full / "b.zip")],
        ["kg", "vectors", str(kg)],
        ["kg", "alias", str(kg), "Alien", "The Eighth Passenger"],
        ["learn", "keqing", "--kg", str(kg)],
        ["ask", "--batch", str(questions), "--out", str(full / "out.jsonl"), "--kg", str(kg)],
    )
    for command in writing:
        status = run(list(command))
        error = capsys.readouterr().err
        assert (status, "No space left on device" in error, "make room" in error) == (1, True, True), (command, error)
        assert error.count("\n") == 1, error
    (full / "fill").unlink()
    assert run(["kg", "verify", str(kg)]) == 0
    assert run(["kg", "export", str(kg), str(tmp_path / "after.tsv")]) == 0
    assert (tmp_path / "after.tsv").read_bytes() == (tmp_path / "before.tsv").read_bytes()
    assert run(["kg", "add", str(kg), str(more)]) == 0


@pytest.mark.parametrize("room", [128, 256, 384, 512])
def test_a_disk_that_fills_in_the_midst_of_a_build_is_full(
    full: Path, tmp_path: Path, room: int, capsys: pytest.CaptureFixture[str]
) -> None:
    more = tmp_path / "more.tsv"
    more.write_text("".join(f"new {i}\tdirected_by\tsomebody {i}\n" for i in range(3000)))
    with (full / "fill").open("r+b") as file:
        file.truncate((full / "fill").stat().st_size - room * 1024)
    assert run(["kg", "build", "--out", str(full / "other"), str(more)]) == 1
    error = capsys.readouterr().err
    assert error.startswith(f"trivium: OSError: No space left on device: {full}"), error
    assert sorted(path.name for path in full.iterdir()) == ["fill", "kg"]


def test_a_store_opened_on_a_full_disk_sees_what_is_written_once_there_is_room(full: Path) -> None:
    store = EmbeddedStore.open(full / "kg")
    try:
        before = store.meta.info.triples
        (full / "fill").unlink()
        add_triples(full / "kg", [Triple("a", "b", "c")])
        assert store.meta.info.triples == before + 1
    finally:
        store.close_now()


def test_a_log_that_nobody_can_open_is_not_left_out(full: Path, tmp_path: Path) -> None:
    """What was committed stands in the -wal file alone: to read the record without it would be to answer the past."""
    path = tmp_path / "a.db"
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("PRAGMA journal_mode = WAL")
    writer.execute("CREATE TABLE t (x)")
    writer.execute("INSERT INTO t VALUES (1)")
    (full / "fill").unlink()
    for suffix in ("", "-wal"):
        shutil.copy(f"{path}{suffix}", full / f"a.db{suffix}")
    writer.close()
    subprocess.run(["dd", "if=/dev/zero", f"of={full / 'fill'}", "bs=4k"], capture_output=True, check=False)
    with pytest.raises(OSError, match="No space left"):
        open_for_reading(full / "a.db", 0.1)
    (full / "fill").unlink()
    connection = open_for_reading(full / "a.db", 0.1)
    assert not isinstance(connection, FrozenConnection)
    assert connection.execute("SELECT x FROM t").fetchall() == [(1,)]
    connection.close()


def test_sqlite_out_of_room_is_the_systems_own_error(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "a.db", isolation_level=None)
    connection.execute("PRAGMA max_page_count = 3")
    with pytest.raises(sqlite3.OperationalError) as found:
        connection.executescript("CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(100000));")
    connection.close()
    error = translated(found.value, tmp_path / "a.db", str)
    assert isinstance(error, OSError)
    assert error.errno == errno.ENOSPC
