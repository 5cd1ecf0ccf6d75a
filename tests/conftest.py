"""One small KG, learned once for all tests, and a cache of its own, so that no test touches the user's."""

from __future__ import annotations

import asyncio
import gc
import os
from collections.abc import AsyncIterator, Iterator
from contextvars import ContextVar
from pathlib import Path

import pytest
from hypothesis import settings

# The matrices of tests are small: two threads that spin while they wait for each other took four times the CPU. Before
# numpy is loaded, and for the processes that tests start.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

from tests.films import build_films
from tests.neo4j_server.install import missing
from tests.neo4j_server.server import Server, new_password, start, stop
from trivium.kg.neo4j.address import Address
from trivium.knowledge.knowledge import Knowledge, close_all
from trivium.nodes.run import operator
from trivium.policies.reader.chains.learning import Learnt
from trivium.policies.reader.chains.scoring import learn
from trivium.policies.reader.chains.teaching import teach

# A busy machine takes its time over an example: that is no failure.
settings.register_profile("trivium", deadline=None, derandomize=True)
settings.load_profile("trivium")


def pytest_collection_finish() -> None:
    """Leave what the imports made out of later collections, which would walk it for a tenth of the tests' CPU.

    And collect less often: tests make much and keep little, which cost another twentieth.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 25, 25)


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRIVIUM_CACHE", str(folder))
        yield folder


@pytest.fixture(autouse=True)
def own_run(monkeypatch: pytest.MonkeyPatch) -> ContextVar[bool]:
    """Tests run graphs as their operator; one that is a client sets it to False."""
    own = ContextVar("own", default=True)
    monkeypatch.setattr(operator, "_own", own)
    return own


@pytest.fixture
def nothing_ages(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is known of a Neo4j database stays fresh: a slow machine sends no look-up more than a fast one."""
    monkeypatch.setattr("trivium.kg.neo4j.store._FRESH_SECONDS", float("inf"))


@pytest.fixture(scope="session")
def neo4j_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A Neo4j server with authentication on, started once a session; a machine that lacks Java or Maven skips."""
    if lack := missing():
        pytest.skip(f"tests on a Neo4j server are left out: {lack}")
    server = start(tmp_path_factory.mktemp("neo4j"), password=new_password(), short=True)
    yield server
    stop(server.pid, server.home)


@pytest.fixture
def neo4j_address(neo4j_server: Server, monkeypatch: pytest.MonkeyPatch) -> Address:
    """Its database, emptied; a login in the environment is for the server named there, so none is named."""
    monkeypatch.delenv("TRIVIUM_NEO4J_URI", raising=False)
    neo4j_server.empty()
    return Address(neo4j_server.uri, "neo4j", *(neo4j_server.auth or (None, None)))


@pytest.fixture
def without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs are learned as on the base install: seconds quicker, where the network is not what is tested."""
    monkeypatch.setattr(learn, "has_torch", lambda: False)


@pytest.fixture(scope="session")
def films_learnt(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Learnt]:
    """The films' KG, learned from its pairs as without torch (a quarter of the time), and what learning said.

    The bundled sample is learned with the network.
    """
    folder, pairs = build_films(tmp_path_factory.mktemp("films"))
    base = Knowledge.open(folder)
    try:
        return folder, asyncio.run(teach(base, pairs, lambda *_: None, network=False))
    finally:
        base.store.close_now()


@pytest.fixture(scope="session")
def films_kg(films_learnt: tuple[Path, Learnt]) -> Path:
    """The folder of the learned KG; a test that changes it takes a copy."""
    return films_learnt[0]


@pytest.fixture
def films(films_kg: Path) -> Iterator[Knowledge]:
    """The learned KG, open."""
    base = Knowledge.open(films_kg)
    yield base
    base.store.close_now()


@pytest.fixture
async def kg_name(films_kg: Path) -> AsyncIterator[str]:
    """The learned KG as runs name it; what they opened is closed afterwards."""
    yield str(films_kg)
    await close_all()
