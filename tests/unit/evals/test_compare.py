"""`trivium eval compare`: methods and baselines with a scripted model that is wrong at a known rate."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.fake_openai import FakeOpenAI, Reply
from tests.films import TRIPLES
from tests.unit.app.cli.running import Trivium, refused
from trivium.evals.intervals import interval, sign_test

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


_EVERY = {"decompose": (8, 0), "reason": (8, 1), "reflect": (8, 2), "answer": (4, 3), "choose": (4, 1)}
"""Of so many questions the one at this place goes wrong in a stage."""


def _staged(body: Mapping[str, Any]) -> Reply:
    """Each stage of Keqing, ODA and KnowGPT is wrong for its own share of the questions, and right for the others."""
    last = body["messages"][-1]["content"]
    told = re.search(r"<asked>(.+?)</asked>", last)
    asked = told[1] if told else max((each for each in _ASKED if each in last), key=last.rfind)
    film, place = _ASKED[asked], list(_ASKED).index(asked)
    wrong = {stage for stage, (every, at) in _EVERY.items() if place % every == at}
    director = _LABELS[_DIRECTOR[film]]
    if "You queried candidate triples" in last:
        relation = "has_genre" if "reflect" in wrong else "directed_by"
        line = re.search(rf"^(\d+)\. \({film}, {relation},", last, re.MULTILINE)
        return Reply(json.dumps({"triples": [int(line[1])] if line else []}))
    if "choose one of these actions" in last:
        return Reply(json.dumps({"action": "Answer"}))
    if "reference memory" in last:
        return Reply(json.dumps({"answers": ["Pam Grier" if "answer" in wrong else director]}))
    if last.startswith("Use the following pieces"):
        return Reply(json.dumps({"questions": [{"id": 0, "answers": [] if "reason" in wrong else [director]}]}))
    if "choosing exactly one" in last:
        right = re.search(rf"^(\w): {director}$", last, re.MULTILINE)
        assert right
        return Reply(json.dumps({"choice": "Z" if "choose" in wrong else right[1]}))
    step = {"question": "who directed [mask]?", "id": 0, "args": {"seed_entities": [film]}}
    return Reply(json.dumps([{**step, "relation": "starring" if "decompose" in wrong else "directed_by"}]))


@pytest.mark.slow
@pytest.mark.slow
def test_the_errors_of_each_stage_add_up_and_lie_in_the_interval(
    trivium: Trivium, films_kg: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "any")
    (tmp_path / "trivium.toml").write_text('[prices]\n"openai:fake" = "1/2"\n')
    open_, choices = Path("open.jsonl"), Path("choices.jsonl")
    open_.write_text("".join(json.dumps({"question": q, "answers": [_DIRECTOR[f]]}) + "\n" for q, f in _ASKED.items()))
    offered = [{"id": id_, "text": name} for id_, name in zip("ABCDEFZ", [*_LABELS.values(), "Pam Grier"], strict=True)]
    with choices.open("w") as file:
        for question, film in _ASKED.items():
            gold = [each["id"] for each in offered if each["text"] == _LABELS[_DIRECTOR[film]]]
            file.write(json.dumps({"question": question, "answers": gold, "choices": offered}) + "\n")
    words = ("--kg", films_kg, "--model", "openai:fake", "--csv", "f.csv", "--html", "f.html")
    stages = ("decompose=llm", "plan=trained", "reason=llm", "respond=rules")
    both = ("--method", "keqing", "--method", "oda", *(part for each in stages for part in ("--set", each)))
    found = dict[str, list[float]]()
    with FakeOpenAI([_staged]) as model:
        monkeypatch.setenv("OPENAI_BASE_URL", model.url)
        for given in (("open.jsonl", *both), ("choices.jsonl", "--method", "knowgpt")):
            said = trivium("eval", "compare", *given, *words)
            assert said.code == 0, said.err
            for row in csv.DictReader(Path("f.csv").read_text().splitlines()):
                if row["measure"] == "Hits@1 % [95 %]":
                    name = row["method"].partition(",")[0]
                    found[name] = [float(figure) for figure in re.findall(r"[\d.]+", row["value"])]
    asked = range(len(_ASKED))
    gone = {stage: {place for place in asked if place % every == at} for stage, (every, at) in _EVERY.items()}
    wrong = {
        "keqing": gone["decompose"] | gone["reason"],
        "oda": gone["reflect"] | gone["answer"],
        "knowgpt": gone["choose"],
    }
    for method, places in wrong.items():
        mean, low, high = found[method]
        assert mean == pytest.approx(100 * (1 - len(places) / len(asked)), abs=0.1), method
        assert low < mean < high, method
    assert 'class="points"' in Path("f.html").read_text()


def test_intervals_hold_the_true_share_as_often_as_they_say() -> None:
    random = np.random.default_rng(1)
    for share, count in ((0.75, 100), (0.97, 60)):
        draws = [interval((random.random(count) < share).astype(float).tolist()) for _ in range(200)]
        held = np.mean([each.low <= share <= each.high for each in draws])
        assert held >= 0.88, f"{held} of the intervals hold {share}"
    sure = interval([1.0] * 30)
    assert (sure.mean, sure.high) == (1.0, 1.0)
    assert 0.85 < sure.low < 0.95, "30 right of 30 say little of the next one"


def test_a_baseline_needs_a_model(trivium: Trivium, films_kg: Path, tmp_path: Path) -> None:
    (tmp_path / "asked.jsonl").write_text('{"question": "who directed Heat?"}\n')
    words = ("eval", "compare", tmp_path / "asked.jsonl", "--kg", films_kg, "--baseline", "direct")
    refused(trivium(*words), "UsageError", "name one with --model", code=2)


def test_the_sign_test_is_exact() -> None:
    assert sign_test(0, 0) == 1.0
    assert sign_test(5, 5) == 1.0
    assert sign_test(0, 5) == pytest.approx(2 / 32)
    assert sign_test(9, 1) == pytest.approx(2 * 11 / 1024)
