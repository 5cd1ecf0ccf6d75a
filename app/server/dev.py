"""`langgraph dev` as `trivium serve` starts it: idle connections stay open for `KEEP_ALIVE` seconds.

Uvicorn closes them after 5. Under uvloop timers run before arrived bytes are read, so a server that was held up for
longer (a busy or suspended machine) resets connections on which requests already wait, and their clients lose them.
"""

from __future__ import annotations

from functools import partial

from langgraph_api import cli as server
from langgraph_cli.cli import cli

KEEP_ALIVE = 75
"""Seconds; longer than the 60 after which load balancers close theirs."""


def main() -> None:
    """Run `langgraph` with the command line's arguments."""
    server.run_server = partial(server.run_server, timeout_keep_alive=KEEP_ALIVE)  # passed on to uvicorn
    cli()


if __name__ == "__main__":
    main()
