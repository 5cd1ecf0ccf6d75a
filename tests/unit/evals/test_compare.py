"""`trivium eval compare`: methods and baselines with a scripted model that is wrong at a known rate."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.fake_openai import FakeOpenAI, Reply
from tests.films import TRIPLES
from tests.unit.app.cli.running import Trivium, refused
from trivium.evals.own.runs import sign_test

_NAMES = {"alien": "Alien", "runner": "Blade Runner", "heat": "Heat", "diner": "Diner", "ronin": "Ronin",
          "gladiator": "Gladiator", "jackie": "Jackie Brown", "beneath": "What Lies Beneath"}  # fmt: skip
_DIRECTOR = {_NAMES[head]: tail for head, relation, tail in TRIPLES if relation == "directed_by" and head in _NAMES}
_WORDINGS = ("who directed {}?", "who is the director of {}?", "by whom was {} directed?", "{} is directed by whom?")
_LABELS = {"scott": "Ridley Scott", "mann": "Michael Mann", "levinson": "Barry Levinson", "frank": "John Frankenheimer",
           "tarantino": "Quentin Tarantino", "zemeckis": "Robert Zemeckis"}  # fmt: skip
_ASKED = {wording.format(film): film for film in _DIRECTOR for wording in _WORDINGS}
_RATES = {"alone": 4, "decompose": 8}
"""One question in so many is answered wrongly by the model alone, and taken apart wrongly."""


def _model(body: Mapping[str, Any]) -> Reply:
    """Wrong for every fourth question alone, for every eighth as a decomposer, of which half is no JSON at all."""
    last = body["messages"][-1]["content"]
    asked = re.findall(r"<question>(.+?)</question>", last)[-1]
    film, place = _ASKED[asked], list(_ASKED).index(asked)
    if last.startswith("Answer the question"):
        if "First think" in last:
            return Reply(refusal="I would rather not")
        wrong = place % _RATES["alone"] == 0
        named = "Pam Grier" if wrong else _LABELS[_DIRECTOR[film]]
        return Reply(json.dumps({"answers": [named]}))
    wrong = place % _RATES["decompose"] == 0
    step = {
        "question": "who directed [mask]?", "id": 0, "dep": [-1], "args": {"seed_entities": [film]},
        "relation": "starring" if wrong else "directed_by",
    }  # fmt: skip
    return Reply(json.dumps([step]))


@pytest.fixture
def trivium(capsys: pytest.CaptureFixture[str]) -> Trivium:
    return Trivium(capsys)


def test_a_scripted_models_error_rates_are_found_again(
    trivium: Trivium, films_kg: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "any")
    (tmp_path / "trivium.toml").write_text('[prices]\n"openai:fake" = "1/2"\n')
    lines = [{"question": asked, "answers": [_DIRECTOR[film]]} for asked, film in _ASKED.items()]
    Path("asked.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    words = (
        "eval", "compare", "asked.jsonl", "--kg", films_kg, "--model", "openai:fake", "--method", "keqing",
        "--baseline", "direct", "--baseline", "cot", "--baseline", "triples", "--set", "decompose=llm",
        "--set", "plan=trained", "--set", "reason=chains", "--set", "respond=rules", "--keep", "kept",
        "--markdown", "figures.md", "--csv", "figures.csv",
    )  # fmt: skip
    with FakeOpenAI([_model]) as model:
        monkeypatch.setenv("OPENAI_BASE_URL", model.url)
        said = trivium(*words)
        assert said.code == 0, said.err
        asked = model.count
        assert trivium(*words).code == 0
        assert model.count == asked, "what is kept is not asked again"
    figures = list(csv.DictReader(Path("figures.csv").read_text().splitlines()))
    values = {(row["method"].partition(",")[0], row["measure"]): row["value"] for row in figures}
    for method, rate in (("keqing", 1 / _RATES["decompose"]), ("direct", 0.25), ("triples", 0.25), ("cot", 1.0)):
        mean, low, high = map(float, re.findall(r"[\d.]+", values[method, "Hits@1 % [95 %]"]))
        assert mean == pytest.approx(100 * (1 - rate), abs=0.1), method
        assert low <= 100 * (1 - rate) <= high, method
    assert values["cot", "stand-in %"] == "100.0"
    assert values["direct", "stand-in %"] == values["keqing", "stand-in %"] == "0.0"
    assert values["direct", "calls / question"] == "1.00"
    assert float(values["triples", "cost / question"]) > float(values["direct", "cost / question"]) > 0
    assert values["direct", "contained % [95 %]"].split()[0] == "75.0"
    assert (values["direct", "won"], values["direct", "lost"]) == ("0", "4"), "both are wrong where the eighth is"
    assert "| method | n | Hits@1 % [95 %] |" in Path("figures.md").read_text()
    kept = Path("kept/direct-openai_fake.jsonl").read_text()
    shown = next(json.loads(line)["answer"] for line in kept.splitlines() if "scott" in line)
    assert (shown["answers"][0]["id"], shown["answers"][0]["label"]) == ("scott", "Ridley Scott")
    Path("asked.jsonl").write_text(json.dumps({"question": "who starred in Heat?"}) + "\n")
    refused(trivium(*words), "BadInputError", "lines of another input", code=1)


def test_a_baseline_needs_a_model(trivium: Trivium, films_kg: Path, tmp_path: Path) -> None:
    (tmp_path / "asked.jsonl").write_text('{"question": "who directed Heat?"}\n')
    words = ("eval", "compare", tmp_path / "asked.jsonl", "--kg", films_kg, "--baseline", "direct")
    refused(trivium(*words), "UsageError", "name one with --model", code=2)


def test_the_sign_test_is_exact() -> None:
    assert sign_test(0, 0) == 1.0
    assert sign_test(5, 5) == 1.0
    assert sign_test(0, 5) == pytest.approx(2 / 32)
    assert sign_test(9, 1) == pytest.approx(2 * 11 / 1024)
