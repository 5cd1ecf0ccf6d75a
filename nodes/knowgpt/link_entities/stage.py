"""KnowGPT's stage `link_entities`: entities of the question (sources) and of every candidate answer (targets).

Which candidate is right is unknown here, so the targets are the entities of all of them (section 3). Where a question
has no choices, candidates are proposed: by the model, or by the KG around the question's entities (deviation B4).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from langgraph.runtime import Runtime

from trivium.kg.errors import UsageError
from trivium.kg.loaders import lettered
from trivium.nodes.keqing.decompose.whole import Whole, made_whole
from trivium.nodes.knowgpt.context import KnowGPTContext
from trivium.nodes.knowgpt.link_entities.by_chains import proposed_by_chains
from trivium.nodes.knowgpt.state import Candidate, ChoiceInput, KnowGPTState
from trivium.nodes.run.access import NO_MODEL
from trivium.nodes.run.conversation import begun, choices_in, question_of, topics_of
from trivium.nodes.run.usage import Usage, fresh_channels
from trivium.tools.find_entities import find_entities
from trivium.tools.link_text import MAX_SOURCES, link_text
from trivium.tools.resolve_entities import resolve_entities

MAX_CHOICES = 100
MAX_CHOICE = 2_000  # characters of one
_TARGETS = 3  # entities of one choice's words: "wear a coat" may be no entity, "wear" and "coat" are


async def link_entities(state: KnowGPTState, runtime: Runtime[KnowGPTContext]) -> dict[str, Any]:
    """Begin a run: link the question and its choices, or propose candidates.

    Raises:
        UsageError, ModelError: the question, a choice or the settings cannot be used.
        UnknownEntityError: a given topic is none of the KG's.
    """
    context = runtime.context
    question, listed = question_of(state), list[str]()
    if not state.get("choices"):
        question, listed = choices_in(question)
    choices, topics = check_choices(state.get("choices") or listed), topics_of(state)
    whole = await made_whole(
        question, state, context.kg, "link_entities", topics=topics, choices=bool(choices), others=False
    )
    question = whole.question
    fresh = begun(state, question)
    named, *offered = await link_text(context.kg, [whole.of_one, *(choice["text"] for choice in choices)])
    given = await resolve_entities(context.kg, topics)
    if whole.about and not whole.named:  # the name of the one that stands for all may be another's too
        named = []
    sources = list(dict.fromkeys([*given, *whole.about[:1], *named, *whole.about[1:]]))[:MAX_SOURCES]
    spent: Usage | None = None
    noted = whole.events
    if whole.unclear:
        sources, by, candidates = [], "nobody", list[Candidate]()
    elif choices:
        by = "choices"
        candidates = [
            Candidate(id=choice["id"], text=choice["text"], entities=entities[:_TARGETS])
            for choice, entities in zip(choices, offered, strict=True)
        ]
    else:
        by, candidates, spent, proposed = await _proposed(question, sources, context, whole)
        noted = [*noted, *proposed]
    info = runtime.execution_info
    return {
        **fresh,
        **whole.channels,
        **fresh_channels(state, spent, noted),
        # A server's run is known to its client by LangGraph's id; any other gets one.
        "run": (info.run_id if info else None) or str(uuid4()),
        "sources": sources,
        "given": bool(given),
        "candidates": candidates,
        "proposed_by": by,
        "choices": [],  # a thread's next question starts without this one's
        "evidence": [],
        "lines": [],
        "expanded": 0,
    }


def check_choices(choices: Sequence[object]) -> list[ChoiceInput]:
    """Choices that can be told apart; those given as texts alone are lettered by their place.

    Raises:
        UsageError: one has no id or words or too many, or an id comes twice.
    """
    seen, read = set[str](), list[ChoiceInput]()
    if not isinstance(choices, list | tuple):  # a server's client sends JSON, which need not be as the schema says
        raise UsageError(f"choices must be a list, not {str(choices)[:80]!r}")
    if len(choices) > MAX_CHOICES:
        raise UsageError(f"a question has at most {MAX_CHOICES} choices, not {len(choices)}")
    for choice, option in zip(choices, lettered(map(str, choices)), strict=True):
        key, text = (choice.get("id"), choice.get("text")) if isinstance(choice, dict) else (option.id, choice)
        if not isinstance(key, str) or not isinstance(text, str) or not key.strip() or not text.strip():
            raise UsageError(f'a choice is {{"id": ..., "text": ...}} with words in both, not {str(choice)[:80]}')
        if len(text) > MAX_CHOICE or len(key) > MAX_CHOICE:
            raise UsageError(f"a choice has at most {MAX_CHOICE:,} characters, not {max(len(text), len(key)):,}")
        if key in seen:
            raise UsageError(f"two choices have the id {key!r}: give each its own")
        seen.add(key)
        read.append(ChoiceInput(id=key, text=text))
    return read


async def _proposed(
    question: str, sources: Sequence[str], context: KnowGPTContext, whole: Whole
) -> tuple[str, list[Candidate], Usage | None, list[dict[str, Any]]]:
    """Candidates of an open question: who proposed them, the candidates, what that cost, what happened."""
    if context.prompt == "direct":
        return "nobody", [], None, []
    spent: Usage | None = None
    noted: list[dict[str, Any]] = []
    if context.model != NO_MODEL and context.propose != "kg":
        from trivium.nodes.knowgpt.link_entities.prompt import (
            propose,  # a run without a model pays nothing for the layer
        )

        outcome = await propose(question, context)
        spent, noted = outcome.usage, list(outcome.events)
        names = [name for name in (outcome.value.candidates if outcome.value else []) if name.strip()]
        found = await _named(names[: context.candidates], sources, context.kg)
        found = [each for each in found if whole.allows(each["id"])]
        if found:
            return "llm", found, spent, noted
        message = "no candidate that the model named is an entity of the KG: the KG proposes"
        noted.append({"stage": "link_entities", "event": "no_candidate", "message": message})
    found = await proposed_by_chains(question, sources, context.kg, context.candidates, whole.allows)
    return "kg", found, spent, noted


async def _named(names: Sequence[str], sources: Sequence[str], kg: str) -> list[Candidate]:
    """The entities that a model's candidates name, each once; what names none is dropped."""
    hits = await find_entities(kg, names, 1) if names else []
    best = {found[0].id: found[0].label for found in hits if found and found[0].id not in sources}
    return [Candidate(id=key, text=label, entities=[key]) for key, label in best.items()]
