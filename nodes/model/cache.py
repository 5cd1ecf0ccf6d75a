"""Answers of chat models kept in an SQLite file: LangChain's cache interface, for whole answers that are not streamed.

The operator names the file (`trivium ask --batch --cache FILE`, or `TRIVIUM_LLM_CACHE`); a client cannot. A key is the
model, its base URL, its parameters and the prompt. What comes from the cache is not counted as spent.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from langchain_core.caches import RETURN_VAL_TYPE, BaseCache
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration

from trivium.kg.errors import BadInputError

CACHE_FILE = "TRIVIUM_LLM_CACHE"
"""The environment variable that names the file."""

_WAIT = 30.0  # seconds for another process that writes

_use = {"hit": 0, "miss": 0}


class SqliteCache(BaseCache):
    """A cache in one file, shared by any number of processes.

    Args:
        path: the file; made, readable by its owner alone, where it is missing.

    Raises:
        BadInputError: it is no SQLite file, or cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.touch(mode=0o600, exist_ok=True)
            with self._open() as found:
                found.execute("create table if not exists answers (key text primary key, answer text not null)")
        except (OSError, sqlite3.Error) as error:
            raise BadInputError(f"cannot keep a model's answers ({error}); name another file", path=path) from None

    def lookup(self, prompt: str, llm_string: str) -> RETURN_VAL_TYPE | None:
        """The answer to this prompt with these parameters; None where there is none."""
        with self._open() as found:
            row = found.execute("select answer from answers where key = ?", (_key(prompt, llm_string),)).fetchone()
        _use["miss" if row is None else "hit"] += 1
        if row is None:
            return None
        return [ChatGeneration(message=AIMessage(**json.loads(row[0])))]

    def update(self, prompt: str, llm_string: str, return_val: RETURN_VAL_TYPE) -> None:
        """Keep an answer."""
        (generation,) = return_val
        assert isinstance(generation, ChatGeneration)
        message = generation.message
        kept = {"content": str(message.text), "response_metadata": _plain(message.response_metadata)}
        with self._open() as found:
            found.execute("insert or replace into answers values (?, ?)", (_key(prompt, llm_string), json.dumps(kept)))

    def clear(self, **kwargs: Any) -> None:
        """Forget all answers."""
        del kwargs
        with self._open() as found:
            found.execute("delete from answers")

    async def alookup(self, prompt: str, llm_string: str) -> RETURN_VAL_TYPE | None:
        """`lookup` in a thread."""
        return await asyncio.to_thread(self.lookup, prompt, llm_string)

    async def aupdate(self, prompt: str, llm_string: str, return_val: RETURN_VAL_TYPE) -> None:
        """`update` in a thread."""
        await asyncio.to_thread(self.update, prompt, llm_string, return_val)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """A connection for one thread and one transaction."""
        connection = sqlite3.connect(self.path, timeout=_WAIT)
        try:
            with connection:
                yield connection
        finally:
            connection.close()


def answer_cache() -> SqliteCache | None:
    """The cache that the operator named; None without one."""
    named = os.environ.get(CACHE_FILE)
    return _opened(Path(named)) if named else None


def cache_use() -> dict[str, int]:
    """Look-ups of this process so far: `hit` and `miss`."""
    return dict(_use)


@lru_cache(maxsize=4)
def _opened(path: Path) -> SqliteCache:
    return SqliteCache(path)


def prompt_text(messages: Sequence[Any]) -> str:
    """Messages as one text, for a key."""
    return json.dumps([[message.type, str(message.text)] for message in messages], ensure_ascii=False)


def _key(prompt: str, llm_string: str) -> str:
    return hashlib.sha256(f"{llm_string}\n{prompt}".encode(errors="replace")).hexdigest()


def _plain(metadata: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in metadata.items() if isinstance(value, str | int | float | bool)}
