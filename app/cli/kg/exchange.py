"""Exchange the names of two folders in one step."""

from __future__ import annotations

import ctypes
import errno
import os
from pathlib import Path

from trivium.kg.files import fsync_folder

_HERE = -100  # AT_FDCWD: paths count from the working directory
_EXCHANGE = 2  # RENAME_EXCHANGE
_NOT_OFFERED = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)


def exchange(one: Path, other: Path) -> None:
    """Give each folder the other's name; both exist, in the same folder.

    Where the system cannot do that in one step (no Linux, or a file system without it), two renames stand in: between
    them, for some microseconds, `other` is missing.
    """
    if not _in_one_step(one, other):
        aside = one.with_name(f"{one.name}.aside")
        other.rename(aside)
        try:
            one.rename(other)
        except BaseException:
            aside.rename(other)
            raise
        aside.rename(one)
    fsync_folder(other.parent)


def _in_one_step(one: Path, other: Path) -> bool:
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError, TypeError):
        return False
    if rename(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0:
        return True
    code = ctypes.get_errno()
    if code in _NOT_OFFERED:
        return False
    raise OSError(code, os.strerror(code), str(one), None, str(other))
