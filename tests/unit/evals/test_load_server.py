"""What the load generator counts: answers, those of another question, those that never come."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from trivium.evals.load_server import main


class _OddServer(BaseHTTPRequestHandler):
    """Answers `/v1`, every fourth time with 500 and every fifth time what somebody else asked."""

    protocol_version = "HTTP/1.1"
    asked = 0

    def do_GET(self) -> None:
        self._send(200, {})

    def do_POST(self) -> None:
        question = json.loads(self.rfile.read(int(self.headers["content-length"])))["messages"][0]["content"]
        _OddServer.asked += 1
        if _OddServer.asked % 4 == 0:
            self._send(500, {"detail": "no worker is free"})
        else:
            answer = {"question": "another's" if _OddServer.asked % 5 == 0 else question}
            self._send(200, {"choices": [{"message": {"trivium": answer}}]})

    def _send(self, status: int, body: object) -> None:
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *arguments: object) -> None:
        """Quiet."""


@pytest.fixture
def address() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _OddServer) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


def test_lost_and_crossed_answers_are_counted(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([address, "--route", "v1", "--runs", "19", "--at-once", "1"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert (report["answered"], report["lost"], report["crossed"]) == (15, 4, 3)
    assert report["why_lost"][0] == 'ValueError: 500 {"detail": "no worker is free"}'
