"""What the fine-tuned model reads and writes: the prompts of the paper's table 1, word for word but for its slips.

Table 1's example output lacks its first `[` and two braces; ours is JSON. The same texts are used for training, for
serving and, through the merged model's chat template, by a server: a fine-tuned model knows no other wording.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

import json_repair

from trivium.policies.keqing.decomposer import MASK, NO_DEPENDENCY, SubQuestion, generated

DECOMPOSE = "The AI assistant can parse the user input to several subquestions:"
"""Instruction of the module Question Decomposition."""

REASON = (
    "Use the following pieces of context to answer the users question. If you don't know the answer, just say that "
    "you don't know, don't try to make up an answer."
)
"""Instruction of the module Candidate Reasoning."""

_MAX_SUB_QUESTIONS = 16  # a model that runs on is cut here


class Example(NamedTuple):
    """One training example: the model is trained to say `target` after `prompt`."""

    prompt: str
    target: str


def decompose_prompt(question: str) -> str:
    """The prompt of one question to decompose."""
    return f"Instruction: {DECOMPOSE}\nInput: {' '.join(question.split())}\nOutput: "


def reason_prompt(question: str, triples: Sequence[str]) -> str:
    """The prompt of one sub-question over its candidates' triples, each serialised as a sentence (section 3.3)."""
    context = " ".join(f"{triple}." for triple in triples)
    return f"Instruction: {REASON}\n-------------\n{context}\nInput: {question}\nOutput: "


def write_decomposition(subs: Sequence[SubQuestion]) -> str:
    """Sub-questions as table 1 has them."""
    return json.dumps(
        [
            {
                "question": sub.question,
                "id": sub.id,
                "dep": list(sub.dep),
                "args": {"seed_entities": list(sub.seed_entities)},
            }
            for sub in subs
        ],
        ensure_ascii=False,
    )


def read_decomposition(text: str) -> tuple[SubQuestion, ...]:
    """Sub-questions from what a model wrote, numbered from 0 in its order; empty where it is no decomposition.

    Tolerant of the flaws in which models write JSON, and strict about meaning: a sub-question without [mask], or one
    that depends on itself or on a later one, makes the whole unreadable, for half a decomposition is another question.
    """
    records = json_repair.loads(text)
    if isinstance(records, dict):
        records = [records]
    if not isinstance(records, list) or not 0 < len(records) <= _MAX_SUB_QUESTIONS:
        return ()
    numbers: dict[int, int] = {}
    out: list[SubQuestion] = []
    for record in records:
        sub = _sub_question(record, len(out), numbers)
        if sub is None:
            return ()
        out.append(sub)
    return tuple(out)


def _sub_question(record: object, number: int, numbers: dict[int, int]) -> SubQuestion | None:
    """One record as sub-question `number`; `numbers` maps the ids that the model gave to ours."""
    if not isinstance(record, dict) or not isinstance(record.get("question"), str) or MASK not in record["question"]:
        return None
    given = record.get("id")
    dep = [d for d in _as_list(record.get("dep")) if d != NO_DEPENDENCY]
    after = tuple(numbers[d] for d in dep if isinstance(d, int) and d in numbers)
    if len(after) < len(dep):
        return None
    if isinstance(given, int):
        numbers[given] = number
    if after:
        return SubQuestion(number, record["question"], after, tuple(generated(d) for d in after))
    args = record.get("args")
    seeds = tuple(
        seed.strip()
        for seed in _as_list(args.get("seed_entities") if isinstance(args, dict) else None)
        if isinstance(seed, str) and seed.strip() and not seed.startswith("<GENERATED>")
    )
    return SubQuestion(number, record["question"], (NO_DEPENDENCY,), seeds) if seeds else None


def _as_list(value: object) -> list[object]:
    """A list as it is, nothing as none, and one value (table 1 leaves brackets out) as the only one."""
    return value if isinstance(value, list) else [] if value is None else [value]


def write_answers(labels: Sequence[str]) -> str:
    """The answers to a sub-question as table 1 has them: `["Douglas Sirk"]`."""
    return json.dumps(list(labels), ensure_ascii=False)


def read_answers(text: str) -> list[str]:
    """The answers that a model wrote, in its order; empty where it wrote no list of texts."""
    said = json_repair.loads(text)
    return [item for item in _as_list(said) if isinstance(item, str) and item.strip()]
