"""The answer in words by a chat model, from the execution log, streamed as it is said (Keqing, section 3.4)."""

from __future__ import annotations

from collections.abc import Sequence

from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.keqing.respond.prompt import RESPOND
from trivium.nodes.keqing.state import KeqingState
from trivium.nodes.model import ModelReply, ask_text
from trivium.nodes.model.operator_prompts import operator_prompt
from trivium.nodes.model.prompt_data import as_data
from trivium.nodes.run.answer_record import AnswerEntity
from trivium.tools.decompose_question import MASK, generated
from trivium.tools.get_labels import get_labels

_NAMED = 50  # answers in the log; the rest are counted
_BETWEEN = 10  # names shown of what a sub-question started from, and found on the way


async def say(
    state: KeqingState, answers: Sequence[AnswerEntity], context: KeqingContext
) -> tuple[str | None, str | None, ModelReply[str]]:
    """What the model says of the answers, the id of its message, and how it went; no text where it broke off.

    A text that broke off is not used: what is missing might be what the answer is about. One that the model's own
    length limit ended is.
    """
    prompt = operator_prompt(RESPOND).fill(
        question=as_data(state["question"], 10_000), log=await _log(state, answers, context.kg)
    )
    outcome, message_id = await ask_text(context, state.get("usage"), prompt, stage="respond")
    whole = outcome.reason is None or outcome.events[-1]["event"] == "llm_truncated"
    return (outcome.value if whole else None), message_id, outcome


async def _log(state: KeqingState, answers: Sequence[AnswerEntity], kg: str) -> str:
    """The record of the rounds of questions and answers, in labels."""
    lines = []
    for sub in state["sub_questions"]:
        done = state["retrieved"][str(sub["id"])]
        # A step of a plan starts from what another gave, which is counted and not listed.
        before = {generated(dep): f"those of {dep}" for dep in sub["dep"]}
        seeds = [before.get(key, key) for key in done["seeds"]]
        asked = as_data(sub["question"]).replace(MASK, _names(await get_labels(kg, seeds[:_BETWEEN]), len(seeds)))
        for name, those in before.items():
            asked = asked.replace(as_data(name), those)
        found = [item["id"] for item in done["found"]]
        names = _names(await get_labels(kg, found[:_BETWEEN]), len(found))
        if "counted" in done:
            names = "see the result" if done["counted"] is None else f"{done['counted']} found"
        lines.append(f"{sub['id']}. {asked} -> {names}")
    said = _names([answer["label"] for answer in answers[:_NAMED]], len(answers))
    return "\n".join([*lines, f"Result: {said}"])


def _names(labels: Sequence[str], total: int) -> str:
    more = f" and {total - len(labels)} more" if total > len(labels) else ""
    return "; ".join(map(as_data, labels)) + more if labels else "nothing"
