"""Files of JSON lines that are written as work goes on and taken up again where they stopped."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, Self

from trivium.kg.errors import BadInputError
from trivium.kg.files import open_file


class ResumableLines:
    """An output file of one JSON object an input line, in order. A line cut off by a kill is dropped and written anew.

    Attributes:
        done: whole lines that stood there already.
    """

    def __init__(self, path: Path, total: int, same: Callable[[int, dict[str, Any]], bool]) -> None:
        """Take up `path`; `same(i, line)` says whether its line i belongs to input i of `total`.

        Raises:
            BadInputError: the file holds something else; it is left as it is.
        """
        self._path = path
        if path.exists() and not path.is_file() and not path.is_dir():  # a device or a pipe: nothing stands there
            self.done = 0
            self._file: BinaryIO = open_file(path, "wb")
            return
        self.done, size = _whole_lines(path, total, same)
        path.parent.mkdir(parents=True, exist_ok=True)
        # Not "ab": a torn last line has to be cut off, and appending would write behind it.
        self._file = path.open("r+b" if path.exists() else "w+b")
        self._file.truncate(size)
        self._file.seek(size)

    def write(self, line: dict[str, Any]) -> None:
        """Append one line; it is handed to the operating system at once, so that a killed process loses none."""
        self._file.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
        self._file.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._file:  # closed on a full disk too
            self._file.flush()
            if self._path.is_file():
                os.fsync(self._file.fileno())


def _whole_lines(path: Path, total: int, same: Callable[[int, dict[str, Any]], bool]) -> tuple[int, int]:
    """How many whole lines a file holds, and where they end, in bytes."""
    if not path.exists():
        return 0, 0
    count = size = 0
    with path.open("rb") as file:
        for raw in file:
            if not raw.endswith(b"\n") and _parsed(raw) is None:
                break
            line = _parsed(raw)
            if line is None or count >= total or not same(count, line):
                raise BadInputError(
                    "has lines of another input; remove it or choose another --out", path=path, line=count + 1
                )
            if not raw.endswith(b"\n"):
                break  # whole by chance, but its end may be missing: write it again
            count, size = count + 1, size + len(raw)
    return count, size


def _parsed(raw: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(raw)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
