"""The curves over the number of pairs, on the films: what was learned from what, kept over a cut, and shown."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.films import build_films, walk
from trivium.evals.ablations.report import table
from trivium.evals.pair_curves import QuestionFigures, curve, main, metaqa_outcome, rows, webqsp_outcome
from trivium.evals.webqsp import about_others, read_webqsp
from trivium.kg.errors import BadInputError
from trivium.kg.loaders import Question
from trivium.kg.types import Hop
from trivium.knowledge.knowledge import Knowledge

_DIRECTED = (Hop("directed_by", inverse=False),)


def _asked(text: str, relation: str, topic: str) -> Question:
    return Question(text, text, (topic,), answers=tuple(walk([topic], [relation])), chain=(Hop(relation, False),))


@pytest.mark.usefixtures("without_torch")
async def test_pairs_are_learnt_from_by_number_and_a_cut_run_goes_on(tmp_path: Path) -> None:
    folder, _ = build_films(tmp_path)
    names = ("Alien", "Heat", "Diner", "Ronin")
    pairs = [
        Question(name, f"whose baby is {name}?", answers=tuple(walk([name.lower()], ["directed_by"])), chain=_DIRECTED)
        for name in names
    ]
    asked = [
        _asked("whose baby is Gladiator?", "directed_by", "gladiator"),
        _asked("what genre is Amélie?", "has_genre", "amelie"),
    ]
    keep = tmp_path / "kept.json"
    first = await curve(folder, [(pairs, asked)], [0], keep)
    (schema,) = first.values()
    assert [result.unseen for result in schema] == [True, True]
    assert schema[1].f1 == 1.0  # the relation's own name is in the question
    marked = json.loads(keep.read_text(encoding="utf-8"))
    marked[next(iter(marked))][1]["f1"] = 0.25  # no such figure is ever measured: it must come from the file
    keep.write_text(json.dumps(marked), encoding="utf-8")
    by_size = rows(await curve(folder, [(pairs, asked)], [None, 0], keep))
    assert list(by_size) == ["0", "all"]
    assert by_size["0"][1].f1 == 0.25
    taught, untaught = by_size["all"]
    assert not taught.unseen
    assert untaught.unseen
    assert taught.f1 == taught.given == 1.0  # pairs alone can teach these words
    assert untaught.f1 == 1.0  # and what they do not show is as before


def test_tables_tell_seen_from_unseen_and_hops_apart() -> None:
    results = [
        QuestionFigures(1, True, 0.0, 0.5, 1.0),
        QuestionFigures(1, False, 1.0, 1.0, 1.0),
        QuestionFigures(2, False, 0.0, 0.0, 0.0),
    ]
    outcome = webqsp_outcome({"50": results})
    assert outcome.columns["F1, relation unseen"] == [50.0]
    assert outcome.columns["F1, topic found"] == [50.0]
    assert outcome.columns["unseen (number)"] == [1.0]
    assert "not comparable" in table(outcome)
    measured = [replace(results[0], unheld=1.0, false=1.0), replace(results[1], unheld=0.5, false=0.0), results[2]]
    assert webqsp_outcome({"50": measured}).columns["the same, nothing withheld"] == [75.0]
    assert webqsp_outcome({"50": measured}).columns["claimed of another topic"] == [50.0]
    before = [QuestionFigures(1, True, 0.0, 0.25, 1.0), *results[1:]]
    both = webqsp_outcome({"0": before, "50": results})
    assert both.columns["F1, those from the schema alone"] == [25.0, 25.0]
    assert both.columns["F1, relation unseen"] == [25.0, 50.0]
    assert metaqa_outcome({"50": results}).columns["1-hop"] == [50.0]


async def test_questions_about_other_topics_lack_what_they_ask_for(tmp_path: Path) -> None:
    folder, _ = build_films(tmp_path)
    lines = [
        {"id": "a", "question": "whose baby is Alien?", "topic": "alien", "mention": "Alien", "chain": ["directed_by"]},
        {
            "id": "b",
            "question": "what did Ridley Scott make",
            "topic": "scott",
            "mention": "Scott",
            "chain": ["^directed_by"],
        },
        {"id": "c", "question": "what did he make", "topic": "scott", "mention": "Scott", "chain": ["^directed_by"]},
    ]
    data = tmp_path / "data"
    (data / "fb15k237").mkdir(parents=True)
    text = "".join(json.dumps(line | {"answers": ["x"]}) + "\n" for line in lines)
    (data / "fb15k237" / "webqsp_train.jsonl").write_text(text, encoding="utf-8")
    base = Knowledge.open(folder)
    try:
        found = await about_others(data, read_webqsp(data, topics=True), base.store)
    finally:
        await base.close()
    # A film has no film that it directed, and a director no director; the third names no topic to put another in for.
    assert [(each.question, each.topic_entities, each.answers) for each in found] == [
        ("whose baby is ridley scott?", ("scott",), ()),
        ("what did Ridley alien make", ("alien",), ()),
    ]


async def test_bad_input_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keep = tmp_path / "other.json"
    keep.write_text('{"a": [{"b": 1}]}', encoding="utf-8")
    with pytest.raises(BadInputError, match="no results of this command"):
        await curve(tmp_path, [], [0], keep)
    assert keep.read_text(encoding="utf-8") == '{"a": [{"b": 1}]}'
    with pytest.raises(SystemExit):
        main(["webqsp", "--pairs", "many"])
    assert "--pairs takes numbers" in capsys.readouterr().err
