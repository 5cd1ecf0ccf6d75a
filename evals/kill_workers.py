"""Kills workers of a production server in mid-run, with signal 9, and looks what becomes of each run.

    trivium eval kill-workers --kills 50 --workers 2 --key KEY -- COMMAND … {port} …

COMMAND starts one worker on a port, in the current folder, whose trivium.toml offers the model `openai:slow`. Every
worker shares what the server shares (PostgreSQL). A question of the bundled sample waits for its model, which this
script plays, badly; meanwhile the worker that waits is killed, and started again for later rounds. Then another worker
must answer the thread, once, with this question's answer, or the server must say that the run was lost. With `--out`
each round's line is kept in a file, and the command, run again, goes on behind them.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from trivium.kg.loaders import read_questions
from trivium.kg.sample import TRAIN_QUESTIONS
from trivium.kg.types import Json

_OVER = ("success", "error", "timeout", "interrupted")


class SlowModel:
    """An OpenAI-compatible server on loopback that waits, and then says nothing of use.

    Args:
        seconds: how long each call takes.
        port: 0 for a free one.
        owners: whether to look up which process asks, which reads all of /proc.

    Attributes:
        asked: each call's body, and the process that sent it (0 without `owners`).
    """

    def __init__(self, seconds: float, port: int = 0, *, owners: bool = False) -> None:
        self.seconds, self.asked = seconds, list[tuple[str, int]]()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"])).decode()
                outer.asked.append((body, _owner(self.client_address[1]) if owners else 0))
                time.sleep(outer.seconds)
                message = {"role": "assistant", "content": "I do not know."}
                told = {
                    "id": "1", "object": "chat.completion", "created": 1, "model": "slow",
                    "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                    "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
                }  # fmt: skip
                sent = json.dumps(told).encode()
                try:
                    self.send_response(200)
                    self.send_header("content-type", "application/json")
                    self.send_header("content-length", str(len(sent)))
                    self.end_headers()
                    self.wfile.write(sent)
                except OSError:
                    return  # whoever asked was killed

            def log_message(self, *args: object) -> None:
                del args

        class Server(ThreadingHTTPServer):
            request_queue_size = 200  # a hundred runs may ask at one moment

        self._server = Server(("127.0.0.1", port), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def askers(self, words: str) -> list[int]:
        """The processes that sent a prompt with these words, in order."""
        return [process for body, process in self.asked if words in body]


class Worker:
    """One worker of the server."""

    def __init__(self, command: Sequence[str], environment: dict[str, str], log: Path) -> None:
        self.command, self.environment, self.log = command, environment, log
        self.port = _free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it; `ready` waits."""
        command = [part.replace("{port}", str(self.port)) for part in self.command]
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(
                command, env=self.environment, stdout=out, stderr=out, start_new_session=True
            )

    def ready(self, seconds: float = 180.0) -> None:
        """Wait until it answers; raises `SystemExit` where it does not."""
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            if self.process is not None and self.process.poll() is not None:
                self.start()  # two that set up one empty database at a time may trip over each other
            try:
                urllib.request.urlopen(f"{self.url}/{os.environ.get('READY_PATH', 'ok')}", timeout=5).close()
            except (OSError, ValueError):
                time.sleep(0.3)
            else:
                return
        raise SystemExit(f"worker on {self.port} does not answer: see {self.log}\n{self.log.read_text()[-1500:]}")

    def kill(self) -> None:
        """End it, and all that it started, at once."""
        if self.process is not None and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def owns(self, process: int) -> bool:
        """Whether a process is this worker's."""
        try:
            return self.process is not None and os.getpgid(process) == self.process.pid
        except ProcessLookupError:
            return False


class RunClient:
    """LangGraph's API, as far as this needs it."""

    def __init__(self, key: str) -> None:
        self._headers = {"content-type": "application/json", **({"x-api-key": key} if key else {})}

    def call(self, url: str, method: str = "GET", body: object = None) -> Json:
        """The answer's JSON; raises OSError."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, self._headers, method=method)
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.loads(answer.read())


def one_round(
    question: str, front: int, workers: Sequence[Worker], model: SlowModel, given: argparse.Namespace
) -> dict[str, Any]:
    """Ask, kill who answers, and wait for somebody else's answer."""
    client = RunClient(given.key)
    workers[front].ready()
    thread = client.call(f"{workers[front].url}/threads", "POST", {})["thread_id"]
    asked = {
        "assistant_id": "keqing",
        "input": {"messages": [{"role": "user", "content": question}]},
        "context": {"model": "openai:slow", "decompose": "llm"},
    }
    run = client.call(f"{workers[front].url}/threads/{thread}/runs", "POST", asked)["run_id"]
    if not _wait(lambda: bool(model.askers(question)), 60):
        return {"outcome": "never began", "thread": thread}
    victim = next((worker for worker in workers if worker.owns(model.askers(question)[0])), None)
    if victim is None:
        return {"outcome": "unknown worker", "thread": thread}
    victim.kill()
    killed, status = time.monotonic(), ""
    victim.start()
    other = next((worker for worker in workers if worker is not victim), victim)

    def over() -> bool:
        nonlocal status
        try:
            status = client.call(f"{other.url}/threads/{thread}/runs/{run}")["status"]
        except (OSError, ValueError):
            return False
        return status in _OVER

    ended = _wait(over, given.patience)
    told = {"status": status, "seconds": round(time.monotonic() - killed, 1), "asked": len(model.askers(question))}
    return {"outcome": _outcome(client.call(f"{other.url}/threads/{thread}/state"), question, ended, status), **told}


def _outcome(state: Json, question: str, ended: bool, status: str) -> str:
    values = state.get("values") or {}
    said = [message for message in values.get("messages", []) if message.get("type") == "ai"]
    if len(said) > 1:
        return "answered twice"
    if not ended:
        return f"stuck as {status or 'unknown'}"
    if status != "success":
        return "lost and said so"
    return "resumed" if len(said) == 1 and values["answer"]["question"] == question else "ended without its answer"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line a round and the sum at the end as JSON; 1 where a run was lost silently or answered twice."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the workers end with it
    parser = argparse.ArgumentParser(prog="trivium eval kill-workers", description=__doc__.partition("\n")[0])
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--key", default="")
    parser.add_argument("--seconds", type=float, default=3.0, help="how long the model takes")
    parser.add_argument("--patience", type=float, default=120.0, help="how long a run may take after the kill")
    parser.add_argument("--out", type=Path, help="keep the rounds here; run again, it goes on behind them")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    given = parser.parse_args(arguments)
    command = given.command[1:] if given.command[:1] == ["--"] else given.command
    counted = kept_rounds(given.out)
    if counted.total() < given.kills:
        _rounds(given, command, counted)
    print(json.dumps({"kills": given.kills, **counted}))
    return 0 if set(counted) <= {"resumed", "lost and said so"} else 1


def kept_rounds(out: Path | None) -> Counter[str]:
    """The outcomes of the rounds in a file; a last line that was cut off is taken away."""
    if out is None or not out.exists():
        return Counter()
    whole = out.read_bytes().rpartition(b"\n")
    out.write_bytes(whole[0] + whole[1])
    return Counter(json.loads(line)["outcome"] for line in whole[0].splitlines())


def _rounds(given: argparse.Namespace, command: Sequence[str], counted: Counter[str]) -> None:
    model = SlowModel(given.seconds, owners=True)
    with _running(given, command, model) as workers:
        questions = [each.question for each in read_questions(TRAIN_QUESTIONS)]
        for number in range(counted.total(), given.kills):
            try:
                told = one_round(questions[number], number % len(workers), workers, model, given)
            except (OSError, ValueError) as error:
                told = {"outcome": f"the API failed: {type(error).__name__}"}
                for worker in workers:
                    worker.ready()
            counted[told["outcome"]] += 1
            line = json.dumps({"round": number, **told})
            print(line, flush=True)
            if given.out is not None:
                with given.out.open("a") as kept:
                    kept.write(f"{line}\n")


@contextmanager
def _running(given: argparse.Namespace, command: Sequence[str], model: SlowModel) -> Iterator[list[Worker]]:
    environment = {**os.environ, "OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "sk-none"}
    workers = [Worker(command, environment, Path(f"worker-{index}.log")) for index in range(given.workers)]
    try:
        for worker in workers:
            worker.start()
            worker.ready()
        yield workers
    finally:
        for worker in workers:
            worker.kill()


def _wait(condition: Callable[[], object], seconds: float) -> bool:
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        if condition():
            return True
        time.sleep(0.1)
    return False


def _owner(port: int) -> int:
    """The process at the other end of a loopback connection; 0 where none is found."""
    inode = ""
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        if int(fields[1].partition(":")[2], 16) == port and fields[9] != "0":
            inode = fields[9]
            break
    for handle in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            if re.fullmatch(rf"socket:\[{inode}\]", str(handle.readlink())):
                return int(handle.parts[2])
        except OSError:
            continue
    return 0


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
