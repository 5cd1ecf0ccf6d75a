"""Stage `match_template`: each sub-question's nearest templates by encoder cosine, with their chains (eq. 2)."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from trivium.kg.templates import TemplateMatch
from trivium.kg.types import chain_text
from trivium.knowledge.knowledge import open_knowledge
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.keqing.state import KeqingState, Match


async def match_template(state: KeqingState, runtime: Runtime[KeqingContext]) -> dict[str, Any]:
    """Match all sub-questions at once, K templates each."""
    knowledge = await open_knowledge(runtime.context.kg)
    templates = await knowledge.base.templates()
    texts = [sub["question"] for sub in state["sub_questions"]]
    k = runtime.context.templates_per_sub_question
    found = await knowledge.near(templates.match, texts, k)
    pairs = zip(state["sub_questions"], found, strict=True)
    return {"matches": {str(sub["id"]): [_record(match) for match in matches] for sub, matches in pairs}}


def _record(match: TemplateMatch) -> Match:
    chains = [chain_text(chain) for chain in match.template.chains]
    return Match(template=match.template.text, score=match.score, chains=chains)
