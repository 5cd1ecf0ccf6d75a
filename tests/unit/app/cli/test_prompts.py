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
        "keqing_decompose", "keqing_reason_tuples", "keqing_reason_text", "keqing_respond", "knowgpt_choose",
        "knowgpt_propose", "knowgpt_describe", "oda_act", "oda_reflect", "oda_generate_facts", "oda_answer",
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
