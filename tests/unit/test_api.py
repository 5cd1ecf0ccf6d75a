"""Trivium from Python: sync, async, and as a tool."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import ToolCall

from trivium import aask, as_tool, ask, close, open_kg
from trivium.graphs.methods import METHODS
from trivium.kg.errors import NotAKnowledgeBaseError, UsageError
from trivium.knowledge.knowledge import close_all

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    close()


def _asked(question: str) -> ToolCall:
    return ToolCall(name="ask_films", args={"question": question}, id="1", type="tool_call")


def test_ask_keeps_the_kg_open_for_the_next_question(films_kg: Path) -> None:
    answer = ask("who directed Heat?", kg=films_kg)
    assert [found["id"] for found in answer["answers"]] == ["mann"]
    assert [path["answer"] for path in answer["paths"]] == ["mann"]
    again = ask("who directed Solaris?", kg=str(films_kg), topic_entities=["solaris02"])
    assert [found["label"] for found in again["answers"]] == ["Steven Soderbergh"]
    assert json.loads(json.dumps(answer)) == answer


async def test_ask_works_inside_a_running_loop_as_in_a_notebook(films_kg: Path) -> None:
    assert asyncio.get_running_loop().is_running()
    assert ask("who directed Heat?", kg=films_kg)["stop_reason"] == "answered"


async def test_aask_runs_many_at_once(films_kg: Path) -> None:
    questions = ["who directed Heat?", "who directed Alien?", "who directed Ronin?"]
    told = await asyncio.gather(*(aask(question, kg=films_kg) for question in questions))
    await close_all()
    assert [answer["answers"][0]["id"] for answer in told] == ["mann", "scott", "frank"]
    assert [answer["question"] for answer in told] == questions


def test_what_cannot_be_asked_is_refused(films_kg: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no setting 'colour'; its settings: kg, model"):
        ask("who directed Heat?", kg=films_kg, colour="blue")
    with pytest.raises(NotAKnowledgeBaseError):
        ask("who directed Heat?", kg=tmp_path / "nowhere")
    with pytest.raises(UsageError, match="unknown method 'psychic'"):
        ask("who directed Heat?", kg=films_kg, method="psychic")


async def test_a_tool_tells_the_agent_and_keeps_the_typed_answer(films_kg: Path) -> None:
    tool = as_tool(films_kg, name="ask_films")
    said: Any = await tool.ainvoke(_asked("who directed Heat?"))
    assert "Heat -directed_by-> Michael Mann" in said.content
    assert said.artifact["answers"][0]["id"] == "mann"
    await close_all()
    assert list(tool.args) == ["question"]


def test_a_tool_works_without_async_and_tells_its_errors(films_kg: Path) -> None:
    tool = as_tool(films_kg)
    assert tool.name == "ask_kg"
    said: Any = tool.invoke({**_asked("x" * 10_001), "name": tool.name})
    assert said.status == "error"
    assert "10,001 characters" in said.content


def test_choices_are_taken_as_texts_or_by_id(films_kg: Path) -> None:
    by_id = ask("who directed Heat?", kg=films_kg, choices={"x": "Michael Mann", "y": "Ridley Scott"})
    assert by_id["choice"] == "x"
    lettered = ask("who directed Heat?", kg=films_kg, choices=["Ridley Scott", "Michael Mann"])
    assert lettered["choice"] == "B"
    many = ask("who directed Heat?", kg=films_kg, choices=[*(f"Nobody {n}" for n in range(26)), "Michael Mann"])
    assert many["choice"] == "A2"
    with pytest.raises(UsageError, match="keqing does not choose"):
        ask("who directed Heat?", kg=films_kg, method="keqing", choices=["Michael Mann"])


def test_an_open_kg_answers_and_offers_its_operations(films_kg: Path, tmp_path: Path) -> None:
    kg = open_kg(films_kg, method="keqing")
    assert [found["id"] for found in kg.ask("who directed Heat?")["answers"]] == ["mann"]
    assert {"find_entities", "neighbors", "find_paths"} <= {tool.name for tool in kg.tools()}
    with pytest.raises(NotAKnowledgeBaseError):
        open_kg(tmp_path / "nowhere")


def test_the_package_is_light_and_its_names_are_those_it_lists() -> None:
    """`import trivium` imports none of what it offers; `from trivium import *` gives all of it."""
    code = (
        "import sys, trivium; heavy = {'numpy', 'langgraph', 'langchain_core', 'gymnasium', 'trivium.kg.errors'};"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules);"
        "assert all(getattr(trivium, name) for name in trivium.__all__)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_graph_is_loaded_once_under_one_name() -> None:
    """`langgraph.json`, the CLI and the API reach a graph by the same module name, so there is one graph."""
    config = json.loads((ROOT / "langgraph.json").read_text())
    for name, entry in config["graphs"].items():
        module, _, attribute = entry["path"].partition(":")
        assert module == f"trivium.graphs.{name}"
        assert getattr(import_module(module), attribute) is METHODS[name].graph()
    rooms = {path.name for path in (ROOT / "trivium").iterdir() if path.is_symlink()}
    assert not rooms & set(sys.modules), "a folder of the root was imported past trivium"


def test_a_follow_up_is_given_the_answer_before(films_kg: Path) -> None:
    for method in ("auto", "keqing"):
        films = ask("which films did Ridley Scott direct?", kg=films_kg, method=method)
        stars = ask("and who starred in them?", kg=films_kg, method=method, previous=films)
        assert stars["stop_reason"] == "answered"
        starts = {path["triples"][0]["head"] for path in stars["paths"]}
        assert starts <= {item["id"] for item in films["answers"]}
