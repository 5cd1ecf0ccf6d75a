"""Every tool by its JSON: the contract's shapes, refused arguments, and the same through LangChain."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest

from tests.films import walk
from trivium.kg.errors import BadInputError, TriviumError, UnknownEntityError, UnknownRelationError, UnknownToolError
from trivium.kg.knowledge_base import KnowledgeBase
from trivium.tools.registry import TOOL_NAMES, call_tool, make_tools, parse_call

CALLS: dict[str, dict[str, Any]] = {
    "find_entities": {"text": "Blade Runner"},
    "neighbors": {"entity": "Heat"},
    "follow_chain": {"seed_entities": ["Ridley Scott"], "chain": ["^directed_by", "starring"]},
    "find_paths": {"source": "Robert De Niro", "target": "Al Pacino"},
    "extract_paths": {"question": "who played for him?", "source_entities": ["Heat"], "target_entities": ["Al Pacino"]},
    "extract_subgraph": {"question": "who?", "source_entities": ["Heat"], "target_entities": ["Al Pacino"]},
    "search_triples": {"question": "who starred in it", "entities": ["heat"], "limit": 3},
    "observe": {"question": "who directed it?", "entities": ["Heat", "ronin"], "max_hops": 2, "top_n": 5},
    "match_templates": {"sub_question": "who directed [mask]?"},
    "select_prompt": {"question": "who directed Heat?"},
}


async def _call(base: KnowledgeBase, tool: str, **arguments: object) -> dict[str, Any]:
    return await call_tool(tool, parse_call(tool, json.dumps(arguments)), base)


@pytest.mark.parametrize("name", [name for name in TOOL_NAMES if name != "feedback"])  # which needs a run
async def test_every_tool_gives_its_json(films: KnowledgeBase, name: str) -> None:
    told = json.loads(json.dumps(await _call(films, name, **CALLS[name])))
    key = "arms" if name == "select_prompt" else next(iter(told))
    shapes: dict[str, set[str]] = {
        "entities": {"id", "label", "score", "degree"},
        "triples": {"head", "relation", "tail", "score"},
        "paths": {"triples", "answer"} | ({"reward"} if name == "extract_paths" else set()),
        "templates": {"template", "score", "chains"},
        "arms": {"arm", "expectation", "bound", "pulls", "mean"},
    }
    assert told[key]
    assert {frozenset(item) for item in told[key]} == {frozenset(shapes[key])}


async def test_what_the_tools_find(films: KnowledgeBase) -> None:
    found = await _call(films, "find_entities", **CALLS["find_entities"])
    assert found == {"entities": [{"id": "runner", "label": "Blade Runner", "score": 1.0, "degree": 6}]}
    starring = await _call(films, "neighbors", entity="Heat", relation="starring", direction="out")
    assert [(t["head"], t["tail"], t["score"]) for t in starring["triples"]] == [
        ("heat", "deniro", 1.0), ("heat", "pacino", 1.0)
    ]  # fmt: skip
    templates = await _call(films, "match_templates", **CALLS["match_templates"], limit=1)
    assert templates["templates"][0]["chains"][0] == ["directed_by"]
    assert templates["templates"][0]["score"] == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize("name", ["follow_chain", "find_paths"])
async def test_paths_join_up_and_end_at_what_they_support(films: KnowledgeBase, name: str) -> None:
    told = await _call(films, name, **CALLS[name])
    for path in told["paths"]:
        ends = [(t["tail"], t["head"]) if t["inverse"] else (t["head"], t["tail"]) for t in path["triples"]]
        assert all(before[1] == after[0] for before, after in pairwise(ends))
        assert ends[-1][1] == path["answer"]
        assert {frozenset(triple) for triple in path["triples"]} == {frozenset({"head", "relation", "tail", "inverse"})}
    answers = {path["answer"] for path in told["paths"]}
    assert answers == ({"pacino"} if name == "find_paths" else walk(["scott"], ["^directed_by", "starring"]))


@pytest.mark.parametrize("arguments", ["", "[]", "3", '"x"', "{", "{}", '{"text": ""}', '{"text": "a", "limit": 0}',
                                       '{"text": "a", "loud": true}', '{"text": 3}', '{"text": null}'])  # fmt: skip
def test_bad_arguments_are_refused(arguments: str) -> None:
    with pytest.raises(BadInputError, match="find_entities") as caught:
        parse_call("find_entities", arguments)
    assert "\n" not in str(caught.value)


def test_an_unknown_tool_is_refused_with_those_there_are() -> None:
    with pytest.raises(UnknownToolError, match="find_entities, neighbors") as caught:
        parse_call("observer", "{}")
    assert "'observer'" in str(caught.value)


@pytest.mark.parametrize(
    ("tool", "arguments", "error"),
    [
        ("neighbors", {"entity": "Metropolis"}, UnknownEntityError),
        ("neighbors", {"entity": "Heat", "relation": "directs"}, UnknownRelationError),
        ("follow_chain", {"seed_entities": ["Heat"], "chain": ["directed_by", "^filmed_by"]}, UnknownRelationError),
        ("follow_chain", {"seed_entities": ["nobody"], "chain": ["directed_by"]}, UnknownEntityError),
        ("find_paths", {"source": "Heat", "target": "nobody"}, UnknownEntityError),
        ("search_triples", {"question": "x", "entities": ["nobody"]}, UnknownEntityError),
    ],
)
async def test_unknown_names_are_refused(
    films: KnowledgeBase, tool: str, arguments: dict[str, Any], error: type[TriviumError]
) -> None:
    with pytest.raises(error, match=r"no (entity|relation) is named") as caught:
        await _call(films, tool, **arguments)
    assert "\n" not in str(caught.value)


async def test_an_unknown_relation_is_told_its_like(films: KnowledgeBase) -> None:
    with pytest.raises(UnknownRelationError, match=r"did you mean .*directed_by") as caught:
        await _call(films, "neighbors", entity="Heat", relation="director")
    assert "'director'" in str(caught.value)


async def test_the_same_through_langchain(films: KnowledgeBase, kg_name: str) -> None:
    tools = {tool.name: tool for tool in make_tools(kg_name)}
    assert tuple(tools) == TOOL_NAMES
    for name, arguments in CALLS.items():
        assert await tools[name].ainvoke(arguments) == await _call(films, name, **arguments)
        assert tools[name].description
        assert set(tools[name].args) == set(parse_call(name, json.dumps(arguments)).model_dump())
