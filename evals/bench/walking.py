"""Batched neighbors and a chain of three relations from 1,000 seeds: the snapshot against the record in SQLite.

SQLite works on a copy of the KG's own `triples.db`, with an index for the inverse direction that the record lacks. Both
sides answer in numbers; their results are compared before they are timed.
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from trivium.evals.bench.report import Figure, in_turn
from trivium.kg.embedded import EmbeddedStore
from trivium.kg.embedded.record import RECORD
from trivium.kg.embedded.snapshot import Snapshot
from trivium.kg.embedded.walk import follow, neighbors, spans
from trivium.kg.types import Hop, LogicalChain

SEEDS = 1_000

_NEIGHBORS = """
SELECT s.id, t.relation, t.tail FROM seeds s JOIN triples t ON t.head = s.id
UNION ALL SELECT s.id, t.relation, t.head FROM seeds s JOIN triples t INDEXED BY inverse ON t.tail = s.id
"""
_FORWARD = "SELECT t.tail, SUM(l.n) FROM l{k} l JOIN triples t ON t.head = l.id AND t.relation = {r} GROUP BY t.tail"
_INVERSE = (
    "SELECT t.head, SUM(l.n) FROM l{k} l JOIN triples t INDEXED BY inverse ON t.tail = l.id AND t.relation = {r} "
    "GROUP BY t.head"
)


async def measure_walking(folder: Path) -> list[Figure]:
    """Both workloads on one KG directory."""
    store = EmbeddedStore.open(folder)
    try:
        chain = widest_chain(await store.transitions(), {r.name: r.triples for r in await store.schema()})
        snapshot = store.snapshot
        with _record_copy(folder) as connection:
            return [_neighbors(snapshot, connection), _walk(snapshot, connection, chain)]
    finally:
        await store.close()


def widest_chain(transitions: dict[Hop, frozenset[Hop]], triples: dict[str, int]) -> LogicalChain:
    """The relation with most triples there and back, then the largest other one that can follow."""
    first = Hop(max(triples, key=lambda name: triples[name]), inverse=False)
    back = Hop(first.relation, inverse=True)
    others = [hop for hop in transitions[back] if hop.relation != first.relation and not hop.inverse]
    return (first, back, max(others, key=lambda hop: (triples[hop.relation], hop), default=first))


@contextmanager
def _record_copy(folder: Path) -> Iterator[sqlite3.Connection]:
    with TemporaryDirectory() as temporary, closing(sqlite3.connect(Path(temporary, RECORD))) as copy:
        with closing(sqlite3.connect(f"file:{folder / RECORD}?mode=ro", uri=True)) as record:
            record.backup(copy)
        copy.execute("CREATE INDEX inverse ON triples (tail, relation, head)")
        copy.execute("CREATE TEMP TABLE seeds (id INTEGER PRIMARY KEY)")
        copy.execute("PRAGMA cache_size = -200000")
        copy.execute("ANALYZE")
        yield copy


def _plant(snapshot: Snapshot, connection: sqlite3.Connection, rows: Sequence[int]) -> None:
    """The seeds as SQLite numbers them."""
    connection.execute("DELETE FROM seeds")
    connection.executemany(
        "INSERT INTO seeds SELECT id FROM entities WHERE key = ?", [(snapshot.keys[row],) for row in rows]
    )
    connection.commit()


def _neighbors(snapshot: Snapshot, connection: sqlite3.Connection) -> Figure:
    rows = random.Random(0).sample(range(snapshot.entities), min(SEEDS, snapshot.entities))
    _plant(snapshot, connection, rows)
    seeds = np.array(rows)
    found = len(neighbors(snapshot, seeds).dst), len(connection.execute(_NEIGHBORS).fetchall())
    assert found[0] == found[1], f"the snapshot has {found[0]} neighbors, SQLite {found[1]}"
    ours, theirs = in_turn(lambda: neighbors(snapshot, seeds), lambda: connection.execute(_NEIGHBORS).fetchall())
    return Figure(f"neighbors of {len(rows):,} entities", 1000 * ours, "ms", "the same in SQLite", 1000 * theirs)


def _walk(snapshot: Snapshot, connection: sqlite3.Connection, chain: LogicalChain) -> Figure:
    codes = [snapshot.code(hop) for hop in chain]
    begins, ends = spans(snapshot, np.arange(snapshot.entities), code=codes[0])
    starts = np.flatnonzero(ends > begins).tolist()
    rows = random.Random(1).sample(starts, min(SEEDS, len(starts)))
    _plant(snapshot, connection, rows)
    query, seeds = _chain_query(connection, chain), np.array(rows)
    ours_found = follow(snapshot, seeds, codes).layers[-1]
    theirs_found = connection.execute(query).fetchall()
    result = (len(ours_found.entities), int(ours_found.support.sum()))
    assert result == (len(theirs_found), sum(n for _, n in theirs_found)), "the snapshot and SQLite differ"
    ours, theirs = in_turn(
        lambda: follow(snapshot, seeds, codes), lambda: connection.execute(query).fetchall(), rounds=7
    )
    name = f"SQLite: {' '.join(map(str, chain))}"
    return Figure(f"3-relation chain, {len(rows):,} seeds", 1000 * ours, "ms", name[:38], 1000 * theirs)


def _chain_query(connection: sqlite3.Connection, chain: LogicalChain) -> str:
    """A layer a hop, the walks to each entity added up, as the snapshot does it."""
    numbers = dict(connection.execute("SELECT name, id FROM relations"))
    layers = ["l0(id, n) AS (SELECT id, 1 FROM seeds)"]
    for k, hop in enumerate(chain):
        step = (_INVERSE if hop.inverse else _FORWARD).format(k=k, r=int(numbers[hop.relation]))
        layers.append(f"l{k + 1}(id, n) AS MATERIALIZED ({step})")
    return f"WITH {', '.join(layers)} SELECT id, n FROM l{len(chain)}"
