"""Every tool by its JSON: the contract's shapes, refused arguments, and the same through LangChain."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest

from tests.films import walk
from trivium.kg.errors import BadInputError, TriviumError, UnknownEntityError, UnknownRelationError, UnknownToolError
from trivium.knowledge.knowledge import open_knowledge
from trivium.tools.registry import TOOLS, call_tool, make_tools, parse_call

CALLS: dict[str, dict[str, Any]] = {
    "read_question": {"question": "who directed Heat?"},
    "decompose_question": {"question": "who directed Heat?"},
    "assess_reading": {"question": "who directed Heat?"},
    "run_plan": {"plan": 'ids "heat" | follow directed_by'},
    "word_relations": {"relations": ["directed_by", "^starring"]},
    "find_entities": {"text": "Blade Runner"},
    "find_values": {"text": "director"},
    "resolve_entities": {"names": ["Heat", "deniro"]},
    "link_text": {"text": "who played in Heat and Ronin?"},
    "find_task_entities": {"question": "who directed Heat?"},
    "describe_entities": {"entities": ["Heat"]},
    "get_labels": {"entities": ["heat", "deniro"]},
    "list_learned": {},
    "list_relations": {},
    "neighbors": {"entity": "Heat"},
    "follow_chain": {"seed_entities": ["Ridley Scott"], "chain": ["^directed_by", "starring"]},
    "find_paths": {"source": "Robert De Niro", "target": "Al Pacino"},
    "extract_paths": {"question": "who played for him?", "source_entities": ["Heat"], "target_entities": ["Al Pacino"]},
    "extract_subgraph": {"question": "who?", "source_entities": ["Heat"], "target_entities": ["Al Pacino"]},
    "search_triples": {"question": "who starred in it", "entities": ["heat"], "limit": 3},
    "observe": {"question": "who directed it?", "entities": ["Heat", "ronin"], "max_hops": 2, "top_n": 5},
    "rank_triples": {"question": "who played?", "triples": [["heat", "starring", "deniro"]]},
    "rank_texts": {"question": "who directed it?", "texts": ["a director", "a year"]},
    "score_chains": {"question": "who directed it?", "chains": [["directed_by"], ["^starring", "directed_by"]]},
    "triple_properties": {"triples": [["heat", "starring", "deniro"]]},
    "decomposition_hints": {"question": "who directed Heat?", "relations": 3, "exemplars": 2},
    "describe_schema": {"question": "who directed Heat?", "limit": 4},
    "example_questions": {"count": 3},
    "next_relations": {"relations": ["directed_by", "^starring"]},
    "match_templates": {"sub_question": "who directed [mask]?"},
    "select_prompt": {"question": "who directed Heat?"},
}


_TRIPLE = {"head", "relation", "tail", "score"}
SHAPES: dict[str, tuple[str, set[str]]] = {
    "read_question": ("plans", {"plan", "score", "text", "unread", "words"}),
    "decompose_question": ("plans", {"plan", "score", "text", "unread"}),
    "run_plan": ("answers", {"id", "label", "score"}),
    "word_relations": ("templates", {"relation", "template"}),
    "find_entities": ("entities", {"id", "label", "score", "degree"}),
    "find_values": ("values", {"element", "value"}),
    "resolve_entities": ("entities", {"name", "id"}),
    "link_text": ("entities", {"id", "label"}),
    "find_task_entities": ("entities", {"id", "label", "namesakes"}),
    "describe_entities": ("entities", {"id", "label", "types", "relations"}),
    "get_labels": ("entities", {"id", "label"}),
    "list_learned": ("methods", {"method"}),
    "list_relations": ("relations", {"name", "triples", "head_types", "tail_types"}),
    "example_questions": ("questions", {"question", "kind"}),
    "neighbors": ("triples", _TRIPLE),
    "follow_chain": ("paths", {"triples", "answer"}),
    "find_paths": ("paths", {"triples", "answer"}),
    "extract_paths": ("paths", {"triples", "answer", "reward"}),
    "extract_subgraph": ("triples", _TRIPLE),
    "search_triples": ("triples", _TRIPLE),
    "rank_triples": ("triples", _TRIPLE),
    "rank_texts": ("texts", {"text", "score"}),
    "score_chains": ("chains", {"chain", "score"}),
    "triple_properties": ("triples", {"head", "relation", "tail", "properties"}),
    "observe": ("triples", _TRIPLE),
    "assess_reading": (
        "readings",
        {"confidence", "signals", "unread", "names", "missing", "about", "chat"},
    ),
    "match_templates": ("templates", {"template", "score", "chains"}),
    "decomposition_hints": ("exemplars", {"question", "sub_questions"}),
    "describe_schema": ("relationships", {"text"}),
    "next_relations": ("relations", {"relation", "next"}),
    "select_prompt": ("arms", {"arm", "expectation", "bound", "pulls", "mean"}),
}
NEED_A_RUN = {"record_prompt", "feedback"}
NEED_A_TUNED_MODEL = {"choose_candidates"}


def test_every_tool_is_called_here() -> None:
    assert set(TOOLS) == set(CALLS) | NEED_A_RUN | NEED_A_TUNED_MODEL
    assert set(SHAPES) == set(CALLS)


async def _call(kg: str, tool: str, **arguments: object) -> dict[str, Any]:
    return await call_tool(tool, parse_call(tool, json.dumps(arguments)), await open_knowledge(kg))


@pytest.mark.parametrize("name", sorted(CALLS))
async def test_every_tool_gives_its_json(kg_name: str, name: str) -> None:
    result = json.loads(json.dumps(await _call(kg_name, name, **CALLS[name])))
    key, fields = SHAPES[name]
    assert result[key]
    assert {frozenset(item) for item in result[key]} == {frozenset(fields)}


async def test_what_the_tools_find(kg_name: str) -> None:
    found = await _call(kg_name, "find_entities", **CALLS["find_entities"])
    assert found == {"entities": [{"id": "runner", "label": "Blade Runner", "score": 1.0, "degree": 6}]}
    starring = await _call(kg_name, "neighbors", entity="Heat", relation="starring", direction="out")
    assert [(t["head"], t["tail"], t["score"]) for t in starring["triples"]] == [
        ("heat", "deniro", 1.0), ("heat", "pacino", 1.0)
    ]  # fmt: skip
    templates = await _call(kg_name, "match_templates", **CALLS["match_templates"], limit=1)
    assert templates["templates"][0]["chains"][0] == ["directed_by"]
    assert templates["templates"][0]["score"] == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize("name", ["follow_chain", "find_paths"])
async def test_paths_join_up_and_end_at_what_they_support(kg_name: str, name: str) -> None:
    told = await _call(kg_name, name, **CALLS[name])
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
    with pytest.raises(UnknownToolError, match="read_question, run_plan") as caught:
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
    kg_name: str, tool: str, arguments: dict[str, Any], error: type[TriviumError]
) -> None:
    with pytest.raises(error, match=r"no (entity|relation) is named") as caught:
        await _call(kg_name, tool, **arguments)
    assert "\n" not in str(caught.value)


async def test_an_unknown_relation_is_told_its_like(kg_name: str) -> None:
    with pytest.raises(UnknownRelationError, match=r"did you mean .*directed_by") as caught:
        await _call(kg_name, "neighbors", entity="Heat", relation="director")
    assert "'director'" in str(caught.value)


async def test_the_same_through_langchain(kg_name: str) -> None:
    tools = {tool.name: tool for tool in make_tools(kg_name)}
    assert tuple(tools) == tuple(TOOLS)
    for name, arguments in CALLS.items():
        assert await tools[name].ainvoke(arguments) == await _call(kg_name, name, **arguments)
        assert tools[name].description
        assert set(tools[name].args) == set(parse_call(name, json.dumps(arguments)).model_dump())
