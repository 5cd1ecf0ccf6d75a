"""The operator's prompts: found by their names, refused before a run where they cannot be used."""

from __future__ import annotations

from pathlib import Path

import pytest

from trivium.kg.errors import BadInputError
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.keqing.prompts import KEQING_PROMPTS, check_keqing_prompts
from trivium.nodes.keqing.respond.prompt import RESPOND
from trivium.nodes.model.operator_prompts import operator_prompt, prompts_folder
from trivium.nodes.model.prompts import PromptError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "trivium.toml").write_text('[prompts]\nfolder = "mine"\n')
    (tmp_path / "mine").mkdir()
    return tmp_path / "mine"


def test_without_settings_the_prompts_are_those_beside_the_nodes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert prompts_folder() is None
    assert operator_prompt(RESPOND) is RESPOND
    check_keqing_prompts()
    assert len({prompt.name for prompt in KEQING_PROMPTS}) == len(KEQING_PROMPTS) == 5


def test_an_operators_text_takes_the_place_of_its_prompt(folder: Path) -> None:
    path = folder / "keqing_respond.txt"
    path.write_text("Antworte auf {question} aus {log}, auf Bairisch.")
    assert operator_prompt(RESPOND).fill(question="a", log="b") == "Antworte auf a aus b, auf Bairisch."
    path.write_text("{question}: {log}")
    path.touch()
    assert operator_prompt(RESPOND).fill(question="{log}", log="b") == "{log}: b", "an edit is taken up"


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("keqing_respond", "{question}", "{log} is missing"),
        ("keqing_respond", "{question} {log} {answers}", "{answers} is unknown"),
        ("keqing_decompos", "anything", "unknown prompt; choose one of: keqing_choose_plan, keqing_decompose"),
    ],
)
def test_what_cannot_be_used_is_refused_before_a_run(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str, problem: str
) -> None:
    (folder / f"{name}.txt").write_text(text)
    KeqingContext().check()
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with pytest.raises(PromptError, match="mine") as refused:
        KeqingContext(model="openai:any").check()
    assert problem in str(refused.value)


def test_bad_folders_and_files(folder: Path) -> None:
    (folder / "keqing_respond.txt").write_bytes(b"\xff\xfe{question} {log}")
    with pytest.raises(BadInputError, match="not UTF-8"):
        check_keqing_prompts()
    Path("trivium.toml").write_text('[prompts]\nfolder = "gone"\n')
    with pytest.raises(BadInputError, match="'gone' is not a folder"):
        check_keqing_prompts()
