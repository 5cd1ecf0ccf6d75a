"""All tools: for the command line by name and JSON, for agents as LangChain tools."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from trivium.kg.errors import BadInputError, UnknownToolError
from trivium.knowledge.knowledge import Knowledge, open_knowledge
from trivium.tools.assess_reading import assess_reading
from trivium.tools.call import Arguments, Result, Tool
from trivium.tools.choose_candidates import choose_candidates
from trivium.tools.decompose_question import decompose_question
from trivium.tools.decomposition_hints import decomposition_hints
from trivium.tools.describe_entities import describe_entities
from trivium.tools.describe_schema import describe_schema
from trivium.tools.example_questions import example_questions
from trivium.tools.extract_paths import extract_paths
from trivium.tools.extract_subgraph import extract_subgraph
from trivium.tools.feedback import feedback
from trivium.tools.find_entities import find_entities
from trivium.tools.find_paths import find_paths
from trivium.tools.find_task_entities import find_task_entities
from trivium.tools.find_values import find_values
from trivium.tools.follow_chain import follow_chain
from trivium.tools.get_labels import get_labels
from trivium.tools.link_text import link_text
from trivium.tools.list_learned import list_learned
from trivium.tools.list_relations import list_relations
from trivium.tools.match_templates import match_templates
from trivium.tools.neighbors import neighbors
from trivium.tools.next_relations import next_relations
from trivium.tools.observe import observe
from trivium.tools.rank_texts import rank_texts
from trivium.tools.rank_triples import rank_triples
from trivium.tools.read_question import read_question
from trivium.tools.record_prompt import record_prompt
from trivium.tools.resolve_entities import resolve_entities
from trivium.tools.run_plan import run_plan
from trivium.tools.score_chains import score_chains
from trivium.tools.search_triples import search_triples
from trivium.tools.select_prompt import select_prompt
from trivium.tools.triple_properties import triple_properties
from trivium.tools.word_relations import word_relations

if TYPE_CHECKING:
    from langchain_core.tools import StructuredTool

_ALL: tuple[Tool[Any, ..., Any], ...] = (
    read_question, run_plan, word_relations, decompose_question, assess_reading,
    find_entities, resolve_entities, link_text, find_task_entities, describe_entities, get_labels, find_values,
    list_learned, list_relations, next_relations, describe_schema, example_questions,
    neighbors, follow_chain, find_paths, search_triples, rank_triples, rank_texts, score_chains,
    match_templates, decomposition_hints, choose_candidates, observe, extract_paths, extract_subgraph,
    triple_properties, select_prompt, record_prompt, feedback,
)  # fmt: skip
TOOLS: dict[str, Tool[Any, ..., Any]] = {each.name: each for each in _ALL}
"""The tools by name."""


def make_tools(kg: str) -> list[StructuredTool]:
    """All tools over the KG of that name, for an agent; each opens the KG on first use."""
    return [_as_langchain(each, kg) for each in _ALL]


def _as_langchain(each: Tool[Any, ..., Any], kg: str) -> StructuredTool:
    from langchain_core.tools import StructuredTool  # a command line call does without

    async def run(**given: Any) -> Result:
        return await each.answer(await open_knowledge(kg), each.arguments(**given))

    return StructuredTool.from_function(
        coroutine=run, name=each.name, description=each.description, args_schema=each.arguments
    )


def parse_call(name: str, arguments_json: str) -> Arguments:
    """The typed arguments of a call given as JSON.

    Raises:
        UnknownToolError: no tool has that name.
        BadInputError: not a JSON object, or an argument is missing, unknown or out of range.
    """
    if name not in TOOLS:
        raise UnknownToolError(f"no tool is named {name!r}; choose one of: {', '.join(TOOLS)}")
    try:
        given = json.loads(arguments_json)
    except ValueError as error:
        raise BadInputError(f"the arguments of {name} are not JSON ({error}): {arguments_json[:80]!r}") from error
    if not isinstance(given, dict):
        raise BadInputError(f"the arguments of {name} must be a JSON object, not {arguments_json[:80]!r}")
    try:
        arguments: Arguments = TOOLS[name].arguments(**given)
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
        raise BadInputError(f"arguments of {name}: {problems}") from error
    return arguments


async def call_tool(name: str, arguments: Arguments, kg: Knowledge) -> Result:
    """Call one tool with arguments that `parse_call` read."""
    return await TOOLS[name].answer(kg, arguments)
