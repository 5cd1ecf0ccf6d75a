"""`trivium.kg.files.write_atomic` for what is written as a stream."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from trivium.kg.files import fsync_folder


@contextmanager
def atomic_stream(path: Path) -> Iterator[BinaryIO]:
    """Open a hidden neighbor of `path`; on a clean exit it is synced and takes the name.

    After an exception `path` is what it was and the neighbor is gone. A symbolic link stays one: what it points to is
    replaced. A device or a pipe is written to as it is. Raises `OSError` as the system does.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        with path.open("wb") as file:
            yield file
        return
    path = path.resolve()
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(0o644)  # mkstemp's 0600 would lock out a server that runs as another user
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    fsync_folder(path.parent)
