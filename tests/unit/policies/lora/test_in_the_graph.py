"""The fine-tuned models in the graph and on the command line: who answers, what stands in, what is refused."""

from __future__ import annotations

import json
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.films import pairs as film_pairs
from tests.tiny_lm import build_tiny_llama
from tests.unit.app.cli.running import Trivium, refused
from tests.unit.policies.lora.conftest import Lesson
from trivium.graphs.keqing import graph
from trivium.kg.errors import NotLearnedError
from trivium.knowledge.knowledge import Knowledge, close_all
from trivium.nodes.keqing.context import KeqingContext
from trivium.policies.lora.model import LoraSettings
from trivium.policies.lora.train import Wish, fine_tune, stage_examples

pytestmark = pytest.mark.slow  # a model is trained, seconds of processor time


@pytest.fixture
async def kg(lesson: Lesson) -> AsyncIterator[str]:
    yield str(lesson.kg)
    await close_all()


@pytest.fixture
def trivium(capsys: pytest.CaptureFixture[str]) -> Trivium:
    return Trivium(capsys)


async def _ask(question: str, kg: str, **settings: object) -> dict[str, Any]:
    given: dict[str, Any] = {"kg": kg} | settings
    context = KeqingContext(**given)
    told: dict[str, Any] = (await graph.ainvoke({"question": question}, context=context))["answer"]
    return told


async def test_the_tuned_model_answers_in_the_graph(lesson: Lesson, kg: str) -> None:
    for pair in lesson.pairs[::3]:
        told = await _ask(pair.question, kg, decompose="lora")
        assert {item["id"] for item in told["answers"]} == set(pair.answers), pair.question
        assert told["steps"][0]["by"] == "lora"
        assert told["paths"]


async def test_the_trained_decomposer_stands_in_where_nothing_can_be_read(kg: str) -> None:
    question = "who directed Gladiator? " * 20  # nothing like what the model has seen
    told = await _ask(question, kg, decompose="lora")
    events = [event["event"] for event in told["events"]]
    assert ("lora_unreadable" in events) == (told["steps"][0].get("by") != "lora")
    assert told["stop_reason"] in ("answered", "not_found", "not_understood")


async def test_a_stage_that_was_not_tuned_is_refused(kg: str, kg_name: str) -> None:
    with pytest.raises(NotLearnedError, match="--stage reason"):
        await _ask("who directed Alien?", kg, reason="lora")
    with pytest.raises(NotLearnedError, match="--stage decompose"):
        await _ask("who directed Alien?", kg_name, decompose="lora")


def test_the_command_line_tunes_merges_and_refuses(lesson: Lesson, tmp_path: Path, trivium: Trivium) -> None:
    kg = Path(shutil.copytree(lesson.kg, tmp_path / "kg"))
    pairs = tmp_path / "pairs.jsonl"
    lines = [line for line in film_pairs() if line.get("chain") == ["directed_by"]][:4]
    pairs.write_text("".join(json.dumps(line) + "\n" for line in lines))
    learn = ("learn", "lora", "--kg", kg)
    tune = (*learn, lesson.base, "--questions", pairs, "--set", "epochs=1", "--set", "held_out=0")
    report = trivium(*tune, "--json").json
    assert (report["lora"], report["examples"], report["steps"]) == ("decompose", 4, 1)
    assert "in 1 steps" in trivium(*tune).out
    assert trivium("kg", "verify", kg).code == 0
    said = trivium(*learn, "--merge", tmp_path / "merged")
    assert (said.code, said.out) == (0, f"wrote the merged model to {tmp_path / 'merged'}\n")
    refused(trivium(*learn, "--merge", tmp_path / "merged"), "KnowledgeBaseExistsError", "merged")
    refused(trivium(*learn, lesson.base), "UsageError", "--questions", code=2)
    refused(trivium(*learn, "--set", "rank=2"), "UsageError", "name the model", code=2)
    refused(trivium(*tune, "--set", "bank=2"), "UsageError", "'bank=2'", code=2)
    wrong = (*learn, tmp_path / "none", "--questions", pairs)
    refused(trivium(*wrong), "ModelError", "none")


async def test_a_tuned_reasoner_chooses_among_serialised_triples(lesson: Lesson, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(lesson.kg, tmp_path / "kg"))
    base = Knowledge.open(folder)
    pairs = [pair for pair in lesson.pairs if pair.chain and len(pair.chain) == 1][:8]
    examples, _ = await stage_examples(base, pairs, "reason", 0, lambda *_: None)
    assert all("Use the following pieces of context" in example.prompt for example in examples)
    model = build_tiny_llama(tmp_path / "lm", [part for example in examples for part in example])
    settings = LoraSettings(
        rank=8, dropout=0, train_embeddings=True, learning_rate=8e-3, batch=4, epochs=60, held_out=0, max_tokens=2000
    )
    tuned = await fine_tune(base, pairs, Wish(str(model), "reason", settings), lambda *_: None)
    assert tuned.report.loss < 0.5
    await base.close()
    told = await _ask(pairs[0].question, str(folder), reason="lora")
    chosen = {item["id"] for item in told["answers"]}
    assert chosen
    assert chosen <= set(pairs[0].answers)  # only candidates of the chain may be answers
    await close_all()
