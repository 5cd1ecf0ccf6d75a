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
    """Open a hidden neighbour of `path`; on a clean exit it is synced and takes the name.

    After an exception `path` is what it was and the neighbour is gone. Raises `OSError` as the system does.
    """
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
