"""MetaQA's files as questions, here with files of a few lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from trivium.evals.metaqa import data_folder, is_held_out, read_metaqa, reworded, spread, triples_file
from trivium.kg.errors import BadInputError
from trivium.kg.loaders import Question
from trivium.kg.types import chain_text


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "metaqa" / "2-hop"
    (folder / "vanilla").mkdir(parents=True)
    (folder / "vanilla" / "qa_dev.txt").write_text(
        "films of the director of [Heat]\tAli|Thief\nwho acts with [Al]\tBo\n"
    )
    (folder / "qa_dev_qtype.txt").write_text("movie_to_director_to_movie\nactor_to_movie_to_actor\n")
    return tmp_path


def test_questions_with_chains_and_answers(data: Path) -> None:
    first, second = read_metaqa(data, 2)
    assert (first.id, first.question, first.answers) == ("2-0", "films of the director of Heat", ("Ali", "Thief"))
    assert chain_text(first.chain or ()) == ["directed_by", "^directed_by"]
    assert chain_text(second.chain or ()) == ["^starred_actors", "starred_actors"]
    assert first.topic_entities == ()
    assert [question.topic_entities for question in read_metaqa(data, 2, topics=True)] == [("Heat",), ("Al",)]


def test_questions_in_other_words(data: Path) -> None:
    questions = read_metaqa(data, 2, topics=True)
    assert reworded(data, questions) == []
    rows = ("movie_to_year\tsince when is {topic} out?", "movie_to_director_to_movie\twhat else is by {topic}'s maker?")
    (data / "metaqa" / "reworded.tsv").write_text("\n".join(rows))
    assert [(known, new.question, new.answers) for known, new in reworded(data, questions)] == [
        (questions[0], "what else is by Heat's maker?", ("Ali", "Thief"))
    ]


def test_files_that_are_missing_or_do_not_fit_are_refused(data: Path) -> None:
    with pytest.raises(BadInputError, match="1-hop"):
        read_metaqa(data, 1)
    (data / "metaqa" / "2-hop" / "qa_dev_qtype.txt").write_text("movie_to_year\n")
    with pytest.raises(BadInputError, match="not a MetaQA split"):
        read_metaqa(data, 2)


def test_a_fifth_is_held_out_by_the_text_alone() -> None:
    questions = [Question(str(number), f"who directed film {number}") for number in range(2_000)]
    held = {question.question for question in questions if is_held_out(question)}
    assert 300 < len(held) < 500
    assert held == {question.question for question in map(_renumbered, questions) if is_held_out(question)}


def _renumbered(question: Question) -> Question:
    return Question("x", question.question, answers=("a",))


def test_questions_are_taken_evenly() -> None:
    questions = [Question(str(number), "who?") for number in range(10)]
    assert [question.id for question in spread(questions, 5)] == ["0", "2", "4", "6", "8"]
    assert spread(questions, 50) == questions


def test_where_the_data_is(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIVIUM_DATA", str(data))
    assert data_folder() == data
    assert triples_file(data) == data / "metaqa" / "kb.txt"
    monkeypatch.setenv("TRIVIUM_DATA", str(data / "nothing"))
    assert data_folder() is None
