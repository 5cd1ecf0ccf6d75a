"""`trivium mcp` with the official client: in memory, over stdio as an agent starts it, and over HTTP."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from mcp import StdioServerParameters
from mcp.client import Client
from mcp_types import TextContent

from tests.integration.conftest import ROOT
from tests.neo4j_server.server import free_port
from trivium.app.server.mcp import ANSWER_TOKENS, RESULT_BYTES, answer_result, make_server
from trivium.kg.embedded import build
from trivium.kg.embedders.static import TOKENIZER, WordPieces
from trivium.kg.types import Entity, Triple
from trivium.knowledge.knowledge import close_all
from trivium.nodes.run.abstain import Decision, Suggestion
from trivium.nodes.run.answer_record import AnswerEntity
from trivium.nodes.run.context import Context
from trivium.nodes.run.write_answer import Claim, record

TOOLS = {
    "ask", "find_entities", "neighbors", "find_paths", "verify",
    "get_tail_relations", "get_head_relations", "get_tail_entities", "get_head_entities",
}  # fmt: skip
HEAT = {"head": "heat", "relation": "directed_by", "tail": "mann"}


@asynccontextmanager  # and no fixture: a client is left in the task that entered it
async def _films(kg: Path) -> AsyncIterator[Client]:
    async with Client(await make_server(str(kg), name="films")) as client:
        yield client
    await close_all()


async def _called(client: Client, name: str, **arguments: object) -> dict[str, Any]:
    """A result, which is checked to be typed and small."""
    result: Any = await client.call_tool(name, arguments)
    assert not result.is_error, result.content
    text = result.content[0]
    assert isinstance(text, TextContent)
    assert len(text.text.encode()) <= RESULT_BYTES
    found: dict[str, Any] = result.structured_content
    assert len(json.dumps(found, ensure_ascii=False, separators=(",", ":")).encode()) <= RESULT_BYTES
    return found


async def test_its_tools_say_what_they_take_and_give(films_kg: Path) -> None:
    async with _films(films_kg) as films_client:
        tools = {tool.name: tool for tool in (await films_client.list_tools()).tools}
        assert set(tools) == TOOLS
        for tool in tools.values():
            assert tool.description
            assert tool.output_schema
            assert tool.annotations is not None
            assert tool.annotations.read_only_hint
        assert tools["ask"].input_schema["required"] == ["question"]
        about = str(films_client.instructions)
        assert "directed_by" in about
        assert "films" in about


async def test_an_agent_asks_and_gets_a_proof(films_kg: Path) -> None:
    async with _films(films_kg) as films_client:
        told = await _called(films_client, "ask", question="who directed Heat?")
        assert told["answers"] == [{"id": "mann", "label": "Michael Mann", "score": 1.0}]
        assert told["proof"] == ["Heat -directed_by-> Michael Mann"]
        assert (told["answer"], told["stop_reason"]) == ("Michael Mann.", "answered")
        chosen = await _called(
            films_client, "ask", question="who directed Heat?", choices=["Ridley Scott", "Michael Mann"]
        )
        assert chosen["choice"] == "B"
        none = await _called(films_client, "ask", question="what is the airspeed of a swallow?")
        assert none["stop_reason"] != "answered"
        assert none["answers"] == []


@cache
def _pieces() -> WordPieces:
    return WordPieces((files("wordllama") / TOKENIZER).read_bytes())


@pytest.mark.slow
async def test_an_answer_costs_the_reading_model_at_most_600_tokens() -> None:
    """By Llama 2's pieces what is read as text or as JSON, and by four characters a token what is read as text.

    OpenAI's own tokenizer (cl100k) is a download; of English it makes fewer tokens than Llama 2's.
    """
    pieces = _pieces()
    lines = (files("trivium.kg.sample") / "questions.train.jsonl").read_text("utf-8").splitlines()
    longest = dict.fromkeys(("text", "pieces", "json"), 0.0)
    async with Client(await make_server("sample")) as client:
        for line in lines[::8]:
            result: Any = await client.call_tool("ask", {"question": json.loads(line)["question"]})
            text, found = result.content[0].text, json.dumps(result.structured_content, ensure_ascii=False)
            seen = {"text": len(text) / 4, "pieces": len(pieces.encode(text)), "json": len(pieces.encode(found))}
            longest = {name: max(most, seen[name]) for name, most in longest.items()}
    await close_all()
    assert 100 < longest["pieces"] <= 600, "some of them list dozens of names with their evidence"
    assert max(longest.values()) <= 600, longest


_LABELS = st.one_of(
    st.text('abcdefgh ij_-/é漢😀\\"\n0123456789', min_size=1, max_size=40),
    st.tuples(
        st.sampled_from(["x", "漢", "😀", "0f3a", "Evidence: of a crime ", '"\\']), st.sampled_from([3, 90, 3_000])
    ).map(lambda part: part[0] * part[1]),
)


@given(
    answers=st.lists(_LABELS, max_size=12),
    times=st.integers(1, 40),
    said=_LABELS,
    suggested=st.lists(_LABELS, max_size=9),
    value=st.one_of(st.none(), st.booleans(), st.floats(allow_nan=False), _LABELS),
)
@settings(max_examples=60, deadline=None, phases=[Phase.explicit, Phase.generate])
def test_an_answer_fits_whatever_its_names_are(
    answers: list[str], times: int, said: str, suggested: list[str], value: bool | float | str | None
) -> None:
    answers = times * answers
    entities = [AnswerEntity(id=f"e{number}", label=label, score=1.0) for number, label in enumerate(answers)]
    suggestions = [Suggestion(id="s", label=label, why="close") for label in suggested]
    claim = Claim(f"{said}, {', '.join(answers)}.", entities, value=value, confidence=0.5)
    decision = Decision("answered", "", suggestions)
    found = record("keqing", {"question": "which?"}, Context(kg="sample"), claim, decision)
    result = asyncio.run(answer_result(found, "sample"))
    told, read = result.structured_content, result.content[0]
    assert told is not None
    assert isinstance(read, TextContent)
    pieces = _pieces()
    for form in (read.text, json.dumps(told, ensure_ascii=False, separators=(",", ":"))):
        assert len(form.encode(errors="replace")) <= RESULT_BYTES
        assert len(pieces.encode(form)) <= ANSWER_TOKENS
    listed = sum(len(told.get(name, ())) for name in ("answers", "did_you_mean"))
    assert listed + told.get("more", 0) == len(answers) + min(5, len(suggested)), "what is left out is counted"
    texts = [said, *answers, *suggested, str(value)]
    if len(answers) < 8 and max(map(len, texts)) < 20 and "".join(texts).isascii():
        assert [each["label"] for each in told["answers"]] == answers, "nothing is cut that fits"


async def test_a_page_goes_on_behind_what_no_page_holds(tmp_path: Path) -> None:
    films = [Entity(f"f{n}" if n else "f" * 3_000, "A film") for n in range(3)]
    build(tmp_path / "kg", [[Triple(each.id, "directed_by", "d") for each in films]], [*films, Entity("d", "Somebody")])
    async with Client(await make_server(str(tmp_path / "kg"))) as client:
        seen, offset = list[str](), 0
        for _ in range(3):
            told = await _called(client, "get_head_entities", entity="d", relation="directed_by", offset=offset)
            seen += [each["id"] for each in told["entities"]]
            if "next" not in told:
                break
            offset = told["next"]
        assert {"f1", "f2"} <= set(seen)
    await close_all()


async def test_an_agent_walks_the_graph_itself(films_kg: Path) -> None:
    async with _films(films_kg) as films_client:
        (heat, *_) = (await _called(films_client, "find_entities", text="heat"))["entities"]
        assert (heat["id"], heat["label"]) == ("heat", "Heat")
        assert "directed_by" in (await _called(films_client, "get_tail_relations", entity="Heat"))["relations"]
        heads_of = await _called(films_client, "get_head_relations", entity="Michael Mann")
        assert heads_of["relations"] == ["directed_by", "written_by"]
        tails = await _called(films_client, "get_tail_entities", entity="Heat", relation="directed_by")
        assert tails["entities"] == [{"id": "mann", "label": "Michael Mann"}]
        heads = await _called(films_client, "get_head_entities", entity="mann", relation="directed_by")
        assert "heat" in [each["id"] for each in heads["entities"]]
        around = await _called(films_client, "neighbors", entity="Heat", relation="directed_by")
        assert around["triples"] == [HEAT]
        assert around["labels"] == {"heat": "Heat", "mann": "Michael Mann"}
        paths = await _called(films_client, "find_paths", source="Heat", target="Michael Mann")
        assert paths["paths"][0] == "Heat -directed_by-> Michael Mann"
        facts = [HEAT, {"head": "Heat", "relation": "directed_by", "tail": "Michael Mann"}, {**HEAT, "tail": "scott"}]
        assert await _called(films_client, "verify", facts=facts) == {
            "all_in_graph": False,
            "facts": [True, True, False],
        }


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("neighbors", {"entity": "Heatt"}, "did you mean Heat"),
        ("get_tail_entities", {"entity": "Heat", "relation": "eats"}, "see get_tail_relations"),
        ("ask", {"question": " "}, "the question is empty"),
        ("ask", {"question": "who?", "topic_entities": ["nobody at all"]}, "nobody at all"),
        ("ask", {}, "question"),
        ("ask", {"question": "x" * 10_001}, "10000"),
        ("find_paths", {"source": "Heat", "target": "mann", "max_hops": 50}, "less than or equal to 4"),
    ],
)
async def test_an_error_says_what_to_do(films_kg: Path, name: str, arguments: dict[str, Any], said: str) -> None:
    async with _films(films_kg) as films_client:
        result: Any = await films_client.call_tool(name, arguments)
        assert result.is_error
        assert said in result.content[0].text
        assert len(result.content[0].text) < 1_000


async def test_a_long_list_is_cut_and_goes_on_where_it_ended(tmp_path: Path) -> None:
    films = [Entity(f"f{n}", f"A film with quite a long title, the {n}th") for n in range(120)]
    facts = [Triple(each.id, "directed_by", "d") for each in films]
    build(tmp_path / "kg", [facts], [*films, Entity("d", "Somebody")])
    async with Client(await make_server(str(tmp_path / "kg"))) as client:
        seen: list[str] = []
        offset = 0
        while True:
            told = await _called(client, "get_head_entities", entity="d", relation="directed_by", offset=offset)
            seen += [each["id"] for each in told["entities"]]
            if "next" not in told:
                break
            assert told["more"] == 120 - len(seen)
            offset = told["next"]
        assert sorted(seen) == sorted(each.id for each in films)
        assert (await _called(client, "neighbors", entity="d"))["more"] > 0
    await close_all()


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


async def test_over_stdio(films_kg: Path) -> None:
    command = ["-m", "trivium.app.cli.main", "mcp", "--kg", str(films_kg)]
    started = StdioServerParameters(command=sys.executable, args=command, env=_environment())
    async with Client(started) as client:
        told = await _called(client, "ask", question="who directed Heat?")
    assert told["proof"] == ["Heat -directed_by-> Michael Mann"]


@pytest.mark.slow
async def test_over_http(films_kg: Path, tmp_path: Path) -> None:
    port, log = free_port(), tmp_path / "log"
    command = [
        sys.executable,
        "-m",
        "trivium.app.cli.main",
        "mcp",
        "--kg",
        str(films_kg),
        "--http",
        "--port",
        str(port),
    ]
    with log.open("wb") as out:
        process = subprocess.Popen(command, env=_environment(), stdout=out, stderr=subprocess.STDOUT)  # noqa: ASYNC220
    try:
        for _ in range(300):
            if "running on" in log.read_text():
                break
            assert process.poll() is None, log.read_text()
            await asyncio.sleep(0.2)
        async with Client(f"http://127.0.0.1:{port}/mcp") as client:
            told = await _called(client, "ask", question="who directed Heat?")
        assert told["answers"][0]["id"] == "mann"
    finally:
        process.terminate()
        process.wait(timeout=120)


@pytest.mark.slow
def test_it_does_not_listen_beyond_this_machine_unless_told() -> None:
    command = [sys.executable, "-m", "trivium.app.cli.main", "mcp", "--http", "--host", "0.0.0.0"]
    done = subprocess.run(command, env=_environment(), capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 2
    assert "--open" in done.stderr
