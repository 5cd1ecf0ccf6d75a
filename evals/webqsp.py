"""WebQSP (Yih et al., 2016) on FB15k-237: the training questions whose chain runs on that KG, all of one hop.

`webqsp_train.jsonl` holds the questions of WebQSP's training split whose chain runs on FB15k-237, with the chain's own
results as answers. So its figures are **not comparable** with published ones on WebQSP, which are against all of
Freebase: name them "WebQSP on FB15k-237" wherever they stand.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from trivium.kg.errors import BadInputError
from trivium.kg.loaders import Question
from trivium.kg.store import GraphStore
from trivium.kg.types import parse_chain

FOLDS = 5


def webqsp_files(data: Path) -> tuple[Path, Path]:
    """The KG's triples and entities."""
    return data / "fb15k237" / "triples.tsv.gz", data / "fb15k237" / "entities.tsv"


def _lines(data: Path) -> list[dict[str, Any]]:
    path = data / "fb15k237" / "webqsp_train.jsonl"
    try:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    except (OSError, ValueError) as error:
        raise BadInputError(f"not a WebQSP file ({error})", path=path) from error


def read_webqsp(data: Path, *, topics: bool = False) -> list[Question]:
    """All questions with chain and answers (ids), and with `topics` the topic entity; raises `BadInputError`."""
    try:
        return [
            Question(
                line["id"],
                line["question"],
                (line["topic"],) if topics else (),
                answers=tuple(line["answers"]),
                chain=parse_chain(line["chain"]),
            )
            for line in _lines(data)
        ]
    except KeyError as error:
        raise BadInputError(f"not a WebQSP file ({error})", path=data) from error


async def about_others(data: Path, asked: Sequence[Question], store: GraphStore) -> list[Question]:
    """The questions about the topic of another one, which the gold chain does not leave; it is given and named.

    A few have an answer by another relation all the same ("where is X?"): what is claimed of them says more beside
    another figure than by itself. Left out are questions that do not hold their topic's mention.
    """
    mentions = {line["id"]: line["mention"] for line in _lines(data)}
    topics = sorted({topic for question in read_webqsp(data, topics=True) for topic in question.topic_entities})
    hops = dict(zip(topics, await store.hops(topics), strict=True))
    labels = dict(zip(topics, await store.labels(topics), strict=True))
    chance, out = random.Random(0), list[Question]()
    for question in asked:
        text, chain = mentions[question.id], question.chain or ()
        if text in question.question and chain:
            topic = chance.choice([topic for topic in topics if chain[0] not in hops[topic]])
            other = question.question.replace(text, labels[topic].lower())
            out.append(Question(question.id, other, (topic,), chain=chain))
    return out


def folds(questions: list[Question]) -> list[tuple[list[Question], list[Question]]]:
    """`FOLDS` splits into (learned from, asked), each question asked once; by place, so always the same."""
    return [
        (
            [question for place, question in enumerate(questions) if place % FOLDS != fold],
            [question for place, question in enumerate(questions) if place % FOLDS == fold],
        )
        for fold in range(FOLDS)
    ]
