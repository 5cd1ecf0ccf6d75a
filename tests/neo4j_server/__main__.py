"""`python -m tests.neo4j_server start|stop`: one server a user, kept running between commands (`make neo4j`).

`run COMMAND…` runs a command beside an empty server of its own, which goes with it (`make bench`); on a machine that
can start none, the command runs without.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.neo4j_server.install import ServerError, jars, missing, store_folder, version
from tests.neo4j_server.server import Server, is_running, new_password, start, stop


def main() -> int:
    """Run one command; returns the exit status."""
    parser = argparse.ArgumentParser(prog="tests.neo4j_server", description=__doc__)
    parser.add_argument("command", choices=("start", "stop", "run"))
    parser.add_argument("words", nargs=argparse.REMAINDER, metavar="COMMAND", help="of run")
    given = parser.parse_args()
    try:
        return _run(given.words) if given.command == "run" else _start() if given.command == "start" else _stop()
    except ServerError as error:
        sys.stderr.write(f"{error}\n")
        return 1


def _start() -> int:
    if lack := missing():
        raise ServerError(f"{lack}; with Docker, docker compose up does the same")
    running = _running()
    if running is None:
        sys.stderr.write(f"Neo4j {version()}: fetching where needed, then starting\n")
        jars()
        home = store_folder() / f"home-{version()}"
        secret = home / "password"
        home.mkdir(parents=True, exist_ok=True)
        if not secret.exists():
            secret.touch(mode=0o600)
            secret.write_text(new_password())
        running = start(home, password=secret.read_text())
        _state().write_text(json.dumps({"uri": running.uri, "pid": running.pid, "home": str(home)}))
    sys.stdout.write("".join(f"export {name}={value}\n" for name, value in running.environment.items()))
    return 0


def _stop() -> int:
    running = _running()
    _state().unlink(missing_ok=True)
    if running is None:
        sys.stderr.write("no server was running\n")
    else:
        stop(running.pid, running.home)
        sys.stderr.write(f"stopped {running.uri}\n")
    return 0


def _run(command: list[str]) -> int:
    if lack := missing():
        sys.stderr.write(f"{lack}\n")
        return subprocess.run(command, check=False).returncode
    with TemporaryDirectory() as home:
        server = start(Path(home), password=new_password())
        try:
            return subprocess.run(command, env={**os.environ, **server.environment}, check=False).returncode
        finally:
            stop(server.pid, server.home)


def _running() -> Server | None:
    """The server that an earlier `start` left running."""
    try:
        told = json.loads(_state().read_text())
        home, pid, uri = Path(told["home"]), int(told["pid"]), str(told["uri"])
        password = (home / "password").read_text()
    except (OSError, ValueError, KeyError):
        return None
    return Server(uri, password, pid, home) if is_running(pid, home) else None


def _state() -> Path:
    return store_folder() / "running.json"


if __name__ == "__main__":
    sys.exit(main())
