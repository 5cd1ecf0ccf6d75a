"""The prompt bandit's choice and update, and a whole KnowGPT question without a model."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

import numpy as np

from trivium.evals.bench.report import Figure, in_turn, percentile
from trivium.graphs.knowgpt import graph
from trivium.kg.loaders import Question
from trivium.knowledge.knowledge import close_all, open_knowledge
from trivium.nodes.knowgpt.context import KnowGPTContext
from trivium.nodes.knowgpt.state import KnowGPTInput
from trivium.policies.bandit.bandit import ARMS, PromptBandit
from trivium.policies.paths.examples import MAX_SOURCES, link_texts
from trivium.policies.paths.extraction import extract_paths

_DIMENSIONS, _PULLS = 256, 200
_CHOICE_GOAL, _QUESTION_GOAL = 3_000.0, 100.0  # microseconds, of a question's milliseconds; milliseconds


def measure_bandit() -> Figure:
    """A choice among six arms and the update that follows, beside solving the chosen arm's ridge regression anew."""
    rng = np.random.default_rng(0)
    contexts = rng.normal(size=(_PULLS, _DIMENSIONS)).astype(np.float32)
    contexts /= np.linalg.norm(contexts, axis=1, keepdims=True)
    bandit = PromptBandit(_DIMENSIONS)
    places = {arm.name: place for place, arm in enumerate(ARMS)}
    gram, moment = np.eye(_DIMENSIONS), np.ones(_DIMENSIONS)

    def choose_and_update() -> None:
        for context in contexts:
            bandit.update(places[bandit.choose(context).arm.name], context, 1.0)

    def solve() -> None:
        for context in contexts[:10]:
            np.linalg.solve(gram + np.outer(context, context), moment)

    ours, solved = in_turn(choose_and_update, solve, rounds=5)
    taken, yardstick = 1e6 * ours / _PULLS, 1e6 * solved / 10
    return Figure(
        "bandit: choice + update, 256 x 6 arms", taken, "us", "one ridge regression solved anew", yardstick,
        "<= 3000", taken <= _CHOICE_GOAL,
    )  # fmt: skip


async def measure_prompting(kg: str, questions: Sequence[Question]) -> Figure:
    """The median question with choices through the compiled graph, beside the extraction of its paths alone."""
    context = KnowGPTContext(kg=kg)
    whole, walks = list[float](), list[float]()
    try:
        knowledge = await open_knowledge(kg)
        for number, question in enumerate(questions):
            texts = [question.question, *(choice.text for choice in question.choices)]
            sources, *offered = await link_texts(knowledge.store, texts)
            targets = [entity for entities in offered for entity in entities[:1]]
            given: KnowGPTInput = {
                "question": question.question,
                "choices": [{"id": choice.id, "text": choice.text} for choice in question.choices],
            }
            began = perf_counter()
            await extract_paths(knowledge, question.question, sources[:MAX_SOURCES], targets)
            walked = perf_counter() - began
            began = perf_counter()
            await graph.ainvoke(given, context=context)
            if number:  # the first one makes what is derived from the KG
                whole.append(perf_counter() - began)
                walks.append(walked)
    finally:
        await close_all()
    taken = percentile(whole, 0.5)
    return Figure(
        "KnowGPT, a question without a model, p50", taken, "ms", "its paths extracted, p50", percentile(walks, 0.5),
        "<= 100", taken <= _QUESTION_GOAL,
    )  # fmt: skip
