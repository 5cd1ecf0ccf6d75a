"""Following a call through the code, as a reader would: which files are entered, left and entered again.

Each function is followed at its first call, so that what is called twice is read once.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import CO_NEWLOCALS, unwrap
from itertools import groupby
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import trivium

_ROOT = Path(trivium.__file__).parents[1].resolve()
_OTHERS = {"tests", "site-packages"}  # the environment may stand in the same folder


@contextmanager
def followed(first: Callable[..., Any] | None = None, then: Callable[..., Any] | None = None) -> Iterator[list[str]]:
    """Fills a list with the files of Trivium's, each once for every time that it is entered.

    Args:
        first: the function from whose first call on calls are followed; by default at once.
        then: the one whose call ends it.
    """
    met: dict[CodeType, None] = {}
    begins, ends = (unwrap(each).__code__ if each else None for each in (first, then))
    stays: list[str] = []
    over = False

    def note(frame: FrameType, event: str, _: object) -> None:
        nonlocal over
        code = frame.f_code
        if event != "call" or over or not code.co_flags & CO_NEWLOCALS:
            return
        over = code is ends
        if not over and (met or begins is None or code is begins):
            met.setdefault(code)

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield stays
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
        over = True  # threads that are still there go on
    files = [Path(code.co_filename).resolve() for code in list(met) if not code.co_filename.startswith("<")]
    ours = [
        str(file.relative_to(_ROOT)) for file in files if file.is_relative_to(_ROOT) and _OTHERS.isdisjoint(file.parts)
    ]
    stays += [file for file, _ in groupby(ours)]


def returns(stays: list[str], *folders: str) -> int:
    """How often a file of these folders (all) is entered again after it was left for another of them."""
    within = [file for file in stays if not folders or file.startswith(folders)]
    followed_once = [file for file, _ in groupby(within)]
    return len(followed_once) - len(set(followed_once))
