"""Whoever follows a question through a stage seldom comes back to a file that was left."""

from __future__ import annotations

from tests.followed import followed, returns
from trivium.graphs import keqing, knowgpt
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.keqing.decompose import decompose
from trivium.nodes.keqing.match_template import match_template
from trivium.nodes.knowgpt.context import KnowGPTContext
from trivium.nodes.knowgpt.extract import extract
from trivium.nodes.knowgpt.state import ChoiceInput, KnowGPTInput
from trivium.nodes.knowgpt.verbalize import verbalize
from trivium.nodes.run.state import QuestionInput

_MOST = 4
"""Files that are entered again after they were left."""


async def test_keqings_decomposition_comes_back_to_few_files(kg_name: str) -> None:
    given: QuestionInput = {"question": "who starred in the films directed by Michael Mann?"}
    await keqing.graph.ainvoke(given, context=KeqingContext(kg=kg_name))  # opening a KG is another walk
    with followed(decompose, then=match_template) as stays:
        await keqing.graph.ainvoke(given, context=KeqingContext(kg=kg_name))
    assert {"nodes/keqing/decompose/stage.py", "nodes/keqing/decompose/follow_up.py"} <= set(stays)
    assert "nodes/keqing/retrieve.py" not in stays, "the next stages are not followed"
    assert returns(stays, "nodes/keqing/decompose/") <= _MOST, stays


async def test_knowgpts_extraction_comes_back_to_few_files(kg_name: str) -> None:
    choices: list[ChoiceInput] = [{"id": "A", "text": "Ridley Scott"}, {"id": "B", "text": "Michael Mann"}]
    given: KnowGPTInput = {"question": "who directed Heat?", "choices": choices}
    await knowgpt.graph.ainvoke(given, context=KnowGPTContext(kg=kg_name))
    with followed(extract, then=verbalize) as stays:
        await knowgpt.graph.ainvoke(given, context=KnowGPTContext(kg=kg_name))
    assert {"nodes/knowgpt/extract.py", "policies/paths/extraction.py"} <= set(stays)
    assert "nodes/knowgpt/answer/stage.py" not in stays
    assert returns(stays, "nodes/", "tools/", "policies/") <= _MOST, stays


def test_returns_are_counted() -> None:
    stays = ["a/x.py", "b/y.py", "a/x.py", "b/z.py", "b/y.py", "a/x.py"]
    assert returns(stays) == 3
    assert returns(stays, "b/") == 1
    assert returns(stays, "a/") == 0
