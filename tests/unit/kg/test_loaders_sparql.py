"""A SPARQL endpoint: read whole in pages, resumed after an interruption, refused by name where it cannot be read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.sparql_server import Reply, SparqlServer, sparql_server
from trivium.kg.errors import (
    BadInputError,
    LoginError,
    QueryError,
    QueryTimeoutError,
    TriviumError,
    UnreachableError,
    UsageError,
)
from trivium.kg.loaders import read_triples
from trivium.kg.loaders.sparql import Download, SparqlEndpoint, download
from trivium.kg.types import Entity, Triple

A = "http://a.org/"
HEAD = f"@prefix : <{A}> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
TURTLE = (
    HEAD
    + "".join(f':f{n} a :F ; rdfs:label "Film {n}"@en ; :directed_by :d{n % 3} ; :year {n} .\n' for n in range(25))
    + ':f1 :note "He said \\"no\\",\\nthen left"@en . [ :of :f1 ] :by _:x .\n'
)  # fmt: skip


@pytest.fixture
def server() -> Iterator[SparqlServer]:
    with sparql_server(TURTLE) as served:
        yield served


def fetch(endpoint: SparqlEndpoint, folder: Path, limit: int = 1_000) -> tuple[Download, list[tuple[int, int]]]:
    shown: list[tuple[int, int]] = []
    return download(endpoint, folder, lambda done, total: shown.append((done, total)), limit=limit), shown


def test_pages_hold_every_statement_once(server: SparqlServer, tmp_path: Path) -> None:
    read, shown = fetch(SparqlEndpoint(server.url, page=7), tmp_path)
    (tmp_path / "whole.ttl").write_text(TURTLE)
    found, whole = read_triples(read.path), read_triples(tmp_path / "whole.ttl")
    named = {triple for batch in whole for triple in batch if "_:" not in triple.head}
    assert {triple for batch in found for triple in batch} == named
    assert {each.id: each for each in found.entities()} == {each.id: each for each in whole.entities()}
    assert Entity(f"{A}f3", "Film 3", (), ("F",)) in list(found.entities())
    assert (read.statements, read.blank, read.resumed) == (4 * 25 + 1, 2, 0)
    assert shown[-1] == (101, 101)
    assert [done for done, _ in shown] == sorted(done for done, _ in shown)
    assert len(read.path.read_text().splitlines()) == 101
    assert all("LIMIT 7" in query for query in server.queries[1:])


def test_an_interrupted_download_goes_on(server: SparqlServer, tmp_path: Path) -> None:
    asked = 0

    def fail(query: str) -> Reply | None:
        nonlocal asked
        asked += 1
        return Reply(500, b"out of memory") if asked == 6 else None

    server.before = fail
    endpoint = SparqlEndpoint(server.url, page=7)
    with pytest.raises(QueryError, match=r"answers 500 .*out of memory"):
        fetch(endpoint, tmp_path)
    with (tmp_path / "statements.nt").open("a") as file:
        file.write("<http://a.org/f1> <half")  # a kill came in the middle of a page
    before = len(server.queries)
    read, _ = fetch(endpoint, tmp_path)
    pages = -(-1 // 7) + 4 * -(-25 // 7)
    assert len(server.queries) - before == 1 + pages - 4, "one survey, and the pages that were missing"
    assert read.resumed > 0
    (tmp_path / "fresh").mkdir()
    assert read.path.read_text() == fetch(endpoint, tmp_path / "fresh")[0].path.read_text()


def test_a_download_of_other_statements_begins_anew(server: SparqlServer, tmp_path: Path) -> None:
    endpoint = SparqlEndpoint(server.url, page=7)
    fetch(endpoint, tmp_path)
    server.store.update(f"INSERT DATA {{ <{A}f99> <{A}directed_by> <{A}d9> }}")
    read, _ = fetch(endpoint, tmp_path)
    assert (read.resumed, read.statements) == (0, 102)
    assert Triple(f"{A}f99", f"{A}directed_by", f"{A}d9") in [row for batch in read_triples(read.path) for row in batch]


def test_a_busy_endpoint_is_asked_again(server: SparqlServer, tmp_path: Path) -> None:
    replies = [Reply(503, headers={"Retry-After": "0"}), Reply(429, headers={"Retry-After": "0"})]
    server.before = lambda _: replies.pop() if replies else None
    assert fetch(SparqlEndpoint(server.url), tmp_path)[0].statements == 101


def test_login_from_the_environment_goes_to_the_endpoint(
    server: SparqlServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRIVIUM_SPARQL_USER", "ann")
    monkeypatch.setenv("TRIVIUM_SPARQL_PASSWORD", "s3cret")
    fetch(SparqlEndpoint(server.url), tmp_path)
    assert set(server.logins) == {"Basic YW5uOnMzY3JldA=="}
    assert "s3cret" not in (tmp_path / "state.json").read_text()


@pytest.mark.parametrize(
    ("reply", "error", "words"),
    [
        (Reply(401), LoginError, "TRIVIUM_SPARQL_USER"),
        (Reply(404), BadInputError, "no SPARQL endpoint"),
        (Reply(400, b"parse error"), QueryError, "parse error"),
        (Reply(body=b"<html>", kind="text/html"), BadInputError, "answers text/html"),
        (Reply(body=b"{"), BadInputError, "not return a SPARQL result"),
        (Reply(body=b'{"head": {}, "boolean": true}'), BadInputError, "true or false"),
        (Reply(wait=0.6), QueryTimeoutError, "within 0.2 s"),
        (Reply(503), QueryError, "503"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_bad_endpoints_are_named(
    server: SparqlServer, tmp_path: Path, reply: Reply, error: type[TriviumError], words: str
) -> None:
    server.before = lambda _: reply
    timeout = 0.2 if reply.wait else 30
    with pytest.raises(error, match=words) as raised:
        fetch(SparqlEndpoint(server.url, timeout=timeout, pause=0), tmp_path / "x")
    assert type(raised.value) is error
    assert server.url in str(raised.value)


def test_an_endpoint_that_caps_its_answers_is_not_taken_for_whole(server: SparqlServer, tmp_path: Path) -> None:
    empty = b'{"head": {"vars": ["s", "o"]}, "results": {"bindings": []}}'
    server.before = lambda query: Reply(body=empty) if "OFFSET 14" in query else None
    with pytest.raises(QueryError, match=r"gave 14 of 25 statements .* caps its answers"):
        fetch(SparqlEndpoint(server.url, page=7), tmp_path)


def test_no_server_at_all(tmp_path: Path) -> None:
    with sparql_server("") as gone:
        url = gone.url
    with pytest.raises(UnreachableError, match="cannot be reached"):
        fetch(SparqlEndpoint(url, pause=0), tmp_path)


def test_an_empty_default_graph_names_the_others(tmp_path: Path) -> None:
    with sparql_server(TURTLE, graph="http://g.org/films") as served:
        with pytest.raises(BadInputError, match=r"in its default graph; name another with --graph: http://g.org/films"):
            fetch(SparqlEndpoint(served.url), tmp_path)
        found = SparqlEndpoint(served.url, graph="http://g.org/films")
        assert fetch(found, tmp_path)[0].statements == 101
        with pytest.raises(BadInputError, match=r"in the graph http://g\.org/x"):
            fetch(replace(found, graph="http://g.org/x"), tmp_path)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"url": "ftp://a.org/"}, "not the URL"),
        ({"url": "http://ann:pw@a.org/"}, "TRIVIUM_SPARQL_USER"),
        ({"graph": "http://x> {} #"}, "not an IRI"),
        ({"page": 0}, "at least 1"),
    ],
)
def test_what_is_not_asked(changed: dict[str, object], words: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=words) as raised:
        fetch(replace(SparqlEndpoint("http://127.0.0.1:1/"), **changed), tmp_path)  # type: ignore[arg-type]
    assert "pw" not in str(raised.value)


def test_more_than_the_limit_is_refused_before_reading(server: SparqlServer, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds 101 statements, more than --max-statements 100"):
        fetch(SparqlEndpoint(server.url), tmp_path, limit=100)
    assert len(server.queries) == 1
