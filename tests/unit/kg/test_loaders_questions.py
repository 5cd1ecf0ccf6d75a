"""Question files: the contract's lines, and every problem named with its line."""

import gzip
import json
from pathlib import Path

import pytest

from trivium.kg.errors import BadInputError
from trivium.kg.loaders import Branch, Choice, Question, read_questions
from trivium.kg.types import Hop


def test_every_field_of_the_contract(tmp_path: Path) -> None:
    line = {
        "id": 7,
        "question": "who?",
        "topic_entities": ["X", "Y"],
        "choices": [{"id": "A", "text": "one"}, {"id": 2, "text": "two"}],
        "answers": ["A"],
        "chain": ["directed_by", "^starred_actors"],
        "branches": [{"topic": "X", "chain": ["r"]}, {"topic": "Y", "chain": ["^s"]}],
        "exclude_topic": True,
        "kind": "chain",
        "unknown": {"is": "ignored"},
    }
    (tmp_path / "q.jsonl").write_text("\ufeff" + json.dumps(line) + "\r\n\n" + '{"question": "what\u2028?"}\n')
    first, second = read_questions(tmp_path / "q.jsonl")
    assert first == Question(
        id="7",
        question="who?",
        topic_entities=("X", "Y"),
        choices=(Choice("A", "one"), Choice("2", "two")),
        answers=("A",),
        chain=(Hop("directed_by", False), Hop("starred_actors", True)),
        branches=(Branch("X", (Hop("r", False),)), Branch("Y", (Hop("s", True),))),
        exclude_topic=True,
        kind="chain",
        labeled=True,
    )
    assert second == Question("3", "what\u2028?")
    assert (second.chain, second.exclude_topic, second.labeled) == (None, None, False)


def test_gzip_nulls_and_long_questions(tmp_path: Path) -> None:
    lines = ['{"question": "' + "x" * 20_000 + '", "chain": null, "choices": null}', '{"question": "q", "chain": []}']
    (tmp_path / "q.jsonl.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    first, second = read_questions(tmp_path / "q.jsonl.gz")
    assert (len(first.question), first.chain) == (20_000, None)
    assert second.chain == ()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("not json", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[1]", "expected a JSON object"),
        ("{}", '"question" must be a text'),
        ('{"question": "  "}', '"question" must be a text'),
        ('{"question": 3}', "found 3"),
        (
            '{"question": {"stem": "who?"}, "answerKey": "A"}',
            "trivium eval questions reads the files of other data sets",
        ),
        ('{"question": "q", "id": true}', '"id"'),
        ('{"question": "q", "topic_entities": "Alien"}', '"topic_entities" must be a list'),
        ('{"question": "q", "answers": [{}]}', '"answers" must hold texts'),
        ('{"question": "q", "choices": ["A"]}', '"choices" must hold objects'),
        ('{"question": "q", "choices": [{"id": "A"}]}', '"choices.text"'),
        ('{"question": "q", "chain": "r"}', '"chain" must be a list'),
        ('{"question": "q", "chain": ["^"]}', "without a relation"),
        ('{"question": "q", "branches": [{"chain": ["r"]}]}', '"branches.topic"'),
        ('{"question": "q", "exclude_topic": 1}', "must be true or false"),
        ('{"question": "q \\ud800"}', "surrogate"),
    ],
)
def test_a_problem_is_named_with_its_line(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text('{"question": "fine"}\n' + line + "\n")
    with pytest.raises(BadInputError) as caught:
        read_questions(path)
    assert (caught.value.path, caught.value.line) == (path, 2)
    assert said in str(caught.value)
    assert len(str(caught.value)) < 300 + len(str(path))


def test_bad_bytes_and_empty_files(tmp_path: Path) -> None:
    (tmp_path / "bytes.jsonl").write_bytes(b'{"question": "\xff"}\n')
    with pytest.raises(BadInputError, match="not UTF-8"):
        read_questions(tmp_path / "bytes.jsonl")
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(BadInputError, match="contains no questions"):
        read_questions(tmp_path / "empty.jsonl")


def test_rows_of_a_query_as_answers(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    lines: tuple[list[list[object]], ...] = (
        [["Berlin", 12], ["Rome", 12], ["Oslo", None]],
        [["Berlin"], ["Rome"]],
        [[True]],
        [],
    )
    path.write_text("".join(json.dumps({"question": "Which?", "answers": each}) + "\n" for each in lines))
    wide, narrow, truth, none = read_questions(path)
    assert wide.answers == ("Berlin", "12", "Rome", "Oslo")
    assert wide.rows == (("Berlin", "12"), ("Rome", "12"), ("Oslo",))
    assert (narrow.answers, narrow.rows) == (("Berlin", "Rome"), ())
    assert truth.answers == ("true",)
    assert (none.answers, none.labeled) == ((), True)
