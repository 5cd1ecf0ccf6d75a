"""Question lines from data sets' own files: `trivium eval questions FORMAT FILE [--n N] [--names] [--out F]`.

Each set is read as its authors publish it; QALD-10, CREAK, T-REx and Zero-Shot RE also as ToG's release has them, with
topic entities. Without a format: how many questions each set has that is in the folder of the data.

`table` reads a file of your own with a header (CSV, TSV, JSON, Parquet): the column `question`, and where there are any
`answers`, `topic_entities`, `choices` (several in a cell: with | between them), `id` and `kind`.
Entities are given by their ids where the file has them; `--names` gives names, for a KG that has other ids.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Any

from trivium.evals.metaqa import HOPS, data_folder, metaqa_question, spread
from trivium.kg.errors import BadInputError, UsageError
from trivium.kg.files import write_atomic
from trivium.kg.loaders import Choice, Question, read_objects
from trivium.kg.loaders.questions import lettered, parse_question, question_line
from trivium.kg.tables.reading import read_tables
from trivium.kg.types import Hop

Item = dict[str, Any]


@dataclass(frozen=True, slots=True)
class QuestionFormat:
    """How a data set is published.

    Attributes:
        what: the set, and where it is published.
        items: the file's questions as objects, each with its number or line, from 1.
        read: a question from an object, its number and whether names are wanted; None for one that is left out.
            `KeyError`, `TypeError` and such say that the object is of another form.
    """

    what: str
    items: Callable[[Path], Iterable[tuple[int, Item]]]
    read: Callable[[Item, int, bool], Question | None]


def read_data_set(name: str, path: Path, *, names: bool = False) -> list[Question]:
    """The questions of a file in the format of that name (`FORMATS`), in its order.

    Args:
        name: the format's.
        path: the file, as published; JSON lines also packed with gzip.
        names: give entities by their names, not by their ids, where the file has both.

    Raises:
        BadInputError: the file is missing or contains no questions; an item is not of that format.
    """
    given = FORMATS[name]
    found = []
    for number, item in given.items(path):
        try:
            question = given.read(item, number, names)
            if question is not None and not question.question.strip():
                raise ValueError("an empty question")
        except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
            why = f"lacks {error}" if isinstance(error, KeyError) else f"{error}"
            raise BadInputError(f"not a question of {given.what}: {why}", path=path, line=number) from error
        if question is not None:
            found.append(question)
    if not found:
        raise BadInputError("contains no questions", path=path)
    return found


def _stem(item: Item, _number: int, _names: bool) -> Question:
    asked = item["question"]
    choices = tuple(Choice(choice["label"], choice["text"]) for choice in asked["choices"])
    return Question(str(item["id"]), asked["stem"], choices=choices, **_gold(item.get("answerKey")))


def _options(item: Item, _number: int, _names: bool) -> Question:
    """The id is the question's own words: MedQA has none."""
    choices = tuple(Choice(key, text) for key, text in item["options"].items())
    return Question(item["question"][:60], item["question"], choices=choices, **_gold(item.get("answer_idx")))


def _parses(item: Item, _number: int, names: bool) -> Question | None:
    """By the first parse that its annotators call good and complete; None without one, as WebQSP's own script."""
    good = {"QuestionQuality": "Good", "ParseQuality": "Complete"}
    whole = [parse for parse in item["Parses"] if good.items() <= parse.get("AnnotatorComment", good).items()]
    if not whole:
        return None
    parse = whole[0]
    topic = parse["TopicEntityName"] if names else parse["TopicEntityMid"]
    answers = [(names and each.get("EntityName")) or each["AnswerArgument"] for each in parse["Answers"]]
    plain = not (parse.get("Constraints") or parse.get("Order") or parse.get("Time"))
    chain = parse["InferentialChain"] if plain else None
    return Question(
        item["QuestionId"],
        item["RawQuestion"],
        (topic,) if topic else (),
        chain=tuple(Hop(relation, False) for relation in chain) if chain else None,
        **_gold(*answers),
    )


def _qald(item: Item, number: int, names: bool) -> Question | None:
    """ToG's object, or QALD's own in its English wording, None without one; QALD's has no names and no topic."""
    if isinstance(item["question"], str):
        return Question(
            str(number), item["question"], _entities(item["qid_topic_entity"], names), **_gold(*_ends(item, names))
        )
    text = next((each["string"] for each in item["question"] if each["language"] == "en"), None)
    if text is None:
        return None
    found = next(iter(item.get("answers") or ()), None)
    answers: list[str | None] = []
    if found is None:
        answers = [None]  # a test set's are not known
    elif "boolean" in found:
        answers = [str(found["boolean"]).lower()]
    else:
        cells = [cell["value"] for row in found["results"]["bindings"] for cell in row.values()]
        answers = [cell.rpartition("/")[2] if "://" in cell else cell for cell in cells]
    return Question(str(item["id"]), text, **_gold(*answers))


def _ends(item: Item, names: bool) -> tuple[str, ...]:
    """ToG's answers, numbers among them as +157."""
    return tuple(each.removeprefix("+") for each in _entities(item["answer"], names))


def _claim(item: Item, _number: int, names: bool) -> Question:
    topics = item.get("qid_topic_entity") or {item["entity"]: item["entity"]}
    return Question(item["ex_id"], item["sentence"], _entities(topics, names), **_gold(item.get("label")))


def _slot(item: Item, number: int, names: bool) -> Question:
    """ToG's or KILT's: in words where there are any, of which a question's place chooses, else "entity: relation"."""
    worded = item.get("template_questions") or item.get("meta", {}).get("template_questions")
    subject, relation = item["input"].split(" [SEP] ")
    text = worded[(number - 1) % len(worded)] if worded else f"{subject}: {relation}"
    topics = item.get("qid_topic_entity") or {subject: subject}
    if "output" in item:
        answers = [each["answer"] for each in item["output"] if each.get("answer")]
    else:
        answers = [item["answer"], *(item.get("alias") or ())]
    return Question(str(item.get("id", number)), text, _entities(topics, names), **_gold(*answers))


def _row(item: Item, number: int, _names: bool) -> Question:
    """As a question line has it; a cell with | holds several."""
    line: Item = {"id": str(number), **{name: cells[0] for name, cells in item.items() if cells}}
    for name in ("answers", "topic_entities", "choices"):
        if name in item:
            line[name] = [part.strip() for cell in item[name] for part in cell.split("|") if part.strip()]
    if "choices" in line:
        line["choices"] = [{"id": choice.id, "text": choice.text} for choice in lettered(line["choices"])]
    return parse_question(line, str(number))


def _metaqa(item: Item, number: int, _names: bool) -> Question:
    if not {"[", "]"}.issubset(item["line"]):
        raise ValueError("no topic entity in [brackets]")
    return metaqa_question(str(number), item["line"], item["type"], topics=True)


def _gold(*answers: str | None) -> dict[str, Any]:
    found = tuple(dict.fromkeys(str(answer) for answer in answers if answer not in (None, "")))
    return {"answers": found, "labeled": bool(found) or not answers}


def _entities(given: dict[str, str], names: bool) -> tuple[str, ...]:
    return tuple(dict.fromkeys(given.values() if names else given))


def _list_of(*keys: str) -> Callable[[Path], Iterator[tuple[int, Item]]]:
    """Reads one JSON object that holds the questions under one of the keys."""

    def items(path: Path) -> Iterator[tuple[int, Item]]:
        try:
            whole = json.loads(path.read_text(encoding="utf-8"))
            yield from enumerate(next(whole[key] for key in keys if key in whole), 1)
        except (OSError, ValueError, TypeError, StopIteration) as error:
            raise BadInputError(f"is not a JSON object with {' or '.join(keys)} ({error!r})", path=path) from error

    return items


def _qald_items(path: Path) -> Iterable[tuple[int, Item]]:
    return read_objects(path) if ".jsonl" in path.suffixes else _list_of("questions")(path)


def _metaqa_items(path: Path) -> Iterator[tuple[int, Item]]:
    """With the types of `qa_SPLIT_qtype.txt`, where it stands in the file's folder or the one above, as published."""
    try:
        lines = [line for line in path.read_text(encoding="utf-8").split("\n") if line]
        beside = [folder / f"{path.stem}_qtype.txt" for folder in (path.parent, path.parent.parent)]
        kinds = next((file.read_text(encoding="utf-8").split("\n") for file in beside if file.is_file()), None)
        pairs = zip(lines, [kind for kind in kinds if kind], strict=True) if kinds else zip(lines, repeat(""))
        yield from ((number, {"line": line, "type": kind}) for number, (line, kind) in enumerate(pairs, 1))
    except (OSError, ValueError) as error:
        raise BadInputError(f"not a MetaQA split ({error})", path=path) from error


def _rows(path: Path) -> Iterator[tuple[int, Item]]:
    (table, *_) = read_tables([path])
    if "question" not in table.columns:
        raise BadInputError(f"has no column question; there are {', '.join(table.columns)}", path=path)
    yield from ((number, dict(zip(table.columns, row, strict=True))) for number, row in enumerate(table.rows(), 2))


FORMATS = {
    "metaqa": QuestionFormat("MetaQA (github.com/yuyuz/MetaQA), vanilla/qa_SPLIT.txt", _metaqa_items, _metaqa),
    "webqsp": QuestionFormat("WebQuestionsSP (Microsoft), WebQSP.SPLIT.json", _list_of("Questions"), _parses),
    "csqa": QuestionFormat("CommonsenseQA (tau-nlp.org/commonsenseqa)", read_objects, _stem),
    "obqa": QuestionFormat("OpenBookQA (allenai.org), Main", read_objects, _stem),
    "medqa": QuestionFormat("MedQA-USMLE (github.com/jind11/MedQA)", read_objects, _options),
    "qald": QuestionFormat("QALD-10 (github.com/KGQA/QALD-10) or ToG's, one JSON object or lines", _qald_items, _qald),
    "creak": QuestionFormat("CREAK (github.com/yasumasaonoe/creak) or ToG's", read_objects, _claim),
    "t-rex": QuestionFormat("T-REx (KILT's or ToG's)", read_objects, _slot),
    "zero-shot-re": QuestionFormat("Zero-Shot RE (KILT's or ToG's)", read_objects, _slot),
    "table": QuestionFormat("a table with a column question", _rows, _row),
}


SETS = {
    **{f"MetaQA {hops}-hop dev": ("metaqa", f"metaqa/{hops}-hop/vanilla/qa_dev.txt") for hops in HOPS},
    "CommonsenseQA in-house train": ("csqa", "csqa/train_inhouse.jsonl.gz"),
    "CommonsenseQA in-house dev": ("csqa", "csqa/dev_inhouse.jsonl"),
    "OpenBookQA train": ("obqa", "openbookqa/train.jsonl"),
    "OpenBookQA dev": ("obqa", "openbookqa/dev.jsonl"),
    "MedQA dev": ("medqa", "medqa/dev.jsonl"),
    "QALD10-en": ("qald", "oda/qald10-en.dev.jsonl"),
    "CREAK": ("creak", "oda/creak.dev.jsonl"),
    "T-REx": ("t-rex", "oda/t-rex.dev.jsonl"),
    "Zero-Shot RE": ("zero-shot-re", "oda/zero-shot-re.dev.jsonl"),
}
"""The papers' sets in the folder of the data: format and file."""


def read_set(data: Path, title: str, *, names: bool = False) -> list[Question]:
    """The questions of one of `SETS`; raises `BadInputError` as `read_data_set`."""
    name, file = SETS[title]
    return read_data_set(name, data / file, names=names)


def _counts(data: Path | None, only: Sequence[str]) -> int:
    if data is None:
        raise UsageError("the data sets are not here: name their folder with --data or TRIVIUM_DATA")
    for title, (_, file) in SETS.items():
        if only and not title.startswith(tuple(only)):
            continue
        questions = read_set(data, title) if (data / file).is_file() else []
        answers = sum(len(question.answers) for question in questions) / max(len(questions), 1)
        choices = f", {len(questions[0].choices)} choices" if questions and questions[0].choices else ""
        print(
            f"{title:30} {f'{len(questions):,} questions, {answers:.1f} answers{choices}' if questions else 'not here'}"
        )
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the question lines, or count; raises `TriviumError` as `read_data_set`."""
    parser = argparse.ArgumentParser(
        prog="trivium eval questions", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="\n".join(["formats:", *(f"  {name:13} {given.what}" for name, given in FORMATS.items())]),
    )  # fmt: skip
    parser.add_argument("format", nargs="?", choices=FORMATS, metavar="FORMAT", help="one of those below")
    parser.add_argument("file", nargs="?", type=Path, metavar="FILE", help="the questions' file")
    parser.add_argument("--data", type=Path, default=data_folder(), help="without a format: the folder of the data")
    parser.add_argument("--only", action="append", default=[], metavar="SET", help="without a format: sets called so")
    parser.add_argument("--n", type=int, help="so many questions, evenly spread (default: all)")
    parser.add_argument("--names", action="store_true", help="entities by name, not by id")
    parser.add_argument("--out", type=Path, metavar="QUESTIONS.jsonl", help="default: standard output")
    given = parser.parse_args(arguments)
    if given.format is None:
        return _counts(given.data, given.only)
    if given.file is None:
        raise UsageError(f"name a file of {FORMATS[given.format].what}")
    if given.n is not None and given.n < 1:
        raise UsageError("--n takes a number from 1")
    found = read_data_set(given.format, given.file, names=given.names)
    lines = "".join(f"{question_line(each)}\n" for each in spread(found, given.n or len(found)))
    if given.out is None:
        sys.stdout.write(lines)
    else:
        write_atomic(given.out, lines.encode())
        print(f"wrote {lines.count(chr(10))} of {len(found)} questions to {given.out}", file=sys.stderr)
    return 0
