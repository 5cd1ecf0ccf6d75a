"""KnowGPT's three questions to a chat model: to choose, to propose candidates, to describe a graph; one call each."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from trivium.kg.text import fold_name
from trivium.nodes.knowgpt.context import KnowGPTContext
from trivium.nodes.knowgpt.prompts import CHOOSE, DESCRIBE, PROPOSE, ChosenAnswer, GraphDescription, ProposedCandidates
from trivium.nodes.knowgpt.state import Candidate, KnowGPTState, Line
from trivium.nodes.model import Outcome, ask_typed
from trivium.nodes.model.operator_prompts import operator_prompt
from trivium.nodes.model.prompt_data import as_data

_QUESTION = 10_000  # characters of a question that are shown


async def choose(state: KnowGPTState, context: KnowGPTContext) -> Outcome[ChosenAnswer]:
    """Ask for one of the candidates, with the knowledge of the prompt, or with none (`direct`)."""
    candidates = state["candidates"]
    shown = "\n".join(
        f"{as_data(key)}: {as_data(c['text'])}" for key, c in zip(letters(candidates), candidates, strict=True)
    )
    prompt = (await asyncio.to_thread(operator_prompt, CHOOSE)).fill(
        knowledge="\n".join(line["text"] for line in state["lines"]) or "(none)",
        question=as_data(state["question"], _QUESTION),
        choices=shown,
    )

    def wrong(said: ChosenAnswer) -> str | None:
        if meant(said.choice, candidates) is None:
            return f'"choice" must be one of {", ".join(letters(candidates))}, not {said.choice[:40]!r}'
        return None

    return await ask_typed(context, state.get("usage"), prompt, ChosenAnswer, stage="answer", check=wrong)


def letters(candidates: Sequence[Candidate]) -> list[str]:
    """How the prompt names the candidates: by their ids where these are short, as A to E are, else by numbers."""
    ids = [candidate["id"] for candidate in candidates]
    return ids if all(len(key) <= 3 and key.isalnum() for key in ids) else [str(n + 1) for n in range(len(ids))]


def meant(said: str, candidates: Sequence[Candidate]) -> Candidate | None:
    """The candidate that a model means: by its name in the prompt, `B`, `(B)`, `B: text`, or by its words alone."""
    names = letters(candidates)
    head = said.partition(":")[0]
    for text in (said, head):
        wanted = fold_name(text)
        for key, candidate in zip(names, candidates, strict=True):
            if wanted in (fold_name(key), fold_name(candidate["text"]), fold_name(candidate["id"])):
                return candidate
    return None


async def propose(question: str, context: KnowGPTContext) -> Outcome[ProposedCandidates]:
    """Ask for candidate answers of an open question."""
    prompt = (await asyncio.to_thread(operator_prompt, PROPOSE)).fill(
        question=as_data(question, _QUESTION), count=context.candidates
    )
    return await ask_typed(context, None, prompt, ProposedCandidates, stage="link_entities")


async def describe(state: KnowGPTState, triples: Sequence[Line], centre: str, context: KnowGPTContext) -> Outcome[str]:
    """Ask for a description of these triples around their central entity (section 4.2.1)."""
    prompt = (await asyncio.to_thread(operator_prompt, DESCRIBE)).fill(
        centre=centre, triples="\n".join(line["text"] for line in triples)
    )
    outcome = await ask_typed(context, state.get("usage"), prompt, GraphDescription, stage="verbalize")
    value = outcome.value.description if outcome.value else None
    return Outcome(value, outcome.reason, outcome.usage, outcome.events)
