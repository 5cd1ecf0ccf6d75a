"""From the driver's exceptions to Trivium's: which they are, and whether trying again can help."""

from __future__ import annotations

from neo4j.exceptions import AuthError, DriverError, Neo4jError, ServiceUnavailable, SessionExpired

from trivium.kg.errors import (
    LoginError,
    NoDatabaseError,
    PermissionDeniedError,
    QueryError,
    QueryTimeoutError,
    StoreError,
    UnreachableError,
)
from trivium.kg.neo4j.address import Address

DRIVER_ERRORS = (Neo4jError, DriverError, OSError)
"""What a call of the driver raises where the server or the network fails."""

_LONGEST = 300


def is_unreachable(error: Exception) -> bool:
    """Whether the connection is what failed."""
    return isinstance(error, (ServiceUnavailable, SessionExpired, OSError, TimeoutError))


def can_retry(error: Exception) -> bool:
    """Whether the same request may succeed a moment later: as the driver says, and where the connection broke."""
    return is_unreachable(error) or (isinstance(error, (Neo4jError, DriverError)) and error.is_retryable())


def translated(error: Exception, address: Address) -> StoreError:
    """Trivium's error for one of the driver's. Its message names the server, never the password."""
    code = (error.code or "") if isinstance(error, Neo4jError) else ""
    # In one line, and cut: a syntax error repeats the whole query.
    said = " ".join(((error.message or "") if isinstance(error, Neo4jError) else str(error)).split())[:_LONGEST]
    # Forbidden is a security code too, but a right that is missing, not a login that failed.
    if isinstance(error, AuthError) or (".Security." in code and "Forbidden" not in code):
        return LoginError(
            f"{address}: the server refuses the login ({said}); set TRIVIUM_NEO4J_USER and TRIVIUM_NEO4J_PASSWORD"
        )
    if "DatabaseNotFound" in code or "DatabaseUnavailable" in code or "UnableToRoute" in code:
        name = address.database or "the user's home database"
        return NoDatabaseError(f"{address}: there is no database {name} to read ({said}); set TRIVIUM_NEO4J_DATABASE")
    if "TransactionTimedOut" in code or "Terminated" in code:
        return QueryTimeoutError(f"{address}: a query went on past its time-out ({said}); see timeout in trivium.toml")
    if "Forbidden" in code or "ReadOnly" in code or "AccessMode" in code:
        return PermissionDeniedError(f"{address}: the user or the database does not allow that ({said})")
    if is_unreachable(error) or isinstance(error, DriverError):
        return UnreachableError(f"{address}: no server answers ({said}); is it running, and is the URI right?")
    return QueryError(f"{address}: {said or type(error).__name__} ({code or 'no code'})")
