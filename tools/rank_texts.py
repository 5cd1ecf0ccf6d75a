"""`rank_texts`: the similarity of texts to a question by the KG's embedder."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from trivium.kg.text import tokens
from trivium.knowledge.knowledge import Knowledge
from trivium.tools.call import Arguments, Result, tool

_AT_ONCE = 1_000  # texts whose vectors are added up in the event loop: a millisecond or two


class RankTextsArguments(Arguments):
    """How near in meaning each text is to a question: the cosine of their embeddings."""

    question: str = Field(min_length=1, description="the question in words")
    texts: list[str] = Field(min_length=1, description="such as candidate answers")


@tool(RankTextsArguments)
async def rank_texts(kg: Knowledge, question: str, texts: Sequence[str]) -> list[float]:
    """The cosine of each text with the question, in [-1, 1], in input order."""
    if not texts:
        return []
    wanted = [question, *texts]
    at_once = kg.embedder.cheap and len(wanted) <= _AT_ONCE
    vectors = kg.embedder.embed(wanted) if at_once else await asyncio.to_thread(kg.embedder.embed, wanted)
    scores: list[float] = (vectors[1:] @ vectors[0]).astype(float).tolist()
    return scores


_SAID = 0.3
"""Added to the cosine for a word that the question says itself."""


async def nearness(kg: Knowledge, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
    """How near names of schema elements are to a question: their cosine, and 0.3 more for each word that both say."""
    asked = {token.text.removesuffix("s") for token in tokens(question)}
    shared = [len(asked & {token.text.removesuffix("s") for token in tokens(text)}) for text in texts]
    return np.asarray(await rank_texts.operation(kg, question, texts)) + _SAID * np.asarray(shared)


@rank_texts.json
async def _(kg: Knowledge, args: RankTextsArguments) -> Result:
    scores = await rank_texts.operation(kg, args.question, args.texts)
    return {"texts": [{"text": text, "score": score} for text, score in zip(args.texts, scores, strict=True)]}
