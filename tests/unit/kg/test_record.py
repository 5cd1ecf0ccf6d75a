"""The record: transactions are all or nothing, counts and hashes follow every change."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.contracts.naive import hash_triples, random_triples
from trivium.kg.embedded import EmbeddedStore, build
from trivium.kg.embedded.record import RECORD, meta_of, read_meta, read_tables, reading
from trivium.kg.embedded.verify import verify
from trivium.kg.embedded.write import add_triples, delete_triples
from trivium.kg.errors import CorruptError, VersionError
from trivium.kg.types import Entity, Triple

FIRST = Triple("a", "knows", "b")

KILLED = """
import sys
from pathlib import Path
from trivium.kg.embedded.write import add_triples
from trivium.kg.types import Triple
print("ready", flush=True)
add_triples(Path(sys.argv[1]), [Triple(f"round {sys.argv[2]}", "knows", f"person {i}") for i in range(3000)])
print("done", flush=True)
"""


@pytest.mark.parametrize("seed", range(3))
def test_counts_and_hashes_follow_random_changes(tmp_path: Path, seed: int) -> None:
    rng, pool = random.Random(seed), random_triples(seed, triples=200)
    held = set(pool[:50])
    build(tmp_path / "kg", [held])
    for _ in range(12):
        some = rng.sample(pool, 30)
        if rng.random() < 0.5:
            names = [
                Entity(t.head, rng.choice(["X", "Y", t.head]), (f"alias {rng.random()}",), ("t",)) for t in some[:3]
            ]
            assert add_triples(tmp_path / "kg", some, names) == len(set(some) - held)
            held |= set(some)
        else:
            assert delete_triples(tmp_path / "kg", some) == len(held & set(some))
            held -= set(some)
        with reading(tmp_path / "kg" / RECORD) as connection:
            meta = read_meta(connection, tmp_path / "kg" / RECORD)
            tables = read_tables(connection)
        assert meta == meta_of(tables, meta.version, meta.stamp)
        assert meta.info.hash == hash_triples([sorted(held)])
    assert verify(tmp_path / "kg") == []


@pytest.mark.slow
def test_kill_9_leaves_all_or_nothing(tmp_path: Path) -> None:
    kg, rng = tmp_path / "kg", random.Random(0)
    build(kg, [[FIRST]])
    whole, took, killed = {FIRST}, 0.3, 0
    for number in range(14):
        process = subprocess.Popen(
            [sys.executable, "-c", KILLED, str(kg), str(number)], stdout=subprocess.PIPE, text=True
        )
        with process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            began = time.perf_counter()
            if number % 4:
                time.sleep(took * rng.random())
                process.send_signal(signal.SIGKILL)
            acknowledged = process.stdout.read() == "done\n"
            took = took if number % 4 else time.perf_counter() - began
        killed += not acknowledged
        store = EmbeddedStore.open(kg)
        count = (
            int(store.snapshot.degrees(store.snapshot.rows([f"round {number}"]))[0])
            if store.snapshot.row(f"round {number}") >= 0
            else 0
        )
        assert count in ((3000,) if acknowledged else (0, 3000))
        whole |= {Triple(f"round {number}", "knows", f"person {i}") for i in range(count)}
        assert store.meta.info.hash == hash_triples([sorted(whole)])
        store.close_now()
        assert verify(kg) == []
    assert killed >= 3


def test_a_newer_record_is_refused(tmp_path: Path) -> None:
    build(tmp_path / "kg", [[FIRST]])
    connection = sqlite3.connect(tmp_path / "kg" / RECORD)
    connection.execute("UPDATE meta SET format = 99")
    connection.commit()
    connection.close()
    with pytest.raises(VersionError, match="format 99"):
        EmbeddedStore.open(tmp_path / "kg")


@pytest.mark.parametrize("harm", ["DELETE FROM meta", "UPDATE meta SET hash_low = 'xyz'", "DROP TABLE meta"])
def test_an_unreadable_meta_is_corrupt(tmp_path: Path, harm: str) -> None:
    build(tmp_path / "kg", [[FIRST]])
    connection = sqlite3.connect(tmp_path / "kg" / RECORD)
    connection.execute(harm)
    connection.commit()
    connection.close()
    with pytest.raises(CorruptError, match="is damaged"):
        EmbeddedStore.open(tmp_path / "kg")
    assert len(verify(tmp_path / "kg")) == 1


def test_a_folder_with_odd_letters_in_its_name(tmp_path: Path) -> None:
    kg = tmp_path / "50 % of #1? [ü]"
    build(kg, [[FIRST]])
    assert add_triples(kg, [Triple("a", "knows", "c")]) == 1
    assert verify(kg) == []
