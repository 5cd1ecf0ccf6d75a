"""Trivium's exception tree. A message names the offending value and says what to do.

TriviumError
├── RequestError             the request cannot be met as it is; a server shows the message to its client
│   ├── UsageError               it is wrong in itself (command line: exit status 2)
│   ├── UnknownEntityError       no entity has that id or label
│   ├── UnknownRelationError     no relation has that name
│   ├── UnknownToolError         no tool has that name
│   ├── PlanError                a query plan that does not parse or does not fit the graph
│   ├── TimeLimitError           a plan went on past its time or row limit
│   ├── NotLearnedError           a method needs what `trivium learn` writes
│   ├── StaleError               what was learned belongs to another KG, or to this one before it changed
│   └── ModelError               a chat model that is unknown, not installed or has no key
├── BadInputError            a file, line or value that cannot be read
├── NotAKnowledgeBaseError   a path or name that is not a KG
├── KnowledgeBaseExistsError a build would overwrite a KG
├── VersionError             a file written by a newer Trivium
│   └── OutdatedError            or by one so old that this one cannot read it
├── CorruptError             a file of a KG is damaged
├── BusyError                another process holds the KG's write lock
├── EmbedderError            an embedder is not installed, unknown, or its weights differ
├── WriteRefusedError        a write that was not allowed: without --write, or to what Trivium did not make
└── StoreError               a database that a KG lives in does not do its part
    ├── UnreachableError     no server answers, or the connection broke and did not come back
    ├── LoginError           the server refuses user and password
    ├── NoDatabaseError      the server has no database of that name, or it is stopped
    ├── PermissionDeniedError  the user, or the database, may not do that
    ├── NoCopyError          its local copy is needed and is not there
    └── QueryError           the database refuses one query, or failed in it: others may be answered
        └── QueryTimeoutError    it went on past its time-out
"""

from __future__ import annotations

from pathlib import Path


class TriviumError(Exception):
    """Base of every error that Trivium raises on purpose; the command line prints it as one line."""


class RequestError(TriviumError, ValueError):
    """Base of errors about what a client asked for; their messages name no file or address of the operator's.

    A `ValueError` too, since LangGraph's server hides the message of any other error from its clients.
    """


class UsageError(RequestError):
    """Raised when the request itself is wrong: an empty question, an unknown method."""


class BadInputError(TriviumError):
    """Raised when a file, line or value cannot be read.

    Attributes:
        path: the file, or None where the value came from elsewhere.
        line: 1-based line number, or None where the whole file is meant.
    """

    def __init__(self, message: str, *, path: Path | str | None = None, line: int | None = None) -> None:
        self.path = None if path is None else Path(path)
        self.line = line
        where = "" if path is None else f"{path}: " if line is None else f"{path}, line {line}: "
        super().__init__(where + message)


class NotAKnowledgeBaseError(TriviumError):
    """Raised when a path or name is not a KG."""


class KnowledgeBaseExistsError(TriviumError):
    """Raised when a build would overwrite an existing KG or folder."""


class VersionError(TriviumError):
    """Raised when a file was written by a newer Trivium than this one."""


def newer(what: object, found: object, known: int) -> VersionError:
    """The error for a file, or the like, of a format above the one that this Trivium knows."""
    return VersionError(
        f"{what} was written by a newer Trivium (format {found}; this one reads up to {known}): upgrade Trivium"
    )


class OutdatedError(VersionError):
    """Raised when an artifact was written by an older Trivium, in a format that is no longer read: make it again."""


class CorruptError(TriviumError):
    """Raised when a file of a KG is damaged; what is derived from the record is derived again first."""


class BusyError(TriviumError):
    """Raised when another process holds the write lock of a KG."""


class OverloadedError(RequestError):
    """Raised when a server has as many runs waiting as it takes: ask again later."""


class UnknownEntityError(RequestError):
    """Raised when no entity has the given id or label."""


class UnknownRelationError(RequestError):
    """Raised when no relation has the given name."""


class UnknownToolError(RequestError):
    """Raised when no tool has the given name."""


class PlanError(RequestError):
    """Raised when a query plan does not parse or does not fit the graph.

    Attributes:
        problems: every problem found, each one line that says where, what and what to do.
    """

    def __init__(self, *problems: str) -> None:
        self.problems = problems
        super().__init__("; ".join(problems))


class TimeLimitError(RequestError):
    """Raised when a question or a plan goes on past its time or row limit."""


class NotLearnedError(RequestError):
    """Raised when a method needs an artifact that `trivium learn` has not written yet."""


class StaleError(RequestError):
    """Raised when what was learned belongs to another KG, or to this one before it changed."""


class EmbedderError(TriviumError):
    """Raised when an embedder is unknown, not installed, or its weights are not those expected."""


class ModelError(RequestError):
    """Raised when a chat model is unknown, its package is not installed, or its key is missing."""


class WriteRefusedError(TriviumError):
    """Raised when a write was not allowed: without --write, or to what Trivium did not make."""


class StoreError(TriviumError):
    """Raised when the database that a KG lives in does not do its part; a run then claims nothing."""


class UnreachableError(StoreError):
    """Raised when no server answers, or a connection broke and did not come back while it was tried again."""


class LoginError(StoreError):
    """Raised when the server refuses user and password."""


class NoDatabaseError(StoreError):
    """Raised when the server has no database of that name, or it is stopped."""


class PermissionDeniedError(StoreError):
    """Raised when the user may not do that, or the database is open for reading alone."""


class NoCopyError(StoreError):
    """Raised when what works on a database's local copy is asked of a large one that was not copied yet."""


class QueryError(StoreError):
    """Raised when the database refuses one query or fails in it: it answers others, so one question alone fails."""


class QueryTimeoutError(QueryError):
    """Raised when a query went on past its time-out."""
