"""Question files: JSON lines for learning, asking and scoring, in the shape that the contract fixes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trivium.kg.errors import BadInputError
from trivium.kg.loaders.source import Source, decode
from trivium.kg.types import LogicalChain, chain_text, parse_chain


@dataclass(frozen=True, slots=True)
class Choice:
    """One option of a multiple-choice question."""

    id: str
    text: str


def lettered(texts: Iterable[str]) -> list[Choice]:
    """Options that have no ids, named by their places: A to Z, then A2, B2 and so on."""
    return [
        Choice(f"{chr(ord('A') + place % 26)}{place // 26 + 1 if place >= 26 else ''}", text)
        for place, text in enumerate(texts)
    ]


@dataclass(frozen=True, slots=True)
class Branch:
    """One arm of a question with several topics: a chain from its own topic (id or label)."""

    topic: str
    chain: LogicalChain


@dataclass(frozen=True, slots=True)
class Question:
    """A question and what is known about it; only `id` and `question` are always there.

    Attributes:
        id: its id, by default its line number.
        question: the text, not empty.
        topic_entities: entities it is about, ids or labels.
        choices: its options.
        answers: gold answers, ids or labels; for choices the choice's id.
        chain: the gold logical chain; None where the line has none.
        branches: the gold chains of a question with several topics, whose results are intersected.
        exclude_topic: whether the gold answers leave the topic entity out; None where the line does not say.
        kind: what sort of question it is, in its author's words; "" where the line does not say.
        labeled: whether the line has `answers`; an empty list means that nothing must be claimed.
        rows: gold answers that are rows of several cells, as a query returns them; `answers` has their distinct cells.
    """

    id: str
    question: str
    topic_entities: tuple[str, ...] = ()
    choices: tuple[Choice, ...] = ()
    answers: tuple[str, ...] = ()
    chain: LogicalChain | None = None
    branches: tuple[Branch, ...] = ()
    exclude_topic: bool | None = None
    kind: str = ""
    labeled: bool = False
    rows: tuple[tuple[str, ...], ...] = ()


def read_questions(path: Path | str) -> list[Question]:
    """All questions of a JSON lines file (or `.gz`), in its order; unknown keys are ignored, blank lines skipped.

    Raises:
        BadInputError: with file and line, when a line is not a JSON object, has no question or a value of a wrong type;
            when the file is missing, damaged or contains no questions.
    """
    questions = [_question(line, path, number) for number, line in read_objects(path)]
    if not questions:
        raise BadInputError("contains no questions", path=path)
    return questions


def _question(line: dict[str, Any], path: Path | str, number: int) -> Question:
    try:
        return parse_question(line, str(number))
    except _ProblemError as problem:
        raise BadInputError(str(problem), path=path, line=number) from problem


def read_objects(path: Path | str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The JSON objects of a JSON lines file (or `.gz`) with their line numbers; blank lines are skipped.

    Raises:
        BadInputError: with file and line, when a line is not a JSON object; when the file is missing or damaged.
    """
    source = Source(path)
    number = 0
    with closing(source.blocks()) as blocks:
        for block in blocks:
            for line in block.split(b"\n")[:-1]:
                number += 1
                if not line.strip():
                    continue
                try:
                    yield number, _json_object(decode(line, source.path, number))
                except _ProblemError as problem:
                    raise BadInputError(str(problem), path=source.path, line=number) from problem


def parse_question(line: dict[str, Any], default_id: str) -> Question:
    """A question from one JSON object; raises `ValueError` that says which value is wrong."""
    question = line.get("question")
    if not isinstance(question, str) or not question.strip():
        other = "" if isinstance(question, str) else "; trivium eval questions reads the files of other data sets"
        raise _ProblemError(f'"question" must be a text that is not empty, found {_show(question)}{other}')
    chain = line.get("chain")
    answers, rows = _answers(line.get("answers"))
    return Question(
        id=_id(line["id"], "id") if line.get("id") is not None else default_id,
        question=question,
        topic_entities=_texts(line.get("topic_entities"), "topic_entities"),
        choices=_choices(line.get("choices")),
        answers=answers,
        rows=rows,
        chain=None if chain is None else _chain(chain, "chain"),
        branches=tuple(_branch(item) for item in _list(line.get("branches"), "branches")),
        exclude_topic=_flag(line.get("exclude_topic"), "exclude_topic"),
        kind=str(line.get("kind") or ""),
        labeled=line.get("answers") is not None,
    )


def question_line(question: Question) -> str:
    """A question as a line that `read_questions` reads; what is not known of it is left out."""
    line: dict[str, Any] = {"id": question.id, "question": question.question}
    if question.topic_entities:
        line["topic_entities"] = question.topic_entities
    if question.choices:
        line["choices"] = [{"id": choice.id, "text": choice.text} for choice in question.choices]
    if question.labeled:
        line["answers"] = question.rows or question.answers
    if question.chain:
        line["chain"] = chain_text(question.chain)
    if question.branches:
        line["branches"] = [{"topic": each.topic, "chain": chain_text(each.chain)} for each in question.branches]
    if question.exclude_topic is not None:
        line["exclude_topic"] = question.exclude_topic
    if question.kind:
        line["kind"] = question.kind
    return json.dumps(line, ensure_ascii=False)


class _ProblemError(ValueError):
    """What is wrong with one line, in words; the reader adds where."""


def _json_object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _ProblemError(f"not JSON ({error})") from error
    if not isinstance(value, dict):
        raise _ProblemError(f"expected a JSON object, found {_show(value)}")
    if "\\ud" in text.lower():  # half of a surrogate pair is valid JSON and no valid text
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            raise _ProblemError("half of a surrogate pair (\\ud800 to \\udfff) is not a character") from error
    return value


def _list(value: object, key: str) -> list[object]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise _ProblemError(f'"{key}" must be a list, found {_show(value)}')
    return value


def _text(value: object, key: str) -> str:
    if not isinstance(value, str) or not value:
        raise _ProblemError(f'"{key}" must hold texts that are not empty, found {_show(value)}')
    return value


def _texts(value: object, key: str) -> tuple[str, ...]:
    return tuple(_text(item, key) for item in _list(value, key))


def _answers(value: object) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Gold answers, and the rows where they are given as rows of several cells; null and empty cells are left out."""
    given = _list(value, "answers")
    if not given or not all(isinstance(each, list) for each in given):
        return tuple(_text(_cell(each) if isinstance(each, int | float) else each, "answers") for each in given), ()
    rows = tuple(tuple(_cell(each) for each in _list(row, "answers") if each not in (None, "")) for row in given)
    cells = tuple(dict.fromkeys(cell for row in rows for cell in row))
    return cells, rows if any(len(row) > 1 for row in rows) else ()


def _cell(value: object) -> str:
    if isinstance(value, list | dict):
        raise _ProblemError(f'a row of "answers" must hold texts, numbers and truth values, found {_show(value)}')
    return value if isinstance(value, str) else json.dumps(value)


def _id(value: object, key: str) -> str:
    """A text; a whole number is taken as its digits."""
    return str(value) if type(value) is int else _text(value, key)


def _flag(value: object, key: str) -> bool | None:
    if value is not None and not isinstance(value, bool):
        raise _ProblemError(f'"{key}" must be true or false, found {_show(value)}')
    return value


def _chain(value: object, key: str) -> LogicalChain:
    hops = _texts(value, key)
    if "^" in hops:
        raise _ProblemError(f'"{key}" has a hop "^" without a relation')
    return parse_chain(hops)


def _object(value: object, key: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _ProblemError(f'"{key}" must hold objects, found {_show(value)}')
    return value


def _choices(value: object) -> tuple[Choice, ...]:
    choices = tuple(_choice(item) for item in _list(value, "choices"))
    ids = [choice.id for choice in choices]
    if len(set(ids)) < len(ids):
        twice = next(id_ for id_ in ids if ids.count(id_) > 1)
        raise _ProblemError(f'two "choices" have the id {_show(twice)}')
    return choices


def _choice(item: object) -> Choice:
    choice = _object(item, "choices")
    return Choice(_id(choice.get("id"), "choices.id"), _text(choice.get("text"), "choices.text"))


def _branch(item: object) -> Branch:
    branch = _object(item, "branches")
    return Branch(_text(branch.get("topic"), "branches.topic"), _chain(branch.get("chain"), "branches.chain"))


def _show(value: object) -> str:
    text = "nothing" if value is None else json.dumps(value, ensure_ascii=True)
    return text if len(text) <= 60 else text[:59] + "…"
