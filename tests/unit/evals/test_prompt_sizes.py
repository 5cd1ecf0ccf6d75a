"""`trivium eval prompts`: every prompt that questions fill, with its size; goals are held to the largest."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trivium.evals import prompt_sizes
from trivium.evals.datasets import read_set
from trivium.evals.metaqa import data_folder
from trivium.evals.prompt_sizes import goal_of, main, report
from trivium.kg.embedded import build
from trivium.kg.errors import UsageError
from trivium.kg.loaders import read_entities, read_triples
from trivium.kg.loaders.questions import question_line


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")


def test_goals_are_held_to_the_largest() -> None:
    assert goal_of("keqing_decompose") == 1_200
    assert goal_of("oda_reflect") == 2_500
    assert goal_of("keqing_respond") is None
    lines, reached = report({"keqing_decompose": [100, 1_200], "keqing_respond": [9_000], "oda_act": []})
    assert reached
    assert [line.split()[1] for line in lines] == ["2", "1", "-"]
    lines, reached = report({"knowgpt_choose": [1] * 99 + [601]})
    assert not reached
    assert lines[0].endswith("<= 600  SHORT")


def test_the_prompts_of_questions(
    kg_name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    questions = tmp_path / "questions.jsonl"
    asked = [
        {"id": "1", "question": "who starred in the films directed by Michael Mann?"},
        {"id": "2", "question": "who directed Heat?", "choices": [{"id": "A", "text": "Michael Mann"}]},
    ]
    questions.write_text("".join(json.dumps(each) + "\n" for each in asked))
    assert main([str(questions), "--kg", kg_name]) == 0
    rows = {line.split()[0]: line.split()[1:] for line in capsys.readouterr().out.splitlines()[2:]}
    assert {"keqing_decompose", "knowgpt_choose", "oda_act"} <= rows.keys()
    assert int(rows["keqing_decompose"][0]) >= 2, "each question is decomposed"
    assert int(rows["knowgpt_choose"][0]) == 1, "only one has choices"
    monkeypatch.setitem(prompt_sizes.GOALS, "keqing_decompose", 10)
    assert main([str(questions), "--kg", kg_name, "--method", "keqing"]) == 1
    with pytest.raises(UsageError, match="nosuch"):
        main([str(questions), "--kg", kg_name, "--set", "nosuch=1"])


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize(("graph", "methods"), [("fb15k237", ["keqing", "oda"]), ("conceptnet", ["oda"])])
def test_no_prompt_of_a_real_graph_is_too_long(
    graph: str, methods: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = data_folder()
    if data is None or not (data / graph / "triples.tsv.gz").is_file():
        pytest.skip(f"{graph} is not here")
    names = data / graph / "entities.tsv"
    build(
        tmp_path / "kg", read_triples(data / graph / "triples.tsv.gz"), read_entities(names) if names.is_file() else ()
    )
    if graph == "conceptnet":
        asked = [question_line(each) for each in read_set(data, "CommonsenseQA in-house dev")[:12]]
    else:
        asked = (data / graph / "webqsp_train.jsonl").read_text().splitlines()[:12]
    (tmp_path / "q.jsonl").write_text("".join(f"{line}\n" for line in asked))
    asked_of = [word for method in methods for word in ("--method", method)]
    assert main([str(tmp_path / "q.jsonl"), "--kg", str(tmp_path / "kg"), *asked_of]) == 0
    held = [line.split("_")[0] for line in capsys.readouterr().out.splitlines() if line.endswith("  ok")]
    assert set(held) == set(methods), "a prompt of each is held to its goal"
