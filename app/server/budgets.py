"""What keys spend on chat models: `tokens_per_day` of `[server.auth.NAME]`, counted by days of UTC.

The counts are a SQLite file, `budgets.db` in the folder of `[server] state` or else beside `trivium.toml`: they outlast
a restart, and all workers with that folder share them. A key whose tokens are used up may still run without a model. A
run that has begun goes on, so that a day may end higher by the `max_tokens` of the runs that were under way.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from contextvars import ContextVar
from pathlib import Path

from langgraph.config import get_config

from trivium.app.server.keys import LOCAL, Key
from trivium.app.server.observe import Operation
from trivium.kg.catalog import SETTINGS_FILE, read_settings
from trivium.kg.errors import TriviumError

log = logging.getLogger("trivium.server")

OWNER: ContextVar[str] = ContextVar("trivium_owner", default="")
"""The name of the key whose request this task answers."""

_DAY = 86_400
_KEPT_DAYS = 31
_TABLE = "CREATE TABLE IF NOT EXISTS spent (key TEXT, day INTEGER, tokens INTEGER, PRIMARY KEY (key, day))"
_ADD = "INSERT INTO spent VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET tokens = tokens + excluded.tokens"


class Budgets:
    """A sink of `trivium.app.server.observe` that counts the tokens of every key."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(
            1, "trivium-budgets"
        )  # sinks must not wait; in order, so that what was spent is seen

    def began(self, operation: Operation) -> None:
        """Note whose it is: of a run of LangGraph's queue by its settings, else by the task of the request."""
        if operation.kind == "chat":
            operation.details["key"] = _owner_of_run() or OWNER.get()

    def ended(self, operation: Operation) -> None:
        """Count a request to a chat model."""
        key, tokens = operation.details.get("key"), operation.prompt_tokens + operation.completion_tokens
        if key and tokens and key != LOCAL.name:
            self._pool.submit(_add, key, tokens)

    async def left(self, key: Key) -> float:
        """Tokens that a key may still spend today; infinite without a budget."""
        if key.tokens_per_day is None:
            return float("inf")
        spent = await asyncio.wrap_future(self._pool.submit(_spent, key.name))
        return key.tokens_per_day - spent


budgets = Budgets()


def seconds_to_midnight() -> int:
    """Until the next day of UTC begins."""
    return _DAY - int(time.time()) % _DAY


def _owner_of_run() -> str:
    try:
        settings = get_config()["configurable"]
    except (RuntimeError, KeyError):
        return ""
    user = settings.get("langgraph_auth_user")  # all that Aegra hands on
    return str(settings.get("langgraph_auth_user_id") or getattr(user, "identity", ""))


def _add(key: str, tokens: int) -> None:
    today = int(time.time()) // _DAY
    try:
        with closing(_open()) as file, file:
            file.execute(_ADD, (key, today, tokens))
            file.execute("DELETE FROM spent WHERE day < ?", (today - _KEPT_DAYS,))
    except (TriviumError, sqlite3.Error, OSError) as error:
        log.error("%d tokens of key %s are not counted: %s", tokens, key, error)


def _spent(key: str) -> int:
    with closing(_open()) as file:
        found = file.execute("SELECT tokens FROM spent WHERE key = ? AND day = ?", (key, int(time.time()) // _DAY))
        return int((found.fetchone() or (0,))[0])


def _open() -> sqlite3.Connection:
    settings = Path(SETTINGS_FILE)
    server = read_settings(settings).get("server", {})
    folder = settings.parent / str(server.get("state") or "")
    folder.mkdir(parents=True, exist_ok=True)
    file = sqlite3.connect(folder / "budgets.db", timeout=10)
    file.execute("PRAGMA journal_mode=WAL")
    file.execute(_TABLE)
    return file
