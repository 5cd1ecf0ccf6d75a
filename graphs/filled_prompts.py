"""The prompts that a question fills: what a run would send to its model, recorded in place of being sent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from trivium.graphs.methods import answer, method_named
from trivium.kg.errors import UsageError
from trivium.kg.loaders import Choice
from trivium.nodes.keqing.prompts import KEQING_PROMPTS
from trivium.nodes.knowgpt.prompts import KNOWGPT_PROMPTS
from trivium.nodes.model.prompts import Prompt, recording
from trivium.nodes.oda.prompts import ODA_PROMPTS
from trivium.nodes.run.operator import own_runs

PROMPTS: Mapping[str, Sequence[Prompt]] = {"keqing": KEQING_PROMPTS, "knowgpt": KNOWGPT_PROMPTS, "oda": ODA_PROMPTS}
"""The prompts of each method."""

_ASKED: Mapping[str, Sequence[Mapping[str, str]]] = {
    # What a stage asks only of a model that decomposed is recorded in the first run, the rest in the second.
    "keqing": ({}, {"decompose": "llm", "reason": "llm"})
}


async def filled_prompts(
    method: str,
    question: str,
    kg: str,
    *,
    topic_entities: Sequence[str] = (),
    choices: Sequence[Choice] = (),
    settings: Mapping[str, Any] | None = None,
) -> dict[str, list[str]]:
    """The whole texts by prompt's name, in the order in which they would be sent; none where a prompt is not filled.

    A stage falls back after its prompt is recorded, as where its model fails, so later stages see what that gives.
    OpenAI's key has to be in the environment, with any value.

    Raises:
        TriviumError: as `trivium.graphs.methods.answer`.
    """
    found: dict[str, list[str]] = {prompt.name: [] for prompt in PROMPTS[method]}
    for asked in _ASKED.get(method, ({},)):
        own: dict[str, Any] = {"model": "openai:none", **asked, **(settings or {})}
        context = method_named(method).context(kg=kg, **own)
        with own_runs(), recording() as recorded:
            await answer(method, question, context, topic_entities, choices=choices)
        for name in found:
            found[name] += recorded.named(name)
    return found


def check_settings(names: Iterable[str], methods: Iterable[str]) -> None:
    """Raise `UsageError` for a setting that none of these methods has."""
    known = set[str]().union(*(method_named(method).setting_names() for method in methods))
    if unknown := sorted(set(names) - known):
        raise UsageError(f"no setting {unknown[0]!r}; there are {', '.join(sorted(known))}")
