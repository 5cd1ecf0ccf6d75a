"""`trivium eval paper`: every item names figures and a measurement that exist, and prints the paper's figures."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import reduce
from pathlib import Path
from typing import Any

import pytest

from tests.fake_openai import FakeOpenAI, Reply
from trivium.evals import registry
from trivium.evals.datasets import SETS
from trivium.evals.paper_tables import ITEMS, main, paper, shown
from trivium.kg.errors import UsageError


def test_every_item_has_figures_or_a_reason_and_a_measurement_that_exists() -> None:
    for name, item in ITEMS.items():
        figures = reduce(lambda part, key: part[key], item.figures, paper(name.partition("-")[0]))
        assert not item.figures or list(shown(figures)), name
        assert item.measurement in {"", *registry.MEASUREMENTS}, name
        ways = [bool(item.measurement), bool(item.shows), item.note.startswith(("cannot be run", "measures nothing; "))]
        assert sum(ways) == 1, name
        assert item.models is None or {*item.models.sets} <= SETS.keys(), name


def test_the_papers_figures_stand_beside_ours(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = list[tuple[str, ...]]()

    def run(self: registry.Measurement, arguments: list[str]) -> int:
        ran.append((self.module, *arguments))
        return 3

    monkeypatch.setattr(registry.Measurement, "run", run)
    assert main(["keqing-table3", "--folds", "2"]) == 3
    assert ran == [("trivium.evals.pair_curves", "metaqa", "--folds", "2")]
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines if line.startswith("Keqing-LLaMA")] == [
        ["Keqing-LLaMA", "98.4", "99.9", "99.6"]
    ]
    assert main(["knowgpt-table2"]) == 1
    assert "other systems" in capsys.readouterr().out
    assert main(["keqing-figure4"]) == 0, "it measures nothing, in the paper either"
    assert main(["oda-table4"]) == 1
    assert "without a chat model" in capsys.readouterr().out
    with pytest.raises(UsageError, match="unknown table or figure 'keqing-table9'"):
        main(["keqing-table9"])


@pytest.mark.slow
def test_a_picture_is_shown_by_its_command(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["keqing-figure1"]) == 0
    assert "decompose" in capfd.readouterr().out


def _model(body: Mapping[str, Any]) -> Reply:
    """Answers alone, and as ODA looks at the topic and answers from what it finds."""
    last = body["messages"][-1]["content"]
    if last.startswith("Answer the question with"):
        return Reply('{"answers": ["Pam Grier"]}')
    if "You queried candidate triples" in last:
        return Reply(json.dumps({"triples": [int(each) for each in re.findall(r"^(\d+)\. ", last, re.MULTILINE)]}))
    if "reference memory" in last:
        return Reply('{"answers": ["Michael Mann"]}')
    return Reply('{"action": "Answer"}')


def test_the_rows_of_a_table_are_asked_of_the_models_named(
    films_kg: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "any")
    words = ["who directed Heat?", "by whom was Heat directed?"]
    line = {"input": "Heat [SEP] directed by", "qid_topic_entity": {"heat": "Heat"}, "answer": "Michael Mann"}
    (tmp_path / "oda").mkdir()
    (tmp_path / "oda/t-rex.dev.jsonl").write_text(
        "".join(json.dumps({**line, "template_questions": [each]}) + "\n" for each in words)
    )
    given = ["--kg", str(films_kg), "--data", str(tmp_path), "--keep", str(tmp_path / "kept")]
    with FakeOpenAI([_model]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        assert main(["oda-table4", "--model", "openai:a", "--model", "openai:b", *given]) == 0
        asked = server.count
        assert main(["oda-table4", "--model", "openai:a", "--model=openai:b", *given]) == 0
        assert server.count == asked, "what is kept is not asked again"
        assert main(["oda-table3", "--model", "openai:a", *given[:4]]) == 0
    said = capsys.readouterr().out
    figures = [line.split()[:4] for line in said.splitlines() if "openai:" in line]
    assert ["oda,", "openai:a", "2", "100.0"] in figures
    assert ["direct,", "openai:b", "2", "0.0"] in figures
    assert "\nQALD10-en\n" not in said, "that set is not here"
    heads = [line for line in said.splitlines() if line.startswith("T-REx, ")]
    reflections = [f"T-REx, reflection={how}" for how in ("similarity", "random", "generated_fact")]
    assert heads == ["T-REx, observation=false", *reflections]
    with pytest.raises(UsageError, match="none of T-REx"):
        main(["oda-table4", "--model", "openai:a", "--kg", "k", "--data", str(tmp_path / "oda")])
