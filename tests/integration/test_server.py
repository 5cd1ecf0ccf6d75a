"""A langgraph-sdk client against `langgraph dev`: what it streams, edits, forks, and what stays from turn to turn."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from http.client import HTTPConnection
from typing import Any

import a2a.types as a2a
import httpx
import openai
import pytest
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.schema import StreamMode
from mcp.client import Client

from tests.fake_openai import Script
from tests.integration.conftest import MODEL, ROOT, Server
from trivium.graphs.methods import METHODS

ASKED: dict[str, Any] = {"messages": [{"role": "user", "content": "who directed Heat?"}]}
JOIN = "when were the films starring both Robert De Niro and Al Pacino released?"
STAGES = ["decompose", "match_template", "retrieve", "reason", "respond"]


def _told(answer: Mapping[str, Any]) -> dict[str, Any]:
    """An answer but for the time that it took."""
    return {**answer, "usage": {**answer["usage"], "seconds": 0}}


def _ids(values: Any) -> list[str]:  # noqa: ANN401 - what the client types so
    return [item["id"] for item in values["answer"]["answers"]]


async def _thread(client: LangGraphClient) -> str:
    return (await client.threads.create())["thread_id"]


async def test_a_run_is_streamed_in_every_mode(client: LangGraphClient) -> None:
    parts: dict[str, list[Any]] = {}
    modes: list[StreamMode] = ["values", "updates", "messages", "tasks"]
    async for part in client.runs.stream(await _thread(client), "keqing", input=ASKED, stream_mode=modes):
        parts.setdefault(part.event, []).append(part.data)
    assert [name for update in parts["updates"] for name in update] == STAGES
    assert _ids(parts["values"][-1]) == ["mann"]
    assert [task["name"] for task in parts["tasks"] if "input" in task] == STAGES
    found = {name: added["found"] for update in parts["updates"] for name, added in update.items()}
    assert [sub["seed_entities"] for sub in found["decompose"]["sub_questions"]] == [["Heat"]]
    assert found["retrieve"]["retrieved"]["0"]["found"][0]["id"] == "mann"
    said = parts["messages/complete"][-1][0]
    assert said["type"] == "ai"
    assert "Heat → directed by → Michael Mann" in said["content"]
    assert "error" not in parts


async def test_content_blocks_ask_too_and_the_answer_is_typed(client: LangGraphClient) -> None:
    blocks: dict[str, Any] = {"messages": [{"type": "human", "content": [{"type": "text", "text": JOIN}]}]}
    told: Any = await client.runs.wait(None, "keqing", input=blocks)
    assert _ids(told) == ["1995"]
    assert told["answer"]["question"] == JOIN
    assert [message["type"] for message in told["messages"]] == ["human", "ai"]
    assert {path["triples"][0]["tail"] for path in told["answer"]["paths"]} == {"deniro", "pacino"}


async def test_the_schemas_read_well(client: LangGraphClient) -> None:
    (assistant,) = await client.assistants.search(graph_id="keqing")
    schemas: Any = await client.assistants.get_schemas(assistant["assistant_id"])
    for name in ("input_schema", "output_schema", "context_schema"):
        fields = schemas[name]["properties"]
        assert [field for field, made in fields.items() if not made.get("description")] == [], name
    assert schemas["context_schema"]["properties"]["supplement"]["enum"] == ["auto", "always", "never"]


async def test_sub_questions_are_edited_at_an_interrupt(client: LangGraphClient) -> None:
    thread = await _thread(client)
    stopped: Any = await client.runs.wait(thread, "keqing", input=ASKED, context={"kg": "others", "review": True})
    assert stopped["__interrupt__"][0]["value"]["stage"] == "review"
    state = await client.threads.get_state(thread)
    assert state["next"] == ["review"]
    assert stopped["__interrupt__"][0]["value"]["action_requests"][0]["name"] == "decompose"
    bad: Any = await client.runs.wait(thread, "keqing", command={"resume": {"sub_questions": [{"question": "who?"}]}})
    assert "starts from nothing" in bad["__interrupt__"][0]["value"]["error"]
    edit = {"sub_questions": [{"question": "who directed [mask]?", "seed_entities": ["Alien"]}]}
    told: Any = await client.runs.wait(thread, "keqing", command={"resume": edit})  # without the context
    assert _ids(told) == ["scott"]
    assert told["answer"]["kg"] == "others"
    assert [event["event"] for event in told["answer"]["events"]] == ["edited"]


async def test_a_fork_from_a_checkpoint_gives_the_same_answer(client: LangGraphClient) -> None:
    thread = await _thread(client)
    first: Any = await client.runs.wait(thread, "keqing", input={"question": JOIN}, context={"kg": "others"})
    assert first["answer"]["kg"] == "others"
    past = {name: state for state in await client.threads.get_history(thread, limit=20) for name in state["next"]}
    assert set(past) >= set(STAGES)
    # `tests/unit/graphs/test_routing.py` has every checkpoint; before the first stage nothing keeps the settings yet
    for name, context in (("decompose", {"kg": "others"}), ("retrieve", None), ("respond", None)):
        again: Any = await client.runs.wait(thread, "keqing", checkpoint=past[name]["checkpoint"], context=context)
        assert _told(again["answer"]) == _told(first["answer"])


async def test_a_fork_with_other_sub_questions_gives_another_answer(client: LangGraphClient) -> None:
    thread = await _thread(client)
    await client.runs.wait(thread, "keqing", input=ASKED)
    history = await client.threads.get_history(thread, limit=20)
    (before,) = [state for state in history if state["next"] == ["match_template"]]
    values: Any = before["values"]
    subs = [{**values["sub_questions"][0], "question": "who starred in [mask]?"}]
    subs[0].pop("chain", None)  # a chain that is known goes before the words
    forked: Any = await client.threads.update_state(
        thread, {"sub_questions": subs}, as_node="link_entities", checkpoint=before["checkpoint"]
    )
    told: Any = await client.runs.wait(thread, "keqing", checkpoint=forked["checkpoint"])
    assert set(_ids(told)) == {"deniro", "pacino"}


async def test_a_second_turn_carries_nothing_of_the_first_ones_lists(client: LangGraphClient) -> None:
    thread = await _thread(client)
    await client.runs.wait(thread, "keqing", input={"question": JOIN})
    told: Any = await client.runs.wait(thread, "keqing", input={"question": "what is an unladen swallow?"})
    assert (told["answer"]["answers"], told["answer"]["paths"]) == ([], [])
    values: Any = (await client.threads.get_state(thread))["values"]
    assert (values["retrieved"], values["sub_questions"], values.get("events", [])) == ({}, [], [])


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"context": {"kg": "/etc"}}, "this server does not offer kg '/etc'; choose one of: sample, films, others"),
    ({"context": {"kg": "bolt://127.0.0.1:7687"}}, "this server does not offer"),
    ({"context": {"model": "openai:gpt-4o"}}, "choose one of: none, openai:scripted"),
    ({"config": {"configurable": {"kg": ".."}}}, "this server does not offer"),
    ({"context": {"max_tokens": 10**9}}, "max_tokens is at most 200000"),
    ({"context": {"templates_per_sub_question": "7"}}, "must be a whole number, not '7'"),
    ({"input": {"messages": []}}, "contains no question"),
    ({"input": {"question": "x" * 10_001}}, "10,001 characters"),
]


async def test_what_is_not_allowed_is_refused_with_its_reason(client: LangGraphClient) -> None:
    runs = [client.runs.wait(None, "keqing", **{"input": ASKED, **asked}, raise_error=False) for asked, _ in REFUSED]
    told: list[Any] = await asyncio.gather(*runs)
    for values, (asked, why) in zip(told, REFUSED, strict=True):
        assert why in values["__error__"]["message"], asked
        assert "answer" not in values


@pytest.mark.slow  # half a second a turn: the server's queue polls; `tests/unit/graphs` has the same without it
async def test_a_thread_of_fifty_turns_stays_small(client: LangGraphClient) -> None:
    thread = await _thread(client)
    questions = [
        "who directed Heat?",
        JOIN,
        "who starred in the films directed by Barry Levinson?",
        "what is a swallow?",
    ]
    runs = [
        await client.runs.create(
            thread,
            "keqing",
            input=dict[str, Any](messages=[{"role": "user", "content": questions[turn % 4]}]),
            multitask_strategy="enqueue",
        )
        for turn in range(50)
    ]
    for run in runs:
        await client.runs.join(thread, run["run_id"])
    values: Any = (await client.threads.get_state(thread))["values"]
    assert len(values["messages"]) == 100
    rest = {name: value for name, value in values.items() if name != "messages"}
    assert len(json.dumps(rest)) < 64_000
    # what grows is the chat itself, by two messages a turn
    assert len(json.dumps(values["messages"])) < 50 * 2_000


def test_every_method_is_served() -> None:
    served = json.loads((ROOT / "langgraph.json").read_text(encoding="utf-8"))["graphs"]
    assert {name: graph["path"] for name, graph in served.items()} == {
        name: f"{method.graph_module}:graph" for name, method in METHODS.items()
    }
    assert all(graph["description"] for graph in served.values())


@pytest.mark.parametrize("method", METHODS)
async def test_every_method_answers_a_chat_and_keeps_its_thread_small(client: LangGraphClient, method: str) -> None:
    thread = await _thread(client)
    told: Any = await client.runs.wait(thread, method, input=ASKED)
    assert told["answer"]["method"] == ("keqing" if method == "auto" else method)
    assert [message["type"] for message in told["messages"]] == ["human", "ai"]
    assert told["messages"][-1]["content"].startswith(told["answer"]["answer"].partition(" Evidence")[0])
    values: Any = (await client.threads.get_state(thread))["values"]
    drawn = [each["metadata"]["message_id"] for each in values["ui"]]
    assert drawn == [told["messages"][-1]["id"]]
    assert values["settings"]["kg"] == "films"
    assert len(json.dumps(values)) < 64_000


async def test_other_agents_reach_it_over_mcp(server: Server) -> None:
    async with Client(f"{server.url}/mcp") as agent:
        told: Any = await agent.call_tool("ask", {"question": "who directed Heat?"})
        assert "get_tail_relations" in [tool.name for tool in (await agent.list_tools()).tools]
    assert not told.is_error
    assert told.structured_content["proof"] == ["Heat -directed_by-> Michael Mann"]
    assert len(told.content[0].text) <= 2_000


async def test_openais_own_client_asks_streams_and_follows_up(server: Server) -> None:
    who: Any = [{"role": "user", "content": "who directed Heat?"}]
    async with openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0, timeout=300) as asks:
        assert {"auto", "keqing/films"} <= {model.id async for model in asks.models.list()}
        whole = await asks.chat.completions.create(model="keqing", messages=who)
        said = whole.choices[0].message
        assert (said.content or "").startswith("Michael Mann.\n\n- Heat → directed by → Michael Mann")
        proof: Any = (said.model_extra or {})["trivium"]
        assert proof["answers"][0]["id"] == "mann"
        more: Any = {"model": "keqing", "stream": True, "stream_options": {"include_usage": True}}
        chunks = [chunk async for chunk in await asks.chat.completions.create(messages=who, **more)]
        texts = [choice.delta.content or "" for chunk in chunks for choice in chunk.choices]
        assert ("".join(texts), chunks[-1].choices) == (said.content, [])
        turns: Any = [{"role": "user", "content": "which films did Ridley Scott direct?"}]
        first = await asks.chat.completions.create(model="auto", messages=turns)
        turns.append({"role": "assistant", "content": first.choices[0].message.content})
        turns.append({"role": "user", "content": "and who starred in them?"})
        then: Any = (await asks.chat.completions.create(model="auto", messages=turns)).choices[0].message.model_extra
        assert "Sigourney Weaver" in [each["label"] for each in then["trivium"]["answers"]]
        with pytest.raises(openai.NotFoundError, match="no model is named"):
            await asks.chat.completions.create(model="keqing/nothing", messages=who)
        scripted: Any = {"context": {"model": MODEL, "decompose": "llm"}}
        server.model.script = Script.of([{"match": "", "reply": "no"}])
        by_model = await asks.chat.completions.create(model="keqing", messages=who, extra_body=scripted)
        assert by_model.usage is not None
        assert by_model.usage.total_tokens > 0, "what the model behind the method cost"


async def test_blocking_calls_are_detected_and_there_are_none(client: LangGraphClient, server: Server) -> None:
    await client.runs.wait(None, "keqing", input=ASKED)
    log = server.log.read_text()
    assert "allow-blocking" not in log
    assert "BlockingError" not in log


async def test_oda_is_served_with_its_rounds_and_its_review(client: LangGraphClient) -> None:
    asked = {"question": "who starred in the films directed by Michael Mann?"}
    parts: list[Any] = [
        part.data async for part in client.runs.stream(None, "oda", input=asked, stream_mode="updates")
        if part.event == "updates"
    ]  # fmt: skip
    stages = [name for update in parts for name in update]
    assert stages[:5] == ["link_task_entities", "observe", "choose_action", "act", "reflect"]
    assert {item["id"] for item in parts[-1]["answer"]["answer"]["answers"]} == {"deniro", "pacino"}

    thread = await _thread(client)
    stopped: Any = await client.runs.wait(thread, "oda", input=asked, context={"review": True})
    assert stopped["__interrupt__"][0]["value"]["action"] == {"action": "GetNeighbor", "entities": ["mann"]}
    told: Any = await client.runs.wait(thread, "oda", command={"resume": {"action": "Answer"}})
    assert told["answer"]["stop_reason"] == "not_found"  # nothing was looked at yet


def test_an_idle_connection_outlives_a_pause(server: Server) -> None:
    """Uvicorn's own 5 seconds end connections on which the next request is on its way."""
    connection = HTTPConnection(server.url.removeprefix("http://"), timeout=60)
    connection.request("GET", "/healthz")
    assert connection.getresponse().read() == b'{"status":"ok"}'
    before = connection.sock
    time.sleep(8)
    connection.request("GET", "/healthz")
    assert connection.getresponse().read() == b'{"status":"ok"}'
    assert connection.sock is before
    connection.close()


async def test_an_a2a_client_is_answered(server: Server, client: LangGraphClient) -> None:
    (assistant,) = await client.assistants.search(graph_id="keqing", metadata={"created_by": "system"})
    card = f"/.well-known/agent-card.json?assistant_id={assistant['assistant_id']}"
    asked = a2a.Message(role=a2a.Role.ROLE_USER, message_id="1", parts=[a2a.Part(text="who directed Heat?")])
    async with httpx.AsyncClient(timeout=120) as http:
        known = await A2ACardResolver(http, server.url, agent_card_path=card).get_agent_card()
        assert "knowledge graph" in known.description
        agent = ClientFactory(ClientConfig(httpx_client=http, streaming=False)).create(known)
        told = [str(event) async for event in agent.send_message(a2a.SendMessageRequest(message=asked))]
    assert "directed by" in told[-1]
    assert "Michael Mann" in told[-1]
    assert "TASK_STATE_COMPLETED" in told[-1]
