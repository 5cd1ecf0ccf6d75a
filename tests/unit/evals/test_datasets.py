"""`trivium eval questions`: small samples in each data set's published form, and the real files where they are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.app.cli.running import Trivium, refused
from trivium.evals.datasets import FORMATS, SETS, main, read_data_set
from trivium.evals.metaqa import data_folder
from trivium.kg.errors import BadInputError, UsageError
from trivium.kg.loaders import read_questions

_STEM = {
    "id": "1afa02",
    "question": {"stem": "where is ice?", "choices": [{"label": "A", "text": "north"}, {"label": "B", "text": "oven"}]},
    "answerKey": "A",
}
_MEDQA = {"question": "what cures gout?", "options": {"A": "rest", "B": "allopurinol"}, "answer_idx": "B"}
_CREAK = {"ex_id": "dev_1", "sentence": "Oxygen is a metal.", "label": "false", "entity": "Oxygen", "explanation": "no"}
_KILT = {
    "id": "kilt1",
    "input": "Mapo Bridge [SEP] crosses",
    "output": [{"answer": "Han River", "provenance": []}, {"answer": "Han"}, {"provenance": []}],
    "meta": {"template_questions": ["Over what river does Mapo Bridge cross?", "What does it cross?"]},
}
_TOG = {
    "input": "Droyes [SEP] located in",
    "answer": "Haute-Marne",
    "alias": ["Haute-Marne", "Marne"],
    "qid_topic_entity": {"Q936141": "Droyes"},
}


def _parse(**changed: Any) -> dict[str, Any]:
    return {
        "AnnotatorComment": {"ParseQuality": "Complete", "QuestionQuality": "Good", "Confidence": "Normal"},
        "TopicEntityName": "Jamaica", "TopicEntityMid": "m.03_r3", "PotentialTopicEntityMention": "jamaican",
        "InferentialChain": ["location.country.languages_spoken"], "Constraints": [], "Time": None, "Order": None,
        "Answers": [
            {"AnswerType": "Entity", "AnswerArgument": "m.01428y", "EntityName": "Jamaican English"},
            {"AnswerType": "Value", "AnswerArgument": "1962", "EntityName": None},
        ],
    } | changed  # fmt: skip


_WEBQSP = {
    "Version": "1.0",
    "Questions": [
        {"QuestionId": "WebQTest-0", "RawQuestion": "what does jamaican people speak?", "Parses": [_parse()]},
        {
            "QuestionId": "WebQTest-1",
            "RawQuestion": "who is the oldest?",
            "Parses": [
                _parse(AnnotatorComment={"ParseQuality": "Partial", "QuestionQuality": "Good"}, Answers=[]),
                _parse(Constraints=[{"Operator": "Equal"}], TopicEntityMid=None),
            ],
        },
        {"QuestionId": "WebQTest-2", "RawQuestion": "what?", "Parses": [_parse(AnnotatorComment={})]},
    ],
}
_QALD = {
    "questions": [
        {
            "id": "7",
            "question": [{"language": "de", "string": "wer?"}, {"language": "en", "string": "after whom?"}],
            "query": {"sparql": "SELECT …"},
            "answers": [
                {
                    "head": {"vars": ["result"]},
                    "results": {
                        "bindings": [
                            {"result": {"type": "uri", "value": "http://www.wikidata.org/entity/Q42299"}},
                            {"result": {"type": "literal", "value": "12.5"}},
                        ]
                    },
                }
            ],
        },
        {
            "id": 8,
            "question": [{"language": "en", "string": "is it?"}],
            "answers": [{"head": {}, "boolean": True}],
        },
    ]
}
_TOGS_QALD = {"question": "how many?", "answer": {"+157": "+157"}, "qid_topic_entity": {"Q1": "Universe"}}


def _jsonl(folder: Path, *lines: object) -> Path:
    path = folder / "set.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


def test_choices_keep_their_letters(tmp_path: Path) -> None:
    for name in ("csqa", "obqa"):
        one, two = read_data_set(name, _jsonl(tmp_path, _STEM, {**_STEM, "answerKey": None}))
        assert (one.id, one.question, one.answers, one.labeled) == ("1afa02", "where is ice?", ("A",), True)
        assert [(choice.id, choice.text) for choice in one.choices] == [("A", "north"), ("B", "oven")]
        assert (two.answers, two.labeled) == ((), False), "a test set's answers are not known"
    (drug,) = read_data_set("medqa", _jsonl(tmp_path, _MEDQA))
    assert (drug.answers, [choice.text for choice in drug.choices]) == (("B",), ["rest", "allopurinol"])


def test_webqsp_by_its_good_parse(tmp_path: Path) -> None:
    path = tmp_path / "WebQSP.test.json"
    path.write_text(json.dumps(_WEBQSP))
    spoken, oldest = read_data_set("webqsp", path)
    assert (spoken.topic_entities, spoken.answers) == (("m.03_r3",), ("m.01428y", "1962"))
    assert spoken.chain is not None
    assert [hop.relation for hop in spoken.chain] == ["location.country.languages_spoken"]
    assert (oldest.topic_entities, oldest.chain) == ((), None), "a constraint is no part of a chain"
    (named, _) = read_data_set("webqsp", path, names=True)
    assert (named.topic_entities, named.answers) == (("Jamaica",), ("Jamaican English", "1962"))


def test_qald_in_its_own_form_and_in_togs(tmp_path: Path) -> None:
    path = tmp_path / "qald_10.json"
    path.write_text(json.dumps(_QALD))
    whom, boolean = read_data_set("qald", path)
    assert (whom.id, whom.question, whom.answers) == ("7", "after whom?", ("Q42299", "12.5"))
    assert (boolean.id, boolean.answers) == ("8", ("true",))
    english, german = ([{"language": language, "string": "x?"}] for language in ("en", "de"))
    path.write_text(json.dumps({"questions": [{"id": 1, "question": english}, {"id": 2, "question": german}]}))
    (unknown,) = read_data_set("qald", path)
    assert (unknown.id, unknown.labeled) == ("1", False)
    (many,) = read_data_set("qald", _jsonl(tmp_path, _TOGS_QALD))
    assert (many.answers, many.topic_entities) == (("157",), ("Q1",))


def test_claims_and_slots(tmp_path: Path) -> None:
    known, unknown = read_data_set("creak", _jsonl(tmp_path, _CREAK, {k: _CREAK[k] for k in _CREAK if k != "label"}))
    assert (known.question, known.topic_entities, known.answers) == ("Oxygen is a metal.", ("Oxygen",), ("false",))
    assert not unknown.labeled
    bridge, again = read_data_set("zero-shot-re", _jsonl(tmp_path, _KILT, _KILT))
    assert (bridge.id, bridge.question) == ("kilt1", "Over what river does Mapo Bridge cross?")
    assert (bridge.topic_entities, bridge.answers) == (("Mapo Bridge",), ("Han River", "Han"))
    assert again.question == "What does it cross?"
    (place,) = read_data_set("t-rex", _jsonl(tmp_path, _TOG), names=True)
    assert (place.question, place.topic_entities) == ("Droyes: located in", ("Droyes",))
    assert place.answers == ("Haute-Marne", "Marne")


def test_metaqa_with_its_types_where_they_stand(tmp_path: Path) -> None:
    (tmp_path / "vanilla").mkdir()
    path = tmp_path / "vanilla" / "qa_test.txt"
    path.write_text("who directed [Heat]\tMichael Mann\n")
    (plain,) = read_data_set("metaqa", path)
    assert (plain.question, plain.topic_entities, plain.chain) == ("who directed Heat", ("Heat",), None)
    (tmp_path / "qa_test_qtype.txt").write_text("movie_to_director\n")
    (typed,) = read_data_set("metaqa", path)
    assert typed.chain is not None
    (tmp_path / "qa_test_qtype.txt").write_text("movie_to_director\nmovie_to_year\n")
    with pytest.raises(BadInputError, match="not a MetaQA split"):
        read_data_set("metaqa", path)


def test_a_table_of_ones_own_becomes_lines_that_are_read_again(tmp_path: Path) -> None:
    path, out = tmp_path / "mine.csv", tmp_path / "mine.jsonl"
    path.write_text(
        "question,answers,kind,choices\n"
        "who directed Heat?,Michael Mann | M. Mann,one hop,\n"
        "how many films?,12,count,\n"
        "which is a film?,A,,Heat|Paris\n"
    )
    assert main(["table", str(path), "--out", str(out)]) == 0
    mann, count, choice = read_questions(out)
    assert mann == read_data_set("table", path)[0]
    assert (mann.answers, mann.kind, count.answers) == (("Michael Mann", "M. Mann"), "one hop", ("12",))
    assert [each.id for each in choice.choices] == ["A", "B"]
    path.write_text("frage,antwort\nwer?,er\n")
    with pytest.raises(BadInputError, match="no column question; there are frage, antwort"):
        read_data_set("table", path)


def test_every_form_goes_into_lines_and_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "w.json").write_text(json.dumps(_WEBQSP))
    assert main(["webqsp", str(tmp_path / "w.json"), "--n", "1"]) == 0
    (tmp_path / "lines.jsonl").write_text(capsys.readouterr().out)
    assert read_questions(tmp_path / "lines.jsonl") == read_data_set("webqsp", tmp_path / "w.json")[:1]


def test_another_sets_file_is_named_with_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(BadInputError, match="line 2: not a question of CommonsenseQA"):
        read_data_set("csqa", _jsonl(tmp_path, _STEM, _MEDQA))
    with pytest.raises(BadInputError, match="is not a JSON object with Questions"):
        read_data_set("webqsp", _jsonl(tmp_path, _STEM))
    with pytest.raises(BadInputError, match="an empty question"):
        read_data_set("medqa", _jsonl(tmp_path, {**_MEDQA, "question": " "}))
    split = tmp_path / "qa.txt"
    split.write_text("who directed Heat?\tMichael Mann\n")
    with pytest.raises(BadInputError, match=r"line 1: not a question of .*: no topic entity in \[brackets\]"):
        read_data_set("metaqa", split)
    trivium = Trivium(capsys)
    refused(trivium("eval", "questions", "csqa", tmp_path / "no.jsonl"), "BadInputError", "no.jsonl", code=1)


def test_what_is_here_is_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "medqa").mkdir()
    (tmp_path / "medqa" / "dev.jsonl").write_text(json.dumps(_MEDQA))
    assert main(["--data", str(tmp_path)]) == 0
    counts = dict(line.rsplit("  ", 1) for line in capsys.readouterr().out.splitlines())
    assert {title.strip(): text.strip() for title, text in counts.items() if "not here" not in text} == {
        "MedQA dev": "1 questions, 1.0 answers, 2 choices"
    }
    assert {name for name, _ in SETS.values()} | {"webqsp", "table"} == set(FORMATS)
    with pytest.raises(UsageError, match="name a file of CREAK"):
        main(["creak"])


_HERE = {
    "CommonsenseQA in-house dev": 1_221,
    "OpenBookQA dev": 500,
    "MedQA dev": 1_272,
    "QALD10-en": 166,
    "CREAK": 685,
    "T-REx": 2_500,
    "Zero-Shot RE": 1_862,
    "MetaQA 2-hop dev": 14_872,
}


@pytest.mark.data
@pytest.mark.parametrize("title", _HERE)
def test_the_real_file_is_read_whole(title: str, tmp_path: Path) -> None:
    data, count, (name, file) = data_folder(), _HERE[title], SETS[title]
    if data is None or not (data / file).is_file():
        pytest.skip(f"{file} is not here")
    assert main([name, str(data / file), "--out", str(tmp_path / "q.jsonl")]) == 0
    read = read_questions(tmp_path / "q.jsonl")
    assert len(read) == count
    assert all(question.answers and question.labeled for question in read)
    if read[0].choices:
        assert all(set(q.answers) <= {choice.id for choice in q.choices} for q in read)
    assert read[0].chain is not None or name != "metaqa"
