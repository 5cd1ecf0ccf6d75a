"""Stage `match_template`: the nearest templates of each sub-question in free words, with their chains (eq. 2)."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from trivium.kg.types import chain_text
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.keqing.state import KeqingState, MatchedTemplate, SubQuestionState
from trivium.tools.match_templates import match_templates

_OWN = 1.0  # score of a sub-question whose chain the decomposer knows


async def match_template(state: KeqingState, runtime: Runtime[KeqingContext]) -> dict[str, Any]:
    """Match all sub-questions at once, K templates each.

    A sub-question whose chain is known needs no template. Where a model judges every sub-question, the nearest
    templates come behind the chain, so that the model has more candidates to choose from (the paper's figure 5).
    """
    context = runtime.context
    if state.get("plan"):  # what is not a relation has no template
        return {"matches": {str(sub["id"]): _of_plan(sub) for sub in state["sub_questions"]}}
    k = context.templates_per_sub_question
    by_text = context.match == "cosine"
    subs = state["sub_questions"]
    known = {sub["id"]: _known(sub["question"], sub["chain"]) for sub in subs if "chain" in sub and not by_text}
    judged = context.judges(_OWN)
    free = [sub for sub in subs if judged or sub["id"] not in known]
    texts = [sub["question"] for sub in free]
    found = await match_templates(context.kg, texts, k, text_alone=by_text) if free else []
    near = {
        sub["id"]: [
            MatchedTemplate(
                template=match.template.text,
                score=match.score,
                chains=[chain_text(chain) for chain in match.template.chains],
            )
            for match in matches
        ]
        for sub, matches in zip(free, found, strict=True)
    }
    matches = {}
    for sub in subs:
        own = known.get(sub["id"], [])
        others = [match for match in near.get(sub["id"], ()) if not own or match["template"] != own[0]["template"]]
        matches[str(sub["id"])] = [*own, *others][:k]
    return {"matches": matches}


def _of_plan(sub: SubQuestionState) -> list[MatchedTemplate]:
    return _known(sub["question"], sub["chain"]) if "chain" in sub else []


def _known(question: str, chain: list[str]) -> list[MatchedTemplate]:
    return [MatchedTemplate(template=question, score=_OWN, chains=[chain])]
