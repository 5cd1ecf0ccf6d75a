"""`trivium correct`: a question set right, looked at, taken back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trivium.app.cli.main import run
from trivium.evals.own_graphs import FOLDER
from trivium.kg.examples import read_examples

QUESTION = "whose hands plated Walnut & Pear Galette?"


@pytest.fixture(scope="module")
def recipes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("correct") / "recipes"
    source = FOLDER / "recipes"
    assert (
        run(["kg", "build", "--out", str(folder), "--entities", f"{source}/entities.tsv", f"{source}/triples.tsv"]) == 0
    )
    return folder


def _correct(capsys: pytest.CaptureFixture[str], kg: Path, *more: str) -> tuple[int, dict[str, object]]:
    capsys.readouterr()
    status = run(["correct", QUESTION, "--kg", str(kg), "--json", *more])
    out = capsys.readouterr().out
    return status, json.loads(out) if out else {}


@pytest.mark.slow
def test_a_correction_is_previewed_kept_and_undone(recipes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, found = _correct(capsys, recipes, "--chain", "created_by", "--preview")
    assert (status, found["before"], found["right"], found["kept"]) == (0, [], True, False)
    assert read_examples(recipes, "keqing") is None
    status, found = _correct(capsys, recipes, "--chain", "created_by", "--keep")
    assert (status, found["right"], found["kept"], found["pairs"]) == (0, True, True, 1)
    assert [each.question for each in read_examples(recipes, "keqing") or ()] == [QUESTION]
    assert run(["correct", "--undo", "--kg", str(recipes)]) == 0
    assert read_examples(recipes, "keqing") is None
    assert run(["correct", "--undo", "--kg", str(recipes)]) == 2


@pytest.mark.slow
def test_learning_anew_keeps_corrections_until_told_otherwise(
    recipes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def learn(*more: str) -> tuple[list[str], str]:
        capsys.readouterr()
        assert run(["learn", "keqing", "--kg", str(recipes), *more]) == 0
        questions = [each.question for each in read_examples(recipes, "keqing") or ()]
        return questions, capsys.readouterr().out

    assert _correct(capsys, recipes, "--chain", "created_by", "--keep")[0] == 0
    questions, said = learn()
    assert (questions, "corrections kept: 1" in said) == ([QUESTION], True)
    other = "who created Walnut & Pear Galette?"
    lines = [{"question": other, "chain": ["created_by"]}, {"question": QUESTION.upper(), "chain": ["has_ingredient"]}]
    file = tmp_path / "pairs.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in lines), encoding="utf-8")
    questions, said = learn("--questions", str(file))
    assert (questions, "1 of them in place of a pair" in said) == ([other, QUESTION], True)

    assert run(["correct", "--undo", "--kg", str(recipes)]) == 0
    assert [each.question for each in read_examples(recipes, "keqing") or ()] == [other], "learned since, without it"
    assert _correct(capsys, recipes, "--chain", "created_by", "--keep")[0] == 0
    questions, said = learn("--forget-corrections")
    assert (questions, "kept" in said) == ([], False)


@pytest.mark.parametrize(
    ("known", "problem"),
    [
        (["--chain", "create_by"], "unknown relation 'create_by' in the chain; closest: 'created_by'"),
        (["--answers", "Nobody At All"], "unknown entity 'Nobody At All'"),
        ([], "give --chain, --plan or --answers"),
        (["--chain", "trained_under"], "no name in the question leads along the chain"),
    ],
)
def test_what_teaches_nothing_is_refused(
    recipes: Path, capsys: pytest.CaptureFixture[str], known: list[str], problem: str
) -> None:
    capsys.readouterr()
    assert run(["correct", QUESTION, "--kg", str(recipes), *known]) == 1
    assert problem in capsys.readouterr().err
