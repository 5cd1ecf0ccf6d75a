"""Fetch Neo4j Community as Maven artifacts, once, into the user's cache."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from filelock import FileLock

POM = Path(__file__).with_name("pom.xml")
_OLDEST_JAVA = 17
_FETCH_SECONDS = 900


class ServerError(Exception):
    """Raised when the server cannot be fetched, started or stopped; the message holds what Maven or the server said."""


def store_folder() -> Path:
    """Where jars and the databases of `make neo4j` are kept: `TRIVIUM_NEO4J_HOME`, else in the user's cache.

    Not `TRIVIUM_CACHE`: tests and CI jobs set that to throw-away folders, and 128 MB need fetching only once.
    """
    if own := os.environ.get("TRIVIUM_NEO4J_HOME"):
        return Path(own)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "trivium-neo4j"


def version() -> str:
    """The version of Neo4j that the pom names."""
    found = re.search(r"<neo4j\.version>([^<]+)<", POM.read_text(encoding="utf-8"))
    if found is None:
        raise ServerError(f"{POM} names no neo4j.version")
    return found[1]


def java() -> str | None:
    """A Java of version 17 or newer: of `JAVA_HOME`, else of the path; None where there is none."""
    home = os.environ.get("JAVA_HOME")
    for found in (str(Path(home) / "bin" / "java") if home else None, shutil.which("java")):
        if found and _java_version(found) >= _OLDEST_JAVA:
            return found
    return None


def _java_version(command: str) -> int:
    try:
        told = subprocess.run([command, "-version"], capture_output=True, text=True, check=True, timeout=60).stderr
    except (OSError, subprocess.SubprocessError):
        return 0
    found = re.search(r'version "(\d+)', told)
    return int(found[1]) if found else 0


def missing() -> str | None:
    """What this machine lacks to run the server, as a sentence; None where nothing."""
    if java() is None:
        return f"no Java {_OLDEST_JAVA} or newer was found (JAVA_HOME, or java on the path)"
    if not _marker().exists() and shutil.which("mvn") is None:
        return "no Maven was found (mvn on the path) to fetch the server with"
    return None


def jars() -> Path:
    """The folder of the server's jars, fetched on first use: some 130 MB and a minute.

    Raises:
        ServerError: Maven is missing or could not fetch them.
    """
    marker = _marker()
    if not marker.exists():
        marker.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(marker.parent / ".lock"):
            if not marker.exists():
                _fetch(marker.parent)
                marker.touch()
    return marker.parent


def _marker() -> Path:
    return store_folder() / f"jars-{version()}" / ".complete"


def _fetch(folder: Path) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        raise ServerError("Maven (mvn) is needed to fetch the server's jars")
    command = [maven, "-q", "-B", "-f", str(POM), "dependency:copy-dependencies", "-DincludeScope=runtime"]
    command.append(f"-DoutputDirectory={folder}")
    done = subprocess.run(command, capture_output=True, text=True, timeout=_FETCH_SECONDS, check=False)
    if done.returncode:
        raise ServerError(f"Maven could not fetch Neo4j {version()}:\n{(done.stdout + done.stderr)[-3000:]}")
