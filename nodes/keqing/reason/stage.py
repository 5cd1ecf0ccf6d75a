"""Stage `reason`: the answers among the candidates (Keqing, section 3.3).

Without a model the chain's result is the answer, ordered by how well its template matched and by how many walks
support it, and a sub-question that others start from hands on all its candidates. With one, it chooses among them
(`trivium.nodes.keqing.reason.model`); so does a fine-tuned one over serialized triples, the second variant of 3.3.
"""

from __future__ import annotations

from typing import Any, cast

from langgraph.runtime import Runtime

from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.keqing.reason.evidence import ShownEvidence, gather, is_nameless
from trivium.nodes.keqing.state import Found, KeqingState, Retrieved
from trivium.nodes.run.access import NO_MODEL
from trivium.tools.choose_candidates import CandidateQuestion, choose_candidates
from trivium.tools.decompose_question import MASK
from trivium.tools.get_labels import get_labels

_SEEDS = 5  # seeds named in a question to the fine-tuned model, as in `trivium.nodes.keqing.reason.model`


async def reason(state: KeqingState, runtime: Runtime[KeqingContext]) -> dict[str, Any]:
    """Answer the question once every sub-question is answered; its last ones intersect where there are several."""
    context = runtime.context
    if state.get("plan"):  # what a plan gives is computed: there is nothing to choose
        return _answered(state)
    if context.reason == "lora":
        update = await judge_tuned(state, context)
    elif context.model == NO_MODEL:
        return _answered(state)
    else:
        from trivium.nodes.keqing.reason.model import judge  # a run without a model does not import it

        update = await judge(state, context)
    if "retrieved" in update:  # whole, since the router behind this stage sees the update before any reducer
        update["retrieved"] = {**state["retrieved"], **update["retrieved"]}
    return {**update, **_answered(cast(KeqingState, {**state, **update}))}


def _answered(state: KeqingState) -> dict[str, Any]:
    """The answers once there are any; nothing in a wave between, whose candidates go on."""
    if outcome := state.get("outcome"):
        return {"reasoned": [{**each, "support": 1, "from": []} for each in outcome["answers"]]}
    retrieved, items = state["retrieved"], state["sub_questions"]
    if len(retrieved) < len(items):
        return {}
    used = {dep for item in items for dep in item["dep"]}
    last = [retrieved[str(item["id"])] for item in items if item["id"] not in used]
    return {"reasoned": _ranked(last)}


def _ranked(last: list[Retrieved]) -> list[dict[str, Any]]:
    """Entities found by all of these: the weakest template match, times the share of the best support."""
    if not last:
        return []
    tables = [{item["id"]: item["support"] for item in done["found"]} for done in last]
    common = [key for key in tables[0] if all(key in table for table in tables)]
    support = {key: sum(table[key] for table in tables) for key in common}
    best = max(support.values(), default=1)
    match = min(map(_match, last))
    ordered = sorted(common, key=lambda key: -support[key])
    ids = [done["id"] for done in last]
    return [
        {"id": key, "score": round(match * support[key] / best, 6), "support": support[key], "from": ids}
        for key in ordered
    ]


def _match(done: Retrieved) -> float:
    """How well what was found fits the sub-question: its template's cosine, or where no chain led on, its triples'."""
    return done["match"]["score"] if done["match"] else max((score for *_, score in done["supplement"]), default=0.0)


async def judge_tuned(state: KeqingState, context: KeqingContext) -> dict[str, Any]:
    """Let the model choose among the candidates of this wave; where it names none, the chains' own stand.

    Raises:
        NotLearnedError: no reasoner was fine-tuned on this KG.
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
