"""The questions that were learned from, kept with the KG so that `trivium learn --renew` can learn from them again.

examples/METHOD.json, examples/METHOD-HASH.jsonl.gz
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from trivium.kg.artifact import ArtifactKind
from trivium.kg.files import write_atomic
from trivium.kg.loaders.questions import Question, read_questions
from trivium.kg.types import chain_text

FOLDER = "examples"


def _kind(method: str) -> ArtifactKind:
    return ArtifactKind(
        f"the record of the questions that {method} learned from",
        method,
        1,
        f"run trivium learn {method} with them again",
        private=True,
    )


def keep_examples(kg: Path, method: str, questions: Sequence[Question] | None) -> list[Path]:
    """Keep the questions that a method has learned from, in place of those before; None: it learned from none.

    The caller holds the KG's write lock and registers the files, which are returned, written and removed.
    """
    folder, kind = kg / FOLDER, _kind(method)
    if questions is None:
        return kind.remove(folder)
    folder.mkdir(parents=True, exist_ok=True)
    lines = "".join(json.dumps(_line(question), ensure_ascii=False) + "\n" for question in questions)
    blob = gzip.compress(lines.encode(), mtime=0)  # the same questions are the same bytes
    path = folder / f"{method}-{hashlib.sha256(blob).hexdigest()[:12]}.jsonl.gz"
    write_atomic(path, blob, private=True)
    return kind.save(folder, {"questions": len(questions)}, made_from={}, files={"questions": path})


def read_examples(kg: Path, method: str) -> list[Question] | None:
    """The questions that a method learned from; None where it learned from none, or an older Trivium did not keep them.

    Raises:
        CorruptError, VersionError: as `ArtifactKind.load`.
    """
    folder, kind = kg / FOLDER, _kind(method)
    return read_questions(kind.load(folder).files["questions"]) if kind.exists(folder) else None


def has_examples(kg: Path, method: str) -> bool:
    """Whether the questions that a method learned from are kept."""
    return _kind(method).exists(kg / FOLDER)


def _line(question: Question) -> dict[str, Any]:
    """A question as a line of a question file; what is not known is left out."""
    line: dict[str, Any] = {"id": question.id, "question": question.question}
    if question.topic_entities:
        line["topic_entities"] = list(question.topic_entities)
    if question.choices:
        line["choices"] = [{"id": choice.id, "text": choice.text} for choice in question.choices]
    if question.answers:
        line["answers"] = list(question.answers)
    if question.chain is not None:
        line["chain"] = chain_text(question.chain)
    if question.branches:
        line["branches"] = [{"topic": b.topic, "chain": chain_text(b.chain)} for b in question.branches]
    if question.exclude_topic is not None:
        line["exclude_topic"] = question.exclude_topic
    return line
