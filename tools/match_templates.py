"""`match_templates`: the question templates nearest to sub-questions, through their FAISS index (Keqing, eq. 2)."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from trivium.kg.types import chain_text
from trivium.knowledge.knowledge import Knowledge
from trivium.policies.reader.chains.templates import TemplateMatch
from trivium.tools.call import Arguments, Result, tool
from trivium.tools.contract import Count


class MatchTemplatesArguments(Arguments):
    """The KG's question templates nearest to a sub-question, with the logical chains they own."""

    sub_question: str = Field(min_length=1, description="words with [mask] for the entity")
    limit: Count = Field(3, description="maximum number of templates")


@tool(MatchTemplatesArguments)
async def match_templates(
    kg: Knowledge, sub_questions: Sequence[str], limit: int = 3, *, text_alone: bool = False
) -> list[list[TemplateMatch]]:
    """The templates nearest to each sub-question by encoder cosine, best first; a template's own text scores 1.

    `text_alone`: by the template's text alone, as equation 2 has it, without the names of its relations.
    """
    return await kg.near((await kg.templates()).match, sub_questions, limit, text_alone=text_alone)


@match_templates.json
async def _(kg: Knowledge, args: MatchTemplatesArguments) -> Result:
    (found,) = await match_templates.operation(kg, [args.sub_question], args.limit)
    return {
        "templates": [
            {
                "template": match.template.text,
                "score": match.score,
                "chains": [chain_text(chain) for chain in match.template.chains],
            }
            for match in found
        ]
    }
