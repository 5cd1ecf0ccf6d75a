"""Multiple-choice data sets of the KnowGPT paper, read from their own files, and the KGs that they are asked over.

CommonsenseQA (Talmor et al., 2019; the in-house split of Lin et al., 2019) and OpenBookQA (Mihaylov et al., 2018) over
ConceptNet, MedQA-USMLE (Jin et al., 2021; five options here, four in the paper) over QA-GNN's USMLE graph.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trivium.kg.errors import BadInputError
from trivium.kg.loaders import Choice, Question

Line = dict[str, Any]


def labelled(line: Line) -> Question:
    """A line of CommonsenseQA or OpenBookQA: stem, labeled choices, the right label."""
    asked = line["question"]
    choices = tuple(Choice(choice["label"], choice["text"]) for choice in asked["choices"])
    return Question(line["id"], asked["stem"], choices=choices, answers=(line["answerKey"],))


def optioned(line: Line) -> Question:
    """A line of MedQA: question, options by letter, the right letter; its id is the question's own words."""
    choices = tuple(Choice(key, text) for key, text in line["options"].items())
    return Question(line["question"][:60], line["question"], choices=choices, answers=(line["answer_idx"],))


@dataclass(frozen=True, slots=True)
class ChoiceSet:
    """A data set: its file of questions and its KG's file under the data folder, and how a line is read."""

    questions: str
    triples: str
    read: Callable[[Line], Question]


CHOICE_SETS = {
    "CommonsenseQA in-house dev": ChoiceSet("csqa/dev_inhouse.jsonl", "conceptnet/triples.tsv.gz", labelled),
    "OpenBookQA dev": ChoiceSet("openbookqa/dev.jsonl", "conceptnet/triples.tsv.gz", labelled),
    "MedQA dev": ChoiceSet("medqa/dev.jsonl", "ddb/triples.tsv", optioned),
}


def read_choices(data: Path, given: ChoiceSet) -> list[Question]:
    """The questions of a set, in its order.

    Raises:
        BadInputError: the file is missing, or a line is not as that set has it.
    """
    path = data / given.questions
    try:
        lines = [line for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise BadInputError(f"cannot be read ({error})", path=path) from error
    found = []
    for number, line in enumerate(lines, 1):
        try:
            found.append(given.read(json.loads(line)))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise BadInputError(f"not a line of that data set ({error!r})", path=path, line=number) from error
    return found
