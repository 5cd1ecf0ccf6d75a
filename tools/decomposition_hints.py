"""`decomposition_hints`: what helps a chat model take a question apart (Keqing, section 3.1)."""

from __future__ import annotations

from typing import Any, NamedTuple

from pydantic import Field

from trivium.knowledge.knowledge import Knowledge
from trivium.policies.keqing.computing.cues import has_cue
from trivium.policies.keqing.exemplars import Exemplar
from trivium.policies.keqing.mentions import split_question
from trivium.policies.keqing.phrasing import has_exclusion_cue
from trivium.tools.call import Arguments, Result, tool
from trivium.tools.limits import Count

__all__ = ["DecompositionHints", "Exemplar", "decomposition_hints"]


class DecompositionHintsArguments(Arguments):
    """Question templates of the KG, and questions with their decomposition, nearest to a question."""

    question: str = Field(min_length=1, description="the question in words")
    templates: Count = Field(60, description="maximum number of templates")
    exemplars: Count = Field(4, description="maximum number of questions with their decomposition")


class DecompositionHints(NamedTuple):
    """Hints for decomposing one question.

    Attributes:
        templates: template texts, all of a small KG's, otherwise the nearest to the question.
        exemplars: questions with their sub-questions, nearest first.
        computes: whether the question has a cue of a computation, such as "how many" or "oldest".
        excludes: whether it leaves out what it starts from, as by "other" or "also".
    """

    templates: list[str]
    exemplars: list[Exemplar]
    computes: bool
    excludes: bool


@tool(DecompositionHintsArguments)
async def decomposition_hints(
    kg: Knowledge, question: str, templates: int = 60, exemplars: int = 4
) -> DecompositionHints:
    """Templates and exemplars nearest to a question, at most so many, and its cues."""
    index = await kg.templates()
    texts = [template.text for template in index.templates]
    if len(texts) > templates:
        (nearest,) = await kg.near(index.match, [question], templates)
        texts = [match.template.text for match in nearest]
    shown = await kg.near((await kg.exemplars()).nearest, question, exemplars)
    excludes = has_exclusion_cue([word.text for word in split_question(question)])
    return DecompositionHints(texts, list(shown), has_cue(question), excludes)


@decomposition_hints.json
async def _(kg: Knowledge, args: DecompositionHintsArguments) -> Result:
    hints = await decomposition_hints.operation(kg, args.question, args.templates, args.exemplars)
    exemplars: list[dict[str, Any]] = [
        {"question": each.question, "sub_questions": list(each.sub_questions)} for each in hints.exemplars
    ]
    return {"templates": hints.templates, "exemplars": exemplars, "computes": hints.computes}
