"""The training loop: a killed run goes on to the same weights, the held-out loss stops it, settings are checked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.tiny_lm import build_tiny_llama
from trivium.kg.errors import UsageError
from trivium.policies.lora.examples import Example
from trivium.policies.lora.model import LoraSettings, TrainingReport, free_adapters, open_base, settings_from
from trivium.policies.lora.train import (
    Tokens,
    Trainer,
    collate,
    epoch,
    load_checkpoint,
    split,
    tokenize,
)

SETTINGS = LoraSettings(rank=2, dropout=0.1, learning_rate=1e-3, batch=2, epochs=2, evaluate_every=2, held_out=0.0)
EXAMPLES = [Example(f"Input: number {n}\nOutput: ", f'["{n}"]') for n in range(8)]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    texts = [part for example in EXAMPLES for part in example]
    return build_tiny_llama(tmp_path_factory.mktemp("small") / "lm", texts, vocabulary=300, hidden=16)


class _KilledError(Exception):
    """Stands for a kill."""


def _train(
    model: Path, settings: LoraSettings, checkpoint: Path | None, kill_at: int = 0, held_out: int = 0
) -> tuple[TrainingReport, dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]]:
    base = open_base(str(model), device="cpu")
    free_adapters(base, settings)
    rows, _ = tokenize(EXAMPLES, base.tokenizer, 100)
    trainer = Trainer(base, rows[held_out:], rows[:held_out], settings, checkpoint)

    def progress(stage: str, done: int, total: int | None, note: str) -> None:
        if done == kill_at:
            raise _KilledError

    report = trainer.run(progress)
    return report, {name: parameter.detach().numpy().copy() for name, parameter in trainer.free.items()}


def test_a_killed_run_goes_on_to_the_same_weights(small: Path, tmp_path: Path) -> None:
    whole, weights = _train(small, SETTINGS, tmp_path / "whole")
    assert (whole.steps, whole.resumed_from) == (8, 0)
    for kill_at in (3, 7):
        with pytest.raises(_KilledError):
            _train(small, SETTINGS, tmp_path / f"killed{kill_at}", kill_at)
        resumed, same = _train(small, SETTINGS, tmp_path / f"killed{kill_at}")
        assert resumed.resumed_from == kill_at - 1
        assert resumed.steps == 8
        for name, values in weights.items():
            np.testing.assert_allclose(same[name], values, atol=1e-6)


def test_a_checkpoint_of_another_run_or_a_damaged_one_is_not_used(small: Path, tmp_path: Path) -> None:
    path = tmp_path / "checkpoint"
    with pytest.raises(_KilledError):
        _train(small, SETTINGS, path, 5)
    other = settings_from(["rank=2", "dropout=0.1", "batch=2", "epochs=1", "evaluate_every=2", "held_out=0"])
    assert _train(small, other, path)[0].resumed_from == 0
    path.write_bytes(path.read_bytes()[:100])
    assert load_checkpoint(path, "any") is None
    assert _train(small, SETTINGS, path)[0].resumed_from == 0


def test_the_held_out_loss_stops_a_run_that_gets_no_better(small: Path) -> None:
    # At a rate this high the held-out examples get worse, not better.
    wild = settings_from(["rank=2", "learning_rate=0.5", "batch=2", "epochs=50", "evaluate_every=1", "patience=2"])
    report, weights = _train(small, wild, None, held_out=3)
    assert report.stopped_early
    assert report.steps < 20
    assert report.held_out == 3
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


def test_only_the_answer_is_learnt() -> None:
    batch = collate([Tokens((5, 6, 7, 1), 2), Tokens((5, 8, 1), 1)], pad=1, device="cpu")
    assert batch["labels"].tolist() == [[-100, -100, 7, 1], [-100, 8, 1, -100]]
    assert batch["attention_mask"].tolist() == [[1, 1, 1, 1], [1, 1, 1, 0]]


def test_an_epoch_is_every_example_once_in_an_order_of_its_own() -> None:
    lengths = [n % 7 for n in range(40)]
    first, second = epoch(40, lengths, 3, (0, 0)), epoch(40, lengths, 3, (0, 1))
    assert sorted(place for batch in first for place in batch) == list(range(40))
    assert first == epoch(40, lengths, 3, (0, 0))
    assert first != second


def test_the_same_examples_are_always_held_out() -> None:
    many = [Example(f"question {n}", "answer") for n in range(1000)]
    kept, out = split(many, 0.1)
    assert 60 < len(out) < 140
    assert split(many[::-1], 0.1)[1] == out[::-1]
    assert split(many, 0.0) == (many, [])
    assert len(kept) + len(out) == 1000
