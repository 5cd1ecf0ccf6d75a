"""A SPARQL endpoint, downloaded through SELECT in pages to a file of N-Triples that the RDF loader reads.

Predicate by predicate, each in the order of its subjects and objects, so that pages of LIMIT and OFFSET do not overlap.
Counts are asked first: they bound the download, tell its progress, and tell an endpoint that caps its answers from one
that gave all. A blank node has no name that a second page could use again: statements about one are left out, counted.
"""

from __future__ import annotations

import base64
import http.client
import json
import os
import socket
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode, urlsplit
from urllib.request import Request, urlopen

from trivium.kg.errors import BadInputError, LoginError, QueryError, QueryTimeoutError, UnreachableError, UsageError
from trivium.kg.files import write_atomic

if TYPE_CHECKING:
    from pyoxigraph import QuerySolution

USER, PASSWORD = "TRIVIUM_SPARQL_USER", "TRIVIUM_SPARQL_PASSWORD"
"""The environment variables of basic authentication; nothing is sent where there is no user."""

_RESULTS = "application/sparql-results+json"
_MAX_BYTES = 512 << 20  # of one page
_TRIES = 4
_BUSY = (429, 502, 503, 504)
_DATA, _STATE = "statements.nt", "state.json"
_SHOWN_GRAPHS = 5

Progress = Callable[[int, int], None]
"""Statements read so far, and all."""


@dataclass(frozen=True)
class PredicateCount:
    """A predicate of an endpoint: its statements that can be read, and those about blank nodes, which cannot."""

    iri: str
    statements: int
    blank: int


@dataclass(frozen=True)
class SparqlEndpoint:
    """An endpoint to read from.

    Attributes:
        url: where it answers queries, `http` or `https`.
        graph: the IRI of the named graph to read; "" reads the default graph.
        page: statements asked for at once.
        timeout: seconds that one answer may take.
        pause: seconds before the second try of a busy or unreachable endpoint; doubled for each further one.
    """

    url: str
    graph: str = ""
    page: int = 10_000
    timeout: float = 120.0
    pause: float = 1.0

    def check(self) -> None:
        """Raise `UsageError` where the URL is not one that can be asked."""
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError(f"not the URL of a SPARQL endpoint: {self.url!r}; write http://… or https://…")
        if parts.username or parts.password:
            raise UsageError(f"the URL must not hold a password; set {USER} and {PASSWORD} in the environment")
        if set(self.graph) & set('<>"{}|^`\\ \n\t'):
            raise UsageError(f"--graph {self.graph!r} is not an IRI")
        if self.page < 1:
            raise UsageError(f"a page has at least 1 statement, not {self.page}")

    def survey(self) -> list[PredicateCount]:
        """The predicates with their numbers of statements.

        Raises:
            BadInputError: there is no statement, or what answers is no SPARQL endpoint.
            StoreError: the endpoint fails, by its subclasses.
        """
        blank = "SUM(IF(isBlank(?s) || isBlank(?o), 1, 0))"
        head = f"SELECT ?p (COUNT(*) AS ?n) ({blank} AS ?b)"
        rows = self._select(f"{head} WHERE {{ {self._where('?s ?p ?o')} }} GROUP BY ?p ORDER BY ?p")
        # An endpoint without a statement may answer one row without a predicate.
        named = [row for row in rows if row["p"] is not None]
        found = [PredicateCount(row["p"].value, _count(row, "n") - _count(row, "b"), _count(row, "b")) for row in named]
        if not found:
            raise BadInputError(f"{self.url} contains no statements{self._elsewhere()}")
        return found

    def statements(self, predicate: str, start: int) -> list[str]:
        """One page of a predicate's statements from `start` on, as lines of N-Triples; raises as `survey`."""
        term = f"<{predicate}>"
        named = "FILTER(!isBlank(?s) && !isBlank(?o))"
        query = f"SELECT ?s ?o WHERE {{ {self._where(f'?s {term} ?o')} {named} }}"
        rows = self._select(f"{query} ORDER BY ?s ?o LIMIT {self.page} OFFSET {start}")
        return [f"{row['s']} {term} {row['o']} .\n" for row in rows]

    def _where(self, pattern: str) -> str:
        return f"GRAPH <{self.graph}> {{ {pattern} }}" if self.graph else pattern

    def _elsewhere(self) -> str:
        """Where statements may be in place of the graph that was asked."""
        limit = _SHOWN_GRAPHS + 1
        rows = self._select(f"SELECT DISTINCT ?g WHERE {{ GRAPH ?g {{ ?s ?p ?o }} }} ORDER BY ?g LIMIT {limit}")
        graphs = [row["g"].value for row in rows if row["g"] is not None]
        if not graphs:
            return ""
        more = " …" if len(graphs) > _SHOWN_GRAPHS else ""
        which = f"in the graph {self.graph}" if self.graph else "in its default graph"
        return f" {which}; name another with --graph: {', '.join(graphs[:_SHOWN_GRAPHS])}{more}"

    def _select(self, query: str) -> list[QuerySolution]:
        from pyoxigraph import QueryResultsFormat, QuerySolutions, parse_query_results

        body, kind = self._answer(query)
        if not kind.startswith((_RESULTS, "application/json")):
            what = f"answers {kind or 'without a content type'}, not {_RESULTS}: it is not a SPARQL endpoint"
            raise BadInputError(f"{self.url} {what}; a file is downloaded first and imported by its name")
        try:
            results = parse_query_results(body, QueryResultsFormat.JSON)
            if isinstance(results, QuerySolutions):
                return list(results)
        except (SyntaxError, ValueError) as error:
            raise BadInputError(f"{self.url} did not return a SPARQL result ({error})") from error
        raise BadInputError(f"{self.url} answers true or false where rows were asked")

    def _answer(self, query: str) -> tuple[bytes, str]:
        """The body and content type of an answer; what may pass (busy, unreachable) is tried again."""
        joint = "&" if urlsplit(self.url).query else "?"
        request = Request(f"{self.url}{joint}{urlencode({'query': query})}", headers={"Accept": _RESULTS})
        if user := os.environ.get(USER):
            login = base64.b64encode(f"{user}:{os.environ.get(PASSWORD, '')}".encode()).decode()
            request.add_unredirected_header("Authorization", f"Basic {login}")
        pause = self.pause
        for left in reversed(range(_TRIES)):
            try:
                with urlopen(request, timeout=self.timeout) as answer:
                    body = answer.read(_MAX_BYTES + 1)
                    kind = str(answer.headers.get("Content-Type", "")).lower()
            except HTTPError as error:
                if error.code not in _BUSY or not left:
                    raise self._refused(error) from error
                wait = error.headers.get("Retry-After", "")
                pause = min(float(wait), 60.0) if wait.isdigit() else pause
            except (URLError, OSError, http.client.HTTPException) as error:
                reason = getattr(error, "reason", error)
                if isinstance(reason, TimeoutError | socket.timeout):
                    raise self._late() from error
                if not left:
                    raise UnreachableError(f"{self.url} cannot be reached ({reason})") from error
            else:
                if len(body) > _MAX_BYTES:
                    raise QueryError(f"{self.url}: a page is over {_MAX_BYTES >> 20} MiB; ask for fewer with --page")
                return body, kind
            time.sleep(pause)
            pause *= 2
        raise AssertionError

    def _late(self) -> QueryTimeoutError:
        what = f"{self.url} gave no answer within {self.timeout:g} s"
        return QueryTimeoutError(f"{what}; ask for fewer statements at once with --page, or name a --graph")

    def _refused(self, error: HTTPError) -> Exception:
        said = " ".join(error.read(2_000).decode(errors="replace").split())[:200]
        what = f"{self.url} answers {error.code} {error.reason}{f' ({said})' if said else ''}"
        if error.code in (401, 403):
            return LoginError(f"{what}; set {USER} and {PASSWORD}")
        if error.code == 404:
            return BadInputError(f"{what}: no SPARQL endpoint answers there")
        if error.code in (408, 504):
            return self._late()
        return QueryError(what)


@dataclass(frozen=True)
class Download:
    """What was read of an endpoint: a file of N-Triples, its statements, and how many about blank nodes were left."""

    path: Path
    statements: int
    blank: int
    resumed: int


@dataclass
class _State:
    """How far a download is: what was counted, the place of the predicate that is read, its rows, the file's bytes."""

    source: dict[str, str]
    predicates: list[dict[str, Any]]
    place: int = 0
    rows: int = 0
    size: int = 0


def download(endpoint: SparqlEndpoint, folder: Path, progress: Progress, *, limit: int) -> Download:
    """Read all statements of an endpoint into `folder`; after an interruption the same call goes on where it stopped.

    It begins anew where the endpoint's counts have changed meanwhile.

    Args:
        endpoint: what to read.
        folder: made where it is missing; holds the statements and how far the download is.
        progress: told after each page.
        limit: statements that it may have.

    Raises:
        UsageError: the URL cannot be asked, or the endpoint holds more than `limit` statements.
        BadInputError: it holds none, or is no SPARQL endpoint.
        QueryError: it gave fewer statements of a predicate than it counts.
        StoreError: it fails otherwise, by its subclasses.
    """
    endpoint.check()
    counts = endpoint.survey()
    total = sum(each.statements for each in counts)
    if total > limit:
        what = f"{endpoint.url} holds {total:,} statements, more than --max-statements {limit:,}"
        raise UsageError(f"{what}; raise it, or name a --graph")
    folder.mkdir(parents=True, exist_ok=True)
    data, state_file = folder / _DATA, folder / _STATE
    source = {"url": endpoint.url, "graph": endpoint.graph}
    state = _resumed(state_file, data, _State(source, [asdict(each) for each in counts]))
    done = resumed = sum(each.statements for each in counts[: state.place]) + state.rows
    with data.open("r+b" if data.exists() else "w+b") as file:
        file.truncate(state.size)
        file.seek(state.size)
        while state.place < len(counts):
            predicate = counts[state.place]
            rows = endpoint.statements(predicate.iri, state.rows) if state.rows < predicate.statements else []
            if not rows and state.rows < predicate.statements:
                what = f"{endpoint.url} gave {state.rows:,} of {predicate.statements:,} statements of {predicate.iri}"
                raise QueryError(f"{what} and no more: it caps its answers; import a dump of its data")
            file.write("".join(rows).encode())
            file.flush()
            state.rows += len(rows)
            if state.rows >= predicate.statements:
                state.place, state.rows = state.place + 1, 0
            state.size = file.tell()
            write_atomic(state_file, json.dumps(asdict(state)).encode())
            done += len(rows)
            progress(done, total)
    return Download(data, total, sum(each.blank for each in counts), resumed)


def _resumed(state_file: Path, data: Path, fresh: _State) -> _State:
    """The state that an interrupted download of the same statements left, else `fresh`."""
    try:
        found = _State(**json.loads(state_file.read_bytes()))
        whole = data.stat().st_size >= found.size
    except (OSError, ValueError, TypeError):
        return fresh
    same = (found.source, found.predicates) == (fresh.source, fresh.predicates)
    return found if same and whole else fresh


def _count(row: QuerySolution, name: str) -> int:
    term = row[name]
    try:
        return int(float(term.value)) if term is not None else 0
    except (AttributeError, ValueError) as error:
        raise BadInputError(f"the endpoint counts {term}, which is not a number") from error


def is_endpoint(source: str) -> bool:
    """Whether a source of `trivium import` is a URL; files are named without a scheme."""
    return source.startswith(("http://", "https://"))


def remove_download(folder: Path) -> None:
    """Remove what `download` wrote, and the folder where it is empty then."""
    for name in (_DATA, _STATE):
        (folder / name).unlink(missing_ok=True)
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
