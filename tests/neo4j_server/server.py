"""Start a Neo4j server as a process of its own, wait until it answers, and stop that process and no other."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from neo4j import Driver, GraphDatabase, Query
from neo4j.exceptions import DriverError, Neo4jError

from tests.neo4j_server.install import ServerError, jars, java

USER = "neo4j"
_FIRST_PASSWORD = "neo4j"  # the server's own, which it makes everybody change
_START_SECONDS = 120
_STOP_SECONDS = 30
_MEMORY = ("-Xmx512m", "-Xmn256m", "-XX:MetaspaceSize=256m")  # the heap's young half is rarely full: 8 % less CPU
_SHORT = ("-XX:TieredStopAtLevel=1", "-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote")
_OPENS = ("java.base/java.nio", "java.base/sun.nio.ch", "java.base/java.io", "java.base/java.util.concurrent")


_KEPT = ["trivium_entity_key", "trivium_names", "trivium_words"]

_children: dict[int, subprocess.Popen[bytes]] = {}
"""Servers of this process: an ended child stays in the process table until it is waited for."""


@dataclass(frozen=True)
class Server:
    """A server that answers.

    Attributes:
        uri: `bolt://127.0.0.1:PORT`.
        password: of the user `neo4j`; None where it asks for none.
        pid: its process.
        home: the folder with its databases, configuration and log.
    """

    uri: str
    password: str | None
    pid: int
    home: Path

    @property
    def auth(self) -> tuple[str, str] | None:
        """User and password as the driver takes them."""
        return None if self.password is None else (USER, self.password)

    @property
    def environment(self) -> dict[str, str]:
        """What Trivium reads to connect."""
        told = {"TRIVIUM_NEO4J_URI": self.uri}
        if self.password is not None:
            told |= {"TRIVIUM_NEO4J_USER": USER, "TRIVIUM_NEO4J_PASSWORD": self.password}
        return told

    def run(self, cypher: str, **parameters: object) -> list[list[object]]:
        """The rows of one query, past Trivium."""
        with GraphDatabase.driver(self.uri, auth=self.auth) as driver:
            return _rows(driver, cypher, **parameters)

    def empty(self) -> None:
        """Delete nodes, relationships and the indexes of a user's own graph; Trivium's own take a second to make."""
        with GraphDatabase.driver(self.uri, auth=self.auth) as driver:
            _rows(driver, "MATCH (n) DETACH DELETE n")
            for (name,) in _rows(driver, "SHOW CONSTRAINTS YIELD name WHERE NOT name IN $kept RETURN name", kept=_KEPT):
                _rows(driver, f"DROP CONSTRAINT `{name}`")
            indexes = "SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP' AND NOT name IN $kept RETURN name"
            for (name,) in _rows(driver, indexes, kept=_KEPT):
                _rows(driver, f"DROP INDEX `{name}`")


def _rows(driver: Driver, cypher: str, **parameters: object) -> list[list[object]]:
    records = driver.execute_query(Query(cypher), parameters, database_="neo4j").records
    return [list(record.values()) for record in records]


def free_port() -> int:
    """A port of the loopback interface that nobody listens on."""
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        port: int = asked.getsockname()[1]
        return port


def start(
    home: Path,
    *,
    port: int | None = None,
    password: str | None = None,
    settings: Mapping[str, str] | None = None,
    short: bool = False,
) -> Server:
    """Start a server over the databases in `home`, new ones where there are none, and wait until it answers.

    Args:
        home: its folder, made if need be.
        port: the port on loopback; by default a free one.
        password: the password of `neo4j` from the first start on; None switches authentication off.
        settings: further lines of neo4j.conf.
        short: for a session of minutes: compile quickly rather than well, which halves its first minutes, and trust the
            bytecode of the jars, which spares a sixth of the start.

    Raises:
        ServerError: it did not answer within two minutes, or ended; the message holds the end of its log.
    """
    port = port or free_port()
    (home / "conf").mkdir(parents=True, exist_ok=True)
    lines = {**_settings(port, auth=password is not None), **(settings or {})}
    (home / "conf" / "neo4j.conf").write_text("".join(f"{name}={value}\n" for name, value in lines.items()))
    process = _launch(home, _SHORT if short else ())
    _children[process.pid] = process
    server = Server(f"bolt://127.0.0.1:{port}", password, process.pid, home)
    try:
        _wait(server, process)
    except BaseException:
        process.kill()
        process.wait()
        raise
    return server


def _settings(port: int, *, auth: bool) -> dict[str, str]:
    return {
        "server.bolt.listen_address": f"127.0.0.1:{port}",
        "server.http.enabled": "false",
        "server.https.enabled": "false",
        "dbms.security.auth_enabled": str(auth).lower(),
        "dbms.usage_report.enabled": "false",
        "server.memory.pagecache.size": "128m",
        "db.tx_log.preallocate": "false",  # else 256 MB a database before the first triple
        "db.tx_log.rotation.retention_policy": "keep_none",
    }


def _launch(home: Path, options: Sequence[str]) -> subprocess.Popen[bytes]:
    command = [java() or "java", *_MEMORY, "-XX:+UseSerialGC", *options, "-cp", f"{jars()}/*"]
    for opened in _OPENS:
        command += ["--add-opens", f"{opened}=ALL-UNNAMED"]
    command += ["org.neo4j.server.CommunityEntryPoint", f"--home-dir={home}", f"--config-dir={home / 'conf'}"]
    with (home / "server.log").open("wb") as log:
        # A session of its own: an interrupt of `make test` must not take the server down in the middle of a test.
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)


def _wait(server: Server, process: subprocess.Popen[bytes]) -> None:
    ends, said = time.monotonic() + _START_SECONDS, "no answer"
    while time.monotonic() < ends:
        if process.poll() is not None:
            raise ServerError(f"Neo4j ended with status {process.returncode}:\n{_log(server.home)}")
        try:
            with socket.create_connection(("127.0.0.1", int(server.uri.rpartition(":")[2])), 1):
                pass
            return _greet(server)
        except (OSError, DriverError, Neo4jError) as error:
            said = f"{type(error).__name__}: {error}"
        time.sleep(0.1)
    raise ServerError(f"Neo4j did not answer within {_START_SECONDS} s ({said}):\n{_log(server.home)}")


def _greet(server: Server) -> None:
    """Ask once, after setting the password on a home's first start."""
    if server.password is not None and not (marker := server.home / "conf" / ".password-set").exists():
        with GraphDatabase.driver(server.uri, auth=(USER, _FIRST_PASSWORD)) as driver:
            change = "ALTER CURRENT USER SET PASSWORD FROM $old TO $new"
            driver.execute_query(change, old=_FIRST_PASSWORD, new=server.password, database_="system")
        marker.touch()
    with GraphDatabase.driver(server.uri, auth=server.auth) as driver:
        driver.execute_query("RETURN 1", database_="neo4j")


def _log(home: Path) -> str:
    return (home / "server.log").read_text(errors="replace")[-3000:]


def stop(pid: int, home: Path) -> bool:
    """Stop the server of that process and wait until it has ended; False where it had ended already.

    Raises:
        ServerError: it does not end.
    """
    if not is_running(pid, home):
        return False
    os.kill(pid, signal.SIGTERM)
    ends = time.monotonic() + _STOP_SECONDS
    while is_running(pid, home):
        if time.monotonic() > ends:
            raise ServerError(f"Neo4j (process {pid}) has not ended within {_STOP_SECONDS} s")
        time.sleep(0.05)
    return True


def is_running(pid: int, home: Path) -> bool:
    """Whether a process is the server of this home: a number may have gone to another process since."""
    if pid in _children and _children[pid].poll() is not None:
        del _children[pid]
        return False
    told = subprocess.run(["ps", "-ww", "-p", str(pid), "-o", "command="], capture_output=True, text=True, check=False)
    return f"--home-dir={home}" in told.stdout


def new_password() -> str:
    """A password for a server that asks for one."""
    return secrets.token_urlsafe(12)
