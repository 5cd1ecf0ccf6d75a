"""Exemplars: of every chain a few, in the words of the templates, the nearest to a question last."""

from __future__ import annotations

import json
from pathlib import Path

from trivium.kg.types import parse_chain
from trivium.knowledge.knowledge import Knowledge
from trivium.policies.reader.chains.exemplars import (
    Exemplar,
    ExemplarIndex,
    load_exemplars,
    pairs_of_version_1,
    save_exemplars,
)


def test_learning_keeps_some_of_every_chain(films: Knowledge) -> None:
    kept = load_exemplars(films.learnt)
    assert 30 < len(kept) <= 64
    lengths = {len(each.sub_questions) for each in kept}
    assert lengths == {1, 2}
    two = next(each for each in kept if each.question == "who starred in the films directed by Ridley Scott?")
    assert [sub["dep"] for sub in two.sub_questions] == [[-1], [0]]
    assert two.sub_questions[0]["args"] == {"seed_entities": ["Ridley Scott"]}
    assert two.sub_questions[1]["args"] == {"seed_entities": ["<GENERATED>-0"]}
    assert all(sub["question"].count("[mask]") == 1 for each in kept for sub in each.sub_questions)


def test_the_nearest_comes_last(films: Knowledge) -> None:
    kept = load_exemplars(films.learnt)
    near = ExemplarIndex(kept, films.embedder).nearest("when was Heat released?", 3)
    assert len(near) == 3
    assert near[-1].question.startswith("when was")
    assert ExemplarIndex(kept, films.embedder).nearest("x", 0) == []
    assert ExemplarIndex([], films.embedder).nearest("x", 3) == []


def test_a_damaged_file_is_no_exemplar(tmp_path: Path) -> None:
    one = Exemplar("who?", ({"question": "[mask]", "id": 0, "dep": [-1], "args": {"seed_entities": ["x"]}},))
    save_exemplars(tmp_path, [one], {})
    assert load_exemplars(tmp_path) == [one]
    for damaged in ("{", "[1]", '[{"question": "x"}]'):
        (tmp_path / "exemplars.json").write_text(damaged)
        assert load_exemplars(tmp_path) == []
    assert load_exemplars(tmp_path / "none") == []


def test_version_1_s_exemplars_are_pairs(tmp_path: Path) -> None:
    def sub(text: str, number: int, dep: int, seed: str) -> dict[str, object]:
        return {"question": text, "id": number, "dep": [dep], "args": {"seed_entities": [seed]}}

    exemplars = [
        {
            "question": "who acts in films by Kim",
            "sub_questions": [sub("films by [mask]", 0, -1, "Kim"), sub("who acts in [mask]", 1, 0, "<GENERATED>-0")],
        },
        {"question": "both", "sub_questions": [sub("films by [mask]", 0, -1, "a"), sub("films by [mask]", 1, -1, "b")]},
        {"question": "unknown words", "sub_questions": [sub("what of [mask]", 0, -1, "a")]},
    ]
    templates = [
        {"text": "films by [mask]", "chains": [["^directed_by"]], "count": 2, "exclusion": "never"},
        {"text": "who acts in [mask]", "chains": [["starred"], ["acted"]], "count": 1, "exclusion": "never"},
    ]
    assert pairs_of_version_1(tmp_path) == ([], 0)
    for name, held in (
        ("keqing/exemplars", exemplars), ("templates/templates", templates), ("keqing/decomposer", {"pairs": 7}),
    ):  # fmt: skip
        path = tmp_path / f"{name}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(held))
    ((pair,), learned) = pairs_of_version_1(tmp_path)
    assert (pair.question, pair.topic_entities, learned) == ("who acts in films by Kim", ("Kim",), 7)
    assert pair.chain == parse_chain(["^directed_by", "starred"])
    (tmp_path / "keqing" / "exemplars.json").write_text("[{}]")
    assert pairs_of_version_1(tmp_path) == ([], 0)
