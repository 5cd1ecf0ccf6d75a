"""`trivium prompts`: names, texts, and an operator's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.app.cli.running import Trivium, refused


def test_names_and_texts(trivium: Trivium, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    told = trivium("prompts")
    assert told.code == 0
    assert [line.split()[0] for line in told.out.splitlines()] == [
        "keqing_decompose", "keqing_choose_plan", "keqing_reason_tuples", "keqing_reason_text", "keqing_respond",
        "knowgpt_choose", "knowgpt_propose", "knowgpt_describe",
        "oda_act", "oda_reflect", "oda_generate_facts", "oda_answer",
    ]  # fmt: skip
    assert "{question}" in trivium("prompts", "keqing_respond").out
    refused(trivium("prompts", "nothing"), "UsageError", "'nothing'", "keqing_respond", code=2)


def test_an_operators_own(trivium: Trivium, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("trivium.toml").write_text('[prompts]\nfolder = "."\n')
    Path("keqing_respond.txt").write_text("{question} {log}, briefly")
    assert trivium("prompts", "keqing_respond").out == "{question} {log}, briefly\n"
    assert "from keqing_respond.txt" in trivium("prompts").out
    Path("keqing_respond.txt").write_text("briefly")
    refused(trivium("prompts"), "PromptError", "keqing_respond.txt", "{log} is missing")


def test_a_prompt_filled_for_a_question(trivium: Trivium, kg_name: str) -> None:
    asked = ("-q", "who starred in the films directed by Michael Mann?", "--kg", kg_name)
    told = trivium("prompts", "keqing_decompose", *asked)
    assert told.code == 0
    assert "<question>who starred in the films directed by Michael Mann?</question>" in told.out
    assert "^directed_by" in told.out.split("<relations>")[1].split("</relations>")[0]
    assert told.out.rstrip().endswith("tokens, estimated)")
    counted = dict(line.split("\t") for line in trivium("prompts", *asked).out.splitlines())
    assert int(counted["keqing_decompose"]) <= 1_200
    assert {"keqing_reason_tuples", "keqing_respond", "oda_act"} <= counted.keys()
    refused(trivium("prompts", "knowgpt_describe", *asked), "UsageError", "knowgpt_describe", code=2)
