"""Our server's routes and gate in this process, in a folder of the operator's."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextvars import ContextVar
from pathlib import Path

import httpx2
import pytest

from tests.films import films_without_pairs
from trivium.app.server.gate import Gate
from trivium.app.server.http import app
from trivium.app.server.keys import hash_of
from trivium.app.server.operations import Drain

KEYS = {"alice": "tv-alice", "bob": "tv-bob", "root": "tv-root"}


@pytest.fixture(scope="session")
def films_kg(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The films, as they are without pairs: who asks and what is counted does not depend on what was learned."""
    return films_without_pairs(tmp_path_factory.mktemp("films"))


@pytest.fixture
def operator_folder(
    films_kg: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_run: ContextVar[bool]
) -> Callable[[str], None]:
    """A working directory whose trivium.toml names the films twice; called with more, it holds that too."""
    own_run.set(False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TRIVIUM_OPEN", raising=False)
    monkeypatch.setenv("TRIVIUM_DEFAULT_KG", "films")
    path = json.dumps(str(films_kg))

    def write(more: str) -> None:
        (tmp_path / "trivium.toml").write_text(f"[kg.films]\npath = {path}\n[kg.others]\npath = {path}\n{more}")

    write("")
    return write


@pytest.fixture
def keys(operator_folder: Callable[[str], None]) -> None:
    """Alice may ask the films alone, Bob three times a minute, the operator everything."""
    more = {"alice": 'kgs = ["films"]\nmodels = ["none"]', "bob": "per_minute = 3", "root": "operator = true"}
    operator_folder("\n".join(f'[server.auth.{name}]\nsha256 = "{hash_of(KEYS[name])}"\n{more[name]}' for name in KEYS))


def http(host: str = "127.0.0.1", key: str | None = None) -> httpx2.AsyncClient:
    """A client of our routes, as if the server listened on that address; the gate begins anew."""
    gated = Gate(Drain(app.router))
    headers = {"x-api-key": key} if key else {}
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(gated), base_url=f"http://{host}:80", headers=headers)
