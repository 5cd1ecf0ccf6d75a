"""Serve a script by hand: `python -m tests.fake_openai SCRIPT [--port N]`; the first line printed is the base URL.

SCRIPT is a JSON file (`tests.fake_openai.replies` describes it); `-` reads it from standard input. Each request is
printed as one line on standard error.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import threading
from pathlib import Path

from tests.fake_openai.replies import read_script
from tests.fake_openai.server import FakeOpenAI, Request


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m tests.fake_openai", description=__doc__)
    parser.add_argument("script", help="JSON file with the replies, or - for standard input")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    options = parser.parse_args()
    text = sys.stdin.read() if options.script == "-" else Path(options.script).read_text(encoding="utf-8")
    with (
        FakeOpenAI(read_script(text), port=options.port, on_request=_log) as server,
        contextlib.suppress(KeyboardInterrupt),
    ):
        sys.stdout.write(f"{server.url}\n")
        sys.stdout.flush()
        threading.Event().wait()


def _log(request: Request) -> None:
    sys.stderr.write(f"{request.number} {request.reply} <- {request.last!r:.120}\n")


main()
