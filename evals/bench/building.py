"""`trivium kg build` of 2.5 million shuffled triples, beside the same rows put into a bare SQLite table.

The command runs in a process of its own; on a busy machine its CPU says more than the wall clock. Memory is read from
Linux' /proc (0 elsewhere).
"""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

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
