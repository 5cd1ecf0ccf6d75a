"""Candidate reasoning by a fine-tuned model over serialised triples (Keqing, section 3.3, the second variant)."""

from __future__ import annotations

from typing import Any

from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.keqing.reason.evidence import ShownEvidence, gather, is_nameless
from trivium.nodes.keqing.state import Found, KeqingState, Retrieved
from trivium.tools.choose_candidates import CandidateQuestion, choose_candidates
from trivium.tools.decompose_question import MASK
from trivium.tools.get_labels import get_labels

_SEEDS = 5  # seeds named in a question, as in `trivium.nodes.keqing.reason.model`


async def judge_tuned(state: KeqingState, context: KeqingContext) -> dict[str, Any]:
    """Let the model choose among the candidates of this wave; where it names none, the chains' own stand.

    Raises:
        NotLearntError: no reasoner was fine-tuned on this KG.
    """
    waiting = [done for done in state["retrieved"].values() if "more" in done]
    if not waiting:
        return {}
    asked = [await _asked(state, done, context) for done in waiting]
    retrieved, events = dict[str, Retrieved](), list[dict[str, Any]]()
    chosen = await choose_candidates(context.kg, [question for question in asked if question])
    answers = iter(chosen)
    for done, question in zip(waiting, asked, strict=True):
        said = next(answers) if question else None
        kept = [item for item in _candidates(done) if said and item["id"] in said.ids]
        if said and said.invented:
            events.append(_event(done, "not_a_candidate", f"not among the candidates: {', '.join(said.invented[:10])}"))
        if said and not kept:
            events.append(_event(done, "lora_unreadable", "the fine-tuned model named no candidate; the chains' stand"))
        settled = done.copy()
        settled.pop("more", None)
        settled["found"] = kept or done["found"]
        retrieved[str(done["id"])] = settled
    return {"retrieved": retrieved, "events": events}


async def _asked(state: KeqingState, done: Retrieved, context: KeqingContext) -> CandidateQuestion | None:
    """A sub-question in words with its triples as text; None where no candidate has a name."""
    found = _candidates(done)
    ids = sorted({key for item in found for step in item["path"] for key in (step[0], step[2])} | set(done["seeds"]))
    labels = dict(zip(ids, await get_labels(context.kg, ids), strict=True))
    if all(is_nameless(item["id"], labels[item["id"]]) for item in found):
        return None
    evidence: ShownEvidence = gather(found, labels, "text", context.evidence_tokens)
    (sub,) = [sub for sub in state["sub_questions"] if sub["id"] == done["id"]]
    names = ", ".join(labels[seed] for seed in done["seeds"][:_SEEDS])
    candidates = {item["id"]: labels[item["id"]] for item in found}
    return CandidateQuestion(
        sub["question"].replace(MASK, names), tuple(line.rstrip(".") for line in evidence.lines), candidates
    )


def _candidates(done: Retrieved) -> list[Found]:
    """The best chains' ends, and the other templates'."""
    return list({item["id"]: item for item in (*done["found"], *done.get("more", ()))}.values())


def _event(done: Retrieved, kind: str, message: str) -> dict[str, Any]:
    return {"stage": "reason", "event": kind, "id": done["id"], "message": message}
