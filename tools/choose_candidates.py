"""`choose_candidates`: a fine-tuned model chooses among answer candidates (Keqing, section 3.3, second variant)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pydantic import Field

from trivium.knowledge.knowledge import Knowledge
from trivium.tools.call import Arguments, Result, tool


class ChooseCandidatesArguments(Arguments):
    """Let the model that was fine-tuned on this KG choose the answers to a sub-question among candidates."""

    question: str = Field(min_length=1, description="the sub-question in words, without a mask")
    triples: list[str] = Field(min_length=1, description="the evidence, one triple as text each")
    candidates: dict[str, str] = Field(min_length=1, description="candidate id -> label")


class CandidateQuestion(NamedTuple):
    """A sub-question in words without a mask, its triples as text, and its candidates: id -> label."""

    question: str
    triples: tuple[str, ...]
    candidates: Mapping[str, str]


class ChosenCandidates(NamedTuple):
    """Ids of the candidates that the model named, in its order, and the names that match no candidate."""

    ids: tuple[str, ...]
    invented: tuple[str, ...]


@tool(ChooseCandidatesArguments)
async def choose_candidates(kg: Knowledge, questions: Sequence[CandidateQuestion]) -> list[ChosenCandidates]:
    """The chosen candidates of each question, all questions in one batch.

    Raises:
        NotLearnedError: no reasoner was fine-tuned on this KG.
        ModelError: its base model cannot be opened.
    """
    from trivium.policies.lora.serve import ReasonerQuestion  # imports torch, where a run asks for it

    reasoner = await kg.lora_reasoner()
    chosen = await reasoner.choose([ReasonerQuestion(*question) for question in questions])
    return [ChosenCandidates(each.ids, each.invented) for each in chosen]


@choose_candidates.json
async def _(kg: Knowledge, args: ChooseCandidatesArguments) -> Result:
    question = CandidateQuestion(args.question, tuple(args.triples), args.candidates)
    (chosen,) = await choose_candidates.operation(kg, [question])
    return {"candidates": list(chosen.ids), "dropped": list(chosen.invented)}
