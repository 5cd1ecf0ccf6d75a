"""KnowGPT's stage `answer`: the model chooses among the candidates, with the knowledge; else their scores do."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from trivium.nodes.knowgpt.answer.scoring import scored, supports
from trivium.nodes.knowgpt.context import KnowGPTContext
from trivium.nodes.knowgpt.state import Candidate, KnowGPTState, Verdict
from trivium.nodes.run.access import NO_MODEL
from trivium.nodes.run.answer_record import AnswerEntity, PathRecord, path_record
from trivium.nodes.run.doubts import doubts
from trivium.nodes.run.path_text import path_text
from trivium.nodes.run.write_answer import Claim, write_answer

_NO_EVIDENCE = {
    "stage": "answer",
    "event": "no_evidence",
    "message": "no path leads from what the question names to the chosen option",
}


async def answer(state: KnowGPTState, runtime: Runtime[KnowGPTContext]) -> dict[str, Any]:
    """Write the typed result; an answer that no path supports says so."""
    context = runtime.context
    verdict, state_update = await _verdict(state, context)
    chosen = next((c for c in state["candidates"] if c["id"] == verdict["chosen"]), None)
    paths = [path_record(each["steps"], chosen["id"]) for each in supports(chosen, state["evidence"])] if chosen else []
    is_choice = state["proposed_by"] == "choices"
    if not paths and not is_choice:
        chosen = None  # an open question's candidate that nothing leads to is not an answer
    words = verdict["words"] if state["proposed_by"] == "nobody" else ""  # the arm `direct`: no knowledge at all
    claim = Claim(
        await _sentence(chosen, verdict, paths, context.kg, words),
        [AnswerEntity(id=chosen["id"], label=chosen["text"], score=_score(chosen, verdict))] if chosen else [],
        words or None,
        chosen["id"] if chosen and is_choice else None,
        paths,
        None if verdict["by"] == "model" else _score(chosen, verdict) if chosen else 0.0,
    )
    noted = [_NO_EVIDENCE] if chosen and not paths else []
    return await write_answer(
        "knowgpt",
        state,
        context,
        claim,
        signals=await doubts(
            state["question"],
            context,
            claim,
            read=bool(state["sources"]),
            given=state.get("given", False),
            by_model=verdict["by"] != "scores",
        ),
        steps=_steps(state, verdict),
        events=noted,
        state_update=state_update,
    )


async def _verdict(state: KnowGPTState, context: KnowGPTContext) -> tuple[Verdict, dict[str, Any]]:
    """The candidates' scores and the chosen one; with what the model's call cost, where there was one."""
    candidates, arm = state["candidates"], state["chosen"]["arm"]
    if not candidates and arm == "direct":
        return await _own_words(state, context)
    scores = await scored(context.kg, state["question"], candidates, state["evidence"], walked=arm.startswith("rl/"))
    best = max(scores.scores, key=lambda key: scores.scores[key], default=None)
    parts = scores._asdict()
    verdict = Verdict(scores=parts, chosen=best, by="scores", words="")
    if context.model == NO_MODEL or not candidates:
        return verdict, {}
    from trivium.nodes.knowgpt.answer.model import (
        choose,
        is_none,
        meant,
    )  # a run without a model pays nothing for the layer
    from trivium.nodes.model import state_update

    outcome = await choose(state, context)
    picked = meant(outcome.value.choice, candidates) if outcome.value else None
    if outcome.value and (picked or is_none(outcome.value.choice, state)):
        verdict = Verdict(
            scores=parts, chosen=picked["id"] if picked else None, by="model", words=" ".join(outcome.value.why.split())
        )
    return verdict, state_update(outcome)


async def _own_words(state: KnowGPTState, context: KnowGPTContext) -> tuple[Verdict, dict[str, Any]]:
    """What the model says to an open question without any knowledge, for comparison."""
    from trivium.nodes.knowgpt.link_entities.model import propose
    from trivium.nodes.model import state_update

    outcome = await propose(state["question"], context.model_copy(update={"candidates": 1}))
    said = outcome.value.candidates[:1] if outcome.value else []
    return Verdict(scores={}, chosen=None, by="model" if said else "nobody", words="".join(said)), state_update(outcome)


def _score(chosen: Candidate, verdict: Verdict) -> float:
    """In [0, 1]: the score, or 1 where the model chose: it gives none."""
    return 1.0 if verdict["by"] == "model" else verdict["scores"]["scores"][chosen["id"]]


async def _sentence(chosen: Candidate | None, verdict: Verdict, paths: list[PathRecord], kg: str, words: str) -> str:
    """The answer, the model's reason if it gave one, and the best path, or that there is none."""
    if chosen is None:
        return f"{words}. This is the model's own answer; the knowledge graph was not used." if words else ""
    said = f"{chosen['text'].rstrip('.')}."
    if verdict["by"] == "model" and verdict["words"]:
        said += f" {verdict['words'].rstrip('.')}."
    if paths:
        return f"{said} Evidence: {await path_text(paths[0], kg)}."
    how = (
        "the model chose it from its own knowledge"
        if verdict["by"] == "model"
        else "it is only the closest match by wording"
    )
    return f"{said} No path in the knowledge graph leads to it from what the question names: {how}."


def _steps(state: KnowGPTState, verdict: Verdict) -> list[dict[str, Any]]:
    """The log: what each stage did, in order; `select_prompt` names the run, by which feedback is given."""
    arm = state["chosen"]
    return [
        {
            "stage": "link_entities",
            "sources": state["sources"],
            "candidates": state["candidates"],
            "proposed_by": state["proposed_by"],
        },
        {"stage": "select_prompt", "run": state["run"], **arm},
        {
            "stage": "extract",
            "evidence": len(state["evidence"]),
            "paths": sum(each["target"] is not None for each in state["evidence"]),
            "expanded": state["expanded"],
            **({"policy": policy} if (policy := state.get("walked_by")) else {}),
        },
        {"stage": "verbalize", "lines": [{**line, "triples": list(line["triples"])} for line in state["lines"]]},
        {"stage": "answer", "by": verdict["by"], **verdict["scores"]},
    ]
