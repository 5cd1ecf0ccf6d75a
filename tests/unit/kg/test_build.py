"""A build is whole or not there, refuses what is there, and clears up after killed ones."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contracts.naive import hash_triples, random_triples
from trivium.kg.embedded import EmbeddedStore, build
from trivium.kg.embedded.locks import build_lock
from trivium.kg.embedded.verify import verify
from trivium.kg.errors import BadInputError, BusyError, KnowledgeBaseExistsError
from trivium.kg.manifest import read_manifest
from trivium.kg.types import Entity, Triple, ValueText

TRIPLES = random_triples(0)

SLEEPER = """
import sys, time
from pathlib import Path
from trivium.kg.embedded import build
from trivium.kg.types import Triple
def progress(stage, done, total):
    if stage == "store":
        print("storing", flush=True)
        time.sleep(60)
build(Path(sys.argv[1]), [[Triple("a", "r", "b")]], (), progress)
"""


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_a_build_is_complete_and_alone(tmp_path: Path) -> None:
    seen: list[tuple[str, int, int | None]] = []
    info = build(
        tmp_path / "deep" / "kg",
        (TRIPLES[i : i + 7] for i in range(0, len(TRIPLES), 7)),
        [Entity("e1", "One"), Entity("e1", "e1", ("Uno",)), Entity("lonely", "Lonely")],
        lambda stage, done, total: seen.append((stage, done, total)),
    )
    assert info.hash == hash_triples([TRIPLES])
    assert names(tmp_path / "deep") == ["kg"]
    assert names(tmp_path / "deep" / "kg") == ["kg.json", "snapshot", "triples.db"]
    assert verify(tmp_path / "deep" / "kg") == []
    manifest = read_manifest(tmp_path / "deep" / "kg")
    assert (manifest.triples, manifest.entities, manifest.hash) == (info.triples, info.entities, info.hash)
    assert list(dict.fromkeys(stage for stage, _, _ in seen)) == ["read", "sort", "store", "snapshot"]
    for stage in ("sort", "store", "snapshot"):  # each knows its end, and comes to it
        done = [(count, total) for name, count, total in seen if name == stage]
        assert len({total for _, total in done}) == 1
        assert [count for count, _ in done] == sorted(count for count, _ in done)
        assert done[-1][0] == done[-1][1]
    assert seen[-1] == ("snapshot", len(TRIPLES), len(TRIPLES))


async def test_entities_without_a_triple_are_kept_but_not_counted(tmp_path: Path) -> None:
    info = build(tmp_path / "kg", [TRIPLES], [Entity("lonely", "Lonely One", ("solo",), ("t",))])
    store = EmbeddedStore.open(tmp_path / "kg")
    assert await store.entities(["lonely"]) == [Entity("lonely", "Lonely One", ("solo",), ("t",))]
    assert (await store.find(["solo"]))[0][0].degree == 0
    assert info.entities == store.snapshot.entities - 1
    await store.close()


def test_empty_input_leaves_nothing(tmp_path: Path) -> None:
    cases: list[list[list[Triple]]] = [[], [[]], [[], []]]
    for batches in cases:
        with pytest.raises(BadInputError, match="no triples"):
            build(tmp_path / "kg", batches, [Entity("a", "A")])
        assert names(tmp_path) == []


@pytest.mark.parametrize("error", [BadInputError("bad line", path="f.tsv", line=3), KeyboardInterrupt()])
def test_input_that_fails_leaves_nothing(tmp_path: Path, error: BaseException) -> None:
    def broken() -> Iterator[list[Triple]]:
        yield TRIPLES
        raise error

    with pytest.raises(type(error)):
        build(tmp_path / "kg", broken())
    assert names(tmp_path) == []


def test_an_interrupt_while_storing_leaves_nothing(tmp_path: Path) -> None:
    def interrupt(stage: str, done: int, total: int | None) -> None:
        if stage == "store":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(tmp_path / "kg", [TRIPLES], (), interrupt)
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    "bad", [Triple("", "r", "b"), Triple("a", "", "b"), Triple("a", "r", ""), Triple("\ud800", "r", "b")]
)
def test_names_that_no_record_can_hold(tmp_path: Path, bad: Triple) -> None:
    with pytest.raises(BadInputError):
        build(tmp_path / "kg", [[*TRIPLES, bad]])
    assert names(tmp_path) == []


def test_what_exists_is_refused_and_kept(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "f").write_text("x")
    build(tmp_path / "kg", [TRIPLES])
    for name, message in (("file", "exists"), ("full", "exists"), ("kg", "already holds a KG")):
        with pytest.raises(KnowledgeBaseExistsError, match=message):
            build(tmp_path / name, [[Triple("a", "r", "b")]])
    assert names(tmp_path) == ["file", "full", "kg"]
    assert read_manifest(tmp_path / "kg").triples == len(TRIPLES)


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    (tmp_path / "kg").mkdir()
    assert build(tmp_path / "kg", [TRIPLES]).triples == len(TRIPLES)


def test_two_builds_of_one_folder(tmp_path: Path) -> None:
    with build_lock(tmp_path / "kg"), pytest.raises(BusyError, match="another process is building"):
        build(tmp_path / "kg", [TRIPLES])
    assert names(tmp_path) == []
    assert build(tmp_path / "kg", [TRIPLES]).triples == len(TRIPLES)


def test_a_killed_build_is_cleared_up_by_the_next(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", SLEEPER, str(tmp_path / "kg")], stdout=subprocess.PIPE, text=True)
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "storing\n"
        with pytest.raises(BusyError):
            build(tmp_path / "kg", [TRIPLES])
        process.send_signal(signal.SIGKILL)
    assert any("building" in name for name in names(tmp_path))
    assert not (tmp_path / "kg").exists()
    build(tmp_path / "kg", [TRIPLES])
    assert names(tmp_path) == ["kg"]


def test_a_declared_property_takes_typed_and_plain_values(
    tmp_path: Path,
) -> None:
    facts = [Triple("Dune", "year", ValueText("1984", "number")), Triple("Alien", "year", "1979")]
    build(tmp_path / "kg", [facts], natures={"year": "number"})
    store = EmbeddedStore.open(tmp_path / "kg")
    found = asyncio.run(store.neighbors(["Dune", "Alien"]))
    store.close_now()
    assert [[(row.relation, row.tail) for row in rows] for rows in found] == [[("year", "1984")], [("year", "1979")]]
    assert all(isinstance(rows[0].tail, ValueText) for rows in found)
