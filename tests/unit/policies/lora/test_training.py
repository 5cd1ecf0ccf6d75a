"""Training by transformers' Trainer: a killed run goes on, the held-out loss stops it, settings are checked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.tiny_lm import build_tiny_llama
from trivium.kg.errors import UsageError
from trivium.policies.lora.examples import Example
from trivium.policies.lora.model import LoraSettings, TrainingReport, add_adapters, open_base, settings_from
from trivium.policies.lora.train import split, tokenize, train

SETTINGS = LoraSettings(rank=2, dropout=0.1, learning_rate=1e-2, batch=2, epochs=2, evaluate_every=2, held_out=0.0)
EXAMPLES = [Example(f"Input: number {n}\nOutput: ", f'["{n}"]') for n in range(6)]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    texts = [part for example in EXAMPLES for part in example]
    return build_tiny_llama(tmp_path_factory.mktemp("small") / "lm", texts, vocabulary=300, hidden=16)


class _KilledError(Exception):
    """Stands for a kill."""


def _train(
    model: Path, settings: LoraSettings, folder: Path, kill_at: int = 0, held_out: int = 0
) -> tuple[TrainingReport, dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]]:
    base = open_base(str(model), device="cpu")
    add_adapters(base, settings)
    rows, _ = tokenize(EXAMPLES, base.tokenizer, 100)

    def progress(stage: str, done: int, total: int | None, note: str) -> None:
        if done == kill_at:
            raise _KilledError

    report = train(base, rows[held_out:], rows[:held_out], settings, folder, progress)
    free = {name: p for name, p in base.model.named_parameters() if "lora" in name}
    return report, {name: parameter.detach().numpy().copy() for name, parameter in free.items()}


@pytest.mark.slow
def test_a_killed_run_goes_on_from_its_checkpoint(small: Path, tmp_path: Path) -> None:
    whole, weights = _train(small, SETTINGS, tmp_path / "whole")
    assert (whole.steps, whole.resumed_from, whole.stopped_early) == (6, 0, False)
    with pytest.raises(_KilledError):
        _train(small, SETTINGS, tmp_path / "killed", 5)
    resumed, same = _train(small, SETTINGS, tmp_path / "killed")
    assert (resumed.steps, resumed.resumed_from) == (6, 4)
    # The order of the batches and what is dropped are drawn anew: near the same weights, not the same.
    for name in (name for name in weights if "lora_B" in name):  # these begin at zero
        assert np.abs(same[name] - weights[name]).max() < np.abs(weights[name]).max() / 2


@pytest.mark.slow
def test_a_checkpoint_of_another_run_or_a_damaged_one_is_not_used(small: Path, tmp_path: Path) -> None:
    with pytest.raises(_KilledError):
        _train(small, SETTINGS, tmp_path, 5)
    (state,) = tmp_path.glob("training-*/checkpoint-4/trainer_state.json")
    state.write_text(state.read_text()[:100])
    assert _train(small, SETTINGS, tmp_path)[0].resumed_from == 0
    other = settings_from(["rank=2", "dropout=0.1", "batch=2", "epochs=1", "evaluate_every=2", "held_out=0"])
    report, _ = _train(small, other, tmp_path)
    assert (report.resumed_from, report.steps) == (0, 3)
    assert len(list(tmp_path.glob("training-*"))) == 1


@pytest.mark.slow
def test_the_held_out_loss_stops_a_run_that_gets_no_better(small: Path, tmp_path: Path) -> None:
    # At a rate this high the held-out examples get worse, not better.
    wild = settings_from(["rank=2", "learning_rate=0.5", "batch=2", "epochs=20", "evaluate_every=1", "patience=2"])
    report, weights = _train(small, wild, tmp_path, held_out=2)
    assert report.stopped_early
    assert report.steps < 40  # twenty epochs of two steps
    assert report.held_out == 2
    assert report.held_out_loss is not None
    assert all(np.isfinite(values).all() for values in weights.values())


def test_settings_from_words() -> None:
    found = settings_from(["rank=8", "held_out=0.2", "train_embeddings=true", "device=cpu"])
    assert (found.rank, found.held_out, found.train_embeddings, found.device) == (8, 0.2, True, "cpu")
    for word, why in (
        ("rank", "NAME=VALUE"),
        ("bank=3", "rank"),
        ("rank=big", "'big'"),
        ("rank=0", "at least 1"),
        ("dropout=1", "\\[0, 1\\)"),
        ("eight_bit=1", "true or false"),
    ):
        with pytest.raises(UsageError, match=why):
            settings_from([word])


def test_only_the_answer_is_learned(small: Path) -> None:
    tokenizer = open_base(str(small), device="cpu").tokenizer
    (row,), long = tokenize(EXAMPLES[:1], tokenizer, 100)
    read = row["labels"].count(-100)
    assert row["labels"][read:] == row["input_ids"][read:]
    assert tokenizer.decode(row["input_ids"][1:read]) == EXAMPLES[0].prompt
    assert tokenizer.decode(row["input_ids"][read:]) == f"{EXAMPLES[0].target}</s>"
    assert (long, tokenize(EXAMPLES, tokenizer, 5)) == (0, ([], len(EXAMPLES)))


def test_the_same_examples_are_always_held_out() -> None:
    many = [Example(f"question {n}", "answer") for n in range(1000)]
    kept, out = split(many, 0.1)
    assert 60 < len(out) < 140
    assert split(many[::-1], 0.1)[1] == out[::-1]
    assert split(many, 0.0) == (many, [])
    assert len(kept) + len(out) == 1000
