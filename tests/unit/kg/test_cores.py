"""Bulk work uses as many cores as it is given, and no more."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import ParamSpec, TypeVar

import pytest

from tests.unit.app.cli.running import TRIPLES
from trivium.app.cli.main import run
from trivium.graphs.on_cores import processes
from trivium.kg import additive_vectors
from trivium.kg.additive_vectors import write_vectors
from trivium.kg.cores import VARIABLE, beside, on_threads, workers
from trivium.kg.embedded import EmbeddedStore
from trivium.kg.embedded import build as build_package
from trivium.kg.embedders.static import StaticEmbedder
from trivium.kg.errors import UsageError

P = ParamSpec("P")
T = TypeVar("T")

HELD = """
import json, sys
import numpy
from threadpoolctl import threadpool_info
from trivium.app.cli.main import run
code = run(sys.argv[1:])
print()
print(json.dumps({"code": code, "pools": [pool["num_threads"] for pool in threadpool_info()]}))
"""


@pytest.fixture(autouse=True)
def _many_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine of four, and a setting that goes with the test."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3}, raising=False)
    monkeypatch.setenv(VARIABLE, "")


class _Pools:
    """How many threads each pool was given."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sizes = list[int]()

        def pool(size: int) -> ThreadPoolExecutor:
            self.sizes.append(size)
            return ThreadPoolExecutor(size)

        monkeypatch.setattr("trivium.kg.cores.ThreadPoolExecutor", pool)


@pytest.fixture
def pools(monkeypatch: pytest.MonkeyPatch) -> _Pools:
    return _Pools(monkeypatch)


@pytest.mark.parametrize(("given", "used"), [("", 4), ("1", 1), ("3", 3), ("64", 4)])
def test_the_cores_there_are_and_at_most_what_is_set(given: str, used: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, given)
    assert workers() == used
    assert processes(500, 1_000, model=True) == used


@pytest.mark.parametrize("given", ["0", "-1", "two", "1.5"])
def test_what_is_no_number_of_cores_is_refused(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, given)
    with pytest.raises(UsageError, match="expected how many cores"):
        workers()


@pytest.mark.parametrize(("given", "threads"), [("1", 1), ("2", 2)])
def test_work_beside_is_done_before_where_there_is_one_worker(
    given: str, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, given)
    with beside(threading.get_ident) as where:
        assert where.result() if threads == 2 else where.done()
    assert len({where.result(), threading.get_ident()}) == threads


@pytest.mark.parametrize("given", ["1", "2"])
def test_what_fails_beside_fails_where_its_result_is_asked(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, given)
    with pytest.raises(ZeroDivisionError), beside(lambda: 1 // 0) as work:
        work.result()


def test_parts_come_in_order_on_no_more_threads_than_workers(pools: _Pools, monkeypatch: pytest.MonkeyPatch) -> None:
    for given, used in (("3", [3]), ("1", [])):
        monkeypatch.setenv(VARIABLE, given)
        pools.sizes.clear()
        assert list(on_threads(lambda number: number * number, range(50))) == [number * number for number in range(50)]
        assert pools.sizes == used


@pytest.mark.parametrize(("given", "most"), [("1", 1), ("2", 2)])
def test_a_build_and_its_vectors_use_no_more_than_that(
    given: str, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "films.tsv"
    file.write_text(TRIPLES)
    threads = dict[str, set[int]]()

    def noted(name: str, work: Callable[P, T]) -> Callable[P, T]:
        def call(*args: P.args, **kwargs: P.kwargs) -> T:
            threads.setdefault(name, set()).add(threading.get_ident())
            return work(*args, **kwargs)

        return call

    module = sys.modules[build_package.__module__]
    for name in ("_write_record", "write_snapshot"):
        monkeypatch.setattr(module, name, noted("build", getattr(module, name)))
    monkeypatch.setattr(additive_vectors, "_BATCH", 2)
    monkeypatch.setattr(StaticEmbedder, "token_sums", noted("vectors", StaticEmbedder.token_sums))
    kg = tmp_path / "kg"
    assert run(["kg", "build", "--out", str(kg), "--workers", given, str(file)]) == 0
    assert len(threads["build"]) == most
    threads.clear()
    store = EmbeddedStore.open(kg)
    (kg / "vectors").mkdir()
    write_vectors(kg / "vectors" / "a.npy", store.snapshot, StaticEmbedder(), lambda *_: None)
    store.close_now()
    assert len(threads["vectors"] - {threading.get_ident()}) <= (most if most > 1 else 0)
    assert run(["kg", "verify", str(kg)]) == 0


@pytest.mark.slow
def test_libraries_of_numbers_are_held_to_it(tmp_path: Path) -> None:
    file = tmp_path / "films.tsv"
    file.write_text(TRIPLES)
    command = [sys.executable, "-c", HELD, "kg", "build", "--out", str(tmp_path / "kg"), "--workers", "1", str(file)]
    said = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path).stdout
    found = json.loads(said.splitlines()[-1])
    assert found["code"] == 0
    assert found["pools"]
    assert set(found["pools"]) == {1}
