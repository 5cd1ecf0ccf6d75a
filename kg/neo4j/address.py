"""Where a KG in Neo4j is: a URI, a database and a login, and the local folder that belongs to them."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from trivium.kg.errors import BadInputError

SCHEMES = frozenset(f"{scheme}{security}" for scheme in ("bolt", "neo4j") for security in ("", "+s", "+ssc"))
_SLUG = re.compile(r"[^a-z0-9.]+")


def is_uri(name: str) -> bool:
    """Whether a KG argument is a Neo4j URI."""
    scheme, separator, _ = name.partition("://")
    return bool(separator) and scheme.lower() in SCHEMES


@dataclass(frozen=True)
class Address:
    """A database of a server and the login for it.

    Attributes:
        uri: `bolt://…` or `neo4j://…`, `+s` and `+ssc` for TLS; without user and password.
        database: its name; None for the user's home database.
        user, password: None where the server asks for none. The password is in no repr and no error.
    """

    uri: str
    database: str | None = None
    user: str | None = None
    password: str | None = field(default=None, repr=False)

    def __str__(self) -> str:
        return f"{self.uri}/{self.database}" if self.database else self.uri

    @property
    def folder_name(self) -> str:
        """A file name for this server and database, the same for every user and password."""
        digest = hashlib.sha256(f"{self.uri}\0{self.database or ''}".encode()).hexdigest()[:10]
        host = _SLUG.sub("-", f"{urlsplit(self.uri).netloc}-{self.database or ''}".lower()).strip("-")[:60]
        return f"{host}-{digest}"


@dataclass(frozen=True)
class Limits:
    """What one query may cost.

    Attributes:
        timeout: seconds of a read.
        write_timeout: seconds of a write transaction; a large one takes minutes.
        rows: rows of a read; a longer answer is cut, and the log says so.
        retry_seconds: seconds for which what can be tried again is tried again.
        connections: connections at most.
    """

    timeout: float = 30.0
    write_timeout: float = 600.0
    rows: int = 1_000_000
    retry_seconds: float = 5.0
    connections: int = 50


def address_of(
    uri: str, database: str | None = None, user_variable: str | None = None, password_variable: str | None = None
) -> Address:
    """The address of a URI with the login that the environment holds.

    `TRIVIUM_NEO4J_USER`, `TRIVIUM_NEO4J_PASSWORD` and `TRIVIUM_NEO4J_DATABASE` are read where no other is named; where
    `TRIVIUM_NEO4J_URI` names a server, they are for this server alone.

    Raises:
        BadInputError: a URI has no host, or holds user and password, which belong in the environment.
    """
    try:
        parts = urlsplit(uri)
        host, port, login = parts.hostname, parts.port, "@" in parts.netloc
    except ValueError as error:
        raise BadInputError(f"a Neo4j URI cannot be read ({error})") from None
    if login:  # its text is not repeated: it holds a password
        raise BadInputError(
            f"a Neo4j URI must not hold user and password: write {parts.scheme}://{host}, "
            "and set TRIVIUM_NEO4J_USER and TRIVIUM_NEO4J_PASSWORD"
        )
    if not host or parts.path not in ("", "/") or parts.query or parts.fragment:
        raise BadInputError(
            f"{uri!r} is not a Neo4j URI; expected bolt://HOST:PORT, the database in TRIVIUM_NEO4J_DATABASE"
        )
    # A URI and its port are written in one way, so that a KG's local folder is found again.
    plain = f"{parts.scheme.lower()}://{f'[{host}]' if ':' in host else host}:{port or 7687}"
    general = _is_for(host, port or 7687)

    def variable(own: str | None, name: str) -> str | None:
        return os.environ.get(own) if own else os.environ.get(name) if general else None

    return Address(
        plain,
        database or variable(None, "TRIVIUM_NEO4J_DATABASE") or None,
        variable(user_variable, "TRIVIUM_NEO4J_USER") or None,
        variable(password_variable, "TRIVIUM_NEO4J_PASSWORD"),
    )


def _is_for(host: str, port: int) -> bool:
    """Whether the environment's login may be sent to a server; raises `BadInputError` for a URI that cannot be read."""
    named = os.environ.get("TRIVIUM_NEO4J_URI")
    if not named:
        return True
    try:
        parts = urlsplit(named)
        return (parts.hostname, parts.port or 7687) == (host, port)
    except ValueError as error:
        raise BadInputError(f"TRIVIUM_NEO4J_URI cannot be read ({error})") from None
