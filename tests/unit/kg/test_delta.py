"""Snapshots with changes: the same arrays as those derived from the record anew, whatever was written, by whom."""

from __future__ import annotations

import asyncio
import itertools
import multiprocessing
import random
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from numpy.typing import NDArray

from tests.unit.kg.test_mapped import operations
from trivium.kg.embedded import EmbeddedStore, add_triples, build, compact, delete_triples, remove_aliases, verify
from trivium.kg.embedded import write as writing
from trivium.kg.embedded.columns import Int64, StringColumn
from trivium.kg.embedded.layout import ARRAYS, naming_report, snapshot_arrays
from trivium.kg.embedded.mapped import dtypes, empty_arrays, snapshot_path, write_snapshot
from trivium.kg.embedded.record import RECORD, read_tables, reading
from trivium.kg.embedded.snapshot import Snapshot
from trivium.kg.embedded.splice import Renumbering, Spliced, moved, renumbering, splice, splice_bounds, splice_column
from trivium.kg.embedded.tables import Tables
from trivium.kg.plans.text import parse
from trivium.kg.streams import drain
from trivium.kg.types import Entity, Hop, QualifiedTriple, Statement, Triple, ValueText

FILMS = [
    Triple("Dune", "directed_by", "Lynch"), Triple("Alien", "directed_by", "Scott"),
    Triple("Dune", "year", ValueText("1984", "number")), Triple("Alien", "year", ValueText("1979", "number")),
]  # fmt: skip


@pytest.fixture
def films(tmp_path: Path) -> Path:
    build(tmp_path / "kg", [FILMS], [Entity("Dune", "Dune", ("The Desert Planet",), ("film",))])
    return tmp_path / "kg"


def derived(directory: Path) -> tuple[dict[str, np.ndarray[Any, Any]], list[dict[str, Any]]]:
    """The arrays that the record gives when it is read anew, and what names the types in them."""
    with reading(directory / RECORD) as connection:
        tables = read_tables(connection)
    arrays = dict(snapshot_arrays(tables))
    full = {**empty_arrays(len(arrays["relation_offsets"]) - 1), **arrays}
    return {name: np.asarray(full[name]).astype(ARRAYS[name]) for name in ARRAYS}, naming_report(tables)


def assert_shows_the_record(snapshot: Snapshot, directory: Path) -> None:
    expected, report = derived(directory)
    assert set(snapshot.arrays) == set(ARRAYS)
    # What names the types is chosen when a snapshot is written: labels follow that choice until the next one.
    named = ("value_naming", "label_", "name_", "gram_") if snapshot.naming_report != report else ()
    for name, array in expected.items():
        if named and name.startswith(named):
            continue
        held = snapshot.arrays[name]
        assert held.dtype.name in dtypes(name), name
        assert np.array_equal(held, array, equal_nan=array.dtype.kind == "f"), name


KEYS = st.sampled_from([*(f"{letter}{i}" for letter in ("a", "B b ", "é") for i in range(6)), "a (0)", "B b 1 (film)"])
PLAIN = st.builds(Triple, KEYS, st.sampled_from(["r0", "r1", "r2"]), KEYS)
NUMBERS = st.builds(
    lambda head, relation, number, datatype: Triple(head, relation, ValueText(number, datatype)),
    KEYS, st.sampled_from(["n0", "n1"]), st.sampled_from(["1", "1.0", "2", "-3"]), st.sampled_from(["", "number"]),
)  # fmt: skip
TEXTS = st.builds(
    lambda head, text, datatype: Triple(head, "named", ValueText(text, datatype)),
    KEYS, st.sampled_from(["Ann", "ann", "Zed", "été"]), st.sampled_from(["text", "xsd:string"]),
)  # fmt: skip
TRIPLES = st.one_of(PLAIN, PLAIN, NUMBERS, TEXTS)
TYPES = st.lists(st.sampled_from(["t0", "t1"]), max_size=2, unique=True)
ENTITIES = st.builds(
    lambda key, label, aliases, types: Entity(key, label or key, tuple(aliases), tuple(types)),
    st.one_of(KEYS, st.sampled_from(["lone 1", "lone 2"])), st.sampled_from(["", "One", "one", "Two words", "One (1)"]),
    st.lists(st.sampled_from(["al 1", "one", "one (2)"]), max_size=2, unique=True), TYPES,
)  # fmt: skip


def _remove_and_compact(path: Path, rows: list[Triple]) -> None:
    delete_triples(path, rows)
    compact(path)


_FORK = multiprocessing.get_context("fork")  # a warm process: starting Python would be most of an example's time


class Writes(RuleBasedStateMachine):
    """Random writes, compactions and openings, against a set of triples and the arrays derived anew.

    Some writers are processes that are killed.
    """

    @initialize(first=st.lists(TRIPLES, min_size=1, max_size=12), named=st.lists(ENTITIES, max_size=3))
    def build(self, first: list[Triple], named: list[Entity]) -> None:
        self._folder = TemporaryDirectory()
        self.path = Path(self._folder.name) / "kg"
        build(self.path, [first], named)
        self.store = EmbeddedStore.open(self.path)
        self.model = self._stored()
        self.old: list[tuple[Snapshot, set[tuple[str, ...]]]] = []

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.store.close_now()
            self._folder.cleanup()

    def _stored(self) -> set[tuple[str, ...]]:
        return {tuple(row) for batch in drain(self.store.triples()) for row in batch}

    @rule(new=st.lists(TRIPLES, max_size=5), named=st.lists(ENTITIES, max_size=2))
    def add(self, new: list[Triple], named: list[Entity]) -> None:
        before = len(self.model)
        added = asyncio.run(self.store.add(new, named))
        self.model |= {tuple(row) for row in new}
        assert added == len(self.model) - before

    @rule(some=st.lists(TRIPLES, max_size=4), share=st.floats(0, 1))
    def remove(self, some: list[Triple], share: float) -> None:
        rows = sorted(self.model)
        asked = [Triple(*row) for row in rows[: int(share * 0.5 * len(rows))]] + some
        before = len(self.model)
        deleted = asyncio.run(self.store.delete(asked))
        self.model -= {tuple(row) for row in asked}
        assert deleted == before - len(self.model)

    @rule(new=st.lists(TRIPLES, min_size=1, max_size=3), mine=st.lists(TRIPLES, max_size=3))
    def add_while_another_process_adds(self, new: list[Triple], mine: list[Triple]) -> None:
        writer = _FORK.Process(target=add_triples, args=(self.path, new))
        writer.start()
        asyncio.run(self.store.add(mine))
        writer.join()
        assert writer.exitcode == 0
        self.model |= {tuple(row) for row in (*new, *mine)}

    @rule(share=st.floats(0, 0.5), mine=st.lists(TRIPLES, max_size=3))
    def add_while_another_process_removes_and_compacts(self, share: float, mine: list[Triple]) -> None:
        rows = sorted(self.model)[: int(share * len(self.model))]
        added = {tuple(row) for row in mine} - set(rows)
        writer = _FORK.Process(target=_remove_and_compact, args=(self.path, [Triple(*row) for row in rows]))
        writer.start()
        asyncio.run(self.store.add([Triple(*row) for row in added]))
        writer.join()
        assert writer.exitcode == 0
        self.model = self.model - set(rows) | added

    @rule(new=st.lists(TRIPLES, min_size=1, max_size=3), milliseconds=st.integers(0, 30))
    def add_and_be_killed(self, new: list[Triple], milliseconds: int) -> None:
        writer = _FORK.Process(target=add_triples, args=(self.path, new))
        writer.start()
        writer.join(milliseconds / 1000)
        writer.kill()
        writer.join()
        # Seen by a reader of its own: all of the write is there, or nothing.
        other = EmbeddedStore.open(self.path)
        held = {tuple(row) for batch in drain(other.triples()) for row in batch}
        other.close_now()
        assert held in (self.model, self.model | {tuple(row) for row in new})
        self.model = held

    @rule(named=st.lists(ENTITIES, min_size=1, max_size=2))
    def unname(self, named: list[Entity]) -> None:
        remove_aliases(self.path, named)

    @rule()
    def compact(self) -> None:
        compact(self.path)

    @rule()
    def reopen(self) -> None:
        self.store.close_now()
        self.store = EmbeddedStore.open(self.path)

    @rule()
    def hold_on(self) -> None:
        self.old = [*self.old[-2:], (self.store.snapshot, set(self.model))]

    @invariant()
    def shows_what_was_written(self) -> None:
        if not hasattr(self, "store"):
            return
        snapshot = self.store.snapshot
        assert_shows_the_record(snapshot, self.path)
        assert self._stored() == self.model
        assert self.store.meta.info.triples == len(self.model) == snapshot.triples
        for held, rows in self.old:  # a state that a reader holds on to stays as it was
            assert held.triples == len(rows)
            assert held.rows(sorted({row[0] for row in rows})).min(initial=0) >= 0

    @invariant()
    def answers_as_the_model(self) -> None:
        if not hasattr(self, "store"):
            return
        asyncio.run(self._answers())

    async def _answers(self) -> None:
        await self.store.refresh()
        plain = {row for row in self.model if row[1].startswith("r")}
        heads = sorted({row[0] for row in self.model})[:4]
        for head, found in zip(heads, await self.store.neighbors(heads), strict=True):
            assert {tuple(each[:3]) for each in found} == {
                row for row in self.model if row[0] == head or (row in plain and row[2] == head)
            }
        counts = {row.name: row.triples for row in await self.store.schema()}
        names = {row[1] for row in self.model}
        assert counts == {name: sum(row[1] == name for row in self.model) for name in names}
        if plain:
            head, relation, _ = min(plain)
            result = await self.store.run_plan(parse(f'ids "{head}" | follow {relation}'))
            ends = {row[2] for row in plain if row[:2] == (head, relation)}
            assert {each.id for each in result.entities} == ends


class WritesByBlocks(Writes):
    """As `Writes`, of a snapshot that is checked block by block as it is read."""

    def __init__(self) -> None:
        super().__init__()
        self._patch = pytest.MonkeyPatch()
        self._patch.setattr("trivium.kg.embedded.mapped._CHECKED_WHOLE", 0)
        self._patch.setattr("trivium.kg.embedded.mapped._SMALL", 0)
        self._patch.setattr("trivium.kg.embedded.mapped.BLOCK", 64)

    def teardown(self) -> None:
        super().teardown()
        self._patch.undo()


TestWrites = pytest.mark.filterwarnings("ignore")(Writes.TestCase)
TestWrites.settings = settings(
    max_examples=3, stateful_step_count=10, deadline=None, suppress_health_check=list(HealthCheck)
)
TestWritesByBlocks = pytest.mark.slow(pytest.mark.filterwarnings("ignore")(WritesByBlocks.TestCase))
TestWritesByBlocks.settings = TestWrites.settings


def test_a_small_write_leaves_the_snapshot_where_it_is(films: Path) -> None:
    store = EmbeddedStore.open(films)
    base, stamp = store.meta.base, store.meta.stamp
    assert base == stamp
    assert add_triples(films, [Triple("Dune", "directed_by", "Villeneuve")]) == 1
    assert store.meta.base == base != store.meta.stamp
    assert [path.name for path in (films / "snapshot").iterdir()] == [base]
    assert store.snapshot.stamp == store.meta.stamp
    assert asyncio.run(store.contains([Triple("Dune", "directed_by", "Villeneuve")])) == [True]
    assert verify(films) == []
    store.close_now()


def test_compaction_shows_the_same_and_forgets_the_changes(films: Path) -> None:
    add_triples(films, [Triple("Dune", "directed_by", "Villeneuve")], [Entity("Lynch", "David Lynch")])
    delete_triples(films, [FILMS[1]])
    store = EmbeddedStore.open(films)
    before = store.meta
    assert compact(films)
    assert not compact(films)
    assert store.meta == before
    assert store.meta.base == store.meta.stamp == before.stamp != before.base
    assert store.snapshot.stamp == before.stamp
    assert_shows_the_record(store.snapshot, films)
    with closing(sqlite3.connect(films / RECORD)) as connection:
        assert connection.execute("SELECT COUNT(*) FROM changes").fetchone() == (0,)
    assert verify(films) == []
    store.close_now()


def test_a_compaction_with_nothing_to_do_removes_what_a_killed_one_left(films: Path) -> None:
    add_triples(films, [Triple("Arrival", "directed_by", "Villeneuve")])
    assert compact(films)
    (held,) = (films / "snapshot").iterdir()
    shutil.copytree(held, films / "snapshot" / "0123456789abcdef")
    (films / "snapshot" / ".half.partial").mkdir()
    assert not compact(films)
    assert list((films / "snapshot").iterdir()) == [held]
    assert verify(films) == []


def test_what_is_written_while_a_compaction_reads_is_not_forgotten(
    films: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_triples(films, [Triple("Dune", "directed_by", "Villeneuve")])
    late = Triple("Tenet", "directed_by", "Nolan")

    def slow(directory: Path, stamp: str, tables: Tables) -> None:
        write_snapshot(directory, stamp, tables)
        add_triples(films, [late])

    monkeypatch.setattr(writing, "write_snapshot", slow)
    assert compact(films)
    store = EmbeddedStore.open(films)
    assert asyncio.run(store.contains([late, Triple("Dune", "directed_by", "Villeneuve")])) == [True, True]
    assert_shows_the_record(store.snapshot, films)
    store.close_now()
    assert verify(films) == []


def test_a_base_that_is_lost_is_derived_with_the_changes(films: Path) -> None:
    new = Triple("Dune", "directed_by", "Villeneuve")
    add_triples(films, [new])
    store = EmbeddedStore.open(films)
    base = store.meta.base
    store.close_now()
    next(snapshot_path(films, base).glob("dst.npy")).write_bytes(b"damage")
    assert len(verify(films)) == 1
    store = EmbeddedStore.open(films)
    assert asyncio.run(store.contains([new])) == [True]
    # The next write builds on what was derived.
    assert add_triples(films, [Triple("Tenet", "directed_by", "Nolan")]) == 1
    assert_shows_the_record(store.snapshot, films)
    assert store.meta.base not in (base, store.meta.stamp)
    store.close_now()
    assert verify(films) == []


def test_statements_and_large_writes_make_a_snapshot_at_once(films: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = EmbeddedStore.open(films)
    stated = QualifiedTriple("Dune", "directed_by", "Lynch", (Statement((("from", ValueText("1981")),)),))
    add_triples(films, [stated])
    assert store.meta.base == store.meta.stamp
    add_triples(films, [Triple("Dune", "directed_by", "Villeneuve")])
    assert store.meta.base != store.meta.stamp
    found = asyncio.run(store.qualifiers([stated, FILMS[1]]))
    assert found == [({"from": "1981"},), ()]
    assert_shows_the_record(store.snapshot, films)
    monkeypatch.setattr(writing, "_LEAST", 3)
    add_triples(films, [Triple("Dune", "starred", f"actor {i}") for i in range(9)])
    assert store.meta.base == store.meta.stamp
    assert_shows_the_record(store.snapshot, films)
    store.close_now()


async def test_many_small_writes_are_compacted_in_the_background(films: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "_LEAST", 20)
    store = EmbeddedStore.open(films)
    first = store.meta.base
    for i in range(12):
        await store.add([Triple("Dune", "starred", f"actor {i}")])
        if store._compaction is not None:
            await asyncio.to_thread(store._compaction.join)
    assert store._compaction is not None
    assert len((await store.neighbors(["Dune"], relation="starred"))[0]) == 12
    store._look_again()
    await store.refresh()
    assert store.meta.base != first
    assert_shows_the_record(store._state.snapshot, films)
    await store.close()


def test_writes_far_beyond_a_compaction_make_a_snapshot_themselves(
    films: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "_LEAST", 5)
    store = EmbeddedStore.open(films)
    bases = set()
    for i in range(30):
        add_triples(films, [Triple("Dune", "starred", f"actor {i}")])
        bases.add(store.meta.base)
    assert 2 <= len(bases) <= 10
    assert_shows_the_record(store.snapshot, films)
    store.close_now()


def test_labels_follow_the_property_that_names_a_type(tmp_path: Path) -> None:
    people = [Triple(f"p{i}", "name", ValueText(f"Person {i}", "text")) for i in range(20)]
    knows = [Triple(f"p{i}", "knows", f"p{i + 1}") for i in range(19)]
    build(tmp_path / "kg", [people, knows], [Entity(f"p{i}", f"p{i}", (), ("person",)) for i in range(20)])
    store = EmbeddedStore.open(tmp_path / "kg")
    assert store.snapshot.naming == {"person": ["name"]}
    new = Triple("p77", "name", ValueText("Ada Lovelace", "text"))
    asyncio.run(store.add([new, Triple("p77", "knows", "p3")], [Entity("p77", "p77", (), ("person",))]))
    asyncio.run(store.delete([people[5]]))
    asyncio.run(store.add([Triple("p5", "name", ValueText("Grace Hopper", "text"))], [Entity("p7", "Seven")]))
    assert store.meta.base != store.meta.stamp
    assert asyncio.run(store.labels(["p77", "p5", "p7", "p8"])) == ["Ada Lovelace", "Grace Hopper", "Seven", "Person 8"]
    found = asyncio.run(store.find(["ada lovelace", "person 5", "grace hoper", "person 7"]))
    assert [[hit.id for hit in hits[:1]] for hits in (found[0], found[2])] == [["p77"], ["p5"]]
    assert not {"p5", "p7"} & {hit.id for hits in (found[1], found[3]) for hit in hits if hit.score >= 1}
    assert_shows_the_record(store.snapshot, tmp_path / "kg")
    store.close_now()


def test_a_record_of_the_form_before_is_read_and_written(films: Path) -> None:
    with closing(sqlite3.connect(films / RECORD, isolation_level=None)) as connection:
        connection.execute("DROP TABLE changes")
        connection.execute("ALTER TABLE meta DROP COLUMN base")
        connection.execute("ALTER TABLE meta DROP COLUMN base_version")
        connection.execute("UPDATE meta SET format = 2")
    store = EmbeddedStore.open(films)
    base = store.meta.stamp
    assert store.snapshot.triples == len(FILMS)
    assert add_triples(films, [Triple("Tenet", "directed_by", "Nolan")]) == 1
    assert (store.meta.format, store.meta.base) == (3, base)
    assert_shows_the_record(store.snapshot, films)
    store.close_now()
    assert verify(films) == []


def test_another_process_adds_and_this_one_sees_it(films: Path) -> None:
    store = EmbeddedStore.open(films)
    code = (
        "import sys; from pathlib import Path; from trivium.kg.embedded import add_triples\n"
        "from trivium.kg.types import Triple\n"
        "for i in range(20): add_triples(Path(sys.argv[1]), [Triple('Dune', 'starred', f'actor {i}')])"
    )
    subprocess.run([sys.executable, "-c", code, str(films)], check=True, timeout=60)
    assert len(asyncio.run(store.neighbors(["Dune"], relation="starred"))[0]) == 20
    assert_shows_the_record(store.snapshot, films)
    store.close_now()


@pytest.mark.parametrize("lazy", [0, 1 << 16])
@pytest.mark.parametrize("copy", [0, 10**9])
def test_splicing_is_what_it_is_for_lists(copy: int, lazy: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trivium.kg.embedded.splice._COPY", copy)
    monkeypatch.setattr("trivium.kg.embedded.splice._LAZY", lazy)
    rng = random.Random(0)
    for _ in range(200):
        size = rng.randrange(30)
        base = [rng.randrange(100) for _ in range(size)]
        gone = sorted(rng.sample(range(size), rng.randint(0, size)))
        at = sorted(rng.randint(0, size) for _ in range(rng.randrange(6)))
        new = list(range(1000, 1000 + len(at)))
        expected: list[int] = []
        for place in range(size + 1):
            expected += [value for where, value in zip(at, new, strict=True) if where == place]
            expected += [base[place]] if place < size and place not in gone else []
        places = np.array(gone, dtype=np.int64), np.array(at, dtype=np.int64)
        assert splice(np.array(base, dtype=np.int64), *places, np.array(new)).tolist() == expected
        table = np.arange(5000, 5100)  # what stays is renumbered, what comes is put in as it is
        stayed = splice(np.array(base, dtype=np.int64), *places, np.array(new), table).tolist()
        assert stayed == [each + 5000 if each < 100 else each for each in expected]
        column = splice_column(StringColumn.pack([f"é{x}" for x in base]), *places, [f"é{x}" for x in new])
        assert column.slice(0, len(column)) == [f"é{x}" for x in expected]
        kept = np.setdiff1d(np.arange(size), gone)
        assert [expected[place] for place in moved(kept, *places).tolist()] == [base[place] for place in kept.tolist()]
        numbers = renumbering(size, *places)
        if numbers is not None:
            assert numbers[kept].tolist() == moved(kept, *places).tolist()
            assert numbers[np.arange(size)].tolist() == numbers.whole().tolist()
            assert numbers[places[0]].tolist() == [-1] * len(gone)
        # Rows of one entry each: those that stay, and those that come have two.
        bounds = splice_bounds(np.arange(size + 1), *places, _twice(len(at), *places), np.empty(0, np.int64))
        lengths = [2 if value >= 1000 else 1 for value in expected]
        assert bounds.tolist() == [0, *itertools.accumulate(lengths)]


def _twice(count: int, gone: Int64, at: Int64) -> Int64:
    """The new numbers of rows that come, two of each."""
    return np.repeat(at - np.searchsorted(gone, at) + np.arange(count), 2)


@pytest.mark.parametrize("read", [1, 10, 10**9])  # parts alone, parts at first, all of it at once
@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint64])
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), size=st.integers(1, 200), kind=st.sampled_from(["plain", "renumbered", "bounds"]))
def test_what_is_spliced_answers_as_an_array_does(
    dtype: type[np.integer], read: int, seed: int, size: int, kind: str
) -> None:
    rng = np.random.default_rng(seed)
    every = np.sort(rng.integers(0, 3 * size, size)).astype(dtype)
    fate = rng.choice(["stays", "comes", "goes"], size, p=[0.8, 0.1, 0.1])
    fate[0] = "stays"
    base = every[fate != "comes"]
    gone = np.flatnonzero(fate[fate != "comes"] == "goes")
    at = np.cumsum(fate != "comes")[fate == "comes"]
    expected = every[fate != "goes"]
    table, steps, by = None, np.array([], dtype=np.int64), np.array([], dtype=np.int64)
    if kind == "renumbered":
        table = Renumbering(3 * size, np.arange(0), np.array([size]))
        expected = np.where((fate[fate != "goes"] == "stays") & (expected >= size), expected + dtype(1), expected)
        expected = expected.astype(np.int32)
    elif kind == "bounds":
        steps, by = np.array([size // 3, size // 2]), np.array([0, 2, 5])
        expected = expected + by[np.searchsorted(steps, np.arange(len(expected)), "right")].astype(dtype)
    for name, operation in operations(rng, len(expected)):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("trivium.kg.embedded.splice._READ", read if read > 1 else -(10**6))
            made = cast("NDArray[Any]", Spliced(base, gone, at, every[fate == "comes"], table, steps=steps, by=by))
            assert (made.dtype, made.shape) == (expected.dtype, expected.shape)
            assert operation(made) == operation(expected), name
            assert operation(made) == operation(expected), name


def test_a_new_relation_to_entities_with_numbers_as_names_is_no_property(tmp_path: Path) -> None:
    kg = tmp_path / "kg"
    build(kg, [[Triple("2012", "directed_by", "Emmerich"), Triple("1917", "directed_by", "Mendes")]])
    assert add_triples(kg, [Triple("Emmerich", "best_film", "2012"), Triple("Mendes", "best_film", "1917")]) == 2
    store = EmbeddedStore.open(kg)
    (hops,) = asyncio.run(store.hops(["2012"]))
    store.close_now()
    assert Hop("best_film", inverse=True) in hops
    assert verify(kg) == []
