"""Candidate reasoning by a chat model (Keqing, section 3.3): one call for all sub-questions of a wave.

Only candidates may be answers. What the model says besides is dropped, with an event; where nothing else is left
of what it said, and where it cannot be read or asked at all, the chains' own candidates stand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.keqing.reason.evidence import ShownEvidence, gather, is_nameless
from trivium.nodes.keqing.reason.prompt import REASON_TEXT, REASON_TUPLES, WaveAnswers
from trivium.nodes.keqing.state import Found, KeqingState, Retrieved
from trivium.nodes.model import ask_typed
from trivium.nodes.model.operator_prompts import operator_prompt
from trivium.nodes.model.prompt_data import as_data
from trivium.nodes.model.redaction import brief
from trivium.nodes.run.conversation import question_of
from trivium.nodes.run.qualifiers import notes
from trivium.tools.decompose_question import MASK
from trivium.tools.get_labels import get_labels

_SEEDS = 5  # seeds named in a question; the rest are counted
_SAID = 10  # dropped names that an event shows


async def judge(state: KeqingState, context: KeqingContext) -> dict[str, Any]:
    """Let the model choose among the candidates of this wave; nothing where no sub-question waits for it."""
    waiting = [done for done in state["retrieved"].values() if "more" in done]
    if not waiting:
        return {}
    asked, labels = await _evidence(waiting, _common(state), context)
    if not asked:
        return {"retrieved": {str(done["id"]): _settled(done, done["found"]) for done in waiting}}
    prompt = await _prompt(state, asked, labels, context)
    outcome = await ask_typed(
        context, state.get("usage"), prompt, WaveAnswers, stage="reason", check=lambda said: _missing(said, asked)
    )
    said = {each.id: each.answers for each in outcome.value.questions} if outcome.value else {}
    events, retrieved = list(outcome.events), dict[str, Retrieved]()
    for done in waiting:
        chosen = done["found"]
        if done["id"] in said and done["id"] in asked:
            chosen, noted = _chosen(done, said[done["id"]], asked[done["id"]])
            events += noted
        retrieved[str(done["id"])] = _settled(done, chosen)
    return {"retrieved": retrieved, "usage": outcome.usage, "events": events}


def _common(state: KeqingState) -> dict[int, set[str]]:
    """For sub-questions whose answers intersect the candidates that all of them have, where there are any.

    An answer is among those, so that no prompt is cut before it. Sub-questions intersect that the same ones start from:
    none, where they are the question's last, or one.
    """
    users = {sub["id"]: [each["id"] for each in state["sub_questions"] if sub["id"] in each["dep"]]
             for sub in state["sub_questions"]}  # fmt: skip
    together: dict[tuple[int, ...], list[int]] = {}
    for number, after in users.items():
        if len(after) <= 1:
            together.setdefault(tuple(after), []).append(number)
    out: dict[int, set[str]] = {}
    for group in together.values():
        found = [state["retrieved"].get(str(number)) for number in group]
        sets = [{item["id"] for item in _candidates(done)} for done in found if done]
        if len(group) > 1 and len(sets) == len(group) and (common := set.intersection(*sets)):
            out.update(dict.fromkeys(group, common))
    return out


async def _evidence(
    waiting: Sequence[Retrieved], common: Mapping[int, set[str]], context: KeqingContext
) -> tuple[dict[int, ShownEvidence], dict[str, str]]:
    """For each sub-question with candidates that have names its evidence, and the labels of all entities in it."""
    candidates = {
        done["id"]: [each for each in _candidates(done) if each["id"] in common.get(done["id"], {each["id"]})]
        for done in waiting
    }
    paths = [item["path"] for found in candidates.values() for item in found]
    ids = {key for path in paths for step in path for key in (step[0], step[2])}
    ids |= {seed for done in waiting for seed in done["seeds"][:_SEEDS]}
    ordered = sorted(ids)
    labels = dict(zip(ordered, await get_labels(context.kg, ordered), strict=True))
    beside = await notes((step for path in paths for step in path), context.kg)
    # Candidates without a name say nothing to a model: those of a hop into a compound value, whose next hop leaves it.
    asked = {
        number: gather(found, labels, context.triple_format, context.evidence_tokens, beside, numbered=True)
        for number, found in candidates.items()
        if any(not is_nameless(item["id"], labels[item["id"]]) for item in found)
    }
    return asked, labels


def _candidates(done: Retrieved) -> list[Found]:
    """Everything that may be an answer: the best chains' ends, the other templates', those of the supplement."""
    found = {item["id"]: item for item in (*done["found"], *done.get("more", ()))}
    seeds, excluded = set(done["seeds"]), set(done["excluded"])
    for head, relation, tail, _ in done["supplement"]:
        inverse = head not in seeds
        end = head if inverse else tail
        if end not in excluded:
            found.setdefault(end, Found(id=end, support=1, path=[(head, relation, tail, inverse)]))
    return list(found.values())


async def _prompt(
    state: KeqingState, asked: Mapping[int, ShownEvidence], labels: Mapping[str, str], context: KeqingContext
) -> str:
    blocks = []
    for number, evidence in asked.items():
        sub = next(sub for sub in state["sub_questions"] if sub["id"] == number)
        seeds = state["retrieved"][str(number)]["seeds"]
        more = f" (and {len(seeds) - _SEEDS} more)" if len(seeds) > _SEEDS else ""
        names = " or ".join(as_data(labels[seed]) for seed in seeds[:_SEEDS]) + more
        words = as_data(sub["question"]).replace(MASK, names)
        lines = "\n".join(evidence.lines)
        blocks.append(f'<context id="{number}">\n{lines}\n</context>\n<question id="{number}">{words}</question>')
    default = REASON_TUPLES if context.triple_format == "tuples" else REASON_TEXT
    return operator_prompt(default).fill(questions="\n\n".join(blocks), asked=as_data(question_of(state), 2_000))


def _missing(said: WaveAnswers, asked: Mapping[int, ShownEvidence]) -> str | None:
    """The repair turn's complaint where a sub-question got no answer, not even an empty one."""
    left = [str(number) for number in asked if number not in {each.id for each in said.questions}]
    return f"there is no entry for question {', '.join(left)}" if left else None


def _chosen(
    done: Retrieved, said: list[int | str] | str, evidence: ShownEvidence
) -> tuple[list[Found], list[dict[str, Any]]]:
    """The candidates that the model chose, in the chains' own order, and what it said that is none."""
    shown = {item["id"] for items in evidence.names.values() for item in items}
    if isinstance(said, str):
        wanted, dropped = shown, list[str]()
    else:
        wanted = {item["id"] for name in said for item in evidence.called(name)}
        dropped = [str(name) for name in said if not evidence.called(name)]
    events = []
    if dropped:
        events.append(_event(done, "not_a_candidate", f"not among the candidates: {', '.join(dropped[:_SAID])}"))
        if not wanted:
            return done["found"], events
    best, left_out = {item["id"] for item in done["found"]}, {item["id"] for item in evidence.left_out}
    if best & shown and best & shown <= wanted:
        wanted = wanted | best  # nothing spoke against those of the same chains that the budget left out
    elif left_out and wanted:
        events.append(_event(done, "evidence_cut", f"{len(left_out)} candidates were beyond the token budget"))
    return _in_order(done, wanted), events


def _in_order(done: Retrieved, wanted: set[str]) -> list[Found]:
    return [item for item in _candidates(done) if item["id"] in wanted]


def _settled(done: Retrieved, found: list[Found]) -> Retrieved:
    """What was found once it is chosen: no further candidates wait."""
    settled = done.copy()
    settled.pop("more", None)
    settled["found"] = found
    return settled


def _event(done: Retrieved, kind: str, message: str) -> dict[str, Any]:
    return {"stage": "reason", "event": kind, "id": done["id"], "message": brief(message)}
