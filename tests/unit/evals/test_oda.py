"""ODA's measurements on small data of their own: what is read, what is asked, what is told."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from trivium.evals import oda
from trivium.evals.datasets import read_data_set
from trivium.evals.oda import VARIANTS, main, mean_score, question_sets
from trivium.kg.embedded import build
from trivium.kg.errors import BadInputError
from trivium.kg.loaders import Question
from trivium.kg.types import Triple
from trivium.knowledge.knowledge import close_all
from trivium.nodes.oda.context import OdaContext

FACTS = [
    Triple("Heat", "/film/film/directed_by", "Michael Mann"),
    Triple("Heat", "/film/film/genre", "thriller"),
    Triple("Ronin", "/film/film/genre", "thriller"),
]


def slot(topic: str, relation: str, answer: str, *worded: str) -> dict[str, object]:
    found: dict[str, object] = {
        "input": f"{topic} [SEP] {relation}",
        "answer": answer,
        "alias": [answer, answer.upper()],
        "qid_topic_entity": {"Q1": topic},
    }
    return found | ({"template_questions": list(worded)} if worded else {})


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder in the shape of the public sets, with two questions of each."""
    lines = [slot("Heat", "director", "Michael Mann"), slot("Ronin", "genre", "thriller", "what is Ronin's genre?")]
    (tmp_path / "oda").mkdir()
    sets: dict[str, list[dict[str, object]]] = {
        "zero-shot-re": lines,
        "t-rex": lines,
        "qald10-en": [{"question": "who directed Heat?", "answer": {"Q2": "Michael Mann"}, "qid_topic_entity": {}}],
        "creak": [{"ex_id": "1", "sentence": "Heat is a thriller.", "label": "true", "entity": "Heat"}],
    }
    for name, given in sets.items():
        (tmp_path / "oda" / f"{name}.dev.jsonl").write_text("".join(json.dumps(line) + "\n" for line in given))
    return tmp_path


def _slots(data: Path) -> list[Question]:
    return read_data_set("zero-shot-re", data / "oda" / "zero-shot-re.dev.jsonl", names=True)


async def test_the_rules_matter_and_the_run_takes_its_settings(data: Path, tmp_path: Path) -> None:
    build(tmp_path / "kg", [FACTS])
    questions, context = (
        read_data_set("zero-shot-re", data / "oda" / "zero-shot-re.dev.jsonl", names=True),
        OdaContext(kg=str(tmp_path / "kg")),
    )
    try:
        score = await mean_score(questions, context, VARIANTS[0][1])
        assert (score.top1, score.exact) == (1.0, 1.0)
        build(tmp_path / "other", [[Triple("Heat", "/film/film/shot_in", "Los Angeles"), FACTS[-1]]])
        other = await mean_score(questions, OdaContext(kg=str(tmp_path / "other")), VARIANTS[0][1])
        assert other.top1 < score.top1  # the KG that the settings name is the one asked
    finally:
        await close_all()


def test_all_sets_are_asked_where_they_are(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadInputError):
        question_sets(data, 1)
    (data / "fb15k237").mkdir()
    asked = {"id": "w", "question": "who directed Heat?", "topic": "Heat", "answers": ["Michael Mann"], "chain": ["r"]}
    (data / "fb15k237" / "webqsp_train.jsonl").write_text(json.dumps(asked) + "\n")
    monkeypatch.setattr(oda, "read_metaqa", lambda *_, **__: [])
    sets = question_sets(data, 1)
    assert [name for name, _, _ in sets][2:6] == ["Zero-Shot RE", "T-REx", "QALD10-en", "CREAK"]
    assert [len(questions) for _, _, questions in sets] == [1, 0, 1, 1, 1, 1, 0, 0, 0]


def test_the_table(data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    (data / "wikidata_slice").mkdir()
    with gzip.open(data / "wikidata_slice" / "triples.tsv.gz", "wt") as file:
        file.writelines("\t".join(fact) + "\n" for fact in FACTS)
    sets = [
        (
            "Zero-Shot RE",
            "wikidata_slice",
            read_data_set("zero-shot-re", data / "oda" / "zero-shot-re.dev.jsonl", names=True),
        )
    ]
    monkeypatch.setattr(oda, "question_sets", lambda *_: sets)
    assert main(["--data", str(data), "--count", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(VARIANTS) + 2
    assert lines[0].endswith("Zero-Shot RE (2)")
    assert lines[1].split()[-1] == "100.0"
