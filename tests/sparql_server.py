"""A SPARQL endpoint over pyoxigraph, on loopback, in a thread of the test process; it can be made to misbehave."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from pyoxigraph import NamedNode, QueryResultsFormat, QuerySolutions, RdfFormat, Store

RESULTS = "application/sparql-results+json"


@dataclass
class Reply:
    """What is sent in place of an answer."""

    status: int = 200
    body: bytes = b""
    kind: str = RESULTS
    headers: dict[str, str] = field(default_factory=dict)
    wait: float = 0.0


@dataclass
class SparqlServer:
    """A running endpoint.

    Attributes:
        store: its data, which may be changed.
        queries: what it was asked.
        logins: the Authorization header of each request.
        before: called with a query; what it returns is sent in place of an answer.
    """

    store: Store
    url: str = ""
    queries: list[str] = field(default_factory=list)
    logins: list[str] = field(default_factory=list)
    before: Callable[[str], Reply | None] = lambda _: None

    def answer(self, query: str) -> Reply:
        """Compute an answer."""
        if (reply := self.before(query)) is not None:
            return reply
        try:
            results = self.store.query(query)
        except SyntaxError as error:
            return Reply(400, str(error).encode(), "text/plain")
        assert isinstance(results, QuerySolutions), "the loader asks SELECT alone"
        body = results.serialize(format=QueryResultsFormat.JSON)
        assert body is not None
        return Reply(body=body)


@contextmanager
def sparql_server(turtle: str, graph: str = "") -> Iterator[SparqlServer]:
    """Serve Turtle, in the default graph or in a named one."""
    store = Store()
    store.load(turtle.encode(), format=RdfFormat.TURTLE, to_graph=NamedNode(graph) if graph else None)
    served = SparqlServer(store)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            query = parse_qs(urlsplit(self.path).query)["query"][0]
            served.queries.append(query)
            served.logins.append(self.headers.get("Authorization", ""))
            reply = served.answer(query)
            time.sleep(reply.wait)
            try:
                self.send_response(reply.status)
                for name, value in {"Content-Type": reply.kind, **reply.headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(reply.body)))
                self.end_headers()
                self.wfile.write(reply.body)
            except OSError:
                pass  # the client hung up, which some tests are about

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    served.url = f"http://127.0.0.1:{server.server_address[1]}/sparql"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
