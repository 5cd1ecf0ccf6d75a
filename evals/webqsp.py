"""WebQSP (Yih et al., 2016) on FB15k-237: the training questions whose chain runs on that KG, all of one hop.

`webqsp_train.jsonl` holds the questions of WebQSP's training split whose chain runs on FB15k-237, with the chain's own
results as answers. So its figures are **not comparable** with published ones on WebQSP, which are against all of
Freebase: name them "WebQSP on FB15k-237" wherever they stand.
"""

from __future__ import annotations

import json
from pathlib import Path

from trivium.kg.errors import BadInputError
from trivium.kg.loaders import Question
from trivium.kg.types import parse_chain

FOLDS = 5


def webqsp_files(data: Path) -> tuple[Path, Path]:
    """The KG's triples and entities."""
    return data / "fb15k237" / "triples.tsv.gz", data / "fb15k237" / "entities.tsv"


def read_webqsp(data: Path, *, topics: bool = False) -> list[Question]:
    """All questions with chain and answers (ids), and with `topics` the topic entity; raises `BadInputError`."""
    path = data / "fb15k237" / "webqsp_train.jsonl"
    try:
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
        return [
            Question(
                line["id"],
                line["question"],
                (line["topic"],) if topics else (),
                answers=tuple(line["answers"]),
                chain=parse_chain(line["chain"]),
            )
            for line in lines
        ]
    except (OSError, ValueError, KeyError) as error:
        raise BadInputError(f"not a WebQSP file ({error})", path=path) from error


def folds(questions: list[Question]) -> list[tuple[list[Question], list[Question]]]:
    """`FOLDS` splits into (learned from, asked), each question asked once; by place, so always the same."""
    return [
        (
            [question for place, question in enumerate(questions) if place % FOLDS != fold],
            [question for place, question in enumerate(questions) if place % FOLDS == fold],
        )
        for fold in range(FOLDS)
    ]
