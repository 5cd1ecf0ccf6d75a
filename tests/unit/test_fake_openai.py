"""The scripted server itself: which reply a request gets, and that it can be run by hand."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.error
import urllib.request
from http.client import IncompleteRead
from pathlib import Path

import pytest

from tests.fake_openai import FakeOpenAI, Reply, read_script


def post(url: str, text: str, **more: object) -> tuple[int, str]:
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": text}], **more}).encode()
    request = urllib.request.Request(f"{url}/chat/completions", body, {"Authorization": "Bearer k"})
    try:
        with urllib.request.urlopen(request, timeout=5) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def said(answer: tuple[int, str]) -> str:
    return str(json.loads(answer[1])["choices"][0]["message"]["content"])


def test_replies_come_in_order_and_rules_come_first() -> None:
    script = [
        "one",
        {"match": "wh?o", "reply": {"json": {"x": 1}}},
        {"text": "two", "times": 2},
        lambda body: Reply(body["model"]),
    ]
    with FakeOpenAI(script) as server:
        answers = [said(post(server.url, text)) for text in ("a", "who", "b", "who", "c", "d")]
    assert answers == ["one", '{"x": 1}', "two", '{"x": 1}', "two", "m"]
    assert [request.last for request in server.requests] == ["a", "who", "b", "who", "c", "d"]
    assert {request.key for request in server.requests} == {"k"}


def test_an_exhausted_script_is_an_error() -> None:
    with FakeOpenAI(["one"]) as server:
        assert post(server.url, "a")[0] == 200
        status, body = post(server.url, "b")
    assert status == 400
    assert "no reply" in body
    assert server.count == 2


def test_a_stream_is_events_and_a_cut_is_seen() -> None:
    with FakeOpenAI(["one two", Reply("one two three", cut=1)]) as server:
        status, body = post(server.url, "a", stream=True, stream_options={"include_usage": True})
        with pytest.raises(IncompleteRead):
            post(server.url, "a", stream=True)
    assert status == 200
    events = [json.loads(line[6:]) for line in body.splitlines() if line.startswith("data: {")]
    assert "".join(each["choices"][0]["delta"].get("content", "") for each in events if each["choices"]) == "one two"
    assert events[-1]["usage"]["completion_tokens"] == 1
    assert body.endswith("data: [DONE]\n\n")


def test_a_script_refuses_parameters() -> None:
    with FakeOpenAI(read_script('{"replies": ["hi"], "refuses": ["temperature"]}')) as server:
        status, body = post(server.url, "a", temperature=0)
        assert said(post(server.url, "a")) == "hi"
    assert status == 400
    assert "temperature" in body


def test_a_busy_port_is_said() -> None:
    with FakeOpenAI() as server:
        port = int(server.url.removesuffix("/v1").rpartition(":")[2])
        with pytest.raises(OSError, match=str(port)), FakeOpenAI(port=port):
            pass
        with urllib.request.urlopen(f"{server.url}/models", timeout=5) as answer:
            assert json.load(answer)["data"][0]["id"] == "fake"


def test_runs_by_hand(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text('["by hand"]', encoding="utf-8")
    command = [sys.executable, "-m", "tests.fake_openai", str(script)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert url.startswith("http://127.0.0.1:")
        assert said(post(url, "a")) == "by hand"
        process.terminate()
