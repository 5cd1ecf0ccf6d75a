"""`trivium kg build` of 2.5 million shuffled triples, beside the same rows put into a bare SQLite table.

The command runs in a process of its own; on a busy machine its CPU says more than the wall clock. Memory is read from
Linux' /proc (0 elsewhere).

And writes to such a graph, beside the same rows put into a bare SQLite table. Bytes are those that the process hands to
the system (`wchar` of /proc/self/io; 0 where the system does not count them).
"""

from __future__ import annotations

import itertools
import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

import numpy as np

from trivium.evals.bench.observing import TRIPLES, observed_folder
from trivium.evals.bench.report import Figure
from trivium.kg.embedded import EmbeddedStore
from trivium.kg.embedded.answers import triples as all_triples
from trivium.kg.types import Triple

BUILDING = """
import sys
from pathlib import Path
from time import process_time
from trivium.app.cli.main import run

status = run(sys.argv[1:])
held = Path("/proc/self/status")
lines = held.read_text().splitlines() if held.exists() else []
# Not what the system says of a child: that begins at the size of the process that started it.
print(process_time(), next((int(line.split()[1]) / 1000 for line in lines if line.startswith("VmHWM")), 0))
sys.exit(status)
"""
"""A command of ours that prints its CPU and its peak of memory, in seconds and MB, behind what it says."""
_GOAL_SECONDS, _GOAL_MB, _GOAL_BYTES = 15.0, 400.0, 60.0


def measure_building(source: Callable[[], Path] = observed_folder) -> list[Figure]:
    """Time, CPU, memory at its peak and bytes on disk of a build; `source` gives the KG whose triples are built."""
    store = EmbeddedStore.open(source())
    rows = [row for batch in all_triples(store.snapshot, 100_000) for row in batch]
    store.close_now()
    random.Random(0).shuffle(rows)  # the kindest order for a build is that of another KG
    with TemporaryDirectory() as name:
        folder = Path(name)
        file = folder / "triples.tsv"
        file.write_text("".join("\t".join(row) + "\n" for row in rows))
        began, cpu = perf_counter(), process_time()
        bare = _bare_bytes(folder / "bare.db", rows)
        bare_took, bare_cpu = perf_counter() - began, process_time() - cpu
        count = len(rows)
        command = [sys.executable, "-c", BUILDING, "kg", "build", "--out", str(folder / "kg"), str(file)]
        began = perf_counter()
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        took = perf_counter() - began
        used, peak = map(float, said.splitlines()[-1].split())
        size = sum(path.stat().st_size for path in (folder / "kg").rglob("*") if path.is_file())
    of = f"build of {count / 1e6:g} million triples" if count == TRIPLES else f"build of {count:,} triples"
    text = sum(len(part) for row in rows for part in row) / 1e6
    return [
        Figure(of, took, "s", "the rows into bare SQLite", bare_took, f"<= {_GOAL_SECONDS:g} s",
               took <= _GOAL_SECONDS),
        Figure("CPU for it", used, "s", "the rows into bare SQLite", bare_cpu),
        Figure("memory at its peak", peak, "MB", "the text of the triples", text, f"<= {_GOAL_MB:g} MB",
               peak <= _GOAL_MB),
        Figure("bytes on disk a triple", size / count, "", "bare SQLite", bare / count, f"<= {_GOAL_BYTES:g}",
               size / count <= _GOAL_BYTES),
    ]  # fmt: skip


def _bare_bytes(path: Path, rows: list[Triple]) -> int:
    """The size of a table of the rows with a key, without a journal, as a build's record is."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;")
        connection.execute("CREATE TABLE t (h TEXT, r TEXT, t TEXT, PRIMARY KEY (h, r, t)) WITHOUT ROWID")
        connection.execute("BEGIN")
        connection.executemany("INSERT OR IGNORE INTO t VALUES (?, ?, ?)", rows)
        connection.execute("COMMIT")
    return path.stat().st_size


_SINGLE, _MANY = 20, 10_000
_GOAL_MS, _GOAL_KB, _ADD_SECONDS = 20.0, 100.0, 0.5
_IO = Path("/proc/self/io")


async def measure_writing() -> list[Figure]:
    """One added triple at a time and 10,000 at once, in an open process; the first read after a write; deletions."""
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "kg"
        shutil.copytree(observed_folder(), copy)
        store, bare = EmbeddedStore.open(copy), _Bare(Path(folder) / "bare.db")
        try:
            return await _written(store, bare)
        finally:
            await store.close()
            bare.close()


async def _written(store: EmbeddedStore, bare: _Bare) -> list[Figure]:
    fresh = (Triple(f"written {n}", "written_to", f"written {n // 3}") for n in itertools.count())
    await store.add([next(fresh)])  # the relation, and the record's form
    times, sizes, reads, theirs = list[float](), list[int](), list[float](), list[float]()
    for _ in range(_SINGLE):
        triple = next(fresh)
        before, began = _handed_over(), perf_counter()
        await store.add([triple])
        times.append(perf_counter() - began)
        sizes.append(_handed_over() - before)
        began = perf_counter()
        await store.neighbors([triple.head])
        reads.append(perf_counter() - began)
        theirs.append(bare.seconds([triple]))
    many = list(itertools.islice(fresh, _MANY))
    took, bare_many = await _seconds(store.add(many)), bare.seconds(many)
    joined = _between(store)
    took_joined, bare_joined = await _seconds(store.add(joined)), bare.seconds(joined)
    took_away = await _seconds(store.delete(joined))
    ours, size = 1000 * statistics.median(times), statistics.median(sizes) / 1000
    plain = 1000 * statistics.median(theirs)
    of = f"{TRIPLES / 1e6:g} million"
    return [
        Figure(f"1 triple into {of}, p50", ours, "ms", "the row into bare SQLite", plain,
               f"<= {_GOAL_MS:g} ms", ours <= _GOAL_MS),
        Figure("bytes handed over for it, p50", size, "kB", "all of its snapshot", _bytes(store.path) / 1000,
               f"<= {_GOAL_KB:g} kB", size <= _GOAL_KB),
        Figure("the first read after it, p50", 1000 * statistics.median(reads), "ms", "the write", ours),
        Figure(f"{_MANY:,} triples into {of}", took, "s", "the rows into bare SQLite", bare_many,
               f"<= {_ADD_SECONDS:g} s", took <= _ADD_SECONDS),
        Figure(f"{_MANY:,} triples between entities of {of}", took_joined, "s", "the rows into bare SQLite",
               bare_joined, f"<= {_ADD_SECONDS:g} s", took_joined <= _ADD_SECONDS),
        Figure(f"{_MANY:,} triples out of {of}", took_away, "s", "the rows into bare SQLite", bare_joined),
    ]  # fmt: skip


async def _seconds(writing: Awaitable[int]) -> float:
    began = perf_counter()
    await writing
    return perf_counter() - began


def _between(store: EmbeddedStore) -> list[Triple]:
    """New triples between entities that are there, all over the graph."""
    rng, snapshot = random.Random(0), store.snapshot
    ids = snapshot.keys.take(np.array(rng.sample(range(snapshot.entities), 2 * _MANY)))
    return [Triple(head, "joined_to", tail) for head, tail in zip(ids[::2], ids[1::2], strict=True)]


class _Bare:
    """A table of triples with a key, durable as the record is."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path)
        self._connection.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;")
        self._connection.execute("CREATE TABLE t (h TEXT, r TEXT, t TEXT, PRIMARY KEY (h, r, t)) WITHOUT ROWID")

    def seconds(self, triples: Sequence[Triple]) -> float:
        """How long it takes to add them in one transaction."""
        rows = [(each.head, each.relation, each.tail) for each in triples]
        began = perf_counter()
        with self._connection:
            self._connection.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
        return perf_counter() - began

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


def _handed_over() -> int:
    if not _IO.exists():
        return 0
    return next(int(line.split()[1]) for line in _IO.read_text().splitlines() if line.startswith("wchar"))


def _bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in (folder / "snapshot").rglob("*") if path.is_file())
