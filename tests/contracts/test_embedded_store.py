"""The embedded store passes the contract, and what it promises beyond: other writers, damaged and stale files."""

from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterable
from pathlib import Path

import pytest

from tests.contracts.graph_store import FILMS, NAMES, GraphStoreContract, MakeStore
from tests.contracts.plans import PlanContract, RandomPlanContract
from tests.contracts.properties import PropertyContract
from trivium.kg.embedded import EmbeddedStore, build, compact
from trivium.kg.embedded.locks import write_lock
from trivium.kg.embedded.mapped import HEADER, snapshot_path
from trivium.kg.embedded.record import RECORD
from trivium.kg.embedded.state import State, current_state
from trivium.kg.embedded.write import add_triples
from trivium.kg.errors import BadInputError, BusyError, CorruptError, NotAKnowledgeBaseError
from trivium.kg.types import Entity, Triple
from trivium.knowledge.knowledge import Knowledge, close_all, open_knowledge


@pytest.fixture
async def make_store(tmp_path: Path) -> AsyncIterator[MakeStore]:
    opened: list[EmbeddedStore] = []

    async def make(triples: Iterable[Triple], entities: Iterable[Entity]) -> EmbeddedStore:
        path = tmp_path / f"kg{len(opened)}"
        build(path, [triples], entities)
        opened.append(EmbeddedStore.open(path))
        return opened[-1]

    yield make
    for store in opened:
        await store.close()


class TestEmbeddedStore(GraphStoreContract):
    """The contract on the embedded store."""


class TestEmbeddedProperties(PropertyContract):
    """The contract of properties on the embedded store."""


class TestEmbeddedPlans(PlanContract):
    """The contract of plans on the embedded store."""


class TestEmbeddedRandomPlans(RandomPlanContract):
    """Random plans on the embedded store."""


@pytest.fixture
def films(tmp_path: Path) -> Path:
    build(tmp_path / "films", [FILMS], NAMES)
    return tmp_path / "films"


NEW = Triple("Q9", "directed_by", "Q2")


async def test_another_process_writes_and_readers_see_it(films: Path) -> None:
    store = EmbeddedStore.open(films)
    old = store.snapshot
    code = (
        "from pathlib import Path; from trivium.kg.embedded.write import add_triples; "
        "from trivium.kg.types import Triple;"
        f"print(add_triples(Path({str(films)!r}), [Triple(*{tuple(NEW)!r})]))"
    )
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdout=asyncio.subprocess.PIPE)
    told, _ = await process.communicate()
    assert told.strip() == b"1"
    assert await store.contains([NEW]) == [True]
    # The old snapshot's files go, but who holds it goes on reading it.
    assert compact(films)
    assert not snapshot_path(films, old.stamp).exists()
    assert old.row("Q9") == -1
    assert old.keys.take(old.dst) is not None
    await store.close()


async def test_a_question_sees_what_was_written_just_before_it(films: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trivium.kg.embedded.store._LOOK_SECONDS", 3600)
    monkeypatch.setattr("trivium.kg.embedded.store._ASK_SECONDS", 3600)
    with Knowledge.open(films) as opened:
        store = opened.store
        assert await store.contains([NEW]) == [False]
        add_triples(films, [NEW])
        assert await store.contains([NEW]) == [False], "between two looks a store reads one state"
    try:
        opened = await open_knowledge(str(films))
        for written in (NEW, Triple("Q8", "directed_by", "Q2")):
            add_triples(films, [written])
            assert await (await open_knowledge(str(films))).store.contains([written]) == [True]
        assert await open_knowledge(str(films)) is opened
    finally:
        await close_all()


async def test_a_commit_within_a_tick_of_the_clock_is_seen(films: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trivium.kg.embedded.store._ASK_SECONDS", 3600)
    ticks = [(time.time_ns(), 1)]
    monkeypatch.setattr("trivium.kg.embedded.store._written", lambda _: ticks[-1])  # no commit moves the clock
    monkeypatch.setattr("trivium.kg.embedded.store._UNSETTLED", 3600 * 10**9)
    store = EmbeddedStore.open(films)
    await store.refresh()
    add_triples(films, [NEW])
    await store.refresh()
    assert await store.contains([NEW]) == [True]
    await store.close()


async def test_opening_a_kg_is_no_write(films: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long_ago = time.time() - 60
    os.utime(films / RECORD, (long_ago, long_ago))
    store, asked = EmbeddedStore.open(films), list[None]()
    assert (films / f"{RECORD}-wal").stat().st_mtime > long_ago  # SQLite makes its log now
    look = store._refresh

    def noted() -> None:
        asked.append(None)
        look()

    monkeypatch.setattr(store, "_refresh", noted)
    for _ in range(5):
        await store.refresh()
    assert len(asked) == 1
    add_triples(films, [Triple("Heat", "directed_by", "Michael Mann")])
    await store.refresh()
    assert len(asked) == 2
    assert await store.entities(["Michael Mann"]) != [None]
    await store.close()


async def test_who_reads_while_the_new_state_is_opened_waits_for_it(
    films: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = EmbeddedStore.open(films)
    await store.refresh()
    opening, go_on = threading.Event(), threading.Event()

    def held(path: Path, connection: sqlite3.Connection, before: State) -> State:
        opening.set()
        assert go_on.wait(60)
        return current_state(path, connection, before)

    monkeypatch.setattr("trivium.kg.embedded.store.current_state", held)
    add_triples(films, [NEW])
    first = asyncio.create_task(store.refresh())
    await asyncio.to_thread(opening.wait, 60)
    second = asyncio.create_task(store.refresh())
    await asyncio.sleep(0.01)
    assert not second.done()
    go_on.set()
    await asyncio.gather(first, second)
    assert await store.contains([NEW]) == [True]
    await store.close()


async def test_what_a_reader_remembers_does_not_outlive_another_ones_write(films: Path) -> None:
    reader, writer = EmbeddedStore.open(films), EmbeddedStore.open(films)

    async def seen() -> tuple[list[str], list[str], bool, bool]:
        named, partial = (await reader.find(["Dune"]))[0], (await reader.find_partial(["dune part"]))[0]
        relations = [row.name for row in await reader.schema()]
        profiled = "scored_by" in (await reader.profile()).relations
        return [hit.id for hit in named], [hit.id for hit in partial], "scored_by" in relations, profiled

    try:
        assert await seen() == ([], [], False, False)
        await writer.add([Triple("Q8", "scored_by", "Q2")], [Entity("Q8", "Dune Part One", aliases=("Dune",))])
        # Partial names are asked first: no other read may bring the reader up to date for them.
        await asyncio.sleep(0.05)
        assert [hit.id for hit in (await reader.find_partial(["dune part"]))[0]] == ["Q8"]
        assert await seen() == (["Q8"], ["Q8"], True, True)
        await writer.delete([Triple("Q8", "scored_by", "Q2")])
        await asyncio.sleep(0.05)
        assert await seen() == ([], [], False, False)
    finally:
        await reader.close()
        await writer.close()


async def test_the_second_writer_is_told_to_wait(films: Path) -> None:
    with write_lock(films), pytest.raises(BusyError, match="another process is writing"):
        add_triples(films, [NEW], wait=0.1)
    assert add_triples(films, [NEW]) == 1


def test_a_writer_waits_for_another_and_says_so(
    films: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("trivium.kg.embedded.locks._SAID_AFTER", 0.01)
    added: list[int] = []
    second = threading.Thread(target=lambda: added.append(add_triples(films, [NEW])))
    with write_lock(films):
        second.start()
        while not caplog.messages:
            second.join(0.01)
    second.join()
    assert (added, caplog.messages[0]) == ([1], f"another process is writing to {films}; waiting for it, at most 60 s")


async def test_many_threads_add_and_read(films: Path) -> None:
    store = EmbeddedStore.open(films)

    def work(number: int) -> None:
        add_triples(films, [Triple(f"T{number}", "knows", "Q1")], wait=60)
        assert store.snapshot.row(f"T{number}") >= 0

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (await store.info()).triples == len(FILMS) + 6
    assert store.meta.version == 7
    await store.close()


@pytest.mark.parametrize("harm", ["missing", "header", "short", "long", "no array", "not npy"])
async def test_an_unusable_snapshot_is_derived_again_with_a_notice(
    films: Path, harm: str, caplog: pytest.LogCaptureFixture
) -> None:
    store = EmbeddedStore.open(films)
    folder = snapshot_path(films, store.meta.stamp)
    await store.close()
    array = folder / "dst.npy"
    match harm:
        case "missing":
            shutil.rmtree(films / "snapshot")
        case "header":
            (folder / HEADER).write_bytes(b"\xa5" * 100)
        case "short":
            array.write_bytes(array.read_bytes()[:-4])
        case "long":
            array.write_bytes(array.read_bytes() + b"1234")
        case "no array":
            array.unlink()
        case "not npy":
            array.write_bytes(b"\xa5" * array.stat().st_size)
    again = EmbeddedStore.open(films)
    assert await again.contains(FILMS) == [True] * len(FILMS)
    assert "deriving the snapshot" in caplog.text
    caplog.clear()
    EmbeddedStore.open(films).close_now()
    assert caplog.text == ""
    await again.close()


async def test_a_folder_that_holds_no_kg(tmp_path: Path) -> None:
    with pytest.raises(NotAKnowledgeBaseError, match="trivium kg build --out"):
        EmbeddedStore.open(tmp_path)
    with pytest.raises(NotAKnowledgeBaseError, match="nowhere"):
        EmbeddedStore.open(tmp_path / "nowhere")


async def test_a_damaged_record_is_named(films: Path) -> None:
    record = films / "triples.db"
    record.write_bytes(b"\xa5" * record.stat().st_size)
    with pytest.raises(CorruptError, match=r"triples\.db is damaged .*trivium kg verify"):
        EmbeddedStore.open(films)
    record.unlink()
    with pytest.raises(NotAKnowledgeBaseError, match=r"triples\.db is missing"):
        EmbeddedStore.open(films)


async def test_nothing_of_a_bad_addition_stays(films: Path) -> None:
    store = EmbeddedStore.open(films)
    before, stamp = await store.info(), store.meta.stamp

    def broken() -> Iterable[Triple]:
        yield NEW
        raise BadInputError("only one column", path="f.tsv", line=2)

    for bad in (broken(), [NEW, Triple("a", "", "b")], [NEW, Triple("\ud800", "r", "b")]):
        with pytest.raises(BadInputError):
            await store.add(bad)
    for entity in (Entity("", "x"), Entity("Q1", "\ud800"), Entity("Q1", "Q1", ("\ud800",))):
        with pytest.raises(BadInputError):
            await store.add([NEW], [entity])
    assert await store.info() == before
    assert store.meta.stamp == stamp
    await store.close()


async def test_a_closed_store_says_so(films: Path) -> None:
    store = EmbeddedStore.open(films)
    await store.close()
    with pytest.raises(ValueError, match="is closed"):
        await store.info()
