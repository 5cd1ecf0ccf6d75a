"""Templates and chains held out of MetaQA: what is asked shares none with what is learned from; a cut run goes on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trivium.evals.held_out import FOLDS, fold_of, main, outcome, parts
from trivium.evals.metaqa import read_metaqa
from trivium.evals.pair_curves import QuestionFigures

_FILMS = {
    "Alien": ("Scott", "1979"), "Heat": ("Mann", "1995"), "Diner": ("Levinson", "1982"), "Ronin": ("Frank", "1998"),
}  # fmt: skip
_ASKED = ("who directed [{}]", "who was the director of [{}]", "the film [{}] was directed by whom")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """MetaQA's files, with four films."""
    root = tmp_path / "data" / "metaqa"
    lines = [(film, who, year) for film, (who, year) in _FILMS.items()]
    one = [(form.format(film), who, "movie_to_director") for form in _ASKED for film, who, _ in lines]
    two = [
        (f"when were the films directed by the director of [{film}] released", year, "movie_to_director_to_movie")
        for film, _, year in lines
    ]
    three = [(f"in which years were [{film}]'s director's films released", year, "movie_to_director_to_movie_to_year")
             for film, _, year in lines]  # fmt: skip
    for hops, asked in enumerate((one, two, three), 1):
        (root / f"{hops}-hop" / "vanilla").mkdir(parents=True)
        text = "".join(f"{question}\t{answer}\n" for question, answer, _ in asked)
        (root / f"{hops}-hop" / "vanilla" / "qa_dev.txt").write_text(text, encoding="utf-8")
        kinds = "".join(f"{kind}\n" for *_, kind in asked)
        (root / f"{hops}-hop" / "qa_dev_qtype.txt").write_text(kinds, encoding="utf-8")
    triples = "".join(f"{film}|directed_by|{who}\n{film}|release_year|{year}\n" for film, who, year in lines)
    (root / "kb.txt").write_text(triples, encoding="utf-8")
    return tmp_path / "data"


def test_no_template_and_no_chain_is_on_both_sides(data: Path) -> None:
    asked_of = {question.id: question for hops in (1, 2, 3) for question in read_metaqa(data, hops, topics=True)}
    for kind in ("templates", "chains"):
        asked_ever = set()
        for fold, (learnt, asked) in enumerate(parts(data, kind)):
            assert {fold_of(asked_of[question.id], kind) for question in asked} <= {fold}
            assert fold not in {fold_of(asked_of[question.id], kind) for question in learnt}
            assert not any(question.topic_entities for question in [*learnt, *asked])
            asked_ever |= {question.id for question in asked}
        expected = {key for key in asked_of if kind == "templates" or not key.startswith("1-")}
        assert asked_ever == expected


def test_the_same_words_about_another_film_are_the_same_template(data: Path) -> None:
    one = read_metaqa(data, 1, topics=True)
    folds = [fold_of(question, "templates") for question in one]
    assert [len(set(folds[place : place + len(_FILMS)])) for place in range(0, len(folds), len(_FILMS))] == [1, 1, 1]
    assert fold_of(one[0], "chains") is None


@pytest.mark.usefixtures("without_torch")
def test_a_fold_is_measured_once(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TRIVIUM_CACHE", str(tmp_path / "cache"))
    fold = fold_of(read_metaqa(data, 1, topics=True)[0], "templates")
    keep = tmp_path / "kept.json"
    words = ["templates", "--data", str(data), "--folds", str(fold), "--keep", str(keep)]
    assert main(words) == 0
    told = capsys.readouterr().out
    assert f"1 of {FOLDS} folds" in told
    assert "1-hop" in told
    (key,) = json.loads(keep.read_text(encoding="utf-8"))
    assert f"templates, fold {fold}" in key
    kept = json.loads(keep.read_text(encoding="utf-8"))
    kept[key] = [{"hops": 3, "unseen": False, "top1": 0.125, "f1": 0.5, "given": 0.5}]
    keep.write_text(json.dumps(kept), encoding="utf-8")
    assert main(words) == 0
    again = capsys.readouterr().out.splitlines()
    assert again[-1].split() == ["3-hop", "12.5", "50.0", "1.0"]


def test_the_table_has_no_row_for_what_was_never_asked() -> None:
    told = outcome("chains", [QuestionFigures(2, False, 1.0, 0.5, 0.5), QuestionFigures(2, False, 0.0, 0.5, 0.5)], 1)
    assert (told.rows, told.columns["Hits@1"], told.columns["asked (number)"]) == (["2-hop"], [50.0], [2.0])
    assert "Held-out chains" in told.title
