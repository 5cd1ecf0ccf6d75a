"""The second variant of candidate reasoning: a fine-tuned model over serialised triples (Keqing, section 3.3)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from trivium.kg.text import fold_name
from trivium.policies.lora.generation import Said
from trivium.policies.lora.prompts import read_answers, reason_prompt

Speak = Callable[[Sequence[str]], Sequence[Said]]
"""What a model says to each prompt; blocks."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which candidates the model takes.

    Attributes:
        ids: of the candidates that it named, in its order.
        invented: what it named beside them, dropped: only a candidate may be an answer.
    """

    ids: tuple[str, ...]
    invented: tuple[str, ...]


@dataclass(frozen=True)
class LoraReasoner:
    """A fine-tuned model that reads a sub-question's triples as text and names the answers."""

    speak: Speak

    async def choose(self, questions: Sequence[Asked]) -> list[Chosen]:
        """The answers to several sub-questions at once, each among its own candidates."""
        prompts = [reason_prompt(asked.question, asked.triples) for asked in questions]
        said = await asyncio.to_thread(self.speak, prompts)
        return [_chosen(read_answers(text.text), asked.candidates) for text, asked in zip(said, questions, strict=True)]


@dataclass(frozen=True, slots=True)
class Asked:
    """A sub-question in words without a mask, its triples serialised as text, and its candidates: id -> label."""

    question: str
    triples: tuple[str, ...]
    candidates: Mapping[str, str]


def _chosen(said: Sequence[str], candidates: Mapping[str, str]) -> Chosen:
    """Names become candidates by their folded label; namesakes are all meant."""
    named: dict[str, list[str]] = {}
    for key, label in candidates.items():
        named.setdefault(fold_name(label), []).append(key)
    ids = [key for name in said for key in named.get(fold_name(name), ())]
    invented = [name for name in said if fold_name(name) not in named]
    return Chosen(tuple(dict.fromkeys(ids)), tuple(dict.fromkeys(invented)))
