"""Figure 6 with a language model, on the films: one tiny base learns to write both, each answers, nothing stands in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.films import build_films
from tests.tiny_lm import build_tiny_llama
from tests.unit.policies.lora.conftest import SETTINGS, some_pairs
from trivium.evals.ablations import tuned
from trivium.evals.ablations.run import Split, main
from trivium.evals.ablations.tuned import SplitOutcome, Tuning, answer_both, figures, tuned_chains
from trivium.evals.metrics import Score
from trivium.kg.errors import ModelError, UsageError
from trivium.kg.loaders import Question
from trivium.knowledge.knowledge import close_all

_RIGHT, _WRONG = Score(1, 1, 1, 1), Score(0, 0, 0, 0)


@pytest.mark.slow
async def test_both_are_tuned_on_the_pairs_and_asked_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kg, _ = build_films(tmp_path)
    pairs = some_pairs()
    texts = [pair.question for pair in pairs] + [json.dumps({"chain": [], "id": 0, "dep": [-1], "seed_entities": []})]
    base = build_tiny_llama(tmp_path / "lm", texts)
    tuning = Tuning(str(base), tmp_path / "kept", SETTINGS)
    asked = {
        1: [pair for pair in pairs if len(pair.chain or ()) == 1],
        2: [p for p in pairs if len(p.chain or ()) == 2],
    }
    split = Split("by chance", pairs, asked)
    found = await tuned_chains(kg, tuning, [split])
    assert found.rows == ["by chance, 1-hop", "by chance, 2-hop"]
    # Learned to the letter: what either wrote for a pair it was trained on is answered rightly.
    for name in ("sub-questions", "logical chains", "sub-questions, K=1"):
        assert found.columns[name] == [100.0, 100.0], name
    assert found.columns["unreadable chains"] == [0.0, 0.0]

    def again(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(tuned, "fine_tune", again)
    monkeypatch.setattr(tuned, "teach", again)
    assert await tuned_chains(kg, tuning, [split]) == found, "what is kept is not tuned again"
    outcome = await answer_both(tmp_path / "kept/by-chance", [Question("1", "zz " * 40, answers=("heat",))])
    assert [outcome.text[0].top1, outcome.chains[0].top1] == [0.0, 0.0]
    await close_all()


def test_what_could_not_be_read_is_wrong_and_pairs_are_compared() -> None:
    outcome = SplitOutcome([_RIGHT, _RIGHT, _WRONG, _WRONG], [_WRONG] * 4, [_RIGHT, _WRONG, _WRONG, _RIGHT], (1, 2))
    columns = figures({"by chance, 1-hop": outcome}, "lm").columns
    assert (columns["sub-questions"], columns["logical chains"], columns["sub-questions, K=1"]) == (
        [50.0],
        [50.0],
        [0.0],
    )
    assert (columns["right by sub-questions alone"], columns["right by chains alone"]) == ([25.0], [25.0])
    assert (columns["unreadable sub-questions"], columns["unreadable chains"]) == ([25.0], [50.0])


def test_the_options_of_a_base_need_one(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--base is for figure 6"):
        main(["templates", "--base", "lm"])
    with pytest.raises(UsageError, match="--split needs the model"):
        main(["chains", "--split", "by chance"])


@pytest.mark.slow
async def test_a_base_that_is_not_there_is_refused(tmp_path: Path) -> None:
    kg, _ = build_films(tmp_path)
    with pytest.raises(ModelError, match="no-such-model"):
        await tuned_chains(
            kg, Tuning(str(tmp_path / "no-such-model"), tmp_path / "kept"), [Split("s", some_pairs(), {})]
        )
    await close_all()
