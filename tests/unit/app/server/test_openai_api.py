"""OpenAI's chat API, by the official client, in this process."""

from __future__ import annotations

import json
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import openai
import pytest

from tests.unit.app.server.conftest import http
from trivium.knowledge.knowledge import close_all

WHO: Any = [{"role": "user", "content": "who directed Heat?"}]
SAID = "Michael Mann.\n\n- Heat → directed by → Michael Mann\n\n*keqing · confidence 0.95*"

pytestmark = pytest.mark.usefixtures("operator_folder")


@asynccontextmanager
async def _client() -> AsyncIterator[openai.AsyncOpenAI]:
    async with http() as transport:
        made = openai.AsyncOpenAI(
            base_url="http://127.0.0.1:80/v1", api_key="none", http_client=transport, max_retries=0
        )
        yield made
        await close_all()


async def test_models_are_methods_and_kgs() -> None:
    async with _client() as client:
        names = [model.id async for model in client.models.list()]
    assert {"auto", "keqing", "keqing/films", "oda/others"} <= set(names)


async def test_a_question_is_answered_with_its_proof() -> None:
    async with _client() as client:
        told = await client.chat.completions.create(model="keqing", messages=WHO)
        (choice,) = told.choices
        assert choice.message.content is not None
        assert choice.message.content.startswith("Michael Mann.\n\n- Heat → directed by → Michael Mann\n\n*keqing")
        assert choice.finish_reason == "stop"
        answer: Any = (choice.message.model_extra or {})["trivium"]
        assert [item["id"] for item in answer["answers"]] == ["mann"]
        assert answer["paths"][0]["triples"][0]["relation"] == "directed_by"
        assert told.usage is not None
        assert told.usage.total_tokens == 0
        parts: Any = [{"role": "user", "content": [{"type": "text", "text": "who directed Alien?"}]}]
        other = await client.chat.completions.create(
            model="auto/others", messages=[*WHO, {"role": "assistant", "content": SAID}, *parts]
        )
        assert (other.choices[0].message.content or "").startswith("Ridley Scott.")


async def test_an_answer_is_streamed() -> None:
    async with _client() as client:
        whole = await client.chat.completions.create(model="keqing", messages=WHO)
        stream = await client.chat.completions.create(
            model="keqing", messages=WHO, stream=True, stream_options={"include_usage": True}
        )
        chunks = [chunk async for chunk in stream]
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert text == whole.choices[0].message.content
    assert chunks[0].choices[0].delta.role == "assistant"
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "stop"
    assert chunks[-1].usage is not None


async def test_a_chat_follows_up_on_its_last_answer() -> None:
    async with _client() as client:
        messages: Any = [{"role": "user", "content": "which films did Ridley Scott direct?"}]
        for question in ("and who starred in them?", "which of them were in Heat?"):
            told = await client.chat.completions.create(model="auto", messages=messages)
            said = {"role": "assistant", "content": told.choices[0].message.content}
            messages += [said, {"role": "user", "content": question}]
            if question.startswith("which"):
                answer: Any = (told.choices[0].message.model_extra or {})["trivium"]
                assert "follow_up" in [event["event"] for event in answer["events"]]
                assert answer["stop_reason"] == "answered"


async def test_settings_stand_in_the_context() -> None:
    async with _client() as client:
        told = await client.chat.completions.create(
            model="keqing", messages=WHO, extra_body={"context": {"seconds": 20.0, "sure": 1.0}}
        )
    assert told.choices[0].message.content


async def test_a_chat_goes_on_behind_small_talk_and_is_its_own() -> None:
    async with _client() as client:

        async def say(chat: list[Any], question: str) -> Any:  # noqa: ANN401 - JSON
            chat.append({"role": "user", "content": question})
            (choice,) = (await client.chat.completions.create(model="auto", messages=chat)).choices
            chat.append({"role": "assistant", "content": choice.message.content})
            return (choice.message.model_extra or {})["trivium"]

        mine: list[Any] = []
        other: list[Any] = []
        await say(mine, "who wrote Ronin?")  # the graph lacks it
        await say(mine, "thanks!")
        await say(other, "who directed Heat?")
        await say(other, "thanks!")
        assert mine[3] == other[3], "the same words in two chats"
        assert [item["id"] for item in (await say(mine, "who directed it?"))["answers"]] == ["frank"]
        assert [item["id"] for item in (await say(other, "which films did he direct?"))["answers"]] == ["heat"]
        assert (await say([], "which films did he direct?"))["answers"] == []


TASKS = {"title": "who directed Heat?", "tags": [], "follow_ups": []}
"""What Open WebUI asks of the model behind a chat's first answer, and what it finds under that key."""


def _task(key: str, *turns: str) -> Any:  # noqa: ANN401 - the client's messages
    """Open WebUI's request for a title, tags or follow-ups: a prompt with the last messages of the chat."""
    output = f'### Output:\nJSON format: {{ "{key}": "..." }}\n### Chat History:\n<chat_history>'
    said = "\n".join(f"{('USER', 'ASSISTANT')[at % 2]}: {text}" for at, text in enumerate(turns))
    return [{"role": "user", "content": f"### Task:\nSummarize the chat.\n{output}\n{said}\n</chat_history>"}]


async def _runs(client: Any) -> float:  # noqa: ANN401 - httpx's
    """How many runs the process has counted."""
    lines = (await client.get("/metrics")).text.splitlines()
    return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith("trivium_runs_total{"))


async def test_open_webui_asks_and_keeps_its_house() -> None:
    """Its calls: the list, a stream with a system prompt and settings of chat models, then title, tags, follow-ups."""
    about = {"temperature": 0.2, "max_tokens": 100, "stop": ["x"], "seed": 1, "user": "ann"}
    async with http() as client:
        headers = {"authorization": "Bearer none", "x-openwebui-user-name": "ann"}
        listed = (await client.get("/v1/models", headers=headers)).json()["data"]
        assert "auto" in [model["id"] for model in listed]
        chat = [{"role": "system", "content": "You are a helpful assistant."}, *WHO]
        asked = {"model": "auto", "messages": chat, "stream": True, **about}
        told = await client.post("/v1/chat/completions", json=asked, headers=headers)
        lines = [line.removeprefix("data: ") for line in told.text.splitlines() if line]
        assert lines.pop() == "[DONE]"
        said = "".join(json.loads(line)["choices"][0]["delta"].get("content", "") for line in lines)
        assert said.startswith("Michael Mann.\n\n- Heat → directed by → Michael Mann")
        runs = await _runs(client)
        for key, expected in TASKS.items():
            for stream in (False, True):
                body = {"model": "auto", "messages": _task(key, "who directed Heat?", said), "stream": stream}
                told = await client.post("/v1/chat/completions", json={**body, "max_completion_tokens": 1000})
                text = told.text.removeprefix("data: ").partition("\n")[0] if stream else told.text
                choice = json.loads(text)["choices"][0]
                assert json.loads(choice["delta" if stream else "message"]["content"])[key] == expected
        assert 0 < runs == await _runs(client), "it is no run"
    await close_all()


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({"model": "gpt-4o"}, openai.NotFoundError, "see /v1/models"),
        ({"model": "keqing/etc"}, openai.NotFoundError, "see /v1/models"),
        ({"model": "keqing//etc/passwd"}, openai.NotFoundError, "see /v1/models"),
        ({"extra_body": {"context": {"kg": "/etc"}}}, openai.BadRequestError, "does not offer"),
        ({"extra_body": {"context": {"kg": "bolt://127.0.0.1:1"}}}, openai.BadRequestError, "does not offer"),
        ({"extra_body": {"context": {"revue": True}}}, openai.BadRequestError, "revue"),
        ({"extra_body": {"context": {"review": True}}}, openai.BadRequestError, "review"),
        ({"extra_body": {"context": {"model": "openai:gpt-4o"}}}, openai.BadRequestError, "does not offer"),
        ({"extra_body": {"context": {"seconds": "x"}}}, openai.BadRequestError, "seconds"),
        ({"messages": []}, openai.BadRequestError, "messages"),
        ({"messages": [{"role": "assistant", "content": "x"}]}, openai.BadRequestError, "messages"),
        ({"messages": [{"role": "user", "content": "  "}]}, openai.BadRequestError, "empty"),
        ({"messages": [{"role": "user", "content": "x" * 10_001}]}, openai.BadRequestError, "10,001"),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
async def test_what_cannot_be_asked_is_an_error_of_openais(
    given: dict[str, Any], error: type[Exception], said: str, stream: bool
) -> None:
    async with _client() as client:
        with pytest.raises(error, match=said):
            await client.chat.completions.create(**{"model": "keqing", "messages": WHO, "stream": stream, **given})


async def test_probes_need_nothing() -> None:
    async with http("10.0.0.5") as client:
        assert (await client.get("/health")).json() == {"status": "ok"}
        assert (await client.get("/ready")).json() == {"status": "ready"}
    await close_all()


async def test_a_thumb_reaches_the_bandit(
    films_kg: Path, tmp_path: Path, operator_folder: Callable[[str], None]
) -> None:
    shutil.copytree(films_kg, tmp_path / "own", ignore=shutil.ignore_patterns("bandit.db*"))
    operator_folder(f"[kg.own]\npath = {json.dumps(str(tmp_path / 'own'))}\n")
    asked = "Who directed Heat? A) Ridley Scott B) Michael Mann"
    async with http() as client:
        body = {"model": "knowgpt/own", "messages": [{"role": "user", "content": asked}]}
        told = (await client.post("/v1/chat/completions", json=body)).json()["choices"][0]["message"]["trivium"]
        run = next(step["run"] for step in told["steps"] if step["stage"] == "select_prompt")
        thumb = {"run": run, "thumb": "up", "kg": "own"}
        first, again = [(await client.post("/feedback", json=thumb)).json()["counted"] for _ in range(2)]
        assert (first, again) == (True, False)
        wrong: list[Any] = [{**thumb, "run": "x"}, {**thumb, "thumb": "sideways"}, {**thumb, "kg": "/etc"}, [], 5, {}]
        for each in wrong:
            assert (await client.post("/feedback", json=each)).status_code == 422, each
    await close_all()
