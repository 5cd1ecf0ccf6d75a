"""One tiny model, fine-tuned once for these tests: eight decompositions of the films' pairs."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.films import pairs as film_pairs
from tests.tiny_lm import build_tiny_llama
from trivium.kg.loaders import Question
from trivium.kg.loaders.questions import parse_question
from trivium.knowledge.knowledge import Knowledge
from trivium.policies.lora.examples import Example
from trivium.policies.lora.model import LoraSettings
from trivium.policies.lora.train import Tuned, Wish, fine_tune, stage_examples
from trivium.policies.reader.chains.learning import Learnt

SETTINGS = LoraSettings(
    rank=8, dropout=0.0, train_embeddings=True, learning_rate=8e-3, batch=8, epochs=100, held_out=0.0, seed=1
)
PAIRS = 8


@dataclass(frozen=True)
class Lesson:
    """A KG with its adapter, the base model's folder, the examples it was trained on, and what training said."""

    kg: Path
    base: Path
    pairs: list[Question]
    examples: list[Example]
    tuned: Tuned


def some_pairs() -> list[Question]:
    """`PAIRS` of the films' pairs, from the first kind of question to the last."""
    lines = [line for line in film_pairs() if "^release_year" not in line.get("chain", ())]  # a year is no entity
    found = [parse_question(lines[place * len(lines) // PAIRS], "") for place in range(PAIRS)]
    others = next(pair for pair in (parse_question(line, "") for line in lines) if "other" in pair.question)
    return found if any("other" in pair.question for pair in found) else [*found[:-1], others]


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> Iterator[None]:
    """Of matrices this small two threads of torch wait for each other: on a busy machine twelve times as long."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def lesson(films_learnt: tuple[Path, Learnt], tmp_path_factory: pytest.TempPathFactory) -> Lesson:
    folder = tmp_path_factory.mktemp("lora")
    kg = Path(shutil.copytree(films_learnt[0], folder / "kg"))
    pairs = some_pairs()

    async def learn() -> tuple[list[Example], Tuned]:
        base = Knowledge.open(kg)
        try:
            examples, _ = await stage_examples(base, pairs, "decompose", 0, lambda *_: None)
            model = build_tiny_llama(folder / "base", [part for example in examples for part in example])
            return examples, await fine_tune(base, pairs, Wish(str(model), "decompose", SETTINGS), lambda *_: None)
        finally:
            await base.close()

    examples, tuned = asyncio.run(learn())
    return Lesson(kg, folder / "base", pairs, examples, tuned)
