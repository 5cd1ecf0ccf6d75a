"""Reviews in the form that agent-chat-ui, Agent Inbox and LangChain's middleware show and answer, of every method."""

from __future__ import annotations

import json
from typing import Any

import pytest
from langchain.agents.middleware.human_in_the_loop import HITLRequest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from pydantic import TypeAdapter

from trivium.graphs import auto, keqing, knowgpt, oda
from trivium.graphs.methods import METHODS

THREAD = RunnableConfig(configurable={"thread_id": "1"})
ACTION = {"keqing": "decompose", "knowgpt": "select_prompt", "oda": "act", "auto": "decompose"}
MODULES: dict[str, Any] = {"keqing": keqing, "knowgpt": knowgpt, "oda": oda, "auto": auto}
SUBS = [{"id": 0, "question": "who directed [mask]?", "dep": [-1], "seed_entities": ["Alien"]}]
EDITS: dict[str, dict[str, Any]] = {
    "keqing": {"sub_questions": SUBS},
    "auto": {"sub_questions": SUBS},
    "knowgpt": {"arm": "sub/triples"},
    "oda": {"action": "GetNeighbor", "entities": ["alien"]},
}
CHOICES = [{"id": "A", "text": "Ridley Scott"}, {"id": "B", "text": "Michael Mann"}]


async def _stopped(method: str, kg: str) -> tuple[Any, dict[str, Any]]:
    graph = MODULES[method].builder.compile(InMemorySaver())
    given = {"question": "who directed Heat?", **({"choices": CHOICES} if method == "knowgpt" else {})}
    state = await graph.ainvoke(given, THREAD, context=METHODS[method].context(kg=kg, review=True))
    return graph, state["__interrupt__"][0].value


async def _to_the_end(graph: Any, reply: object) -> dict[str, Any]:  # noqa: ANN401 - LangGraph's
    """The answer after a reply to the first review, all later ones approved."""
    state = await graph.ainvoke(Command(resume=reply), THREAD)
    while "__interrupt__" in state:
        assert not state["__interrupt__"][0].value["error"]
        state = await graph.ainvoke(Command(resume={"decisions": [{"type": "approve"}]}), THREAD)
    answer: dict[str, Any] = state["answer"]
    return answer


def _edit_of(method: str) -> dict[str, Any]:
    return {"type": "edit", "edited_action": {"name": ACTION[method], "args": EDITS[method]}}


@pytest.mark.parametrize("method", METHODS)
async def test_a_review_is_a_request_that_chat_products_show(kg_name: str, method: str) -> None:
    _, value = await _stopped(method, kg_name)
    request = TypeAdapter(HITLRequest).validate_python(value)
    (action,), (config,) = request["action_requests"], request["review_configs"]
    assert (action["name"], config["action_name"]) == (ACTION[method], ACTION[method])
    assert set(config["allowed_decisions"]) == {"approve", "edit", "reject"}
    assert set(action["args"]) <= set(config["args_schema"]["properties"])
    assert "who directed Heat?" in action["description"]
    assert json.loads(json.dumps(value)) == value


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("shape", ["decisions", "text fields", "inbox", "plain", "respond"])
async def test_an_edit_is_in_force_in_every_shape(kg_name: str, method: str, shape: str) -> None:
    graph, _ = await _stopped(method, kg_name)
    edit = _edit_of(method)
    texts = {key: value if isinstance(value, str) else json.dumps(value) for key, value in EDITS[method].items()}
    replies: dict[str, Any] = {
        "decisions": {"decisions": [edit]},
        "text fields": {"decisions": [{**edit, "edited_action": {"name": ACTION[method], "args": texts}}]},
        "inbox": [{"type": "edit", "args": {"action": ACTION[method], "args": EDITS[method]}}],
        "plain": EDITS[method],
        "respond": {"decisions": [{"type": "respond", "message": json.dumps(EDITS[method])}]},
    }
    answer = await _to_the_end(graph, replies[shape])
    assert "edited" in [event["event"] for event in answer["events"]]
    if method in ("keqing", "auto"):
        assert [item["id"] for item in answer["answers"]] == ["scott"]
    if method == "oda":
        assert next(step for step in answer["steps"] if step["stage"] == "act")["entities"] == ["alien"]
    if method == "knowgpt":
        assert next(step for step in answer["steps"] if step["stage"] == "select_prompt")["arm"] == "sub/triples"


@pytest.mark.parametrize("method", METHODS)
async def test_an_approval_goes_on_as_without_a_review(kg_name: str, method: str) -> None:
    graph, _ = await _stopped(method, kg_name)
    answer = await _to_the_end(graph, {"decisions": [{"type": "approve"}]})
    assert answer["answers"][0]["label"] == "Michael Mann"
    assert "edited" not in [event["event"] for event in answer["events"]]


@pytest.mark.parametrize("method", ["keqing", "knowgpt", "oda"])
async def test_a_rejection_ends_the_run_without_a_claim(kg_name: str, method: str) -> None:
    graph, _ = await _stopped(method, kg_name)
    answer = await _to_the_end(graph, {"decisions": [{"type": "reject", "message": "this asks for the actors"}]})
    assert (answer["stop_reason"], answer["answers"], answer["paths"]) == ("not_understood", [], [])
    assert "rejected its next step: this asks for the actors." in answer["answer"]


@pytest.mark.parametrize(
    "reply", [{"decisions": [{"type": "shrug"}]}, {"decisions": [{"type": "edit"}]}, {"decisions": []}, 5, "x", [5]]
)
@pytest.mark.parametrize("method", METHODS)
async def test_what_cannot_be_read_asks_again(kg_name: str, method: str, reply: object) -> None:
    graph, _ = await _stopped(method, kg_name)
    state = await graph.ainvoke(Command(resume=reply), THREAD)
    value = state["__interrupt__"][0].value
    assert value["error"]
    assert value["action_requests"][0]["description"].startswith("**")


@pytest.mark.parametrize("decision", ["approve", "reject"])
@pytest.mark.parametrize("method", METHODS)
async def test_a_chat_shows_it_below_a_message_that_gives_way(kg_name: str, method: str, decision: str) -> None:
    """agent-chat-ui shows what is to be reviewed below the assistant's last message, and nowhere below a person's."""
    graph = MODULES[method].builder.compile(InMemorySaver())
    context = METHODS[method].context(kg=kg_name, review=True)
    for turn in (1, 2):
        options = " A) Ridley Scott B) Michael Mann" if method == "knowgpt" else ""
        given = {"messages": [{"role": "user", "content": f"who directed Heat?{options}"}]}
        state = await graph.ainvoke(given, THREAD, context=context)
        note = state["messages"][-1]
        assert (note.type, note.text[:12], len(state["messages"])) == ("ai", "Before I go ", 2 * turn)
        while "__interrupt__" in state:
            state = await graph.ainvoke(Command(resume={"decisions": [{"type": decision}]}), THREAD)
        assert [message.type for message in state["messages"]] == ["human", "ai"] * turn
        assert "Before I go on" not in state["messages"][-1].text
        assert all(each["metadata"]["message_id"] in {m.id for m in state["messages"]} for each in state.get("ui", ()))
